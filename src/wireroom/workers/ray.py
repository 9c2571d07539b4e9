"""The engine `ray`: work spread over the machines of a Ray cluster, each piece read by a parser there.

    async with RayEngine(EngineOptions(address="10.0.0.1:6379")) as engine:
        async for outcome in engine.spread(pages, do):      # Done | Lost

Parsers are actors that belong to the command (`ray_parsers`). A piece whose parser is lost, or the node below it, is
handed to another one, a few times.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterable, Callable, Iterable
from contextlib import ExitStack, suppress
from time import monotonic
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from wireroom.errors import WireroomError
from wireroom.ports import EngineOptions, EnginePlug, Spread
from wireroom.workers.process import Ended, WorkerAnswer
from wireroom.workers.ray_cluster import cluster_cores, connected, load_ray, require_ray
from wireroom.workers.ray_parsers import (
    ParserAnswer,
    PieceLimits,
    find_parsers,
    keep_parsers,
    parcels,
)
from wireroom.workers.worker_pool import AHEAD, CLOSED, Source, WorkerPool

Work = TypeVar("Work")
Outcome = TypeVar("Outcome")

RETRIES: Final = (
    3  # of a piece whose parser or its node was lost; a page cannot do that, for it is read beside
)
SPARE: Final = (
    1  # call in flight beyond one for each core: it is on its way while others are worked on
)
LOOK_EVERY: Final = 5.0  # seconds between two looks at which parsers there are
PATIENCE: Final = 60.0  # seconds in which there has to be one
WAIT: Final = 0.2  # seconds between two looks while there is none


class RayEngine:
    """Parsers of a Ray cluster; a call for each core and one more at once, or as many as the options say.

    Joins the cluster with the first piece, and leaves it with `close`.
    """

    ahead = AHEAD

    def __init__(self, options: EngineOptions | None = None) -> None:
        require_ray()
        self.options = options or EngineOptions()
        self.workers = 0
        self._opened = ExitStack()
        self._pools: set[WorkerPool[Any, Any]] = set()
        self._parsers = _Parsers()
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

    async def acquire(self, do: bytes) -> RayWorker:
        """Something that hands pieces to parsers; release or discard it."""
        if self._closed:
            raise WireroomError(CLOSED)
        options = self.options
        limits = PieceLimits(
            options.cpu.total_seconds(), options.wall.total_seconds(), options.memory
        )
        return RayWorker(self._parsers, limits, do)

    def release(self, worker: RayWorker) -> None:
        """It has nothing in flight, and holds nothing."""

    async def discard(self, worker: RayWorker) -> None:
        """Ends what it has in flight."""
        await worker.end()

    def _join(self) -> None:
        if self._closed:
            raise WireroomError(CLOSED)
        if not self.workers:
            self._opened.enter_context(connected(self.options.address))
            self.workers = self.options.workers or cluster_cores() + SPARE


class _Parsers:
    """The parsers that pieces can be handed to, and how many each has in flight from here."""

    def __init__(self) -> None:
        self._actors: dict[str, Any] = {}
        self._lost: set[str] = set()
        """Ray still names a parser for a moment after it was lost."""
        self._in_flight: Counter[str] = Counter()
        self._look_at = 0.0

    async def take(self) -> tuple[str, Any]:
        """The parser that has the least to do, by name; `give_back` it, or `drop` it."""
        until = monotonic() + PATIENCE
        while not self._are_there():
            if monotonic() > until:
                raise Ended("killed", f"there was no parser for {PATIENCE:g} s")
            await asyncio.sleep(WAIT)
        name = min(self._actors, key=self._in_flight.__getitem__)
        self._in_flight[name] += 1
        return name, self._actors[name]

    def give_back(self, name: str) -> None:
        """It has answered."""
        self._in_flight[name] -= 1

    def drop(self, name: str) -> None:
        """It is lost."""
        self._lost.add(name)
        self._actors.pop(name, None)
        self._look_at = 0.0

    def _are_there(self) -> bool:
        if not self._actors or monotonic() >= self._look_at:
            self._look()
        return bool(self._actors)

    def _look(self) -> None:
        """Which there are now. A reader only looks for them: what it began itself would be lost with it."""
        ray = load_ray()
        if ray.get_runtime_context().get_actor_id() is None:
            keep_parsers()
        there = find_parsers()
        self._lost &= there
        self._actors = {name: actor for name, actor in self._actors.items() if name in there}
        for name in there - self._actors.keys() - self._lost:
            with suppress(ValueError):  # it was lost a moment ago
                self._actors[name] = ray.get_actor(name)
        self._look_at = monotonic() + LOOK_EVERY


class RayWorker:
    """Hands pieces to whichever parser has the least to do: all that gather while it waits for others, in one call.

    A call costs Ray as much as a tenth of a page, however many pieces it has.
    """

    def __init__(self, parsers: _Parsers, limits: PieceLimits, do: bytes) -> None:
        self._parsers = parsers
        self._limits = limits
        self._do = do
        self._waiting: list[bytes] = []
        self._answers: deque[ParserAnswer] = deque()
        self._calling: asyncio.Task[list[ParserAnswer]] | None = None

    def send(self, payload: bytes) -> None:
        """Takes a piece; it goes with the next call."""
        self._waiting.append(payload)
        self._call()

    async def answer(self) -> WorkerAnswer:
        """What came of the piece that has waited longest; raises Ended where its worker was lost."""
        while not self._answers:
            assert self._calling is not None  # noqa: S101 - a piece was sent
            answers = await asyncio.shield(self._calling)
            self._calling = None
            self._answers.extend(answers)
            self._call()
        answer = self._answers.popleft()
        if answer.unfit:
            raise WireroomError(answer.message, hint=answer.hint)
        if answer.cause is not None:
            raise Ended(answer.cause, answer.message)
        return WorkerAnswer(answer.kind, answer.payload, answer.leaving)

    async def end(self) -> None:
        """Nobody waits for its pieces any more: their process is ended, whatever it does."""
        self._waiting.clear()
        if self._calling is not None:
            calling, self._calling = self._calling, None
            calling.cancel()
            await asyncio.gather(calling, return_exceptions=True)

    def _call(self) -> None:
        if self._calling is None and self._waiting:
            self._calling = asyncio.create_task(self._read())

    async def _read(self) -> list[ParserAnswer]:
        payloads, self._waiting = self._waiting, []
        for _ in range(RETRIES):
            with suppress(load_ray().exceptions.RayError):
                return await self._try(payloads)
        try:
            return await self._try(payloads)
        except load_ray().exceptions.RayError as exc:
            message = f"its parser was lost {1 + RETRIES} times: {_first(exc)}"
            raise Ended("killed", message) from exc

    async def _try(self, payloads: list[bytes]) -> list[ParserAnswer]:
        name, actor = await self._parsers.take()
        sizes, parts = parcels(payloads)
        ref = actor.read.remote(self._limits, self._do, sizes, *parts)
        try:
            answers: list[ParserAnswer] = await ref
        except load_ray().exceptions.RayError:
            self._parsers.drop(name)
            raise
        except asyncio.CancelledError:
            load_ray().cancel(ref)
            self._parsers.give_back(name)
            raise
        self._parsers.give_back(name)
        return answers


def _first(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


PLUG = EnginePlug("ray", RayEngine, extra="ray")
