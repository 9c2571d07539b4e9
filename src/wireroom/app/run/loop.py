"""The loop: takes what is due, sends it on its errands, keeps the leases, and ends in good order.

Decides nothing about feeds, leads or articles; only how much is in hand, and when there is nothing to do.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from wireroom.app.holders import dead_holders, holder_name
from wireroom.app.host_leases import refuse_long_rest
from wireroom.app.run.batches import OutcomeBatches
from wireroom.app.run.contexts import PublisherContexts
from wireroom.app.run.cooldowns import AWAITED, Cooldowns, GivenBack
from wireroom.app.run.counts import RunCounts
from wireroom.app.run.due_work import Errands
from wireroom.app.run.in_flight import InFlight
from wireroom.app.run.leases import Leases
from wireroom.app.run.readers import Readers
from wireroom.app.run.request_pause import RequestPause
from wireroom.app.run.run_options import RunOptions
from wireroom.app.run.tasks import BackgroundTasks
from wireroom.app.store_thread import StoreThread
from wireroom.app.wait import wait_for_event
from wireroom.errors import FetchError, StoreError
from wireroom.model import Event, Feed, Lead
from wireroom.ports import Engine, Fetch
from wireroom.urls import host_of
from wireroom.workers.follow_jobs import Following

if TYPE_CHECKING:
    from wireroom.app.application import App
    from wireroom.app.robots_buffer import RobotsBuffer
    from wireroom.app.scouting import Scouting

log = logging.getLogger(__name__)

LOOK_AGAIN = 1.0  # seconds between two looks for due work while there is room for it
LOOK_APART = (
    0.1  # seconds between two looks when there was less to do than room; others share a commit
)
IDLE = 60.0  # seconds a daemon sleeps at most: feeds may be added by another process
HOLD_WITHIN = timedelta(seconds=30)  # another process should be done with a publisher's front page
GRACE = 5.0  # seconds that errands have to end when the process is asked to stop; all of it takes under 10


class RunLoop:
    """Follows publishers with one fetcher and one engine, until there is nothing due or somebody says stop."""

    def __init__(
        self,
        app: App,
        fetch: Fetch,
        engine: Engine,
        options: RunOptions,
        *,
        scouting: Scouting | None = None,
        pause: Callable[[bool], None] | None = None,
        our_side: Callable[[FetchError], bool] | None = None,
        pace: Callable[[str], str] | None = None,
        rest_of: Callable[[str], timedelta] | None = None,
        shelf: RobotsBuffer | None = None,
        chance: Random | None = None,
    ) -> None:
        self._app = app
        self._options = options
        self.counts = RunCounts()
        self.next_at: datetime | None = None
        """When something is due next, as far as it was looked up."""
        self.pace = pace or _as_others
        """Why a host is asked more slowly than others, for whoever watches; empty when it is not."""
        self.holder = holder_name()
        chance = chance or Random()  # noqa: S311 - jitter, no secret
        self._thread = StoreThread(app.store, self.counts)
        self._hand = InFlight(self.counts.hosts)
        self._rests = Cooldowns(app.store, self.holder, gap=options.gap, rest_of=rest_of)
        work = Following(policy=options.policy, group=options.group)
        brake = RequestPause(pause)
        self._readers = Readers(engine, work, pause=partial(brake.set, "readers"))
        self._tasks: dict[asyncio.Task[None], str] = {}
        self._leases = Leases(
            self._thread,
            self._tasks,
            self._hand.hosts,
            holder=self.holder,
            lease=options.lease,
            clock=app.clock,
            brake=partial(brake.set, "leases"),
        )
        self._saver = OutcomeBatches(self._thread, self.counts, clock=app.clock, chance=chance)
        self._known = PublisherContexts(
            self._thread,
            self.counts,
            options,
            clock=app.clock,
            hold=self._hold,
            scouting=scouting and scouting.with_executor(self._thread.call, self.counts.watched),
        )
        self._errands = Errands(
            fetch,
            self._readers,
            self._saver,
            self._known,
            self._leases,
            self.counts,
            options,
            clock=app.clock,
            chance=chance,
            our_side=our_side or _never_ours,
        )
        self._chores = BackgroundTasks(
            app, self._thread, self._known, options, self.counts, holder=self.holder, shelf=shelf
        )
        self._began = app.clock()
        self._look_after = 0.0
        self._looked_at = datetime.max.replace(tzinfo=UTC)
        self._closed = False
        self._stop = asyncio.Event()
        self._woken = asyncio.Event()
        self._broken: asyncio.Future[None]

    def stop(self) -> None:
        """Asks the cycle to end: nothing more is taken, and what is in hand is finished or given back."""
        self._stop.set()
        self._woken.set()
        asyncio.get_running_loop().call_later(GRACE, self._hurry)

    def wake(self) -> None:
        """Something may be due that was not: looks at once."""
        self._woken.set()

    async def run(self, *, once: bool = False) -> RunCounts:
        """Until nothing is due any more (`once`), or until `stop`."""
        self._broken = asyncio.get_running_loop().create_future()
        self._began = self._app.clock()
        self._leases.begin()
        helpers = [
            asyncio.create_task(self._guard(one))
            for one in (
                self._readers.run(),
                self._saver.run(),
                self._leases.keep(self._chores.keep_robots_files),
                *self._chores.all(),
            )
        ]
        readers, saver, *others = helpers
        try:
            await self._thread.call(self._app.store.health)  # who finds damage writes nothing more
            await self._thread.call(self._bury_the_dead)
            await self._tell("run_started")
            await self._until_broken(self._take(once=once))
            await self._end_errands()
            if self._broken.done():
                self._broken.result()
        except StoreError as exc:
            if not self._stop.is_set():
                raise
            # Who was told to stop does not wait for a store: what was in hand comes back with its lease.
            log.warning("stopped without a store", extra={"why": exc.message})
        finally:
            await self._close(readers, saver, others)
        return self.counts

    def _bury_the_dead(self) -> None:
        """Gives back what processes of this machine held that are no more."""
        store = self._app.store
        for holder in dead_holders(store.holders()):
            store.release(holder=holder, now=self._app.clock(), rest=self._options.gap)

    # --- taking -----------------------------------------------------------------------------------

    async def _take(self, *, once: bool) -> None:
        """Takes due work while there is room for it."""
        while not self._stop.is_set():
            took = await self._take_some()
            if took:
                continue
            if len(self._hand):
                await self._hand.changed(LOOK_AGAIN)
            elif once:
                if not (await self._anything_soon() or await self._chores.scout_due()):
                    return
            else:
                await self._sleep()

    async def _take_some(self) -> int:
        room = self._options.in_hand - len(self._hand)
        if self.counts.paused or room < max(1, self._options.in_hand // 4):
            return 0
        now = asyncio.get_running_loop().time()
        if len(self._hand) and now < self._look_after:
            return 0
        full = self._hand.with_many(self._options.per_host)
        resting = self._rests.of(self._hand.give_back())
        feeds, leads = await self._thread.call(lambda: self._due(room, resting, full))
        if len(feeds) + len(leads) < room:
            self._look_after = now + LOOK_APART
        for feed in feeds:
            self._begin(host_of(feed.url), self._errands.poll(feed))
        for lead in leads:
            self._begin(host_of(lead.url), self._errands.read(lead))
        return len(feeds) + len(leads)

    def _due(
        self, room: int, resting: GivenBack, full: frozenset[str]
    ) -> tuple[tuple[Feed, ...], tuple[Lead, ...]]:
        """What is due: a slow host holds its share of what is in hand and no more."""
        store, options, now = self._app.store, self._options, self._app.clock()
        if now < self._looked_at:  # the first look, or the clock was set back
            store.wake_untimed(now=now)
        self._looked_at = now
        self._rests.give_back(resting, now=now)
        feeds = store.take_feeds(holder=self.holder, now=now, limit=room, lease=options.lease)
        leads = store.take_leads(
            holder=self.holder,
            now=now,
            limit=max(1, room - len(feeds)),
            lease=options.lease,
            per_host=options.per_host,
            without=full,
        )
        return feeds, leads

    def _begin(self, host: str, errand: Coroutine[Any, Any, None]) -> None:
        self._hand.take(host)
        task = asyncio.create_task(errand)
        self._tasks[task] = host
        task.add_done_callback(lambda done: self._end(host, done))

    def _end(self, host: str, done: asyncio.Task[None]) -> None:
        del self._tasks[done]
        self._hand.drop(host)
        error = None if done.cancelled() else done.exception()
        if error is not None and not self._broken.done():
            self._broken.set_exception(error)

    async def _anything_soon(self) -> bool:
        """Whether something comes up as soon as hosts that we gave back have rested."""
        resting = self._rests.of(self._hand.give_back())
        now = self._app.clock()

        def look() -> tuple[datetime | None, datetime | None]:
            self._rests.give_back(resting, now=now)
            # A feed that was asked in this run and is due again soon would keep it going for ever.
            due = self._app.store.next_due(feeds_by=self._began)
            return due, self._rests.next_awaited()

        self.next_at, behind = await self._thread.call(look)
        limits = ((self.next_at, self._options.patience), (behind, AWAITED))
        waits = [at - now for at, limit in limits if at is not None and at - now <= limit]
        if not waits:
            return False
        await wait_for_event(self._woken, max(0.0, min(waits).total_seconds()))
        self._woken.clear()
        return True

    async def _sleep(self) -> None:
        """Until the next feed or lead is due, or somebody says stop."""
        due = self.next_at = await self._thread.call(self._app.store.next_due)
        wait = IDLE if due is None else (due - self._app.clock()).total_seconds()
        await wait_for_event(self._woken, min(max(wait, 0.05), IDLE))
        self._woken.clear()

    @asynccontextmanager
    async def _hold(self, host: str) -> AsyncIterator[None]:
        """Holds a host for a visit, beside what else is in hand there."""
        async with asyncio.timeout(HOLD_WITHIN.total_seconds()):
            while not await self._is_ours(host):
                holder, left = await self._thread.call(lambda: self._lease_of(host))
                if not holder:
                    refuse_long_rest(host, left, most=HOLD_WITHIN)
                await asyncio.sleep(LOOK_AGAIN)
        self._hand.take(host)
        try:
            yield
        finally:
            self._hand.drop(host)

    def _lease_of(self, host: str) -> tuple[str, timedelta]:
        return self._app.store.host_lease(host, now=self._app.clock())

    async def _is_ours(self, host: str) -> bool:
        return host in self._hand or await self._thread.call(
            lambda: self._app.store.take_host(
                host, holder=self.holder, now=self._app.clock(), lease=self._options.lease
            )
        )

    # --- ending -----------------------------------------------------------------------------------

    async def _guard(self, helper: Coroutine[Any, Any, None]) -> None:
        """A helper that breaks ends the cycle; what it raised is what the cycle raises."""
        try:
            await helper
        except asyncio.CancelledError:
            raise
        except BaseException as exc:  # noqa: BLE001 - handed to whoever runs the cycle
            if not self._broken.done():
                self._broken.set_exception(exc)

    async def _until_broken(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        try:
            stopped = asyncio.create_task(self._stop.wait())
            ends: set[asyncio.Future[Any]] = {task, stopped, self._broken}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            stopped.cancel()
            if self._broken.done():
                self._broken.result()
            if not task.done():  # it may be waiting for a store that is away
                await asyncio.wait({task}, timeout=LOOK_AGAIN)
            if task.done():
                await task
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _end_errands(self) -> None:
        """Lets errands end by themselves for a while; then their work is given back."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=GRACE)
        self._hurry()

    async def _close(
        self,
        readers: asyncio.Task[None],
        saver: asyncio.Task[None],
        others: list[asyncio.Task[None]],
    ) -> None:
        self._hurry()
        left = [*self._tasks]
        for task in (*others, *left):
            task.cancel()
        await asyncio.gather(*others, *left, return_exceptions=True)
        await self._known.close()
        self._readers.end()
        self._saver.end()
        readers.cancel()
        await asyncio.gather(readers, saver, return_exceptions=True)
        with suppress(StoreError):
            if not self._stop.is_set() and not self._broken.done():
                await self._chores.group_all()
            await self._chores.keep_robots_files()
            await self._tell("run_ended", **self.counts.as_facts())
            resting, now = self._rests.of(self._hand.give_back()), self._app.clock()
            await self._thread.call(lambda: self._rests.give_back_all(resting, now=now))
        self._thread.close()
        self._closed = True
        self._app.store.set_fail_fast(False)
        if not self._broken.done():
            self._broken.cancel()
        elif not self._broken.cancelled():
            self._broken.exception()  # somebody was told, or something worse was raised

    def _hurry(self) -> None:
        """The end is near: who was told to stop gives up what cannot be saved now, and leaves it to the leases."""
        if not self._closed:
            self._thread.hurry()
            self._app.store.set_fail_fast(self._stop.is_set())

    async def _tell(self, kind: str, **data: object) -> None:
        event = Event(kind=kind, subject=self.holder, at=self._app.clock(), data=data)
        await self._thread.call(lambda: self._app.store.emit([event]))


def _as_others(_host: str) -> str:
    """Where nobody can tell, it is asked like any other."""
    return ""


def _never_ours(_error: FetchError) -> bool:
    """Where nobody can tell, it is them."""
    return False
