"""Many pieces of work at once, and what came of each as it is known."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable
from typing import TypeVar

W = TypeVar("W")
R = TypeVar("R")


async def run_concurrently(
    works: Iterable[W], do: Callable[[W], Awaitable[R]], *, at_once: int
) -> AsyncGenerator[R, None]:
    """What `do` makes of each work, so many at once; what is in flight is cancelled at the end."""
    in_flight: list[asyncio.Task[R]] = []
    try:
        for work in works:
            in_flight.append(asyncio.create_task(_done(do, work)))
            if len(in_flight) >= at_once:
                for result in await _ready(in_flight):
                    yield result
        while in_flight:
            for result in await _ready(in_flight):
                yield result
    finally:
        for task in in_flight:
            task.cancel()
        await asyncio.gather(*in_flight, return_exceptions=True)


async def _done(do: Callable[[W], Awaitable[R]], work: W) -> R:
    return await do(work)


async def _ready(in_flight: list[asyncio.Task[R]]) -> list[R]:
    """The results of those that are done, in the order of the list; they are in flight no longer."""
    done, rest = await asyncio.wait(in_flight, return_when=asyncio.FIRST_COMPLETED)
    results = [task.result() for task in in_flight if task in done]
    in_flight[:] = [task for task in in_flight if task in rest]
    return results


async def stream_results(
    work: Callable[[Callable[[R], None]], Coroutine[object, object, None]],
) -> AsyncGenerator[R, None]:
    """What `work` gives to the function it is called with, as it comes, from whatever place in it."""
    results: asyncio.Queue[R | None] = asyncio.Queue()
    task = asyncio.create_task(work(results.put_nowait))
    task.add_done_callback(lambda _done: results.put_nowait(None))
    try:
        while (result := await results.get()) is not None:
            yield result
        await task  # raises what ended it early
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


# Waiting for an event, for a while, and the clock that nobody sets.


def steady_seconds() -> float:
    """Seconds since some moment, those in which the machine slept included where the system counts them."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)


async def wait_for_event(event: asyncio.Event, seconds: float) -> bool:
    """Whether the event came within so long.

    Not by `asyncio.wait_for`, which in Python 3.11 forgets that it was cancelled when the event comes in the same
    moment: whoever was asked to end would go on.
    """
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True
