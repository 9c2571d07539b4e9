"""Older articles of a publisher from its sitemaps: what each brought, and what that came to."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from wireroom.app.holders import BACKFILL, holder_name
from wireroom.app.host_leases import HostLeases
from wireroom.dates.durations import duration_words as duration_words
from wireroom.errors import FetchError, ParseError
from wireroom.model import Dossier, Event, Feed, Hints, Publisher, Request
from wireroom.parse.sitemap import SitemapDocument, SitemapEntry, read_sitemap
from wireroom.poll.ask_feed import MAX_SITEMAP
from wireroom.poll.discovery import Span as Span
from wireroom.poll.discovery import WantedPages, choose_pages, choose_sitemaps, leads_of
from wireroom.ports import Fetch, ReadDocument
from wireroom.scout.address import read_address
from wireroom.urls import address_key, host_of

if TYPE_CHECKING:
    from wireroom.app.application import App
    from wireroom.app.scout import Scouting
    from wireroom.settings import Settings


PACE = timedelta(seconds=1)  # between two pages of one host, whatever the settings say is less


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillTotals:
    """What came of all sitemaps so far."""

    sitemaps: int = 0
    new: int = 0
    known: int = 0
    left: Mapping[str, int] = field(default_factory=dict)
    """Pages that were not wanted, by reason."""
    problems: Mapping[str, str] = field(default_factory=dict)
    """Why a sitemap could not be read, by its address."""
    full: bool = False
    waiting: int = 0
    gap: timedelta = PACE
    """Between two requests, at the slowest of the hosts."""

    def plus(self, result: SitemapResult) -> BackfillTotals:
        """With what one sitemap more brought."""
        problem = {result.url: result.problem} if result.problem else {}
        return BackfillTotals(
            sitemaps=self.sitemaps + 1,
            new=self.new + result.new,
            known=self.known + result.known,
            left=Counter(self.left) + result.left,
            problems={**self.problems, **problem},
            full=self.full or result.full,
            waiting=result.waiting,
            gap=max(self.gap, result.gap),
        )

    @property
    def takes(self) -> timedelta:
        """How long reading the new pages takes."""
        return self.new * self.gap


async def backfill_publisher(
    app: App, wanted: Backfill
) -> AsyncGenerator[SitemapResult | NoSitemaps, None]:
    """What each sitemap brought, or why there is none; FetchError when nobody answers at all."""
    async with (
        open_backfilling(app, app.settings, keep=not wanted.dry_run) as backfilling,
        aclosing(backfilling.run(wanted)) as results,
    ):
        async for result in results:
            yield result


# Backfilling, wired: a publisher's sitemaps are asked one after the other, and their older articles become leads.
#
# What is found in a sitemap is saved before the next one is asked; a page that is known already is passed over. So a
# run that was cut short, or one with a limit, is continued by the next, and nothing is added twice. Which pages
# and sitemaps are worth it is decided in the room poll.

MAX_SITEMAPS = 1_000  # of one run: at one a second a quarter of an hour; --since narrows it
MAX_DEPTH = 3  # indexes within indexes; the protocol knows none at all
AT_ONCE = 500  # leads saved in one transaction

NO_SITEMAP = "no sitemap of it is known; if you know one, name it with --sitemap URL"

_COUNTED = ("outside", "undated", "no_article", "elsewhere")


@dataclass(frozen=True, slots=True, kw_only=True)
class Backfill:
    """What is wanted."""

    publisher: str
    span: Span
    limit: int | None = None
    """New leads at most; the next run goes on with the others."""
    dry_run: bool = False
    sitemap_urls: tuple[str, ...] = ()
    """To be asked instead of those that the publisher names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapResult:
    """What one sitemap brought."""

    url: str
    new: int = 0
    known: int = 0
    waiting: int = 0
    """Sitemaps that are still to be asked."""
    left: Counter[str] = field(default_factory=Counter)
    """Pages that were not wanted, by reason."""
    problem: str = ""
    truncated: bool = False
    full: bool = False
    """Whether the limit was reached; more may be there."""
    gap: timedelta = timedelta()
    """How long its host wants to be left alone between two requests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoSitemaps:
    """Why no sitemap is known: the publisher names none, or nobody was let in."""

    reason: str
    kind: str = ""
    """What sort of problem kept us from the front page; empty where none did."""


class Backfilling:
    """Walks over the sitemaps of publishers."""

    def __init__(
        self,
        app: App,
        fetch: Fetch,
        scouting: Scouting,
        *,
        read: ReadDocument,
        gap_of: Callable[[str], timedelta] | None = None,
        rest_of: Callable[[str], timedelta] | None = None,
    ) -> None:
        """`gap_of` and `rest_of` are about hosts: between two requests, and from now on."""
        self._app = app
        self._gap_of = gap_of
        self._store = app.store
        self._fetch = fetch
        self._read_document = read
        self._leases = HostLeases(app, holder_name(BACKFILL), rest_of=rest_of)
        self._scouting = scouting
        self._passed: set[int] = set()
        """Pages of this run, by the hash of their key: one that stands in two sitemaps counts once."""

    async def run(self, wanted: Backfill) -> AsyncGenerator[SitemapResult | NoSitemaps, None]:
        """What each sitemap brought, or why there is none; FetchError when nobody answers at all."""
        try:
            async for result in self._walk(wanted):
                yield result
        finally:
            await self._leases.give_back_all()

    async def _walk(self, wanted: Backfill) -> AsyncGenerator[SitemapResult | NoSitemaps, None]:
        self._passed = set()
        known = await self._sitemaps(wanted)
        if isinstance(known, NoSitemaps):
            yield known
            return
        waiting = deque((url, 0) for url in known)
        seen = {address_key(url) for url, _ in waiting}
        room = wanted.limit
        for _ in range(MAX_SITEMAPS):
            if not waiting:
                return
            url, depth = waiting.popleft()
            try:
                document = await self._read(url)
            except (FetchError, ParseError) as error:
                yield SitemapResult(url=url, problem=str(error), waiting=len(waiting))
                continue
            if document.kind == "index":
                found = choose_sitemaps(document.entries, wanted.publisher, wanted.span)
                fresh = [
                    child for child in found if address_key(child) not in seen and depth < MAX_DEPTH
                ]
                seen |= {address_key(child) for child in fresh}
                waiting.extend((child, depth + 1) for child in fresh)
                yield SitemapResult(url=url, waiting=len(waiting), truncated=document.truncated)
                continue
            result = self._taken(url, document, wanted, room, len(waiting))
            yield result
            if result.full:
                return
            room = None if room is None else room - result.new

    def _taken(
        self, url: str, document: SitemapDocument, wanted: Backfill, room: int | None, waiting: int
    ) -> SitemapResult:
        """Saves the pages of one sitemap that are wanted and not known."""
        chosen = choose_pages(document, wanted.publisher, wanted.span)
        entries = [entry for entry in chosen.entries if self._is_first(entry)]
        unknown = [entry for entry in entries if self._is_unknown(wanted.publisher, entry)]
        taken = unknown if room is None else unknown[:room]
        new = len(taken) if wanted.dry_run else self._save(taken, wanted, url)
        return SitemapResult(
            url=url,
            new=new,
            known=len(entries) - len(unknown),
            waiting=waiting,
            left=_left(chosen),
            truncated=document.truncated,
            full=len(taken) < len(unknown),
            gap=self._gap_of(host_of(url)) if self._gap_of is not None else timedelta(),
        )

    def _save(self, entries: Sequence[SitemapEntry], wanted: Backfill, url: str) -> int:
        now, new = self._app.clock(), 0
        if self._store.publisher(wanted.publisher) is None:
            self._store.save_publisher(Publisher(domain=wanted.publisher, added_at=now))
        feed_url = self._feed_url(wanted.publisher, url)
        for start in range(0, len(entries), AT_ONCE):
            part = entries[start : start + AT_ONCE]
            leads = leads_of(part, wanted.publisher, feed_url=feed_url)
            new += self._store.save_leads(leads, now=now)
        if new:
            data = {"leads": new, "sitemap": url}
            event = Event(kind="backfilled", subject=wanted.publisher, at=now, data=data)
            self._store.emit([event])
        return new

    def _is_first(self, entry: SitemapEntry) -> bool:
        """Whether the page did not go by in this run before."""
        key = hash(address_key(entry.url))
        is_first = key not in self._passed
        self._passed.add(key)
        return is_first

    def _is_unknown(self, publisher: str, entry: SitemapEntry) -> bool:
        return not self._store.leads(publisher=publisher, url=entry.url)

    def _feed_url(self, publisher: str, sitemap_url: str) -> str:
        """The feed of the publisher whose selectors hold for its pages, else the sitemap itself."""
        feeds: Sequence[Feed] = self._store.feeds(publisher=publisher)
        known = (feed.url for feed in feeds if feed.hints != Hints())
        return next(known, sitemap_url)

    async def _sitemaps(self, wanted: Backfill) -> tuple[str, ...] | NoSitemaps:
        """Those that were given, that are followed, and that the publisher names."""
        if wanted.sitemap_urls:
            return wanted.sitemap_urls
        dossier = await self._scouting.dossier(read_address(wanted.publisher))
        facts = (
            finding.facts.get("sitemap_urls")
            for finding in dossier.findings
            if finding.step == "sitemaps"
        )
        named = [str(url) for urls in facts if isinstance(urls, list | tuple) for url in urls]
        followed = [
            feed.url
            for feed in self._store.feeds(publisher=wanted.publisher)
            if feed.kind in {"sitemap", "news_sitemap"}
        ]
        known = {address_key(url): url for url in (*named, *followed)}
        return tuple(known.values()) if known else _no_sitemaps(dossier)

    async def _read(self, url: str) -> SitemapDocument:
        await self._leases.hold(host_of(url))
        response = await self._fetch(
            Request(url=url, purpose="poll", max_bytes=MAX_SITEMAP, take_start=True)
        )
        return await self._read_document(
            read_whole_sitemap, response.body, response.final_url, response.content_type
        )


def read_whole_sitemap(body: bytes, url: str, content_type: str) -> SitemapDocument:
    """All entries of a sitemap; a reader of documents, so that a worker can do it."""
    return read_sitemap(body, base_url=url, content_type=content_type)


def _no_sitemaps(dossier: Dossier) -> NoSitemaps:
    homepage = next((finding for finding in dossier.findings if finding.step == "homepage"), None)
    if homepage is None or homepage.outcome not in {"failed", "skipped"}:
        return NoSitemaps(reason=NO_SITEMAP)
    kind = str(homepage.facts.get("reason") or "")
    error = homepage.facts.get("error") or kind
    return NoSitemaps(reason=f"its homepage could not be fetched: {error}", kind=kind)


def _left(chosen: WantedPages) -> Counter[str]:
    return Counter({name: getattr(chosen, name) for name in _COUNTED if getattr(chosen, name)})


@asynccontextmanager
async def open_backfilling(
    app: App, settings: Settings, *, keep: bool = True
) -> AsyncIterator[Backfilling]:
    """Backfilling as the settings want it, with a fetcher of its own that is closed afterwards.

    With `keep` off a publisher that has to be scouted first is not saved.
    """
    from wireroom.app.factories import open_fetcher
    from wireroom.app.readers import open_readers
    from wireroom.app.scout import Scouting

    async with (
        open_fetcher(app, settings, keep=keep) as fetch,
        open_readers(settings) as readers,
    ):
        scouting = Scouting(
            app,
            readers.beside(fetch),
            fresh_for=settings.scout.fresh_for,
            rest=settings.rest_after_scout(),
            offline=settings.scout.offline,
            keep=keep,
            again_after=settings.run.scout_every,
            read=readers,
            time=settings.scout.time,
            run_time=settings.run.scout_time,
            gap_of=fetch.scout_gap_of,
        )
        yield Backfilling(
            app, fetch, scouting, read=readers, gap_of=fetch.gap_of, rest_of=fetch.rest_of
        )
