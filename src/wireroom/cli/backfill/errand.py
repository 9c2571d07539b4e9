"""One run of `backfill`: sitemaps go by, and at the end it is said what came of them."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from wireroom.app.counting import counted
from wireroom.cli.exits import BLOCKED, ERROR, NOTHING_FOUND, OK, REFUSED
from wireroom.cli.fetch import BLOCKS, REFUSALS
from wireroom.cli.fetch_advice import advised
from wireroom.cli.session import Session
from wireroom.poll.rate_text import duration_words

if TYPE_CHECKING:
    from wireroom.app import App
    from wireroom.app.backfilling import Backfill, Looked, Nowhere

PACE = timedelta(seconds=1)  # between two pages of one host, whatever the settings say is less
REASONS = {
    "outside": "outside of the range",
    "undated": "without a date",
    "no_article": "no articles by their address",
    "elsewhere": "on other hosts",
}


@dataclass(slots=True)
class _Sum:
    """What came of all sitemaps so far."""

    sitemaps: int = 0
    new: int = 0
    known: int = 0
    left: Counter[str] = field(default_factory=Counter)
    problems: dict[str, str] = field(default_factory=dict)
    full: bool = False
    waiting: int = 0
    gap: timedelta = PACE
    nowhere: Nowhere | None = None
    """Why no sitemap could be looked into."""

    def add(self, looked: Looked) -> None:
        self.sitemaps += 1
        self.new += looked.new
        self.known += looked.known
        self.left.update(looked.left)
        self.full = self.full or looked.full
        self.waiting = looked.waiting
        self.gap = max(self.gap, looked.gap)
        if looked.problem:
            self.problems[looked.url] = looked.problem


class Errand:
    """What is wanted, and where it is told."""

    def __init__(self, session: Session, wanted: Backfill) -> None:
        self._session = session
        self._wanted = wanted

    def run(self, *, json: bool) -> int:
        """Looks into the sitemaps; gives the exit code."""
        total = _Sum()
        with self._session.app() as app:
            asyncio.run(self._walk(app, total))
        if json:
            self._session.streams.json(self._data(total))
        if total.nowhere is not None:
            return self._tell_nowhere(total.nowhere)
        self._tell(total)
        if total.new or total.known:
            return OK
        return ERROR if total.problems and not total.left else NOTHING_FOUND

    def _tell_nowhere(self, nowhere: Nowhere) -> int:
        message = f"{self._wanted.publisher}: {nowhere.reason}"
        self._session.streams.error(advised(message, nowhere.kind))
        if nowhere.kind in REFUSALS:
            return REFUSED
        return BLOCKED if nowhere.kind in BLOCKS else NOTHING_FOUND

    async def _walk(self, app: App, total: _Sum) -> None:
        from wireroom.app.backfilling import Nowhere, open_backfilling

        settings = self._session.load().settings
        with self._session.streams.progress("Sitemaps") as progress:
            async with (
                open_backfilling(app, settings) as backfilling,
                aclosing(backfilling.run(self._wanted)) as looked,
            ):
                async for one in looked:
                    if isinstance(one, Nowhere):
                        total.nowhere = one
                        continue
                    total.add(one)
                    progress(total.sitemaps, total.sitemaps + one.waiting)
                    self._say(one)

    def _say(self, looked: Looked) -> None:
        if looked.problem:
            self._session.streams.error(looked.problem)
        elif self._session.streams.verbosity > 0:
            self._session.streams.note(f"{looked.url}: {looked.new} new, {looked.known} known")
        if looked.truncated:
            self._session.streams.note(f"{looked.url} is cut off: pages of it are missing.")

    def _tell(self, total: _Sum) -> None:
        streams = self._session.streams
        verb = "would be read" if self._wanted.dry_run else "to be read"
        message = f"{counted(total.new, 'page')} more {verb}, {total.known:,} known before"
        streams.note(f"{message}; {counted(total.sitemaps, 'sitemap')} looked into.")
        if total.left:
            left = [f"{count:,} {REASONS[name]}" for name, count in total.left.items()]
            streams.note(f"Left out: {', '.join(left)}.")
        if total.full:
            streams.note("There is more: the limit was reached. Run it again to go on.")
        elif total.waiting:
            waiting = counted(total.waiting, "sitemap")
            streams.note(f"{waiting} not asked any more. Narrow the range.")
        if total.new:
            took = duration_words(total.new * total.gap)
            streams.note(f"Reading them takes {took}, at one request {_describe(total.gap)}.")

    def _data(self, total: _Sum) -> dict[str, Any]:
        return {
            "publisher": self._wanted.publisher,
            "since": self._wanted.span.since,
            "until": self._wanted.span.until,
            "dry_run": self._wanted.dry_run,
            "new": total.new,
            "known": total.known,
            "sitemaps": total.sitemaps,
            "left": dict(total.left),
            "problems": total.problems,
            "reason": total.nowhere.reason if total.nowhere is not None else "",
            "more": total.full or bool(total.waiting),
            "seconds": (total.new * total.gap).total_seconds(),
        }


def _describe(pace: timedelta) -> str:
    return "a second" if pace == PACE else f"in {duration_words(pace)}"
