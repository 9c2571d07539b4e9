"""Clusters undone by hand: an article that was taken for a copy, and is none, stands alone from then on.

Which clusters that leaves is decided in the room duplicates; here it is carried out, while nobody else groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, sleep
from typing import TYPE_CHECKING

from wireroom.app.cluster_round import CLUSTERING, LEASE, cluster_inputs
from wireroom.app.holders import holder_name
from wireroom.app.run.run_options import run_options
from wireroom.duplicates import GroupOptions, sign, split, stand_alone
from wireroom.errors import StoreError
from wireroom.model import Article, Cluster, Event

if TYPE_CHECKING:
    from wireroom.app.application import App

TURN_WITHIN = (
    30.0  # seconds in which whoever groups should be done with a round; one takes a second
)
LOOK_AGAIN = 0.2  # seconds between two looks whether it is


def ungroup(app: App, article: Article) -> Cluster | None:
    """Takes an article out of its cluster for good; the cluster, None where it stood in none."""
    store = app.store
    if article.id not in store.clusters_of([article.id]):
        return None
    with _turn(app):
        cluster = store.clusters_of([article.id]).get(article.id)
        store.save_signatures([stand_alone(article, seen_at=article.fetched_at)])
        if cluster is not None:
            _, articles, trusts = cluster_inputs(store, {article.id: ()})
            undone = split(cluster, article.id, articles, trusts)
            store.save_clusters(undone.clusters, dissolved=undone.dissolved)
        store.save_clusters((), clustered=[article.id])
        data = {"cluster": cluster.id if cluster is not None else ""}
        store.emit([Event(kind="ungrouped", subject=article.id, at=app.clock(), data=data)])
        return cluster


def regroup(app: App, article: Article) -> bool:
    """Lets an article be grouped again, at the next round; False where it has no text."""
    options = run_options(app.settings).group or GroupOptions()
    feed = app.store.feed(article.feed_url, moved=True)
    signature = sign(
        article.id,
        article.text,
        article.language,
        article.fetched_at,
        options,
        hints=feed.hints if feed is not None else None,
    )
    if signature is None:
        return False
    with _turn(app):
        app.store.save_signatures([signature])
        event = Event(kind="regrouped", subject=article.id, at=app.clock(), data={})
        app.store.emit([event])
    return True


@contextmanager
def _turn(app: App) -> Iterator[None]:
    """Nobody else groups meanwhile: a decision under way would bring back what is undone."""
    store, holder, until = app.store, holder_name(), monotonic() + TURN_WITHIN
    while not store.take_host(CLUSTERING, holder=holder, now=app.clock(), lease=LEASE):
        if monotonic() > until:
            raise StoreError(
                "Another process is grouping, and does not let go.",
                hint="Try again in a minute.",
            )
        sleep(LOOK_AGAIN)
    try:
        yield
    finally:
        store.release(holder=holder, now=app.clock(), hosts=[CLUSTERING])
