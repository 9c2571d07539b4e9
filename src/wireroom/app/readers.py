"""The workers, as those see them who have something to read: bytes in, an outcome back.

Answers wait in a queue; when many wait, or large ones, no more are asked for until the workers have
caught up.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from wireroom.app.engines import engine_of
from wireroom.errors import NoArticleError, ParseError, UnknownFormatError, WireroomError
from wireroom.model import Polled, ProblemKind, Reading, Request, Response
from wireroom.ports import CostlyDocumentError, Done, Engine, Fetch, Lost
from wireroom.workers.document_jobs import Unread
from wireroom.workers.page_jobs import ItemText, PolledItems, RunJob, Work
from wireroom.workers.scout_jobs import DocumentRead, DocumentReading, ready

if TYPE_CHECKING:
    from wireroom.settings import Settings

log = logging.getLogger(__name__)

Made = TypeVar("Made")

MAX_WAITING = 64  # answers that wait for a worker
MAX_WAITING_BYTES = 64 << 20  # of them; a single page may have 10 MB
_TOO_MUCH = frozenset({"cpu", "time", "memory"})
_ERRORS: dict[ProblemKind, type[ParseError]] = {
    "unknown_format": UnknownFormatError,
    "no_article": NoArticleError,
}


class LostWorkError(Exception):
    """A worker died of the piece, or would have."""

    def __init__(self, lost: Lost[Any]) -> None:
        super().__init__(lost.message)
        self.lost = lost


class Readers:
    """Hands answers to the engine and outcomes back to whoever waits for them."""

    def __init__(
        self,
        engine: Engine,
        do: RunJob | DocumentReading,
        *,
        pause: Callable[[bool], None] | None = None,
    ) -> None:
        self._engine = engine
        self._do: Callable[[Any], Any] = do
        self._pause = pause
        self._queue: asyncio.Queue[Work | None] = asyncio.Queue()
        self._awaited: dict[int, asyncio.Future[Any]] = {}
        self._bytes = 0
        self._paused = False

    async def read(self, work: Work) -> Polled | Reading:
        """What came of an answer; raises LostWorkError."""
        outcome: Polled | Reading = await self._outcome(work)
        return outcome

    async def read_document(self, reader: Callable[..., Made], /, *arguments: Any) -> Made:
        """What a reader makes of a document: the `ReadDocument` of a scout."""
        work = DocumentRead(reader, arguments)
        work.outcomes()  # who names a reader that cannot travel is told at once
        try:
            outcome = await self._outcome(work)
        except LostWorkError as exc:
            raise _unread(exc.lost) from exc
        if isinstance(outcome, Unread):
            raise _ERRORS.get(outcome.kind, ParseError)(outcome.message)
        made: Made = outcome
        return made

    def is_reading(self) -> bool:
        """Whether anybody waits for an outcome."""
        return bool(self._awaited)

    async def run(self) -> None:
        """Until `end`."""
        async with aclosing(self._engine.spread(self._pieces(), self._do)) as outcomes:
            async for outcome in outcomes:
                self._return(outcome)

    def end(self) -> None:
        """No more pieces come."""
        self._queue.put_nowait(None)

    def fail(self, error: BaseException) -> None:
        """There are no workers: whoever waits is told."""
        for outcome in self._awaited.values():
            if not outcome.done():
                outcome.set_exception(error)

    async def _outcome(self, work: Work) -> Any:
        outcome: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._awaited[id(work)] = outcome
        self._weigh(_size(work))
        self._queue.put_nowait(work)
        try:
            return await outcome
        finally:
            self._awaited.pop(id(work), None)
            self._weigh(-_size(work))

    async def _pieces(self) -> AsyncIterator[Work]:
        while (work := await self._queue.get()) is not None:
            if id(work) in self._awaited:  # whoever wanted it may be gone
                yield work

    def _return(self, done: Done[Work, Any] | Lost[Work]) -> None:
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
    if isinstance(work, DocumentRead):
        return work.size
    return 0 if isinstance(work, ItemText | PolledItems) else len(work.response.body)


def _unread(lost: Lost[Any]) -> WireroomError:
    """What a scout is told of a document whose worker gave nothing."""
    if lost.cause == "error":  # a flaw of the reader, not of the document
        log.error("a reader failed", extra={"why": lost.message, "trace": lost.trace})
        return WireroomError(
            f"its reader failed: {lost.message}",
            hint="This is a fault of ours or of a plug; run it again with -vv and report what it says.",
        )
    if lost.cause in _TOO_MUCH:
        return CostlyDocumentError(f"the document costs too much to read: {lost.message}")
    return CostlyDocumentError(f"the document cannot be read: {lost.message}")


# Readers of a scout that belongs to no run: opened with the first request, closed with the scouts.


class ScoutReaders:
    """A `ReadDocument` with an engine of its own, which is started when somebody is about to need it."""

    def __init__(self, open_engine: Callable[[], Engine]) -> None:
        self._open_engine = open_engine
        self._readers: Readers | None = None
        self._opened = AsyncExitStack()

    async def __call__(self, reader: Callable[..., Made], /, *arguments: Any) -> Made:
        """What a reader makes of a document."""
        return await self._begun().read_document(reader, *arguments)

    def begin(self) -> None:
        """Starts a worker in the background: it is ready when the first answer comes."""
        if self._readers is None:
            self._begun()
            task = asyncio.create_task(self._warm_up())
            self._opened.push_async_callback(_ended, task)

    def beside(self, fetch: Fetch) -> Fetch:
        """The fetch of scouts, whose first request starts a worker beside it."""

        async def fetched(request: Request) -> Response:
            self.begin()
            return await fetch(request)

        return fetched

    async def close(self) -> None:
        """Ends the workers, whatever they have in hand."""
        await self._opened.aclose()

    def _begun(self) -> Readers:
        if self._readers is None:
            engine = self._open_engine()
            self._opened.push_async_callback(engine.close)
            self._readers = Readers(engine, DocumentReading())
            task = asyncio.create_task(self._run(self._readers))
            self._opened.push_async_callback(_ended, task)
        return self._readers

    async def _run(self, readers: Readers) -> None:
        try:
            await readers.run()
        except WireroomError as exc:  # no worker could be started
            self._readers = None
            readers.fail(exc)

    async def _warm_up(self) -> None:
        with suppress(WireroomError):  # who reads the first document is told
            await self(ready)


def scout_engine(settings: Settings, workers: int | None = None) -> Engine:
    """The engine of scouts outside of a run: so many workers, or as the settings say."""
    return engine_of(settings, workers)


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def open_readers(
    settings: Settings, *, workers: int | None = None
) -> AsyncIterator[ScoutReaders]:
    """Readers for scouts outside of a run, with workers that are started when they are needed."""
    readers = ScoutReaders(lambda: scout_engine(settings, workers))
    try:
        yield readers
    finally:
        await readers.close()
