"""Dates as standards write them: ISO 8601 and W3C, RFC 822, and counts of seconds.

Nearly every date in a feed, a sitemap or a page's metadata is one of these, so each takes one
regular expression over the whole text. What fits none is left to `prose`.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from wireroom.dates.moment import BY_UTC, FIRST_YEAR, Clock, Moment, Precision, local_time, placed
from wireroom.dates.zones import MAX_OFFSET, clock_by_name, clock_by_offset

_FULL_ISO = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:Z|[+-]\d\d:?[0-5]\d)", re.ASCII)
_ISO = re.compile(
    r"(\d{4})(?:-(\d\d?)(?:-(\d\d?)(?:[Tt _] ?(\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?)?"
    r" ?(?:([Zz]|UTC|GMT)|([+-])(\d\d):?(\d\d)?)?)?)?",
    re.ASCII,
)
_WEEK = re.compile(r"(\d{4})-?W(\d\d)(?:-?([1-7]))?", re.ASCII)
_COMPACT = re.compile(
    r"(\d{4})(\d\d)(\d\d)(?:T?(\d\d)(\d\d)(\d\d)?(?:\.\d+)?(?:(Z)|([+-])(\d\d):?(\d\d)?)?)?",
    re.ASCII,
)
_RFC_822 = re.compile(
    r"(?:[A-Za-z]{3,9}\.?,? *)?(\d\d?)[ -]([A-Za-z]{3})[a-z]*[ -](\d{4}) +(\d\d?):(\d\d)(?::(\d\d))?"
    r" *(?:(Z|GMT|UTC|UT)|([+-])(\d\d):?(\d\d)|([A-Z]{2,5}))?(?: *\([A-Z]{2,5}\))?",
    re.ASCII,
)
_COUNT = re.compile(r"(\d{9,19})(?:\.\d+)?", re.ASCII)
_ENGLISH = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: number for number, name in enumerate(_ENGLISH, 1)}
_MONTH_DIGITS = {name.title(): f"{number:02}" for name, number in _MONTHS.items()}
# Counts since 1970 by their number of digits today: seconds, and thousandths of them, and so on.
_UNITS = {9: 1, 10: 1, 12: 10**3, 13: 10**3, 15: 10**6, 16: 10**6, 18: 10**9, 19: 10**9}
_ISO_SIGNS = frozenset({"T::Z", "T::+", "T::-", "T::."})  # every third from the tenth on
_DIGITS = "0123456789"
_USUAL_LENGTHS = frozenset({20, 24, 25})  # with Z, +0100 and +01:00
_NO_OFFSET = timedelta()
_NO_AHEAD = frozenset({"GMT", "+0000"})
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read_usual(text: str) -> datetime | None:
    """The instant of a full date in the one spelling of RFC 822 or of ISO 8601 that nearly all have."""
    usual = _usual_iso(text) if text[10:20:3] in _ISO_SIGNS else _usual_rfc822(text)
    if len(usual) not in _USUAL_LENGTHS:
        return None
    try:
        local = datetime.fromisoformat(usual)
        at = local if local.tzinfo is UTC else _by_utc(local)
    except (ValueError, OverflowError):
        return None
    return at if local.year >= FIRST_YEAR else None


def read_iso(text: str, hint: Clock) -> Moment | None:
    """The moment of `2026-02-17T10:00:00+01:00` and of every shorter form down to `2026`."""
    if _FULL_ISO.fullmatch(text) and (moment := _full_iso(text)):
        return moment
    match = _ISO.fullmatch(text)
    return _numeric(match, hint) if match else None


def read_compact(text: str, hint: Clock) -> Moment | None:
    """The moment of `20260217T100000Z`, `202602171000` or `20260217`."""
    match = _COMPACT.fullmatch(text)
    return _numeric(match, hint) if match else None


def read_rfc822(text: str, hint: Clock) -> Moment | None:
    """The moment of `Tue, 17 Feb 2026 10:00:00 +0100`, the weekday being as it may."""
    if (usual := _usual_rfc822(text)) and (moment := _full_iso(usual)):
        return moment
    match = _RFC_822.fullmatch(text)
    if match is None or (month := _MONTHS.get(match[2].lower())) is None:
        return None
    day, _, year, hour, minute, second, utc, sign, ahead, minutes, name = match.groups()
    clock: Clock | None = hint
    if utc:
        clock = BY_UTC
    elif sign:
        clock = clock_by_offset(sign, ahead, minutes)
    elif name:
        clock = clock_by_name(name, hint)
    if clock is None:
        return None
    local = local_time(int(year), month, int(day), hour, minute, second)
    return placed(local, "second" if second else "minute", clock)


def read_week(text: str, hint: Clock) -> Moment | None:
    """The moment of `2026-W08-2`; a week without a day is its Monday."""
    match = _WEEK.fullmatch(text)
    if match is None:
        return None
    try:
        day = date.fromisocalendar(int(match[1]), int(match[2]), int(match[3] or 1))
    except ValueError:
        return None
    return placed(local_time(day.year, day.month, day.day), "day", hint)


def read_count(text: str) -> Moment | None:
    """The moment of a count of seconds, or of thousandths, since 1970."""
    match = _COUNT.fullmatch(text)
    unit = _UNITS.get(len(match[1])) if match else None
    if match is None or unit is None:
        return None
    at = _EPOCH + timedelta(seconds=int(match[1]) // unit)
    return Moment(at, "second", at.date(), "offset", timedelta())


def _usual_iso(text: str) -> str:
    """`2026-02-17T10:00:00+01:00`, a fraction of the second left out; empty for an odd offset."""
    if text[19] == ".":
        fraction = text[20:]
        zone = fraction.lstrip(_DIGITS)
        text = text[:19] + zone if len(zone) < len(fraction) else ""
    return text if text[-1:] == "Z" or text[-2:-1] in "012345" else ""


def _by_utc(local: datetime) -> datetime | None:
    offset = local.utcoffset()
    return None if offset is None or abs(offset) > MAX_OFFSET else local.astimezone(UTC)


def _usual_rfc822(text: str) -> str:
    """`Tue, 17 Feb 2026 10:00:00 +0100` in the words of ISO 8601, taken by its columns; else empty."""
    if text[3:5] != ", " or text[7:12:4] != "  " or text[16:26:3] != " :: ":
        return ""
    zone = text[26:]
    if zone in _NO_AHEAD:
        zone = "Z"
    elif len(zone) != 5 or zone[0] not in "+-" or zone[3] not in "012345":
        return ""
    return f"{text[12:16]}-{_MONTH_DIGITS.get(text[8:11])}-{text[5:7]}T{text[17:25]}{zone}"


def _full_iso(text: str) -> Moment | None:
    """The usual form, read by Python itself, which takes a third of the time."""
    try:
        local = datetime.fromisoformat(text)
        at = local if local.tzinfo is UTC else local.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    if local.year < FIRST_YEAR:
        return None
    if at is local:
        return Moment(at, "second", local.date(), "offset", _NO_OFFSET)
    offset = local.utcoffset()
    if offset is None or abs(offset) > MAX_OFFSET:
        return None
    return Moment(at, "second", local.date(), "offset", offset)


def _numeric(match: re.Match[str], hint: Clock) -> Moment | None:
    year, month, day, hour, minute, second, utc, sign, ahead, minutes = match.groups()
    clock: Clock | None = hint
    if utc:
        clock = BY_UTC
    elif sign:
        clock = clock_by_offset(sign, ahead, minutes)
    if clock is None:
        return None
    local = local_time(int(year), int(month or 1), int(day or 1), hour, minute, second)
    return placed(local, _precision(month, day, hour, second), clock)


def _precision(
    month: str | None, day: str | None, hour: str | None, second: str | None
) -> Precision:
    if hour is not None:
        return "minute" if second is None else "second"
    if day is not None:
        return "day"
    return "year" if month is None else "month"
