"""What a scouting step may bring for a card besides its line: tables and a picture. Plain JSON as it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Bots:
    """The AI agents of one purpose."""

    purpose: str
    word: Literal["barred", "some", "free"]
    barred: tuple[str, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TermsStatement:
    """What the terms of service say of one activity."""

    activity: str
    word: Literal["permitted", "prohibited", "conditional", "silent"]
    quote: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """When articles come out: counts by weekday (Monday first) and hour of the publisher's clock."""

    label: str
    per_day: float
    low: float
    high: float
    confidence: str
    zone: str
    grid: tuple[tuple[int, ...], ...]
    until: str = ""
    """The day of the last article, of a publisher that stopped: the rate is the one before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDetails:
    """What one step adds to the parts of a card that several steps may fill."""

    bots: tuple[Bots, ...] = ()
    terms: tuple[TermsStatement, ...] = ()
    fields: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Fields of an article, each with the formats in which it stands."""
    picture: Picture | None = None
