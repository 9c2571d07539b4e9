"""A run, put together from settings, fetcher, engine and app, and taken apart afterwards."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Final

from wireroom.app.engines import open_engine
from wireroom.app.factories import network_of
from wireroom.app.run.loop import RunLoop
from wireroom.app.run.run_options import run_options

if TYPE_CHECKING:
    from wireroom.app.application import App
    from wireroom.settings import Settings


@asynccontextmanager
async def open_run(app: App, settings: Settings) -> AsyncIterator[RunLoop]:
    """A run as the settings want it, with a fetcher and an engine of its own."""
    from wireroom.app.factories import RobotsBuffer, scouting_by
    from wireroom.fetch.client import Fetcher
    from wireroom.fetch.fetch_options import options_from

    robots = RobotsBuffer(app.store)
    async with AsyncExitStack() as opened:
        opened.enter_context(less_gc())
        fetcher = await opened.enter_async_context(
            Fetcher(options_from(settings), robots_store=robots)
        )
        engine = await opened.enter_async_context(open_engine(settings))
        scouting = await opened.enter_async_context(
            scouting_by(fetcher, app, settings, leases=False)
        )
        network = network_of(fetcher, scouting=scouting, robots=robots)
        yield RunLoop(app, network, engine, run_options(settings))


GC_AFTER: Final = 20_000
"""New objects after which Python looks for reference cycles, as in a worker: each page in flight makes hundreds, and
at Python's own 700 the looking takes three to six per cent of a run, which leaves hardly any. Cycles of that many objects
are some MB."""


@contextmanager
def less_gc() -> Iterator[None]:
    """Python looks for reference cycles rarely; as before afterwards. Whoever looks more rarely is left alone."""
    before = gc.get_threshold()
    if 0 < before[0] < GC_AFTER:
        gc.set_threshold(GC_AFTER, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
