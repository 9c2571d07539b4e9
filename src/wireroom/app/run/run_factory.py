"""A run, put together from settings, fetcher, engine and app, and taken apart afterwards."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Final

from wireroom.app.factories import network_of
from wireroom.app.run.loop import RunLoop
from wireroom.app.run.run_options import run_options
from wireroom.errors import SettingsError
from wireroom.ports import Engine, EngineOptions, EnginePlug

if TYPE_CHECKING:
    from wireroom.app.application import App
    from wireroom.settings import Settings


def open_engine(name: str, *, workers: int = 0) -> Engine:
    """The engine of this name, at work."""
    return find_engine(name).open(EngineOptions(workers=workers))


def find_engine(name: str) -> EnginePlug:
    """The engine of this name; SettingsError when there is none."""
    from wireroom.registry import plugs

    known = plugs("workers", EnginePlug)
    if name not in known:
        raise SettingsError(
            [f"There is no engine {name!r}."], hint=f"Known are: {', '.join(sorted(known))}."
        )
    return known[name]


@asynccontextmanager
async def open_run(
    app: App, settings: Settings, *, engine: str = "local"
) -> AsyncIterator[RunLoop]:
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
        workers = open_engine(engine, workers=settings.follow.workers)
        opened.push_async_callback(workers.close)
        scouting = await opened.enter_async_context(
            scouting_by(fetcher, app, settings, leases=False)
        )
        network = network_of(fetcher, scouting=scouting, robots=robots)
        yield RunLoop(app, network, workers, run_options(settings))


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
