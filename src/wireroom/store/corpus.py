"""The part of the store's door that following, grouping and handing on go through.

As in `door`, every method is one transaction, with clean texts, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import Connection

from wireroom.model import (
    Article,
    Boilerplate,
    Cluster,
    Event,
    Feed,
    Item,
    Observation,
    Polled,
    Problem,
    Publisher,
    Signature,
)
from wireroom.ports import (
    Changed,
    Compared,
    FeedCount,
    PollCount,
    Removed,
    RobotsFile,
    StoreOptions,
)
from wireroom.store import boilerplate_table, changes, dues, purging
from wireroom.store import clusters_table as grouping
from wireroom.store import event_log as log
from wireroom.store import signatures_table as near_duplicates
from wireroom.store.articles_table import articles_by_id, ids_beginning
from wireroom.store.cleaning import clean, clean_text
from wireroom.store.comparing import compare_items, compare_polls
from wireroom.store.database import Database
from wireroom.store.feeds_table import find_feed
from wireroom.store.former import current_addresses, former_addresses
from wireroom.store.observations_table import last_marks
from wireroom.store.polls import save_polls
from wireroom.store.reopening import retry_leads
from wireroom.store.robots_files import find_robots_file, save_robots_files
from wireroom.store.tallies import tally_feeds
from wireroom.store.waking import wake_untimed
from wireroom.store.work import all_holders

STREAM_PAGE = 200  # articles read at once while all are streamed: about 2 MB


class SqlCorpus:
    """What a store in a SQL database gives to those who follow publishers."""

    def __init__(self, database: Database, options: StoreOptions) -> None:
        self._db = database
        self._options = options

    # what is due

    def due_publishers(self, *, now: datetime, limit: int) -> tuple[Publisher, ...]:
        """Publishers that are followed and due to be scouted, longest due first."""
        return self._db.read(lambda conn: dues.due_publishers(conn, now=now, limit=limit))

    def next_due(self, *, feeds_by: datetime | None = None) -> datetime | None:
        """When the next feed or lead comes up."""
        return self._db.read(lambda conn: dues.next_due(conn, feeds_by=feeds_by))

    def next_lead_on(self, hosts: Sequence[str]) -> datetime | None:
        """When the next lead that nobody put off can be taken on one of these hosts."""
        return self._db.read(lambda conn: dues.next_lead_on(conn, hosts))

    def wake_untimed(self, *, now: datetime) -> int:
        """Makes due what nobody put off; how many."""
        return self._db.write(lambda conn: wake_untimed(conn, now=now))

    def retry_leads(
        self,
        *,
        now: datetime,
        publisher: str = "",
        feed_url: str = "",
        url: str = "",
        refused: bool = False,
    ) -> int:
        """Opens failed or refused leads again; how many."""
        again = partial(
            retry_leads, publisher=publisher, feed_url=feed_url, url=url, refused=refused, now=now
        )
        return self._db.write(again)

    # what a feed brought

    def compare_items(self, feed_url: str, items: Sequence[Item]) -> Compared:
        """What would be new and what has changed, if these items were saved now."""
        said = [clean(item) for item in items]
        return self._db.read(lambda conn: compare_items(conn, feed_url, said))

    def feed_of(self, url: str) -> Feed | None:
        """The feed at this address, or the one that has moved away from it."""

        def find(conn: Connection) -> Feed | None:
            return find_feed(conn, current_addresses(conn, [url]).get(url, url))

        return self._db.read(find)

    def feed_addresses(self, url: str) -> tuple[str, ...]:
        """The address of a feed, then those it had before."""
        return (url, *self._db.read(lambda conn: former_addresses(conn, [url])))

    def feed_tallies(self, urls: Sequence[str]) -> Mapping[str, FeedCount]:
        """What came of each of these feeds."""
        return self._db.read(lambda conn: tally_feeds(conn, urls))

    def feed_problems(self, url: str, *, limit: int) -> tuple[Problem, ...]:
        """Problems of a feed and of the pages it led to, newest first."""
        return self._db.read(lambda conn: log.feed_problems(conn, url, limit=limit))

    def observations(self, feed_url: str, *, limit: int) -> tuple[Observation, ...]:
        """The last marks of a feed, oldest first."""
        return self._db.read(lambda conn: last_marks(conn, feed_url, limit=limit))

    def compare_polls(
        self, polls: Sequence[tuple[str, Sequence[Item]]], *, observations: int
    ) -> tuple[tuple[Compared, tuple[Observation, ...]], ...]:
        """What `compare_items` and `observations` say of each feed and its items."""
        said = [(feed_url, [clean(item) for item in items]) for feed_url, items in polls]
        return self._db.read(lambda conn: compare_polls(conn, said, observations=observations))

    def save_polls(
        self, polls: Sequence[tuple[Feed, Polled]], *, events: Sequence[Event] = (), now: datetime
    ) -> tuple[PollCount, ...]:
        """Saves polls and tells of them, whole in one commit."""
        held = [(clean(feed), clean(polled)) for feed, polled in polls]
        told, token = [clean(event) for event in events], log.new_token()

        def save(conn: Connection) -> tuple[PollCount, ...]:
            counts = save_polls(conn, held, now=now, token=token)
            if told:
                log.add_events(conn, told, token=token)
            return counts

        return self._db.write(save)

    # the memory of a publisher's furniture

    def boilerplate(self, publisher: str) -> Boilerplate | None:
        """What was learnt last."""
        return self._db.read(lambda conn: boilerplate_table.find_boilerplate(conn, publisher))

    def block_counts(self, publisher: str) -> tuple[int, Mapping[str, int]]:
        """Articles counted, and in how many of them each block was that was in several."""
        return self._db.read(lambda conn: boilerplate_table.find_counts(conn, publisher))

    def save_boilerplate(self, boilerplate: Boilerplate, *, fade: bool) -> None:
        """Keeps what was learnt."""
        held = clean(boilerplate)
        self._db.write(lambda conn: boilerplate_table.save_boilerplate(conn, held, fade=fade))

    # grouping

    def ungrouped(self, *, limit: int) -> tuple[Signature, ...]:
        """Signatures that wait to be grouped, oldest first."""
        return self._db.read(lambda conn: near_duplicates.waiting_signatures(conn, limit=limit))

    def near_duplicates_of(
        self, signatures: Sequence[Signature], *, window: timedelta
    ) -> Mapping[str, tuple[Signature, ...]]:
        """For each of these signatures those that share a band with it."""
        return self._db.read(
            lambda conn: near_duplicates.find_near_duplicates_of(conn, signatures, window=window)
        )

    def clusters_of(self, article_ids: Sequence[str]) -> Mapping[str, Cluster]:
        """The cluster of each of these articles that stands in one."""
        return self._db.read(lambda conn: grouping.clusters_of(conn, article_ids))

    def save_groups(
        self,
        clusters: Sequence[Cluster],
        *,
        grouped: Sequence[str] = (),
        dissolved: Sequence[str] = (),
        ungroup: Sequence[str] = (),
        copies: Mapping[str, Observation] | None = None,
    ) -> None:
        """Saves clusters and whose turn is over, whole."""
        held = [clean(cluster) for cluster in clusters]
        observations = {
            article_id: clean(observation) for article_id, observation in (copies or {}).items()
        }
        self._db.write(
            lambda conn: grouping.save_groups(
                conn,
                held,
                grouped=grouped,
                dissolved=dissolved,
                ungroup=ungroup,
                copies=observations,
            )
        )

    def longest_window(self) -> timedelta:
        """The longest window that a signature has of its own."""
        return self._db.read(near_duplicates.longest_window)

    def drop_old_signatures(self, *, before: datetime, limit: int) -> int:
        """Forgets signatures that nobody is compared with any more; how many."""
        return self._db.write(
            lambda conn: near_duplicates.drop_old_signatures(conn, before=before, limit=limit)
        )

    def article_list(self, article_ids: Sequence[str]) -> tuple[Article, ...]:
        """Those of these articles that are held, in this order."""
        held = self._db.read(lambda conn: articles_by_id(conn, article_ids))
        return tuple(held[article_id].article for article_id in article_ids if article_id in held)

    def ids_beginning(self, digits: str, *, limit: int = 10) -> tuple[str, ...]:
        """The ids of articles that begin with these hex digits, in order."""
        return self._db.read(lambda conn: ids_beginning(conn, digits, limit=limit))

    # handing on and taking away

    def changed_articles(self, query: str = "", *, after: int = 0) -> Iterator[Changed]:
        """Matching articles that changed after this number, in that order, streamed page by page."""
        chosen = self._db.read(
            lambda conn: changes.choose(conn, self._db.index, query, after=after)
        )
        next_page = partial(changes.read_changes, chosen=chosen, limit=STREAM_PAGE)
        while after < chosen.last:
            found, after = self._db.read(partial(next_page, after=after))
            yield from found

    def removed_after(self, after: int = 0) -> Iterator[tuple[int, str]]:
        """The ids of articles that were removed after this number, each with its own."""
        next_page = partial(changes.removed_page, limit=STREAM_PAGE)
        while found := self._db.read(partial(next_page, after=after)):
            yield from found
            after = found[-1][0]

    def reduce_articles(
        self,
        articles: Sequence[Article],
        *,
        now: datetime,  # noqa: ARG002 - the port's; another store may note when
    ) -> Removed:
        """Puts these in the place of what is held under their ids."""
        held = [clean(article) for article in articles]
        return self._db.write(lambda conn: purging.reduce_articles(conn, self._db.index, held))

    def remove_articles(self, article_ids: Sequence[str], *, reason: str, now: datetime) -> Removed:
        """Forgets articles with all that hangs on them."""
        why = clean_text(reason)
        return self._db.write(
            lambda conn: purging.remove_articles(
                conn, self._db.index, article_ids, reason=why, now=now
            )
        )

    def drop_raw_pages(
        self, *, before: datetime | None = None, feed_url: str = "", dry_run: bool = False
    ) -> int:
        """Forgets raw pages fetched before, or of a feed, or all of them; how many."""
        do = self._db.read if dry_run else self._db.write
        return do(
            lambda conn: purging.drop_raw_pages(
                conn, before=before, feed_url=feed_url, dry_run=dry_run
            )
        )

    # the shelf of the fetch room, and who is at work

    def robots_file(self, origin: str) -> RobotsFile | None:
        """What is kept of the origin's robots.txt."""
        return self._db.read(lambda conn: find_robots_file(conn, origin))

    def save_robots_files(self, files: Sequence[RobotsFile]) -> None:
        """Keeps robots.txt files."""
        held = [clean(file) for file in files]
        self._db.write(lambda conn: save_robots_files(conn, held))

    def holders(self) -> tuple[str, ...]:
        """Everybody who holds a host."""
        return self._db.read(all_holders)
