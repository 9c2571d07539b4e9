"""The facts of a card: what steps bring in fields of their own, put together. Pure.

No step is known by name here: each says by its `details` what it found, those of other packages as ours do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from wireroom.model import Facts, Finding
from wireroom.ports import CardDetails, CardSitemap, Step
from wireroom.report.types import CardFacts
from wireroom.rights.finding_changes import comparable

_EARLIER = frozenset({"heard", "last"})
"""Facts that are not of this scout: what was known before a step failed."""


def details_of(findings: Iterable[Finding], steps: Mapping[str, Step]) -> CardDetails:
    """What the steps bring besides their lines, one behind the other; of what there is one of, the first counts."""
    brought = [_brought(finding, steps) for finding in findings]
    merged: dict[str, Any] = {}
    for field in fields(CardDetails):
        values = [getattr(each, field.name) for each in brought]
        many = isinstance(field.default, tuple)
        merged[field.name] = (
            tuple(value for part in values for value in part)
            if many
            else next((value for value in values if value is not None), None)
        )
    return CardDetails(**merged)


def facts_of(
    findings: Sequence[Finding], details: CardDetails, steps: Mapping[str, Step]
) -> CardFacts:
    """Those facts in their fields, and those of all other steps under their names."""
    return CardFacts(
        feeds=details.feeds,
        other_feeds=details.other_feeds,
        sitemaps=_joined(details.sitemaps),
        robots=details.robots,
        rhythm=details.rhythm,
        sample=details.sample,
        steps={
            finding.step: _plain(finding.facts)
            for finding in findings
            if _brought(finding, steps) == CardDetails()
        },
    )


def _brought(finding: Finding, steps: Mapping[str, Step]) -> CardDetails:
    step = steps.get(finding.step)
    return CardDetails() if step is None or step.details is None else step.details(finding.facts)


def _joined(sitemaps: Iterable[CardSitemap]) -> tuple[CardSitemap, ...]:
    """Each sitemap once: one step knows who named it, another what is in it; what nobody named, an index lists."""
    known: dict[str, CardSitemap] = {}
    for sitemap in sitemaps:
        named = known.get(sitemap.url)
        by = sitemap.found_by or (named.found_by if named else "index")
        known[sitemap.url] = replace(sitemap, found_by=by)
    return tuple(known.values())


def _plain(facts: Facts) -> dict[str, Any]:
    """The facts as JSON; as they are after the store had them, also where the step has just run."""
    return {name: comparable(fact) for name, fact in facts.items() if name not in _EARLIER}
