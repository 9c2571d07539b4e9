"""Kept pages read anew, by today's extractor and without any request.

What would change is compared first, by a pure function; with `apply` it is saved as an edit is: a new version
where title or text differ, under the receipt that is held. Each batch is saved whole, and a page that reads as
it is held changes nothing: whoever is stopped goes on by starting again.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from wireroom.app.application import refuse_running_loop
from wireroom.app.cluster_round import cluster_round
from wireroom.app.engines import open_engine
from wireroom.app.explain import find_article
from wireroom.app.holders import holder_name
from wireroom.app.run.run_options import run_options
from wireroom.identity import merged
from wireroom.lru import LruCache
from wireroom.model import Article, Feed, Hints, Item, Lead, ProblemKind, Reading
from wireroom.ports import Done, Lost
from wireroom.workers.document_jobs import Unread
from wireroom.workers.page_jobs import KeptPage, Reparsed, Reparsing

if TYPE_CHECKING:
    from wireroom.app.application import App
    from wireroom.ports import Engine, Store
    from wireroom.settings import Settings

AT_ONCE = 50  # articles looked up, and saved, in one go
EXAMPLES = 10  # articles that are shown with what changes
REMEMBERED = 500  # publishers and feeds looked up once
SHOWN = ("title", "text", "published_at", "authors")
"""The fields that are counted by name."""
OTHERS = (
    *("modified_at", "language", "language_tag", "tags", "description", "image_url"),
    *("canonical_url", "paywall", "layout", "captions", "word_count", "quality"),
)
"""Those that are counted together. What the feed or the page said besides is saved, and not compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReparseRequest:
    """Which articles are meant: by id or address, or all that match."""

    articles: tuple[str, ...] = ()
    query: str = ""
    feed_urls: tuple[str, ...] = ()
    """Only what came by one of these feeds; empty for any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleChange:
    """What differs between the article that is held and its page as it reads now."""

    held: Article
    after: Article
    fields: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class ReparseSummary:
    """What came of the pages, before and after."""

    pages: int = 0
    """Kept pages that were read."""
    changed: int = 0
    """Articles that read differently now."""
    fields: Counter[str] = field(default_factory=Counter)
    """Articles by the field that differs; `other` is any that has no name here."""
    words_before: int = 0
    words_after: int = 0
    unread: Counter[ProblemKind] = field(default_factory=Counter)
    """Pages that give no article any more, by the kind of the problem; what is held stays."""
    examples: list[ArticleChange] = field(default_factory=list)
    saved: int = 0
    missing: list[str] = field(default_factory=list)
    """Articles that were named and are not held."""

    def add(self, held: Article, change: ArticleChange | None) -> None:
        """Counts a page that was read."""
        self.pages += 1
        self.words_before += held.word_count
        self.words_after += (change.after if change is not None else held).word_count
        if change is None:
            return
        self.changed += 1
        self.fields.update({name if name in SHOWN else "other" for name in change.fields})
        if len(self.examples) < EXAMPLES:
            self.examples.append(change)


def compare_article(held: Article, read: Article) -> ArticleChange | None:
    """What would be different if this reading were saved; None when nothing would.

    Pure. A text is told by its hash: of one that was cut down for its rights that is all there is.
    """
    after = merged(held, read)
    fields = tuple(name for name in (*SHOWN, *OTHERS) if _value(held, name) != _value(after, name))
    return ArticleChange(held=held, after=after, fields=fields) if fields else None


def _value(article: Article, name: str) -> object:
    if name == "text":
        return article.text_hash or article.text
    return getattr(article, name)


def pages_kept_for(settings: Settings) -> timedelta:
    """How long pages are kept after they were read; zero where they are not."""
    return settings.store.raw_kept_for


def kept_pages(app: App) -> int:
    """How many raw pages are kept at all."""
    return app.store.drop_raw_pages(dry_run=True)


def reparse(
    app: App,
    request: ReparseRequest,
    *,
    apply: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> ReparseSummary:
    """Reads kept pages anew on all cores and says what differs; with `apply` that is saved."""

    async def work() -> ReparseSummary:
        async with open_engine(app.settings) as engine:
            return await reparse_pages(app, request, engine, apply=apply, progress=progress)

    refuse_running_loop("reparse", "await reparse_pages(app, request, engine)")
    return asyncio.run(work())


async def reparse_pages(
    app: App,
    request: ReparseRequest,
    engine: Engine,
    *,
    apply: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> ReparseSummary:
    """As `reparse`, with an engine that is open already."""
    summary = ReparseSummary()
    options = run_options(app.settings)
    ids = _ids(app, request, summary)
    changes: list[Reading] = []
    pages = _KeptPages(app.store, ids, progress)
    work = Reparsing(policy=app.settings.rights.policy(), cluster=options.cluster)
    async with aclosing(engine.spread(iter(pages), work)) as outcomes:
        async for done in outcomes:
            outcome = _outcome(done)
            if isinstance(outcome, Unread):
                summary.unread[outcome.kind] += 1
                continue
            held = done.work.held
            change = compare_article(held, outcome.article)
            summary.add(held, change)
            if apply and change is not None:
                changes.append(_reading(outcome))
            if len(changes) >= AT_ONCE:
                summary.saved += _save(app, changes)
    summary.saved += _save(app, changes)
    if summary.saved and options.cluster is not None:
        holder = holder_name()
        while any(cluster_round(app.store, options.cluster, holder=holder, clock=app.clock)):
            continue
    return summary


def _ids(app: App, request: ReparseRequest, summary: ReparseSummary) -> Sequence[str]:
    """The articles that are meant, read off before anything is changed."""
    if request.articles:
        found = {which: find_article(app, which) for which in request.articles}
        summary.missing += [which for which, article in found.items() if article is None]
        return list(dict.fromkeys(article.id for article in found.values() if article is not None))
    store = app.store
    came_from = {url for named in request.feed_urls for url in store.feed_addresses(named)}
    return [
        article.id
        for article in store.articles(request.query)
        if not request.feed_urls or article.feed_url in came_from
    ]


def kept_page(app: App, article: Article) -> KeptPage | None:
    """The page of an article with what helps to read it; None where it is not kept."""
    return next(iter(_KeptPages(app.store, [article.id], None)), None)


class _KeptPages:
    """The pages of these articles, as far as they are kept, each with what helps to read it."""

    def __init__(
        self, store: Store, ids: Sequence[str], progress: Callable[[int, int], None] | None
    ) -> None:
        self._store = store
        self._ids = ids
        self._progress = progress
        self._feeds: LruCache[str, tuple[Feed | None]] = LruCache(REMEMBERED)
        self._boilerplate: LruCache[str, frozenset[str]] = LruCache(REMEMBERED)

    def __iter__(self) -> Iterator[KeptPage]:
        for start in range(0, len(self._ids), AT_ONCE):
            part = self._ids[start : start + AT_ONCE]
            for article in self._store.articles(ids=part):
                page = self._store.raw(article.id)
                if page is not None:
                    yield KeptPage(
                        held=article,
                        page=page,
                        item=self._item(article),
                        hints=self._hints(article.feed_url),
                        boilerplate=self._boilerplate_of(article.publisher),
                    )
            if self._progress is not None:
                self._progress(start + len(part), len(self._ids))

    def _item(self, article: Article) -> Item | None:
        leads = self._store.leads(publisher=article.publisher, url=article.url, limit=1)
        return leads[0].item if leads else None

    def _hints(self, feed_url: str) -> Hints:
        known = self._feeds.get(feed_url)
        if known is None:
            known = self._feeds[feed_url] = (self._store.feed(feed_url, moved=True),)
        feed = known[0]
        return feed.hints if feed is not None else Hints()

    def _boilerplate_of(self, publisher: str) -> frozenset[str]:
        known = self._boilerplate.get(publisher)
        if known is None:
            learnt = self._store.boilerplate(publisher)
            known = frozenset(learnt.boilerplate if learnt is not None else ())
            self._boilerplate[publisher] = known
        return known


def _outcome(done: Done[KeptPage, Reparsed | Unread] | Lost[KeptPage]) -> Reparsed | Unread:
    if not isinstance(done, Lost):
        return done.outcome
    kind: ProblemKind = "internal" if done.cause == "error" else "too_complex"
    return Unread(kind=kind, message=done.message)


def _reading(read: Reparsed) -> Reading:
    """The reading to save; the lead is only named by it."""
    article = read.article
    lead = Lead(url=article.url, publisher=article.publisher, state="read")
    return Reading(lead=lead, article=article, signature=read.signature)


def _save(app: App, readings: list[Reading]) -> int:
    """Saves them and empties the list; how many: what was changed meanwhile by others stays as it is."""
    if not readings:
        return 0
    saved = app.store.save_readings(readings, now=app.clock(), reparsed=True)
    readings.clear()
    return sum(outcome.outcome != "none" for outcome in saved)
