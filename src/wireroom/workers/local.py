"""The engine `local`: work spread over processes of this machine that can be killed one by one.

    async with LocalEngine() as engine:
        async for outcome in engine.spread(pages, do):      # Done | Lost

A piece of work that takes too much CPU time, time or memory costs its worker; the worker is
replaced, and that piece alone is lost. (A pool of the standard library cannot do that: one dead
worker breaks it.) Workers leave after many pieces or when they have grown, so that no leak of a
parser ever adds up.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterable, Callable, Iterable
from types import TracebackType
from typing import Any, Self, TypeVar

from wireroom.errors import WireroomError
from wireroom.ports import EngineOptions, EnginePlug, Spread
from wireroom.workers.process import WorkerProcess
from wireroom.workers.worker import Hello
from wireroom.workers.worker_pool import AHEAD, CLOSED, Source, WorkerPool

Work = TypeVar("Work")
Outcome = TypeVar("Outcome")

PIECES = 10_000  # of work, after which a worker leaves; starting one takes as long as a hundred
GROWTH = 150 * 2**20  # bytes; a worker that holds so much more than at its start leaves


class LocalEngine:
    """Worker processes of this machine; one for each core by default.

    Idle workers are kept for the next `spread`. Two spreads at once have workers of their own.
    """

    ahead = AHEAD

    def __init__(self, options: EngineOptions | None = None) -> None:
        self.options = options or EngineOptions()
        self.workers = self.options.workers or own_cores()
        self._idle: list[WorkerProcess] = []
        self._busy: set[WorkerProcess] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._pools: set[WorkerPool[Any, Any]] = set()
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def spread(
        self, work: Iterable[Work] | AsyncIterable[Work], do: Callable[[Work], Outcome]
    ) -> Spread[Work, Outcome]:
        """What came of each piece, as it is ready; the order is not kept."""
        pool: WorkerPool[Work, Outcome] = WorkerPool(self, Source(work), do)
        self._pools.add(pool)
        try:
            pool.start(self.workers)
            while (outcome := await pool.next()) is not None:
                yield outcome
        finally:
            self._pools.discard(pool)
            await pool.stop()

    async def close(self) -> None:
        """Ends every worker; what they had in flight is not done."""
        self._closed = True
        for pool in list(self._pools):
            await pool.stop()
        for worker in self._idle:
            self._end(worker)
        self._idle.clear()
        await asyncio.gather(*self._ending)

    async def acquire(self, do: bytes) -> WorkerProcess:
        """A worker that is ready for this function; release or discard it."""
        if self._closed:
            raise WireroomError(CLOSED)
        worker = self._idle.pop() if self._idle else await self._start()
        self._busy.add(worker)
        try:
            await worker.load(do)
        except BaseException:
            await self.discard(worker)
            raise
        return worker

    def release(self, worker: WorkerProcess) -> None:
        """Takes back a worker that has nothing in flight."""
        self._busy.discard(worker)
        self._idle.append(worker)

    async def discard(self, worker: WorkerProcess) -> None:
        """Ends a worker, to the end even if nobody waits for it any more."""
        self._busy.discard(worker)
        await asyncio.shield(self._end(worker))

    def _end(self, worker: WorkerProcess) -> asyncio.Task[None]:
        ending = asyncio.create_task(worker.end())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)
        return ending

    async def _start(self) -> WorkerProcess:
        options = self.options
        hello = Hello(
            parent=os.getpid(),
            cpu=options.cpu.total_seconds(),
            memory=options.memory,
            growth=GROWTH,
            pieces=PIECES,
        )
        return await WorkerProcess.start(hello, wall=options.wall.total_seconds())


def own_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


PLUG = EnginePlug("local", LocalEngine)
