"""The engine `ray`: work spread over the machines of a Ray cluster, each piece a task.

    async with RayEngine(EngineOptions(address="10.0.0.1:6379")) as engine:
        async for outcome in engine.spread(pages, do):      # Done | Lost

A task hands its piece to a worker process beside it, the same as the engine `local` has: so a piece that takes too much CPU
time, time or memory costs that process alone, wherever it is. A task whose node or process is lost is tried again
elsewhere by Ray, a few times.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterable, Callable, Iterable
from contextlib import ExitStack
from functools import cache
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

from wireroom.errors import WireroomError
from wireroom.ports import EngineOptions, EnginePlug, LossCause, Spread
from wireroom.workers.local import GROWTH, PIECES
from wireroom.workers.process import Ended, WorkerAnswer, WorkerProcess
from wireroom.workers.ray_cluster import as_task, cluster_cores, connected, load_ray, require_ray
from wireroom.workers.worker import Hello
from wireroom.workers.worker_pool import CLOSED, Source, WorkerPool

Work = TypeVar("Work")
Outcome = TypeVar("Outcome")

RETRIES = 3  # by Ray, of a task whose node or process was lost; a page cannot do that, for it is read beside
SLOTS = 2  # pieces in flight for each core: one is on its way while another is worked on


class PieceLimits(NamedTuple):
    """What one piece may cost."""

    cpu: float
    wall: float
    memory: int


class TaskAnswer(NamedTuple):
    """What came of a piece; plain data, for it travels."""

    kind: int = 0
    payload: bytes = b""
    leaving: bool = False
    """Whether its worker goes, for whatever reason."""
    cause: LossCause | None = None
    """Why its worker is no more; then `message` says it in words."""
    message: str = ""
    unfit: bool = False
    """Whether no worker can have the function; `message` and `hint` say why."""
    hint: str = ""


class RayEngine:
    """Tasks of a Ray cluster; as many at once as it has cores, or as the options say.

    Joins the cluster with the first piece, and leaves it with `close`.
    """

    ahead = 1  # a piece a slot: where it is worked on is Ray's choice, piece by piece

    def __init__(self, options: EngineOptions | None = None) -> None:
        require_ray()
        self.options = options or EngineOptions()
        self.workers = 0
        self._opened = ExitStack()
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
        self._join()
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
        """Ends every task; what they had in flight is not done."""
        self._closed = True
        for pool in list(self._pools):
            await pool.stop()
        self._opened.close()

    async def acquire(self, do: bytes) -> TaskWorker:
        """Something that hands pieces to tasks; release or discard it."""
        if self._closed:
            raise WireroomError(CLOSED)
        options = self.options
        limits = PieceLimits(
            options.cpu.total_seconds(), options.wall.total_seconds(), options.memory
        )
        return TaskWorker(limits, do)

    def release(self, worker: TaskWorker) -> None:
        """It has nothing in flight, and holds nothing."""

    async def discard(self, worker: TaskWorker) -> None:
        """Ends what it has in flight."""
        worker.end()

    def _join(self) -> None:
        if self._closed:
            raise WireroomError(CLOSED)
        if not self.workers:
            self._opened.enter_context(connected(self.options.address))
            self.workers = self.options.workers or SLOTS * cluster_cores()


class TaskWorker:
    """Hands one piece after the other to tasks."""

    def __init__(self, limits: PieceLimits, do: bytes) -> None:
        self._limits = limits
        self._do = do
        self._task: Any = None

    def send(self, payload: bytes) -> None:
        """Hands a piece to a task; there is none in flight."""
        self._task = _task().remote(self._limits, self._do, payload)

    async def answer(self) -> WorkerAnswer:
        """What came of the piece; raises Ended where its worker was lost."""
        try:
            answer: TaskAnswer = await self._task
        except load_ray().exceptions.RayError as exc:
            self._task = None
            raise Ended("killed", f"its task was lost {1 + RETRIES} times: {_first(exc)}") from exc
        self._task = None
        if answer.unfit:
            raise WireroomError(answer.message, hint=answer.hint)
        if answer.cause is not None:
            raise Ended(answer.cause, answer.message)
        return WorkerAnswer(answer.kind, answer.payload, answer.leaving)

    def end(self) -> None:
        """Nobody waits for the piece any more: its process is ended, whatever it does."""
        if self._task is not None:
            load_ray().cancel(self._task, force=True)
            self._task = None


def _first(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


@cache
def _task() -> Any:
    return as_task(read_piece, retries=RETRIES)


# What is done in a process of Ray: it holds one worker process, and hands on what that answers.


class _TaskHost:
    """The worker process of this process of Ray: begun with the first piece, replaced when something happened to it."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._worker: WorkerProcess | None = None
        self._limits: PieceLimits | None = None

    def read(self, limits: PieceLimits, do: bytes, payload: bytes) -> TaskAnswer:
        """What the worker process makes of a piece."""
        return self._loop.run_until_complete(self._read(limits, do, payload))

    async def _read(self, limits: PieceLimits, do: bytes, payload: bytes) -> TaskAnswer:
        try:
            worker = await self._ready(limits, do)
            worker.send(payload)
            answer = await worker.answer()
        except Ended as exc:
            await self._end()
            return TaskAnswer(cause=exc.cause, message=exc.message)
        except WireroomError as exc:
            await self._end()
            return TaskAnswer(unfit=True, message=exc.message, hint=str(exc.hint))
        if answer.leaving:
            await self._end()
        return TaskAnswer(*answer)

    async def _ready(self, limits: PieceLimits, do: bytes) -> WorkerProcess:
        if self._limits != limits:
            await self._end()
        if self._worker is None:
            hello = Hello(
                parent=os.getpid(),
                cpu=limits.cpu,
                memory=limits.memory,
                growth=GROWTH,
                pieces=PIECES,
            )
            self._worker = await WorkerProcess.start(hello, wall=limits.wall)
            self._limits = limits
        await self._worker.load(do)
        return self._worker

    async def _end(self) -> None:
        if self._worker is not None:
            worker, self._worker = self._worker, None
            await worker.end()


@cache
def _host() -> _TaskHost:
    return _TaskHost()


def read_piece(limits: PieceLimits, do: bytes, payload: bytes) -> TaskAnswer:
    """The task."""
    return _host().read(limits, do, payload)


PLUG = EnginePlug("ray", RayEngine, extra="ray")
