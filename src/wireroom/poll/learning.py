"""What a poll teaches of a feed's rhythm. Pure.

The dates of the items say it best. A busy feed holds only its last hours: its weekdays and hours are
gathered from poll to poll. Where items have no dates, the moments at which we found something new stand for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from math import sqrt
from typing import Final

from wireroom.model import Feed, Item, Rhythm
from wireroom.poll.week_profile import knows_weekdays, zone_of
from wireroom.rhythm import Confidence, measure_rhythm

DATED: Final = 0.5  # of the items; with fewer, their dates tell of fewer items than there are
DAY: Final = timedelta(days=1)
NO_TIME: Final = timedelta()
LEAST: Final = timedelta(minutes=1)  # between two items, where dates in the future say less
MEMORY: Final = timedelta(days=28)  # of hours and weekdays: some of each
RATE_MEMORY: Final = timedelta(
    days=7
)  # of the rate: a week, so that weekends weigh what they weigh
MOST_COUNTED: Final = 4_000  # items in the hours and weekdays; beyond it all are halved
_NINETY: Final = 1.645  # standard deviations that hold 90 % of a normal distribution

_SITEMAPS: Final = frozenset({"sitemap", "news_sitemap"})


def learn_rhythm(
    feed: Feed, items: Sequence[Item], fresh: Sequence[Item], *, now: datetime
) -> Rhythm | None:
    """The rhythm after an answer with these items, of which some are new.

    A document without anything new teaches nothing: the silence since would only thin out the rhythm
    that it is measured by.
    """
    if feed.rhythm is not None and not fresh:
        return feed.rhythm
    measured = _from_dates(feed, items, now)
    if measured is None:
        unseen = _unseen(feed, now) if len(fresh) == len(items) else NO_TIME
        return _from_polls(feed, len(fresh), now - unseen, now=now)
    if feed.rhythm is None or knows_weekdays(measured):
        return measured
    unseen = _unseen(feed, measured.newest_at - measured.span) if measured.newest_at else NO_TIME
    dates = [at for item in fresh if (at := _date(item))]
    return _gathered(feed.rhythm, measured, dates, zone_of(feed), unseen)


def _unseen(feed: Feed, oldest: datetime) -> timedelta:
    """How long nobody looked before the oldest item of the document: what came and went then is unknown.

    A day does not count: that long we leave a feed alone of our own will, and know what we miss.
    """
    known_at = feed.standing.new_at if feed.failures else feed.standing.polled_at
    return max(oldest - known_at - DAY, NO_TIME) if known_at is not None else NO_TIME


def _date(item: Item) -> datetime | None:
    return item.published_at or item.updated_at


def _from_dates(feed: Feed, items: Sequence[Item], now: datetime) -> Rhythm | None:
    published = [item.published_at for item in items if item.published_at]
    changed = [at for item in items if (at := _date(item))]
    source = "sitemap" if feed.kind in _SITEMAPS else "feed"
    for dates, name in ((published, source), (changed, f"{source}, modified")):
        if not dates or len(dates) < DATED * len(items):
            continue
        cadence = measure_rhythm(
            dates, now=now, source=name, zone=zone_of(feed), zone_known=bool(feed.hints.zone)
        )
        if cadence is not None:
            return cadence.rhythm
    return None


def _gathered(
    held: Rhythm, measured: Rhythm, dates: Sequence[datetime], zone: tzinfo, unseen: timedelta
) -> Rhythm:
    """What was just measured, with the rate, the hours and the weekdays of all that was seen before.

    A short document is measured just after something came: its own rate swings by half to both sides.
    """
    newest, before = measured.newest_at, held.newest_at
    if newest is None or before is None or newest <= before:
        return measured
    later = sum(at > before for at in dates)
    took = max(newest - before - unseen, LEAST)
    local = [at.astimezone(zone) for at in dates]
    return replace(
        _continued(held, later, took, source=measured.source),
        span=min(max(measured.span, newest - (before - held.span) - unseen), MEMORY),
        weekday=_added(held.weekday, [at.weekday() for at in local]),
        hour=_added(held.hour, [at.hour for at in local]),
        newest_at=newest,
    )


def _from_polls(feed: Feed, found: int, until: datetime, *, now: datetime) -> Rhythm | None:
    """The rhythm by the moments at which something new was found; None before the second of them.

    What was found came between the last such moment and `until`.
    """
    since, held = feed.standing.new_at, feed.rhythm
    if not found or since is None or until <= since:
        return held
    if held is None or held.source != "polls":
        held = _nothing(since)
    local = now.astimezone(zone_of(feed))
    return replace(
        _continued(held, found, until - since, source="polls"),
        span=min(held.span + (until - since), MEMORY),
        weekday=_added(held.weekday, [local.weekday()] * found),
        hour=_added(held.hour, [local.hour] * found),
        newest_at=now,
    )


def _nothing(newest_at: datetime) -> Rhythm:
    return Rhythm(
        per_day=0.0,
        low=0.0,
        high=0.0,
        confidence="low",
        sample_size=0,
        span=timedelta(),
        source="polls",
        newest_at=newest_at,
    )


def _continued(held: Rhythm, found: int, took: timedelta, *, source: str) -> Rhythm:
    """The rate after so many more items in such a time; what lies weeks back counts ever less."""
    weight = min(held.span, RATE_MEMORY)
    count = held.per_day * (weight / DAY) + found
    per_day = count / ((weight + took) / DAY)
    width = _NINETY / sqrt(max(count, 1.0))
    low, high = per_day * max(0.0, 1 - width), per_day * (1 + width)
    sure: Confidence = (
        "low" if low <= 0 or high / low >= 3 else "medium" if high / low >= 1.5 else "high"
    )
    return replace(
        held,
        per_day=per_day,
        low=low,
        high=high,
        confidence=sure,
        sample_size=held.sample_size + found,
        source=source,
        dormant=False,
    )


def _added(counts: Sequence[int], places: Sequence[int]) -> tuple[int, ...]:
    """The counts with one more at each of these places; halved when they have grown too large."""
    grown = list(counts)
    for place in places:
        grown[place] += 1
    if sum(grown) > MOST_COUNTED:
        return tuple(count // 2 for count in grown)
    return tuple(grown)
