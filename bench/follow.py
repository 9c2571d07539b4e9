"""Following, from feeds to articles in a database: how fast, in how much memory, and what a day without news costs.

The large town behind nginx, with pages of real weight and once more with its light ones, an empty database, no
gap between requests. One peer is what a user would write
today: Scrapy with feedparser, trafilatura and SQLite, in as many processes as there are cores, which share the publishers.
The other is the strongest that we can write of libraries that everybody has (`programs/pool.py`): aiohttp, a pool of processes,
trafilatura's fast form, SQLite with a full text index in batches. All of them obey robots.txt and have all the cores, so that CPU and
rate are compared under the same load. Theirs is a table; ours has robots.txt kept, rights, versions, duplicates besides.

    python bench/follow.py                     # 500 publishers, and 250 with light pages
    python bench/follow.py --publishers 60     # fewer of both: what a process costs at its start weighs more
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from figures import Figure, family_megabytes, main
from press import Press, serve_press

PROGRAM = Path(__file__).parent / "programs" / "follow.py"
PUBLISHERS, SHORT_PUBLISHERS = 500, 6
ARTICLES = 20  # of each publisher
ROUNDS = 2  # of ours, one before and one after the peer; the mean counts
LONGEST = 1800.0  # seconds of one program
SAMPLED = 0.5  # seconds between two looks at the memory of all processes
PEER = "Scrapy, a process a core"
POOL = "aiohttp and a pool"
CORES = len(os.sched_getaffinity(0))


@dataclass(frozen=True, slots=True)
class Run:
    """What one program measured, or several at once."""

    articles: int
    took: float
    cpu: float
    peak: float
    """Megabytes of all its processes, what they share counted once."""

    @property
    def rate(self) -> float:
        """Articles a second."""
        return self.articles / self.took


def measure(short: bool, *, publishers: int = PUBLISHERS) -> Iterator[Figure]:
    """Every figure of following."""
    publishers = SHORT_PUBLISHERS if short else publishers
    with tempfile.TemporaryDirectory(prefix="wireroom-follow-") as folder:
        with serve_press(publishers, articles=ARTICLES, weight="real") as press:
            yield from _against_the_peer(press, Path(folder), rounds=1 if short else ROUNDS)
        light = SHORT_PUBLISHERS if short else publishers // 2
        with serve_press(light, articles=ARTICLES) as press:
            yield from _light_pages(press, Path(folder))


def _against_the_peer(press: Press, folder: Path, *, rounds: int) -> Iterator[Figure]:
    ours = [_follow(press, folder, "ours-0", "ours")]
    again = _nothing_new(press, folder)
    peer = _follow(press, folder, "peer", "scrapy", parts=CORES)
    pool = _follow(press, folder, "pool", "pool")
    ours += [_follow(press, folder, f"ours-{n}", "ours") for n in range(1, rounds)]
    _check((*ours, peer, pool), press)
    yield from _cpu("CPU an article", ours, peer, pool)
    rate = sum(run.rate for run in ours) / len(ours)
    for name, other in ((PEER, peer), (POOL, pool)):
        yield Figure(
            metric=f"articles, beside {name}",
            unit="articles/s",
            ours=rate,
            peer=other.rate,
            peer_name=name,
        )
    yield Figure(
        metric="peak memory of all processes",
        unit="MB",
        ours=max(run.peak for run in ours),
        peer=pool.peak,
        peer_name=POOL,
        aim="< 800",
    )
    yield Figure(
        metric="second run, nothing new",
        unit="% of the first",
        ours=again[0].took / ours[0].took * 100,
        aim="< 5",
    )
    yield Figure(
        metric="second run, a feed",
        unit="CPU ms",
        ours=again[0].cpu / len(press.feeds) * 1e3,
    )
    yield Figure(
        metric="second run, requests without a condition",
        unit="requests",
        ours=again[1],
        aim="0",
    )


def _light_pages(press: Press, folder: Path) -> Iterator[Figure]:
    ours = _follow(press, folder, "ours-light", "ours")
    peer = _follow(press, folder, "peer-light", "scrapy", parts=CORES)
    pool = _follow(press, folder, "pool-light", "pool")
    _check((ours, peer, pool), press)
    yield from _cpu("CPU an article, light pages", [ours], peer, pool)
    for name, other in ((PEER, peer), (POOL, pool)):
        yield Figure(
            metric=f"articles, light pages, beside {name}",
            unit="articles/s",
            ours=ours.rate,
            peer=other.rate,
            peer_name=name,
        )


def _cpu(metric: str, ours: Sequence[Run], peer: Run, pool: Run) -> Iterator[Figure]:
    """CPU of all processes, their start included."""
    own = sum(run.cpu / run.articles for run in ours) / len(ours) * 1e3
    for name, other, aim in ((PEER, peer, "<= 7, ratio <= 0.29"), (POOL, pool, "ratio <= 0.4")):
        yield Figure(
            metric=metric if other is peer else f"{metric}, beside {name}",
            unit="ms",
            ours=own,
            peer=other.cpu / other.articles * 1e3,
            peer_name=name,
            aim=aim,
        )


def _check(runs: Sequence[Run], press: Press) -> None:
    """Who kept less has done less."""
    for run in runs:
        if run.articles != press.pages:
            raise SystemExit(f"{run.articles} of {press.pages} articles were kept")


def _nothing_new(press: Press, folder: Path) -> tuple[Run, int]:
    """The same database once more, every feed due: what it costs, and how many requests were unconditional."""
    press.forget()
    run = _follow(press, folder, "ours-0", "ours")
    return run, sum(not asked.conditional for asked in press.asked())


def _follow(press: Press, folder: Path, name: str, program: str, *, parts: int = 1) -> Run:
    """One program in a process of its own, or in several that share the publishers."""
    running = [
        _start(press, folder / f"{name}-{n}", program, list(press.feeds)[n::parts])
        for n in range(parts)
    ]
    peak = 0.0
    until = time.monotonic() + LONGEST
    while any(process.poll() is None for process in running):
        peak = max(peak, sum(family_megabytes(process.pid) for process in running))
        if time.monotonic() > until:
            raise SystemExit(f"{program} took longer than {LONGEST:g} s")
        time.sleep(SAMPLED)
    measured = [_measured(process) for process in running]
    return Run(
        articles=sum(process["articles"] for process in measured),
        took=max(process["took"] for process in measured),
        cpu=sum(process["cpu"] for process in measured),
        peak=peak,
    )


def _start(
    press: Press, place: Path, program: str, publishers: Sequence[str]
) -> subprocess.Popen[str]:
    world = place.with_suffix(".json")
    feeds = {host: press.feeds[host] for host in publishers}
    world.write_text(json.dumps({"hosts": press.hosts, "feeds": feeds}), "utf-8")
    database = f"sqlite:///{place}.db" if program == "ours" else f"{place}.db"
    return subprocess.Popen(
        [sys.executable, str(PROGRAM), program, database, str(world)],
        stdout=subprocess.PIPE,
        text=True,
    )


def _measured(process: subprocess.Popen[str]) -> dict[str, Any]:
    output, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"a program ended with code {process.returncode}")
    measured: dict[str, Any] = json.loads(output.splitlines()[-1])
    return measured


if __name__ == "__main__":
    _publishers = PUBLISHERS
    if "--publishers" in sys.argv:
        _place = sys.argv.index("--publishers")
        _publishers = int(sys.argv[_place + 1])
        del sys.argv[_place : _place + 2]
    main("follow", partial(measure, publishers=_publishers), about=__doc__ or "")
