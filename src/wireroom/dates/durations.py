"""Durations as people write them: "15 min", "1h30m", "2 days", "PT1H"; and durations and rates in words.

Pure. A bare number has no unit and is refused, except zero.
"""

from __future__ import annotations

import re
from datetime import timedelta
from fractions import Fraction
from typing import Final

EXAMPLES = 'a duration such as "15 min", "2h", "1 h 30 min", "7 days" or "PT1H"'
LONGEST = timedelta(days=3653)  # ten years; whoever writes more has slipped in the unit
MAX_TEXT = 64  # the longest sensible spelling has half of that

_SECOND = 1_000_000  # microseconds, what `timedelta` counts in
_UNITS: dict[str, int] = {
    unit: size
    for size, spellings in {
        1: "us µs microsecond microseconds",
        1_000: "ms millisecond milliseconds",
        _SECOND: "s sec secs second seconds",
        60 * _SECOND: "m min mins minute minutes",
        3_600 * _SECOND: "h hr hrs hour hours",
        86_400 * _SECOND: "d day days",
        7 * 86_400 * _SECOND: "w week weeks",
    }.items()
    for unit in spellings.split()
}
_WRITTEN = (("day", "days"), ("h", "h"), ("min", "min"), ("s", "s"), ("ms", "ms"), ("us", "us"))

# Each piece is anchored where the last one ended, so that nothing is tried twice.
_PIECE = re.compile(r"\s*+(?:(?:,|and\b)\s*+)?([0-9]{1,15}(?:\.[0-9]{1,9})?)\s*([a-zµ]+)")
_ISO = re.compile(
    r"p(?:(?P<w>{n})w)?(?:(?P<d>{n})d)?(?:t(?:(?P<h>{n})h)?(?:(?P<m>{n})m)?(?:(?P<s>{n})s)?)?".format(
        n=r"[0-9]{1,15}(?:[.,][0-9]{1,9})?"
    )
)


def read_duration(text: str) -> timedelta:
    """The duration a person wrote; ValueError says what was expected."""
    if len(text) > MAX_TEXT:
        raise ValueError(f"expected {EXAMPLES}")
    plain = text.strip().lower()
    if plain == "0":
        return timedelta()
    pieces = _iso_pieces(plain) if plain.startswith("p") else _spoken_pieces(plain)
    if not pieces:
        raise ValueError(f"expected {EXAMPLES}")
    total = sum((Fraction(number) * _UNITS[unit] for number, unit in pieces), Fraction())
    if total > LONGEST // timedelta(microseconds=1):
        raise ValueError(f"expected at most {LONGEST.days} days")
    return timedelta(microseconds=round(total))


def format_duration(duration: timedelta) -> str:
    """The duration in words that `read_duration` reads back unchanged."""
    if not duration:
        return "0 s"
    rest = duration // timedelta(microseconds=1)
    words = []
    for singular, plural in _WRITTEN:
        count, rest = divmod(rest, _UNITS[singular])
        if count:
            words.append(f"{count} {singular if count == 1 else plural}")
    return " ".join(words)


def _spoken_pieces(text: str) -> list[tuple[str, str]]:
    """Number and unit of each piece; nothing when any part of the text is left over."""
    pieces: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        piece = _PIECE.match(text, at)
        if piece is None or piece[2] not in _UNITS:
            return []
        pieces.append((piece[1], piece[2]))
        at = piece.end()
    return pieces


def _iso_pieces(text: str) -> list[tuple[str, str]]:
    """Number and unit of each piece of an ISO 8601 duration; years and months have no fixed length."""
    found = _ISO.fullmatch(text)
    if found is None or text.endswith("t"):
        return []
    return [
        (number.replace(",", "."), unit) for unit, number in found.groupdict().items() if number
    ]


# In words, as they stand in a table or a sentence.

_COARSE: Final = (  # from how much on which unit is fine enough
    (timedelta(days=2), timedelta(days=1)),
    (timedelta(hours=10), timedelta(hours=1)),
    (timedelta(minutes=10), timedelta(minutes=1)),
    (timedelta(), timedelta(seconds=1)),
)
_RATES: Final = (("an hour", 1 / 24, 48.0), ("a day", 1.0, 0.93), ("a week", 7.0, 0.13))


def duration_words(duration: timedelta) -> str:
    """The duration as a person would say it: no seconds behind hours."""
    for least, unit in _COARSE:
        if duration >= least:
            return format_duration(round(duration / unit) * unit)
    return format_duration(timedelta())


def rate_words(per_day: float) -> str:
    """A rate in the unit in which it is a small whole number: "12 a day"."""
    for unit, days, least in _RATES:
        if per_day >= least:
            return f"{max(1, round(per_day * days))} {unit}"
    return f"{max(1, round(per_day * 30))} a month"
