"""Clustering, wired: signatures that wait are looked up, decided about and saved, one process at a time.

A lease makes it so: two processes that each saw the other's near-duplicate too late would make two clusters of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from time import monotonic, sleep
from typing import TYPE_CHECKING

from wireroom.app.holders import holder_name
from wireroom.app.store_thread import StoreExecutor
from wireroom.duplicates import (
    ClusterOptions,
    Trust,
    find_near_duplicates,
    place,
    sign,
    split,
    stand_alone,
)
from wireroom.duplicates.cluster_options import cluster_options
from wireroom.errors import StoreError
from wireroom.model import Article, Cluster, Event, Observation, Original, Signature
from wireroom.poll.reliability import (
    OBSERVATIONS_COUNTED,
    current_reliability,
    near_duplicate_observations,
)
from wireroom.ports import Store

if TYPE_CHECKING:
    from wireroom.app.application import App


CLUSTERING = "wireroom.clustering.invalid"
"""The lease of whoever clusters: a host's name that no host can have."""
LEASE = timedelta(seconds=60)
AT_ONCE = 100  # signatures of one commit
FORGOTTEN = 500  # signatures forgotten in one commit, each with its bands
LATE = timedelta(days=1)
"""So long a signature may have waited for its turn; it looks back from its own time."""


def cluster_round(
    store: Store, options: ClusterOptions, *, holder: str, clock: Callable[[], datetime]
) -> tuple[int, int, int]:
    """Clusters some of what waits; how many articles, and how many clusters were made and changed."""
    if not store.unclustered(limit=1):
        return 0, 0, 0
    if not store.take_host(CLUSTERING, holder=holder, now=clock(), lease=LEASE):
        return 0, 0, 0
    waiting = store.unclustered(limit=AT_ONCE)
    candidates = store.near_duplicates(waiting, window=options.window)
    near_duplicates = find_near_duplicates(waiting, candidates, options)
    clusters, articles, trusts = cluster_inputs(store, near_duplicates)
    decision = place(waiting, near_duplicates, clusters, articles, trusts)
    store.save_clusters(
        decision.clusters,
        clustered=decision.clustered,
        dissolved=decision.dissolved,
        uncluster=decision.uncluster,
        observations=_observations(decision.clusters, articles),
    )
    # Whoever comes next has a turn: a lease that is kept holds others up although nothing is left to do.
    store.release(holder=holder, now=clock(), hosts=[CLUSTERING])
    # A round may do nothing but take a cluster apart, whose members wait for the next one.
    done = len(decision.clustered) + len(decision.dissolved)
    held = {cluster.id for cluster in clusters.values()}
    made = sum(cluster.id not in held for cluster in decision.clusters)
    return done, made, len(decision.clusters) - made


def _observations(
    clusters: Sequence[Cluster], articles: Mapping[str, Article]
) -> dict[str, Observation]:
    """Articles that another publisher had before, and what that says of their feeds."""
    observations: dict[str, Observation] = {}
    for cluster in clusters:
        observations |= near_duplicate_observations(
            articles[member] for member in cluster.members if member in articles
        )
    return observations


async def forget_old(
    execute: StoreExecutor, store: Store, options: ClusterOptions, *, clock: Callable[[], datetime]
) -> None:
    """Forgets the signatures past every window, some at a time: nobody is compared with them any more."""
    now = clock() - LATE
    forget = partial(store.drop_old_signatures, now=now, window=options.window, limit=FORGOTTEN)
    while await execute(forget) == FORGOTTEN:
        continue


def cluster_inputs(
    store: Store, near_duplicates: Mapping[str, Sequence[Signature]]
) -> tuple[Mapping[str, Cluster], Mapping[str, Article], Mapping[str, Trust]]:
    """The clusters and the articles of all that may belong together, and the trust in their feeds."""
    near = {signature.article_id for found in near_duplicates.values() for signature in found}
    near |= {article_id for article_id, found in near_duplicates.items() if found}
    clusters = store.clusters_of(sorted(near | near_duplicates.keys()))
    near |= {member for cluster in clusters.values() for member in cluster.members}
    articles = {article.id: article for article in store.articles(ids=sorted(near))}
    by_feed = {
        url: _trust(store, url) for url in {article.feed_url for article in articles.values()}
    }
    trusts = {
        article.id: trust for article in articles.values() if (trust := by_feed[article.feed_url])
    }
    return clusters, articles, trusts


def _trust(store: Store, url: str) -> Trust | None:
    """That in a feed by all its observations."""
    feed = store.feed(url, moved=True)
    if feed is None:
        return None
    observations = store.observations(feed.url, limit=OBSERVATIONS_COUNTED)
    return Trust(role=feed.role, reliability=current_reliability(feed, observations))


# Clusters undone by a person: an article that is no near-duplicate is in no cluster from then on.
#
# Which clusters that leaves is decided in the room duplicates; here it is carried out, while nobody else clusters.

TURN_WITHIN = (
    30.0  # seconds in which whoever clusters should be done with a round; one takes a second
)
TRY_EVERY = 0.2  # seconds between two attempts to take the lease


def uncluster(app: App, article: Article) -> Cluster | None:
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
        store.receipts.forget_original([article.id])
        data = {"cluster": cluster.id if cluster is not None else ""}
        store.emit([Event(kind="unclustered", subject=article.id, at=app.clock(), data=data)])
        return cluster


def forget_original(app: App, article: Article) -> Original | None:
    """Forgets the original of an article in no cluster, which left it; the original, None where there is none."""
    with _turn(app):
        former = app.store.receipts.original_of([article.id]).get(article.id)
        app.store.receipts.forget_original([article.id])
    return former.original if former is not None else None


def recluster(app: App, article: Article) -> bool:
    """Lets an article be clustered again, at the next round; False where it has no text."""
    options = cluster_options(app.settings) or ClusterOptions()
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
        event = Event(kind="reclustered", subject=article.id, at=app.clock(), data={})
        app.store.emit([event])
    return True


@contextmanager
def _turn(app: App) -> Iterator[None]:
    """Nobody else clusters meanwhile: a decision under way would bring back what is undone."""
    store, holder, until = app.store, holder_name(), monotonic() + TURN_WITHIN
    while not store.take_host(CLUSTERING, holder=holder, now=app.clock(), lease=LEASE):
        if monotonic() > until:
            raise StoreError(
                "Another process is clustering.",
                hint="Try again in a minute.",
            )
        sleep(TRY_EVERY)
    try:
        yield
    finally:
        store.release(holder=holder, now=app.clock(), hosts=[CLUSTERING])
