"""How a step writes down what it found."""

from __future__ import annotations

from hashlib import blake2s
from typing import Final

from wireroom.model import Evidence, Facts, Finding, FindingOutcome
from wireroom.ports import StepContext
from wireroom.urls import page_key

KEY_BYTES: Final = 6  # a thousand articles are told apart, in all but one case of 500 million

MEASURED = "measured"
"""The key of facts that differ each time somebody looks (a newest date, a count of entries). They are
kept, and never counted as a change of the finding."""


def finding(
    context: StepContext,
    step: str,
    outcome: FindingOutcome,
    facts: Facts,
    *evidence: Evidence,
) -> Finding:
    """A finding of this visit."""
    return Finding(step=step, outcome=outcome, facts=facts, evidence=evidence, found_at=context.now)


def article_key(url: str, guid: str = "") -> str:
    """A short name by which one article is known again in a feed and in a sitemap."""
    name = page_key(url) or guid
    return blake2s(name.encode("utf-8", "replace"), digest_size=KEY_BYTES).hexdigest()
