"""Factories: settings, fetcher and app put together for a use case, and taken apart afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from wireroom.app.application import App
from wireroom.app.scouting import Scouting

if TYPE_CHECKING:
    from wireroom.app.adding import Adding
    from wireroom.fetch.client import Fetcher
    from wireroom.scout.runner import Progress
    from wireroom.settings import Settings


@asynccontextmanager
async def open_fetcher(app: App, settings: Settings) -> AsyncIterator[Fetcher]:
    """A fetcher that knows the robots.txt files of processes before it."""
    from wireroom.app.robots_buffer import RobotsBuffer
    from wireroom.fetch.client import Fetcher
    from wireroom.fetch.fetch_options import options_from

    robots = RobotsBuffer(app.store)
    async with Fetcher(options_from(settings), robots_store=robots) as fetcher:
        try:
            yield fetcher
        finally:
            robots.flush()


@asynccontextmanager
async def scouting_by(
    fetcher: Fetcher,
    app: App,
    settings: Settings,
    *,
    offline: bool | None = None,
    leases: bool = True,
) -> AsyncIterator[Scouting]:
    """Scouting as the settings want it, by way of this fetcher."""
    from wireroom.fetch.chat import chat_from

    chat = chat_from(settings)
    async with AsyncExitStack() as opened:
        if chat is not None:
            opened.push_async_callback(chat.close)
        yield Scouting(
            app,
            fetcher,
            fresh_for=settings.scout.fresh_for,
            rest=settings.rest_after_visit(),
            offline=settings.scout.offline if offline is None else offline,
            advise=chat,
            leases=leases,
        )


@asynccontextmanager
async def open_scouting(
    app: App, settings: Settings, *, offline: bool | None = None
) -> AsyncIterator[Scouting]:
    """Scouting with a fetcher of its own that is closed afterwards."""
    async with (
        open_fetcher(app, settings) as fetcher,
        scouting_by(fetcher, app, settings, offline=offline) as scouting,
    ):
        yield scouting


@asynccontextmanager
async def open_adding(
    app: App,
    settings: Settings,
    *,
    scout: bool = True,
    watch: Callable[[Progress], None] | None = None,
) -> AsyncIterator[Adding]:
    """Adding as the settings want it, with a fetcher of its own that is closed afterwards."""
    from wireroom.app.adding import Adding

    async with (
        open_fetcher(app, settings) as fetcher,
        scouting_by(fetcher, app, settings) as scouting,
    ):
        policy = settings.rights.policy()
        yield Adding(app, fetcher, scouting, policy, scout=scout, watch=watch)
