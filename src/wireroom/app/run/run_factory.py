"""A run, put together from settings, fetcher, engine and app, and taken apart afterwards."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING, Final, Protocol

from wireroom.app.concurrency import wait_for_event
from wireroom.app.engines import RAY, open_engine
from wireroom.app.event_log import EventFollower
from wireroom.app.factories import network_of
from wireroom.app.run.counts import RunCounts
from wireroom.app.run.loop import RunLoop
from wireroom.app.run.run_options import RunOptions, run_options
from wireroom.errors import StoreError

if TYPE_CHECKING:
    from wireroom.app.application import App
    from wireroom.model import Event
    from wireroom.settings import Settings


class Run(Protocol):
    """A run as those see it who watch it: in this process, or spread over the machines of a cluster."""

    counts: RunCounts

    @property
    def next_at(self) -> datetime | None:
        """When something is due next, as far as it was looked up."""
        ...

    def pace(self, host: str) -> str:
        """Why a host is asked more slowly than others; empty when it is not."""
        ...

    def stop(self) -> None:
        """Asks the run to end: nothing more is taken, and what is in flight is finished or given back."""
        ...

    async def run(self, *, once: bool = False) -> RunCounts:
        """Until nothing is due any more (`once`), or until `stop`."""
        ...


@asynccontextmanager
async def open_run(app: App, settings: Settings) -> AsyncIterator[Run]:
    """A run as the settings want it: in this process, or by the readers of a Ray cluster."""
    if settings.run.engine == RAY:
        from wireroom.app.ray_run import open_ray_run

        async with open_ray_run(settings) as ray_run:
            yield ray_run
    else:
        async with open_run_loop(app, settings, run_options(settings)) as run_loop:
            yield run_loop


@asynccontextmanager
async def open_run_loop(
    app: App, settings: Settings, options: RunOptions
) -> AsyncIterator[RunLoop]:
    """A run of this process, with a fetcher and an engine of its own."""
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
        yield RunLoop(app, network, engine, options)


class StopFlag(Protocol):
    """What asks a run to end: an `asyncio.Event`, a `threading.Event`, or whatever else can be set."""

    def is_set(self) -> bool:
        """Whether it is to end."""
        ...


async def run_watched(
    app: App,
    *,
    once: bool,
    stop: StopFlag | None = None,
    on_event: Callable[[Event], object] | None = None,
) -> RunCounts:
    """A run for a script: ends when `stop` is set, and gives on each event; what `on_event` raises ends it too."""
    follower = EventFollower(app.store, on_event) if on_event is not None else None
    over = asyncio.Event()
    async with open_run(app, app.settings) as run_loop:
        watching = asyncio.create_task(_watch(stop, follower, over))
        watching.add_done_callback(lambda _: None if over.is_set() else run_loop.stop())
        try:
            counts = await run_loop.run(once=once)
        finally:
            over.set()
            (ended,) = await asyncio.gather(watching, return_exceptions=True)
    if ended is not None:
        raise ended
    if follower is not None:
        follower.deliver(follower.read())  # the run's own end, and what was saved on the way to it
    return counts


async def _watch(
    stop: StopFlag | None, follower: EventFollower | None, over: asyncio.Event
) -> None:
    """Until the run is over, or is to end."""
    while not (stop is not None and stop.is_set()):
        if follower is not None:
            with suppress(StoreError):  # the run waits for its store; these events are read then
                follower.deliver(await asyncio.to_thread(follower.read))
        if await wait_for_event(over, WATCH_EVERY):
            return


WATCH_EVERY: Final = 0.1
"""Seconds between two looks whether the run is to end, and at what happened meanwhile."""
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
