"""The fetch of one visit to a publisher: what it may send, and what its steps share.

It is a `Fetch` that counts. Nothing is asked for twice: an address, a parsed page or anything else
that several steps need is made once and shared, also while it is still under way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from wireroom.errors import RefusedError
from wireroom.model import Request, Response
from wireroom.ports import Fetch

MAX_REQUESTS = 30  # the burst that manners allow a visit; a card needs about 20

Made = TypeVar("Made")


class VisitFetch:
    """A `Fetch` for one visit; `close` it when the last step is done."""

    def __init__(self, fetch: Fetch, *, max_requests: int = MAX_REQUESTS) -> None:
        self._fetch = fetch
        self._left = max_requests
        self._max = max_requests
        self._made: dict[str, asyncio.Task[Any]] = {}

    @property
    def requests(self) -> int:
        """How many were sent, redirects included."""
        return self._max - self._left

    async def __call__(self, request: Request) -> Response:
        """The answer, asked for once in the whole visit; raises FetchError."""
        return await self.once(f"{request.method} {request.url}", lambda: self._ask(request))

    async def once(self, name: str, make: Callable[[], Awaitable[Made]]) -> Made:
        """What `make` gave the first time; a waiter that gives up takes nothing from the others."""
        task = self._made.get(name)
        if task is None:
            task = self._made[name] = asyncio.ensure_future(_run(make))
        made: Made = await asyncio.shield(task)
        return made

    async def close(self) -> None:
        """Ends what nobody waits for any more."""
        tasks = list(self._made.values())
        self._made.clear()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)  # `gather` would keep the outcomes in a ring of its own
        for task in tasks:
            _let_go(None if task.cancelled() else task.exception())

    async def _ask(self, request: Request) -> Response:
        if self._left <= 0:
            message = f"the visit's {self._max} requests are spent"
            raise RefusedError(request.url, message, kind="robots", permanent=False)
        self._left -= 1
        response = await self._fetch(request)
        self._left -= max(0, len(response.hops) - 1)
        return response


def _let_go(error: BaseException | None) -> None:
    """Frees what an error still holds: its frames know the pages of the visit, and the pages are large.

    They would go with the next full round of the garbage collector, which counts objects and not the
    megabytes of a parsed page: a list of publishers took twice the memory.
    """
    while error is not None:
        error.__traceback__ = None
        error = error.__cause__ or error.__context__


async def _run(make: Callable[[], Awaitable[Made]]) -> Made:
    return await make()
