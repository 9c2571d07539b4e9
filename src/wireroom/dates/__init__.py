"""Dates: from any spelling met in feeds, pages and headers to a moment in UTC.

Pure: no clock ("3 hours ago" is read by `read_relative`, which is given the time), no network, no settings, and independent of the
machine's time zone. Nothing raises: what cannot be read with reason is None, never a guess.

`moment` says what a moment is, `standard` reads what standards write, `prose` what people write,
with the names that `months` and `zones` know, and `relative` what counts back from a time.
"""

from __future__ import annotations

from datetime import datetime

from wireroom.dates.moment import ASSUMED, Clock, Moment, Precision, ZoneSource
from wireroom.dates.standard import (
    read_compact,
    read_count,
    read_iso,
    read_rfc822,
    read_usual,
    read_week,
)
from wireroom.dates.zones import hinted_clock

__all__ = ["MAX_DATE_LENGTH", "Moment", "Precision", "ZoneSource", "read_date", "read_instant"]

MAX_DATE_LENGTH = 160  # a date with its label; of anything longer only the beginning is read


def read_date(
    text: str, *, zone: str = "", language: str = "", day_first: bool | None = None
) -> Moment | None:
    """The moment a text speaks of, or None.

    `zone` (IANA name, offset or abbreviation) counts where the text names none; without it UTC is
    assumed and the moment says so. `language`, a tag, decides what a month's name means and whether
    3/4 is in March (`en-US`) or April (elsewhere); `day_first` decides that by itself.
    """
    text = text[:MAX_DATE_LENGTH].strip()
    hint = hinted_clock(zone) if zone else ASSUMED
    moment = _by_standard(text, hint)
    if moment is not None or not text or text.isdigit():
        return moment
    from wireroom.dates.prose import read_prose  # most programs that read dates never need it

    return read_prose(text, hint, language, day_first)


def read_instant(text: str, *, language: str = "") -> datetime | None:
    """Only the instant of what `read_date` reads, for those who read thousands of dates."""
    usual = read_usual(text.strip())
    if usual is not None:
        return usual
    moment = read_date(text, language=language)
    return moment.at if moment is not None else None


def _by_standard(text: str, hint: Clock) -> Moment | None:
    if not text[:4].isdigit():
        return read_rfc822(text, hint)
    return (
        read_iso(text, hint)
        or read_compact(text, hint)
        or read_count(text)
        or read_week(text, hint)
    )
