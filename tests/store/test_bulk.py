"""Rows made ahead by another thread come in order, and an error comes out where it is waited for."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from tests.store.samples import NOW, article, lead, reading
from wireroom.ports import Store
from wireroom.store.bulk import FEW, MADE_AT_ONCE, ahead
from wireroom.store.rows import FEWER_AT_ONCE, ROWS_AT_ONCE, sized


def test_things_made_ahead_come_in_order() -> None:
    items = list(range(3 * FEW + 7))
    assert list(ahead(str, items)) == [str(item) for item in items]
    assert list(ahead(str, items[:3])) == ["0", "1", "2"]


def test_few_things_are_made_without_another_thread() -> None:
    made_by = set(ahead(lambda _: threading.current_thread(), list(range(FEW))))
    assert made_by == {threading.current_thread()}


def test_an_error_in_the_other_thread_is_raised_here() -> None:
    def make(item: int) -> int:
        if item == MADE_AT_ONCE + 1:
            raise ValueError("not this one")
        return item

    coming = ahead(make, list(range(4 * FEW)))
    with pytest.raises(ValueError, match="not this one"):
        list(coming)


def test_who_stops_early_leaves_no_thread_behind() -> None:
    coming = ahead(str, list(range(10 * FEW)))
    assert next(coming) == "0"
    before = [one for one in threading.enumerate() if one.name.startswith("ahead")]
    del coming
    for one in before:
        one.join(timeout=10)
    assert not [one for one in threading.enumerate() if one.name.startswith("ahead")]


def test_a_large_batch_is_saved_whole_and_found(store: Store) -> None:
    count = 3 * FEW + 1
    store.save_readings([reading(article(number)) for number in range(count)], now=NOW)
    assert store.counts()["articles"] == count
    assert len(list(store.articles("harbour"))) == count


@pytest.mark.parametrize("count", [0, 1, 9, 10, 49, 50, 51, 137])
def test_rows_come_in_order_and_in_parts_of_few_sizes(count: int) -> None:
    parts = list(sized(range(count)))
    assert [row for part in parts for row in part] == list(range(count))
    assert {len(part) for part in parts} <= {1, FEWER_AT_ONCE, ROWS_AT_ONCE}


def test_many_rows_that_are_held_are_replaced_and_others_added(store: Store) -> None:
    count = 2 * ROWS_AT_ONCE + FEWER_AT_ONCE + 3
    pages = [lead(number) for number in range(count)]
    store.save_leads(pages[: count // 2], now=NOW)
    given_up = [replace(one, state="failed", reason="not-found", attempts=3) for one in pages]
    assert store.save_leads(given_up, now=NOW) == count - count // 2
    assert {one.reason for one in store.leads(limit=count)} == {"not-found"}
    assert len(store.leads(limit=2 * count)) == count
