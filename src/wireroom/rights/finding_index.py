"""The findings of a publisher by step, each turned into the value its readers know at most once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import msgspec

from wireroom.model import Finding, Signal, TypedFacts

T = TypeVar("T")


def facts_of(finding: Finding, kind: type[T]) -> T | None:
    """The finding's facts as this kind of value; None when nobody could look or they cannot be read."""
    if finding.outcome in {"failed", "skipped"}:
        return None
    facts = finding.facts
    if isinstance(facts, TypedFacts) and isinstance(facts.value, kind):
        return facts.value
    try:
        return msgspec.convert(dict(facts), kind)
    except msgspec.ValidationError:
        return None


class FindingIndex:
    """Findings by step. What a single page says lies on top of what its publisher says, the `parent`."""

    def __init__(self, findings: Iterable[Finding], *, parent: FindingIndex | None = None) -> None:
        self._parent = parent
        self._findings: dict[str, list[Finding]] = {}
        self._facts: dict[tuple[str, type], tuple[object, ...]] = {}
        self.kept: dict[object, tuple[Signal, ...]] = {} if parent is None else parent.kept
        """What a signal said before and would say again; each names its own entries."""
        for finding in findings:
            self._findings.setdefault(finding.step, []).append(finding)

    def of(self, step: str, kind: type[T]) -> tuple[T, ...]:
        """The facts of every finding of the step that can be read."""
        known = self._facts.get((step, kind))
        if known is None:
            below = () if self._parent is None else self._parent.of(step, kind)
            found = (facts_of(finding, kind) for finding in self._findings.get(step, ()))
            known = (*below, *(facts for facts in found if facts is not None))
            self._facts[step, kind] = known
        return known  # type: ignore[return-value]  # the key holds its kind, which a dict cannot say


def as_index(findings: Iterable[Finding] | FindingIndex) -> FindingIndex:
    """The findings as an index, which they may be already."""
    return findings if isinstance(findings, FindingIndex) else FindingIndex(findings)
