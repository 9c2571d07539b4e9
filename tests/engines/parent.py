"""A parent with busy workers, for tests that end it: prints their numbers, then waits for them."""

from __future__ import annotations

import asyncio
import sys

from tests.engines import deeds
from wireroom.engines.local import LocalEngine
from wireroom.ports import EngineOptions


async def main(deed: str) -> None:
    async with LocalEngine(EngineOptions(workers=2)) as engine:
        spread = engine.spread([deed, deed + "1"], deeds.misbehave)
        waiting = asyncio.ensure_future(anext(spread))
        while sum(bool(each._loaded) for each in engine._busy) < 2:  # noqa: ASYNC110 - no event tells it
            await asyncio.sleep(0.02)
        print(*(each._process.pid for each in engine._busy), flush=True)  # noqa: T201
        await waiting


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
