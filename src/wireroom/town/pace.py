"""When the articles of a publisher come out.

Pure. Article number `articles` is the newest when the town is built; higher numbers come out later,
so that a clock that is moved on brings news.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from datetime import datetime, timedelta

from wireroom.town.declaration import Pace

# How far ahead the town can write: a year of an hourly paper, with room to spare.
MAX_ARTICLES_TO_COME = 10_000

WORKDAYS = 5
OFFICE_OPENS = timedelta(hours=8)
OFFICE_HOURS = timedelta(hours=10)


def published_at(pace: Pace, *, age: int, start: datetime, salt: str) -> datetime:
    """When the article came out that is `age` places older than the newest one at the start."""
    start -= pace.silent_for
    if pace.kind == "batch":
        return _last_batch(pace, start) - (age // pace.batch) * pace.every
    if pace.kind == "office":
        return _office(pace, age, start)
    early = pace.every * (0.5 * _chance(f"{salt}:{age}"))
    return (start - age * pace.every - early).replace(microsecond=0)


def out_by(pace: Pace, *, now: datetime, start: datetime, articles: int, salt: str) -> int:
    """How many articles are out at this moment."""
    if pace.silent_for:
        return articles

    def when(number: int) -> datetime:
        return published_at(pace, age=articles - number, start=start, salt=salt)

    if now >= start:
        to_come = range(articles + 1, articles + 1 + MAX_ARTICLES_TO_COME)
        return articles + bisect_right(to_come, now, key=when)
    return bisect_right(range(1, articles + 1), now, key=when)


def _last_batch(pace: Pace, start: datetime) -> datetime:
    today = start.replace(hour=pace.hour, minute=0, second=0, microsecond=0)
    return today if today <= start else today - timedelta(days=1)


def _office(pace: Pace, age: int, start: datetime) -> datetime:
    days, slot = divmod(age, pace.batch)
    midnight = start.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=1)
    day = _workday(midnight, days)
    return day + OFFICE_OPENS + OFFICE_HOURS * ((pace.batch - slot) / (pace.batch + 1))


def _workday(day: datetime, back: int) -> datetime:
    """The working day so many working days before this day (or before the Friday it follows)."""
    last = min(day.weekday(), WORKDAYS - 1)
    monday = day - timedelta(days=day.weekday())
    weeks, place = divmod(last - back, WORKDAYS)
    return monday + timedelta(weeks=weeks, days=place)


def _chance(salt: str) -> float:
    """A number from 0 to 1 that belongs to the salt."""
    return zlib.crc32(salt.encode()) / 2**32
