"""What every store promises about the order of changes: nothing is missed, nothing comes unasked."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from tests.store.samples import (
    DAY,
    HOUR,
    MINUTE,
    NOW,
    article,
    reading,
    receipt,
    save,
    verdict,
)
from wireroom.errors import QueryError
from wireroom.model import Article, Cluster
from wireroom.ports import Store
from wireroom.store import changes_table
from wireroom.store.sql_logs import STREAM_PAGE


def changed(store: Store, query: str = "", *, after: int = 0) -> list[Article]:
    return [
        changed_article.article for changed_article in store.changed_articles(query, after=after)
    ]


def last_number(store: Store) -> int:
    return max((changed_article.number for changed_article in store.changed_articles()), default=0)


def test_new_articles_come_in_the_order_of_saving(store: Store) -> None:
    assert changed(store) == []
    first, second, third = article(3), article(1), article(2)
    save(store, first, second)
    after = last_number(store)
    save(store, third)
    assert changed(store) == [first, second, third]
    assert changed(store, after=after) == [third]
    numbers = [changed_article.number for changed_article in store.changed_articles()]
    assert all(earlier < later for earlier, later in pairwise(numbers))
    assert changed(store, after=numbers[-1]) == []


def test_an_edit_is_a_change_and_a_second_look_is_none(store: Store) -> None:
    save(store, article(1), article(2))
    after = last_number(store)
    later = NOW + HOUR
    save(store, article(1), article(2, fetched_at=later, receipt=receipt(checked_at=later)))
    assert changed(store, after=after) == []
    edited = article(1, text="Edited.", fetched_at=later)
    save(store, edited)
    assert changed(store, after=after) == [replace(edited, version=2)]
    assert len(changed(store)) == 2


@pytest.mark.parametrize(
    "news",
    [
        {"authors": ("Somebody Else",)},
        {"state": "withdrawn"},
        {"paywall": "locked"},
        {"published_at": NOW - DAY},
        {"receipt": receipt(verdicts=(verdict(), verdict()))},
        {"receipt": None},
    ],
    ids=lambda news: next(iter(news)),
)
def test_whatever_else_an_article_says_now_is_a_change(store: Store, news: dict[str, Any]) -> None:
    save(store, article(1))
    after = last_number(store)
    other = article(1, fetched_at=NOW + HOUR, **news)
    save(store, other)
    assert changed(store, after=after) == [other]


def test_only_who_is_regrouped_changes(store: Store) -> None:
    save(store, *(article(number) for number in range(4)))
    ids = [article(number).id for number in range(4)]
    held = Cluster(id="c", members=(ids[0], ids[1]), canonicals={"en": ids[0]}, made_at=NOW)
    after = last_number(store)
    store.save_clusters([held])
    assert {article.id for article in changed(store, after=after)} == {ids[0], ids[1]}
    after = last_number(store)
    store.save_clusters([replace(held, members=(ids[0], ids[1], ids[2]))])
    assert [article.id for article in changed(store, after=after)] == [ids[2]]
    after = last_number(store)
    store.save_clusters([replace(held, members=tuple(ids[:3]), canonicals={"en": ids[1]})])
    assert {article.id for article in changed(store, after=after)} == {ids[0], ids[1]}


def test_the_query_language_applies(store: Store) -> None:
    rain = [article(number, text="It rained again.") for number in range(3)]
    sun = [article(number, "b.test", text="The sun shone.") for number in range(3)]
    old = article(9, text="It rained.", published_at=NOW - 40 * DAY)
    save(store, rain[0], sun[0], old, sun[1], rain[1])
    after = last_number(store)
    save(store, sun[2], rain[2])
    assert changed(store, "rained") == [rain[0], old, rain[1], rain[2]]
    assert changed(store, "rained", after=after) == [rain[2]]
    assert changed(store, "publisher:b.test", after=after) == [sun[2]]
    assert changed(store, "rained before:2026-11") == [old]
    assert changed(store, "before:2026-11") == [old]
    assert changed(store, "after:2026-11", after=after) == [sun[2], rain[2]]
    assert changed(store, "-rained") == sun
    assert changed(store, "snowed") == []
    assert changed(store, "rained", after=last_number(store)) == []
    with pytest.raises(QueryError):
        changed(store, "nofilter:x")


def test_many_matches_are_read_in_parts(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes_table, "MATCHES_AT_ONCE", 3)
    held = [article(number) for number in range(10)]
    save(store, *held)
    assert changed(store, "harbour") == held


def test_a_stream_goes_on_over_pages_and_leaves_later_changes_to_the_next(store: Store) -> None:
    total = STREAM_PAGE + 50
    held = [article(number, published_at=NOW - number * MINUTE) for number in range(total)]
    save(store, *held)
    stream = store.changed_articles()
    seen = [next(stream)]
    edited = article(total - 1, text="Edited meanwhile.", fetched_at=NOW + HOUR)
    save(store, edited, article(total))
    seen += stream
    assert [changed.article for changed in seen] == held[:-1]
    rest = changed(store, after=seen[-1].number)
    assert [article.id for article in rest] == [edited.id, article(total).id]


def test_what_was_removed_is_reported_once(store: Store) -> None:
    held = [article(number) for number in range(4)]
    save(store, *held)
    after = last_number(store)
    assert list(store.removed_after()) == []
    store.remove_articles([held[2].id, held[0].id], reason="asked for", now=NOW)
    removed = list(store.removed_after(after))
    assert {article_id for _, article_id in removed} == {held[0].id, held[2].id}
    assert all(number > after for number, _ in removed)
    assert list(store.removed_after(removed[0][0])) == removed[1:]
    assert changed(store) == [held[1], held[3]]
    assert changed(store, after=after) == []


def test_an_article_that_comes_back_is_no_longer_removed(store: Store) -> None:
    save(store, article(1))
    store.remove_articles([article(1).id], reason="asked for", now=NOW)
    after = max(number for number, _ in store.removed_after())
    store.save_readings([reading(article(1))], now=NOW)
    assert list(store.removed_after()) == []
    assert changed(store, after=after) == [article(1)]
