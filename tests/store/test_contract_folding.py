"""What every store promises about copies of one story in a search, and about a search that takes too long."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from sqlalchemy import Connection

from tests.store.samples import HOUR, NOW, article, save
from wireroom.errors import SlowQueryError
from wireroom.model import Article, Cluster
from wireroom.ports import Order, SearchPage, Store
from wireroom.store.rows import is_postgres
from wireroom.store.search import folding, searching
from wireroom.store.time_limit import time_limit

ORDERS: tuple[Order, ...] = ("newest", "best")


def _held(store: Store, *titles: str) -> list[Article]:
    """Articles of these titles, the newest first."""
    held = [
        article(number, title=title, text="harbour", published_at=NOW - number * HOUR)
        for number, title in enumerate(titles)
    ]
    save(store, *held)
    return held


def _cluster(store: Store, name: str, *members: Article) -> None:
    ids = tuple(member.id for member in members)
    store.save_clusters([Cluster(id=name, members=ids, canonicals={"en": ids[-1]}, made_at=NOW)])


def _pages(store: Store, query: str, order: Order, limit: int) -> Iterator[SearchPage]:
    page = store.search(query, order=order, limit=limit, fold=True)
    yield page
    while page.cursor:
        page = store.search(query, order=order, limit=limit, cursor=page.cursor, fold=True)
        yield page


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    "query", ["", "harbour", "harb*", "harbour OR nowhere", "quality:>=0", "-sport"]
)
def test_every_page_knows_all_matches_of_its_clusters(
    store: Store, query: str, order: Order
) -> None:
    held = _held(store, *(f"t{number}" for number in range(9)))
    _cluster(store, "apart", held[0], held[4], held[8])
    _cluster(store, "near", held[5], held[6])
    pages = list(_pages(store, query, order, 2))
    found = [each.id for page in pages for each in page.articles]
    assert sorted(found) == sorted(each.id for each in held)
    in_order = {
        "apart": tuple(each for each in found if each in {held[n].id for n in (0, 4, 8)}),
        "near": tuple(each for each in found if each in {held[n].id for n in (5, 6)}),
    }
    for page in pages:
        own = {each.cluster_id for each in page.articles} - {""}
        assert {name: hits.ids for name, hits in page.clusters.items()} == {
            name: in_order[name] for name in own
        }
        assert not any(hits.is_cut for hits in page.clusters.values())


def test_what_does_not_match_is_no_copy_of_the_results(store: Store) -> None:
    held = _held(store, "storm", "calm", "storm", "storm")
    _cluster(store, "c", *held)
    page = store.search("storm", limit=1, fold=True)
    assert page.clusters["c"].ids == (held[0].id, held[2].id, held[3].id)
    later = store.search("storm", limit=1, cursor=page.cursor, fold=True)
    assert [each.id for each in later.articles] == [held[2].id]
    assert later.clusters == page.clusters
    early = store.search(f"storm before:{(NOW - 2.5 * HOUR).isoformat()}", limit=5, fold=True)
    assert early.clusters["c"].ids == (held[3].id,)


def test_of_a_large_cluster_the_newest_are_asked_about(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folding, "MOST_MEMBERS", 2)
    held = _held(store, *(f"t{number}" for number in range(30)))
    _cluster(store, "c", *held)
    last = list(_pages(store, "harbour", "newest", 10))[-1]
    hits = last.clusters["c"]
    assert hits.ids[:2] == (held[0].id, held[1].id)
    assert hits.ids[2:] == tuple(each.id for each in held[20:])
    assert hits.is_cut


@pytest.mark.parametrize("query", ["harbour", "harb*"])
def test_what_was_not_asked_in_time_is_not_claimed(
    store: Store, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    monkeypatch.setattr(folding, "FOLDING_TIME", 0.0)
    held = _held(store, "a", "b", "c", "d")
    _cluster(store, "c", held[0], held[1], held[3])
    hits = store.search(query, limit=2, fold=True).clusters["c"]
    assert hits.ids == (held[0].id, held[1].id)
    assert hits.is_cut
    monkeypatch.undo()
    hits = store.search(query, limit=2, fold=True).clusters["c"]
    assert hits.ids == (held[0].id, held[1].id, held[3].id)
    assert not hits.is_cut


def test_clusters_are_looked_up_only_when_asked_for(store: Store) -> None:
    _cluster(store, "c", *_held(store, "a", "b"))
    assert store.search("harbour").clusters == {}


def test_a_search_that_takes_too_long_is_ended(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    _held(store, "a", "b")
    with pytest.raises(SlowQueryError, match="ended after"):
        store.search("harbour", within=timedelta())

    @contextmanager
    def slow(conn: Connection, ends: float | None) -> Iterator[None]:
        assert ends is not None
        with time_limit(conn, min(ends, time.monotonic() + 0.05)):
            conn.exec_driver_sql(
                "SELECT pg_sleep(600)"
                if is_postgres(conn)
                else "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
            )
            yield

    with monkeypatch.context() as patch:
        patch.setattr(searching, "time_limit", slow)
        with pytest.raises(SlowQueryError) as raised:
            store.search("harbour", within=timedelta(seconds=5))
    assert raised.value.message == "The search was ended after 5 s: it was not done by then."
    assert "after:30d" in raised.value.hint
    assert len(store.search("harbour", within=timedelta(minutes=1)).articles) == 2
    assert store.health().state == "ok"
