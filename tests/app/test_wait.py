"""Waiting for a while, without losing the word to end."""

from __future__ import annotations

import asyncio

import pytest

from wireroom.app.concurrency import wait_for_event


async def test_whether_it_came() -> None:
    event = asyncio.Event()
    assert not await wait_for_event(event, 0.01)
    event.set()
    assert await wait_for_event(event, 60)


async def test_who_is_cancelled_as_the_event_comes_ends_all_the_same() -> None:
    event, went_on = asyncio.Event(), []

    async def wait() -> None:
        await wait_for_event(event, 60)
        went_on.append(True)

    waiting = asyncio.create_task(wait())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    event.set()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert went_on == []
