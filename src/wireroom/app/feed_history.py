"""Feeds as a page shows them: state and reason, thirty days with what was to be expected, last new, next poll, quality, rights.

All of it for many feeds at once: a page of fifty takes as many queries as one feed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final

from wireroom.app.feeds import FeedHealth, FeedStats, giving_nothing, pages_words
from wireroom.app.list_cursor import read_cursor, write_cursor
from wireroom.app.waiting import QueueState, Wait, feed_wait, hosts_state
from wireroom.dates.durations import rate_words
from wireroom.model import Feed, FeedState, ObservationAbout, Use, Word
from wireroom.poll.reliability import OBSERVATIONS_COUNTED, Breakdown, breakdown_of
from wireroom.poll.week_profile import Band, expected_band, share_of, zone_of
from wireroom.ports import FeedCount
from wireroom.ports import FeedFilter as FeedFilter
from wireroom.ports import FeedListOrder as FeedListOrder

if TYPE_CHECKING:
    from wireroom.app.application import App

DAYS: Final = 30
PAGE: Final = 50
MOST: Final = 200  # feeds of one page
MOST_FAILING: Final = 10_000  # feeds of whose pages nothing comes that are listed
NO_FEED: Final = ("",)  # an address that none has


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedDay:
    """What came out on one day, in UTC, and what was to be expected by the feed's rhythm."""

    day: date
    items: int
    low: int | None = None
    expected: float | None = None
    high: int | None = None
    """None where the rhythm is not known, and of days before its items are known whole; of today only up to now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedHistory:
    """One feed with its last days."""

    feed: Feed
    health: FeedHealth
    reason: str
    """Why it is in that state, in words; empty where nothing is wrong."""
    days: tuple[FeedDay, ...]
    """The oldest first, today last."""
    rhythm: str = ""
    """In words; empty where it is not known."""
    newest_at: datetime | None = None
    """When its newest item was published, by its own date; None where none is dated."""
    new_at: datetime | None = None
    """When it last brought something new to us."""
    polled_at: datetime | None = None
    wait: Wait | None = None
    """What it waits for and until when; None for one that is never polled again by itself."""
    because: str = ""
    """Why it is polled then."""
    failures: int = 0
    """Polls in a row that failed."""
    reliability: float | None = None
    """None where nothing is known of it yet."""
    parts: Breakdown | None = None
    """What the reliability is made of; its quality is that of what the pages gave."""
    quality: float | None = None
    """Of what its pages gave; None where none was read."""
    count: FeedCount = field(default_factory=FeedCount)
    copies: float | None = None
    """The share of articles that are near-duplicates of others; None without articles."""
    paywalled: float | None = None
    rights: Mapping[Use, Word] = field(default_factory=dict)
    """By the last scout of its publisher; empty where there was none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedList:
    """One page of feeds."""

    rows: tuple[FeedHistory, ...]
    next: str
    """The cursor of the next page; empty when there is none."""
    total: int
    """How many match, exactly."""
    states: Mapping[FeedState, int]
    """How many match in each state, whichever states are asked for."""
    giving_nothing: Mapping[FeedHealth, int] = field(default_factory=dict)
    """Of the live ones: those of whose pages nothing comes, by how that is."""


def feed_list(
    app: App,
    chosen: FeedFilter | None = None,
    *,
    health: FeedHealth | None = None,
    order: FeedListOrder = "publisher",
    reverse: bool = False,
    cursor: str = "",
    limit: int = PAGE,
    days: int = DAYS,
) -> FeedList:
    """Feeds that match, in order; QueryError for a cursor of another list. With `health` those that do so."""
    chosen = chosen or FeedFilter()
    nothing = {each: tuple(urls)[:MOST_FAILING] for each, urls in giving_nothing(app)[0].items()}
    wanted = _in_health(chosen, health, nothing)
    name = f"{'-' if reverse else ''}{order}"
    after = read_cursor(cursor, name, str if order == "publisher" else int)
    page = app.store.overview.feeds(
        wanted, order=order, reverse=reverse, after=after, limit=max(1, min(limit, MOST))
    )
    states = app.store.overview.feed_states(chosen)
    matching = states if not wanted.urls else app.store.overview.feed_states(wanted)
    return FeedList(
        rows=feed_histories(app, page.feeds, days=days),
        next=write_cursor(name, page.after),
        total=sum(matching.get(state, 0) for state in wanted.states or matching),
        states=states,
        giving_nothing={each: _count(app, chosen, urls) for each, urls in nothing.items()},
    )


def _count(app: App, chosen: FeedFilter, urls: tuple[str, ...]) -> int:
    """How many of these match."""
    if chosen == FeedFilter():
        return len(urls)
    return app.store.overview.feed_states(replace(chosen, urls=urls)).get("live", 0)


