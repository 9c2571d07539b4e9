"""What a run takes from the store, and when: due publishers, feeds and leads, each with the lease of its host."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic

from wireroom.app.concurrency import steady_seconds, wait_for_event
from wireroom.app.host_leases import (
    RENEWALS,
    TRY_AGAIN,
    WORTH_WAITING,
    Cooldowns,
)
from wireroom.app.run.due_work import (
    WorkContext,
    front_host,
    put_off_scout,
)
from wireroom.model import Feed, Lead, Publisher

log = logging.getLogger(__name__)

UNEVEN = timedelta(seconds=5)  # by which two clocks may differ without one having been set
TAKE_AGAIN = 1.0  # seconds until due work is looked for again while there is room for it
TAKE_APART = 0.1  # seconds between two looks when less was due than there is room for
IDLE = 60.0  # seconds a daemon sleeps at most: feeds may be added by another process
LOOK_AGAIN = 2.0  # seconds it sleeps at most while others hold hosts: they give them back, and find new leads
SCOUT_WITHIN = timedelta(seconds=30)  # another process should be done with a publisher's host
SCOUTS_SHARE = 4  # of what may be in flight, one in so many may be a scout: each is many requests


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
        """Until the next feed or lead is due, or somebody wakes us.

        What others hold counts as due when their leases end, and mostly comes up long before.
        """
        store, holder = self._work.app.store, self._work.leases.holder

        def look_up() -> tuple[datetime | None, bool]:
            return store.next_due(), bool(set(store.holders()) - {holder})

        due, are_others = await self._work.thread.call(look_up)
        self.next_at = due
        wait = IDLE if due is None else (due - self._work.app.clock()).total_seconds()
        is_waiting = self._hosts_busy or self._is_holding()
        idle = min(IDLE, LOOK_AGAIN) if are_others else IDLE
        longest, shortest = (TAKE_AGAIN, TRY_AGAIN) if is_waiting else (idle, 0.05)
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
        every = self._work.options.scout_every
        elapsed = timedelta(seconds=steady - self._taken_steadily)
        self._taken_at, self._taken_steadily = now, steady
        if before is None:
            self._work.app.store.wake_untimed(now=now, scout_every=every)
            return
        jump = now - before - elapsed
        if abs(jump) <= UNEVEN and now >= before:
            return
        leases = self._work.leases
        leases.renew_now(now)
        if now < before:
            self._work.app.store.wake_untimed(now=now, set_back=-jump, scout_every=every)
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
        work, scouting = self._work, frozenset(self.scouting)
        limit = most + len(scouting) + len(self._hosts_busy)
        taken: list[tuple[str, Publisher]] = []
        busy: dict[str, float] = {}
        for publisher in work.app.store.due_publishers(now=now, limit=limit):
            domain, host = publisher.domain, front_host(publisher)
            if domain in scouting or len(taken) == most:
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
