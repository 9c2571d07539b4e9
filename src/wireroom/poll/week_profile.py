"""How a rhythm is spread over the week: how many items are to be expected from when to when.

Pure. A rate by the day says little about three in the morning: the weekdays and hours at which items came
out bend it. Where they were not watched for long enough, every hour counts the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, timezone, tzinfo
from math import exp, sqrt
from typing import Final

from wireroom.dates.zones import hinted_clock
from wireroom.model import Feed, Rhythm
from wireroom.rhythm import HOUR, WEEK

HOURS_KNOWN: Final = timedelta(days=2)  # a shorter look has seen some hours once and others never
WEEKDAYS_KNOWN: Final = timedelta(days=14)  # two of each: one quiet Sunday may have been chance


def zone_of(feed: Feed) -> tzinfo:
    """The clock of the feed's newsroom, as far as the operator has said it."""
    zone = hinted_clock(feed.hints.zone).zone if feed.hints.zone else UTC
    return timezone(zone) if isinstance(zone, timedelta) else zone or UTC


def knows_hours(rhythm: Rhythm) -> bool:
    """Whether its hours say more than which hours were looked at."""
    return rhythm.span >= HOURS_KNOWN


def knows_weekdays(rhythm: Rhythm) -> bool:
    """Whether each weekday was seen more than once."""
    return rhythm.span >= WEEKDAYS_KNOWN


@dataclass(frozen=True, slots=True)
class Profile:
    """A rate for every hour of the week; over a whole week it is the rate of the rhythm."""

    per_hour: float
    hours: tuple[float, ...]
    weekdays: tuple[float, ...]
    zone: tzinfo

    def expected(self, start: datetime, end: datetime) -> float:
        """How many items are to be expected between two moments."""
        if end <= start:
            return 0.0
        weeks = (end - start) // WEEK
        rest = sum(rate * (until - at) / HOUR for at, until, rate in self._hours(start + weeks * WEEK, end))  # fmt: skip
        return weeks * self.per_hour * (WEEK / HOUR) + rest

    def when(self, start: datetime, amount: float, *, latest: datetime) -> datetime:
        """The moment by which so many items are to be expected, if it comes before `latest`."""
        for at, until, rate in self._hours(start, latest):
            here = rate * (until - at) / HOUR
            if here >= amount and here > 0:
                return at + (until - at) * (amount / here)
            amount -= here
        return latest

    def _hours(self, start: datetime, end: datetime) -> Iterator[tuple[datetime, datetime, float]]:
        """The hours between two moments by the newsroom's clock, the first and the last in part."""
        at = start
        while at < end:
            local = at.astimezone(self.zone)
            begun = timedelta(
                minutes=local.minute, seconds=local.second, microseconds=local.microsecond
            )
            until = min(at + HOUR - begun, end)
            yield at, until, self.per_hour * self.hours[local.hour] * self.weekdays[local.weekday()]
            at = until


def profile_of(rhythm: Rhythm, *, per_day: float, zone: tzinfo, doubt: float) -> Profile:
    """The rhythm's profile at this rate.

    `doubt` is a number of items that are added to every hour and weekday: with none, an hour in which
    nothing was ever published has no chance at all; with one, even that hour may surprise.
    """
    return Profile(
        per_hour=per_day / 24,
        hours=_weights(rhythm.hour, 24, doubt if knows_hours(rhythm) else None),
        weekdays=_weights(rhythm.weekday, 7, doubt if knows_weekdays(rhythm) else None),
        zone=zone,
    )


def _weights(counts: Sequence[int], size: int, doubt: float | None) -> tuple[float, ...]:
    """How much more than the mean comes out in each; all the same where that is not known."""
    if doubt is None or len(counts) != size or sum(counts) <= 0:
        return (1.0,) * size
    total = sum(counts) + size * doubt
    return tuple((count + doubt) * size / total for count in counts)


# How many items are to be expected on a day, as a band: what the rate does not know, and what chance does.

CHANCE: Final = 0.05  # of days that fall below the band, and as many above it, if the rate is right
_FEW: Final = 50.0  # up to which chances are summed one by one; above it the bell curve is as good
_HALF: Final = 0.5
_BELL: Final = 1.645  # deviations of it within which nine of ten lie


@dataclass(frozen=True, slots=True)
class Band:
    """How many items are to be expected: in nine cases of ten between low and high."""

    low: int
    expected: float
    high: int


def share_of(rhythm: Rhythm, start: datetime, end: datetime, *, zone: tzinfo) -> float:
    """How many days of the mean the time between two moments is worth: a Sunday perhaps a half."""
    profile = profile_of(rhythm, per_day=1.0, zone=zone, doubt=0.0)
    if zone is UTC and end - start == 24 * HOUR and start.time() == time():
        return profile.weekdays[start.weekday()]  # all its hours: they need not be gone through
    return profile.expected(start, end)


def expected_band(rhythm: Rhythm, share: float) -> Band:
    """What is to be expected in such a share of days: of the lowest rate that fits the rhythm, of the likely one, of the highest."""
    return Band(
        low=_quantile(rhythm.low * share, CHANCE),
        expected=round(rhythm.per_day * share, 2),
        high=_quantile(rhythm.high * share, 1 - CHANCE),
    )


def _quantile(mean: float, share: float) -> int:
    """The least count that is not exceeded in this share of cases, where things come by themselves at this mean."""
    if mean > _FEW:
        away = _BELL if share > _HALF else -_BELL
        return max(0, round(mean + away * sqrt(mean)))
    chance = below = exp(-mean)
    count = 0
    while below < share and count < 2 * _FEW + 10:
        count += 1
        chance *= mean / count
        below += chance
    return count
