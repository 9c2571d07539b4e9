"""What every store promises about clusters: who waits, who is in one, who is canonical."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from tests.holding import find_cluster, near_duplicates, save_feeds
from tests.store.samples import COURIER, DAY, HOUR, MINUTE, NOW, article, feed, reading, save
from wireroom.model import Cluster, Observation, Reading, Receipt, Signature
from wireroom.ports import Store


def signature(number: int, **changes: Any) -> Signature:
    held = Signature(
        article_id=article(number).id,
        bands=(1, number),
        minhash=bytes([number]),
        language="en",
        seen_at=NOW,
    )
    return replace(held, **changes)


def signed(number: int, **changes: Any) -> Reading:
    return reading(article(number, **changes), signature=signature(number))


def ids(*numbers: int) -> tuple[str, ...]:
    return tuple(article(number).id for number in numbers)


def cluster(name: str, *numbers: int, **changes: Any) -> Cluster:
    held = Cluster(id=name, members=ids(*numbers), canonicals={"en": ids(*numbers)[0]}, made_at=NOW)
    return replace(held, **changes)


def clusters_by_article(store: Store, *numbers: int) -> list[str]:
    return [held.cluster_id for held in store.articles(ids=ids(*numbers))]


def waiting(store: Store) -> list[str]:
    return [signature.article_id for signature in store.unclustered(limit=99)]


def test_signatures_wait_in_the_order_of_saving(store: Store) -> None:
    store.save_readings([signed(3), reading(article(9)), signed(1)], now=NOW)
    store.save_readings([signed(2)], now=NOW)
    assert store.unclustered(limit=99) == (signature(3), signature(1), signature(2))
    assert store.unclustered(limit=1) == (signature(3),)
    store.save_clusters([], clustered=ids(3, 2))
    assert waiting(store) == list(ids(1))
    assert {
        near_duplicate.article_id for near_duplicate in near_duplicates(store, (1,), since=NOW)
    } == set(ids(1, 2, 3))
    store.save_clusters([], uncluster=ids(2), clustered=ids(1))
    assert waiting(store) == list(ids(2))


def test_a_text_that_is_the_same_does_not_wait_again(store: Store) -> None:
    store.save_readings([signed(1)], now=NOW)
    store.save_clusters([], clustered=ids(1))
    store.save_readings([signed(1), signed(1, fetched_at=NOW + HOUR)], now=NOW)
    assert waiting(store) == []
    edited = replace(
        signed(1, text="Edited.", fetched_at=NOW + HOUR), signature=signature(1, bands=(7, 8))
    )
    store.save_readings([edited], now=NOW)
    assert waiting(store) == list(ids(1))
    assert [near_duplicate.bands for near_duplicate in near_duplicates(store, (7,), since=NOW)] == [
        (7, 8)
    ]
    assert near_duplicates(store, (1,), since=NOW) == ()


def test_a_text_that_can_no_longer_be_signed_has_no_signature(store: Store) -> None:
    store.save_readings([signed(1)], now=NOW)
    short = reading(article(1, text="Short.", fetched_at=NOW + HOUR))
    store.save_readings([short], now=NOW)
    assert waiting(store) == []
    assert near_duplicates(store, (1,), since=NOW) == ()


def test_the_signature_of_a_page_with_another_name_goes_to_its_article(store: Store) -> None:
    store.save_readings([signed(1)], now=NOW)
    other = article(
        2, title="Story 1", text="Edited.", canonical_url=article(1).url, fetched_at=NOW + HOUR
    )
    sign = signature(2, bands=(5, 5))
    (saved,) = store.save_readings([reading(other, signature=sign)], now=NOW)
    assert (saved.article_id, saved.outcome) == (article(1).id, "changed")
    assert store.unclustered(limit=9) == (replace(sign, article_id=article(1).id),)


def test_clusters_are_saved_whole(store: Store) -> None:
    store.save_readings([signed(number) for number in range(1, 6)], now=NOW)
    store.save_clusters([cluster("a", 1, 2), cluster("b", 3, 4)], clustered=ids(1, 2, 3, 4, 5))
    assert waiting(store) == []
    found = store.clusters_of([*ids(2, 4, 5), "unheard of"])
    assert found == {ids(2)[0]: cluster("a", 1, 2), ids(4)[0]: cluster("b", 3, 4)}
    merged = cluster("a", 1, 2, 3, 4, 5)
    store.save_clusters([merged], dissolved=["b", "never made"])
    assert find_cluster(store, "b") is None
    assert list(store.clusters_of(ids(1, 2, 3, 4, 5)).values()) == [merged] * 5
    assert clusters_by_article(store, 1, 2, 3, 4, 5) == ["a"] * 5
    store.save_clusters([cluster("a", 1, 2)], uncluster=ids(3))
    assert clusters_by_article(store, 1, 2, 3, 4, 5) == ["a", "a", "", "", ""]
    assert waiting(store) == list(ids(3))


def test_near_duplicates_are_an_observation_of_their_feeds_each_once(store: Store) -> None:
    save_feeds(store, [feed()], now=NOW)
    store.save_readings([signed(1), signed(2, feed_url=feed().url)], now=NOW)
    observation = Observation(
        feed_url=feed().url, about="quality", value=0.7, reason="a copy", at=NOW
    )
    stranger = replace(observation, feed_url="https://nobody-follows.test/feed")
    observed = {ids(2)[0]: observation, ids(1)[0]: stranger}
    for _ in range(2):
        store.save_clusters([cluster("a", 1, 2)], clustered=ids(1, 2), observations=observed)
    assert store.observations(feed().url, limit=9) == (observation,)
    assert store.observations(stranger.feed_url, limit=9) == ()


def edited(number: int) -> Reading:
    """What is read of an article after its publisher changed it."""
    return signed(number, text="Edited.", fetched_at=NOW + HOUR)


def test_the_cluster_of_an_edited_article_is_made_anew(store: Store) -> None:
    store.save_readings([signed(number) for number in (1, 2, 3, 4, 5)], now=NOW)
    groups = [cluster("a", 1, 2, 3), cluster("b", 4, 5)]
    store.save_clusters(groups, clustered=ids(1, 2, 3, 4, 5))
    store.save_readings([edited(2)], now=NOW)
    assert find_cluster(store, "a") is None
    assert waiting(store) == list(ids(1, 2, 3))
    assert clusters_by_article(store, 1, 2, 3, 4, 5) == ["", "", "", "b", "b"]


def test_an_edited_article_leaves_a_cluster_whose_members_cannot_be_found_any_more(
    store: Store,
) -> None:
    store.save_readings([signed(number) for number in (1, 2, 3)], now=NOW)
    store.save_clusters([cluster("a", 1, 2, 3)], clustered=ids(1, 2, 3))
    assert store.drop_old_signatures(now=NOW + MINUTE, window=timedelta(), limit=99) == 3
    store.save_readings([edited(2)], now=NOW)
    assert clusters_by_article(store, 1, 2, 3) == ["a", "", "a"]
    assert waiting(store) == list(ids(2))


def test_old_signatures_are_forgotten_unless_they_wait(store: Store) -> None:
    store.save_readings([signed(1), signed(2), signed(3)], now=NOW)
    late = replace(signed(4), signature=signature(4, seen_at=NOW + HOUR))
    store.save_readings([late], now=NOW)
    store.save_clusters([cluster("a", 1, 2)], clustered=ids(1, 2, 4))
    assert store.drop_old_signatures(now=NOW + HOUR, window=timedelta(), limit=1) == 1
    assert store.drop_old_signatures(now=NOW + HOUR, window=timedelta(), limit=99) == 1
    assert store.drop_old_signatures(now=NOW + HOUR, window=timedelta(), limit=99) == 0
    left = {near_duplicate.article_id for near_duplicate in near_duplicates(store, (1,), since=NOW)}
    assert left == set(ids(3, 4))
    assert clusters_by_article(store, 1, 2) == ["a", "a"]


def test_a_band_that_everybody_shares_brings_no_more_than_the_limit(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wireroom.store.signatures_table.NEAR_AT_MOST", 3)
    signatures = [signature(number, bands=(1, number)) for number in range(1, 9)]
    store.save_signatures(signatures)
    lowest = sorted(signature.article_id for signature in signatures)[:3]
    found = store.near_duplicates(signatures, window=HOUR)
    for searched in signatures:
        near = [other.article_id for other in found[searched.article_id]]
        assert near == [other for other in lowest if other != searched.article_id]


def test_a_cluster_that_is_saved_and_dissolved_at_once_is_saved(store: Store) -> None:
    save(store, article(1), article(2))
    store.save_clusters([cluster("a", 1, 2)], dissolved=["a"])
    assert find_cluster(store, "a") == cluster("a", 1, 2)


def test_a_cluster_that_loses_its_first_waits_for_another(store: Store) -> None:
    store.save_readings([signed(number) for number in range(1, 6)], now=NOW)
    store.save_clusters([cluster("a", 1, 2, 3)], clustered=ids(1, 2, 3, 4, 5))
    store.save_clusters([cluster("b", 1, 4)])
    assert find_cluster(store, "a") == cluster("a", 2, 3, canonicals={})
    assert sorted(waiting(store)) == sorted(ids(2, 3))
    assert clusters_by_article(store, 1, 2, 3, 4) == ["b", "a", "a", "b"]


def test_an_empty_question_has_an_empty_answer(store: Store) -> None:
    assert store.clusters_of([]) == {}
    assert list(store.articles(ids=[])) == []
    assert store.unclustered(limit=9) == ()
    store.save_clusters([])


def test_articles_are_listed_as_asked_for(store: Store) -> None:
    held = [article(number) for number in range(3)]
    save(store, *held)
    asked = [held[2].id, "nobody", held[0].id]
    assert list(store.articles(ids=asked)) == [held[2], held[0]]


def test_ids_are_found_by_their_first_digits(store: Store) -> None:
    held = sorted(article(number).id for number in range(40))
    save(store, *(article(number) for number in range(40)))
    first = held[0][0]
    assert store.ids_beginning(first, limit=50) == tuple(
        article_id for article_id in held if article_id[0] == first
    )
    assert store.ids_beginning(held[7]) == (held[7],)
    assert store.ids_beginning(held[7][:-1])[0] == held[7]
    assert len(store.ids_beginning("", limit=2)) == 0
    for odd in ("%", "_", "zz", "A", "'"):
        assert store.ids_beginning(odd) == ()


@pytest.mark.long
def test_hundreds_of_clusters_are_found_at_once(store: Store) -> None:
    count = 1200
    store.save_readings(
        [reading(article(n, published_at=NOW - n * MINUTE)) for n in range(count)], now=NOW
    )
    made = [cluster(f"c{n}", n, n + 1) for n in range(0, count, 2)]
    store.save_clusters(made)
    found = store.clusters_of(ids(*range(count)))
    assert len(found) == count
    assert [found[cluster.members[1]] for cluster in made] == made


def test_a_signature_keeps_the_rules_of_its_feed(store: Store) -> None:
    own = signature(1, threshold=0.7, window=40 * DAY, seen_at=NOW + 30 * DAY)
    early = signature(2, bands=(1, 1))
    rows = [(1, own), (2, early)]
    readings = [reading(article(number), signature=signed) for number, signed in rows]
    store.save_readings(readings, now=NOW)
    assert store.unclustered(limit=9) == (own, early)
    window = 15 * DAY
    assert store.near_duplicates([own], window=window) == {own.article_id: (early,)}
    short = replace(own, window=window)
    assert store.near_duplicates([short], window=40 * DAY) == {own.article_id: ()}
    store.save_clusters([], clustered=ids(1, 2))
    forget = partial(store.drop_old_signatures, window=window, limit=9)
    assert forget(now=NOW + 40 * DAY) == 0  # the longest of all windows counts
    assert forget(now=NOW + 40 * DAY + MINUTE) == 1


def former_of(store: Store, *numbers: int) -> dict[str, tuple[str, Receipt | None]]:
    """Which original that left each of these articles has, and its receipt."""
    found = store.receipts.original_of(ids(*numbers))
    return {name: (former.original.id, former.original.receipt) for name, former in found.items()}


def hold_cluster(store: Store, *numbers: int) -> None:
    """So many articles of one text, each a day younger than the one before."""
    dated = (signed(number, published_at=NOW + number * DAY) for number in numbers)
    store.save_readings(list(dated), now=NOW)
    store.save_clusters([cluster("c", *numbers)])


def remove(store: Store, *numbers: int) -> None:
    store.remove_articles(ids(*numbers), reason="asked for", now=NOW)


def test_an_original_that_is_removed_is_kept_with_its_reprints(store: Store) -> None:
    hold_cluster(store, 1, 2, 3)
    assert former_of(store, 1, 2, 3) == {}
    remove(store, 1)
    first = (article(1).id, article(1).receipt)
    assert former_of(store, 2, 3, 9) == {article(2).id: first, article(3).id: first}
    former = store.receipts.original_of(ids(2))[article(2).id]
    assert former.first_at == former.original.published_at == NOW + DAY
    assert (former.original.url, former.original.publisher) == (article(1).url, COURIER)
    assert former.original.feed_url == article(1).feed_url


def test_the_last_reprint_keeps_its_original_without_a_cluster(store: Store) -> None:
    hold_cluster(store, 1, 2)
    remove(store, 1)
    assert clusters_by_article(store, 2) == [""]
    assert set(former_of(store, 2)) == set(ids(2))
    remove(store, 2)
    assert former_of(store, 2) == {}


def test_the_earliest_is_kept_by_whoever_leaves_next(store: Store) -> None:
    hold_cluster(store, 1, 2, 3)
    remove(store, 1)
    store.save_readings([signed(4, published_at=NOW + 9 * DAY)], now=NOW)
    store.save_clusters([cluster("c", 2, 3, 4)])
    assert set(former_of(store, 4)) == set()
    remove(store, 2, 3)
    assert former_of(store, 4)[article(4).id][0] == article(1).id


def test_a_reprint_that_is_removed_is_nobodys_original(store: Store) -> None:
    hold_cluster(store, 1, 2, 3)
    remove(store, 3)
    assert former_of(store, 1, 2) == {}


def test_an_original_that_is_cut_down_or_edited_is_kept_as_well(store: Store) -> None:
    hold_cluster(store, 1, 2, 3)
    store.reduce_articles([article(1, text="", published_at=NOW + DAY)], now=NOW)
    assert former_of(store, 2)[article(2).id][0] == article(1).id
    edited = article(2, text="Another text.", fetched_at=NOW + HOUR, published_at=NOW + 2 * DAY)
    sign = signature(2, minhash=b"new")
    store.save_readings([reading(edited, signature=sign)], now=NOW)
    assert former_of(store, 3)[article(3).id][0] == article(1).id


def test_an_edited_original_is_kept_with_its_reprints(store: Store) -> None:
    hold_cluster(store, 1, 2)
    edited = article(1, text="Another text.", fetched_at=NOW + HOUR, published_at=NOW + DAY)
    sign = signature(1, minhash=b"new")
    store.save_readings([reading(edited, signature=sign)], now=NOW)
    assert former_of(store, 1, 2).keys() == set(ids(2))


def test_a_former_original_is_forgotten_from_both_sides(store: Store) -> None:
    for leave in ids(1), ids(2):
        hold_cluster(store, 1, 2)
        remove(store, 1)
        assert store.receipts.forget_original(leave) == 1
        assert former_of(store, 2) == {}
        remove(store, 2)
    assert store.receipts.forget_original(ids(1, 2)) == 0
