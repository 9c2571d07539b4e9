"""A moment: when something happened, how exactly that is known, and by whose clock.

Knows nothing of spellings. All arithmetic is on naive local times and offsets, so that the time
zone of the machine cannot enter.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Literal, NamedTuple

Precision = Literal["year", "month", "day", "minute", "second"]
ZoneSource = Literal["offset", "name", "hint", "assumed"]

# The first full year of our calendar. Earlier ones are a database's nothing (0000, 0001) or years
# of another calendar: 1404 is Persian, 1447 Islamic.
FIRST_YEAR = 1583


class Moment(NamedTuple):
    """A point in time as it was read; a tuple, for a feed has hundreds and a sitemap thousands."""

    at: datetime
    """Aware, UTC. The beginning of the year, month or day where no more is known."""
    precision: Precision
    local_day: date
    """The day as it was written, by the clock of whoever wrote it."""
    zone_from: ZoneSource
    """Whether the zone was written as an offset or a name, given as a hint, or UTC for want of one."""
    offset: timedelta | None
    """How far that clock was ahead of UTC; None when it was assumed."""
    confidence: float = 1.0
    """Below 1 when the spelling has a second meaning, such as 03/04/2026."""


class Clock(NamedTuple):
    """Whose time is meant, how that is known, and how surely."""

    zone: tzinfo | timedelta | None
    source: ZoneSource
    confidence: float = 1.0


ASSUMED = Clock(None, "assumed")
BY_UTC = Clock(timedelta(), "offset")


def local_time(
    year: int,
    month: int,
    day: int,
    hour: str | None = None,
    minute: str | None = None,
    second: str | None = None,
) -> datetime | None:
    """The naive time, or None for a 30th of February or a 25th hour.

    24:00 is the beginning of the next day; a leap second counts as the one before it.
    """
    time = int(hour or 0), int(minute or 0), int(second or 0)
    try:
        if time == (24, 0, 0):
            return datetime(year, month, day) + timedelta(days=1)  # noqa: DTZ001 - local by intention
        if time[2] == 60:
            time = (*time[:2], 59)
        return datetime(year, month, day, *time)  # noqa: DTZ001 - local by intention
    except (ValueError, OverflowError):
        return None


def placed(
    local: datetime | None, precision: Precision, clock: Clock, confidence: float = 1.0
) -> Moment | None:
    """The moment of a naive local time, or None where it falls out of the calendar.

    A time that clocks skipped in spring is read by the clock before the change (02:30 in New York
    on 2026-03-08 is 07:30 UTC); one they showed twice in autumn is the first of the two.
    """
    if local is None or local.year < FIRST_YEAR:
        return None
    offset = clock.zone.utcoffset(local) if isinstance(clock.zone, tzinfo) else clock.zone
    try:
        at = (local - offset if offset else local).replace(tzinfo=UTC)
    except OverflowError:
        return None
    return Moment(at, precision, local.date(), clock.source, offset, confidence * clock.confidence)
