"""What a report card is made of: frozen values that are plain JSON as they stand.

`Card` is the documented, versioned form; every way of showing a card reads it and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

import msgspec

from wireroom.display_text import visible_data
from wireroom.model import ConditionKind, Evidence, FindingOutcome, Use, Word
from wireroom.ports import (
    Bots,
    CardFeed,
    CardOther,
    CardRhythm,
    CardRobots,
    CardSample,
    CardSitemap,
    Picture,
    SummaryRow,
    TermsStatement,
    Tone,
)

SCHEMA = "wireroom.card/1"
"""Raised when a reader of the JSON would have to change."""

GRADED = "how well it can be followed lawfully, not its journalism"

LineWord = FindingOutcome | Literal["not checked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One thing found out: what, in words, how sure, and where it was read."""

    key: str
    label: str
    value: str
    word: LineWord
    evidence: tuple[Evidence, ...] = ()
    found_at: datetime | None = None
    """When the servers gave the oldest answer that it rests on; None where nobody looked."""
    tone: Tone = "plain"
    """Whether that is good news for somebody who wants to follow and use the publisher; of a yes or a no alone."""
    rows: tuple[SummaryRow, ...] = ()
    """What is shown beneath it: addresses, newest dates, flaws."""
    newest_at: datetime | None = None
    """When the newest article was published, where the line tells that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Lines that belong together."""

    key: str
    title: str
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of the grade, and what it was given for."""

    name: str
    points: int
    of: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """A letter for how well the publisher can be followed lawfully; its parts add up to the points."""

    letter: Literal["A", "B", "C", "D", "E", "F"]
    points: int
    parts: tuple[Part, ...]
    about: str = GRADED
    """What it grades."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What one family says of one use."""

    family: str
    word: Word | Literal["silent", "unseen"]
    """`unseen` where nobody could look, so that nobody knows what is said."""
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A condition of a permission."""

    kind: ConditionKind
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """One row of the rights matrix: a use, what all say together, and what each family says."""

    use: Use
    word: Word
    conditions: tuple[Note, ...]
    cells: tuple[Cell, ...]
    decided_by: tuple[str, ...]
    conflicts_with: tuple[str, ...]
    unread: tuple[str, ...] = ()
    """Families that might refuse the use and could not be read: why it is no allow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Something that is different from before, in words, and since when."""

    at: datetime
    step: str
    text: str
    kind: Literal["finding", "verdict", "signal"] = "finding"
    """A finding that says something else; a verdict that flipped; a line of a signal that came, went or changed."""
    url: str = ""
    """The page that a verdict or a line is about."""
    uses: tuple[Use, ...] = ()
    old: str = ""
    """The word of a verdict, or the line, as it was; empty where there was none."""
    new: str = ""
    old_evidence: Evidence | None = None
    new_evidence: Evidence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepNote:
    """What became of one step."""

    name: str
    word: FindingOutcome
    seconds: float
    reason: str = ""
    kind: str = ""
    """The reason as one word of the fixed vocabulary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreached:
    """What a step did not get to: the scout's time or its requests were wanted for something else."""

    step: str
    label: str
    documents: tuple[str, ...]
    time: bool
    """Whether more time would have been enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFacts:
    """What was found, for programs: every value in a field of its own, nothing in sentences."""

    feeds: tuple[CardFeed, ...] = ()
    """The best first."""
    other_feeds: tuple[CardOther, ...] = ()
    """Feeds that are offered and not followed, and why."""
    sitemaps: tuple[CardSitemap, ...] = ()
    robots: CardRobots | None = None
    rhythm: CardRhythm | None = None
    sample: CardSample | None = None
    steps: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The facts of every step that brings none of the above, no bots and no terms, under its name: also of steps of others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep:
    """Something that can be done now, and the command for it."""

    text: str
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A report card."""

    schema: str = SCHEMA
    domain: str
    name: str
    home_url: str
    url: str
    """The page the rights and the access are about."""
    scouted_at: datetime
    """When the oldest answer was given that its rights rest on."""
    sentence: str
    grade: Grade
    families: tuple[str, ...]
    """The columns of the rights matrix."""
    rights: tuple[Permission, ...]
    sections: tuple[Section, ...]
    bots: tuple[Bots, ...]
    terms: tuple[TermsStatement, ...]
    fields: tuple[tuple[str, tuple[str, ...]], ...]
    """Each of the eleven fields of an article, with the formats in which it stands."""
    picture: Picture | None
    changes: tuple[Change, ...]
    steps: tuple[StepNote, ...]
    notes: tuple[str, ...] = ()
    """What is to be known of the scout as a whole, in sentences: that the publisher moved, what was not reached."""
    not_reached: tuple[Unreached, ...] = ()
    moved_from: str = ""
    """The front page that was asked for, where its publisher has moved here."""
    shown_at: datetime | None = None
    """When the card was asked for: what it shows may have been found long before."""
    facts: CardFacts = CardFacts()
    next_steps: tuple[NextStep, ...] = ()


# A card as JSON, and the schema of that JSON for whoever reads it.

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def to_plain(card: Card) -> dict[str, Any]:
    """The card as plain data."""
    plain: dict[str, Any] = visible_data(msgspec.to_builtins(card))
    return plain


def to_json(card: Card, *, indent: int = 2) -> str:
    """The card as text; dates are ISO 8601 in UTC."""
    return msgspec.json.format(msgspec.json.encode(to_plain(card)), indent=indent).decode()


def card_schema() -> dict[str, Any]:
    """The JSON Schema of a card."""
    schema = msgspec.json.schema(Card)
    return {"$schema": DIALECT, "$id": SCHEMA, "title": "A report card of wireroom", **schema}
