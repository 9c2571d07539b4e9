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
import pickle
from collections import deque
from collections.abc import AsyncIterable, Callable, Iterable
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from wireroom.engines.frames import DONE, MEMORY
from wireroom.engines.process import Answer, Ended, WorkerProcess
from wireroom.engines.source import Source
from wireroom.engines.worker import Hello
from wireroom.errors import WireroomError
from wireroom.ports import Done, EngineOptions, EnginePlug, Lost, Spread

__all__ = ["PLUG", "LocalEngine"]

Work = TypeVar("Work")
Outcome = TypeVar("Outcome")

PIECES = (
    10_000  # pieces of work after which a worker leaves; starting one takes as long as a hundred
)
GROWTH = 150 * 2**20  # bytes; a worker that holds so much more than at its start leaves
AHEAD = 16  # pieces that a worker has in hand at most, so that it never waits for us
AHEAD_BYTES = 2**20  # of pieces in hand, unless one alone is larger
AHEAD_SECONDS = (
    0.05  # of work in hand; with slow pieces the last ones must not queue behind one another
)
SHORTEST = 1e-6  # seconds; an answer that was there already took no time at all
SMOOTHING = 0.2  # how much the newest piece says about how long pieces take
TRIES = 2  # for a piece whose worker died of no limit of ours: it may have been killed by chance
CLOSED = "The engine is closed."
READY_PER_WORKER = 4  # outcomes that wait for whoever asked for them; then workers wait


