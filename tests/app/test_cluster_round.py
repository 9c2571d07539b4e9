"""What clustering asks of the store before it decides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace

import pytest

from tests.holding import save_feeds, save_polled
from tests.store.samples import NOW, article, feed, polled, reading
from wireroom.app.cluster_round import AT_ONCE, cluster_inputs, cluster_round
from wireroom.duplicates import ClusterOptions, Trust, clustering, sign
from wireroom.duplicates.similarity import are_near_duplicates
from wireroom.model import Cluster, Observation, Signature
from wireroom.ports import Store
from wireroom.store import open_store

TEXT = " ".join(f"word{number}" for number in range(200))
MARKED, UNMARKED = "https://courier.test/rss", "https://star.test/rss"


@pytest.fixture
def store() -> Iterator[Store]:
    with closing(open_store("sqlite://")) as opened:
        yield opened


def _weights(trusts: Mapping[str, Trust]) -> dict[str, float]:
    return {article_id: trust.reliability for article_id, trust in trusts.items()}


def test_near_duplicates_are_weighed_by_all_observations_of_their_feeds_up_to_now(
    store: Store,
) -> None:
    save_feeds(store, [feed(MARKED), feed(UNMARKED, reliability=0.5, role="secondary")], now=NOW)
    answered = Observation(feed_url=MARKED, about="availability", value=1.0, at=NOW)
    save_polled(store, feed(MARKED), replace(polled([]), observations=(answered,)), now=NOW)
    unread = replace(answered, value=0.0, reason="timeout: no answer")
    first = article(1, feed_url=MARKED)
    second = article(2, "star.test", feed_url=UNMARKED)
    third = article(3, "nobody.test", feed_url="https://nobody.test/rss")
    held = [reading(first, observations=(unread,) * 3), reading(second), reading(third)]
    store.save_readings(held, now=NOW)
    members = (first.id, second.id, third.id)
    store.save_clusters(
        [Cluster(id="c", members=members, canonicals={"en": first.id}, made_at=NOW)]
    )
    _, articles, trusts = cluster_inputs(store, {first.id: ()})
    assert articles.keys() == set(members)
    stored = store.feed(MARKED)
    assert stored is not None
    assert stored.reliability == 1.0
    weighed = {first.id: 0.4 * 0.8**3 + 0.6, second.id: 0.5}
    assert _weights(trusts) == pytest.approx(weighed)
    assert (trusts[first.id].role, trusts[second.id].role) == ("primary", "secondary")
    away = replace(polled([]), feed_url=MARKED)
    save_polled(store, feed("https://courier.test/new", publisher="courier.test"), away, now=NOW)
    _, _, trusts = cluster_inputs(store, {first.id: ()})
    assert _weights(trusts) == pytest.approx(weighed)  # a feed that moves takes its marks along


def test_each_pair_is_compared_once_a_round(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[frozenset[str]] = []

    def counted(first: Signature, other: Signature, options: ClusterOptions) -> bool:
        compared.append(frozenset((first.article_id, other.article_id)))
        return are_near_duplicates(first, other, options)

    monkeypatch.setattr(clustering, "are_near_duplicates", counted)
    near_duplicates = [article(number, text=TEXT) for number in range(5)]
    for held in near_duplicates:
        signature = sign(held.id, TEXT, "en", NOW, ClusterOptions())
        store.save_readings([reading(held, signature=signature)], now=NOW)
    clustered, made, _ = cluster_round(store, ClusterOptions(), holder="me", clock=lambda: NOW)
    assert (clustered, made) == (5, 1)
    assert len(compared) == len(set(compared)) == 10  # five articles make ten pairs


def test_after_a_full_round_others_have_their_turn(store: Store) -> None:
    """A round that took as much as it may is often the last one: nobody would come back to give the lease away."""
    for number in range(AT_ONCE):
        text = f"{TEXT} {number}"
        signature = sign(article(number).id, text, "en", NOW, ClusterOptions())
        store.save_readings([reading(article(number), signature=signature)], now=NOW)
    clustered, _, _ = cluster_round(store, ClusterOptions(), holder="me", clock=lambda: NOW)
    assert clustered == AT_ONCE
    assert cluster_round(store, ClusterOptions(), holder="me", clock=lambda: NOW) == (0, 0, 0)
    assert store.holders() == ()
