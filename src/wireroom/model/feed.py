"""What a publisher offers: feeds, what they say, and the outcome of asking one."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from wireroom.model.events import Problem
from wireroom.model.feed_options import FeedOptions
from wireroom.model.literals import (
    Facts,
    FeedKind,
    FeedState,
    ObservationAbout,
    ObservationCause,
    PollResult,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Validators:
    """What a server gave us to ask "has it changed?", byte for byte as received."""

    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """How often a feed publishes: a rate per day with its interval, and when in the week."""

    per_day: float
    low: float
    high: float
    confidence: Literal["high", "medium", "low"]
    sample_size: int
    span: timedelta
    source: str
    weekday: tuple[int, ...] = (0,) * 7
    hour: tuple[int, ...] = (0,) * 24
    newest_at: datetime | None = None
    dormant: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedHints:
    """What a feed document says about when to come back."""

    ttl: timedelta | None = None
    skip_hours: tuple[int, ...] = ()
    skip_days: tuple[str, ...] = ()
    period: timedelta | None = None
    hub_url: str = ""
    self_url: str = ""
    """Where the feed says it lives."""
    cloud_url: str = ""
    """Where rssCloud subscriptions are taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PollHistory:
    """How a feed has behaved of late: what its schedule and its state are decided from."""

    polled_at: datetime | None = None
    """When it was last asked and the answer was its own, whatever it was."""
    new_at: datetime | None = None
    """When it last brought something that was new to us."""
    because: str = ""
    """Why it is polled next when it is, as it stands behind "because": "its rhythm is 12 a day"."""
    reason: str = ""
    """Why its state is what it is; empty for a live feed without troubles."""
    hints: FeedHints = field(default_factory=FeedHints)
    """What its document said the last time about when to come back."""
    moved_url: str = ""
    moved_times: int = 0
    """Where it was redirected to for good, and how often in a row."""
    changing: int = 0
    """Polls in a row in which most known items had changed: no news, the feed stamps anew."""
    mirror: str = ""
    """The mirror that answered last; empty for the feed itself."""
    barred: bool = False
    """Whether it could not be asked the last time for a reason of ours that lasts, such as robots.txt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One observation that a feed's reliability is made of; the same observations give the same number."""

    feed_url: str
    about: ObservationAbout
    value: float
    """From 0 (failed) to 1 (as good as can be)."""
    cause: ObservationCause = ObservationCause.NONE
    reason: str = ""
    """In prose, for people."""
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed(FeedOptions):
    """A feed we follow: what the operator says of it, and what polling has learnt."""

    url: str
    publisher: str
    kind: FeedKind
    title: str = ""
    validators: Validators = field(default_factory=Validators)
    rhythm: Rhythm | None = None
    reliability: float = 1.0
    failures: int = 0
    poll_after: datetime | None = None
    """Not to be asked before; None means at once."""
    state: FeedState = "live"
    standing: PollHistory = field(default_factory=PollHistory)

    @property
    def options(self) -> FeedOptions:
        """What the operator says of it, alone."""
        return FeedOptions(**self.options_by_field())


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerHints:
    """What a server's headers say about when to come back."""

    max_age: timedelta | None = None
    expires_at: datetime | None = None
    retry_after: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One entry of a feed, as the feed says it."""

    feed_url: str
    guid: str
    url: str = ""
    title: str = ""
    summary: str = ""
    content_html: str = ""
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    published_at: datetime | None = None
    updated_at: datetime | None = None
    extra: Facts = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedDocument:
    """A feed as it was read from bytes."""

    kind: FeedKind | None = None
    title: str = ""
    home_url: str = ""
    items: tuple[Item, ...] = ()
    hints: FeedHints = field(default_factory=FeedHints)
    language: str = ""
    updated_at: datetime | None = None
    truncated: bool = False
    """Whether items are missing: the document was cut off, or a limit of ours left them out."""
    extra: Facts = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Polled:
    """The outcome of a feed's turn: asked once, or spared."""

    feed_url: str
    """As it was held when it was asked."""
    result: PollResult
    items: tuple[Item, ...] = ()
    validators: Validators = field(default_factory=Validators)
    server_hints: ServerHints = field(default_factory=ServerHints)
    problem: Problem | None = None
    kind: FeedKind | None = None
    title: str = ""
    language: str = ""
    hints: FeedHints = field(default_factory=FeedHints)
    moved_url: str = ""
    """Where the feed lives now, when every redirect on the way was permanent."""
    mirror: str = ""
    """The mirror that answered; empty for the feed itself."""
    spared_by: str = ""
    """When it was spared: the feed that answers in its place, by name or address."""
    more_urls: tuple[str, ...] = ()
    """Of a sitemap index: the sitemaps that are worth asking next, best first."""
    truncated: bool = False
    reopen: bool = True
    """Whether pages of changed items are to be read again."""
    fetched_at: datetime | None = None
    observations: tuple[Observation, ...] = ()
    """What the answer says of the feed's reliability; none when it was our own fault."""
