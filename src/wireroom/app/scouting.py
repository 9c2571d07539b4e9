"""Scouting, wired: a visit is handed the last dossier, and what it brings home is saved.

One run per publisher at a time: who asks for the same publisher meanwhile, in this process or in another
on the same database, waits and is given what that run found.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import timedelta
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from wireroom.app.host_leases import SCOUT, HostLease
from wireroom.app.visit_log import NEVER, StoreExecutor, VisitLog, call_directly
from wireroom.model import Dossier
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
        through: StoreExecutor = call_directly,
    ) -> None:
        """With `leases` off whoever asks for a visit holds the publisher's host already.

        `through` makes the calls to the store, see `with_executor`.
        """
        self._app = app
        self._fetch = fetch
        self._fresh_for = fresh_for
        self._rest = rest
        self._offline = offline
        self._advise = advise
        self._leases = leases
        self._holder = f"{SCOUT}-{os.getpid()}-{id(self):x}"
        self._through = through
        self._journal = VisitLog(app, through)
        self._steps = all_steps()
        self._runs: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def with_executor(self, through: StoreExecutor, watched: Callable[[Fetch], Fetch]) -> Scouting:
        """The same, with every call to the store made in this way: a run must not wait for locks on its loop.

        `watched` is put around what fetches.
        """
        return Scouting(
            self._app,
            watched(self._fetch),
            fresh_for=self._fresh_for,
            rest=self._rest,
            offline=self._offline,
            advise=self._advise,
            leases=self._leases,
            through=through,
        )

    async def scout(
        self, address: Address, *, refresh: bool = False
    ) -> AsyncGenerator[Progress | Dossier, None]:
        """Progress of every step, then the dossier; raises FetchError when nobody is there."""
        run = self._runs.setdefault(address.domain, asyncio.Lock())
        fresh_for = timedelta() if refresh else self._fresh_for
        known = await self._held(address.domain)
        async with run:
            host = host_of(address.candidates[0])
            holder = self._holder if self._leases else ""
            lease = HostLease(self._app, self._fetch, host, holder, self._through)
            try:
                last = await self._last(address, known, lease, fresh_for)
                visit = visit_publisher(
                    address,
                    lease,
                    now=self._app.clock(),
                    last=last,
                    fresh_for=max(fresh_for, SHARED) if _is_newer(last, known) else fresh_for,
                    steps=self._steps,
                    offline=self._offline,
                    advise=self._advise,
                )
                async with aclosing(self._kept(address.domain, last, visit)) as outcomes:
                    async for told in outcomes:
                        yield told
            finally:
                await lease.give_back(self._rest)

    async def dossier(self, address: Address, *, refresh: bool = False) -> Dossier:
        """The same without the progress."""
        async with aclosing(self.scout(address, refresh=refresh)) as told:
            async for one in told:
                if isinstance(one, Dossier):
                    return one
        raise AssertionError("a visit ends in a dossier or in an error")

    async def _last(
        self, address: Address, known: Dossier | None, lease: HostLease, fresh_for: timedelta
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
        held: Dossier | None = await self._through(lambda: self._app.store.dossier(domain))
        return held

    async def _kept(
        self, domain: str, last: Dossier | None, visit: AsyncGenerator[Progress | Dossier, None]
    ) -> AsyncGenerator[Progress | Dossier, None]:
        """Hands on what the visit tells, and saves it on the way."""
        async with self._journal.page(domain, last) as page, aclosing(visit):
            async for told in visit:
                await page.add(told)
                yield told


def _is_newer(last: Dossier | None, known: Dossier | None) -> bool:
    """Whether somebody has been there meanwhile, from the door to the end."""
    if last is None:
        return False
    return last.scouted_at > (known.scouted_at if known else NEVER)
