"""Clusters: the same articles in any order and any batches, with restarts, end in the same clusters."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.duplicates.samples import (
    SignatureStore,
    article,
    by_article,
    day,
    edited,
    members,
    prose,
    signed,
)
from wireroom.duplicates import ClusterOptions, dissolve, place, split, stand_alone
from wireroom.duplicates.clustering import cluster_id_of
from wireroom.duplicates.similarity import are_near_duplicates
from wireroom.model import Cluster, Signature

LOOSE = ClusterOptions(
    threshold=0.3
)  # under which a text of two halves is a near-duplicate of either
FERRY, MILL = prose("ferry", 300), prose("mill", 300)


def _store(*signatures: Signature) -> SignatureStore:
    store = SignatureStore()
    store.save(signatures)
    return store


def test_three_copies_are_one_cluster_named_after_the_first() -> None:
    store = _store(
        signed("b", edited(FERRY), at=day(1)),
        signed("c", FERRY, at=day(0)),
        signed("a", FERRY, at=day(2)),
    )
    store.cluster_all()
    (cluster,) = store.clusters.values()
    assert cluster.members == ("a", "b", "c")
    assert (cluster.id, cluster.made_at) == (cluster_id_of("c"), day(0))
    assert cluster.canonicals == {"en": "a"}


def test_strangers_are_in_no_cluster_and_have_had_their_turn() -> None:
    store = _store(signed("a", FERRY), signed("b", MILL))
    decision = store.decide(10)
    assert decision.clusters == ()
    assert decision.clustered == ("a", "b")


def test_two_languages_are_two_clusters_each_with_its_own() -> None:
    store = _store(
        signed("a", FERRY),
        signed("b", FERRY),
        signed("c", MILL, language="fr"),
        signed("d", MILL, language="fr"),
    )
    store.cluster_all()
    assert [cluster.canonicals for cluster in store.clusters.values()] == [{"en": "a"}, {"fr": "c"}]


def test_a_latecomer_joins_and_the_id_stays() -> None:
    store = _store(signed("a", FERRY), signed("b", FERRY))
    store.cluster_all()
    (before,) = store.clusters
    store.save([signed("0", FERRY, at=day(3))])
    store.cluster_all()
    (after,) = store.clusters.values()
    assert after.id == before
    assert after.members == ("0", "a", "b")


def test_the_older_cluster_survives_a_merge() -> None:
    bridge = " ".join([*FERRY.split(), *MILL.split()])
    store = _store(*(signed(name, MILL, at=day(0)) for name in "yz"))
    store.save(signed(name, FERRY, at=day(1)) for name in "ab")
    store.cluster_all(options=LOOSE)
    assert len(store.clusters) == 2
    store.save([signed("m", bridge, at=day(2))])
    decision = store.decide(10, LOOSE)
    (merged,) = decision.clusters
    assert merged.members == ("a", "b", "m", "y", "z")
    assert merged.id == cluster_id_of("y")
    assert decision.dissolved == (cluster_id_of("a"),)


def test_a_chain_of_copies_may_reach_beyond_the_window() -> None:
    store = _store(*(signed(f"{number}", FERRY, at=day(10 * number)) for number in range(4)))
    store.cluster_all()
    assert members(store.clusters.values()) == {frozenset("0123")}


def test_what_has_not_changed_is_not_saved_again() -> None:
    store = _store(signed("a", FERRY), signed("b", FERRY))
    store.cluster_all()
    store.save([store.signatures["a"]])
    decision = store.decide(10)
    assert decision.clusters == ()
    assert decision.dissolved == ()
    assert decision.clustered == ("a",)


def test_an_edited_article_leaves_and_those_it_held_together_part() -> None:
    first, other = FERRY, MILL
    bridge = " ".join([*first.split(), *other.split()])
    store = _store(signed("a", first), signed("m", bridge), signed("z", other))
    store.cluster_all(options=LOOSE)
    assert members(store.clusters.values()) == {frozenset("amz")}
    store.save([signed("m", prose("rewritten", 300)), signed("b", first)])
    store.cluster_all(options=LOOSE)
    assert members(store.clusters.values()) == {frozenset("ab")}


def test_a_member_whose_article_is_missing_stays_and_is_never_canonical() -> None:
    first, other = signed("a", FERRY), signed("b", FERRY)
    found = {"a": (other,), "b": (first,)}
    decision = place([first, other], found, {}, {"b": article("b")}, {})
    (cluster,) = decision.clusters
    assert cluster.members == ("a", "b")
    assert cluster.canonicals == {"en": "b"}


def test_the_decision_says_why_an_article_is_canonical() -> None:
    first, other = signed("a", FERRY), signed("b", FERRY)
    found = {"a": (other,), "b": (first,)}
    articles = {"a": article("a"), "b": article("b", authors=("Ida Marsh",))}
    decision = place([first, other], found, {}, articles, {})
    ((choice,),) = decision.choices.values()
    assert (choice.article_id, choice.because, choice.over) == ("b", "completeness", "a")


# --- any order, any batches, any restart -------------------------------------------------------


def _texts(seed: int) -> list[str]:
    """Six stories: two and an edit of each, one between the two, one of its own."""
    first, other = prose(f"{seed} one"), prose(f"{seed} other")
    both = " ".join([*first.split(), *other.split()])
    return [
        first,
        edited(first, seed=1),
        other,
        edited(other, seed=2),
        both,
        prose(f"{seed} alone"),
    ]


@st.composite
def _signatures(draw: st.DrawFn) -> list[Signature]:
    texts = _texts(draw(st.integers(0, 3)))
    count = draw(st.integers(1, 9))
    return [
        signed(
            f"{number:02}",
            draw(st.sampled_from(texts)),
            language=draw(st.sampled_from(["en", "en", "en", "", "de"])),
            at=day(draw(st.integers(0, 40))),
        )
        for number in range(count)
    ]


def _expected(signatures: list[Signature]) -> set[tuple[str, frozenset[str]]]:
    """The connected parts, the slow way: names and members."""
    parts = [{signature.article_id} for signature in signatures]
    for first, other in combinations(signatures, 2):
        if are_near_duplicates(first, other, LOOSE):
            mine = [part for part in parts if {first.article_id, other.article_id} & part]
            parts = [part for part in parts if part not in mine] + [set().union(*mine)]
    age = {
        signature.article_id: (signature.seen_at, signature.article_id) for signature in signatures
    }
    named = ((cluster_id_of(min(part, key=age.__getitem__)), part) for part in parts)
    return {(name, frozenset(part)) for name, part in named if len(part) > 1}


@pytest.mark.long
@given(signatures=_signatures(), data=st.data())
def test_any_order_any_batches_and_any_restart_end_in_the_same_clusters(
    signatures: list[Signature], data: st.DataObject
) -> None:
    store = SignatureStore()
    arriving = data.draw(st.permutations(signatures))
    while arriving or store.waiting:
        what = data.draw(st.sampled_from(["arrive", "cluster", "killed", "again"]))
        if what == "arrive" and arriving:
            store.save([arriving.pop()])
        elif what == "again" and store.signatures and arriving:
            store.save([data.draw(st.sampled_from(list(store.signatures.values())))])
        elif store.waiting:
            decision = store.decide(data.draw(st.integers(1, 4)), LOOSE)
            if what != "killed":  # killed before it was saved: as if nothing had been decided
                store.obey(decision)
        elif arriving:
            store.save([arriving.pop()])
    assert {
        (cluster.id, frozenset(cluster.members)) for cluster in store.clusters.values()
    } == _expected(signatures)


@pytest.mark.long
@given(signatures=_signatures(), seed=st.integers(0, 3), data=st.data())
def test_rewriting_comes_to_an_end_and_parts_no_near_duplicates(
    signatures: list[Signature], seed: int, data: st.DataObject
) -> None:
    store = _store(*signatures)
    store.cluster_all(limit=3, options=LOOSE)
    for name in data.draw(st.lists(st.sampled_from(sorted(store.signatures)), max_size=3)):
        text = data.draw(st.sampled_from(_texts(seed)))
        store.save([signed(name, text, at=store.signatures[name].seen_at)])
    store.cluster_all(limit=2, options=LOOSE)
    held = by_article(tuple(store.clusters.values()))
    for _, part in _expected(list(store.signatures.values())):
        assert len({held[name].id for name in part}) == 1, "near-duplicates were parted"


# --- undoing -----------------------------------------------------------------------------------


def _cluster(*names: str) -> Cluster:
    return Cluster(
        id=cluster_id_of(names[0]), members=names, canonicals={"en": names[0]}, made_at=day(0)
    )


def test_taking_one_out_leaves_the_rest() -> None:
    articles = {name: article(name) for name in "abc"}
    decision = split(_cluster("a", "b", "c"), "b", articles, {})
    (rest,) = decision.clusters
    assert rest == _cluster("a", "c")
    assert decision.dissolved == ()


def test_taking_out_who_named_the_cluster_names_it_anew() -> None:
    articles = {name: article(name) for name in "abc"}
    decision = split(_cluster("a", "b", "c"), "a", articles, {})
    (rest,) = decision.clusters
    assert (rest.id, rest.members, rest.canonicals) == (cluster_id_of("b"), ("b", "c"), {"en": "b"})
    assert decision.dissolved == (cluster_id_of("a"),)


def test_of_two_none_is_left() -> None:
    decision = split(_cluster("a", "b"), "b", {}, {})
    assert decision == dissolve(_cluster("a", "b"))
    assert decision.dissolved == (cluster_id_of("a"),)


def test_who_is_not_in_it_cannot_be_taken_out() -> None:
    decision = split(_cluster("a", "b"), "c", {}, {})
    assert decision.clusters == ()
    assert decision.dissolved == ()


@pytest.mark.parametrize("with_split", [True, False])
def test_an_article_set_apart_is_not_brought_back(with_split: bool) -> None:
    store = _store(signed("a", FERRY), signed("b", FERRY), signed("c", FERRY))
    store.cluster_all()
    articles = {name: article(name) for name in "abc"}
    if with_split:
        (cluster,) = store.clusters.values()
        store.obey(split(cluster, "b", articles, {}))
    store.save([stand_alone(articles["b"], seen_at=day(0)), signed("d", FERRY)])
    store.cluster_all()
    assert members(store.clusters.values()) == {frozenset("acd")}
    store.save([signed("b", FERRY)])
    store.cluster_all()
    assert members(store.clusters.values()) == {frozenset("abcd")}
