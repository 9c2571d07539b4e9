"""When each host may be asked: a queue per host and a heap of the times at which hosts come due.

Pure: the time comes in as seconds of a monotonic clock, the waiting things are opaque. A host's
slot is reserved before anybody sleeps, so two waiters can never fire together, and a host that was
just served stands behind all others that are ready: no host starves.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from heapq import heapify, heappop, heappush
from typing import Generic, Literal, NamedTuple, TypeVar

from wireroom.fetch.fetch_options import Manners, back_off, clamp_crawl_delay, clamp_retry_after
from wireroom.model import ProblemKind, Purpose

Ending = Literal["answered", "throttled", "unreachable", "left", "unsent"]
"""How a request ended: any answer, "later" (429 or 503), no connection, we left before it was known, or
nothing was sent at all."""

DAY = 86_400.0
SWEEP_EVERY = 20_000  # requests between two sweeps over hosts that need not be remembered
LITTLE = 100  # requests of a day's budget that may be forgotten with the host
NO_WAIT = timedelta()
NOISE = 0.001  # a wait below a millisecond is not worth a word
MOSTLY = 0.5  # part of a wait that makes its cause the one to report

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Cooldown:
    """Why a host is not asked now, and for how long."""

    wait: timedelta
    reason: str
    kind: ProblemKind = "throttled"


class Permit(NamedTuple, Generic[T]):
    """Permission to ask one host once; give it back with `HostSchedule.done`."""

    item: T
    host: str
    address: str
    purpose: Purpose
    waited: timedelta
    reason: str
    """Why it waited; empty when it did not."""
    burst: bool = False
    """Whether it is part of a scout's burst."""


@dataclass(slots=True)
class _Host(Generic[T]):
    name: str
    gap: float
    address: str = ""
    """Where it is reached; hosts of one address share its slots."""
    queue: deque[tuple[T, Purpose, float]] = field(default_factory=deque)
    burst: deque[tuple[T, Purpose, float]] | None = None
    """Scouting requests while a burst is allowed."""
    in_flight: int = 0
    burst_in_flight: int = 0
    """How many of those in flight belong to a burst."""
    next_at: float = 0.0
    ended_at: float = float("-inf")
    cooldown_until: float = 0.0
    """Nothing at all before this, bursts included."""
    cooldown_kind: ProblemKind = "throttled"
    cooldown_reason: str = ""
    gap_reason: str = ""
    """Why the next request is not sent yet, when that is not our usual gap."""
    crawl_delay: str = ""
    """The gap robots.txt asks for, in words."""
    failures: int = 0
    delayed: bool = False
    """robots.txt set the gap, or the server throttled us: no bursts."""
    burst_left: int = 0
    burst_again_at: float = 0.0
    budget_from: float = 0.0
    budget_left: int = 0
    entry: int = 0
    """The number of its one valid entry in the heap; 0 when it has none."""
    ready_at: float = 0.0
    """The time that entry was made for."""
    parked: bool = False
    """Whether it is due and waits for a slot at its address."""
    crowded: bool = False
    """Whether it had to wait for such a slot since it was last served."""


