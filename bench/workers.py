"""What worker processes cost and bring: a piece of work that is nothing, and pages on all cores.

The peer for an empty piece is the pool of the standard library, one piece a message as well; it cannot
kill one worker and go on. The peer for pages is as many processes that read their share without any
engine: what the machine itself gives, since two cores that share caches are less than twice one.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from operator import neg
from pathlib import Path
from typing import Any

from figures import Figure, main
from mutants import Reading
from wireroom.ports import Done, EngineOptions
from wireroom.workers.local import LocalEngine

PIECES, SHORT_PIECES = 30_000, 500
PAGES, SHORT_PAGES = 1_500, 60  # short of the number after which a worker is replaced
STARTS = 5
WARM, SHORT_WARM = 200, 20  # pieces that every contender does before the clock runs
BARE = """
import sys
from mutants import Reading
first, pages, step, warm = map(int, sys.argv[1:])
read = Reading()
read.prepare()
for number in range(warm // step):
    read(number)
print("ready", flush=True)
sys.stdin.readline()
for number in range(first, pages, step):
    read(number)
print("done", flush=True)
"""


async def seconds_of(
    work: Iterable[Any], do: Callable[[Any], Any], workers: int, warm: int
) -> float:
    """How long the work takes on workers that are started and loaded."""
    async with LocalEngine(EngineOptions(workers=workers)) as engine:
        async for _ in engine.spread(range(warm), do):
            continue
        started = time.perf_counter()
        async for outcome in engine.spread(work, do):
            if not isinstance(outcome, Done):
                raise SystemExit(f"A piece was lost: {outcome.message}")
        return time.perf_counter() - started


def seconds_of_peer(pieces: int, workers: int, warm: int) -> float:
    """The same for the pool of the standard library."""
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        list(pool.map(neg, range(warm)))
        started = time.perf_counter()
        list(pool.map(neg, range(pieces)))
        return time.perf_counter() - started


def seconds_of_bare(pages: int, processes: int, warm: int) -> float:
    """The same pages read by processes that have their share from the start and answer nothing."""
    children = [
        subprocess.Popen(
            [sys.executable, "-c", BARE, *map(str, (first, pages, processes, warm))],
            cwd=Path(__file__).parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for first in range(processes)
    ]
    for child in children:
        _send(child, "")  # loaded and warm
    started = time.perf_counter()
    for child in children:
        _send(child, "go", wait=False)
    for child in children:
        _send(child, "")
    seconds = time.perf_counter() - started
    for child in children:
        child.communicate()
    return seconds


def _send(process: subprocess.Popen[str], word: str, *, wait: bool = True) -> None:
    if process.stdin is None or process.stdout is None:
        raise SystemExit("A process has no streams.")
    if word:
        process.stdin.write(f"{word}\n")
        process.stdin.flush()
    if wait and not process.stdout.readline():
        raise SystemExit("A process has ended.")


async def seconds_to_start() -> float:
    """From nothing to the outcome of an empty piece."""
    started = time.perf_counter()
    async with LocalEngine(EngineOptions(workers=1)) as engine:
        async for _ in engine.spread([1], neg):
            continue
    return time.perf_counter() - started


def measure(short: bool) -> Iterator[Figure]:
    """Every figure."""
    cores = LocalEngine().workers
    pieces = SHORT_PIECES if short else PIECES
    warm = SHORT_WARM if short else WARM
    yield Figure(
        metric=f"an empty piece through {cores} workers",
        unit="ms",
        ours=1000 * asyncio.run(seconds_of(range(pieces), neg, cores, warm)) / pieces,
        peer=1000 * seconds_of_peer(pieces, cores, warm) / pieces,
        peer_name="ProcessPoolExecutor",
        aim="under 0.3",
    )
    start = min(asyncio.run(seconds_to_start()) for _ in range(STARTS))
    yield Figure(metric="a worker started and ended", unit="ms", ours=1000 * start)
    pages = SHORT_PAGES if short else PAGES
    rates = {}
    for workers in sorted({1, cores}):
        rates[workers] = pages / asyncio.run(seconds_of(range(pages), Reading(), workers, warm))
        yield Figure(
            metric=f"pages read by {workers} worker{'s' if workers > 1 else ''}",
            unit="pages/s",
            ours=rates[workers],
            peer=pages / seconds_of_bare(pages, workers, warm),
            peer_name="as many bare processes",
            aim="0.95 times",
        )
    gain = rates[cores] / rates[1]
    yield Figure(metric=f"{cores} workers to one", unit="times", ours=gain, aim="as bare processes")


if __name__ == "__main__":
    main("workers", measure, about="What worker processes cost, and what they bring.")
