"""What is known of publishers and feeds while their pages are read: looked up once, and again in time.

A publisher is scouted before its first page is fetched, and again when its dossier is due. The memory of its
furniture is learnt once a day, from what was read before that day: so the same pages give the same texts,
in whichever order they come and however often the process is killed.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from wireroom.app.run.counts import RunCounts
from wireroom.app.run.run_options import RunOptions
from wireroom.app.store_thread import StoreThread
from wireroom.app.wait import wait_for_event
from wireroom.errors import FetchError, SettingsError, StoreError, WireroomError
from wireroom.model import Boilerplate, Dossier, Event, Feed, Publisher
from wireroom.parse.body.boilerplate import FADE_AT, learn_boilerplate
from wireroom.poll.standby import relief_of, served_sets
from wireroom.ports import Store
from wireroom.rights.finding_index import FindingIndex
from wireroom.urls import host_of
from wireroom.workers.follow_jobs import PublisherContext, as_brief

if TYPE_CHECKING:
    from wireroom.app.scouting import Scouting

log = logging.getLogger(__name__)

T = TypeVar("T")
Hold = Callable[[str], AbstractAsyncContextManager[None]]
"""Holds a host for a visit; TimeoutError when another process does not let go of it."""

BELIEVED = timedelta(minutes=5)  # until the store is asked again: another process may know better
PUBLISHERS_KEPT = 500  # each some 100 KB
FEEDS_KEPT = 5000
TURN = 60.0  # seconds in which a feed that is being asked should have answered
TRY_AGAIN = timedelta(hours=1)  # until a publisher that could not be scouted is tried again


@dataclass(frozen=True, slots=True)
class KnownPublisher:
    """What is known of one publisher."""

    publisher: Publisher | None
    heard: FindingIndex
    brief: PublisherContext
    scouted_at: datetime | None


class _Shelf(Generic[T]):
    """The last things asked for, each for a while; the same thing is fetched once at a time."""

    def __init__(self, size: int, clock: Callable[[], datetime]) -> None:
        self._size = size
        self._clock = clock
        self._kept: OrderedDict[str, tuple[datetime, asyncio.Future[T]]] = OrderedDict()

    async def get(self, name: str, look: Callable[[], asyncio.Task[T]]) -> T:
        now = self._clock()
        kept = self._kept.get(name)
        if kept is None or not now - BELIEVED <= kept[0] <= now or _failed(kept[1]):
            kept = self._keep(name, look())
        self._kept.move_to_end(name)
        return await asyncio.shield(kept[1])

    def put(self, name: str, thing: T) -> None:
        known: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        known.set_result(thing)
        self._keep(name, known)

    def forget(self, name: str) -> None:
        self._kept.pop(name, None)

    def under_way(self) -> list[asyncio.Future[T]]:
        return [looking for _, looking in self._kept.values() if not looking.done()]

    def _keep(self, name: str, known: asyncio.Future[T]) -> tuple[datetime, asyncio.Future[T]]:
        self._kept[name] = (self._clock(), known)
        self._kept.move_to_end(name)
        while len(self._kept) > self._size:
            self._kept.popitem(last=False)
        return self._kept[name]


def _failed(future: asyncio.Future[T]) -> bool:
    return future.done() and (future.cancelled() or future.exception() is not None)


class PublisherContexts:
    """Answers what errands ask about publishers and feeds."""

    def __init__(
        self,
        clerk: StoreThread,
        tally: RunCounts,
        options: RunOptions,
        *,
        clock: Callable[[], datetime],
        hold: Hold,
        scouting: Scouting | None = None,
    ) -> None:
        self._hold = hold
        self._thread = clerk
        self._tally = tally
        self._options = options
        self._clock = clock
        self._scouting = scouting if options.scout else None
        self._visits: dict[str, asyncio.Task[Dossier | None]] = {}
        self._publishers: _Shelf[KnownPublisher] = _Shelf(PUBLISHERS_KEPT, clock)
        self._feeds: _Shelf[Feed | None] = _Shelf(FEEDS_KEPT, clock)
        self._served: _Shelf[Mapping[str, Feed]] = _Shelf(1, clock)
        self._asking: dict[str, asyncio.Event] = {}

    @property
    def scouts(self) -> bool:
        """Whether publishers are looked at."""
        return self._scouting is not None

    async def publisher(self, domain: str) -> KnownPublisher:
        """What is known of the publisher; one that nobody has looked at is scouted now."""
        return await self._publishers.get(
            domain, lambda: asyncio.create_task(self._look_up(domain))
        )

    async def asker(self, domain: str) -> Publisher | None:
        """What has to be known before a feed of the publisher is asked; nothing, where there is no choice."""
        if self._scouting is None and len(self._options.strategies) < 2:
            return None
        return (await self.publisher(domain)).publisher

    async def feed(self, url: str) -> Feed | None:
        """The feed that led to a page, if it is still followed."""
        return await self._feeds.get(
            url,
            lambda: asyncio.create_task(
                self._thread.call(lambda: self._thread.store.feed(url, moved=True))
            ),
        )

    @contextmanager
    def asking(self, feed: Feed) -> Iterator[None]:
        """A feed is about to be asked: this is what is known of it now. Who stands in for it waits for the end."""
        self._feeds.put(feed.url, feed)
        over = self._asking[feed.url] = asyncio.Event()
        try:
            yield
        finally:
            over.set()
            del self._asking[feed.url]

    def failed(self, feed: Feed) -> None:
        """A feed has not answered: who is in reserve may be needed now."""
        if feed.role != "fallback":
            self._served.forget("")

    async def relief(self, feed: Feed) -> Feed | None:
        """A feed that answers in place of one in reserve; None when this one has to be asked."""
        if feed.role != "fallback":
            return None
        answering = relief_of(feed, await self._who_answers())
        over = self._asking.get(answering.url) if answering is not None else None
        if over is None:
            return answering
        await wait_for_event(over, TURN)
        return relief_of(feed, await self._who_answers())

    async def _who_answers(self) -> Mapping[str, Feed]:
        store = self._thread.store

        def look() -> asyncio.Task[Mapping[str, Feed]]:
            live = self._thread.call(lambda: served_sets(store.feeds(state="live")))
            return asyncio.create_task(live)

        return await self._served.get("", look)

    async def refresh(self, publisher: Publisher) -> None:
        """Looks at a publisher again whose dossier is due."""
        held = await self._thread.call(lambda: self._thread.store.dossier(publisher.domain))
        await self._scout(publisher.domain, publisher, held)
        self._publishers.forget(publisher.domain)

    async def close(self) -> None:
        """Ends what nobody waits for any more."""
        looking: list[asyncio.Future[Any]] = [*self._visits.values()]
        looking += self._publishers.under_way()
        looking += self._feeds.under_way()
        looking += self._served.under_way()
        for future in looking:
            future.cancel()
        await asyncio.gather(*looking, return_exceptions=True)

    async def worked(self, domain: str, strategy: str) -> None:
        """Remembers which way of fetching worked for a publisher, when there is a choice."""
        if len(self._options.strategies) < 2:
            return
        known = await self.publisher(domain)
        if known.publisher is None or known.publisher.strategy == strategy:
            return
        publisher = replace(known.publisher, strategy=strategy)
        await self._thread.call(lambda: self._thread.store.save_publisher(publisher))
        self._publishers.forget(domain)

    async def _look_up(self, domain: str) -> KnownPublisher:
        learn, now = self._options.learn, self._clock()
        publisher, dossier, boilerplate = await self._thread.call(
            lambda: _held(self._thread.store, domain, now, learn=learn)
        )
        if dossier is None and self._scouting is not None and self._is_due(publisher):
            dossier = await self._scout(domain, publisher, None)
        findings = dossier.findings if dossier is not None else ()
        return KnownPublisher(
            publisher,
            FindingIndex(findings),
            as_brief(findings, boilerplate),
            dossier.scouted_at if dossier is not None else None,
        )

    def _is_due(self, publisher: Publisher | None) -> bool:
        due = publisher.scout_after if publisher is not None else None
        return due is None or due <= self._clock()

    async def _scout(
        self, domain: str, publisher: Publisher | None, held: Dossier | None
    ) -> Dossier | None:
        """The publisher's new dossier; whoever asks meanwhile waits for the same visit."""
        visit = self._visits.get(domain)
        if visit is None:
            visit = asyncio.create_task(self._visit(domain, publisher, held))
            self._visits[domain] = visit
            visit.add_done_callback(lambda _done: self._visits.pop(domain, None))
        return await asyncio.shield(visit)

    async def _visit(
        self, domain: str, publisher: Publisher | None, held: Dossier | None
    ) -> Dossier | None:
        """What a visit brings home, or what is held when it cannot be made now."""
        from wireroom.scout.address import read_address

        if self._scouting is None:
            return held
        home = publisher.home_url if publisher is not None and publisher.home_url else domain
        self._tally.waiting["scout"] += 1
        try:
            address = read_address(home)
            async with self._hold(host_of(address.candidates[0])):
                dossier = await self._scouting.dossier(address, refresh=held is not None)
        except (FetchError, SettingsError, StoreError, TimeoutError) as exc:
            why = str(exc) or "its host is in other hands"
            log.info("not scouted", extra={"publisher": domain, "why": why})
            rest = exc.retry_after if isinstance(exc, FetchError) else None
            await self._plan(domain, min(rest or TRY_AGAIN, TRY_AGAIN))
            return held
        finally:
            self._tally.waiting["scout"] -= 1
        self._tally.scouted += 1
        await self._plan(domain, self._options.scout_every)
        await self._tell(held, dossier)
        return dossier

    async def _plan(self, domain: str, wait: timedelta) -> None:
        due = self._clock() + wait

        def plan() -> None:
            store = self._thread.store
            publisher = store.publisher(domain) or Publisher(domain=domain, added_at=self._clock())
            store.save_publisher(replace(publisher, scout_after=due))

        await self._thread.call(plan)

    async def _tell(self, held: Dossier | None, dossier: Dossier) -> None:
        changes = rights_changes(held, dossier)
        if changes:
            event = Event(
                kind="rights_changed",
                subject=dossier.publisher.domain,
                at=self._clock(),
                data={"uses": changes},
            )
            await self._thread.call(lambda: self._thread.store.emit([event]))


