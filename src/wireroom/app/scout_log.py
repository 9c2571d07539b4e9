"""What scouts report, on its way into the store: written together, never long after it came.

A log serves all scouts of a process: their events share commits, and each scout has a buffer of its own
in which its findings wait. Decides nothing; what is reported is saved.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING

from wireroom.app.scout_signs import signs_of
from wireroom.app.store_thread import StoreExecutor, call_directly
from wireroom.model import Dossier, Event, Finding, Publisher
from wireroom.scout.runner import Progress

if TYPE_CHECKING:
    from wireroom.app.application import App

WRITTEN_EVERY = 0.1  # seconds for which events may wait to share a commit
KEPT_EVERY = 2.0  # seconds after which findings are saved under way: what a killed scout loses
NEVER = datetime(1970, 1, 1, tzinfo=UTC)  # when a publisher was scouted whose first scout broke off


def save_scouted(app: App, dossier: Dossier) -> None:
    """Saves what a whole scout found, with what lists show of it."""
    from wireroom.report.publisher_summary import summarise_dossier

    domain, store = dossier.publisher.domain, app.store
    held = store.overview.publishers_named([domain]).get(domain)
    before = held.summary if held is not None else None
    history = store.history(domain) if before is not None else ()
    signs = [sign.value for sign in signs_of(dossier, history)]
    summary = summarise_dossier(dossier, before=before, history=history, signs=signs)
    store.save_dossier(dossier, now=app.clock(), summary=summary)


class ScoutLog:
    """The events of all scouts under way."""

    def __init__(self, app: App, execute: StoreExecutor = call_directly) -> None:
        self.app = app
        self.execute = execute
        self._events: list[Event] = []
        self._written_at = monotonic()
        self._open = 0

    @asynccontextmanager
    async def buffer(self, domain: str, last: Dossier | None) -> AsyncIterator[FindingBuffer]:
        """A buffer for one scout; what waits in it is saved in the end, also when the scout broke off."""
        buffer = FindingBuffer(self, domain, last)
        self._open += 1
        try:
            yield buffer
        finally:
            self._open -= 1
            await buffer.keep()
            if self._open == 0:
                await self.write()

    async def note(self, domain: str, kind: str, **data: object) -> None:
        """Notes an event, and writes those that have waited long enough."""
        self._events.append(Event(kind=kind, subject=domain, at=self.app.clock(), data=data))
        if monotonic() - self._written_at >= WRITTEN_EVERY:
            await self.write()

    async def write(self) -> None:
        """Writes every event that waits."""
        events, self._events = self._events, []
        self._written_at = monotonic()
        if events:
            await self.execute(lambda: self.app.store.emit(events))


class FindingBuffer:
    """The findings of one scout."""

    def __init__(self, log: ScoutLog, domain: str, last: Dossier | None) -> None:
        self._log = log
        self._app = log.app
        self._domain = domain
        self._last = last
        self._found: dict[str, Finding] = {}
        self._kept_at = monotonic()

    async def add(self, report: Progress | Dossier) -> None:
        """Notes it, and saves what has waited long enough."""
        if isinstance(report, Dossier):
            self._found.clear()
            await self._log.execute(lambda: save_scouted(self._app, report))
            await self._note("scout_completed", findings=len(report.findings))
            return
        if report.finding is None:
            await self._note(f"step_{report.status}", step=report.step)
        else:
            await self._note(
                f"step_{report.status}", step=report.step, verdict=report.finding.outcome
            )
        if report.finding is not None and report.status != "reused":
            self._found[report.step] = report.finding
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
        now = self._app.clock()
        await self._log.execute(lambda: self._app.store.save_dossier(dossier, now=now))

    def _half(self) -> Dossier:
        last = self._last
        if last is None:
            now = self._app.clock()
            publisher = Publisher(domain=self._domain, name=self._domain, added_at=now)
            last = Dossier(publisher=publisher, scouted_at=NEVER)
        known = {finding.step: finding for finding in last.findings} | self._found
        # The date of the last whole scout stays: with a new one the whole dossier would come too late.
        self._last = replace(last, findings=tuple(known.values()))
        return self._last

    async def _note(self, kind: str, **data: object) -> None:
        await self._log.note(self._domain, kind, **data)