class HostSchedule(Generic[T]):
    """Keeps the manners for every host; holds no clock and no task."""

    def __init__(
        self,
        manners: Manners,
        *,
        chance: Callable[[], float] = random.random,
        is_live: Callable[[T], bool] = lambda _item: True,
    ) -> None:
        self._manners = manners
        self._rest_after_burst = manners.rest_after_burst.total_seconds()
        self._no_slot = f"no slot was free among {manners.concurrency} requests at once"
        self._per_address = manners.per_address
        self._chance = chance
        self._is_live = is_live
        self._hosts: dict[str, _Host[T]] = {}
        self._heap: list[tuple[float, int, _Host[T]]] = []
        self._entries = 0
        self._permits_given = 0
        self._at: dict[str, int] = {}
        self._parked: dict[str, deque[_Host[T]]] = {}
        self.waiting = 0
        """How many requests wait for a permit."""

    # --- asking ---------------------------------------------------------------------------------

    def put(
        self, item: T, *, host: str, purpose: Purpose, now: float, address: str = ""
    ) -> Cooldown | None:
        """Queues an item for its host; a Cooldown instead when it would wait too long."""
        state = self._host(host, now)
        rest = self._cooldown_of(state, now)
        if rest is not None:
            return rest
        if not (state.in_flight or state.queue or state.burst):
            state.address = address
        self._queue_for(state, purpose, now).append((item, purpose, now))
        self.waiting += 1
        if state.burst or not state.entry:
            self._schedule(state)
        return None

    def take(self, now: float) -> Permit[T] | None:
        """The next item whose host may be asked now; its slot is reserved."""
        while self._heap:
            ready_at, entry, state = self._heap[0]
            if entry != state.entry:
                heappop(self._heap)
                continue
            if ready_at > now:
                return None
            heappop(self._heap)
            state.entry = 0
            if self._is_crowded(state):
                continue
            permit = self._reserve(state, now, ready_at)
            if state.burst or permit is None:
                self._schedule(state)  # otherwise it has its one request in flight
            if permit is not None:
                return permit
            self._unpark(state.address, now)
        return None

    def wait(self, now: float) -> float | None:
        """Seconds until `take` may have something; None while only a finished request can change that."""
        while self._heap and self._heap[0][1] != self._heap[0][2].entry:
            heappop(self._heap)
        return max(0.0, self._heap[0][0] - now) if self._heap else None

    # --- answering ------------------------------------------------------------------------------

    def done(
        self,
        permit: Permit[T],
        *,
        now: float,
        ending: Ending = "answered",
        retry_after: timedelta | None = None,
    ) -> list[tuple[T, Cooldown]]:
        """Ends a request; what waits for a host that now rests too long comes back with the reason."""
        state = self._hosts[permit.host]
        state.in_flight -= 1
        state.burst_in_flight -= permit.burst
        self._reschedule(state, permit, now, ending, retry_after)
        self._free_slot(
            permit.address, now
        )  # before it is scheduled: whoever is parked comes first
        self._schedule(state)
        self._permits_given += 1
        if self._permits_given % SWEEP_EVERY == 0:
            self._sweep(now)
        rest = self._cooldown_of(state, now)
        return [] if rest is None else [(item, rest) for item in self._shed(state)]

    def slow_down(self, host: str, delay: timedelta, *, now: float) -> None:
        """Takes the Crawl-delay of a host's robots.txt as its gap."""
        state = self._host(host, now)
        state.gap = clamp_crawl_delay(delay, gap=self._manners.gap).total_seconds()
        state.delayed = True
        # A scout that goes on in single steps waits for the delay it is told, not for a scout's rest.
        state.next_at = state.ended_at + state.gap
        state.gap_reason = state.crawl_delay = f"Crawl-delay of {state.gap:g} s in its robots.txt"
        self._end_burst(state)
        self._schedule(state)

    def pace(self, host: str) -> str:
        """Why the host is asked more slowly than others; empty when it is not."""
        state = self._hosts.get(host)
        return state.crawl_delay if state is not None else ""

    def gap_of(self, host: str) -> timedelta:
        """What lies between two requests to this host."""
        state = self._hosts.get(host)
        return self._manners.gap if state is None else timedelta(seconds=state.gap)

    def scout_gap_of(self, host: str, *, now: float) -> timedelta:
        """What lies between two requests of a scout to this host: nothing while it may send a burst."""
        state = self._hosts.get(host)
        if state is None or not (
            state.delayed or (state.burst_left <= 0 and now < state.burst_again_at)
        ):
            return NO_WAIT
        return timedelta(seconds=state.gap)

    def rest_of(self, host: str, *, now: float) -> timedelta:
        """For how long the host wants to be left alone; failed connections, perhaps our own, do not count."""
        state = self._hosts.get(host)
        if state is None:
            return timedelta()
        cooldown_until = state.cooldown_until if state.cooldown_kind == "throttled" else 0.0
        return timedelta(seconds=max(0.0, max(state.next_at, cooldown_until) - now))

    def forgive(self, *, now: float) -> None:
        """Forgets failed connections: they were our own network's fault."""
        for state in self._hosts.values():
            if state.cooldown_kind == "connect" and state.cooldown_until > now:
                state.cooldown_until, state.failures = now, 0
                self._schedule(state)

    # --- inside ---------------------------------------------------------------------------------

    def _host(self, name: str, now: float) -> _Host[T]:
        state = self._hosts.get(name)
        if state is None:
            state = _Host(name, self._manners.gap.total_seconds())
            state.budget_from, state.budget_left = now, self._manners.host_budget
            state.burst_left = self._manners.burst
            self._hosts[name] = state
        return state

    def _cooldown_of(self, state: _Host[T], now: float) -> Cooldown | None:
        if state.budget_left > 0 and state.cooldown_until <= now:
            return None
        if now - state.budget_from >= DAY:
            state.budget_from, state.budget_left = now, self._manners.host_budget
        if state.budget_left <= 0:
            left = state.budget_from + DAY - now
            return Cooldown(
                timedelta(seconds=left), f"budget of {self._manners.host_budget} requests a day"
            )
        left = state.cooldown_until - now
        if left > self._manners.longest_wait.total_seconds():
            return Cooldown(timedelta(seconds=left), state.cooldown_reason, state.cooldown_kind)
        return None

    def _queue_for(
        self, state: _Host[T], purpose: Purpose, now: float
    ) -> deque[tuple[T, Purpose, float]]:
        if purpose != "scout" or state.delayed:
            return state.queue
        if now >= state.burst_again_at:
            state.burst_left = self._manners.burst
        if state.burst_left <= 0:
            return state.queue
        if state.burst is None:
            state.burst = deque()
        return state.burst

    def _ready_at(self, state: _Host[T]) -> float | None:
        """When the host can next be served; None while it has nothing to do or no slot."""
        if state.parked or (state.budget_left <= 0 and state.in_flight):
            return None
        if state.burst:
            free = (
                state.in_flight == state.burst_in_flight
                and state.burst_in_flight < self._manners.burst_in_flight
            )
            return state.cooldown_until if free else None
        if state.queue and state.in_flight == 0:
            return max(state.cooldown_until, state.next_at)
        return None

    def _schedule(self, state: _Host[T]) -> None:
        """Gives the host its one valid entry in the heap; older entries are recognised as stale."""
        ready_at = self._ready_at(state)
        if ready_at is None:
            state.entry = 0
            return
        if state.entry and state.ready_at == ready_at:
            return
        self._entries += 1
        state.entry, state.ready_at = self._entries, ready_at
        heappush(self._heap, (ready_at, state.entry, state))
        if len(self._heap) > 1000 and len(self._heap) > 4 * len(self._hosts):
            self._heap = [entry for entry in self._heap if entry[1] == entry[2].entry]
            heapify(self._heap)

    def _reserve(self, state: _Host[T], now: float, ready_at: float) -> Permit[T] | None:
        queue = state.burst or state.queue
        in_burst = queue is state.burst
        while queue:
            item, purpose, put_at = queue.popleft()
            self.waiting -= 1
            if not self._is_live(item):
                continue
            state.in_flight += 1
            state.budget_left -= 1
            self._at[state.address] = self._at.get(state.address, 0) + 1
            waited, reason = NO_WAIT, ""
            if now - put_at > NOISE:
                waited = timedelta(seconds=now - put_at)
                late = (now - max(put_at, ready_at)) / (now - put_at)
                reason = self._why(state, put_at, in_burst, late)
                state.crowded = False
            if in_burst:
                self._spend_burst(state, now)
            else:
                state.next_at = max(state.next_at, now) + state.gap
            return Permit(item, state.name, state.address, purpose, waited, reason, in_burst)
        return None

    def _why(self, state: _Host[T], put_at: float, in_burst: bool, late: float) -> str:
        """What kept a request waiting, in words; `late` is the part of its wait not due to the host."""
        if state.crowded:
            return f"{self._manners.per_address} requests to {state.address} were under way"
        if state.cooldown_until > put_at:
            return state.cooldown_reason
        if in_burst:
            return f"{self._manners.burst_in_flight} requests at a time in a scout"
        if late > MOSTLY:
            return self._no_slot
        if state.gap_reason:
            return state.gap_reason
        if state.gap:
            return f"{state.gap:g} s between requests to one host"
        return "one request at a time to one host"

    # --- slots at one address ---

    def _is_crowded(self, state: _Host[T]) -> bool:
        """Whether the address has no slot left; the host is then parked until one is free."""
        if self._at.get(state.address, 0) < self._per_address or not state.address:
            return False
        state.parked = state.crowded = True
        self._parked.setdefault(state.address, deque()).append(state)
        return True

    def _free_slot(self, address: str, now: float) -> None:
        left = self._at[address] - 1
        if left:
            self._at[address] = left
        else:
            del self._at[address]
        if self._parked:
            self._unpark(address, now)

    def _unpark(self, address: str, now: float) -> None:
        """Gives a free slot to the first parked host that can use it at once."""
        parked = self._parked.get(address)
        while parked:
            state = parked.popleft()
            state.parked = False
            self._schedule(state)
            if state.entry and state.ready_at <= now:
                break
        if parked is not None and not parked:
            del self._parked[address]

    # --- bursts, endings, cooldowns ---

    def _spend_burst(self, state: _Host[T], now: float) -> None:
        if state.burst_left == self._manners.burst:
            state.burst_again_at = now + self._manners.burst_every.total_seconds()
        state.burst_in_flight += 1
        state.burst_left -= 1
        if state.burst_left == 0:
            self._end_burst(state)

    def _end_burst(self, state: _Host[T]) -> None:
        """What is left of a scout goes on in single steps, before what waited already."""
        state.burst_left = 0
        if state.burst:
            state.queue.extendleft(reversed(state.burst))
        state.burst = None

    def _reschedule(
        self,
        state: _Host[T],
        permit: Permit[T],
        now: float,
        ending: Ending,
        retry_after: timedelta | None,
    ) -> None:
        if ending == "unsent":
            return
        after = now + (self._rest_after_burst if permit.burst else state.gap)
        state.ended_at = now
        if after > state.next_at:
            state.next_at = after
        if ending == "left":
            return  # our own choice says nothing about the host
        if ending == "answered":
            state.failures = 0
            state.gap_reason = "rest after a scout" if permit.burst else state.crawl_delay
            return
        state.failures += 1
        self._cool_down(state, now, ending, retry_after)

    def _cool_down(
        self, state: _Host[T], now: float, ending: Ending, retry_after: timedelta | None
    ) -> None:
        if ending == "throttled":
            state.delayed = True
            self._end_burst(state)
        elif state.failures < self._manners.patience:
            return
        state.cooldown_kind = "throttled" if ending == "throttled" else "connect"
        wait = back_off(state.failures, chance=self._chance())
        if retry_after is not None:
            wait = clamp_retry_after(retry_after)
            state.cooldown_reason = f"the server asked for {wait.total_seconds():g} s (Retry-After)"
        elif ending == "throttled":
            state.cooldown_reason = f"back-off after {state.failures} answers of 429 or 503"
        else:
            state.cooldown_reason = f"back-off after {state.failures} failed connections"
        if ending == "unreachable":
            wait = max(wait, self._manners.longest_wait + timedelta(seconds=1))
        state.cooldown_until = max(state.cooldown_until, now + wait.total_seconds())

    def _shed(self, state: _Host[T]) -> list[T]:
        waiting = [*(state.burst or ()), *state.queue]
        state.queue.clear()
        state.burst = None
        state.entry = 0
        self.waiting -= len(waiting)
        return [item for item, _, _ in waiting if self._is_live(item)]

    def _sweep(self, now: float) -> None:
        """Forgets hosts about which there is nothing to remember, so that memory stays flat."""
        idle = [
            name
            for name, state in self._hosts.items()
            if not (state.queue or state.burst or state.in_flight or state.delayed or state.parked)
            and not (state.failures and now < state.cooldown_until + DAY)
            and state.next_at <= now
            and state.cooldown_until <= now
            and (state.burst_left == self._manners.burst or now >= state.burst_again_at)
            and state.budget_left >= self._manners.host_budget - LITTLE
        ]
        for name in idle:
            del self._hosts[name]