def rights_changes(held: Dossier | None, dossier: Dossier) -> dict[str, list[str]]:
    """The uses about which a publisher says something else than before, with both words."""
    before = {verdict.use: verdict.value for verdict in (held.rights if held else ())}
    return {
        verdict.use: [before[verdict.use], verdict.value]
        for verdict in dossier.rights
        if verdict.use in before and before[verdict.use] != verdict.value
    }


def _held(
    store: Store, domain: str, now: datetime, *, learn: bool
) -> tuple[Publisher | None, Dossier | None, tuple[str, ...]]:
    """What is held of a publisher: itself, its dossier, its furniture."""
    dossier = store.dossier(domain)
    publisher = store.publisher(domain)
    return publisher, dossier, _boilerplate(store, domain, now) if learn else ()


def _boilerplate(store: Store, domain: str, now: datetime) -> tuple[str, ...]:
    """What was learnt of the publisher's furniture up to today; learnt now if that was not done yet."""
    boilerplate = store.boilerplate(domain)
    if boilerplate is not None and boilerplate.learnt_at.date() >= now.date():
        return boilerplate.boilerplate
    pages, counts = store.block_counts(domain)
    learnt = learn_boilerplate(pages, counts)
    boilerplate = Boilerplate(publisher=domain, pages=pages, boilerplate=learnt, learnt_at=now)
    try:
        store.save_boilerplate(boilerplate, fade=pages >= FADE_AT)
    except WireroomError as exc:
        log.warning("memory not kept", extra={"publisher": domain, "why": exc.message})
    return learnt
