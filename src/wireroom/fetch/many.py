"""Many requests at once: outcomes come as they are ready, never more in flight than fit.

An outcome is a Response or a Problem; one bad address stops nothing. Leaving the loop early cancels
what is in flight and closes every connection.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
)
from contextlib import AsyncExitStack
from datetime import UTC, datetime

from wireroom.errors import FetchError, WireroomError
from wireroom.fetch.client import Fetcher
from wireroom.fetch.fetch_options import FetchOptions, options_from
from wireroom.model import Problem, Request, Response
from wireroom.ports import Fetch
from wireroom.settings import Settings

WAITING = 2_000  # requests taken from the caller and not yet answered; each is some kilobytes
READY = (
    64  # answers that wait for the caller before no more are asked for; each may be a large page
)
SHARE = 32  # of those, for one host: it is asked one by one, and a list may be sorted by host
AHEAD = 10_000  # requests put by, because their host has its share; each is half a kilobyte
SHARED = 512  # requests in flight where others use the same fetcher, whom we must not hold up
SHUTDOWN = 8.0  # seconds for what is in flight to end after a cancellation

Requests = Iterable[Request] | AsyncIterable[Request]
Outcome = Response | Problem


async def fetch_all(
    requests: Requests,
    settings: Settings | FetchOptions | None = None,
    *,
    fetch: Fetch | None = None,
) -> AsyncGenerator[Outcome, None]:
    """Each request's outcome, in the order they are ready; `fetch` shares an open Fetcher."""
    async with AsyncExitStack() as stack:
        if fetch is None:
            own = await stack.enter_async_context(Fetcher(options_from(settings)))
            pool = _RequestPool(own, waiting=WAITING, pause=own.pause)
        else:
            pool = _RequestPool(fetch, waiting=SHARED)
        stack.push_async_callback(pool.stop)
        pool.start(requests)
        while (outcome := await pool.next()) is not None:
            yield outcome


def fetch_each(
    requests: Iterable[Request], settings: Settings | FetchOptions | None = None
) -> Iterator[Outcome]:
    """The same for scripts without an event loop; work goes on while the next outcome is awaited."""
    _refuse_running_loop()
    with asyncio.Runner() as runner:
        outcomes = fetch_all(requests, settings)

        async def following() -> Outcome | None:
            return await anext(outcomes, None)

        try:
            while (outcome := runner.run(following())) is not None:
                yield outcome
        finally:
            runner.run(outcomes.aclose())


def _refuse_running_loop() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise WireroomError(
        "fetch_each was called inside an event loop.", hint="Use: async for … in fetch_all(…)"
    )


def as_problem(request: Request, error: FetchError, *, at: datetime) -> Problem:
    """A failed fetch as a value; its subject is what was asked for, wherever that led."""
    return Problem(
        kind=error.kind,
        message=f"{error.reason} {error.hint}".strip(),
        subject_url=request.url,
        at=at,
        retry_after=error.retry_after,
        permanent=error.permanent,
    )


class _RequestPool:
    """The tasks of one `fetch_all`: a feeder, and one per request in flight."""

    def __init__(
        self, fetch: Fetch, *, waiting: int, pause: Callable[[bool], None] | None = None
    ) -> None:
        self._fetch = fetch
        self._pause = pause
        self._room = asyncio.Semaphore(waiting)
        self._tasks: set[asyncio.Task[None]] = set()
        self._in_flight = 0
        self._at: Counter[str] = Counter()
        self._put_by: dict[str, deque[Request]] = {}
        self._ahead = asyncio.Semaphore(AHEAD)
        self._fed = False
        self._ready: asyncio.Queue[Outcome | BaseException | None] = asyncio.Queue()

    def start(self, requests: Requests) -> None:
        self._add(self._feed(requests))

    async def next(self) -> Outcome | None:
        """The next outcome; None at the end."""
        outcome = await self._ready.get()
        if isinstance(outcome, BaseException):
            raise outcome
        if outcome is not None:
            self._room.release()
            if self._pause is not None and self._ready.qsize() == READY // 2:
                self._pause(False)
        return outcome

    async def stop(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=SHUTDOWN)

    def _add(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _feed(self, requests: Requests) -> None:
        try:
            async for request in _each(requests):
                host = _host(request)
                if self._at[host] < SHARE and host not in self._put_by:
                    await self._room.acquire()
                    self._begin(host, self._fetch_one(request, host))
                    continue
                await self._ahead.acquire()
                self._put_by.setdefault(host, deque()).append(request)
                if self._at[host] < SHARE:  # one of them ended while this waited for a slot
                    self._next_of(host)
        except Exception as exc:  # noqa: BLE001 - the caller's iterator may fail in any way
            self._ready.put_nowait(exc)
        else:
            self._fed = True
            self._end_if_done()

    def _begin(self, host: str, work: Coroutine[None, None, None]) -> None:
        self._in_flight += 1
        self._at[host] += 1
        self._add(work)

    def _next_of(self, host: str) -> None:
        """Begins the first request that was put by for the host, if there is one."""
        waiting = self._put_by.get(host)
        if waiting is None:
            return
        self._begin(host, self._in_room(waiting.popleft(), host))
        self._ahead.release()
        if not waiting:
            del self._put_by[host]

    async def _in_room(self, request: Request, host: str) -> None:
        try:
            await self._room.acquire()
        except BaseException:
            self._end_one(host)
            raise
        await self._fetch_one(request, host)

    def _end_one(self, host: str) -> None:
        self._in_flight -= 1
        self._at[host] -= 1
        if not self._at[host]:
            del self._at[host]

    def _end_if_done(self) -> None:
        if self._fed and not self._in_flight:
            self._ready.put_nowait(None)

    async def _fetch_one(self, request: Request, host: str) -> None:
        outcome: Outcome | BaseException
        try:
            outcome = await self._fetch(request)
        except FetchError as error:
            outcome = as_problem(request, error, at=datetime.now(UTC))
        except Exception as exc:  # noqa: BLE001 - a fault of ours reaches the caller, not the void
            outcome = exc
        except BaseException:
            self._end_one(host)
            self._end_if_done()
            raise
        self._end_one(host)
        self._next_of(host)
        self._ready.put_nowait(outcome)
        if self._pause is not None and self._ready.qsize() >= READY:
            self._pause(True)
        self._end_if_done()


def _host(request: Request) -> str:
    """Whom the request is for, as written: only to share out slots, so nothing is made of it."""
    return request.url.partition("://")[2].partition("/")[0]


async def _each(requests: Requests) -> AsyncIterator[Request]:
    if isinstance(requests, AsyncIterable):
        async for request in requests:
            yield request
        return
    for request in requests:
        yield request
