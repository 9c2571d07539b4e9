"""Whether reading pages leaks: what processes hold after many pages against after a tenth of them.

Once in one process, which is never recycled, and once through the engine `local`. `mutants` says which
pages. How fast it goes is `workers`' to say: this takes long, and need not have the machine to itself.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from figures import Figure, main, resident_megabytes, resident_of
from mutants import Reading
from wireroom.ports import Done, EngineOptions
from wireroom.workers.local import LocalEngine

PAGES = 50_000
SHORT_PAGES = 300
EARLY = 10  # the first look is after this part of the pages
PATIENCE = timedelta(hours=1)  # for a page: whoever stops this run to measure something may do so
ALONE = "--alone"


def alone(pages: int) -> dict[str, Any]:
    """In this process: what it holds after a tenth of the pages and after all."""
    read = Reading()
    read.prepare()
    early, words = 0.0, 0
    for number in range(pages):
        words += read(number)
        if number + 1 == pages // EARLY:
            early = resident_megabytes()
    return {"early": early, "late": resident_megabytes(), "words": words}


async def pooled(pages: int) -> dict[str, float]:
    """Through the engine: what the parent holds, the most that a worker held, pages lost."""
    lost, done, early, most = 0, 0, 0.0, 0.0
    async with LocalEngine(EngineOptions(wall=PATIENCE)) as engine:
        async for outcome in engine.spread(range(pages), Reading()):
            done += 1
            lost += not isinstance(outcome, Done)
            if done == pages // EARLY:
                early = resident_megabytes()
            if done % (pages // EARLY) == 0:
                most = max([most, *(_resident_of(pid) for pid in _children())])
    return {"early": early, "late": resident_megabytes(), "most": most, "lost": lost}


def _children() -> list[int]:
    """The processes that this one has started: the workers."""
    lists = Path("/proc/self/task").glob("*/children")
    return [int(pid) for children in lists for pid in children.read_text("ascii").split()]


def _resident_of(pid: int) -> float:
    """What another process holds; nothing when it has gone or the system does not tell."""
    try:
        return resident_of(pid)
    except (OSError, ValueError):
        return 0.0


def measure(short: bool) -> Iterator[Figure]:
    """Every figure."""
    pages = SHORT_PAGES if short else PAGES
    command = [sys.executable, __file__, ALONE, str(pages)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        measured = asyncio.run(pooled(pages))  # meanwhile: memory is measured here, not time
        single = json.loads(process.communicate()[0])
    if not single["words"]:
        raise SystemExit("No page gave a word: there is nothing to measure.")
    yield from _held("one process", pages, single)
    yield from _held("parent of workers", pages, measured)
    yield Figure(metric="worker: most resident", unit="MB", ours=measured["most"])
    yield Figure(metric="worker: pages lost", unit="pages", ours=measured["lost"], aim="0")


def _held(who: str, pages: int, seen: dict[str, Any]) -> Iterator[Figure]:
    yield Figure(
        metric=f"{who}: resident after {pages // EARLY:,} pages", unit="MB", ours=seen["early"]
    )
    yield Figure(metric=f"{who}: resident after {pages:,} pages", unit="MB", ours=seen["late"])
    grown = seen["late"] / seen["early"]
    yield Figure(metric=f"{who}: late to early", unit="times", ours=grown, aim="at most 1.1")


if __name__ == "__main__":
    if ALONE in sys.argv:
        print(json.dumps(alone(int(sys.argv[-1]))))
    else:
        main("soak", measure, about="Whether reading pages leaks.")
