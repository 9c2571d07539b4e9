"""How well the publishing rate is read off a feed, against the plain median of gaps.

Publishers are simulated: what they publish is known, a feed shows the newest entries at a random
moment of a random week, and the rate is estimated from those. The error is counted in doublings:
|log2(estimate / truth)|, so that half and twice the rate are equally wrong.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import log2
from statistics import fmean, median

from figures import Figure, main
from wireroom.rhythm import measure_rhythm

PEER = "median of gaps"
RUNS = 180
LENGTHS = (10, 20, 50)  # entries a feed shows
START = datetime(2026, 3, 2, tzinfo=UTC)  # a Monday
LIFE = timedelta(days=70)  # of simulated publishing; a feed is read in its last three weeks
DAY = timedelta(days=1)
CAP = 12.0  # doublings: an estimate of nothing is not infinitely wrong

Publisher = Callable[[random.Random], list[datetime]]


def measure(short: bool) -> Iterator[Figure]:
    """The mean error of each kind of publisher, and over all."""
    chance = random.Random(26)
    runs = 12 if short else RUNS
    all_ours, all_theirs = [], []
    for name, (publish, per_day) in PUBLISHERS.items():
        ours, theirs = zip(
            *(_errors(publish, per_day, chance, run) for run in range(runs)), strict=True
        )
        all_ours.append(fmean(ours))
        all_theirs.append(fmean(theirs))
        yield _figure(name, all_ours[-1], all_theirs[-1])
    yield _figure("mean of all kinds", fmean(all_ours), fmean(all_theirs), aim="at most 0.40")
    yield _dormant_figure(chance, runs)


def _figure(name: str, ours: float, theirs: float, aim: str = "") -> Figure:
    return Figure(metric=name, unit="doublings", ours=ours, peer=theirs, peer_name=PEER, aim=aim)


def _errors(
    publish: Publisher, per_day: float, chance: random.Random, run: int
) -> tuple[float, float]:
    now = START + LIFE - chance.random() * timedelta(days=21)
    seen = [at for at in publish(chance) if at <= now][-LENGTHS[run % len(LENGTHS)] :]
    cadence = measure_rhythm(seen, now=now, source="feed")
    return _error(cadence.rhythm.per_day if cadence else 0.0, per_day), _error(
        _by_median_gap(seen), per_day
    )


def _error(estimate: float, truth: float) -> float:
    return min(CAP, abs(log2(estimate / truth))) if estimate > 0 else CAP


def _by_median_gap(times: list[datetime]) -> float:
    gaps = [(b - a) / DAY for a, b in pairwise(times) if b > a]
    return 1 / median(gaps) if gaps else 0.0


def _dormant_figure(chance: random.Random, runs: int) -> Figure:
    """Publishers that stopped 60 days ago: how many are said to sleep."""
    seen = 0
    for run in range(runs):
        times = _steady(3.0)(chance)
        stopped = [at for at in times if at <= START + LIFE][-LENGTHS[run % 3] :]
        cadence = measure_rhythm(stopped, now=stopped[-1] + timedelta(days=60), source="feed")
        seen += bool(cadence and cadence.rhythm.dormant)
    return Figure(metric="stopped 60 days ago, said dormant", unit="share", ours=seen / runs)


# --- publishers --------------------------------------------------------------------------------


def _random_times(per_day: float, weight: Callable[[datetime], float], most: float) -> Publisher:
    """A Poisson process whose rate follows the weight (mean 1, at most `most`), by thinning."""

    def publish(chance: random.Random) -> list[datetime]:
        times, at = [], START
        while (at := at + chance.expovariate(per_day * most) * DAY) < START + LIFE:
            if chance.random() < weight(at) / most:
                times.append(at.replace(microsecond=0))
        return times

    return publish


def _steady(per_day: float) -> Publisher:
    return _random_times(per_day, lambda _: 1.0, 1.0)


def _office(at: datetime) -> float:
    """Nine to six on weekdays: 45 of 168 hours."""
    return 168 / 45 if at.weekday() < 5 and 9 <= at.hour < 18 else 0.0


def _newsroom(at: datetime) -> float:
    """Never quite asleep, busiest by day, quieter at weekends."""
    of_day = 1.7 if 8 <= at.hour < 20 else 0.3
    return of_day * (1.12 if at.weekday() < 5 else 0.7)


def _batches(size: int, hours: tuple[int, ...], weekdays: tuple[int, ...]) -> Publisher:
    def publish(_: random.Random) -> list[datetime]:
        days = (START + n * DAY for n in range(LIFE // DAY))
        return [
            day + timedelta(hours=hour)
            for day in days
            if day.weekday() in weekdays
            for hour in hours
            for _copy in range(size)
        ]

    return publish


EVERY_DAY = (0, 1, 2, 3, 4, 5, 6)
PUBLISHERS: dict[str, tuple[Publisher, float]] = {
    "steady, 3 a day": (_steady(3.0), 3.0),
    "steady, 40 a day (feed cut)": (_steady(40.0), 40.0),
    "office hours, 5 a day": (_random_times(5.0, _office, 168 / 45), 5.0),
    "office hours, 40 a day (feed cut)": (_random_times(40.0, _office, 168 / 45), 40.0),
    "news, 30 a day": (_random_times(30.0, _newsroom, 1.7 * 1.12), 30.0),
    "news, 200 a day (feed cut)": (_random_times(200.0, _newsroom, 1.7 * 1.12), 200.0),
    "batches of 5 at six": (_batches(5, (6,), EVERY_DAY), 5.0),
    "batches of 3, four times a day": (_batches(3, (6, 10, 14, 18), EVERY_DAY), 12.0),
    "weekly digest of 6": (_batches(6, (9,), (4,)), 6 / 7),
    "blog, 2 a week": (_steady(2 / 7), 2 / 7),
}

if __name__ == "__main__":
    main("frequency", measure, about="How well the publishing rate is read off a feed.")
