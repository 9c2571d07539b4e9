"""Scouting, wired: a visit is handed the last dossier, and what it brings home is saved.

One run per publisher at a time: who asks for the same publisher meanwhile, in this process or in another
on the same database, waits and is given what that run found.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from wireroom.model import Dossier, Event, Finding, Publisher, Request, Response
from wireroom.ports import Fetch
from wireroom.scout.address import Address
from wireroom.scout.runner import Progress
from wireroom.scout.visitor import FRESH_FOR, visit_publisher
from wireroom.urls import host_of

if TYPE_CHECKING:
    from wireroom.desk.desk import Desk

__all__ = ["Scouting"]

LEASE = timedelta(minutes=5)  # a visit ends within one; a dead process's publisher comes back then
LOOK_AGAIN = 0.2  # seconds between two looks whether another process is done with a publisher
TOLD_EVERY = 0.1  # seconds for which events may wait to share a commit
KEPT_EVERY = (
    0.5  # seconds after which findings of a visit under way are saved; a killed one loses no more
)
NEVER = datetime(1970, 1, 1, tzinfo=UTC)  # when a publisher was visited whose first visit broke off
REST = timedelta(seconds=10)  # between the visits of two processes, as between two of one


class Scouting:
    """Scouts publishers through one `Fetch` and keeps their dossiers."""

    def __init__(
        self,
        desk: Desk,
        fetch: Fetch,
        *,
        fresh_for: timedelta = FRESH_FOR,
        rest: timedelta = REST,
        offline: bool = False,
    ) -> None:
        self._desk = desk
        self._fetch = fetch
        self._fresh_for = fresh_for
        self._rest = rest
        self._offline = offline
        self._holder = f"scout-{os.getpid()}-{id(self):x}"
        self._runs: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def scout(
        self, address: Address, *, refresh: bool = False
    ) -> AsyncGenerator[Progress | Dossier, None]:
        """Progress of every step, then the dossier; raises FetchError when nobody is there."""
        run = self._runs.setdefault(address.domain, asyncio.Lock())
        fresh_for = timedelta() if refresh else self._fresh_for
        known = self._desk.store.dossier(address.domain)
        async with run:
            lease = _Lease(self._desk, self._fetch, host_of(address.candidates[0]), self._holder)
            try:
                last = await self._last(address, known, lease, fresh_for)
                visit = visit_publisher(
                    address,
                    lease,
                    now=self._desk.clock(),
                    last=last,
                    fresh_for=max(fresh_for, LEASE) if _is_newer(last, known) else fresh_for,
                    offline=self._offline,
                )
                async with aclosing(self._kept(address.domain, last, visit)) as outcomes:
                    async for told in outcomes:
                        yield told
            finally:
                lease.give_back(self._rest)

    async def dossier(self, address: Address, *, refresh: bool = False) -> Dossier:
        """The same without the progress."""
        async with aclosing(self.scout(address, refresh=refresh)) as told:
            async for one in told:
                if isinstance(one, Dossier):
                    return one
        raise AssertionError("a visit ends in a dossier or in an error")

    async def _last(
        self, address: Address, known: Dossier | None, lease: _Lease, fresh_for: timedelta
    ) -> Dossier | None:
        """What is held, once nobody else is about to know better; a fresh dossier needs no lease."""
        while True:
            last = self._desk.store.dossier(address.domain)
            if _is_newer(last, known):
                return last  # somebody else has just been there
            if last is not None and last.scouted_at > self._desk.clock() - fresh_for:
                return last
            if lease.take():
                return self._desk.store.dossier(address.domain)
            await asyncio.sleep(LOOK_AGAIN)

    async def _kept(
        self, domain: str, last: Dossier | None, visit: AsyncGenerator[Progress | Dossier, None]
    ) -> AsyncGenerator[Progress | Dossier, None]:
        """Hands on what the visit tells, and saves it on the way."""
        notes = _Notes(self._desk, domain, last)
        try:
            async with aclosing(visit):
                async for told in visit:
                    notes.add(told)
                    yield told
        finally:
            notes.save()


def _is_newer(last: Dossier | None, known: Dossier | None) -> bool:
    """Whether somebody has been there meanwhile, from the door to the end."""
    if last is None:
        return False
    return last.scouted_at > (known.scouted_at if known else NEVER)


class _Lease:
    """A `Fetch` that holds its host: taken before the first request, given back at the end."""

    def __init__(self, desk: Desk, fetch: Fetch, host: str, holder: str) -> None:
        self._desk = desk
        self._fetch = fetch
        self._host = host
        self._holder = holder
        self._held = False

    async def __call__(self, request: Request) -> Response:
        while not self.take():  # noqa: ASYNC110 - another process gives it back, which no event tells us
            await asyncio.sleep(LOOK_AGAIN)
        return await self._fetch(request)

    def take(self) -> bool:
        """Whether the host is ours now."""
        if not self._held:
            self._held = self._desk.store.take_host(
                self._host, holder=self._holder, now=self._desk.clock(), lease=LEASE
            )
        return self._held

    def give_back(self, rest: timedelta) -> None:
        if self._held:
            self._desk.store.release(
                holder=self._holder, now=self._desk.clock(), hosts=[self._host], rest=rest
            )


class _Notes:
    """Outcomes on their way into the store: saved together, never long after they came."""

    def __init__(self, desk: Desk, domain: str, last: Dossier | None) -> None:
        self._desk = desk
        self._domain = domain
        self._last = last
        self._events: list[Event] = []
        self._found: dict[str, Finding] = {}
        self._told_at = self._kept_at = monotonic()

    def add(self, told: Progress | Dossier) -> None:
        """Notes it, and saves what has waited long enough."""
        if isinstance(told, Dossier):
            self._desk.store.save_dossier(told)
            self._found.clear()
            self._note("scout_completed", findings=len(told.findings))
            return
        if told.finding is None:
            self._note(f"step_{told.status}", step=told.step)
        else:
            self._note(f"step_{told.status}", step=told.step, verdict=told.finding.verdict)
        if told.finding is not None and told.status != "reused":
            self._found[told.step] = told.finding
        if monotonic() - self._told_at >= TOLD_EVERY:
            self._tell()
        if monotonic() - self._kept_at >= KEPT_EVERY:
            self._keep()

    def save(self) -> None:
        """Saves all that is still waiting, also when the visit broke off."""
        self._keep()
        self._tell()

    def _keep(self) -> None:
        """What was found so far, laid over what was known; the steps that are missing run next time."""
        if self._found:
            self._desk.store.save_dossier(self._half())
            self._found.clear()
        self._kept_at = monotonic()

    def _half(self) -> Dossier:
        now = self._desk.clock()
        last = self._last
        if last is None:
            publisher = Publisher(domain=self._domain, name=self._domain, added_at=now)
            last = Dossier(publisher=publisher, scouted_at=NEVER)
        known = {one.step: one for one in last.findings} | self._found
        # The date of the last whole visit stays: with a new one the whole dossier would come too late.
        self._last = replace(last, findings=tuple(known.values()))
        return self._last

    def _tell(self) -> None:
        if self._events:
            self._desk.store.emit(self._events)
        self._events = []
        self._told_at = monotonic()

    def _note(self, kind: str, **data: object) -> None:
        self._events.append(
            Event(kind=kind, subject=self._domain, at=self._desk.clock(), data=data)
        )
