"""What every store promises about finding articles, near-duplicates, clusters, problems and events."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.holding import find_cluster, near_duplicates, save_problems
from tests.store.samples import COURIER, DAY, HOUR, MINUTE, NOW, article, save
from wireroom.errors import QueryError
from wireroom.model import Article, Cluster, Event, Problem, Signature
from wireroom.ports import Order, Store
from wireroom.store import events_table

BANDS = (11, 2**64 - 1, 0, 7)


def found(store: Store, query: str, order: Order = "newest") -> list[str]:
    return [article.title for article in store.search(query, order=order, limit=100).articles]


def corpus() -> list[Article]:
    return [
        article(1, title="Ferry late", text="The ferry left the harbour at noon."),
        article(2, title="Harbour fire", text="A crane burnt.", authors=("Cleo Marsh",)),
        article(
            3, title="港の火事", text="東京の港で火事があった。", language="ja", language_tag="ja"
        ),
        article(4, "bote.test", title="Café am Hafen", text="Großer Preis", language_tag="de-AT"),
        article(5, title="Votes", text="Council votes on budget", tags=("council",)),
    ]


def test_articles_are_found_by_the_whole_query_language(store: Store) -> None:
    save(store, *corpus())
    assert found(store, "harbour title") == []
    assert found(store, "noon harbour") == ["Ferry late"]
    assert found(store, '"left the harbour"') == ["Ferry late"]
    assert found(store, "crane -noon") == ["Harbour fire"]
    assert found(store, "publisher:bote.test") == ["Café am Hafen"]
    assert found(store, "lang:de") == ["Café am Hafen"]
    assert found(store, "author:cleo") == ["Harbour fire"]
    assert found(store, "tag:council") == ["Votes"]
    assert found(store, "火事") == ["港の火事"]
    assert found(store, "cafe grosser") == ["Café am Hafen"]
    assert found(store, "-publisher:courier.test") == ["Café am Hafen"]
    assert found(store, "nowhere") == []


def test_newest_come_first_by_publishing_else_fetching_time(store: Store) -> None:
    held = [
        article(1, title="old", published_at=NOW - DAY),
        article(2, title="undated", published_at=None, fetched_at=NOW - HOUR),
        article(3, title="new", published_at=NOW),
    ]
    save(store, *held)
    assert found(store, "") == ["new", "undated", "old"]
    assert found(store, "harbour") == ["new", "undated", "old"]
    assert [article.title for article in store.articles("")] == ["new", "undated", "old"]


def test_an_undated_article_read_again_keeps_its_place(store: Store) -> None:
    save(store, article(1, title="first", published_at=None, fetched_at=NOW))
    save(store, article(2, title="second", published_at=None, fetched_at=NOW + HOUR))
    save(store, article(1, title="first", published_at=None, fetched_at=NOW + DAY))
    assert found(store, "harbour") == ["second", "first"]


def test_a_corrected_date_moves_the_article(store: Store) -> None:
    save(
        store,
        article(1, title="a", published_at=NOW),
        article(2, title="b", published_at=NOW - DAY),
    )
    moved = article(2, title="b", published_at=NOW + DAY, fetched_at=NOW + DAY)
    save(store, moved)
    assert found(store, "harbour") == ["b", "a"]
    assert found(store, "harbour after:2026-11-16") == ["b"]
    assert store.article(moved.id) == moved


def test_after_is_inclusive_and_before_is_not(store: Store) -> None:
    midnight = NOW.replace(hour=0, minute=0, second=0, microsecond=0)
    save(
        store,
        article(1, title="at", published_at=midnight),
        article(2, title="before", published_at=midnight - timedelta(seconds=1)),
    )
    for words in ("", "harbour "):
        assert found(store, f"{words}after:2026-11-15") == ["at"]
        assert found(store, f"{words}before:2026-11-15") == ["before"]


def test_an_edited_article_is_found_by_its_new_words_only(store: Store) -> None:
    save(store, article(1, text="walrus", description=""), article(2, text="gull", description=""))
    edit = article(1, text="albatross", description="", tags=("sea",), fetched_at=NOW + HOUR)
    save(store, edit)
    assert found(store, "walrus") == []
    assert found(store, "tag:harbour") == ["Story 2"]
    assert found(store, "albatross tag:sea") == ["Story 1"]
    assert found(store, "gull") == ["Story 2"]


def test_pages_follow_one_another_without_gap_or_repeat(store: Store) -> None:
    held = [article(number, published_at=NOW) for number in range(25)]
    save(store, *held[:13])
    save(store, *held[13:])
    for query, order in (("", "newest"), ("harbour", "newest"), ("harbour", "best")):
        pages, cursor = [], ""
        while True:
            page = store.search(query, order=order, limit=10, cursor=cursor)  # type: ignore[arg-type] # both are orders
            pages.append([article.id for article in page.articles])
            cursor = page.cursor
            if not cursor:
                break
        assert [len(page) for page in pages] == [10, 10, 5]
        assert {article_id for page in pages for article_id in page} == {
            article.id for article in held
        }


def test_all_matching_articles_are_streamed(store: Store) -> None:
    held = [article(number) for number in range(230)]
    save(store, *held)
    assert [article.title for article in store.articles("harbour")] == [
        article.title for article in held
    ]
    assert len(list(store.articles())) == 230
    assert list(store.articles("nowhere")) == []


def test_writing_while_streaming_is_no_trouble(store: Store) -> None:
    save(store, *(article(number) for number in range(210)))
    for count, held in enumerate(store.articles(), 1):
        if count in (1, 205):
            save(store, replace(held, title="seen", fetched_at=NOW + HOUR))
    assert store.counts()["article_versions"] == 2


def test_most_relevant_first_on_request(store: Store) -> None:
    filler = "Nothing of note happened on the quay. " * 20
    save(
        store,
        article(1, title="Walrus returns", text=f"The walrus is back. {filler}", description=""),
        article(2, title="Other news", text=f"{filler} A walrus was seen.", description=""),
    )
    save(store, article(3, title="Quay", text=filler, description="", published_at=NOW))
    assert found(store, "walrus", "best") == ["Walrus returns", "Other news"]
    assert found(store, "", "best") == ["Quay", "Walrus returns", "Other news"]


@pytest.mark.parametrize("cursor", ["x", "n", "nx", "n-1", "b1", "n" + "9" * 30, "١", "n1 OR 1=1"])
def test_a_cursor_of_another_search_is_a_clear_error(store: Store, cursor: str) -> None:
    with pytest.raises(QueryError, match="cursor"):
        store.search("harbour", cursor=cursor)


@pytest.mark.parametrize("query", ['"open', "colour:red", "after:never", "-"])
def test_a_malformed_query_is_a_clear_error(store: Store, query: str) -> None:
    with pytest.raises(QueryError):
        store.search(query)
    with pytest.raises(QueryError):
        list(store.articles(query))


@pytest.mark.parametrize(
    "word", ["AND", "NEAR", "a'b", 'x" OR "y', "*", "(", "title:x", "%_", "&|!"]
)
def test_the_databases_own_syntax_is_never_reached(store: Store, word: str) -> None:
    save(store, *corpus())
    with suppress(QueryError):
        assert found(store, word) == []
    assert len(found(store, "")) == 5


def test_unknown_articles_are_none(store: Store) -> None:
    assert store.article("nope") is None
    assert store.versions("nope") == ()
    assert store.raw("nope") is None
    assert find_cluster(store, "nope") is None


def signature(number: int, bands: tuple[int, ...] = BANDS, **changes: object) -> Signature:
    held = Signature(
        article_id=f"article-{number}",
        bands=bands,
        minhash=bytes([number, 0, 255]),
        language="en",
        seen_at=NOW,
    )
    return replace(held, **changes)  # type: ignore[arg-type] # the tests name real fields


def test_near_duplicates_share_a_band_in_the_same_place(store: Store) -> None:
    same = signature(1)
    one_band = signature(2, (1, 2, 3, 7))
    other_place = signature(3, (7, 11, 9, 9))
    store.save_signatures([same, one_band, other_place])
    assert near_duplicates(store, BANDS, since=NOW) == (same, one_band)
    assert near_duplicates(store, (9, 9, 9, 9), since=NOW) == (other_place,)
    assert near_duplicates(store, (5, 5, 5, 5), since=NOW) == ()
    assert near_duplicates(store, (), since=NOW) == ()


def test_near_duplicates_seen_before_are_left_out(store: Store) -> None:
    store.save_signatures([signature(1), signature(2, seen_at=NOW - DAY)])
    assert near_duplicates(store, BANDS, since=NOW - DAY) == (
        signature(1),
        signature(2, seen_at=NOW - DAY),
    )
    assert near_duplicates(store, BANDS, since=NOW) == (signature(1),)
    assert near_duplicates(store, BANDS, since=NOW + timedelta(microseconds=1)) == ()


def test_near_duplicates_of_many_are_the_others_of_each(store: Store) -> None:
    held = [
        signature(1),
        signature(2, (1, 2, 3, 7), seen_at=NOW - DAY),
        signature(3, (7, 11, 9, 9), seen_at=NOW + DAY),
        signature(4, (5, 5, 5, 5)),
        signature(5, ()),
    ]
    store.save_signatures(held)
    asked = [*held, signature(6, (9, 9, 9, 9), seen_at=NOW + DAY)]
    for window in (timedelta(), DAY, 2 * DAY):
        found = store.near_duplicates(asked, window=window)
        assert found == {
            signature.article_id: tuple(
                other
                for other in near_duplicates(
                    store, signature.bands, since=signature.seen_at - window
                )
                if other.article_id != signature.article_id
            )
            for signature in asked
        }
        assert any(found.values())
    assert store.near_duplicates([], window=DAY) == {}


def test_a_replaced_signature_is_found_by_its_new_bands_only(store: Store) -> None:
    store.save_signatures([signature(1)])
    store.save_signatures([signature(1, (5, 5, 5, 5))])
    assert near_duplicates(store, BANDS, since=NOW) == ()
    assert near_duplicates(store, (5, 0, 0, 1), since=NOW) == (signature(1, (5, 5, 5, 5)),)


def cluster_of(store: Store, number: int) -> str:
    held = store.article(article(number).id)
    assert held is not None
    return held.cluster_id


def test_members_point_at_their_cluster_and_former_ones_no_longer(store: Store) -> None:
    ids = [article(number).id for number in range(4)]
    save(store, *(article(number) for number in range(4)))
    first = Cluster(id="c1", members=(ids[2], ids[0]), canonicals={"en": ids[2]}, made_at=NOW)
    store.save_clusters([first])
    assert find_cluster(store, "c1") == first
    assert [cluster_of(store, number) for number in range(4)] == ["c1", "", "c1", ""]
    second = replace(first, members=(ids[0], ids[1]), canonicals={"en": ids[0]})
    store.save_clusters([second])
    assert find_cluster(store, "c1") == second
    assert [cluster_of(store, number) for number in range(4)] == ["c1", "c1", "", ""]


def test_an_article_stands_in_one_cluster_only(store: Store) -> None:
    ids = [article(number).id for number in range(3)]
    save(store, *(article(number) for number in range(3)))
    store.save_clusters([Cluster(id="a", members=(ids[0], ids[1]), made_at=NOW)])
    store.save_clusters([Cluster(id="b", members=(ids[1], ids[2]), made_at=NOW)])
    assert find_cluster(store, "a") is None  # one article alone is no cluster
    assert [cluster_of(store, number) for number in range(3)] == ["", "b", "b"]


def test_an_edit_leaves_the_article_in_its_cluster(store: Store) -> None:
    save(store, article(1))
    store.save_clusters([Cluster(id="c", members=(article(1).id,), made_at=NOW)])
    save(store, article(1, text="Edited.", fetched_at=NOW + HOUR))
    assert cluster_of(store, 1) == "c"


def problem(number: int, subject_url: str = "https://courier.test/rss") -> Problem:
    return Problem(
        kind="throttled",
        message=f"HTTP 429, number {number}",
        subject_url=subject_url,
        at=NOW + number * MINUTE,
        retry_after=timedelta(seconds=90),
        permanent=number % 2 == 0,
    )


def test_problems_come_back_newest_first(store: Store) -> None:
    other = problem(5, "https://bote.test/" + "x" * 5000)
    save_problems(store, [problem(2), problem(1)])
    save_problems(store, [problem(3), other])
    assert store.problems() == (other, problem(3), problem(2), problem(1))
    assert store.problems(limit=2) == (other, problem(3))
    assert store.problems(subject_url=other.subject_url) == (other,)
    assert store.problems(subject_url="https://nobody.test/") == ()


def test_events_are_numbered_in_order(store: Store) -> None:
    events = [Event(kind="polled", subject=COURIER, at=NOW, data={"new": n}) for n in range(5)]
    assert store.events() == ()
    assert store.emit(events[:2]) == 2
    assert store.emit([]) == 2
    assert store.emit(events[2:]) == 5
    assert store.events() == tuple(replace(event, seq=n) for n, event in enumerate(events, 1))
    assert [event.seq for event in store.events(after=3)] == [4, 5]
    assert [event.seq for event in store.events(after=1, limit=2)] == [2, 3]
    assert store.events(after=5) == ()


def test_logs_never_grow_past_their_limit(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events_table, "KEPT_EVENTS", 10)
    monkeypatch.setattr(events_table, "KEPT_PROBLEMS", 10)
    for batch in range(4):
        store.emit([Event(kind="x", subject="y", at=NOW)] * 7)
        save_problems(store, [problem(batch * 7 + number) for number in range(7)])
    assert [event.seq for event in store.events()] == list(range(19, 29))
    assert store.problems() == tuple(problem(number) for number in range(27, 17, -1))
    assert store.emit([Event(kind="x", subject="y", at=NOW)]) == 29
