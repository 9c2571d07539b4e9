"""The loop: takes what is due, keeps it in flight under leases, and ends in good order.

Decides nothing about publishers, feeds, leads or articles; only how much is in flight, and when there is nothing
to do. `DueQueue` takes the work, `due_work` says what is done with it, `tasks` what is done beside it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any

from wireroom.app.concurrency import steady_seconds, wait_for_event
from wireroom.app.host_leases import (
    RENEWALS,
    TRY_AGAIN,
    WORTH_WAITING,
    Cooldowns,
    HostLeases,
    LeaseGuard,
    holder_name,
)
from wireroom.app.run.batches import OutcomeBatches, Readers
from wireroom.app.run.contexts import PublisherContexts
from wireroom.app.run.counts import RunCounts
from wireroom.app.run.due_work import (
    WorkContext,
    cluster_again,
    cluster_all,
    front_host,
    poll_feed,
    put_off_scout,
    read_lead,
    save_robots_files,
    scout_due,
    tidy_again,
)
from wireroom.app.run.run_options import RunOptions
from wireroom.app.store_thread import StoreThread
from wireroom.errors import StoreError
from wireroom.model import Event, Feed, Lead, Publisher
from wireroom.ports import Engine
from wireroom.urls import host_of
from wireroom.workers.page_jobs import RunJob

if TYPE_CHECKING:
    from wireroom.app.application import App
    from wireroom.app.factories import Network

log = logging.getLogger(__name__)

UNEVEN = timedelta(seconds=5)  # by which two clocks may differ without one having been set
TAKE_AGAIN = 1.0  # seconds until due work is looked for again while there is room for it
TAKE_APART = 0.1  # seconds between two looks when less was due than there is room for
IDLE = 60.0  # seconds a daemon sleeps at most: feeds may be added by another process
SCOUT_WITHIN = timedelta(seconds=30)  # another process should be done with a publisher's host
SCOUTS_SHARE = 4  # of what may be in flight, one in so many may be a scout: each is many requests
GRACE = 5.0  # seconds that work has to end after `stop`; all of it takes under 10


@dataclass(frozen=True, slots=True)
class Due:
    """Work that was taken; its hosts are ours."""

    publishers: tuple[tuple[str, Publisher], ...] = ()
    """Those to scout, each with the host of its front page."""
    feeds: tuple[Feed, ...] = ()
    leads: tuple[Lead, ...] = ()

    def __len__(self) -> int:
        return len(self.publishers) + len(self.feeds) + len(self.leads)


class DueQueue:
    """Takes due work from the store and gives hosts back to it."""

    def __init__(self, work: WorkContext) -> None:
        self.next_at: datetime | None = None
        """When something is due next, as far as it was looked up."""
        self.scouting: set[str] = set()
        """Publishers whose scouts are in flight."""
        self._work = work
        self._began = work.app.clock()
        self._take_after = 0.0
        self._scout_after = 0.0
        self._taken_at: datetime | None = None
        self._taken_steadily = 0.0
        self._hold_until = 0.0
        """While other processes renew their leases: the clock was set, and by it these are over."""
        self._hosts_busy: dict[str, float] = {}
        """Due publishers whose hosts somebody else has, and since when."""

    def begin(self) -> None:
        """A run that is to end does not wait for feeds that are due later than now."""
        self._began = self._work.app.clock()

    async def take(self) -> Due:
        """As much as there is room for."""
        options, leases = self._work.options, self._work.leases
        busy = leases.in_use.total()
        room = options.in_flight - busy
        now = asyncio.get_running_loop().time()
        if self._work.counts.paused or room < max(1, options.in_flight // 4):
            return Due()
        if busy and now < self._take_after:
            return Due()
        scouts = self._room_for_scouts(room) if not busy or now >= self._scout_after else 0
        full, cooldowns = leases.busy(options.per_host), leases.cool_down()
        due = await self._work.thread.call(lambda: self._take(room, scouts, cooldowns, full))
        if len(due) < room:
            self._take_after = now + TAKE_APART
        if scouts > len(due.publishers):
            self._scout_after = now + TAKE_AGAIN
        return due

    def end_scout(self, domain: str, _done: asyncio.Task[None]) -> None:
        """The publisher was scouted, or put off."""
        self.scouting.discard(domain)

    async def is_anything_soon(self, woken: asyncio.Event) -> bool:
        """Whether something comes up as soon as hosts that we gave back have cooled down; waits for it."""
        work = self._work
        cooldowns, now = work.leases.cool_down(), work.app.clock()

        def look_up() -> tuple[datetime | None, datetime | None]:
            work.leases.release(cooldowns, now=now)
            # A feed that was asked in this run and is due again soon would keep it going for ever.
            due = work.app.store.next_due(feeds_by=self._began)
            return due, work.leases.next_on_slow()

        self.next_at, on_slow = await work.thread.call(look_up)
        limits = ((self.next_at, work.options.patience), (on_slow, WORTH_WAITING))
        waits = [(at - now).total_seconds() for at, limit in limits if at and at - now <= limit]
        if self._hosts_busy or self._is_holding():  # scouts that are due, leads that wait for them
            waits = [TRY_AGAIN]
        if not waits:
            return False
        await wait_for_event(woken, max(0.0, min(waits)))
        return True

    async def sleep(self, woken: asyncio.Event) -> None:
        """Until the next feed or lead is due, or somebody wakes us."""
        due = self.next_at = await self._work.thread.call(self._work.app.store.next_due)
        wait = IDLE if due is None else (due - self._work.app.clock()).total_seconds()
        is_waiting = self._hosts_busy or self._is_holding()
        longest, shortest = (TAKE_AGAIN, TRY_AGAIN) if is_waiting else (IDLE, 0.05)
        await wait_for_event(woken, min(max(wait, shortest), longest))

    # --- in the store's thread --------------------------------------------------------------------

    def _take(self, room: int, scouts: int, cooldowns: Cooldowns, full: frozenset[str]) -> Due:
        """What is due: a slow host holds its share of what is in flight and no more."""
        work = self._work
        store, options, now = work.app.store, work.options, work.app.clock()
        self._follow_clock(now)
        work.leases.release(cooldowns, now=now)
        if self._is_holding():
            return Due()
        publishers = self._take_publishers(scouts, now) if scouts else ()
        room = max(1, room - len(publishers))
        holder = work.leases.holder
        feeds = store.take_feeds(holder=holder, now=now, limit=room, lease=options.lease)
        leads = store.take_leads(
            holder=holder,
            now=now,
            limit=max(1, room - len(feeds)),
            lease=options.lease,
            per_host=options.per_host,
            without=full,
            scouted=options.scout,
        )
        return Due(publishers, feeds, leads)

    def _follow_clock(self, now: datetime) -> None:
        """Looks whether the clock was set since the last time; what is in flight stays ours all the same.

        By the new time every lease may be over, or longer than any. So we renew ours before anything is taken, and
        give other processes the time to do so: else what they have in flight would be asked for twice.
        """
        before, steady = self._taken_at, steady_seconds()
        elapsed = timedelta(seconds=steady - self._taken_steadily)
        self._taken_at, self._taken_steadily = now, steady
        if before is None:
            self._work.app.store.wake_untimed(now=now)
            return
        jump = now - before - elapsed
        if abs(jump) <= UNEVEN and now >= before:
            return
        leases = self._work.leases
        leases.renew_now(now)
        if now < before:
            self._work.app.store.wake_untimed(now=now, set_back=-jump)
        if abs(jump) > UNEVEN and set(self._work.app.store.holders()) - {leases.holder}:
            self._hold_until = monotonic() + leases.lease.total_seconds() / RENEWALS

    def _is_holding(self) -> bool:
        return monotonic() < self._hold_until

    def _room_for_scouts(self, room: int) -> int:
        if not self._work.options.scout:
            return 0
        most = max(1, self._work.options.in_flight // SCOUTS_SHARE)
        return max(0, min(room, most - len(self.scouting)))

    def _take_publishers(self, most: int, now: datetime) -> tuple[tuple[str, Publisher], ...]:
        """Due publishers, each with its host; one whose host somebody else has stays due for a while."""
        work, under_way = self._work, frozenset(self.scouting)
        limit = most + len(under_way) + len(self._hosts_busy)
        taken: list[tuple[str, Publisher]] = []
        busy: dict[str, float] = {}
        for publisher in work.app.store.due_publishers(now=now, limit=limit):
            domain, host = publisher.domain, front_host(publisher)
            if domain in under_way or len(taken) == most:
                continue
            if not host or work.leases.take_now(host, now):
                taken.append((host or domain, publisher))
            elif not self._put_off(domain, host, now):
                busy[domain] = self._hosts_busy.get(domain) or monotonic()
        self._hosts_busy = busy
        return tuple(taken)

    def _put_off(self, domain: str, host: str, now: datetime) -> bool:
        """Puts a scout off whose host is not to be had soon."""
        holder, left = self._work.app.store.host_lease(host, now=now)
        is_cooling = not holder and left > SCOUT_WITHIN
        waited = monotonic() - self._hosts_busy.get(domain, monotonic())
        if not is_cooling and waited <= SCOUT_WITHIN.total_seconds():
            return False
        why = "its host cools down" if is_cooling else "its host is held by another process"
        log.info("not scouted", extra={"publisher": domain, "why": why})
        put_off_scout(self._work.app, domain, left if is_cooling else None)
        return True


class RunLoop:
    """Follows publishers with one fetcher and one engine, until there is nothing due or somebody says stop."""

    def __init__(
        self,
        app: App,
        network: Network,
        engine: Engine,
        options: RunOptions,
        chance: Random | None = None,
    ) -> None:
        self.counts = RunCounts()
        self._in_flight: dict[asyncio.Task[None], str] = {}
        chance = chance or Random()  # noqa: S311 - jitter, no secret
        parts = (app, network, engine, options, chance)
        self._work = _work_context(*parts, self.counts, self._in_flight)
        self._queue = DueQueue(self._work)
        self._stop = asyncio.Event()
        self._woken = asyncio.Event()
        self._broken: asyncio.Future[None]

    @property
    def next_at(self) -> datetime | None:
        """When something is due next, as far as it was looked up."""
        return self._queue.next_at

    def pace(self, host: str) -> str:
        """Why a host is asked more slowly than others, for whoever watches; empty when it is not."""
        return self._work.network.pace(host)

    def stop(self) -> None:
        """Asks the run to end: nothing more is taken, and what is in flight is finished or given back."""
        self._stop.set()
        self._woken.set()
        asyncio.get_running_loop().call_later(GRACE, self._give_up_soon)

    def wake(self) -> None:
        """Something may be due that was not: looks at once."""
        self._woken.set()

    async def run(self, *, once: bool = False) -> RunCounts:
        """Until nothing is due any more (`once`), or until `stop`."""
        work = self._work
        self._broken = asyncio.get_running_loop().create_future()
        work.guard.begin()
        self._queue.begin()
        readers, batches, *others = [
            asyncio.create_task(self._guarded(helper))
            for helper in (
                work.readers.run(),
                work.batches.run(),
                work.guard.keep(partial(save_robots_files, work)),
                cluster_again(work),
                tidy_again(work),
            )
        ]
        try:
            await work.thread.call(work.app.store.health)  # who finds damage writes nothing more
            await work.thread.call(work.leases.release_dead)
            await self._emit("run_started")
            await self._until_broken(self._take(once=once))
            await self._end_work()
            if self._broken.done():
                self._broken.result()
        except StoreError as exc:
            if not self._stop.is_set():
                raise
            # Who was asked to stop does not wait for a store: what was in flight comes back with its lease.
            log.warning("stopped without a store", extra={"why": exc.message})
        finally:
            await self._close(readers, batches, others)
        return self.counts

    # --- taking -----------------------------------------------------------------------------------

    async def _take(self, *, once: bool) -> None:
        """Takes due work while there is room for it."""
        while not self._stop.is_set():
            due = await self._queue.take()
            self._begin_all(due)
            if len(due):
                continue
            if self._in_flight:
                await self._work.leases.wait_for_end(TAKE_AGAIN)
            elif once:
                if not await self._queue.is_anything_soon(self._woken):
                    return
                self._woken.clear()
            else:
                await self._queue.sleep(self._woken)
                self._woken.clear()

    def _begin_all(self, due: Due) -> None:
        work = self._work
        for host, publisher in due.publishers:
            self._queue.scouting.add(publisher.domain)
            task = self._begin(host, scout_due(work, publisher))
            task.add_done_callback(partial(self._queue.end_scout, publisher.domain))
        for feed in due.feeds:
            self._begin(host_of(feed.url), poll_feed(work, feed))
        for lead in due.leads:
            self._begin(host_of(lead.url), read_lead(work, lead))

    def _begin(self, host: str, job: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        self._work.leases.use(host)
        task = asyncio.create_task(job)
        self._in_flight[task] = host
        task.add_done_callback(self._end)
        return task

    def _end(self, done: asyncio.Task[None]) -> None:
        self._work.leases.done(self._in_flight.pop(done))
        error = None if done.cancelled() else done.exception()
        if error is not None and not self._broken.done():
            self._broken.set_exception(error)

    # --- ending -----------------------------------------------------------------------------------

    async def _guarded(self, helper: Coroutine[Any, Any, None]) -> None:
        """A helper that breaks ends the run; what it raised is what the run raises."""
        try:
            await helper
        except asyncio.CancelledError:
            raise
        except BaseException as exc:  # noqa: BLE001 - raised by whoever runs the loop
            if not self._broken.done():
                self._broken.set_exception(exc)

    async def _until_broken(self, taking: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(taking)
        try:
            stopped = asyncio.create_task(self._stop.wait())
            ends: set[asyncio.Future[Any]] = {task, stopped, self._broken}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            stopped.cancel()
            if self._broken.done():
                self._broken.result()
            if not task.done():  # it may be waiting for a store that is away
                await asyncio.wait({task}, timeout=TAKE_AGAIN)
            if task.done():
                await task
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _end_work(self) -> None:
        """Lets work in flight end by itself for a while; then it is given back."""
        if self._in_flight:
            await asyncio.wait(self._in_flight, timeout=GRACE)
        self._give_up_soon()

    async def _close(
        self,
        readers: asyncio.Task[None],
        batches: asyncio.Task[None],
        others: list[asyncio.Task[None]],
    ) -> None:
        work, left = self._work, [*self._in_flight]
        self._give_up_soon()
        for task in (*others, *left):
            task.cancel()
        await asyncio.gather(*others, *left, return_exceptions=True)
        await work.contexts.close()
        work.readers.end()
        work.batches.end()
        readers.cancel()
        await asyncio.gather(readers, batches, return_exceptions=True)
        with suppress(StoreError):
            if not self._stop.is_set() and not self._broken.done():
                await cluster_all(work)
            await save_robots_files(work)
            await self._emit("run_ended", **self.counts.as_facts())
            await work.leases.give_back_all()
        work.thread.close()
        if not self._broken.done():
            self._broken.cancel()
        elif not self._broken.cancelled():
            self._broken.exception()  # it was raised, or something worse was

    def _give_up_soon(self) -> None:
        """The end is near: who was asked to stop gives up what cannot be saved now, and leaves it to the leases."""
        self._work.thread.give_up_soon(fail_fast=self._stop.is_set())

    async def _emit(self, kind: str, **data: object) -> None:
        app, holder = self._work.app, self._work.leases.holder
        event = Event(kind=kind, subject=holder, at=app.clock(), data=data)
        await self._work.thread.call(lambda: app.store.emit([event]))


def _work_context(
    app: App,
    network: Network,
    engine: Engine,
    options: RunOptions,
    chance: Random,
    counts: RunCounts,
    in_flight: dict[asyncio.Task[None], str],
) -> WorkContext:
    """The parts of a run, put together."""
    if network.scouting is None:
        options = replace(options, scout=False)
    thread = StoreThread(app.store, counts.note_pause)
    leases = HostLeases(
        app,
        holder_name(),
        lease=options.lease,
        gap=options.gap,
        rest_of=network.rest_of,
        execute=thread.call,
    )
    counts.hosts = leases.in_use
    guard = LeaseGuard(
        leases, in_flight, clock=app.clock, pause=partial(network.pause_for, "leases")
    )
    job = RunJob(policy=options.policy, cluster=options.cluster)
    scouting = network.scouting and network.scouting.with_executor(
        thread.call, watched=counts.watched, again_after=options.scout_every
    )
    return WorkContext(
        app=app,
        options=options,
        network=network,
        scouting=scouting,
        counts=counts,
        thread=thread,
        leases=leases,
        guard=guard,
        readers=Readers(engine, job, pause=partial(network.pause_for, "readers")),
        batches=OutcomeBatches(thread, counts, clock=app.clock, chance=chance),
        contexts=PublisherContexts(thread, options, clock=app.clock),
        chance=chance,
    )
