"""The store's door: every method of the port, as one transaction each, with clean texts.

It decides nothing: what is done with the rows stands in the module named after them. What those need
who follow publishers stands in `corpus`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import Connection

from wireroom.errors import StoreError
from wireroom.model import (
    Article,
    ArticleVersion,
    Cluster,
    Dossier,
    Event,
    Feed,
    FeedState,
    Finding,
    Lead,
    LeadState,
    Polled,
    Problem,
    Publisher,
    RawPage,
    Reading,
    Signature,
)
from wireroom.ports import Order, PollCount, Saved, SearchPage, StoreHealth, StoreOptions
from wireroom.store import articles_table as articles
from wireroom.store import event_log as log
from wireroom.store import feeds_table as feed_rows
from wireroom.store import leads_table as lead_rows
from wireroom.store import publishers_table as publishers
from wireroom.store import signatures_table as near_duplicates
from wireroom.store import work
from wireroom.store.cleaning import clean
from wireroom.store.clusters_table import find_cluster
from wireroom.store.copying import copy_rows
from wireroom.store.corpus import STREAM_PAGE, SqlCorpus
from wireroom.store.database import Database, count_rows
from wireroom.store.feed_changes import save_feed_changes
from wireroom.store.hosts_table import FEEDS, LEADS
from wireroom.store.polls import save_polled
from wireroom.store.readings import save_readings
from wireroom.store.searching import LARGEST_PAGE, find_articles


class SqlStore(SqlCorpus):
    """A store in a SQL database."""

    def __init__(self, database: Database, options: StoreOptions) -> None:
        self._db = database
        self._options = options

    # life

    def close(self) -> None:
        """Closes every connection."""
        self._db.close()

    def health(self) -> StoreHealth:
        """Whether the store can be read and written now."""
        return self._db.health()

    def set_fail_fast(self, on: bool) -> None:
        """Whether waiting for others is given up soon."""
        self._db.set_fail_fast(on)

    def counts(self) -> Mapping[str, int]:
        """How many of each noun are held."""
        return self._db.read(count_rows)

    def backup(self, path: Path, *, progress: Callable[[int, int], None] | None = None) -> None:
        """Writes a consistent copy of the live store to a new file."""
        self._db.backup(path, progress or _nobody_watches)

    def fill_from(self, source: SqlStore) -> None:
        """Copies all that another store holds into this one, which must be empty."""
        if any(self.counts().values()):
            raise StoreError("The store to copy into is not empty.", hint="Name a new one.")
        self._db.write(
            lambda target: source._db.read(
                lambda conn: copy_rows(conn, target, self._db.index, _nobody_watches)
            )
        )

    # publishers

    def save_publisher(self, publisher: Publisher) -> None:
        """Adds or replaces the publisher."""
        held = clean(publisher)
        self._db.write(lambda conn: publishers.save_publisher(conn, held))

    def publisher(self, domain: str) -> Publisher | None:
        """The publisher of this domain."""
        return self._db.read(lambda conn: publishers.find_publisher(conn, domain))

    def publishers(self) -> tuple[Publisher, ...]:
        """Every publisher, by domain."""
        return self._db.read(publishers.all_publishers)

    def save_dossier(self, dossier: Dossier) -> None:
        """Saves publisher, findings and rights."""
        held = clean(dossier)
        self._db.write(lambda conn: publishers.save_dossier(conn, held))

    def dossier(self, domain: str) -> Dossier | None:
        """The newest dossier of a publisher."""
        return self._db.read(lambda conn: publishers.find_dossier(conn, domain))

    def history(self, domain: str, *, step: str = "") -> tuple[Finding, ...]:
        """Every finding that differed from the one before it."""
        return self._db.read(lambda conn: publishers.finding_history(conn, domain, step=step))

    # feeds

    def save_feeds(self, feeds: Sequence[Feed], *, now: datetime) -> None:
        """Adds or replaces feeds, and publishers that are not known yet."""
        held = [clean(feed) for feed in feeds]

        def save(conn: Connection) -> None:
            publishers.ensure_publishers(conn, [feed.publisher for feed in held], now=now)
            feed_rows.save_feeds(conn, held, now=now)

        self._db.write(save)

    def save_feed_changes(
        self,
        changes: Sequence[tuple[Feed | None, Feed]],
        *,
        events: Sequence[Event],
        now: datetime,
    ) -> None:
        """Brings feeds to what the operator wants and tells of it, whole or not at all."""
        held = [(before and clean(before), clean(wanted)) for before, wanted in changes]
        told, token = [clean(event) for event in events], log.new_token()

        def save(conn: Connection) -> None:
            save_feed_changes(conn, held, now=now)
            log.add_events(conn, told, token=token)

        self._db.write(save)

    def feed(self, url: str) -> Feed | None:
        """The feed at this address."""
        return self._db.read(lambda conn: feed_rows.find_feed(conn, url))

    def feeds(self, *, publisher: str = "", state: FeedState | None = None) -> tuple[Feed, ...]:
        """Feeds by publisher and url."""
        return self._db.read(
            lambda conn: feed_rows.all_feeds(conn, publisher=publisher, state=state)
        )

    def feed_counts(self) -> Mapping[str, int]:
        """How many feeds are in each state."""
        return self._db.read(feed_rows.count_feeds)

    def remove_feed(self, url: str) -> bool:
        """Forgets a feed and its items."""
        return self._db.write(lambda conn: feed_rows.remove_feed(conn, url))

    # due work

    def take_feeds(
        self, *, holder: str, now: datetime, limit: int, lease: timedelta
    ) -> tuple[Feed, ...]:
        """Due live feeds, longest overdue first."""

        def take(conn: Connection) -> tuple[Feed, ...]:
            ids = work.take(
                conn,
                FEEDS,
                holder=holder,
                now=now,
                limit=limit,
                lease=lease,
                per_host=limit,
            )
            found = feed_rows.feeds_by_id(conn, ids)
            return tuple(sorted((found[one] for one in ids), key=_overdue))

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
    ) -> tuple[Lead, ...]:
        """Due leads, longest overdue host first."""

        def take(conn: Connection) -> tuple[Lead, ...]:
            ids = work.take(
                conn,
                LEADS,
                holder=holder,
                now=now,
                limit=limit,
                lease=lease,
                per_host=per_host,
                without=without,
            )
            found = lead_rows.leads_by_id(conn, ids)
            return tuple(found[one] for one in ids)

        return self._db.write(take)

    def take_host(self, host: str, *, holder: str, now: datetime, lease: timedelta) -> bool:
        """Leases one host for a visit."""
        return self._db.write(
            lambda conn: work.take_host(conn, host, holder=holder, now=now, lease=lease)
        )

    def host_lease(self, host: str, *, now: datetime) -> tuple[str, timedelta]:
        """Who holds a host, and for how long still."""
        return self._db.read(lambda conn: work.host_lease(conn, host, now=now))

    def renew(
        self,
        *,
        holder: str,
        now: datetime,
        lease: timedelta,
        hosts: Collection[str] | None = None,
    ) -> tuple[str, ...]:
        """Prolongs leases of the holder; the hosts that are still its own."""
        return self._db.write(
            lambda conn: work.renew(conn, holder=holder, now=now, lease=lease, hosts=hosts)
        )

    def release(
        self,
        *,
        holder: str,
        now: datetime,
        hosts: Sequence[str] | None = None,
        rest: timedelta = timedelta(),
    ) -> int:
        """Gives hosts and unfinished work back; how many hosts."""
        return self._db.write(
            lambda conn: work.release(conn, holder=holder, now=now, hosts=hosts, rest=rest)
        )

    # outcomes

    def save_polled(self, feed: Feed, polled: Polled, *, now: datetime) -> PollCount:
        """Saves the feed as decided, its items and the leads they give."""
        held, outcome, token = clean(feed), clean(polled), log.new_token()
        return self._db.write(lambda conn: save_polled(conn, held, outcome, now=now, token=token))

    def save_leads(self, leads: Sequence[Lead], *, now: datetime) -> int:
        """Adds leads whose address is not known yet and updates the others."""
        held = [clean(lead) for lead in leads]

        def save(conn: Connection) -> int:
            publishers.ensure_publishers(conn, [lead.publisher for lead in held], now=now)
            return lead_rows.save_leads(conn, held, now=now)

        return self._db.write(save)

    def lead(self, publisher: str, url: str) -> Lead | None:
        """The lead for this address."""
        return self._db.read(lambda conn: lead_rows.find_lead(conn, publisher, url))

    def leads(
        self, *, publisher: str = "", state: LeadState | None = None, limit: int = 1000
    ) -> tuple[Lead, ...]:
        """Leads by publisher and address, with their items."""
        return self._db.read(
            lambda conn: lead_rows.all_leads(conn, publisher=publisher, state=state, limit=limit)
        )

    def save_readings(self, readings: Sequence[Reading], *, now: datetime) -> tuple[Saved, ...]:
        """Saves outcomes whole in one commit."""
        held, token = [clean(reading) for reading in readings], log.new_token()
        return self._db.write(
            lambda conn: save_readings(
                conn, held, index=self._db.index, options=self._options, now=now, token=token
            )
        )

    # articles

    def article(self, article_id: str) -> Article | None:
        """The article as it stands now."""
        found = self._db.read(lambda conn: articles.articles_by_id(conn, [article_id]))
        return found[article_id].article if article_id in found else None

    def versions(self, article_id: str) -> tuple[ArticleVersion, ...]:
        """How the article read before each edit."""
        return self._db.read(lambda conn: articles.article_versions(conn, article_id))

    def raw(self, article_id: str) -> RawPage | None:
        """The page the article was last read from."""
        return self._db.read(lambda conn: articles.find_raw(conn, article_id))

    def search(
        self, query: str = "", *, order: Order = "newest", limit: int = 20, cursor: str = ""
    ) -> SearchPage:
        """One page of articles."""
        return self._db.read(
            lambda conn: find_articles(
                conn, self._db.index, query, order=order, limit=limit, cursor=cursor
            )
        )

    def articles(self, query: str = "") -> Iterator[Article]:
        """All matching articles, newest first, streamed page by page."""
        cursor = ""
        while True:
            page = self.search(query, limit=min(STREAM_PAGE, LARGEST_PAGE), cursor=cursor)
            yield from page.articles
            cursor = page.cursor
            if not cursor:
                return

    def drop_raw(self, *, now: datetime) -> int:
        """Forgets raw pages that are past their time."""
        kept_for = self._options.raw_kept_for
        return self._db.write(lambda conn: articles.drop_raw(conn, now=now, kept_for=kept_for))

    # near-duplicates

    def save_signatures(self, signatures: Sequence[Signature]) -> None:
        """Adds or replaces the signatures of articles."""
        held = [clean(signature) for signature in signatures]
        self._db.write(lambda conn: near_duplicates.save_signatures(conn, held))

    def near_duplicates(self, bands: Sequence[int], *, since: datetime) -> tuple[Signature, ...]:
        """Signatures that share at least one band."""
        return self._db.read(
            lambda conn: near_duplicates.find_near_duplicates(conn, bands, since=since)
        )

    def save_cluster(self, cluster: Cluster) -> None:
        """Replaces the cluster."""
        self.save_groups([cluster])

    def cluster(self, cluster_id: str) -> Cluster | None:
        """The cluster with its members."""
        return self._db.read(lambda conn: find_cluster(conn, cluster_id))

    # what happened

    def save_problems(self, problems: Sequence[Problem]) -> None:
        """Adds problems to the log."""
        held, token = [clean(problem) for problem in problems], log.new_token()
        self._db.write(lambda conn: log.add_problems(conn, held, token=token))

    def problems(self, *, subject_url: str = "", limit: int = 100) -> tuple[Problem, ...]:
        """Problems, newest first."""
        return self._db.read(
            lambda conn: log.newest_problems(conn, subject_url=subject_url, limit=limit)
        )

    def emit(self, events: Sequence[Event]) -> int:
        """Saves events in order; the number given to the last."""
        held, token = [clean(event) for event in events], log.new_token()
        return self._db.write(lambda conn: log.add_events(conn, held, token=token))

    def events(self, *, after: int = 0, limit: int = 1000) -> tuple[Event, ...]:
        """Events numbered higher than `after`, in order."""
        return self._db.read(lambda conn: log.events_after(conn, after=after, limit=limit))


def _nobody_watches(done: int, total: int) -> None:
    """Progress that is not asked for."""


def _overdue(feed: Feed) -> tuple[float, str]:
    return (feed.poll_after.timestamp() if feed.poll_after else float("-inf"), feed.url)
