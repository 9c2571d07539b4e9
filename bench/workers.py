"""What worker processes cost and bring: a piece of work that is nothing, and pages on all cores.

The peer for an empty piece is the pool of the standard library, one piece a message as well; it cannot
kill one worker and go on. The peer for all cores is one worker of ours.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from operator import neg
from typing import Any

from figures import Figure, main
from mutants import Reading
from wireroom.engines.local import LocalEngine
from wireroom.ports import Done, EngineOptions

PIECES, SHORT_PIECES = 30_000, 500
PAGES, SHORT_PAGES = 5_000, 60  # short of the number after which a worker is replaced
STARTS = 5


async def seconds_of(work: Iterable[Any], do: Callable[[Any], Any], workers: int) -> float:
    """How long the work takes on workers that are started and loaded."""
    async with LocalEngine(EngineOptions(workers=workers)) as engine:
        async for _ in engine.spread(range(200), do):
            continue
        started = time.perf_counter()
        async for outcome in engine.spread(work, do):
            if not isinstance(outcome, Done):
                raise SystemExit(f"A piece was lost: {outcome.message}")
        return time.perf_counter() - started


def seconds_of_peer(pieces: int, workers: int) -> float:
    """The same for the pool of the standard library."""
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        list(pool.map(neg, range(200)))
        started = time.perf_counter()
        list(pool.map(neg, range(pieces)))
        return time.perf_counter() - started


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
    yield Figure(
        metric=f"an empty piece through {cores} workers",
        unit="ms",
        ours=1000 * asyncio.run(seconds_of(range(pieces), neg, cores)) / pieces,
        peer=1000 * seconds_of_peer(pieces, cores) / pieces,
        peer_name="ProcessPoolExecutor",
        aim="under 0.3",
    )
    start = min(asyncio.run(seconds_to_start()) for _ in range(STARTS))
    yield Figure(metric="a worker started and ended", unit="ms", ours=1000 * start)
    pages = SHORT_PAGES if short else PAGES
    single = pages / asyncio.run(seconds_of(range(pages), Reading(), 1))
    every = pages / asyncio.run(seconds_of(range(pages), Reading(), cores))
    yield Figure(
        metric=f"pages read by {cores} workers",
        unit="pages/s",
        ours=every,
        peer=single,
        peer_name="one worker",
        aim=f"{0.85 * cores:.1f} times",
    )


if __name__ == "__main__":
    main("workers", measure, about="What worker processes cost, and what they bring.")
