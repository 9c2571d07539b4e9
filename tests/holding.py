"""Short ways to put things into a store and to look at them, over the methods that the program uses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from sqlalchemy import select

from wireroom.model import Cluster, Feed, Item, Lead, Polled, Problem, Signature
from wireroom.ports import Compared, PollCount, Store
from wireroom.store import schema
from wireroom.store.cleaning import clean
from wireroom.store.events_table import add_problems, new_token
from wireroom.store.sql_store import SqlStore


def save_feeds(store: Store, feeds: Iterable[Feed], *, now: datetime) -> None:
    """Adds feeds, or brings those that are held to these."""
    store.save_feed_changes([(store.feed(feed.url), feed) for feed in feeds], now=now)


def save_polled(store: Store, feed: Feed, polled: Polled, *, now: datetime) -> PollCount:
    """Saves one poll."""
    return store.save_polls([(feed, polled)], now=now)[0]


def compare_items(store: Store, feed_url: str, items: Sequence[Item]) -> Compared:
    """How the items of one feed stand to those held."""
    return store.compare_polls([(feed_url, items)], observations=0)[0][0]


def find_lead(store: Store, publisher: str, url: str) -> Lead | None:
    """The lead for this address."""
    return next(iter(store.leads(publisher=publisher, url=url)), None)


def near_duplicates(
    store: Store, bands: Sequence[int], *, since: datetime
) -> tuple[Signature, ...]:
    """Signatures that share a band, seen at or after `since`."""
    asked = Signature(article_id="", bands=tuple(bands), minhash=b"", language="", seen_at=since)
    return store.near_duplicates([asked], window=timedelta())[""]


def find_cluster(store: Store, cluster_id: str) -> Cluster | None:
    """The cluster of this id; members are read from its row, for the port asks by article."""
    assert isinstance(store, SqlStore)
    members = select(schema.cluster_member.c.article_id).where(
        schema.cluster_member.c.cluster_id == cluster_id
    )
    ids = store._db.read(lambda conn: list(conn.execute(members).scalars()))
    return next(iter(store.clusters_of(ids).values()), None)


def save_problems(store: Store, problems: Sequence[Problem]) -> None:
    """Adds problems to the log; the program saves them with the outcome they belong to."""
    assert isinstance(store, SqlStore)
    held, token = [clean(problem) for problem in problems], new_token()
    store._db.write(lambda conn: add_problems(conn, held, token=token))
