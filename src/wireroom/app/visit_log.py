"""What visits tell, on its way into the store: written together, never long after it came.

A journal serves all visits of a process: their events share commits, and each visit has a page of its own
on which its findings wait. Decides nothing; what is told is saved.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias

from wireroom.model import Dossier, Event, Finding, Publisher
from wireroom.scout.runner import Progress

if TYPE_CHECKING:
    from wireroom.app.application import App

TOLD_EVERY = 0.1  # seconds for which events may wait to share a commit
KEPT_EVERY = 2.0  # seconds after which findings are saved under way: what a killed visit loses
NEVER = datetime(1970, 1, 1, tzinfo=UTC)  # when a publisher was visited whose first visit broke off


StoreExecutor: TypeAlias = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Makes a call to the store: at once, or by way of a thread that waits for others' locks instead of us."""


async def call_directly(call: Callable[[], Any]) -> Any:
    """What the call gives, made here and now: for whoever has nothing else to do."""
    return call()


class VisitLog:
    """The events of all visits under way."""

    def __init__(self, app: App, through: StoreExecutor = call_directly) -> None:
        self.app = app
        self.through = through
        self._events: list[Event] = []
        self._told_at = monotonic()
        self._open = 0

    @asynccontextmanager
    async def page(self, domain: str, last: Dossier | None) -> AsyncIterator[FindingBuffer]:
        """A page for one visit; what waits on it is saved in the end, also when the visit broke off."""
        page = FindingBuffer(self, domain, last)
        self._open += 1
        try:
            yield page
        finally:
            self._open -= 1
            await page.keep()
            if self._open == 0:
                await self.tell()

    async def note(self, domain: str, kind: str, **data: object) -> None:
        """Notes an event, and writes down those that have waited long enough."""
        self._events.append(Event(kind=kind, subject=domain, at=self.app.clock(), data=data))
        if monotonic() - self._told_at >= TOLD_EVERY:
            await self.tell()

    async def tell(self) -> None:
        """Writes down every event that waits."""
        events, self._events = self._events, []
        self._told_at = monotonic()
        if events:
            await self.through(lambda: self.app.store.emit(events))


class FindingBuffer:
    """The findings of one visit."""

    def __init__(self, journal: VisitLog, domain: str, last: Dossier | None) -> None:
        self._journal = journal
        self._app = journal.app
        self._domain = domain
        self._last = last
        self._found: dict[str, Finding] = {}
        self._kept_at = monotonic()

    async def add(self, told: Progress | Dossier) -> None:
        """Notes it, and saves what has waited long enough."""
        if isinstance(told, Dossier):
            self._found.clear()
            await self._save(told)
            await self._note("scout_completed", findings=len(told.findings))
            return
        if told.finding is None:
            await self._note(f"step_{told.status}", step=told.step)
        else:
            await self._note(f"step_{told.status}", step=told.step, verdict=told.finding.verdict)
        if told.finding is not None and told.status != "reused":
            self._found[told.step] = told.finding
        if monotonic() - self._kept_at >= KEPT_EVERY:
            await self.keep()

    async def keep(self) -> None:
        """What was found so far, laid over what was known; the steps that are missing run next time."""
        self._kept_at = monotonic()
        if self._found:
            half = self._half()
            self._found.clear()
            await self._save(half)

    async def _save(self, dossier: Dossier) -> None:
        await self._journal.through(lambda: self._app.store.save_dossier(dossier))

    def _half(self) -> Dossier:
        last = self._last
        if last is None:
            now = self._app.clock()
            publisher = Publisher(domain=self._domain, name=self._domain, added_at=now)
            last = Dossier(publisher=publisher, scouted_at=NEVER)
        known = {finding.step: finding for finding in last.findings} | self._found
        # The date of the last whole visit stays: with a new one the whole dossier would come too late.
        self._last = replace(last, findings=tuple(known.values()))
        return self._last

    async def _note(self, kind: str, **data: object) -> None:
        await self._journal.note(self._domain, kind, **data)
