"""Moments as people type them for "since" and "until": `1d`, `24 h`, `yesterday`, `monday`, `09:30`, `2026-05`, ISO.

Pure: "now" and the zone in which the reader lives are arguments. A day, a month and a year begin at midnight by the
reader's clock. What has no reader's clock (`2026-05-03T14:30Z`, `1d`) is the same everywhere.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final, Literal, NamedTuple

from wireroom.dates.durations import read_duration

TypedPrecision = Literal["year", "month", "day", "minute"]

EXAMPLES: Final = (
    "1d, 24 h, yesterday, monday, 09:30, 2026, 2026-05, 2026-05-03 or 2026-05-03T14:30Z"
)
MAX_LENGTH: Final = 64  # characters; no moment is written with more

_CLOCK = r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?"
_DATE = re.compile(
    rf"(\d{{4}})(?:-(\d{{1,2}})(?:-(\d{{1,2}})(?:[Tt ]{_CLOCK} ?([Zz]|[+-]\d{{2}}:?\d{{2}})?)?)?)?",
    re.ASCII,
)
_TIME_OF_DAY = re.compile(_CLOCK, re.ASCII)
_AGO = re.compile(r"(?:last |past )?(.+?)(?: ago)?", re.DOTALL)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY = timedelta(days=1)
_INSTANT = timedelta(microseconds=1)


class TypedMoment(NamedTuple):
    """A stretch of time that was named: an instant has the same beginning and end."""

    begin: datetime
    """Aware, UTC."""
    end: datetime
    """Its last moment: `2026-05` ends with the last microsecond of May."""
    precision: TypedPrecision


def read_moment(text: str, *, now: datetime | None, zone: tzinfo = UTC) -> TypedMoment:
    """The moment a person typed; ValueError says what was expected.

    Without `now` what counts from it is refused: whoever has no clock must not guess.
    """
    plain = " ".join(text.split()).lower()
    if not plain or len(plain) > MAX_LENGTH or not plain.isascii():
        raise ValueError(f"expected {EXAMPLES}")
    try:
        dated = _dated(plain, zone)
        return dated if dated is not None else _counted(plain, now, zone)
    except (ValueError, OverflowError) as exc:  # 2026-02-30; the year 0; 0001-01-01 east of UTC
        raise ValueError(f"expected {EXAMPLES}") from exc


def _dated(text: str, zone: tzinfo) -> TypedMoment | None:
    """A date of the calendar, with a time of day or without."""
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, part, offset = match.groups()
    local = datetime(int(year), int(month or 1), int(day or 1), tzinfo=zone)
    if hour is not None:
        clock = _at_clock(local, hour, minute, second, part)
        return _instant(clock if offset is None else clock.replace(tzinfo=_offset(offset)))
    if day is not None:
        return _stretch(local, _later_day(local, 1), "day")
    if month is not None:
        following = local.replace(day=28) + timedelta(days=4)
        return _stretch(local, following.replace(day=1), "month")
    return _stretch(local, local.replace(year=local.year + 1), "year")


def _counted(text: str, now: datetime | None, zone: tzinfo) -> TypedMoment:
    """What counts from now: words for days, a time of today, a length of time that has passed."""
    if now is None:
        raise ValueError(text)
    if text == "now":
        return _instant(now)
    midnight = now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    back = _days_back(text, midnight)
    if back is not None:
        return _stretch(_later_day(midnight, -back), _later_day(midnight, 1 - back), "day")
    if match := _TIME_OF_DAY.fullmatch(text):
        return _instant(_at_clock(midnight, *match.groups()))
    passed = _AGO.fullmatch(text)
    return _instant(now - read_duration(passed[1] if passed else text))


def _days_back(text: str, midnight: datetime) -> int | None:
    """How many days ago the named day was; a weekday is the last of its name, today included."""
    if text in ("today", "yesterday"):
        return int(text == "yesterday")
    name = text.removeprefix("last ")
    found = [day for day, full in enumerate(_WEEKDAYS) if name in (full, full[:3])]
    if not found:
        return None
    back = (midnight.weekday() - found[0]) % 7
    return back or 7 if text.startswith("last ") else back


def _at_clock(
    day: datetime, hour: str, minute: str, second: str | None, part: str | None
) -> datetime:
    micros = int((part or "0").ljust(6, "0"))
    return day.replace(
        hour=int(hour), minute=int(minute), second=int(second or 0), microsecond=micros
    )


def _offset(text: str) -> tzinfo:
    if text in ("z", "Z"):
        return UTC
    at = datetime.strptime(text.replace(":", ""), "%z")
    return at.tzinfo or UTC


def _later_day(midnight: datetime, days: int) -> datetime:
    """Midnight so many days later by the wall clock: a day may have 23 or 25 hours."""
    return (midnight.replace(tzinfo=None) + days * _DAY).replace(tzinfo=midnight.tzinfo)


def _instant(at: datetime) -> TypedMoment:
    moment = at.astimezone(UTC)
    return TypedMoment(moment, moment, "minute")


def _stretch(begin: datetime, following: datetime, precision: TypedPrecision) -> TypedMoment:
    return TypedMoment(begin.astimezone(UTC), following.astimezone(UTC) - _INSTANT, precision)
