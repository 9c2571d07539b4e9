"""A parent with busy workers, for tests that end it: prints their numbers, then waits for them."""

from __future__ import annotations

import asyncio
import sys
from datetime import timedelta

from tests.workers import jobs
from wireroom.ports import EngineOptions
from wireroom.workers.local import LocalEngine

OPTIONS = EngineOptions(workers=2, cpu=timedelta(minutes=1), wall=timedelta(minutes=1))
PATIENCE = 30  # seconds; on a busy machine two interpreters may take some to start


async def main(deed: str) -> None:
    async with asyncio.timeout(PATIENCE), LocalEngine(OPTIONS) as engine:
        spread = engine.spread([deed, deed + "1"], jobs.misbehave)
        waiting = asyncio.ensure_future(anext(spread))
        while sum(bool(each._loaded) for each in engine._busy) < 2:  # noqa: ASYNC110 - no event tells it
            await asyncio.sleep(0.02)
        print(*(worker.pid for worker in engine._busy), flush=True)  # noqa: T201
        await waiting


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
