"""What a scouting step may bring for a card besides its line: facts, tables, a picture. Plain JSON as it stands."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Tone = Literal["good", "bad", "mixed", "plain"]
"""What a line means to somebody who wants to follow and use the publisher; `plain` where it is neither good nor bad."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRow:
    """One row beneath a line of a card: an address, what is said of it, or both."""

    text: str = ""
    url: str = ""
    newest_at: datetime | None = None
    """When the newest of what it names was published; shown by the reader's clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFeed:
    """A feed that was read."""

    url: str
    kind: str
    title: str = ""
    language: str = ""
    found_by: str = ""
    """Where its address stood: link, header, anchor, index_page; or probe, where it was guessed."""
    items: int | None = None
    newest_at: datetime | None = None
    newest_url: str = ""
    per_day: float | None = None
    """Items a day over the time that the feed covers; None where its dates do not say."""
    rate: str = ""
    """The same in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardOther:
    """An address that is offered and was not taken for what it is offered as, and why."""

    url: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardSitemap:
    """A sitemap that is named, or was found."""

    url: str
    found_by: str = ""
    """Where its address stood: robots.txt, link, index; or probe, where it was guessed."""
    kind: str = ""
    """Empty where it was not read."""
    entries: int | None = None
    news_entries: int | None = None
    """Entries with the date at which an article came out."""
    problem: str = ""
    """Why it could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRule:
    """A line of robots.txt."""

    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFlaw:
    """Something in robots.txt that its publisher should mend; line 0 is the file as a whole."""

    line: int
    code: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRobots:
    """What robots.txt says to us."""

    url: str
    state: str
    bytes: int = 0
    agent: str = ""
    """The name by which a group of rules is ours: our own, or `*`; empty where there is none."""
    rules: tuple[CardRule, ...] = ()
    rules_in_all: int = 0
    """How many concern us; the first are listed."""
    crawl_delay: float | None = None
    """Seconds between two requests."""
    flaws: tuple[CardFlaw, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRhythm:
    """How often articles come out; of a publisher that stopped, how often they did."""

    label: str
    per_day: float
    low: float
    high: float
    """In nine cases of ten the true rate is between the two."""
    confidence: str
    confidence_by_count: str = ""
    confidence_by_interval: str = ""
    source: str = ""
    """rss for feeds, news_sitemap, or sitemap: then they are dates of changes."""
    articles: int = 0
    """How many were counted."""
    span_days: float = 0.0
    """From the oldest of them to the newest."""
    newest_at: datetime | None = None
    dormant: bool = False
    zone: str = ""
    hours: tuple[int, ...] = ()
    """How many came out in each of the 24 hours, by that clock."""
    weekdays: tuple[int, ...] = ()
    """How many on each weekday, Monday first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardSample:
    """The article that was read to see how articles describe themselves."""

    url: str
    chosen: str = ""
    formats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bots:
    """The AI agents of one purpose."""

    purpose: str
    word: Literal["barred", "some", "free"]
    barred: tuple[str, ...]
    total: int
    well_known: tuple[str, ...] = ()
    """Those of them that whoever bars the purpose would name first."""
    well_known_barred: tuple[str, ...] = ()


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
    feeds: tuple[CardFeed, ...] = ()
    other_feeds: tuple[CardOther, ...] = ()
    """Feeds that are offered and not followed, and why."""
    sitemaps: tuple[CardSitemap, ...] = ()
    robots: CardRobots | None = None
    rhythm: CardRhythm | None = None
    sample: CardSample | None = None
