"""What every store promises about a publisher's boilerplate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.store.samples import COURIER, HOUR, NOW, article, reading
from wireroom.model import Boilerplate, Reading
from wireroom.ports import Store
from wireroom.store import boilerplate_table


def with_blocks(number: int, *blocks: str, **changes: Any) -> Reading:
    return reading(article(number, **changes), blocks=blocks)


def test_blocks_are_counted_once_an_article(store: Store) -> None:
    assert store.block_counts(COURIER) == (0, {})
    store.save_readings(
        [
            with_blocks(1, "share", "share", "own-1"),
            with_blocks(2, "share", "menu", "own-2"),
            with_blocks(3, domain="b.test"),
        ],
        now=NOW,
    )
    store.save_readings([with_blocks(3, "share", "menu"), with_blocks(4)], now=NOW)
    assert store.block_counts(COURIER) == (3, {"share": 3, "menu": 2})
    assert store.block_counts("b.test") == (0, {})


def test_an_article_read_again_or_edited_counts_no_more(store: Store) -> None:
    first, other = with_blocks(1, "share"), with_blocks(2, "share")
    store.save_readings([first, other, first], now=NOW)
    store.save_readings([first], now=NOW)
    edited = with_blocks(1, "share", text="Edited.", fetched_at=NOW + HOUR)
    store.save_readings([edited], now=NOW)
    alias = with_blocks(
        7, "share", url="https://courier.test/amp", title="Story 1",
        canonical_url=article(1).url, fetched_at=NOW + HOUR,
    )  # fmt: skip
    store.save_readings([alias], now=NOW)
    assert store.block_counts(COURIER) == (2, {"share": 2})


def test_what_was_learnt_comes_back_and_is_replaced(store: Store) -> None:
    assert store.boilerplate(COURIER) is None
    held = Boilerplate(publisher=COURIER, pages=12, boilerplate=("share", "menu"), learnt_at=NOW)
    store.save_boilerplate(held, fade=False)
    assert store.boilerplate(COURIER) == held
    newer = replace(held, boilerplate=(), learnt_at=NOW + HOUR)
    store.save_boilerplate(newer, fade=False)
    store.save_boilerplate(held, fade=True)
    assert store.boilerplate(COURIER) == newer
    assert store.boilerplate("b.test") is None


def test_counts_fade_by_half_and_what_vanishes_is_dropped(store: Store) -> None:
    blocks = {"share": 5, "menu": 2, "once": 1}
    store.save_readings(
        [with_blocks(n, *(name for name, times in blocks.items() if n < times)) for n in range(5)],
        now=NOW,
    )
    learnt = Boilerplate(publisher=COURIER, pages=5, learnt_at=NOW)
    store.save_boilerplate(learnt, fade=True)
    assert store.block_counts(COURIER) == (2, {"share": 2})
    store.save_boilerplate(learnt, fade=True)
    assert store.block_counts(COURIER) == (2, {"share": 2})
    store.save_readings([with_blocks(9, "menu", "once")], now=NOW)
    assert store.block_counts(COURIER) == (3, {"share": 2, "menu": 2})
    store.save_boilerplate(replace(learnt, learnt_at=NOW + HOUR), fade=True)
    assert store.block_counts(COURIER) == (1, {})


def test_a_block_that_does_not_come_back_in_time_is_forgotten(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boilerplate_table, "KEPT_ONCE", 3)
    store.save_readings([with_blocks(1, "first", "second")], now=NOW)
    store.save_readings([with_blocks(2, "third", "fourth")], now=NOW)
    store.save_readings([with_blocks(3, "first")], now=NOW)
    store.save_readings([with_blocks(4, "third", "first")], now=NOW)
    assert store.block_counts(COURIER) == (4, {"third": 2, "first": 2})


def test_the_rarest_blocks_are_dropped_and_of_those_the_oldest(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boilerplate_table, "KEPT_BLOCKS", 3)
    twice = [with_blocks(n, "share", "old") for n in range(2)]
    store.save_readings([*twice, with_blocks(2, "share")], now=NOW)
    store.save_readings([with_blocks(n, "menu") for n in (3, 4)], now=NOW)
    assert store.block_counts(COURIER) == (5, {"share": 3, "old": 2, "menu": 2})
    store.save_readings([with_blocks(n, "new") for n in (5, 6)], now=NOW)
    assert store.block_counts(COURIER) == (7, {"share": 3, "menu": 2, "new": 2})


@pytest.mark.long
def test_blocks_of_several_publishers_are_counted_apart(store: Store) -> None:
    domains = [f"p{n}.test" for n in range(700)]
    for turn in (1, 2):
        store.save_readings(
            [with_blocks(turn, "share", f"own-{domain}", domain=domain) for domain in domains],
            now=NOW,
        )
    assert {store.block_counts(domain)[0] for domain in domains[::100]} == {2}
    assert store.block_counts("p7.test") == (2, {"share": 2, "own-p7.test": 2})
