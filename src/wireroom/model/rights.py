"""What a source permits: findings with their evidence, signals, verdicts, receipts."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from wireroom.model.literals import ConditionKind, Facts, FindingVerdict, RobotsWord, Use, Word


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Where exactly something was read."""

    url: str
    line: int | None = None
    excerpt: str = ""
    status: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one scouting step found out; "no" and "could not look" are never the same."""

    step: str
    verdict: FindingVerdict
    facts: Facts = field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()
    found_at: datetime
    took: timedelta = timedelta()


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A string attached to a permission, with its detail as found (a country, a price)."""

    kind: ConditionKind
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """What one source says about one use; `scope` is a path pattern, empty for everything."""

    family: str
    use: Use
    value: Word
    scope: str = ""
    evidence: Evidence
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What all signals together come to, for one use."""

    use: Use
    value: Word
    conditions: tuple[Condition, ...] = ()
    because: tuple[Signal, ...] = ()
    conflicts: tuple[Signal, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The rights an article was taken under, as they stood when it was fetched."""

    verdicts: tuple[Verdict, ...] = ()
    robots: RobotsWord = "unknown"
    licence_url: str = ""
    checked_at: datetime
