"""Scouting, wired: a visit is given the last dossier, and what it brings home is saved.

One visit per publisher at a time: who asks for the same publisher meanwhile, in this process or in another
on the same database, waits and is given what that visit found.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from wireroom.app.host_leases import SCOUT, HostLeases
from wireroom.app.store_thread import StoreExecutor, call_directly
from wireroom.app.visit_log import NEVER, VisitLog
from wireroom.model import Dossier, Request, Response
from wireroom.ports import Advise, Fetch
from wireroom.scout.address import Address
from wireroom.scout.runner import Progress
from wireroom.scout.visit import FRESH_FOR, visit_publisher
from wireroom.signals import all_steps
from wireroom.urls import host_of

if TYPE_CHECKING:
    from wireroom.app.application import App

SHARED = timedelta(minutes=5)  # a visit ends within that: who waited for one takes what it found
REST = timedelta(seconds=10)  # between the visits of two processes, as between two of one


class Scouting:
    """Scouts publishers through one `Fetch` and keeps their dossiers."""

    def __init__(
        self,
        app: App,
        fetch: Fetch,
        *,
        fresh_for: timedelta = FRESH_FOR,
        rest: timedelta = REST,
        offline: bool = False,
        advise: Advise | None = None,
        leases: bool = True,
        execute: StoreExecutor = call_directly,
        again_after: timedelta | None = None,
    ) -> None:
        """With `leases` off whoever asks for a visit holds the publisher's host already.

        `execute` makes the calls to the store, see `with_executor`. With `again_after` a dossier is saved with the
        time when the publisher is due again.
        """
        self._app = app
        self._fetch = fetch
        self._fresh_for = fresh_for
        self._rest = rest
        self._offline = offline
        self._advise = advise
        self._execute = execute
        self._again_after = again_after
        holder = f"{SCOUT}-{os.getpid()}-{id(self):x}"
        self._leases = HostLeases(app, holder, gap=rest, execute=execute) if leases else None
        self._log = VisitLog(app, execute)
        self._steps = all_steps()
        self._visits: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def with_executor(
        self,
        execute: StoreExecutor,
        *,
        watched: Callable[[Fetch], Fetch],
        again_after: timedelta,
    ) -> Scouting:
        """The same for a run, which must not wait for locks on its loop; `watched` is put around what fetches."""
        return Scouting(
            self._app,
            watched(self._fetch),
            fresh_for=self._fresh_for,
            rest=self._rest,
            offline=self._offline,
            advise=self._advise,
            leases=self._leases is not None,
            execute=execute,
            again_after=again_after,
        )

    async def scout(
        self, address: Address, *, refresh: bool = False
    ) -> AsyncGenerator[Progress | Dossier, None]:
        """Progress of every step, then the dossier; raises FetchError when nobody is there."""
        visit = self._visits.setdefault(address.domain, asyncio.Lock())
        fresh_for = timedelta() if refresh else self._fresh_for
        known = await self._held(address.domain)
        async with visit:
            lease = _VisitLease(self._leases, host_of(address.candidates[0]), self._fetch)
            try:
                last = await self._last(address, known, lease, fresh_for)
                reports = visit_publisher(
                    address,
                    lease.fetch,
                    now=self._app.clock(),
                    last=last,
                    fresh_for=max(fresh_for, SHARED) if _is_newer(last, known) else fresh_for,
                    steps=self._steps,
                    offline=self._offline,
                    advise=self._advise,
                )
                async with aclosing(self._kept(address.domain, last, reports)) as kept:
                    async for report in kept:
                        yield report
            finally:
                await lease.give_back()

    async def dossier(self, address: Address, *, refresh: bool = False) -> Dossier:
        """The same without the progress."""
        async with aclosing(self.scout(address, refresh=refresh)) as reports:
            async for report in reports:
                if isinstance(report, Dossier):
                    return report
        raise AssertionError("a visit ends in a dossier or in an error")

    async def _last(
        self, address: Address, known: Dossier | None, lease: _VisitLease, fresh_for: timedelta
    ) -> Dossier | None:
        """What is held, once nobody else is about to know better; a fresh dossier needs no lease."""
        while True:
            last = await self._held(address.domain)
            if _is_newer(last, known):
                return last  # somebody else has just been there
            if last is not None and last.scouted_at > self._app.clock() - fresh_for:
                return last
            if await lease.take():
                return await self._held(address.domain)
            await lease.wait()

    async def _held(self, domain: str) -> Dossier | None:
        return await self._execute(lambda: self._app.store.dossier(domain))

    async def _kept(
        self, domain: str, last: Dossier | None, reports: AsyncGenerator[Progress | Dossier, None]
    ) -> AsyncGenerator[Progress | Dossier, None]:
        """What the visit reports, saved on the way."""
        async with self._log.buffer(domain, last) as buffer, aclosing(reports):
            async for report in reports:
                whole = self._planned(report) if isinstance(report, Dossier) else report
                await buffer.add(whole)
                yield whole

    def _planned(self, dossier: Dossier) -> Dossier:
        """The dossier with the time when its publisher is due again."""
        if self._again_after is None:
            return dossier
        due = self._app.clock() + self._again_after
        return replace(dossier, publisher=replace(dossier.publisher, scout_after=due))


class _VisitLease:
    """The host of one visit: taken before the first request, given back at the end.

    Without leases somebody else does that.
    """

    def __init__(self, leases: HostLeases | None, host: str, fetch: Fetch) -> None:
        self._leases = leases
        self._host = host
        self._fetch = fetch
        if leases is not None:
            leases.use(host)

    async def fetch(self, request: Request) -> Response:
        """The answer, once the host is ours; FetchError when it will not be soon."""
        if self._leases is not None:
            await self._leases.hold(self._host)
        return await self._fetch(request)

    async def take(self) -> bool:
        """Whether the host is ours now."""
        return self._leases is None or await self._leases.take(self._host)

    async def wait(self) -> None:
        """A moment, after which it may be free; FetchError when that is not to be expected soon."""
        if self._leases is not None:
            await self._leases.wait(self._host)

    async def give_back(self) -> None:
        """Lets others have the host, after a cooldown."""
        if self._leases is not None:
            self._leases.done(self._host)
            await self._leases.give_back_unused()


def _is_newer(last: Dossier | None, known: Dossier | None) -> bool:
    """Whether somebody has been there meanwhile, from the door to the end."""
    if last is None:
        return False
    return last.scouted_at > (known.scouted_at if known else NEVER)
