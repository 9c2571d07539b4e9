"""Our leases: kept while hosts are in hand, and nothing is asked for under one that may have run out.

Another process takes a host whose lease is over, and asks for the same pages. So a process that could not
renew in time (its store was away, its machine slept, the clock was set) sends nothing until it knows which hosts
are still its own; what it had in hand on the others is dropped before it is asked for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any, TypeAlias

from wireroom.app.store_thread import StoreThread
from wireroom.app.wait import wait_for_event

log = logging.getLogger(__name__)

RENEWED = 3  # times in the course of a lease: two renewals may be late
SURE_FOR = 0.8  # of a lease: a request that is just being sent arrives before the end of it

Errand: TypeAlias = asyncio.Task[Any]


class Leases:
    """Renews the leases of what is in hand, and knows whether they hold."""

    def __init__(
        self,
        clerk: StoreThread,
        errands: Mapping[Errand, str],
        in_hand: Callable[[], list[str]],
        *,
        holder: str,
        lease: timedelta,
        clock: Callable[[], datetime],
        brake: Callable[[bool], None],
    ) -> None:
        """`errands` are those under way with their hosts; visits hold hosts as well, so `in_hand` has them all."""
        self._thread = clerk
        self._errands = errands
        self._in_hand = in_hand
        self._holder = holder
        self._lease = lease
        self._clock = clock
        self._brake = brake
        self._out: set[Errand] = set()
        self._renewed = asyncio.Event()
        self._wanted = asyncio.Event()
        self._doubt: asyncio.TimerHandle | None = None
        self._until = 0.0
        self._until_at = datetime.min.replace(tzinfo=UTC)

    def begin(self) -> None:
        """Nothing is in hand yet: whatever is taken from now on is ours for a while."""
        self._hold_from(monotonic(), self._clock())

    async def keep(self, beside: Callable[[], Awaitable[None]]) -> None:
        """Renews in time, for ever; `beside` is done each time as well."""
        try:
            while True:
                await self._wait()
                await self._renew()
                await beside()
        finally:
            if self._doubt is not None:
                self._doubt.cancel()

    @contextmanager
    def asking(self) -> Iterator[None]:
        """The errand that runs this is about to ask a server: it ends here if its host is lost."""
        errand = asyncio.current_task()
        assert errand is not None  # noqa: S101 - it is awaited
        self._out.add(errand)
        try:
            yield
        finally:
            self._out.discard(errand)

    async def sure(self) -> None:
        """Waits until our leases hold for certain; mostly they do."""
        while not (monotonic() < self._until and self._clock() < self._until_at):
            self._be_in_doubt()
            await self._renewed.wait()

    # --- inside -----------------------------------------------------------------------------------

    async def _wait(self) -> None:
        await wait_for_event(self._wanted, self._lease.total_seconds() / RENEWED)

    async def _renew(self) -> None:
        """Asks the store; the time counts from when it is asked, not from when it was to be."""
        self._wanted.clear()
        hosts = self._in_hand()

        def renew() -> tuple[float, datetime, tuple[str, ...]]:
            began, now = monotonic(), self._clock()
            held = self._thread.store.renew(
                holder=self._holder, now=now, lease=self._lease, hosts=hosts
            )
            return began, now, held

        began, now, held = await self._thread.call(renew)
        self._drop(frozenset(hosts).difference(held))
        self._hold_from(began, now)
        self._brake(False)
        self._renewed.set()

    def _drop(self, lost: frozenset[str]) -> None:
        """Ends the errands that have asked for nothing yet, on hosts that are somebody else's now."""
        dropped = [task for task in self._out if self._errands.get(task) in lost]
        for errand in dropped:
            errand.cancel()
        if dropped:
            log.warning("leases lost", extra={"hosts": len(lost), "dropped": len(dropped)})

    def _hold_from(self, began: float, now: datetime) -> None:
        """Leases hold from then on, by both clocks: only one of them counts while the machine sleeps."""
        sure = self._lease * SURE_FOR
        self._until = began + sure.total_seconds()
        self._until_at = now + sure
        if self._doubt is not None:
            self._doubt.cancel()
        left = self._until - monotonic()
        self._doubt = asyncio.get_running_loop().call_later(max(0.0, left), self._be_in_doubt)

    def _be_in_doubt(self) -> None:
        """Nothing is sent from now on, until leases are renewed."""
        self._renewed.clear()
        self._brake(True)
        self._wanted.set()
