"""Clustering with a real store: the town's reprints find their originals, through kills and in any batches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from tests.duplicates.samples import NOW, OPTIONS
from tests.store.postgres_server import running_server
from wireroom.app.cluster_round import cluster_inputs
from wireroom.duplicates import (
    ClusterDecision,
    choose,
    find_near_duplicates,
    place,
    sign,
    split,
    stand_alone,
)
from wireroom.model import Article, Cluster, Lead, Reading
from wireroom.ports import Store
from wireroom.store import open_store
from wireroom.town import Story, Town, build_town
from wireroom.urls import article_id

PUBLISHERS = ("courier.test", "sentinel.test", "agency.test", "digest.test", "kurier.test")


@pytest.fixture(scope="module")
def town() -> Town:
    return build_town(seed=7, now=NOW)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "sqlite":
        with closing(open_store(f"sqlite:///{tmp_path / 'wireroom.db'}")) as opened:
            yield opened
        return
    with running_server() as server, closing(open_store(server.new_database())) as opened:
        yield opened


def _stories(town: Town) -> list[Story]:
    hosts = [host for host in PUBLISHERS if host in town.publishers]
    return [story for host in hosts for story in town.stories(host, limit=40)]


def _reading(story: Story) -> Reading:
    """What following a lead gives, from the truth instead of the page."""
    article = Article(
        id=article_id(story.publisher, story.url),
        publisher=story.publisher,
        url=story.url,
        title=story.title,
        authors=story.authors,
        fetched_at=story.published_at + timedelta(minutes=20),
        published_at=story.published_at,
        language=story.language,
        text=story.text,
        word_count=len(story.text.split()),
    )
    signature = sign(article.id, article.text, article.language, article.fetched_at, OPTIONS)
    lead = Lead(url=story.url, publisher=story.publisher, state="read")
    return Reading(lead=lead, article=article, signature=signature)


def _decide(store: Store, limit: int) -> ClusterDecision:
    batch = store.unclustered(limit=limit)
    candidates = store.near_duplicates(batch, window=OPTIONS.window)
    near_duplicates = find_near_duplicates(batch, candidates, OPTIONS)
    clusters, articles, _ = cluster_inputs(store, near_duplicates)
    return place(batch, near_duplicates, clusters, articles, {})


def _save(store: Store, decision: ClusterDecision) -> None:
    store.save_clusters(
        decision.clusters,
        clustered=decision.clustered,
        dissolved=decision.dissolved,
        uncluster=decision.uncluster,
    )


def _cluster_all(store: Store, *, limit: int = 100) -> None:
    while store.unclustered(limit=1):
        _save(store, _decide(store, limit))


def _all_clusters(store: Store, readings: list[Reading]) -> set[tuple[str, tuple[str, ...], str]]:
    ids = sorted(reading.article.id for reading in readings if reading.article)
    return {
        (cluster.id, cluster.members, cluster.canonicals["en"])
        for cluster in store.clusters_of(ids).values()
    }


def test_a_reprint_is_found_and_what_it_reprints_is_canonical(store: Store, town: Town) -> None:
    stories = _stories(town)
    readings = [_reading(story) for story in stories]
    store.save_readings(readings, now=NOW)
    _cluster_all(store)
    urls = {story.url: article_id(story.publisher, story.url) for story in stories}
    pairs = [
        (urls[story.url], urls[story.reprint_of]) for story in stories if story.reprint_of in urls
    ]
    assert len(pairs) >= 5
    for reprint, original in pairs:
        cluster = store.clusters_of([reprint])[reprint]
        assert original in cluster.members
        assert cluster.canonicals == {"en": original}
        held = store.article(original)
        assert held is not None
        assert held.cluster_id == cluster.id
    clustered = {name for _, members, _ in _all_clusters(store, readings) for name in members}
    assert clustered == {name for pair in pairs for name in pair}, "strangers were clustered"


@pytest.mark.long
def test_batches_kills_and_order_make_no_difference(
    store: Store, town: Town, tmp_path: Path
) -> None:
    readings = [_reading(story) for story in _stories(town)]
    with closing(open_store(f"sqlite:///{tmp_path / 'unbroken.db'}")) as unbroken:
        unbroken.save_readings(readings, now=NOW)
        _cluster_all(unbroken)
        expected = _all_clusters(unbroken, readings)
    chance = Random(3)
    chance.shuffle(readings)
    for start in range(0, len(readings), 20):
        store.save_readings(readings[start : start + 20], now=NOW)
        decision = _decide(store, chance.randint(1, 30))
        if chance.random() < 0.6:  # otherwise killed before it was saved
            _save(store, decision)
    _cluster_all(store, limit=7)
    assert len(expected) >= 5
    assert _all_clusters(store, readings) == expected


def _some_cluster(store: Store, readings: list[Reading]) -> Cluster:
    ids = sorted(reading.article.id for reading in readings if reading.article)
    return next(iter(store.clusters_of(ids).values()))


@pytest.mark.long
def test_what_was_taken_out_stays_out(store: Store, town: Town) -> None:
    readings = [_reading(story) for story in _stories(town)]
    store.save_readings(readings, now=NOW)
    _cluster_all(store)
    cluster = _some_cluster(store, readings)
    articles = {article.id: article for article in store.articles(ids=cluster.members)}
    taken = articles[cluster.members[-1]]
    _save(store, split(cluster, taken.id, articles, {}))
    store.save_signatures([stand_alone(taken, seen_at=taken.fetched_at)])
    store.save_clusters([], uncluster=cluster.members)
    _cluster_all(store)
    assert taken.id not in store.clusters_of([taken.id])
    back = sign(taken.id, taken.text, taken.language, taken.fetched_at, OPTIONS)
    assert back is not None
    store.save_signatures([back])
    _cluster_all(store)
    again = store.clusters_of([taken.id])[taken.id]
    assert again.members == cluster.members
    (choice,) = choose(articles.values(), {})
    assert again.canonicals == {choice.language: choice.article_id}
