"""A worker for one request: a stranger's page is read in a process of its own, never in the server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from wireroom.app import App
from wireroom.app.engines import open_engine
from wireroom.ports import Engine

T = TypeVar("T")


def with_worker(app: App, do: Callable[[Engine], Awaitable[T]]) -> T:
    """What comes of it; to be called outside of an event loop, as routes without `async` are."""

    async def work() -> T:
        async with open_engine(app.settings, workers=1) as engine:
            return await do(engine)

    return asyncio.run(work())
