"""Rates, durations and days in words that stand in a table. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from wireroom.settings.durations import format_duration

_COARSE: Final = (  # from how much on which unit is fine enough
    (timedelta(days=2), timedelta(days=1)),
    (timedelta(hours=10), timedelta(hours=1)),
    (timedelta(minutes=10), timedelta(minutes=1)),
    (timedelta(), timedelta(seconds=1)),
)
_UNITS: Final = (("an hour", 1 / 24, 48.0), ("a day", 1.0, 0.93), ("a week", 7.0, 0.13))


def duration_words(duration: timedelta) -> str:
    """The duration as a person would say it: no seconds behind hours."""
    for least, unit in _COARSE:
        if duration >= least:
            return format_duration(round(duration / unit) * unit)
    return format_duration(timedelta())


def rate_words(per_day: float) -> str:
    """A rate in the unit in which it is a small whole number: "12 a day"."""
    for unit, days, least in _UNITS:
        if per_day >= least:
            return f"{max(1, round(per_day * days))} {unit}"
    return f"{max(1, round(per_day * 30))} a month"


def comma_words(text: str) -> tuple[str, ...]:
    """What stands between commas, in lower case and each once: a feed may be of several regions."""
    words = (word.strip().casefold() for word in text.split(","))
    return tuple(dict.fromkeys(word for word in words if word))


def day_words(at: datetime) -> str:
    """A day and the time of it."""
    return f"{at:%Y-%m-%d %H:%M} UTC"
