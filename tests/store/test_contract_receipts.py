"""What every store promises about receipts over time: none under which a text was taken is forgotten, and what left is known."""

from __future__ import annotations

from typing import Any

import pytest

from tests.store.samples import DAY, HOUR, NOW, article, receipt, save, verdict
from wireroom.model import Article, Receipt
from wireroom.ports import Store
from wireroom.store.sql_logs import STREAM_PAGE

MORE = {"verdicts": (verdict(), verdict())}


def read_again(store: Store, days: int, **changes: Any) -> Receipt:
    """The same page, read so many days later under another receipt."""
    later = NOW + days * DAY
    found = receipt(checked_at=later, **changes)
    save(store, article(1, fetched_at=later, receipt=found))
    return found


def former(store: Store) -> tuple[Receipt, ...]:
    return store.receipts.former([article(1).id]).get(article(1).id, ())


def test_an_article_that_was_read_once_has_no_former_receipt(store: Store) -> None:
    save(store, article(1), article(2))
    assert store.receipts.former([article(1).id, article(2).id, "nobody"]) == {}


def test_another_look_with_the_same_words_is_no_row(store: Store) -> None:
    save(store, article(1))
    read_again(store, 1)
    assert former(store) == ()


@pytest.mark.parametrize(
    "change",
    [MORE, {"robots": "disallowed"}, {"licence_url": ""}],
    ids=lambda change: next(iter(change)),
)
def test_a_receipt_that_says_something_else_leaves_the_one_before(
    store: Store, change: dict[str, Any]
) -> None:
    save(store, article(1))
    now = read_again(store, 1, **change)
    held = store.article(article(1).id)
    assert held is not None
    assert held.receipt == now
    assert former(store) == (receipt(),)


def test_receipts_are_kept_oldest_first_each_with_the_last_time_it_held(store: Store) -> None:
    save(store, article(1))
    last = read_again(store, 1)
    other = read_again(store, 2, **MORE)
    read_again(store, 3)
    assert former(store) == (last, other)


def test_a_receipt_that_is_lost_is_kept_as_well(store: Store) -> None:
    save(store, article(1))
    save(store, article(1, fetched_at=NOW + HOUR, receipt=None))
    assert former(store) == (receipt(),)


def test_an_outcome_that_is_saved_twice_leaves_one_row(store: Store) -> None:
    save(store, article(1))
    read_again(store, 1, **MORE)
    read_again(store, 1, **MORE)
    save(store, article(1))  # late: it was fetched before what is held
    assert former(store) == (receipt(),)


def test_of_a_reading_that_comes_late_the_stricter_word_stands(store: Store) -> None:
    save(store, article(1))
    read_again(store, 1, **MORE)
    save(store, article(1, receipt=receipt(robots="disallowed")))
    held = store.article(article(1).id)
    assert held is not None
    assert held.receipt is not None
    assert held.receipt.robots == "disallowed"


def test_where_nothing_taken_under_it_is_held_it_is_forgotten(store: Store) -> None:
    save(store, article(1), article(2))
    now = read_again(store, 1, **MORE)
    store.reduce_articles([article(1, text="", receipt=now)], now=NOW)
    assert former(store) == ()
    read_again(store, 2)
    assert len(former(store)) == 1
    store.remove_articles([article(1).id], reason="test", now=NOW)
    assert former(store) == ()


def test_what_left_is_known_with_its_receipt(store: Store) -> None:
    save(store, article(1), article(2, receipt=None))
    store.receipts.save_exported("c", [article(1), article(2, receipt=None)], now=NOW)
    store.receipts.save_exported("other", [article(2, receipt=None)], now=NOW)
    left = {exported.article_id: exported for exported in store.receipts.exported("c")}
    assert set(left) == {article(1).id, article(2).id}
    first = left[article(1).id]
    assert (first.url, first.left_at, first.receipt) == (article(1).url, NOW, receipt())
    assert not first.is_removed
    assert left[article(2).id].receipt is None
    assert len(list(store.receipts.exported("other"))) == 1
    assert list(store.receipts.exported("nobody")) == []


def test_what_leaves_again_leaves_under_its_new_receipt(store: Store) -> None:
    save(store, article(1))
    store.receipts.save_exported("c", [article(1)], now=NOW)
    now = read_again(store, 1, **MORE)
    held = store.article(article(1).id)
    assert held is not None
    store.receipts.save_exported("c", [held], now=NOW + DAY)
    (left,) = store.receipts.exported("c")
    assert (left.left_at, left.receipt) == (NOW + DAY, now)


def test_what_was_removed_is_named_with_its_address_and_the_reason(store: Store) -> None:
    save(store, article(1))
    store.receipts.save_exported("c", [article(1)], now=NOW)
    store.remove_articles([article(1).id], reason="somebody asked", now=NOW + HOUR)
    (left,) = store.receipts.exported("c")
    assert (left.is_removed, left.url, left.reason) == (True, article(1).url, "somebody asked")
    assert left.receipt == receipt()
    save(store, article(1))  # and it is back
    (left,) = store.receipts.exported("c")
    assert (left.is_removed, left.reason) == (False, "")


def test_what_left_is_forgotten_one_by_one_or_with_its_cursor(store: Store) -> None:
    articles = [article(number) for number in range(3)]
    save(store, *articles)
    for cursor in ("c", "other"):
        store.receipts.save_exported(cursor, articles, now=NOW)
    assert store.receipts.forget_exported("c", [articles[0].id, "nobody"]) == 1
    assert len(list(store.receipts.exported("c"))) == 2
    assert store.receipts.forget_exported("c") == 2
    assert list(store.receipts.exported("c")) == []
    assert len(list(store.receipts.exported("other"))) == 3


def test_more_than_a_page_leaves_and_each_comes_once(store: Store) -> None:
    articles: list[Article] = [article(number) for number in range(STREAM_PAGE + 3)]
    store.receipts.save_exported("c", articles, now=NOW)
    left = [exported.article_id for exported in store.receipts.exported("c")]
    assert left == sorted(held.id for held in articles)
