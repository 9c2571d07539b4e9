"""What lists and overviews show, from a SQL database: each method one read at one moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import partial

from wireroom.model import Event, FeedState, LeadState, ObservationAbout, ProblemKind
from wireroom.ports import (
    FeedFilter,
    FeedListOrder,
    FeedPage,
    LaneCounts,
    LaneRecord,
    OverviewLog,
    Place,
    PublisherCounts,
    PublisherFilter,
    PublisherOrder,
    PublisherPage,
    PublisherRecord,
    ScoutSignList,
)
from wireroom.store import articles_table, events_table, feed_lists, publisher_lists
from wireroom.store.database import Database, size_on_disk
from wireroom.store.queue import listing


class SqlOverviewLog(OverviewLog):
    """What is held, as lists show it."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def publishers(
        self,
        chosen: PublisherFilter,
        *,
        order: PublisherOrder = "name",
        reverse: bool = False,
        after: Place | None = None,
        limit: int = 50,
    ) -> PublisherPage:
        find = partial(publisher_lists.list_publishers, chosen=chosen, order=order, reverse=reverse)
        return self._db.read(partial(find, after=after, limit=limit))

    def publishers_named(self, domains: Sequence[str]) -> Mapping[str, PublisherRecord]:
        return self._db.read(partial(publisher_lists.find_publishers, domains=domains))

    def publisher_counts(
        self,
        chosen: PublisherFilter,
        *,
        changed_since: Sequence[datetime] = (),
        within: timedelta | None = None,
    ) -> PublisherCounts:
        count = partial(publisher_lists.count_publishers, chosen=chosen)
        return self._db.read(partial(count, changed_since=changed_since, within=within))

    def scout_signs(self) -> ScoutSignList:
        return self._db.read(publisher_lists.list_signs)

    def feeds(
        self,
        chosen: FeedFilter,
        *,
        order: FeedListOrder = "publisher",
        reverse: bool = False,
        after: Place | None = None,
        limit: int = 50,
    ) -> FeedPage:
        find = partial(feed_lists.list_feeds, chosen=chosen, order=order, reverse=reverse)
        return self._db.read(partial(find, after=after, limit=limit))

    def feed_states(self, chosen: FeedFilter) -> Mapping[FeedState, int]:
        return self._db.read(partial(feed_lists.count_states, chosen=chosen))

    def failing_feeds(self, *, least: int) -> Mapping[str, Mapping[LeadState, int]]:
        return self._db.read(partial(feed_lists.failing_feeds, least=least))

    def items_per_day(
        self, feed_urls: Sequence[str], *, since: datetime, until: datetime
    ) -> Mapping[str, Mapping[date, int]]:
        count = partial(feed_lists.items_per_day, feed_urls=feed_urls, since=since, until=until)
        return self._db.read(count)

    def observed(
        self, feed_urls: Sequence[str], *, limit: int
    ) -> Mapping[str, Mapping[ObservationAbout, tuple[float, ...]]]:
        find = partial(feed_lists.observed_values, feed_urls=feed_urls, limit=limit)
        return self._db.read(find)

    def problem_counts(self, *, since: datetime) -> Mapping[ProblemKind, int]:
        return self._db.read(partial(events_table.count_problems, since=since))

    def lanes(self, *, now: datetime, limit: int) -> tuple[LaneRecord, ...]:
        return self._db.read(partial(listing.busy_hosts, now=now, limit=limit))

    def lane_counts(self, *, now: datetime) -> LaneCounts:
        return self._db.read(partial(listing.count_busy, now=now))

    def day_counts(self, at: datetime) -> Mapping[str, int]:
        return self._db.read(lambda conn: listing.counts_of_day(conn, at))

    def arrivals(self, *, since: datetime) -> Mapping[datetime, int]:
        return self._db.read(partial(articles_table.arrivals, since=since))

    def newest_events(self, kind: str, *, limit: int) -> tuple[Event, ...]:
        return self._db.read(partial(events_table.newest_events, kind=kind, limit=limit))

    def last_event(self) -> int:
        return self._db.read(events_table.last_event)

    def size_on_disk(self) -> int:
        return self._db.read(size_on_disk)
