"""Whether following leaks: what one daemon and its workers hold after 100,000 articles against after 10,000.

The large town behind nginx, an empty database, no gap between requests; the daemon is told to end when it has
read everything. What processes hold goes up and down with what is in flight and when workers are replaced, so
each figure is the mean over some time. How fast following is is `follow`'s to say.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from figures import Figure, family_megabytes, main
from press import Press, serve_press

PROGRAM = Path(__file__).parent / "programs" / "follow.py"
PUBLISHERS, SHORT_PUBLISHERS = 1000, 6
ARTICLES, SHORT_ARTICLES = 100, 50  # of each publisher
EARLY = 0.1  # of all articles: the first look is from here on
SPAN = 0.05  # of all articles: for so many the memory is looked at
STUCK = 60.0  # seconds without an article, after which none will come
END_WITHIN = 10.0  # seconds to end when told to


class Seen(NamedTuple):
    """One look at the daemon."""

    articles: int
    megabytes: float


def measure(short: bool) -> Iterator[Figure]:
    """What was held early and late, and how the daemon ended."""
    publishers = SHORT_PUBLISHERS if short else PUBLISHERS
    articles = SHORT_ARTICLES if short else ARTICLES
    with (
        serve_press(publishers, articles=articles) as press,
        tempfile.TemporaryDirectory(prefix="wireroom-soak-") as folder,
        _daemon(press, Path(folder)) as daemon,
    ):
        began = time.monotonic()
        samples = list(_watch(daemon, press.pages))
        took = time.monotonic() - began
        yield from _held(samples, press.pages)
        yield Figure(metric="articles", unit="articles/s", ours=press.pages / took)
        yield from _ended(daemon, press.pages)


def _daemon(press: Press, folder: Path) -> subprocess.Popen[str]:
    world = folder / "world.json"
    world.write_text(json.dumps({"hosts": press.hosts, "feeds": press.feeds}), "utf-8")
    command = [sys.executable, str(PROGRAM), "daemon", f"sqlite:///{folder}/soak.db", str(world)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _watch(daemon: subprocess.Popen[str], pages: int) -> Iterator[Seen]:
    """A look each time the daemon says how far it is, until it has read everything."""
    assert daemon.stdout is not None
    most, until = 0, time.monotonic() + STUCK
    for line in daemon.stdout:
        articles = int(line)
        yield Seen(articles, family_megabytes(daemon.pid))
        if articles >= pages:
            return
        if articles > most:
            most, until = articles, time.monotonic() + STUCK
        if time.monotonic() > until:
            daemon.terminate()
            raise SystemExit(f"{articles} of {pages} articles, and no more for {STUCK:g} s")
    raise SystemExit("the daemon ended by itself")


def _held(samples: list[Seen], pages: int) -> Iterator[Figure]:
    early = _mean(samples, EARLY * pages, (EARLY + SPAN) * pages)
    late = _mean(samples, (1 - SPAN) * pages, pages)
    yield Figure(
        metric=f"all processes, after {EARLY * pages:,.0f} articles", unit="MB", ours=early
    )
    yield Figure(metric=f"all processes, after {pages:,} articles", unit="MB", ours=late)
    yield Figure(
        metric="most that all processes held",
        unit="MB",
        ours=max(sample.megabytes for sample in samples),
    )
    grown = (late / early - 1) * 100
    yield Figure(metric="late to early", unit="% more", ours=grown, aim="at most 15")


def _mean(samples: list[Seen], first: float, last: float) -> float:
    """Over the looks between two counts; the nearest one where everything went by too quickly."""
    between = [sample.megabytes for sample in samples if first <= sample.articles <= last]
    return fmean(
        between or [min(samples, key=lambda sample: abs(sample.articles - first)).megabytes]
    )


def _ended(daemon: subprocess.Popen[str], pages: int) -> Iterator[Figure]:
    began = time.monotonic()
    daemon.send_signal(signal.SIGTERM)
    output, _ = daemon.communicate(timeout=STUCK)
    took = time.monotonic() - began
    kept = json.loads(output.splitlines()[-1])["articles"]
    if daemon.returncode or kept != pages:
        raise SystemExit(f"{kept} of {pages} articles were kept, exit code {daemon.returncode}")
    yield Figure(metric="end after SIGTERM", unit="s", ours=took, aim=f"< {END_WITHIN:g}")


if __name__ == "__main__":
    main("follow_soak", measure, about=__doc__ or "")
