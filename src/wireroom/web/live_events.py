"""Live pages: one tailer a process reads the events of the store and wakes the streams, whoever wrote them.

A stream has the number of the last event it gave; what it missed, or came while nobody listened, is read from the store
again. So a page that is loaded, closed or cut off in mid-scout misses nothing.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING

from fastapi.sse import ServerSentEvent
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from wireroom.errors import StoreError
from wireroom.lru import LruCache

if TYPE_CHECKING:
    from wireroom.app import App
    from wireroom.model import Event
    from wireroom.ports import Fragment

LOOK_EVERY = 0.2  # seconds between two looks at the store, while somebody listens
KEPT = 2_000  # newest events in memory; who is further behind reads from the store
AT_ONCE = 200  # events that a stream takes in one go
MAX_STREAMS = 100  # open at once, over all readers
MAX_PER_CLIENT = 5  # of one address: a browser opens six connections at most
LONGEST = 600.0  # seconds of one stream; a browser comes back by itself
RETRY_MS = 2_000  # after which it does
BEHIND = (
    20  # events at once from which on a page catches up, and is spared what a later one shows anew
)
MADE = 2_000  # fragments kept: a hundred readers of one page are shown the same

MakeFragment = Callable[["Event"], "Fragment | None"]


def needed(events: Sequence[Event], whole: Collection[str]) -> Iterator[Event]:
    """The events that are to be shown, in order; of many at once those alone that no later one shows anew."""
    last = {event.kind: event.seq for event in events}
    for event in events:
        if len(events) <= BEHIND or event.kind not in whole or last[event.kind] == event.seq:
            yield event


class EventTailer:
    """Reads new events and wakes every stream."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._newest: deque[Event] = deque(maxlen=KEPT)
        self._last = 0
        self._wake = asyncio.Condition()
        self._ended = False
        self._open: Counter[str] = Counter()
        self._made: LruCache[tuple[str, int], asyncio.Task[Fragment | None]] = LruCache(MADE)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Looks at the store while the server runs."""
        self._last = await run_in_threadpool(self._app.last_event_number)
        looking = asyncio.create_task(self._look())
        try:
            yield
        finally:
            await self.end()
            looking.cancel()
            with suppress(asyncio.CancelledError):
                await looking

    async def end(self) -> None:
        """Ends every stream: the server stops."""
        self._ended = True
        async with self._wake:
            self._wake.notify_all()

    @contextmanager
    def slot(self, client: str) -> Iterator[None]:
        """A place for one more stream of this address; 429 when there is none."""
        if self._open.total() >= MAX_STREAMS or self._open[client] >= MAX_PER_CLIENT:
            raise HTTPException(429, "Too many live pages are open.", headers={"Retry-After": "30"})
        self._open[client] += 1
        try:
            yield
        finally:
            self._open[client] -= 1
            if not self._open[client]:
                del self._open[client]

    @property
    def streams(self) -> int:
        """How many are open."""
        return self._open.total()

    async def stream(
        self, topic: str, after: int, make: MakeFragment, *, whole: Collection[str] = ()
    ) -> AsyncIterator[ServerSentEvent]:
        """What the events behind this number change, from the store and then as they come.

        Of the kinds in `whole` the last of many says all: a page that was away for hours is not shown each of them.
        Time is that of the event loop. While nothing happens FastAPI says every 15 s that the stream is alive.
        """
        ends = asyncio.get_running_loop().time() + LONGEST
        yield ServerSentEvent(comment="live", retry=RETRY_MS)
        changes = self._changes(topic, after, make, whole, ends)
        # When the store is away, a browser comes back by itself and asks for what it missed.
        with suppress(StoreError):
            async with aclosing(changes):
                async for change in changes:
                    yield change

    async def _changes(
        self, topic: str, after: int, make: MakeFragment, whole: Collection[str], ends: float
    ) -> AsyncGenerator[ServerSentEvent, None]:
        clock = asyncio.get_running_loop().time
        while not self._ended and clock() < ends:
            events = await self._after(after)
            after = events[-1].seq if events else after
            for event in needed(events, whole):
                fragment = await self._fragment(topic, event, make)
                if fragment is None:
                    continue
                kind = "last" if fragment.is_last else "patch"
                yield ServerSentEvent(raw_data=fragment.html, event=kind, id=str(event.seq))
            await self._wait(after, ends)

    async def _fragment(self, topic: str, event: Event, make: MakeFragment) -> Fragment | None:
        """Made once for all who read the same page."""
        key = (topic, event.seq)
        task = self._made.get(key)
        if task is None:
            task = asyncio.create_task(run_in_threadpool(make, event))
            self._made[key] = task
        try:
            return await asyncio.shield(task)
        except Exception:
            self._made.pop(key)  # whoever comes back has it made anew
            raise

    async def _wait(self, after: int, ends: float) -> None:
        """Until there is something new."""
        async with self._wake:
            if self._last <= after and not self._ended:
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(ends):
                        await self._wake.wait()

    async def _after(self, after: int) -> Sequence[Event]:
        """The next events behind a number, from memory or, where that does not reach back, from the store."""
        if self._newest and self._newest[0].seq <= after + 1:
            return list(islice((event for event in self._newest if event.seq > after), AT_ONCE))
        if self._last <= after:
            return ()
        return await run_in_threadpool(self._from_store, after)

    def _from_store(self, after: int) -> list[Event]:
        return list(islice(self._app.events(after=after), AT_ONCE))

    async def _look(self) -> None:
        was_heard = False
        while True:
            await asyncio.sleep(LOOK_EVERY)
            is_heard, was_heard = was_heard, bool(self._open.total())
            if not was_heard:
                continue
            with suppress(StoreError):  # it is away; what is missed is read when it is back
                if not is_heard:
                    await self._skip()
                while events := await run_in_threadpool(self._from_store, self._last):
                    await self._note(events)

    async def _skip(self) -> None:
        """Goes to the newest event: what came while nobody listened, a night's events perhaps, is read by whoever missed it."""
        last = await run_in_threadpool(self._app.last_event_number)
        async with self._wake:
            self._newest.clear()
            self._last = max(self._last, last)
            self._wake.notify_all()

    async def _note(self, events: Sequence[Event]) -> None:
        async with self._wake:
            if self._newest and events[0].seq != self._newest[-1].seq + 1:
                self._newest.clear()  # numbers may have gaps; memory must have none
            self._newest.extend(events)
            self._last = events[-1].seq
            self._wake.notify_all()
