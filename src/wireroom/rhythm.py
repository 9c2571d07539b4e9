"""How often somebody publishes, from the times at which they did.

Pure: times come in, a rate with its interval goes out. Scouting asks it once for a report, polling after
every answer for the next one. Why it is done this way, with the simulation behind it: docs/design/0008.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from itertools import pairwise
from math import sqrt
from statistics import fmean, median, pvariance
from typing import Final, Literal

from wireroom.model import Rhythm

Confidence = Literal["high", "medium", "low"]

_BEST_FIRST: Final[tuple[Confidence, ...]] = ("high", "medium", "low")

TOLERATED_FUTURE: Final = timedelta(hours=1)  # clocks are wrong by minutes; more is a mistake
EARLIEST: Final = datetime(1995, 1, 1, tzinfo=UTC)  # before it nobody published on the web
BUILD_TIMES: Final = 0.8  # of the entries under one stamp: it says when the file was built
FEWEST: Final = 3  # dates; two make one gap, which says nothing
WEEK: Final = timedelta(days=7)
DAY: Final = timedelta(days=1)
HOUR: Final = timedelta(hours=1)
SHORT_SPAN: Final = timedelta(hours=6)  # less of a day and the hour decides the rate
BATCHES: Final = 0.5  # of the entries with a stamp in common: they come in batches
DORMANT_AFTER: Final = timedelta(days=14)
DORMANT_GAPS: Final = 10  # usual gaps of silence; five times out of a million by chance
ROUND_COUNTS: Final = (5, 10, 12, 15, 20, 25, 30, 40, 50, 60, 75, 100, 150, 200, 250, 500, 1000)
CUT_WITHIN: Final = timedelta(days=1)  # a feed of a round length that spans less was cut
STRAY_SHARE: Final = 0.2  # of a feed's entries at most: one or two are pinned, more are its past
STRAY_GAPS: Final = (
    8  # times the longest gap since, and days at least: a weekly is never taken for strays
)
STRAY_AFTER: Final = timedelta(days=60)  # where the others came at once: a monthly may be late
STEADY: Final = timedelta(hours=18)  # over a night: no issue that was put out in one go

# Newsrooms: how much more than the mean is published in such an hour, on such a day (local time).
BUSY_HOURS: Final = range(7, 19)
BUSY_HOUR, QUIET_HOUR = 1.5, 0.5
WEEKDAY, WEEKEND = 1.15, 0.62

_NINETY: Final = 1.645  # standard deviations that hold 90 % of a normal distribution


@dataclass(frozen=True, slots=True, kw_only=True)
class Cadence:
    """A rhythm with what else the times say."""

    rhythm: Rhythm
    label: str
    hours: float | None
    """Between two articles on average."""
    median_gap_hours: float | None
    """Between neighbours; misleading where articles come in bursts, kept because others report it."""
    confidence: Confidence
    """What a card says; feeds are polled by the rhythm's own, which is more careful."""
    by_count: Confidence
    """The confidence by the plain rule of items and days."""
    by_interval: Confidence
    """That of the interval; whose clock it was matters only under a day, where no hour was seen twice."""
    batch_share: float
    """Of the entries that share their stamp with another."""
    window: timedelta
    """From the oldest entry to now; of several feeds, of the one that counts most."""
    truncated: bool
    """Whether the feed was cut at a round number: the rate is a lower bound then."""
    method: Literal["weeks", "days", "profile"]
    grid: tuple[tuple[int, ...], ...]
    """How many came out on each weekday in each hour, Monday first, by the publisher's clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """What one feed or sitemap lists: its articles, each with the names it is known by and its time."""

    url: str
    articles: tuple[tuple[tuple[str, ...], datetime], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedSeries:
    """What one series adds to the rate of all."""

    url: str
    articles: int
    """Those that no series has that reaches back further."""
    per_day: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherCadence:
    """The rhythm of several series together, and what each of them adds to it, the furthest first."""

    cadence: Cadence
    counted: tuple[CountedSeries, ...]


def measure_rhythm(
    times: Iterable[datetime],
    *,
    now: datetime,
    source: str,
    zone: tzinfo = UTC,
    zone_known: bool = True,
) -> Cadence | None:
    """The rhythm in these times; None when they say nothing (too few, or times of building).

    Of a series that ended it is the rhythm that it had, up to its last time: the silence since is no part of it.
    """
    stamps = _telling(times, now)
    if stamps is None:
        return None
    dormant = _is_dormant(stamps, now)
    part = _measured(stamps, stamps, stamps[-1] if dormant else now, zone)
    return _cadence([part], source=source, zone=zone, zone_known=zone_known, dormant=dormant)


def measure_publisher(
    series: Iterable[Series],
    *,
    now: datetime,
    source: str,
    zone: tzinfo = UTC,
    zone_known: bool = True,
) -> PublisherCadence | None:
    """The rhythm of all these series together; None when none of them says anything.

    Feeds reach back differently: each is counted over the time that it covers, and the rates are added. An article
    that several list counts once, in the one that reaches back furthest. Of a publisher that stopped it is the
    rhythm that it had, up to its last article.
    """
    telling = {}
    for each in series:
        if (stamps := _telling((at for _, at in each.articles), now)) is not None:
            telling[each.url] = each, stamps
    if not telling:
        return None
    dormant = all(_is_dormant(stamps, now) for _, stamps in telling.values())
    until = max(stamps[-1] for _, stamps in telling.values()) if dormant else now
    parts: dict[str, _Part] = {}
    known: set[str] = set()
    for url, (each, stamps) in sorted(telling.items(), key=lambda row: row[1][1][0]):
        own = _not_known(each, stamps, known)
        parts[url] = _measured(stamps, own, until, zone)
    cadence = _cadence(
        list(parts.values()), source=source, zone=zone, zone_known=zone_known, dormant=dormant
    )
    return PublisherCadence(
        cadence=cadence,
        counted=tuple(
            CountedSeries(url=url, articles=len(part.stamps), per_day=part.per_day)
            for url, part in parts.items()
        ),
    )


def _not_known(series: Series, stamps: Sequence[datetime], known: set[str]) -> list[datetime]:
    """The times of the articles that no series before has; their names are known from now on."""
    own = []
    for names, at in series.articles:
        if not stamps[0] <= at <= stamps[-1]:
            continue
        if known.isdisjoint(names):
            own.append(at)
        known.update(names)
    return sorted(own)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """What one series adds to the rate."""

    stamps: Sequence[datetime]
    """Of the articles that count in it."""
    span: timedelta
    window: timedelta
    per_day: float
    variance: float
    """Of the rate, widened by how much its days differ."""
    batch_share: float
    truncated: bool
    method: Literal["weeks", "days", "profile"]


def _telling(times: Iterable[datetime], now: datetime) -> list[datetime] | None:
    """The times that can be counted, in order; None when they say nothing."""
    stamps = sorted(at for at in times if EARLIEST <= at <= now + TOLERATED_FUTURE)
    stamps = stamps[_strays(stamps, now) :]
    return None if len(stamps) < FEWEST or _are_build_times(stamps) else stamps


def _strays(stamps: Sequence[datetime], now: datetime) -> int:
    """How many of the oldest stand apart: pinned posts, which say nothing of how far a feed reaches back.

    They are few, and the gap before the others is one that the others never had. Where those came out within
    hours, as the issue of a magazine does, the gap must be longer than from one issue to the next.
    """
    most = int(STRAY_SHARE * len(stamps))
    for count in range(min(most, len(stamps) - FEWEST), 0, -1):
        rest = [*stamps[count:], now]
        gap = rest[0] - stamps[count - 1]
        usual = max(DAY, *(b - a for a, b in pairwise(rest)))
        is_steady = stamps[-1] - rest[0] >= STEADY
        if gap > STRAY_GAPS * usual and (is_steady or gap > STRAY_AFTER):
            return count
    return 0


def _measured(
    stamps: Sequence[datetime], own: Sequence[datetime], now: datetime, zone: tzinfo
) -> _Part:
    """The rate at which `own` came out, over the time that `stamps` cover."""
    oldest, newest = stamps[0], stamps[-1]
    newer = [at for at in own if at > oldest]  # the oldest ones may be cut by the feed's length
    window = max(now, newest) - oldest
    batch_share = _batch_share(stamps)
    per_day, counted, method = _rate(newer, now, window, batch_share, zone)
    spread = _spread(newer, now, window)
    return _Part(
        stamps=own,
        span=newest - oldest,
        window=window,
        per_day=per_day,
        variance=per_day**2 * spread / counted if counted else 0.0,
        batch_share=batch_share,
        truncated=len(stamps) in ROUND_COUNTS and window < CUT_WITHIN,
        method=method,
    )


def _cadence(
    parts: Sequence[_Part], *, source: str, zone: tzinfo, zone_known: bool, dormant: bool
) -> Cadence:
    """The parts together; how long was looked at is said of the one that counts most."""
    most = max(parts, key=lambda part: part.per_day)
    stamps = sorted(at for part in parts for at in part.stamps)
    per_day = sum(part.per_day for part in parts)
    variance = sum(part.variance for part in parts)
    low, high = _interval(per_day, per_day**2 / variance if variance > 0 else 0.0)
    unsure = most.window < SHORT_SPAN or (most.method == "profile" and not zone_known)
    rhythm = Rhythm(
        per_day=per_day,
        low=low,
        high=high,
        confidence="low" if unsure else _sure(low, high),
        sample_size=len(stamps),
        span=most.span,
        source=source,
        weekday=_histogram((at.astimezone(zone).weekday() for at in stamps), 7),
        hour=_histogram((at.astimezone(zone).hour for at in stamps), 24),
        newest_at=stamps[-1],
        dormant=dormant,
    )
    gaps = [(b - a) / HOUR for a, b in pairwise(stamps) if b > a]
    by_count = confidence_by_count(len(stamps), most.span)
    by_interval = rhythm.confidence if most.window < DAY else _sure(low, high)
    return Cadence(
        rhythm=rhythm,
        label=frequency_label(per_day),
        hours=round(24 / per_day, 1) if per_day > 0 else None,
        median_gap_hours=round(median(gaps), 1) if gaps else None,
        confidence=better_confidence(by_count, by_interval, most.span),
        by_count=by_count,
        by_interval=by_interval,
        batch_share=round(most.batch_share, 3),
        window=most.window,
        truncated=most.truncated,
        method=most.method,
        grid=_grid(stamps, zone),
    )


def frequency_label(per_day: float) -> str:
    """The rate in words, in the unit in which it is a small whole number."""
    for unit, rate, least in (
        ("hour", per_day / 24, 9.5),
        ("day", per_day, 0.93),
        ("week", per_day * 7, 0.93),
        ("month", per_day * 30, 0.93),
    ):
        if rate >= least:
            count = max(1, round(rate))
            return f"~{count} article{'s' if count > 1 else ''}/{unit}"
    return "< 1 article/month"


def confidence_by_count(items: int, span: timedelta) -> Confidence:
    """The plain rule: ten items over a week are much, five over three days are some."""
    days = round(span / DAY, 1)
    if items >= 10 and days >= 7:
        return "high"
    return "medium" if items >= 5 and days >= 3 else "low"


def better_confidence(by_count: Confidence, by_interval: Confidence, span: timedelta) -> Confidence:
    """The better of both rules: twelve daily posts are enough, and so are hundreds within two days.

    No week was seen whole in less than one: then a narrow interval is worth no more than `medium`.
    """
    capped = "medium" if by_interval == "high" and span < WEEK else by_interval
    return min(by_count, capped, key=_BEST_FIRST.index)


def _are_build_times(stamps: Sequence[datetime]) -> bool:
    _, most = Counter(stamps).most_common(1)[0]
    return most >= BUILD_TIMES * len(stamps)


def _batch_share(stamps: Sequence[datetime]) -> float:
    shared = sum(count for count in Counter(stamps).values() if count > 1)
    return shared / len(stamps)


def _rate(
    newer: Sequence[datetime], now: datetime, window: timedelta, batch_share: float, zone: tzinfo
) -> tuple[float, int, Literal["weeks", "days", "profile"]]:
    """Entries a day, how many were counted, and how the time was measured."""
    if window >= WEEK:
        weeks = window // WEEK
        counted = sum(1 for at in newer if at > now - weeks * WEEK)
        return counted / (7 * weeks), counted, "weeks"
    if window >= 2 * DAY and newer and all(_is_midnight(at, zone) for at in newer):
        days = window // DAY - 1  # whole days: of the oldest some are cut, and today is not over
        counted = sum(1 for at in newer if now - (days + 1) * DAY < at <= now - DAY)
        return counted / days, counted, "days"
    if batch_share >= BATCHES and window >= DAY:
        days = window // DAY
        counted = sum(1 for at in newer if at > now - days * DAY)
        return counted / days, counted, "days"
    exposure = _exposure(now - window, now, zone)
    return (len(newer) / exposure if exposure > 0 else 0.0), len(newer), "profile"


def _is_midnight(at: datetime, zone: tzinfo) -> bool:
    """Whether it is a date that came without a time of day."""
    return at.astimezone(UTC).time() == time() or at.astimezone(zone).time() == time()


def _exposure(start: datetime, end: datetime, zone: tzinfo) -> float:
    """Days of ordinary publishing between two times: a night counts less than a morning."""
    total, at = 0.0, start
    while at < end:
        local = at.astimezone(zone)
        hour_ends = (
            at
            + timedelta(hours=1)
            - timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)
        )
        until = min(hour_ends, end)
        of_day = BUSY_HOUR if local.hour in BUSY_HOURS else QUIET_HOUR
        of_week = WEEKDAY if local.weekday() < 5 else WEEKEND
        total += (until - at) / DAY * of_day * of_week
        at = until
    return total


def _spread(newer: Sequence[datetime], now: datetime, window: timedelta) -> float:
    """How much more the days differ than chance alone would make them: variance by mean."""
    days = window // DAY
    if days < 3:
        return 1.0
    ages = Counter((now - at) // DAY for at in newer)
    counts = [ages.get(day, 0) for day in range(days)]
    mean = fmean(counts)
    return max(1.0, pvariance(counts, mean) / mean) if mean > 0 else 1.0


def _interval(per_day: float, seen: float) -> tuple[float, float]:
    """Where the true rate lies in nine cases of ten (Gamma), by how many were seen, less for days that differ."""
    if seen <= 0:
        return 0.0, per_day
    shape = seen + 0.5
    return (
        per_day * _gamma_quantile(shape, -_NINETY) / seen,
        per_day * _gamma_quantile(shape, _NINETY) / seen,
    )


def _gamma_quantile(shape: float, deviations: float) -> float:
    """Wilson and Hilferty: the cube root of a Gamma variable is nearly normal."""
    ninth = 1 / (9 * shape)
    return float(shape * max(0.0, 1 - ninth + deviations * sqrt(ninth)) ** 3)


def _sure(low: float, high: float) -> Confidence:
    if low <= 0:
        return "low"
    ratio = high / low
    return "high" if ratio < 1.5 else "medium" if ratio < 3 else "low"


def _is_dormant(stamps: Sequence[datetime], now: datetime) -> bool:
    """Whether the silence is longer than the gaps they kept while they were awake explain."""
    moments = len(set(stamps))  # a batch is one moment: a weekly digest of six has weekly gaps
    usual_gap = (stamps[-1] - stamps[0]) / max(1, moments - 1)
    return now - stamps[-1] > max(DORMANT_AFTER, DORMANT_GAPS * usual_gap)


def _grid(stamps: Sequence[datetime], zone: tzinfo) -> tuple[tuple[int, ...], ...]:
    local = Counter((at.weekday(), at.hour) for at in (stamp.astimezone(zone) for stamp in stamps))
    return tuple(tuple(local.get((day, hour), 0) for hour in range(24)) for day in range(7))


def _histogram(values: Iterable[int], size: int) -> tuple[int, ...]:
    counts = Counter(values)
    return tuple(counts.get(place, 0) for place in range(size))