def _in_health(
    chosen: FeedFilter, health: FeedHealth | None, nothing: Mapping[FeedHealth, tuple[str, ...]]
) -> FeedFilter:
    """The filter narrowed to feeds that do so: by their state, or by name where it is told from their pages."""
    if health is None:
        return chosen
    if health != "failing" and health != "refused":
        return replace(chosen, states=(health,))
    return replace(chosen, states=("live",), urls=nothing.get(health) or NO_FEED)


def feed_history(app: App, url: str, *, days: int = DAYS) -> FeedHistory | None:
    """The feed at this address, or the one that has moved away from it; None where nobody follows it."""
    feed = app.store.feed(url, moved=True)
    return None if feed is None else feed_histories(app, [feed], days=days)[0]


def feed_histories(app: App, feeds: Sequence[Feed], *, days: int = DAYS) -> tuple[FeedHistory, ...]:
    """These feeds with their last days, in their order."""
    now, urls = app.clock(), [feed.url for feed in feeds]
    first = now.astimezone(UTC).date() - timedelta(days=days - 1)
    end = _midnight(first + timedelta(days=days))
    items = app.store.overview.items_per_day(urls, since=_midnight(first), until=end)
    observed = app.store.overview.observed(urls, limit=OBSERVATIONS_COUNTED)
    publishers = app.store.overview.publishers_named(sorted({feed.publisher for feed in feeds}))
    rights = {
        domain: record.summary.verdicts
        for domain, record in publishers.items()
        if record.summary is not None
    }
    bulk = _Bulk(
        now=now,
        days=[first + timedelta(days=place) for place in range(days)],
        items=items,
        observed=observed,
        counts=app.store.feed_tallies(urls, until=now),
        rights=rights,
        queue=hosts_state(app, urls),
    )
    return tuple(_history(feed, bulk) for feed in feeds)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bulk:
    """What was read for all feeds of a page."""

    now: datetime
    days: Sequence[date]
    items: Mapping[str, Mapping[date, int]]
    observed: Mapping[str, Mapping[ObservationAbout, Sequence[float]]]
    counts: Mapping[str, FeedCount]
    rights: Mapping[str, Mapping[Use, Word]]
    queue: QueueState


def _history(feed: Feed, bulk: _Bulk) -> FeedHistory:
    count = bulk.counts.get(feed.url, FeedCount())
    values = bulk.observed.get(feed.url)
    parts = breakdown_of(values) if values else None
    observed = parts.total if parts is not None else feed.reliability
    stats = FeedStats(feed=feed, count=count, observed=observed)
    is_live_in_trouble = stats.health != feed.state
    return FeedHistory(
        feed=feed,
        health=stats.health,
        reason=pages_words(count) if is_live_in_trouble else feed.standing.reason,
        days=tuple(_days(feed, bulk, count.oldest_at)),
        rhythm=rate_words(feed.rhythm.per_day) if feed.rhythm is not None else "",
        newest_at=count.newest_at,
        new_at=feed.standing.new_at,
        polled_at=feed.standing.polled_at,
        wait=feed_wait(feed, bulk.queue),
        because=feed.standing.because,
        failures=feed.failures,
        reliability=stats.reliability,
        parts=parts,
        quality=parts.quality if values and values.get("quality") and parts else None,
        count=count,
        copies=_share(count.duplicates, count.articles),
        paywalled=_share(count.paywalled, count.articles),
        rights=bulk.rights.get(feed.publisher, {}),
    )


def _days(feed: Feed, bulk: _Bulk, oldest_at: datetime | None) -> Iterator[FeedDay]:
    """The days; nothing is expected of one that is not known whole: a feed names its last items alone."""
    items, bands = bulk.items.get(feed.url, {}), _Bands(feed, bulk.now)
    first = oldest_at.astimezone(UTC).date() if oldest_at is not None else bulk.now.date()
    for day in bulk.days:
        band, count = bands.of(day) if day > first else None, items.get(day, 0)
        if band is None:
            yield FeedDay(day=day, items=count)
        else:
            yield FeedDay(
                day=day, items=count, low=band.low, expected=band.expected, high=band.high
            )


class _Bands:
    """What is to be expected of one feed; the same for the same weekday, so that it is worked out seven times."""

    def __init__(self, feed: Feed, now: datetime) -> None:
        self._rhythm, self._zone, self._now = feed.rhythm, zone_of(feed), now
        self._known: dict[int, Band] = {}

    def of(self, day: date) -> Band | None:
        """The band of a day; None where the rhythm is not known."""
        rhythm, start = self._rhythm, _midnight(day)
        if rhythm is None:
            return None
        end = start + timedelta(days=1)
        if end > self._now:
            return expected_band(rhythm, share_of(rhythm, start, self._now, zone=self._zone))
        if day.weekday() not in self._known:
            share = share_of(rhythm, start, end, zone=self._zone)
            self._known[day.weekday()] = expected_band(rhythm, share)
        return self._known[day.weekday()]


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)


def _share(count: int, of: int) -> float | None:
    return round(count / of, 4) if of else None
