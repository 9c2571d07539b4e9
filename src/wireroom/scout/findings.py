"""How a step writes down what it found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wireroom.model import Evidence, Finding, FindingVerdict
from wireroom.ports import Case

__all__ = ["MEASURED", "finding"]

MEASURED = "measured"
"""The key of facts that differ each time somebody looks (a newest date, a count of entries). They are
kept, and never counted as a change of the finding."""


def finding(
    case: Case,
    step: str,
    verdict: FindingVerdict,
    facts: Mapping[str, Any],
    *evidence: Evidence,
) -> Finding:
    """A finding of this visit."""
    return Finding(
        step=step, verdict=verdict, facts=dict(facts), evidence=evidence, found_at=case.now
    )
