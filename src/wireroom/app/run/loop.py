"""The loop: takes what is due, keeps it in flight under leases, and ends in good order.

Decides nothing about publishers, feeds, leads or articles; only how much is in flight, and when there is nothing
to do. `due_queue` takes the work, `due_work` and `due_lead` say what is done with it and beside it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from wireroom.app.event_log import COUNTS_SAVED
from wireroom.app.holders import holder_name
from wireroom.app.host_leases import HostLeases, LeaseGuard
from wireroom.app.readers import Readers
from wireroom.app.run.batches import OutcomeBatches
from wireroom.app.run.contexts import PublisherContexts
from wireroom.app.run.counts import RunCounts
from wireroom.app.run.due_lead import read_lead
from wireroom.app.run.due_queue import TAKE_AGAIN, Due, DueQueue
from wireroom.app.run.due_work import (
    WorkContext,
    cluster_again,
    cluster_all,
    poll_feed,
    save_robots_files,
    scout_due,
    tidy_again,
)
from wireroom.app.run.run_options import RunOptions
from wireroom.app.store_thread import StoreThread
from wireroom.errors import StoreError
from wireroom.model import Event
from wireroom.ports import Engine, RunRecord
from wireroom.urls import host_of
from wireroom.workers.page_jobs import RunJob

if TYPE_CHECKING:
    from wireroom.app.application import App
    from wireroom.app.factories import Network

log = logging.getLogger(__name__)

COUNT_EVERY = 2.0  # seconds between two looks at the counts; one that finds something new is a write of some milliseconds
GRACE = 5.0  # seconds that work has to end after `stop`; all of it takes under 10


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
        self._began_at = app.clock()
        self._noted: dict[str, int] = {}  # what the counts of the day know of ours
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

    async def run(self, *, once: bool = False) -> RunCounts:
        """Until nothing is due any more (`once`), or until `stop`."""
        work = self._work
        self._broken = asyncio.get_running_loop().create_future()
        work.guard.begin()
        readers, batches, *others = [
            asyncio.create_task(self._guarded(helper))
            for helper in (
                work.readers.run(),
                work.batches.run(),
                work.guard.keep(self._keep_alive),
                self._keep_counts(),
                cluster_again(work),
                tidy_again(work),
            )
        ]
        try:
            await work.thread.call(work.app.store.health)  # who finds damage writes nothing more
            await work.thread.call(work.leases.release_dead)
            self._queue.begin()  # what a killed process had in flight is due since now
            await work.thread.call(self._note_alive)
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
            await work.thread.call(self._note_alive)
            queue, holder = work.app.store.queue, work.leases.holder
            await work.thread.call(lambda: queue.forget_run(holder))
            await self._emit("run_ended", **self.counts.as_facts())  # whoever looks then sees it
            await work.leases.give_back_all()
        work.thread.close()
        if not self._broken.done():
            self._broken.cancel()
        elif not self._broken.cancelled():
            self._broken.exception()  # it was raised, or something worse was

    def _give_up_soon(self) -> None:
        """The end is near: who was asked to stop gives up what cannot be saved now, and leaves it to the leases."""
        self._work.thread.give_up_soon(fail_fast=self._stop.is_set())

    async def _keep_alive(self) -> None:
        """What is done each time that leases are renewed: others see that we live, and we who died meanwhile."""
        await save_robots_files(self._work)
        await self._work.thread.call(self._note_alive)
        await self._work.thread.call(self._work.leases.release_dead)

    async def _keep_counts(self) -> None:
        """Whoever watches sees what is done every few seconds, while something is."""
        while True:
            await asyncio.sleep(COUNT_EVERY)
            if any(self._not_noted().values()):
                await self._work.thread.call(self._note_alive)
                await self._emit(COUNTS_SAVED)

    def _not_noted(self, done: Mapping[str, int] | None = None) -> dict[str, int]:
        """What came to the counts since they were saved."""
        done = self.counts.tallies() if done is None else done
        return {name: count - self._noted.get(name, 0) for name, count in done.items()}

    def _note_alive(self) -> None:
        app, holder = self._work.app, self._work.leases.holder
        done = self.counts.tallies()
        run = RunRecord(holder=holder, began_at=self._began_at, seen_at=app.clock(), counts=done)
        app.store.queue.save_run(run, done=self._not_noted(done))
        self._noted = done

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
    readers = Readers(engine, job, pause=partial(network.pause_for, "readers"))
    scouting = network.scouting and network.scouting.with_executor(
        thread.call,
        watched=counts.watched,
        read=readers.read_document,
        again_after=options.scout_every,
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
        readers=readers,
        batches=OutcomeBatches(
            thread, counts, clock=app.clock, chance=chance, more_to_come=readers.is_reading
        ),
        contexts=PublisherContexts(thread, options, clock=app.clock),
        chance=chance,
    )
