"""What lists and overviews show of many publishers and feeds at once, read in bulk; nothing is changed here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Literal, Protocol

from wireroom.model import (
    Event,
    Feed,
    FeedState,
    LeadState,
    ObservationAbout,
    ProblemKind,
    Publisher,
    PublisherSummary,
    Use,
    Word,
)
from wireroom.ports.store_values import HostRecord

PublisherOrder = Literal["name", "grade", "scouted", "changed"]
"""By name; the best grade, the last scouted or the last to change its rights first."""

Place = tuple[str | int, str]
"""Where a row stands in a list: what it is ordered by, and its key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherFilter:
    """Which publishers are meant: those for which everything holds that is given."""

    text: str = ""
    """In the name or the domain, whatever its case."""
    verdicts: Mapping[Use, Word] = field(default_factory=dict)
    """The verdict of a use; only what was scouted has one."""
    signal: str = ""
    """The name of a signal that says something."""
    language: str = ""
    changed_after: datetime | None = None
    """Those whose rights changed since."""
    scouted: bool | None = None
    """Those that were scouted to the end, or those that were not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherRecord:
    """A publisher, the summary of its last whole scout, and how many of its feeds are followed."""

    publisher: Publisher
    summary: PublisherSummary | None = None
    """None where it was never scouted to the end."""
    feeds: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherPage:
    """Some publishers; hand `after` back for the next, None when there is none."""

    records: tuple[PublisherRecord, ...] = ()
    after: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherCounts:
    """How many publishers match, and how many would with another choice of one filter and the same of all others."""

    total: int = 0
    """How many match, exactly."""
    is_whole: bool = True
    """Whether all that follows was counted; False when the time was up, or nobody asked for it."""
    verdicts: Mapping[Use, Mapping[Word, int]] = field(default_factory=dict)
    signals: Mapping[str, int] = field(default_factory=dict)
    languages: Mapping[str, int] = field(default_factory=dict)
    changed: tuple[int, ...] = ()
    """Whose rights changed since each of the moments that were asked for, in their order."""
    scouted: int = 0
    not_scouted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoutSigns:
    """What the summary of a publisher says of its scout."""

    publisher: str
    signs: tuple[str, ...] = ()
    has_news_sitemap: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoutSignList:
    """What the summaries of followed publishers say of their scouts, by domain."""

    rows: tuple[ScoutSigns, ...] = ()
    """Those that show a sign; all of them where none has a news sitemap."""
    has_news_sitemap: bool = False
    """Whether any of them has a news sitemap."""


FeedListOrder = Literal["publisher", "new", "due", "reliability"]
"""By publisher and address; the last that brought something new, the next to be polled, the least reliable first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedFilter:
    """Which feeds are meant: those for which everything holds that is given."""

    text: str = ""
    """In the address, the title or the name, whatever its case."""
    publisher: str = ""
    states: tuple[FeedState, ...] = ()
    urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedPage:
    """Some feeds; hand `after` back for the next, None when there is none."""

    feeds: tuple[Feed, ...] = ()
    after: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneRecord:
    """A host at work, at rest, or with something that is due now or later."""

    host: HostRecord
    in_flight: int = 0
    """Feeds and leads that somebody has."""
    due: int = 0
    """Leads that could be read now; of more than a thousand only that there are more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneCounts:
    """How many hosts are held, rest, and have something due that nobody holds up, now or later."""

    held: int = 0
    resting: int = 0
    ready: int = 0
    later: int = 0
    """Those on which nothing is due yet."""
    later_from: datetime | None = None
    """When the first of these is due."""
    later_until: datetime | None = None
    """When the last of them is."""

    @property
    def total(self) -> int:
        """All of them."""
        return self.held + self.resting + self.ready + self.later


class OverviewLog(Protocol):
    """What is held, as lists show it."""

    def publishers(
        self,
        chosen: PublisherFilter,
        *,
        order: PublisherOrder = "name",
        reverse: bool = False,
        after: Place | None = None,
        limit: int = 50,
    ) -> PublisherPage:
        """Some publishers in order; `after` is the place of a page before."""
        ...

    def publishers_named(self, domains: Sequence[str]) -> Mapping[str, PublisherRecord]:
        """Those of these publishers that are known, by domain."""
        ...

    def publisher_counts(
        self,
        chosen: PublisherFilter,
        *,
        changed_since: Sequence[datetime] = (),
        within: timedelta | None = None,
    ) -> PublisherCounts:
        """How many publishers match, and would with another choice of one filter; `changed_since` are choices of `changed_after`.

        What is not counted within the time is left out, but for the total: no time asks for it alone, None for all.
        """
        ...

    def scout_signs(self) -> ScoutSignList:
        """What the summaries of followed publishers say of their scouts."""
        ...

    def feeds(
        self,
        chosen: FeedFilter,
        *,
        order: FeedListOrder = "publisher",
        reverse: bool = False,
        after: Place | None = None,
        limit: int = 50,
    ) -> FeedPage:
        """Some feeds in order; `after` is the place of a page before."""
        ...

    def feed_states(self, chosen: FeedFilter) -> Mapping[FeedState, int]:
        """How many feeds match in each state, whatever states the filter names."""
        ...

    def failing_feeds(self, *, least: int) -> Mapping[str, Mapping[LeadState, int]]:
        """Live feeds with at least so many pages that gave nothing, and what became of the pages tried last."""
        ...

    def items_per_day(
        self, feed_urls: Sequence[str], *, since: datetime, until: datetime
    ) -> Mapping[str, Mapping[date, int]]:
        """How many items of each feed came out on each day, by their own dates in UTC; days without are left out."""
        ...

    def observed(
        self, feed_urls: Sequence[str], *, limit: int
    ) -> Mapping[str, Mapping[ObservationAbout, tuple[float, ...]]]:
        """The last values observed about each part of each feed, so many, oldest first."""
        ...

    def problem_counts(self, *, since: datetime) -> Mapping[ProblemKind, int]:
        """How many problems there were of each kind."""
        ...

    def lanes(self, *, now: datetime, limit: int) -> tuple[LaneRecord, ...]:
        """Hosts that are held, that rest, that have something due now, and those that have later, in this order."""
        ...

    def lane_counts(self, *, now: datetime) -> LaneCounts:
        """How many there are of each."""
        ...

    def day_counts(self, at: datetime) -> Mapping[str, int]:
        """What all runs did on the day of this moment, in UTC, as they noted it."""
        ...

    def arrivals(self, *, since: datetime) -> Mapping[datetime, int]:
        """How many articles came in in each minute, by its beginning; minutes without are left out."""
        ...

    def newest_events(self, kind: str, *, limit: int) -> tuple[Event, ...]:
        """The last events of a kind, newest first."""
        ...

    def last_event(self) -> int:
        """The number of the newest event; 0 when there is none."""
        ...

    def size_on_disk(self) -> int:
        """How many bytes the database takes, as it says itself."""
        ...
