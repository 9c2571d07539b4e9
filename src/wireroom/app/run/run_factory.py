"""Doors to following: settings, fetcher, engine and app put together, and taken apart afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from wireroom.app.run.gc_interval import less_gc
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
    """A cycle as the settings want it, with a fetcher and an engine of its own."""
    from wireroom.app.factories import scouting_by
    from wireroom.app.robots_buffer import RobotsBuffer
    from wireroom.fetch.client import Fetcher
    from wireroom.fetch.fetch_options import options_from

    shelf = RobotsBuffer(app.store)
    async with AsyncExitStack() as opened:
        opened.enter_context(less_gc())
        fetcher = await opened.enter_async_context(
            Fetcher(options_from(settings), robots_store=shelf)
        )
        workers = open_engine(engine, workers=settings.follow.workers)
        opened.push_async_callback(workers.close)
        scouting = await opened.enter_async_context(
            scouting_by(fetcher, app, settings, leases=False)
        )
        yield RunLoop(
            app,
            fetcher,
            workers,
            run_options(settings),
            scouting=scouting,
            pause=fetcher.pause,
            our_side=fetcher.is_cut_off,
            pace=fetcher.pace,
            rest_of=fetcher.rest_of,
            shelf=shelf,
        )
