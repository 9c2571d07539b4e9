"""What `backfill` shows: sitemaps as they go by, and at the end what came of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Any

from wireroom.app.backfill import PACE, BackfillTotals, NoSitemaps, Span, duration_words
from wireroom.cli.exits import ERROR, NOTHING_FOUND, OK, advised, code_of_problem
from wireroom.cli.streams import Streams
from wireroom.dates.typed_moments import TypedMoment, read_moment
from wireroom.display_text import counted
from wireroom.errors import SettingsError

if TYPE_CHECKING:
    from wireroom.app.backfill import Backfill, SitemapResult


REASONS = {
    "outside": "outside of the range",
    "undated": "without a date",
    "no_article": "no articles by their address",
    "elsewhere": "on other hosts",
}


class BackfillView:
    """Takes what sitemaps brought, shows it, and remembers how it all ends."""

    def __init__(self, streams: Streams, wanted: Backfill) -> None:
        self._streams = streams
        self._wanted = wanted
        self._totals = BackfillTotals()
        self._no_sitemaps: NoSitemaps | None = None

    def add(self, result: SitemapResult | NoSitemaps) -> int:
        """Shows what one sitemap brought; gives how many there are as far as is known."""
        if isinstance(result, NoSitemaps):
            self._no_sitemaps = result
            return 0
        self._totals = self._totals.plus(result)
        if result.problem:
            self._streams.error(result.problem)
        elif self._streams.verbosity > 0:
            self._streams.note(f"{result.url}: {result.new} new, {result.known} known")
        if result.truncated:
            self._streams.note(f"{result.url} is cut off: pages of it are missing.")
        return self._totals.sitemaps + result.waiting

    def end(self, *, json: bool) -> int:
        """Shows what came of all of them; gives the exit code."""
        if json:
            self._streams.json(self._data())
        if self._no_sitemaps is not None:
            message = f"{self._wanted.publisher}: {self._no_sitemaps.reason}"
            self._streams.error(advised(message, self._no_sitemaps.kind))
            return code_of_problem(self._no_sitemaps.kind, otherwise=NOTHING_FOUND)
        self._summarise()
        totals = self._totals
        if totals.new or totals.known:
            return OK
        return ERROR if totals.problems and not totals.left else NOTHING_FOUND

    def _summarise(self) -> None:
        streams, totals = self._streams, self._totals
        future = "would be read" if self._wanted.dry_run else "to be read"
        message = f"{counted(totals.new, 'page')} more {future}, {totals.known:,} known before"
        streams.note(f"{message}; {counted(totals.sitemaps, 'sitemap')} looked into.")
        if totals.left:
            left = [f"{count:,} {REASONS[name]}" for name, count in totals.left.items()]
            streams.note(f"Left out: {', '.join(left)}.")
        if totals.full:
            streams.note("There is more: the limit was reached. Run it again to go on.")
        elif totals.waiting:
            waiting = counted(totals.waiting, "sitemap")
            streams.note(f"{waiting} not asked any more. Narrow the range.")
        if totals.new:
            took = duration_words(totals.takes)
            streams.note(f"Reading them takes {took}, at one request {_rate(totals.gap)}.")

    def _data(self) -> dict[str, Any]:
        totals = self._totals
        return {
            "publisher": self._wanted.publisher,
            "since": self._wanted.span.since,
            "until": self._wanted.span.until,
            "dry_run": self._wanted.dry_run,
            "new": totals.new,
            "known": totals.known,
            "sitemaps": totals.sitemaps,
            "left": dict(totals.left),
            "problems": dict(totals.problems),
            "reason": self._no_sitemaps.reason if self._no_sitemaps is not None else "",
            "more": totals.full or bool(totals.waiting),
            "seconds": totals.takes.total_seconds(),
        }


def _rate(gap: timedelta) -> str:
    return "a second" if gap == PACE else f"in {duration_words(gap)}"


# The range that was typed, by the reader's clock: whatever "since" and "until" are elsewhere. Pure but for today.


def read_span(since: str, until: str, *, now: datetime | None = None, zone: tzinfo = UTC) -> Span:
    """From the beginning of the one to the end of the other; without an end until now."""
    now = now or datetime.now(UTC)
    start = _moment(since, "--since", now, zone).begin
    end = _moment(until, "--until", now, zone).end if until else now
    if start > end:
        raise SettingsError(
            [f"--since {since}: expected a day before the end of the range"],
            hint="Is --until the later of the two?",
        )
    return Span(since=start, until=end)


def _moment(text: str, flag: str, now: datetime, zone: tzinfo) -> TypedMoment:
    try:
        return read_moment(text, now=now, zone=zone)
    except ValueError as exc:
        raise SettingsError([f"{flag} {text}: {exc}"]) from exc
