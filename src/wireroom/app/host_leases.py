"""Leases on hosts: one process asks a host at a time, so manners hold over all processes of a database.

`HostLeases` takes, renews, cools down and gives back the hosts of one holder: a run, a scout, a backfill. A host that is
given back cools down in the store for as long as it would have been left alone by us: whoever takes it next
has never asked it anything. Whoever has to wait too long for a host gets an error with the reason and the time.

`LeaseGuard` is for a run, which holds many hosts for long. Another process takes a host whose lease is over, and asks for
the same pages. So a run that could not renew in time (its store was away, its machine slept, the clock was set)
sends nothing until it knows which hosts are still its own; its work on the others is dropped before anything is asked.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias

from wireroom.app.concurrency import wait_for_event
from wireroom.app.holders import SCOUT, dead_holders, is_local
from wireroom.app.store_thread import StoreExecutor, call_directly
from wireroom.dates.durations import duration_words
from wireroom.errors import FetchError

if TYPE_CHECKING:
    from wireroom.app.application import App


log = logging.getLogger(__name__)

LEASE = timedelta(
    minutes=2
)  # of a scout or a backfill; renewed on the way; a dead process's host comes back then
LONGEST_COOLDOWN = timedelta(hours=1)  # as the store's longest lease; servers repeat what they want
ROUND_UP = timedelta(seconds=1)  # hosts whose cooldowns differ by less are given back together
WORTH_WAITING = timedelta(seconds=65)  # the longest Crawl-delay, and a run's usual time at a host
TRY_AGAIN = 0.2  # seconds until a host is tried again that another process holds
RENEWALS = 3  # in the course of a lease: two may be late
FORGET_SILENT = timedelta(
    days=1
)  # a run of another machine that was not heard of for so long is no more
SURE_FOR = 0.8  # of a lease: a request that is just being sent arrives before the end of it

Cooldowns: TypeAlias = Mapping[timedelta, Sequence[str]]
"""Hosts that are given back, by how long they cool down."""
InFlight: TypeAlias = Mapping["asyncio.Task[Any]", str]
"""Tasks under way, each with its host."""


@dataclass(frozen=True, slots=True)
class Renewed:
    """What a renewal gave, and when it was asked for: leases count from then."""

    began: float
    now: datetime
    lost: frozenset[str]


class HostLeases:
    """The hosts of one holder."""

    def __init__(
        self,
        app: App,
        holder: str,
        *,
        lease: timedelta = LEASE,
        gap: timedelta = timedelta(),
        rest_of: Callable[[str], timedelta] | None = None,
        execute: StoreExecutor = call_directly,
    ) -> None:
        """`gap` is how long every host cools down at least, `rest_of` what a server may want beyond it."""
        self.holder = holder
        self.lease = lease
        self.in_use: Counter[str] = Counter()
        """How much is under way on each host."""
        self.slow: set[str] = set()
        """Hosts that cooled down for longer than `gap`, and for which a run that is to end still waits."""
        self._app = app
        self._gap = gap
        self._rest_of = rest_of
        self._execute = execute
        self._renew_at: dict[str, datetime] = {}  # of hosts that were taken one by one
        self._waited_from: dict[str, float] = {}
        self._idle: set[str] = set()
        self._ended = asyncio.Event()

    # --- in use -----------------------------------------------------------------------------------

    def use(self, host: str) -> None:
        """Something begins on a host."""
        self.in_use[host] += 1
        self._idle.discard(host)

    def done(self, host: str) -> None:
        """It is over."""
        self.in_use[host] -= 1
        if self.in_use[host] <= 0:
            del self.in_use[host]
            self._idle.add(host)
        self._ended.set()

    def busy(self, most: int) -> frozenset[str]:
        """The hosts on which so much is under way, or more."""
        return frozenset(host for host, count in self.in_use.items() if count >= most)

    async def wait_for_end(self, seconds: float) -> None:
        """Waits until something ends, for so long at most."""
        self._ended.clear()
        await wait_for_event(self._ended, seconds)

    # --- taking -----------------------------------------------------------------------------------

    async def hold(self, host: str) -> None:
        """Waits until the host is ours; FetchError when that is not to be expected soon."""
        while not await self.take(host):
            await self.wait(host)

    async def take(self, host: str) -> bool:
        """Whether the host is ours now; a lease that is half over is renewed."""
        now, renew_at = self._app.clock(), self._renew_at.get(host)
        if renew_at is None or now >= renew_at:
            if not await self._execute(lambda: self.take_now(host, now)):
                self._renew_at.pop(host, None)
                return False
            self._renew_at[host] = now + self.lease / 2
        self._waited_from.pop(host, None)
        return True

    def take_now(self, host: str, now: datetime) -> bool:
        """Whether the store gives us the host; asks it here."""
        return self._app.store.take_host(host, holder=self.holder, now=now, lease=self.lease)

    async def wait(self, host: str) -> None:
        """A moment, after which it may be free; FetchError when that is not to be expected soon."""
        waited_from = self._waited_from.setdefault(host, monotonic())
        now = self._app.clock()
        holder, left = await self._execute(lambda: self._app.store.host_lease(host, now=now))
        if dead_holders([holder]):
            await self._execute(self.release_dead)
        elif not holder:
            refuse_long_cooldown(host, left, most=WORTH_WAITING)
        elif not holder.startswith(SCOUT):
            _refuse_long_work(host, monotonic() - waited_from)
        await asyncio.sleep(TRY_AGAIN)

    # --- renewing ---------------------------------------------------------------------------------

    async def renew(self) -> Renewed:
        """Prolongs the leases of all hosts in use; tells which of them are somebody else's now."""
        hosts = sorted(self.in_use)

        def renew() -> Renewed:
            began, now = monotonic(), self._app.clock()
            held = self._app.store.renew(holder=self.holder, now=now, lease=self.lease, hosts=hosts)
            return Renewed(began, now, frozenset(hosts).difference(held))

        return await self._execute(renew)

    def renew_now(self, now: datetime) -> None:
        """Prolongs every lease of ours, counted from now; calls the store here."""
        self._app.store.renew(holder=self.holder, now=now, lease=self.lease)

    # --- cooling down, giving back ----------------------------------------------------------------

    def cool_down(self) -> Cooldowns:
        """The hosts that nobody uses any more, each named once, with their cooldowns counted from now.

        For the event loop, where the fetcher lives; what it gives is for `release`.
        """
        idle, self._idle = sorted(self._idle), set()
        return self.cooldowns(idle)

    def cooldowns(self, hosts: Iterable[str]) -> Cooldowns:
        """How long each of these hosts is to cool down, counted from now."""
        alike: defaultdict[timedelta, list[str]] = defaultdict(list)
        for host in hosts:
            alike[self._cooldown(host)].append(host)
        self.slow.update(
            host
            for cooldown, some in alike.items()
            if self._gap < cooldown <= WORTH_WAITING
            for host in some
        )
        return alike

    def release(self, cooldowns: Cooldowns, *, now: datetime) -> None:
        """Gives these hosts back; calls the store here."""
        for cooldown, hosts in cooldowns.items():
            self._app.store.release(holder=self.holder, now=now, hosts=hosts, rest=cooldown)

    async def give_back_unused(self) -> None:
        """Lets others have the hosts that were taken one by one and are not used any more."""
        unused = [host for host in self._renew_at if not self.in_use[host]]
        if unused:
            cooldowns, now = self._given_back(unused), self._app.clock()
            await self._execute(lambda: self.release(cooldowns, now=now))

    async def give_back_all(self) -> None:
        """Lets others have everything that is ours: what we used after its cooldown, the rest at once."""
        cooldowns, now = self._given_back({*self._idle, *self._renew_at}), self._app.clock()

        def release() -> None:
            self.release(cooldowns, now=now)
            self._app.store.release(holder=self.holder, now=now)

        await self._execute(release)

    def release_dead(self) -> None:
        """Gives back what processes of this machine held that are no more; calls the store here.

        Of another machine nobody knows: its leases end by themselves, its runs are forgotten after a day.
        """
        store, now = self._app.store, self._app.clock()
        for holder in dead_holders(store.holders()):
            store.release(holder=holder, now=now, rest=self._gap)
        runs = store.queue.runs()
        silent = [run.holder for run in runs if now - run.seen_at > FORGET_SILENT]
        dead = dead_holders(run.holder for run in runs)
        for holder in {*dead, *(holder for holder in silent if not is_local(holder))}:
            store.queue.forget_run(holder)

    def next_on_slow(self) -> datetime | None:
        """When the next lead can be taken on a host that is worth waiting for; calls the store here."""
        return self._app.store.next_due(leads_on=sorted(self.slow)) if self.slow else None

    def _given_back(self, hosts: Iterable[str]) -> Cooldowns:
        """The cooldowns of hosts that are not ours from now on."""
        cooldowns = self.cooldowns(sorted(hosts))
        for host in (host for some in cooldowns.values() for host in some):
            self._idle.discard(host)
            self._renew_at.pop(host, None)
        return cooldowns

    def _cooldown(self, host: str) -> timedelta:
        rest = self._rest_of(host) if self._rest_of is not None else timedelta()
        if rest <= self._gap:
            return self._gap
        return min(-(-rest // ROUND_UP) * ROUND_UP, LONGEST_COOLDOWN)


class LeaseGuard:
    """Renews the leases of a run, and knows whether they hold."""

    def __init__(
        self,
        leases: HostLeases,
        in_flight: InFlight,
        *,
        clock: Callable[[], datetime],
        pause: Callable[[bool], None],
    ) -> None:
        """`pause` stops and resumes the requests of this process."""
        self._leases = leases
        self._in_flight = in_flight
        self._clock = clock
        self._pause = pause
        self._asking: set[asyncio.Task[Any]] = set()
        self._renewed = asyncio.Event()
        self._wanted = asyncio.Event()
        self._doubt: asyncio.TimerHandle | None = None
        self._until = 0.0
        self._until_at = datetime.min.replace(tzinfo=UTC)

    def begin(self) -> None:
        """Nothing is in flight yet: whatever is taken from now on is ours for a while."""
        self._hold_from(monotonic(), self._clock())

    async def keep(self, beside: Callable[[], Awaitable[None]]) -> None:
        """Renews in time, for ever; `beside` is done each time as well."""
        try:
            while True:
                await wait_for_event(self._wanted, self._leases.lease.total_seconds() / RENEWALS)
                await self._renew()
                await beside()
        finally:
            if self._doubt is not None:
                self._doubt.cancel()

    @contextmanager
    def asking(self) -> Iterator[None]:
        """The task that runs this is about to ask a server: it ends here if its host is lost."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - it is awaited
        self._asking.add(task)
        try:
            yield
        finally:
            self._asking.discard(task)

    async def sure(self) -> None:
        """Waits until our leases hold for certain; mostly they do."""
        while not (monotonic() < self._until and self._clock() < self._until_at):
            self._be_in_doubt()
            await self._renewed.wait()

    async def _renew(self) -> None:
        """The time counts from when the store is asked, not from when it was to be."""
        self._wanted.clear()
        renewed = await self._leases.renew()
        self._drop(renewed.lost)
        self._hold_from(renewed.began, renewed.now)
        self._pause(False)
        self._renewed.set()

    def _drop(self, lost: frozenset[str]) -> None:
        """Ends the tasks that have asked for nothing yet, on hosts that are somebody else's now."""
        dropped = [task for task in self._asking if self._in_flight.get(task) in lost]
        for task in dropped:
            task.cancel()
        if dropped:
            log.warning("leases lost", extra={"hosts": len(lost), "dropped": len(dropped)})

    def _hold_from(self, began: float, now: datetime) -> None:
        """Leases hold from then on, by both clocks: only one of them counts while the machine sleeps."""
        sure = self._leases.lease * SURE_FOR
        self._until = began + sure.total_seconds()
        self._until_at = now + sure
        if self._doubt is not None:
            self._doubt.cancel()
        left = self._until - monotonic()
        self._doubt = asyncio.get_running_loop().call_later(max(0.0, left), self._be_in_doubt)

    def _be_in_doubt(self) -> None:
        """Nothing is sent from now on, until leases are renewed."""
        self._renewed.clear()
        self._pause(True)
        self._wanted.set()


def refuse_long_cooldown(host: str, left: timedelta, *, most: timedelta) -> None:
    """Raises FetchError where a host cools down for longer than it is worth waiting for."""
    if left > most:
        raise FetchError(
            f"http://{host}/",
            f"its server asked to be left alone for another {duration_words(left)}",
            kind="throttled",
            retry_after=left,
            hint="Try again then.",
        )


def _refuse_long_work(host: str, waited: float) -> None:
    if waited > WORTH_WAITING.total_seconds():
        raise FetchError(
            f"http://{host}/",
            "another process on this database is at work there, and has been for a minute",
            kind="throttled",
            hint="Try again when that run is done there.",
        )
