"""What every store promises about pages of matches and about counting them, on the same articles as the queries."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, timedelta, tzinfo
from itertools import chain
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, example, given, settings
from sqlalchemy import Connection

from tests.store.reference import holds, whole_query_samples
from tests.store.samples import COURIER, DAY, HOUR, NOW, article, save
from tests.store.test_contract_queries import CORPUS
from wireroom.errors import QueryError
from wireroom.model import Article
from wireroom.ports import HitCount, HitSummary, Order, Store
from wireroom.query import Query, read_query
from wireroom.rights.policy import word_about
from wireroom.store.rows import is_postgres
from wireroom.store.search import counting
from wireroom.store.search.searching import first_matches
from wireroom.store.sql_store import SqlStore
from wireroom.store.time_limit import OutOfTimeError, time_limit

LONG = timedelta(minutes=1)
KATHMANDU = ZoneInfo("Asia/Kathmandu")  # three quarters of an hour off


def _forwards(store: Store, query: Query | str, order: Order, limit: int) -> list[list[str]]:
    pages, cursor = [], ""
    while True:
        page = store.search(query, order=order, limit=limit, cursor=cursor)
        pages.append([held.id for held in page.articles])
        cursor = page.cursor
        if not cursor:
            assert bool(page.back) == (len(pages) > 1)
            return pages


def _backwards(store: Store, query: Query | str, order: Order, limit: int) -> list[list[str]]:
    """The pages from the last to the first, by the cursors that lead back."""
    page = store.search(query, order=order, limit=limit)
    while page.cursor:
        page = store.search(query, order=order, limit=limit, cursor=page.cursor)
    pages = []
    while page.back:
        page = store.search(query, order=order, limit=limit, cursor=page.back)
        pages.append([held.id for held in page.articles])
        assert page.cursor, "what it came from lies behind it"
    return pages


def _day(held: Article, zone: tzinfo) -> date:
    return (held.published_at or held.fetched_at).astimezone(zone).date()


def _expected_facets(expected: list[Article]) -> dict[str, Counter[str]]:
    return {
        "publisher": Counter(held.publisher for held in expected),
        "lang": Counter(held.language for held in expected),
        "paywall": Counter(held.paywall for held in expected),
        "rights": Counter(word_about(held.receipt, "ai-input") for held in expected),
    }


@pytest.mark.long
def test_every_store_counts_what_the_reference_finds(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(store, *CORPUS)
    monkeypatch.setattr(counting, "LOOKS", (3, 5))

    @given(whole_query_samples())
    @settings(
        max_examples=80, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
    )
    @example("")
    @example("storm OR quality:>0.5")
    @example("is:canonical -lang:zh")
    def ask(text: str) -> None:
        try:
            query = read_query(text)
        except QueryError:
            return
        expected = [held for held in CORPUS if holds(query.root, held)]
        counted = store.hits.summary(query, use="ai-input", zone=KATHMANDU, most=1000, within=LONG)
        assert counted.count == HitCount(count=len(expected), reach="all"), text
        facets, days = counted.facets, counted.days
        assert (facets.counted, facets.reach) == (len(expected), "all")
        assert {name: dict(found) for name, found in facets.values.items()} == {
            name: dict(found) for name, found in _expected_facets(expected).items()
        }, text
        wanted = Counter(_day(held, KATHMANDU) for held in expected)
        assert (days.counted, days.days) == (len(expected), tuple(sorted(wanted.items()))), text
        orders: tuple[Order, ...] = ("newest", "best")
        for order in orders:
            pages = _forwards(store, query, order, 5)
            assert Counter(list(chain.from_iterable(pages))) == Counter(
                held.id for held in expected
            ), text
            assert _backwards(store, query, order, 5) == pages[-2::-1], text

    ask()


@pytest.mark.parametrize("ranked", [2_000, 7, 10])
def test_pages_can_be_turned_both_ways(
    store: Store, monkeypatch: pytest.MonkeyPatch, ranked: int
) -> None:
    """By rank as well, where the newest alone are weighed and the others follow newest first."""
    monkeypatch.setattr("wireroom.store.search.searching.RANKED", ranked)
    texts = ["harbour " * (number % 4 + 1) + "sea" for number in range(23)]
    save(
        store,
        *(
            article(n, title=f"t{n}", text=words, description="", published_at=NOW - n * HOUR)
            for n, words in enumerate(texts)
        ),
    )
    newest = [article(number).id for number in range(23)]
    asked: tuple[tuple[str, Order], ...] = (
        ("", "newest"),
        ("harbour", "newest"),
        ("harbour quality:>=0", "newest"),
        ("harbour", "best"),
        ("", "best"),
    )
    for query, order in asked:
        pages = _forwards(store, query, order, 4)
        assert [len(page) for page in pages] == [4, 4, 4, 4, 4, 3]
        assert _backwards(store, query, order, 4) == pages[-2::-1]
        found = list(chain.from_iterable(pages))
        assert sorted(found) == sorted(newest)
        if order == "newest" or not query:
            assert found == newest
        elif ranked < len(newest):
            assert sorted(found[:ranked]) == sorted(newest[:ranked])
            assert found[ranked:] == newest[ranked:]


def test_what_comes_or_goes_meanwhile_moves_no_page(store: Store) -> None:
    held = [article(number, published_at=NOW - number * HOUR) for number in range(9)]
    save(store, *held)
    first = store.search("harbour", limit=3)
    second = store.search("harbour", limit=3, cursor=first.cursor)
    save(store, article(20, published_at=NOW + HOUR))
    store.remove_articles([held[3].id], reason="x", now=NOW)
    again = store.search("harbour", limit=3, cursor=first.cursor)
    assert [found.id for found in second.articles] == [found.id for found in held[3:6]]
    assert [found.id for found in again.articles] == [found.id for found in held[4:7]]
    before = store.search("harbour", limit=3, cursor=second.back)
    assert [found.id for found in before.articles] == [found.id for found in held[:3]]
    assert before.back, "the one that came new stands before it"


def test_a_page_whose_articles_are_gone_still_leads_back(store: Store) -> None:
    held = [article(number, published_at=NOW - number * HOUR) for number in range(4)]
    save(store, *held)
    first = store.search("harbour", limit=2)
    store.remove_articles([held[2].id, held[3].id], reason="x", now=NOW)
    empty = store.search("harbour", limit=2, cursor=first.cursor)
    assert empty.articles == ()
    assert not empty.cursor
    before = store.search("harbour", limit=2, cursor=empty.back)
    assert before.articles == first.articles
    store.remove_articles([held[0].id, held[1].id], reason="x", now=NOW)
    save(store, article(9, published_at=NOW - 9 * HOUR))
    gone = store.search("harbour", limit=2, cursor=empty.back)
    assert (gone.articles, gone.back) == ((), "")
    assert [found.id for found in store.search("harbour", cursor=gone.cursor).articles] == [
        article(9).id
    ]


@pytest.mark.parametrize("cursor", ["n", "x5", "bzz", "b0000000000000000", "n99999999999999999999"])
def test_a_cursor_of_another_search_is_refused(store: Store, cursor: str) -> None:
    order: Order = "best" if cursor.startswith("b") else "newest"
    with pytest.raises(QueryError, match="not one of this search"):
        store.search("harbour", order=order, cursor=cursor)
    other: Order = "newest" if order == "best" else "best"
    with pytest.raises(QueryError, match="not one of this search"):
        store.search("harbour", order=other, cursor="n5" if other == "best" else "b" + "0" * 17)


def test_a_count_that_is_cut_off_names_its_reach(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "LOOKS", (4, 3))
    save(store, *(article(n, COURIER, published_at=NOW - n * DAY) for n in range(10)))
    for most, count, reach in (
        (20, 10, "all"),
        (10, 10, "all"),
        (9, 9, "newest"),
        (3, 3, "newest"),
    ):
        found = _summary(store, "harbour", most)
        assert (found.count.count, found.count.reach) == (count, reach)
        facets, days = found.facets, found.days
        assert (facets.counted, facets.reach) == (count, reach)
        assert facets.values["publisher"] == ((COURIER, count),)
        assert (days.counted, days.reach) == (count, reach)
        newest = tuple(((NOW - n * DAY).date(), 1) for n in reversed(range(count)))
        assert days.days == newest
    assert _summary(store, "nowhere", 5).count == HitCount(count=0, reach="all")


def test_what_was_not_counted_in_time_says_so(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(store, *(article(number, COURIER) for number in range(10)))
    none = _summary(store, "harbour", 100, within=timedelta())
    assert none.count == HitCount(count=0, reach="none")
    assert (none.facets.reach, none.days.reach) == ("none", "none")
    assert set(none.facets.values) == {"publisher", "lang", "paywall", "rights"}
    monkeypatch.setattr(counting, "LOOKS", (4, 3))
    monkeypatch.setattr(counting, "time_limit", _up_after(1))
    some = _summary(store, "harbour", 100)
    assert some.count == HitCount(count=4, reach="newest")
    assert (some.facets.reach, some.days.counted, some.days.reach) == ("none", 4, "newest")
    monkeypatch.setattr(counting, "time_limit", _up_after(4))
    found = _summary(store, "harbour", 100)
    assert found.count == HitCount(count=10, reach="all"), "all that is left is what they are"
    assert (found.facets.counted, found.facets.reach) == (4, "newest")
    assert found.facets.values["publisher"] == ((COURIER, 4),)


def test_matches_are_gone_through_once_for_number_facets_and_days(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(store, *(article(number, COURIER) for number in range(10)))
    walks: list[int] = []

    def counted(*arguments: Any, limit: int) -> list[int]:
        walks.append(limit)
        return first_matches(*arguments, limit=limit)

    monkeypatch.setattr(counting, "first_matches", counted)
    found = _summary(store, "harbour", 100)
    assert (found.count.count, found.facets.counted, found.days.counted) == (10, 10, 10)
    assert walks == [101]


def _summary(store: Store, query: str, most: int, *, within: timedelta = LONG) -> HitSummary:
    return store.hits.summary(query, use="search", zone=UTC, most=most, within=within)


def _up_after(statements: int) -> Callable[[Connection, float], Any]:
    left = [statements]

    @contextmanager
    def limited(conn: Connection, ends: float) -> Iterator[None]:
        left[0] -= 1
        if left[0] < 0:
            raise OutOfTimeError
        with time_limit(conn, ends):
            yield

    return limited


def test_a_statement_is_cut_short_and_the_store_goes_on(store: Store) -> None:
    assert isinstance(store, SqlStore)

    def wait(conn: Connection) -> None:
        endless = (
            "SELECT pg_sleep(600)"
            if is_postgres(conn)
            else "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        )
        with pytest.raises(OutOfTimeError), time_limit(conn, time.monotonic() + 0.05):
            conn.exec_driver_sql(endless)

    store._db.read(wait)
    save(store, article(1))
    assert _summary(store, "harbour", 5).count.count == 1
    assert store.health().state == "ok"
