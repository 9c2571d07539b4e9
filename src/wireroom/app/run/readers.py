"""The workers, as due work sees them: bytes in, an outcome back.

Answers wait in a queue; when many wait, or large ones, no more are asked for until the workers have
caught up.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing

from wireroom.model import Polled, Reading
from wireroom.ports import Done, Engine, Lost
from wireroom.workers.follow_jobs import Following, ItemText, Work

MAX_WAITING = 64  # answers that wait for a worker
MAX_WAITING_BYTES = 64 << 20  # of them; a single page may have 10 MB


class LostWorkError(Exception):
    """A worker died of the piece, or would have."""

    def __init__(self, lost: Lost[Work]) -> None:
        super().__init__(lost.message)
        self.lost = lost


class Readers:
    """Hands answers to the engine and outcomes back to whoever waits for them."""

    def __init__(
        self, engine: Engine, do: Following, *, pause: Callable[[bool], None] | None = None
    ) -> None:
        self._engine = engine
        self._do = do
        self._pause = pause
        self._queue: asyncio.Queue[Work | None] = asyncio.Queue()
        self._awaited: dict[int, asyncio.Future[Polled | Reading]] = {}
        self._bytes = 0
        self._paused = False

    async def read(self, work: Work) -> Polled | Reading:
        """What came of it; raises LostWorkError."""
        outcome: asyncio.Future[Polled | Reading] = asyncio.get_running_loop().create_future()
        self._awaited[id(work)] = outcome
        self._weigh(_size(work))
        self._queue.put_nowait(work)
        try:
            return await outcome
        finally:
            self._awaited.pop(id(work), None)
            self._weigh(-_size(work))

    async def run(self) -> None:
        """Until `end`."""
        async with aclosing(self._engine.spread(self._pieces(), self._do)) as outcomes:
            async for outcome in outcomes:
                self._return(outcome)

    def end(self) -> None:
        """No more pieces come."""
        self._queue.put_nowait(None)

    async def _pieces(self) -> AsyncIterator[Work]:
        while (work := await self._queue.get()) is not None:
            if id(work) in self._awaited:  # whoever wanted it may be gone
                yield work

    def _return(self, done: Done[Work, Polled | Reading] | Lost[Work]) -> None:
        awaited = self._awaited.get(id(done.work))
        if awaited is None or awaited.done():
            return
        if isinstance(done, Lost):
            awaited.set_exception(LostWorkError(done))
        else:
            awaited.set_result(done.outcome)

    def _weigh(self, size: int) -> None:
        self._bytes += size
        full = len(self._awaited) > MAX_WAITING or self._bytes > MAX_WAITING_BYTES
        if full != self._paused and self._pause is not None:
            self._paused = full
            self._pause(full)


def _size(work: Work) -> int:
    if isinstance(work, ItemText):
        return 0
    return len(work.response.body)
