"""What a source permits: findings with their evidence, signals, verdicts, receipts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from wireroom.model.literals import (
    ConditionKind,
    Facts,
    FindingOutcome,
    RemovalCause,
    RobotsWord,
    Use,
    Word,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Where exactly something was read."""

    url: str
    line: int | None = None
    excerpt: str = ""
    status: int | None = None


class TypedFacts(Mapping[str, Any]):
    """Facts as a frozen value, with what else a step notes for readers of its finding.

    Whoever knows the type takes `value`. By key it reads as the plain JSON that the store keeps, which
    is made when the first key is asked for.
    """

    __slots__ = ("_plain", "notes", "value")

    def __init__(self, value: object, notes: Facts | None = None) -> None:
        self.value = value
        self.notes: Facts = {} if notes is None else notes
        self._plain: dict[str, Any] | None = None

    def plain(self) -> dict[str, Any]:
        """All of it as plain JSON."""
        if self._plain is None:
            from msgspec import to_builtins

            self._plain = {**to_builtins(self.value), **self.notes}
        return self._plain

    def with_notes(self, notes: Facts) -> TypedFacts:
        """The same value with more notes."""
        return TypedFacts(self.value, {**self.notes, **notes})

    def __getitem__(self, key: str) -> Any:
        return self.notes[key] if key in self.notes else self.plain()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.plain())

    def __len__(self) -> int:
        return len(self.plain())

    def __repr__(self) -> str:
        return f"TypedFacts({self.value!r}, {self.notes!r})"

    def __reduce__(self) -> tuple[type[TypedFacts], tuple[object, Facts]]:
        return TypedFacts, (self.value, self.notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one scouting step found out; "no" and "could not be fetched" are never the same."""

    step: str
    outcome: FindingOutcome
    facts: Facts = field(default_factory=dict)
    """`TypedFacts` where the step has just run and its facts have a type; plain from the store."""
    evidence: tuple[Evidence, ...] = ()
    found_at: datetime
    took: timedelta = timedelta()
    """How long the step was at work or had an answer in flight; the wait for a permit does not count."""


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
    holds_after: datetime | None = None
    """From when on it holds, where it names a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What all signals together come to, for one use."""

    use: Use
    value: Word
    conditions: tuple[Condition, ...] = ()
    because: tuple[Signal, ...] = ()
    conflicts: tuple[Signal, ...] = ()
    undecided: tuple[Signal, ...] = ()
    """Who speaks of the use and leaves it open, where others decide; a card shows them, a receipt does not."""
    unseen: tuple[Signal, ...] = ()
    """Who might refuse the use and could not be read, each with the reason: why this is no allow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The rights an article was taken under, as they stood when it was fetched."""

    verdicts: tuple[Verdict, ...] = ()
    robots: RobotsWord = "unknown"
    licence_url: str = ""
    checked_at: datetime
    page_unread: str = ""
    """Why the page itself could not be read; empty when it could. What it says is not known until it is."""
    unscouted: bool = False
    """Whether nobody had scouted its host yet: it is judged by what the host says once somebody has."""
    documents: tuple[str, ...] = ()
    """Addresses of documents that the page itself names for its rights: what they say today counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """An article that was exported for a use and may not be used any more: whoever has it removes it."""

    id: str
    url: str
    cause: RemovalCause
    """Its rights have changed, its publisher has withdrawn it, or it was purged here."""
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    removed_at: datetime
    """When an export found that out."""
    left_at: datetime
    """When it was exported last."""
    left_under: Word = "unknown"
    """The verdict about the use under which it was exported then."""
