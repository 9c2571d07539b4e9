"""The store in a SQL database: every method of the port, as one transaction each, with clean texts.

It decides nothing: what is done with the rows stands in the module named after them. What a method does is said at
the port, `wireroom.ports.Store`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from wireroom.errors import StoreError
from wireroom.model import (
    Article,
    ArticleVersion,
    Boilerplate,
    Cluster,
    Dossier,
    Event,
    Feed,
    FeedState,
    Finding,
    Item,
    Lead,
    LeadState,
    Observation,
    Polled,
    Problem,
    Publisher,
    PublisherSummary,
    RawPage,
    Reading,
    Signature,
)
from wireroom.ports import (
    Changed,
    Compared,
    FeedCount,
    Order,
    PollCount,
    Removed,
    RobotsFile,
    Saved,
    SearchPage,
    Store,
    StoreHealth,
    StoreOptions,
)
from wireroom.query import Query
from wireroom.store import (
    articles_table,
    boilerplate_table,
    changes_table,
    clusters_table,
    events_table,
    feeds_table,
    leads_table,
    observations_table,
    publishers_table,
    purging,
    robots_table,
    signatures_table,
    tallies,
)
from wireroom.store.cleaning import clean, clean_text
from wireroom.store.copying import copy_rows
from wireroom.store.database import Database, count_rows
from wireroom.store.polls import compare_polls, save_feed_changes, save_polls
from wireroom.store.queue import reopening, taking, waking
from wireroom.store.readings import save_readings, save_reparsed
from wireroom.store.search import searching
from wireroom.store.sql_logs import (
    STREAM_PAGE,
    SqlHitCounts,
    SqlJobLog,
    SqlQueueLog,
    SqlReceiptLog,
)
from wireroom.store.sql_overview import SqlOverviewLog

T = TypeVar("T")


class SqlStore(Store):
    """A store in a SQL database."""

    def __init__(self, database: Database, options: StoreOptions) -> None:
        self._db = database
        self._options = options

    # life

    def close(self) -> None:
        self._db.close()

    def health(self) -> StoreHealth:
        return self._db.health()

    def set_fail_fast(self, on: bool) -> None:
        self._db.set_fail_fast(on)

    def counts(self) -> Mapping[str, int]:
        return self._db.read(count_rows)

    def backup(self, path: Path, *, progress: Callable[[int, int], None] | None = None) -> None:
        self._db.backup(path, progress or _nobody_watches)

    def fill_from(self, source: SqlStore) -> None:
        """Copies all that another store holds into this one, which must be empty."""
        if any(self.counts().values()):
            raise StoreError("The store to copy into is not empty.", hint="Name a new one.")
        copy = partial(copy_rows, index=self._db.index, progress=_nobody_watches)
        self._db.write(lambda target: source._db.read(partial(copy, target=target)))

    # publishers and what was found out about them

    def save_publisher(self, publisher: Publisher) -> None:
        held = clean(publisher)
        self._db.write(lambda conn: publishers_table.save_publisher(conn, held))

    def publisher(self, domain: str) -> Publisher | None:
        return self._db.read(lambda conn: publishers_table.find_publisher(conn, domain))

    def publishers(self) -> tuple[Publisher, ...]:
        return self._db.read(publishers_table.all_publishers)

    def save_dossier(
        self,
        dossier: Dossier,
        *,
        now: datetime | None = None,
        summary: PublisherSummary | None = None,
    ) -> None:
        held, line = clean(dossier), summary and clean(summary)
        save = partial(publishers_table.save_dossier, dossier=held, now=now, summary=line)
        self._db.write(save)

    def dossier(self, domain: str) -> Dossier | None:
        return self._db.read(lambda conn: publishers_table.find_dossier(conn, domain))

    def history(self, domain: str, *, step: str = "") -> tuple[Finding, ...]:
        return self._db.read(lambda conn: publishers_table.finding_history(conn, domain, step=step))

    # feeds

    def save_feed_changes(
        self,
        changes: Sequence[tuple[Feed | None, Feed]],
        *,
        events: Sequence[Event] = (),
        now: datetime,
    ) -> None:
        held = [(before and clean(before), clean(wanted)) for before, wanted in changes]
        save = partial(save_feed_changes, changes=held, now=now)
        self._db.write(_with_events(save, events))

    def feed(self, url: str, *, moved: bool = False) -> Feed | None:
        return self._db.read(partial(feeds_table.find_feed, url=url, moved=moved))

    def feeds(self, *, publisher: str = "", state: FeedState | None = None) -> tuple[Feed, ...]:
        return self._db.read(partial(feeds_table.all_feeds, publisher=publisher, state=state))

    def feed_counts(self) -> Mapping[str, int]:
        return self._db.read(feeds_table.count_feeds)

    def feed_addresses(self, url: str) -> tuple[str, ...]:
        return (url, *self._db.read(lambda conn: feeds_table.former_addresses(conn, [url])))

    def feed_tallies(
        self, urls: Sequence[str], *, until: datetime | None = None
    ) -> Mapping[str, FeedCount]:
        return self._db.read(lambda conn: tallies.tally_feeds(conn, urls, until=until))

    def observations(self, feed_url: str, *, limit: int) -> tuple[Observation, ...]:
        find = partial(observations_table.last_observations, feed_url=feed_url, limit=limit)
        return self._db.read(find)

    def remove_feed(self, url: str) -> bool:
        return self._db.write(lambda conn: feeds_table.remove_feed(conn, url))

    # due work

    def take_feeds(
        self, *, holder: str, now: datetime, limit: int, lease: timedelta
    ) -> tuple[Feed, ...]:
        take = partial(taking.take_feeds, holder=holder, now=now, limit=limit, lease=lease)
        return self._db.write(take)

    def take_leads(
        self,
        *,
        holder: str,
        now: datetime,
        limit: int,
        lease: timedelta,
        per_host: int = 10,
        without: Collection[str] = (),
        scouted: bool = False,
    ) -> tuple[Lead, ...]:
        take = partial(taking.take_leads, holder=holder, now=now, limit=limit, lease=lease)
        take = partial(take, per_host=per_host, without=without, scouted=scouted)
        return self._db.write(take)

    def take_host(self, host: str, *, holder: str, now: datetime, lease: timedelta) -> bool:
        take = partial(taking.take_host, name=host, holder=holder, now=now, lease=lease)
        return self._db.write(take)

    def host_lease(self, host: str, *, now: datetime) -> tuple[str, timedelta]:
        return self._db.read(lambda conn: taking.host_lease(conn, host, now=now))

    def holders(self) -> tuple[str, ...]:
        return self._db.read(taking.all_holders)

    def renew(
        self,
        *,
        holder: str,
        now: datetime,
        lease: timedelta,
        hosts: Collection[str] | None = None,
    ) -> tuple[str, ...]:
        return self._db.write(
            partial(taking.renew, holder=holder, now=now, lease=lease, hosts=hosts)
        )

    def release(
        self,
        *,
        holder: str,
        now: datetime,
        hosts: Sequence[str] | None = None,
        rest: timedelta = timedelta(),
    ) -> int:
        return self._db.write(
            partial(taking.release, holder=holder, now=now, hosts=hosts, rest=rest)
        )

    def due_publishers(self, *, now: datetime, limit: int) -> tuple[Publisher, ...]:
        return self._db.read(partial(waking.due_publishers, now=now, limit=limit))

    def next_due(
        self, *, feeds_by: datetime | None = None, leads_on: Sequence[str] | None = None
    ) -> datetime | None:
        return self._db.read(partial(waking.next_due, feeds_by=feeds_by, leads_on=leads_on))

    def wake_untimed(
        self,
        *,
        now: datetime,
        set_back: timedelta = timedelta(),
        scout_every: timedelta | None = None,
    ) -> int:
        woken = partial(waking.wake_untimed, now=now, set_back=set_back, scout_every=scout_every)
        return self._db.write(woken)

    def retry_leads(
        self,
        *,
        now: datetime,
        publisher: str = "",
        feed_url: str = "",
        url: str = "",
        refused: bool = False,
    ) -> int:
        chosen = partial(reopening.retry_leads, publisher=publisher, feed_url=feed_url, url=url)
        return self._db.write(partial(chosen, refused=refused, now=now))

    @property
    def queue(self) -> SqlQueueLog:
        return SqlQueueLog(self._db)

    @property
    def overview(self) -> SqlOverviewLog:
        return SqlOverviewLog(self._db)

    @property
    def jobs(self) -> SqlJobLog:
        return SqlJobLog(self._db)

    # outcomes

    def compare_polls(
        self, polls: Sequence[tuple[str, Sequence[Item]]], *, observations: int
    ) -> tuple[tuple[Compared, tuple[Observation, ...]], ...]:
        cleaned = [(feed_url, [clean(item) for item in items]) for feed_url, items in polls]
        return self._db.read(partial(compare_polls, polls=cleaned, observations=observations))

    def save_polls(
        self, polls: Sequence[tuple[Feed, Polled]], *, events: Sequence[Event] = (), now: datetime
    ) -> tuple[PollCount, ...]:
        held = [(clean(feed), clean(polled)) for feed, polled in polls]
        save = partial(save_polls, polls=held, now=now, token=events_table.new_token())
        return self._db.write(_with_events(save, events))

    def save_leads(self, leads: Sequence[Lead], *, now: datetime) -> int:
        held = [clean(lead) for lead in leads]
        return self._db.write(partial(leads_table.save_leads, leads=held, now=now))

    def leads(
        self,
        *,
        publisher: str = "",
        url: str = "",
        state: LeadState | None = None,
        limit: int = 1000,
    ) -> tuple[Lead, ...]:
        find = partial(leads_table.find_leads, publisher=publisher, url=url)
        return self._db.read(partial(find, state=state, limit=limit))

    def save_readings(
        self, readings: Sequence[Reading], *, now: datetime, reparsed: bool = False
    ) -> tuple[Saved, ...]:
        held, token = [clean(reading) for reading in readings], events_table.new_token()
        if reparsed:
            anew = partial(save_reparsed, index=self._db.index, options=self._options)
            return self._db.write(partial(anew, readings=held))
        save = partial(save_readings, readings=held, index=self._db.index, options=self._options)
        return self._db.write(partial(save, now=now, token=token))

    # articles

    def article(self, article_id: str) -> Article | None:
        return next(self.articles(ids=[article_id]), None)

    def articles(
        self, query: Query | str = "", *, ids: Sequence[str] | None = None
    ) -> Iterator[Article]:
        if ids is not None:
            held = self._db.read(partial(articles_table.articles_by_id, ids=ids))
            yield from (held[article_id].article for article_id in ids if article_id in held)
            return
        page = self.search(query, limit=STREAM_PAGE)
        yield from page.articles
        while page.cursor:
            page = self.search(query, limit=STREAM_PAGE, cursor=page.cursor)
            yield from page.articles

    def search(
        self,
        query: Query | str = "",
        *,
        order: Order = "newest",
        limit: int = 20,
        cursor: str = "",
        within: timedelta | None = None,
        fold: bool = False,
    ) -> SearchPage:
        find = partial(searching.find_articles, index=self._db.index, query=query, fold=fold)
        return self._db.read(partial(find, order=order, limit=limit, cursor=cursor, within=within))

    @property
    def hits(self) -> SqlHitCounts:
        return SqlHitCounts(self._db)

    def ids_beginning(self, digits: str, *, limit: int = 10) -> tuple[str, ...]:
        return self._db.read(lambda conn: articles_table.ids_beginning(conn, digits, limit=limit))

    def versions(self, article_id: str) -> tuple[ArticleVersion, ...]:
        return self._db.read(lambda conn: articles_table.article_versions(conn, article_id))

    def raw(self, article_id: str) -> RawPage | None:
        return self._db.read(lambda conn: articles_table.find_raw(conn, article_id))

    @property
    def receipts(self) -> SqlReceiptLog:
        return SqlReceiptLog(self._db)

    # export, and removing

    def changed_articles(self, query: Query | str = "", *, after: int = 0) -> Iterator[Changed]:
        index = self._db.index
        chosen = self._db.read(partial(changes_table.choose, index=index, query=query, after=after))
        next_page = partial(changes_table.read_changes, chosen=chosen, limit=STREAM_PAGE)
        while after < chosen.last:
            found, after = self._db.read(partial(next_page, after=after))
            yield from found

    def removed_after(self, after: int = 0) -> Iterator[tuple[int, str]]:
        next_page = partial(changes_table.removed_page, limit=STREAM_PAGE)
        while found := self._db.read(partial(next_page, after=after)):
            yield from found
            after = found[-1][0]

    def reduce_articles(
        self,
        articles: Sequence[Article],
        *,
        now: datetime,  # noqa: ARG002 - the port's; another store may note when
    ) -> Removed:
        held = [clean(article) for article in articles]
        return self._db.write(lambda conn: purging.reduce_articles(conn, self._db.index, held))

    def remove_articles(self, article_ids: Sequence[str], *, reason: str, now: datetime) -> Removed:
        remove = partial(purging.remove_articles, index=self._db.index, article_ids=article_ids)
        return self._db.write(partial(remove, reason=clean_text(reason), now=now))

    def drop_raw_pages(
        self, *, before: datetime | None = None, feed_url: str = "", dry_run: bool = False
    ) -> int:
        drop = partial(purging.drop_raw_pages, before=before, feed_url=feed_url, dry_run=dry_run)
        return self._db.read(drop) if dry_run else self._db.write(drop)

    # near-duplicates

    def save_signatures(self, signatures: Sequence[Signature]) -> None:
        held = [clean(signature) for signature in signatures]
        self._db.write(lambda conn: signatures_table.save_signatures(conn, held))

    def unclustered(self, *, limit: int) -> tuple[Signature, ...]:
        return self._db.read(partial(signatures_table.waiting_signatures, limit=limit))

    def near_duplicates(
        self, signatures: Sequence[Signature], *, window: timedelta
    ) -> Mapping[str, tuple[Signature, ...]]:
        find = partial(signatures_table.find_near_duplicates, signatures=signatures, window=window)
        return self._db.read(find)

    def clusters_of(self, article_ids: Sequence[str]) -> Mapping[str, Cluster]:
        return self._db.read(lambda conn: clusters_table.clusters_of(conn, article_ids))

    def save_clusters(
        self,
        clusters: Sequence[Cluster],
        *,
        clustered: Sequence[str] = (),
        dissolved: Sequence[str] = (),
        uncluster: Sequence[str] = (),
        observations: Mapping[str, Observation] | None = None,
    ) -> None:
        held = [clean(cluster) for cluster in clusters]
        cleaned = {article: clean(seen) for article, seen in (observations or {}).items()}
        save = partial(clusters_table.save_clusters, clusters=held, clustered=clustered)
        self._db.write(
            partial(save, dissolved=dissolved, uncluster=uncluster, observations=cleaned)
        )

    def drop_old_signatures(self, *, now: datetime, window: timedelta, limit: int) -> int:
        drop = partial(signatures_table.drop_old_signatures, now=now, window=window, limit=limit)
        return self._db.write(drop)

    # boilerplate

    def boilerplate(self, publisher: str) -> Boilerplate | None:
        return self._db.read(lambda conn: boilerplate_table.find_boilerplate(conn, publisher))

    def block_counts(self, publisher: str) -> tuple[int, Mapping[str, int]]:
        return self._db.read(lambda conn: boilerplate_table.find_counts(conn, publisher))

    def save_boilerplate(self, boilerplate: Boilerplate, *, fade: bool) -> None:
        held = clean(boilerplate)
        self._db.write(lambda conn: boilerplate_table.save_boilerplate(conn, held, fade=fade))

    # robots.txt

    def robots_file(self, origin: str) -> RobotsFile | None:
        return self._db.read(lambda conn: robots_table.find_robots_file(conn, origin))

    def save_robots_files(self, files: Sequence[RobotsFile]) -> None:
        held = [clean(file) for file in files]
        self._db.write(lambda conn: robots_table.save_robots_files(conn, held))

    # what happened

    def problems(
        self, *, subject_url: str = "", feed_url: str = "", limit: int = 100
    ) -> tuple[Problem, ...]:
        find = partial(events_table.newest_problems, subject_url=subject_url, feed_url=feed_url)
        return self._db.read(partial(find, limit=limit))

    def emit(self, events: Sequence[Event]) -> int:
        held, token = [clean(event) for event in events], events_table.new_token()
        return self._db.write(lambda conn: events_table.add_events(conn, held, token=token))

    def events(self, *, after: int = 0, limit: int = 1000) -> tuple[Event, ...]:
        return self._db.read(partial(events_table.events_after, after=after, limit=limit))


def _nobody_watches(done: int, total: int) -> None:
    """Progress that is not asked for."""


def _with_events(
    save: Callable[[Connection], T], events: Sequence[Event]
) -> Callable[[Connection], T]:
    """The same, and the events are saved with it."""
    cleaned, token = [clean(event) for event in events], events_table.new_token()

    def save_both(conn: Connection) -> T:
        saved = save(conn)
        if cleaned:
            events_table.add_events(conn, cleaned, token=token)
        return saved

    return save_both
