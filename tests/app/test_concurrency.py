"""Many pieces of work at once: bounded, as they are ready, and cancelled when nobody wants more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing

import pytest

from wireroom.app.concurrency import run_concurrently, stream_results


async def test_no_more_are_in_flight_than_may_be() -> None:
    at_work, most = 0, 0

    async def work(number: int) -> int:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        await asyncio.sleep(0.001 * (number % 3))
        at_work -= 1
        return number

    results = [result async for result in run_concurrently(range(20), work, at_once=4)]
    assert sorted(results) == list(range(20))
    assert most == 4


async def test_who_leaves_early_cancels_what_is_in_flight() -> None:
    cancelled: list[int] = []

    async def work(number: int) -> int:
        if number == 0:
            return number
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(number)
            raise
        return number

    async with aclosing(run_concurrently(range(3), work, at_once=3)) as results:
        assert await anext(results) == 0
    assert sorted(cancelled) == [1, 2]


async def test_an_error_in_one_piece_ends_all() -> None:
    async def work(number: int) -> int:
        if number == 1:
            raise ValueError("one")
        await asyncio.sleep(60)
        return number

    with pytest.raises(ValueError, match="one"):
        _ = [result async for result in run_concurrently(range(3), work, at_once=3)]


async def test_results_come_in_order_and_an_error_behind_it() -> None:
    async def work(add: Callable[[int], None]) -> None:
        for number in (1, 2):
            add(number)
            await asyncio.sleep(0)
        raise ValueError("over")

    async with aclosing(stream_results(work)) as results:
        assert [await anext(results), await anext(results)] == [1, 2]
        with pytest.raises(ValueError, match="over"):
            await anext(results)


async def test_who_wants_no_more_ends_the_work() -> None:
    ended = asyncio.Event()

    async def work(add: Callable[[int], None]) -> None:
        add(1)
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    async with aclosing(stream_results(work)) as results:
        assert await anext(results) == 1
    assert ended.is_set()
