"""The pool of one spread: its slots, what workers have in flight, and the outcomes that wait to be fetched.

Which workers there are is the engine's business: a slot acquires one when there is work, releases it
when there is none, and discards it when something happened to it.
"""

from __future__ import annotations

import asyncio
import pickle
from collections import deque
from collections.abc import AsyncIterable, Callable, Iterable, Iterator
from typing import Any, Generic, Protocol, TypeVar

from wireroom.errors import WireroomError
from wireroom.ports import Done, EngineOptions, Lost
from wireroom.workers.outcome_codec import (
    DONE,
    ERROR,
    MEMORY,
    OutcomeCodec,
    UnsoundOutcomeError,
    unpack_error,
)
from wireroom.workers.process import Ended, WorkerAnswer

Work = TypeVar("Work")
Outcome = TypeVar("Outcome")

AHEAD = 16  # pieces that a worker has in flight at most, so that it never waits for us
AHEAD_BYTES = 2**20  # of pieces in flight, unless one alone is larger
AHEAD_SECONDS = 0.05  # of work in flight: slow pieces at the end must not queue for one worker
SHORTEST = 1e-6  # seconds; an answer that was there already took no time at all
SMOOTHING = 0.2  # how much the newest piece says about how long pieces take
TRIES = 2  # for a piece whose worker died of no limit of ours: it may have been killed by chance
CLOSED = "The engine is closed."
UNSOUND = "its worker gave an answer of another shape"
READY_PER_WORKER = 4  # outcomes that wait for whoever asked for them; then workers wait


class PoolWorker(Protocol):
    """Whoever works on pieces: a process of this machine, or something that hands them on."""

    def send(self, payload: bytes) -> None:
        """Hands it a piece."""
        ...

    async def answer(self) -> WorkerAnswer:
        """What came of the piece that has waited longest; raises Ended."""
        ...


OneWorker = TypeVar("OneWorker", bound=PoolWorker)


class WorkerProvider(Protocol[OneWorker]):
    """Where workers come from and go."""

    options: EngineOptions
    workers: int
    ahead: int
    """Pieces that a worker has in flight at most."""

    async def acquire(self, do: bytes) -> OneWorker:
        """A worker that is ready for this function."""
        ...

    def release(self, worker: OneWorker) -> None:
        """Takes back a worker that has nothing in flight."""
        ...

    async def discard(self, worker: OneWorker) -> None:
        """Ends a worker."""
        ...


class _Job(Generic[Work]):
    """A piece of work on its way."""

    __slots__ = ("packed", "tries", "work")

    def __init__(self, work: Work, packed: bytes) -> None:
        self.work = work
        self.packed = packed
        self.tries = 0


class WorkerPool(Generic[Work, Outcome]):
    """The slots of one spread, and the outcomes that wait to be fetched."""

    def __init__(
        self, engine: WorkerProvider[Any], source: Source[Work], do: Callable[[Work], Outcome]
    ) -> None:
        self.engine = engine
        self.source = source
        self.do = packed(do)
        self.codec = OutcomeCodec(do)
        self.returned: deque[_Job[Work]] = deque()
        self._slots: set[asyncio.Task[None]] = set()
        self._ready: asyncio.Queue[Done[Work, Outcome] | Lost[Work] | BaseException | None]
        self._ready = asyncio.Queue(engine.workers * READY_PER_WORKER)

    def start(self, slots: int) -> None:
        """Opens the slots; one acquires a worker when there is work for it."""
        for _ in range(slots):
            self._slots.add(asyncio.create_task(self._run_slot()))

    async def next(self) -> Done[Work, Outcome] | Lost[Work] | None:
        """The next outcome; None at the end."""
        outcome = await self._ready.get()
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    async def put(self, outcome: Done[Work, Outcome] | Lost[Work]) -> None:
        """Waits until there is room for an outcome."""
        await self._ready.put(outcome)

    async def piece(self, *, wait: bool) -> _Job[Work] | None:
        """The next piece of work; None at the end, or when one would have to be waited for."""
        if self.returned:
            return self.returned.popleft()
        while taken := await self.source.take() if wait else self.source.take_at_once():
            (work,) = taken
            try:
                return _Job(work, packed(work))
            except WireroomError as exc:
                name = type(exc).__name__
                await self.put(Lost(work=work, cause="error", message=exc.message, error=name))
        return None

    async def stop(self) -> None:
        """Ends the slots, with the workers that have something in flight; who still waits is told."""
        for slot in self._slots:
            slot.cancel()
        await asyncio.gather(*self._slots, return_exceptions=True)
        await self.source.close()
        while not self._ready.empty():
            self._ready.get_nowait()
        self._ready.put_nowait(WireroomError(CLOSED))

    async def _run_slot(self) -> None:
        try:
            await _Slot(self).work()
        except Exception as exc:  # noqa: BLE001 - it is raised again where outcomes are fetched
            await self._ready.put(exc)
        me = asyncio.current_task()
        if all(slot.done() or slot is me for slot in self._slots):
            await self._ready.put(None)