class LocalEngine:
    """Worker processes of this machine; one for each core by default.

    Idle workers are kept for the next `spread`. Two spreads at once have workers of their own.
    """

    def __init__(self, options: EngineOptions | None = None) -> None:
        self.options = options or EngineOptions()
        self.workers = self.options.workers or _cores()
        self._idle: list[WorkerProcess] = []
        self._busy: set[WorkerProcess] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._crews: set[_Crew[Any, Any]] = set()
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
        crew: _Crew[Work, Outcome] = _Crew(self, Source(work), _packed(do))
        self._crews.add(crew)
        try:
            crew.start(self.workers)
            while (outcome := await crew.next()) is not None:
                yield outcome
        finally:
            self._crews.discard(crew)
            await crew.stop()

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes of the workers there are now, for whoever watches them."""
        return tuple(worker.pid for worker in (*self._idle, *self._busy))

    async def close(self) -> None:
        """Ends every worker; what they had in hand is not done."""
        self._closed = True
        for crew in list(self._crews):
            await crew.stop()
        for worker in self._idle:
            self._end(worker)
        self._idle.clear()
        await asyncio.gather(*self._ending)

    async def hire(self, do: bytes) -> WorkerProcess:
        """A worker that is ready for this function; give it back or dismiss it."""
        if self._closed:
            raise WireroomError(CLOSED)
        worker = self._idle.pop() if self._idle else await self._start()
        self._busy.add(worker)
        try:
            await worker.load(do)
        except BaseException:
            await self.dismiss(worker)
            raise
        return worker

    def release(self, worker: WorkerProcess) -> None:
        """Takes back a worker that has nothing in hand."""
        self._busy.discard(worker)
        self._idle.append(worker)

    async def dismiss(self, worker: WorkerProcess) -> None:
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


class _Piece(Generic[Work]):
    """A piece of work on its way."""

    __slots__ = ("packed", "tries", "work")

    def __init__(self, work: Work, packed: bytes) -> None:
        self.work = work
        self.packed = packed
        self.tries = 0


class _Crew(Generic[Work, Outcome]):
    """The seats of one spread, and the outcomes that wait to be fetched."""

    def __init__(self, engine: LocalEngine, source: Source[Work], do: bytes) -> None:
        self.engine = engine
        self.source = source
        self.do = do
        self.returned: deque[_Piece[Work]] = deque()
        self._seats: set[asyncio.Task[None]] = set()
        self._ready: asyncio.Queue[Done[Work, Outcome] | Lost[Work] | BaseException | None]
        self._ready = asyncio.Queue(engine.workers * READY_PER_WORKER)

    def start(self, seats: int) -> None:
        """Opens the seats; a worker comes to one when there is work for it."""
        for _ in range(seats):
            self._seats.add(asyncio.create_task(self._sit()))

    async def next(self) -> Done[Work, Outcome] | Lost[Work] | None:
        """The next outcome; None at the end."""
        outcome = await self._ready.get()
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    async def put(self, outcome: Done[Work, Outcome] | Lost[Work]) -> None:
        """Waits until there is room for an outcome."""
        await self._ready.put(outcome)

    async def piece(self, *, wait: bool) -> _Piece[Work] | None:
        """The next piece of work; None at the end, or when one would have to be waited for."""
        if self.returned:
            return self.returned.popleft()
        while taken := await self.source.take() if wait else self.source.take_at_once():
            (work,) = taken
            try:
                return _Piece(work, _packed(work))
            except WireroomError as exc:
                await self.put(Lost(work=work, reason="error", message=exc.message, error=exc))
        return None

    async def stop(self) -> None:
        """Ends the seats, with the workers that have something in hand; who still waits is told."""
        for seat in self._seats:
            seat.cancel()
        await asyncio.gather(*self._seats, return_exceptions=True)
        await self.source.close()
        while not self._ready.empty():
            self._ready.get_nowait()
        self._ready.put_nowait(WireroomError(CLOSED))

    async def _sit(self) -> None:
        try:
            await _Seat(self).work()
        except Exception as exc:  # noqa: BLE001 - it is raised again where outcomes are fetched
            await self._ready.put(exc)
        me = asyncio.current_task()
        if all(seat.done() or seat is me for seat in self._seats):
            await self._ready.put(None)


class _Seat(Generic[Work, Outcome]):
    """A place for one worker after another, and the pieces that the present one has in hand."""

    def __init__(self, crew: _Crew[Work, Outcome]) -> None:
        self._crew = crew
        self._worker: WorkerProcess | None = None
        self._hand: deque[_Piece[Work]] = deque()
        self._bytes = 0
        self._pace = AHEAD_SECONDS

    async def work(self) -> None:
        """Until there is no more."""
        try:
            while await self._fill():
                await self._step()
        finally:
            await self._leave()

    async def _fill(self) -> bool:
        """Takes as many pieces in hand as is good; whether there is any."""
        ahead = max(1, min(AHEAD, int(AHEAD_SECONDS / max(self._pace, SHORTEST))))
        while len(self._hand) < ahead and (not self._hand or self._bytes < AHEAD_BYTES):
            piece = await self._crew.piece(wait=not self._hand)
            if piece is None:
                break
            if self._worker is None:
                self._worker = await self._crew.engine.hire(self._crew.do)
            self._worker.send(piece.packed)
            self._hand.append(piece)
            self._bytes += len(piece.packed)
        return bool(self._hand)

    async def _step(self) -> None:
        """Waits for the outcome of the piece that is being worked on."""
        assert self._worker is not None  # noqa: S101 - there is something in its hand
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            answer = await self._worker.answer()
        except Ended as exc:
            await self._bury(exc)
            return
        self._pace += SMOOTHING * (clock() - began - self._pace)
        piece = self._drop()
        if answer.leaving:
            await self._dismiss()
        await self._crew.put(_outcome(piece.work, answer, self._crew.engine.options))

    async def _bury(self, exc: Ended) -> None:
        """The worker is dead: its piece is lost or tried again, the others in its hand go on elsewhere."""
        piece = self._drop()
        await self._dismiss()
        piece.tries += 1
        if exc.reason in {"killed", "crash"} and piece.tries < TRIES:
            self._crew.returned.append(piece)
        else:
            await self._crew.put(Lost(work=piece.work, reason=exc.reason, message=exc.message))

    def _drop(self) -> _Piece[Work]:
        piece = self._hand.popleft()
        self._bytes -= len(piece.packed)
        return piece

    async def _dismiss(self) -> None:
        """Ends the worker; what it still had in hand goes to whoever asks next."""
        self._crew.returned.extendleft(reversed(self._hand))
        self._hand.clear()
        self._bytes = 0
        if self._worker is not None:
            worker, self._worker = self._worker, None
            await self._crew.engine.dismiss(worker)

    async def _leave(self) -> None:
        if self._worker is not None and not self._hand:
            self._crew.engine.release(self._worker)
            self._worker = None
        await self._dismiss()


def _outcome(work: Work, answer: Answer, options: EngineOptions) -> Any:
    """The answer of a worker as a value."""
    if answer.kind == DONE:
        return Done(work, pickle.loads(answer.payload))  # noqa: S301 - from our own worker
    if answer.kind == MEMORY:
        message = f"needs more than {options.memory // 2**20} MB of memory"
        return Lost(work=work, reason="memory", message=message)
    words, itself = pickle.loads(answer.payload)  # noqa: S301 - from our own worker
    error = pickle.loads(itself) if itself else None  # noqa: S301 - from our own worker
    return Lost(work=work, reason="error", message=words, error=error)


def _packed(thing: object) -> bytes:
    try:
        return pickle.dumps(thing, 5)
    except Exception as exc:  # pickle lets through whatever an object raises
        raise WireroomError(
            f"{type(thing).__name__} cannot be sent to a worker: {exc}.",
            way_out="Send plain data, and functions that stand in a module.",
        ) from exc


def _cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


PLUG = EnginePlug("local", LocalEngine)
