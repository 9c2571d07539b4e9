"""What is known of publishers and feeds while their pages are read: looked up once, and again in time.

The boilerplate of a publisher is learnt once a day, from what was read before that day: so the same pages give the
same texts, in whichever order they come and however often the process is killed. Scouts nobody: a publisher that
is to be scouted is due work of its own (`due_work`), and its leads wait for that in the store.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from wireroom.app.concurrency import wait_for_event
from wireroom.app.page_rights import rights_domain
from wireroom.app.run.run_options import RunOptions
from wireroom.app.scout_log import NEVER
from wireroom.app.store_thread import StoreThread
from wireroom.errors import WireroomError
from wireroom.lru import LruCache
from wireroom.model import Boilerplate, Dossier, Feed, Finding, Publisher
from wireroom.parse.body.boilerplate import FADE_AT, learn_boilerplate
from wireroom.poll.discovery import relief_of, served_sets
from wireroom.ports import Store
from wireroom.rights.finding_index import FindingIndex
from wireroom.signals import findings_on
from wireroom.urls import same_site
from wireroom.workers.page_jobs import PublisherContext, pack_context

log = logging.getLogger(__name__)

T = TypeVar("T")

BELIEVED = timedelta(minutes=5)  # until the store is asked again: another process may know better
PUBLISHERS_KEPT = 500  # each some 100 KB
FEEDS_KEPT = 5000
TURN = 60.0  # seconds in which a feed that is being asked should have answered


@dataclass(frozen=True, slots=True)
class KnownPublisher:
    """What is known of one publisher."""

    publisher: Publisher | None
    findings: tuple[Finding, ...]
    boilerplate: tuple[str, ...]
    index: FindingIndex
    context: PublisherContext
    is_scouted: bool
    """Whether a scout was made to its end."""


class _Lookups(Generic[T]):
    """The last things asked for, each for a while; the same thing is looked up once at a time."""

    def __init__(self, size: int, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._kept: LruCache[str, tuple[datetime, asyncio.Future[T]]] = LruCache(size)

    async def get(self, name: str, look_up: Callable[[], asyncio.Task[T]]) -> T:
        now = self._clock()
        kept = self._kept.get(name)
        if kept is None or not now - BELIEVED <= kept[0] <= now or _failed(kept[1]):
            kept = self._kept[name] = (now, look_up())
        return await asyncio.shield(kept[1])

    def put(self, name: str, thing: T) -> None:
        known: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        known.set_result(thing)
        self._kept[name] = (self._clock(), known)

    def forget(self, name: str) -> None:
        self._kept.pop(name)

    def in_flight(self) -> list[asyncio.Future[T]]:
        return [found for _, found in self._kept.values() if not found.done()]


def _failed(future: asyncio.Future[T]) -> bool:
    return future.done() and (future.cancelled() or future.exception() is not None)


class PublisherContexts:
    """Answers what due work asks about publishers and feeds."""

    def __init__(
        self, thread: StoreThread, options: RunOptions, *, clock: Callable[[], datetime]
    ) -> None:
        self._thread = thread
        self._options = options
        self._clock = clock
        self._publishers: _Lookups[KnownPublisher] = _Lookups(PUBLISHERS_KEPT, clock)
        self._feeds: _Lookups[Feed | None] = _Lookups(FEEDS_KEPT, clock)
        self._served: _Lookups[Mapping[str, Feed]] = _Lookups(1, clock)
        self._feeds_of: _Lookups[tuple[Feed, ...]] = _Lookups(PUBLISHERS_KEPT, clock)
        self._asking: dict[str, tuple[str, asyncio.Event]] = {}
        """The feeds that are being asked: whose each is, and its end."""

    async def publisher(self, domain: str) -> KnownPublisher:
        """What is known of the publisher."""
        known = await self._publishers.get(
            domain, lambda: asyncio.create_task(self._look_up(domain))
        )
        if self._is_to_be_scouted(
            known
        ):  # by another process, perhaps: its answer may come any moment
            self._publishers.forget(domain)
        return known

    async def owner(self, publisher: str, url: str) -> KnownPublisher:
        """What is known of the publisher of a page, with the rights of the host on which the page stands."""
        known = await self.publisher(publisher)
        domain = rights_domain(url, publisher)
        if domain == publisher:
            return known
        host = await self.publisher(domain)
        findings = host.findings
        if same_site(f"https://{domain}/", f"https://{publisher}/"):
            findings = (*known.findings, *findings)
        return replace(
            known,
            findings=findings,
            index=FindingIndex(findings),
            context=pack_context(findings, known.boilerplate),
            is_scouted=known.is_scouted and host.is_scouted,
        )

    async def asker(self, domain: str) -> Publisher | None:
        """What has to be known before a feed of the publisher is asked; nothing, where there is no choice."""
        if len(self._options.strategies) < 2:
            return None
        return (await self.publisher(domain)).publisher

    def forget(self, domain: str) -> None:
        """More is known of the publisher now."""
        self._publishers.forget(domain)

    async def feed(self, url: str) -> Feed | None:
        """The feed that led to a page, if it is still followed."""
        store = self._thread.store
        return await self._feeds.get(
            url, lambda: asyncio.create_task(self._thread.call(lambda: store.feed(url, moved=True)))
        )

    @contextmanager
    def asking(self, feed: Feed) -> Iterator[None]:
        """A feed is about to be asked: this is what is known of it now. Who stands in for it waits for the end."""
        self._feeds.put(feed.url, feed)
        over = asyncio.Event()
        self._asking[feed.url] = feed.publisher, over
        try:
            yield
        finally:
            over.set()
            del self._asking[feed.url]

    async def feeds_that_answered(self, domain: str) -> tuple[Feed, ...]:
        """The feeds of a publisher, once those that are being asked just now have answered."""
        store = self._thread.store
        feeds = await self._feeds_of.get(
            domain,
            lambda: asyncio.create_task(self._thread.call(lambda: store.feeds(publisher=domain))),
        )
        if len(feeds) > 1:
            asked = [over for publisher, over in self._asking.values() if publisher == domain]
            for over in asked:
                await wait_for_event(over, TURN)
        return feeds

    def failed(self, feed: Feed) -> None:
        """A feed has not answered: who is in reserve may be needed now."""
        if feed.role != "fallback":
            self._served.forget("")

    async def relief(self, feed: Feed) -> Feed | None:
        """A feed that answers in place of one in reserve; None when this one has to be asked."""
        if feed.role != "fallback":
            return None
        answering = relief_of(feed, await self._who_answers())
        asked = self._asking.get(answering.url) if answering is not None else None
        if asked is None:
            return answering
        await wait_for_event(asked[1], TURN)
        return relief_of(feed, await self._who_answers())

    async def worked(self, domain: str, strategy: str) -> None:
        """Remembers which strategy of fetching worked for a publisher, when there is a choice."""
        if len(self._options.strategies) < 2:
            return
        known = await self.publisher(domain)
        if known.publisher is None or known.publisher.strategy == strategy:
            return
        publisher = replace(known.publisher, strategy=strategy)
        await self._thread.call(lambda: self._thread.store.save_publisher(publisher))
        self._publishers.forget(domain)

    async def close(self) -> None:
        """Ends what nobody waits for any more."""
        found: list[asyncio.Future[Any]] = [*self._publishers.in_flight()]
        found += self._feeds.in_flight()
        found += self._served.in_flight()
        found += self._feeds_of.in_flight()
        for future in found:
            future.cancel()
        await asyncio.gather(*found, return_exceptions=True)

    async def _who_answers(self) -> Mapping[str, Feed]:
        store = self._thread.store

        def look_up() -> asyncio.Task[Mapping[str, Feed]]:
            live = self._thread.call(lambda: served_sets(store.feeds(state="live")))
            return asyncio.create_task(live)

        return await self._served.get("", look_up)

    async def _look_up(self, domain: str) -> KnownPublisher:
        learn, now = self._options.learn, self._clock()
        publisher, dossier, boilerplate = await self._thread.call(
            lambda: _held(self._thread.store, domain, now, learn=learn)
        )
        findings = findings_on(domain, dossier, now=now)
        return KnownPublisher(
            publisher,
            findings,
            boilerplate,
            FindingIndex(findings),
            pack_context(findings, boilerplate),
            is_scouted=dossier is not None and dossier.scouted_at > NEVER,
        )

    def _is_to_be_scouted(self, known: KnownPublisher) -> bool:
        if not self._options.scout or known.is_scouted:
            return False
        due = known.publisher.scout_after if known.publisher is not None else None
        return due is None or due <= self._clock()


def _held(
    store: Store, domain: str, now: datetime, *, learn: bool
) -> tuple[Publisher | None, Dossier | None, tuple[str, ...]]:
    """What is held of a publisher: itself, its dossier, its boilerplate."""
    dossier = store.dossier(domain)
    publisher = store.publisher(domain)
    return publisher, dossier, _boilerplate(store, domain, now) if learn else ()


def _boilerplate(store: Store, domain: str, now: datetime) -> tuple[str, ...]:
    """What was learnt of the publisher's boilerplate up to today; learnt now if that was not done yet."""
    boilerplate = store.boilerplate(domain)
    if boilerplate is not None and boilerplate.learnt_at.date() >= now.date():
        return boilerplate.boilerplate
    pages, counts = store.block_counts(domain)
    learnt = learn_boilerplate(pages, counts)
    boilerplate = Boilerplate(publisher=domain, pages=pages, boilerplate=learnt, learnt_at=now)
    try:
        store.save_boilerplate(boilerplate, fade=pages >= FADE_AT)
    except WireroomError as exc:
        log.warning("boilerplate not kept", extra={"publisher": domain, "why": exc.message})
    return learnt