class _Slot(Generic[Work, Outcome]):
    """Runs one worker after another, and knows the pieces that the present one has in flight."""

    def __init__(self, pool: WorkerPool[Work, Outcome]) -> None:
        self._pool = pool
        self._worker: PoolWorker | None = None
        self._in_flight: deque[_Job[Work]] = deque()
        self._bytes = 0
        self._pace = AHEAD_SECONDS

    async def work(self) -> None:
        """Until there is no more."""
        try:
            while await self._fill():
                await self._step()
        finally:
            await self._stop_worker()

    async def _fill(self) -> bool:
        """Sends as many pieces ahead as is good; whether any is in flight."""
        ahead = max(1, min(self._pool.engine.ahead, int(AHEAD_SECONDS / max(self._pace, SHORTEST))))
        while len(self._in_flight) < ahead and (not self._in_flight or self._bytes < AHEAD_BYTES):
            piece = await self._pool.piece(wait=not self._in_flight)
            if piece is None:
                break
            if self._worker is None:
                self._worker = await self._pool.engine.acquire(self._pool.do)
            self._worker.send(piece.packed)
            self._in_flight.append(piece)
            self._bytes += len(piece.packed)
        return bool(self._in_flight)

    async def _step(self) -> None:
        """Waits for the outcome of the piece that is being worked on."""
        assert self._worker is not None  # noqa: S101 - it has pieces in flight
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            answer = await self._worker.answer()
            outcome = self._outcome(self._in_flight[0].work, answer)
        except Ended as exc:
            await self._worker_ended(exc)
            return
        self._pace += SMOOTHING * (clock() - began - self._pace)
        self._drop()
        if answer.leaving:
            await self._discard()
        await self._pool.put(outcome)

    def _outcome(self, work: Work, answer: WorkerAnswer) -> Done[Work, Outcome] | Lost[Work]:
        """The answer of a worker as a value; one that says anything else has ended for us."""
        try:
            if answer.kind == DONE:
                return Done(work, self._pool.codec.for_piece(work).unpack(answer.payload))
            if answer.kind == ERROR:
                raised = unpack_error(answer.payload)
                return Lost(
                    work=work,
                    cause="error",
                    message=raised.message,
                    error=raised.error,
                    trace=raised.trace,
                )
        except UnsoundOutcomeError as exc:
            raise Ended("crash", UNSOUND) from exc
        if answer.kind != MEMORY or not answer.leaving:  # who ran out of memory always leaves
            raise Ended("crash", UNSOUND)
        message = f"needs more than {self._pool.engine.options.memory // 2**20} MB of memory"
        return Lost(work=work, cause="memory", message=message)

    async def _worker_ended(self, exc: Ended) -> None:
        """The worker is dead: its piece is lost or tried again, the others in flight go to other workers."""
        piece = self._drop()
        await self._discard()
        piece.tries += 1
        if exc.cause in {"killed", "crash"} and piece.tries < TRIES:
            self._pool.returned.append(piece)
        else:
            await self._pool.put(Lost(work=piece.work, cause=exc.cause, message=exc.message))

    def _drop(self) -> _Job[Work]:
        piece = self._in_flight.popleft()
        self._bytes -= len(piece.packed)
        return piece

    async def _discard(self) -> None:
        """Ends the worker; what it still had in flight goes to whoever asks next."""
        self._pool.returned.extendleft(reversed(self._in_flight))
        self._in_flight.clear()
        self._bytes = 0
        if self._worker is not None:
            worker, self._worker = self._worker, None
            await self._pool.engine.discard(worker)

    async def _stop_worker(self) -> None:
        if self._worker is not None and not self._in_flight:
            self._pool.engine.release(self._worker)
            self._worker = None
        await self._discard()


def packed(thing: object) -> bytes:
    """A thing on its way to a worker; raises WireroomError where it cannot go."""
    try:
        return pickle.dumps(thing, 5)
    except Exception as exc:  # pickle lets through whatever an object raises
        raise WireroomError(
            f"{type(thing).__name__} cannot be sent to a worker: {exc}.",
            hint="Send plain data, and functions that stand in a module.",
        ) from exc


# Where pieces of work come from, one at a time: an iterable, or an asynchronous one.
#
# Nothing is taken before somebody asks, except that an asynchronous source is read a little ahead.

READ_AHEAD = 16  # pieces read ahead from an asynchronous source


class Source(Generic[Work]):
    """Gives the next piece, in a list because it may be anything; an empty list when there is none."""

    def __init__(self, work: Iterable[Work] | AsyncIterable[Work]) -> None:
        self._plain: Iterator[Work] | None = None
        self._feeder: asyncio.Task[None] | None = None
        self._queue: asyncio.Queue[list[Work] | Exception] = asyncio.Queue(READ_AHEAD)
        if isinstance(work, AsyncIterable):
            self._feeder = asyncio.create_task(self._read_ahead(work))
        else:
            self._plain = iter(work)

    async def take(self) -> list[Work]:
        """The next piece, waited for; none at the end."""
        return self._pull() if self._plain is not None else self._seen(await self._queue.get())

    def take_at_once(self) -> list[Work]:
        """The next piece if it is there; none otherwise."""
        if self._plain is not None:
            return self._pull()
        return [] if self._queue.empty() else self._seen(self._queue.get_nowait())

    async def close(self) -> None:
        """Stops reading ahead."""
        if self._feeder is not None:
            self._feeder.cancel()
            await asyncio.gather(self._feeder, return_exceptions=True)

    def _pull(self) -> list[Work]:
        assert self._plain is not None  # noqa: S101 - both callers have looked
        for work in self._plain:
            return [work]
        return []

    def _seen(self, got: list[Work] | Exception) -> list[Work]:
        if isinstance(got, Exception):
            raise got
        if not got:
            self._queue.put_nowait(got)  # the end is there for everybody who asks
        return got

    async def _read_ahead(self, work: AsyncIterable[Work]) -> None:
        try:
            async for each in work:
                await self._queue.put([each])
        except Exception as exc:  # noqa: BLE001 - raised again where pieces are taken
            await self._queue.put(exc)
        else:
            await self._queue.put([])
