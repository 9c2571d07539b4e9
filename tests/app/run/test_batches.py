"""Outcomes share commits: all that come along while others do, none waits when nobody follows."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime
from random import Random

import pytest

from tests.store.samples import NOW, article, reading
from wireroom.app.run import batches as saving
from wireroom.app.run.batches import BATCH, LULL, SHARED, OutcomeBatches
from wireroom.app.run.counts import RunCounts
from wireroom.app.store_thread import StoreThread
from wireroom.model import Reading
from wireroom.ports import Saved, Store
from wireroom.store import open_store


@pytest.fixture
def store() -> Iterator[Store]:
    with closing(open_store("sqlite://")) as store:
        yield store


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many readings each commit held."""
    sizes: list[int] = []
    save = saving._save_readings

    def counted(store: Store, readings: Sequence[Reading], now: datetime) -> Sequence[Saved]:
        sizes.append(len(readings))
        return save(store, readings, now)

    monkeypatch.setattr(saving, "_save_readings", counted)
    return sizes


async def save_all(
    store: Store, count: int, *, apart: float = 0.0, being_read: bool = False
) -> list[Saved]:
    """Readings that are handed in so many seconds after one another; what became of them.

    With `being_read` the others are known to be on their way until the last is there.
    """
    counts = RunCounts()
    thread = StoreThread(store, counts.note_pause)
    all_there = asyncio.Event()
    waiting: list[asyncio.Task[Saved]] = []
    saver = OutcomeBatches(
        thread,
        counts,
        clock=lambda: NOW,
        chance=Random(1),
        more_to_come=lambda: being_read and not all_there.is_set(),
    )
    running = asyncio.create_task(saver.run())
    for number in range(count):
        waiting.append(asyncio.create_task(saver.reading(reading(article(number)))))
        await asyncio.sleep(apart)
    all_there.set()
    saved = await asyncio.gather(*waiting)
    saver.end()
    await running
    thread.close()
    return saved


def test_what_comes_at_once_shares_a_commit(store: Store, commits: list[int]) -> None:
    saved = asyncio.run(save_all(store, 20))
    assert [result.outcome for result in saved] == ["new"] * 20
    assert commits == [20]


@pytest.mark.long
def test_a_commit_holds_no_more_than_its_share(store: Store, commits: list[int]) -> None:
    asyncio.run(save_all(store, BATCH + 5))
    assert max(commits) == BATCH
    assert sum(commits) == BATCH + 5 == store.counts()["articles"]


def test_one_alone_is_saved_after_a_lull(store: Store, commits: list[int]) -> None:
    async def seconds_to_save() -> float:
        began = asyncio.get_running_loop().time()
        await save_all(store, 1)
        return asyncio.get_running_loop().time() - began

    assert asyncio.run(seconds_to_save()) >= LULL
    assert commits == [1]


def test_a_stream_without_end_is_saved_in_between(store: Store, commits: list[int]) -> None:
    asyncio.run(save_all(store, round(3 * SHARED / (LULL / 5)), apart=LULL / 5))
    assert len(commits) > 1
    assert sum(commits) == store.counts()["articles"]


def test_pages_that_are_being_read_are_waited_for(
    store: Store, commits: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saving, "SHARED", 60.0)
    asyncio.run(save_all(store, 3, apart=3 * LULL, being_read=True))
    assert commits == [3]


def test_a_page_that_is_read_without_end_holds_nobody_up(store: Store, commits: list[int]) -> None:
    async def save_one() -> Saved:
        counts = RunCounts()
        thread = StoreThread(store, counts.note_pause)
        saver = OutcomeBatches(
            thread, counts, clock=lambda: NOW, chance=Random(1), more_to_come=lambda: True
        )
        running = asyncio.create_task(saver.run())
        saved = await saver.reading(reading(article(1)))
        saver.end()
        await running
        thread.close()
        return saved

    assert asyncio.run(save_one()).outcome == "new"
    assert commits == [1]
