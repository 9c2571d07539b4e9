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
from wireroom.poll.profile import knows_weekdays, zone_of
from wireroom.rhythm import measure_rhythm

__all__ = ["learn_rhythm"]

DATED: Final = 0.5  # of the items; with fewer, their dates tell of fewer items than there are
MEMORY: Final = timedelta(days=28)  # what lies further back no longer counts
MOST_COUNTED: Final = 4_000  # items in the hours and weekdays; beyond it all are halved
SURE_COUNT: Final = 30  # items found new after which their rate is no guess any more
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
        return _from_polls(feed, len(fresh), now)
    if feed.rhythm is None or knows_weekdays(measured):
        return measured
    return _gathered(feed.rhythm, measured, [_date(item) for item in fresh], zone_of(feed))


def _date(item: Item) -> datetime | None:
    return item.published_at or item.updated_at


def _from_dates(feed: Feed, items: Sequence[Item], now: datetime) -> Rhythm | None:
    published = [item.published_at for item in items if item.published_at]
    changed = [at for item in items if (at := _date(item))]
    source = "sitemap" if feed.kind in _SITEMAPS else "feed"
    for dates, told in ((published, source), (changed, f"{source}, modified")):
        if not dates or len(dates) < DATED * len(items):
            continue
        cadence = measure_rhythm(
            dates, now=now, source=told, zone=zone_of(feed), zone_known=bool(feed.hints.zone)
        )
        if cadence is not None:
            return cadence.rhythm
    return None


def _gathered(
    held: Rhythm, measured: Rhythm, fresh: Sequence[datetime | None], zone: tzinfo
) -> Rhythm:
    """What was just measured, with the hours and weekdays of all that was seen before."""
    dates = [at.astimezone(zone) for at in fresh if at is not None]
    newest, oldest = measured.newest_at, held.newest_at
    span = measured.span
    if newest is not None and oldest is not None:
        span = max(span, newest - (oldest - held.span))
    return replace(
        measured,
        span=min(span, MEMORY),
        weekday=_added(held.weekday, [at.weekday() for at in dates]),
        hour=_added(held.hour, [at.hour for at in dates]),
    )


def _from_polls(feed: Feed, found: int, now: datetime) -> Rhythm | None:
    """The rhythm by the moments at which something new was found; None before the second of them."""
    since = feed.standing.new_at
    if not found or since is None or now <= since:
        return feed.rhythm
    held = feed.rhythm
    weight = min(held.span, MEMORY) if held is not None and held.source == "polls" else timedelta()
    before = held.per_day * (weight / timedelta(days=1)) if held is not None else 0.0
    span = weight + (now - since)
    count = before + found
    per_day = count / (span / timedelta(days=1))
    width = _NINETY / sqrt(count)
    local = now.astimezone(zone_of(feed))
    return Rhythm(
        per_day=per_day,
        low=per_day * max(0.0, 1 - width),
        high=per_day * (1 + width),
        confidence="medium" if count >= SURE_COUNT else "low",
        sample_size=round(count),
        span=span,
        source="polls",
        weekday=_added(held.weekday if held else (0,) * 7, [local.weekday()] * found),
        hour=_added(held.hour if held else (0,) * 24, [local.hour] * found),
        newest_at=now,
    )


def _added(counts: Sequence[int], places: Sequence[int]) -> tuple[int, ...]:
    """The counts with one more at each of these places; halved when they have grown too large."""
    grown = list(counts)
    for place in places:
        grown[place] += 1
    if sum(grown) > MOST_COUNTED:
        return tuple(count // 2 for count in grown)
    return tuple(grown)
