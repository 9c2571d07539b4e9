"""The engine `local`: everything is done once, a poisonous piece costs itself alone, nothing is left."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from tests.workers import jobs
from tests.workers.engine_contract import (
    LONG_PROMISES,
    OPTIONS,
    PROMISES,
    SOON,
    Promise,
    alive,
)
from tests.workers.engine_contract import outcomes as spread_by
from wireroom.errors import WireroomError
from wireroom.ports import Done, EngineOptions, EnginePlug, Lost
from wireroom.registry import plugs
from wireroom.workers import local
from wireroom.workers.local import PLUG, LocalEngine

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits are kept by a POSIX kernel")
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps the limit on memory")


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
async def test_it_keeps_what_is_promised_of_any_engine(promise: Promise) -> None:
    await promise(LocalEngine)


@pytest.mark.long
@pytest.mark.parametrize("promise", LONG_PROMISES, ids=lambda promise: promise.__name__)
async def test_it_keeps_what_takes_longer(promise: Promise) -> None:
    await promise(LocalEngine)


async def outcomes(
    work: Iterable[Any], do: Callable[[Any], Any], options: EngineOptions = OPTIONS
) -> list[Done[Any, Any] | Lost[Any]]:
    return await spread_by(LocalEngine, work, do, options)


# --- which workers there are --------------------------------------------------------------------


@pytest.mark.long
async def test_both_workers_work() -> None:
    found = await outcomes(range(300), jobs.who)
    pids = {each.outcome for each in found if isinstance(each, Done)}
    assert len(pids) == 2
    assert os.getpid() not in pids


@pytest.mark.long
async def test_two_slow_pieces_go_to_two_workers() -> None:
    async with LocalEngine(EngineOptions(workers=2)) as engine:
        [each async for each in engine.spread(["pid 1", "pid 2"], jobs.misbehave)]
        started = time.monotonic()
        [each async for each in engine.spread(["sleep 2.0", "sleep 2.00"], jobs.misbehave)]
    assert time.monotonic() - started < 4.0  # what one worker would need at least


async def test_one_piece_starts_one_worker() -> None:
    async with LocalEngine(OPTIONS) as engine:
        assert [each async for each in engine.spread([1], jobs.double)] == [Done(1, 2)]
        assert len(engine._idle) == 1


async def test_nothing_to_do_starts_nobody() -> None:
    engine = LocalEngine(OPTIONS)
    nothing: list[int] = []
    assert [each async for each in engine.spread(nothing, jobs.double)] == []
    assert not engine._idle
    await engine.close()


# --- limits ------------------------------------------------------------------------------------


@pytest.mark.long
async def test_workers_that_are_killed_all_the_time_cost_nobody_else() -> None:
    """A worker is killed again and again from outside; everything is done, nothing twice."""
    options = EngineOptions(workers=2)
    seen: list[str] = []
    async with LocalEngine(options) as engine:
        work = (f"sleep 0.0{number % 10}{number}" for number in range(100, 300))
        async for outcome in engine.spread(work, jobs.misbehave):
            seen.append(outcome.work)
            if len(seen) % 50 == 0:
                for worker in list(engine._busy)[:1]:
                    worker._kill()
    assert len(seen) == len(set(seen)) == 200


@pytest.mark.long
@linux
async def test_a_worker_that_has_grown_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "GROWTH", 50 * jobs.MEGABYTE)
    options = EngineOptions(workers=1)
    found = await outcomes(["pid 1", "hoard 60", "pid 2", "pid 3"], jobs.misbehave, options)
    pids = {each.work: each.outcome for each in found if isinstance(each, Done)}
    assert pids["hoard 60"] == "hoard 60"
    assert pids["pid 1"] != pids["pid 2"] == pids["pid 3"]


@pytest.mark.long
async def test_a_worker_leaves_when_its_time_is_served(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(local, "PIECES", 10)
    found = await outcomes(range(45), jobs.who, EngineOptions(workers=1))
    pids = [each.outcome for each in found if isinstance(each, Done)]
    assert len(pids) == 45
    assert len(set(pids)) == 5
    assert not caplog.records, "nobody complains of pipes and processes that are no more"


# --- how it ends -------------------------------------------------------------------------------


async def test_workers_stay_for_the_next_spread_and_end_with_the_engine() -> None:
    engine = LocalEngine(EngineOptions(workers=1))
    pids = []
    for _ in range(2):
        async for each in engine.spread([1], jobs.who):
            assert isinstance(each, Done)
            pids.append(each.outcome)
    assert pids[0] == pids[1]
    assert alive(pids[0])
    await engine.close()
    assert not alive(pids[0])
    with pytest.raises(WireroomError, match="closed"):
        [each async for each in engine.spread([1], jobs.who)]


@pytest.mark.long
async def test_who_stops_half_way_leaves_no_worker_at_work() -> None:
    async with LocalEngine(OPTIONS) as engine:
        spread = engine.spread(["pid", "sleep 60", "sleep 61"], jobs.misbehave)
        first = await anext(spread)
        assert isinstance(first, Done)
        started = time.monotonic()
        await spread.aclose()
        assert time.monotonic() - started < SOON
        assert not engine._busy
        assert [each async for each in engine.spread([1], jobs.double)] == [Done(1, 2)]


async def test_cancelling_ends_everything_soon() -> None:
    engine = LocalEngine(OPTIONS)

    async def collect() -> None:
        try:
            [each async for each in engine.spread(["sleep 60", "sleep 61"], jobs.misbehave)]
        finally:
            await engine.close()

    task = asyncio.create_task(collect())
    while len(engine._busy) < 2:  # noqa: ASYNC110 - the engine has no event to tell it by
        await asyncio.sleep(0.02)
    pids = [worker._process.pid for worker in engine._busy]
    await asyncio.sleep(0.2)
    started = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - started < SOON
    assert not any(alive(pid) for pid in pids)


async def test_two_spreads_at_once_do_not_mix() -> None:
    async with LocalEngine(EngineOptions(workers=1)) as engine:

        async def run(do: Callable[[int], Any]) -> set[Any]:
            return {
                each.outcome
                async for each in engine.spread(range(50), do)
                if isinstance(each, Done)
            }

        doubled, pids = await asyncio.gather(run(jobs.double), run(jobs.who))
    assert doubled == {2 * number for number in range(50)}
    assert len(pids) == 1


def test_it_is_the_engine_local() -> None:
    assert plugs("workers", EnginePlug)["local"] is PLUG
    assert isinstance(PLUG.open(OPTIONS), LocalEngine)
    assert LocalEngine().workers == len(os.sched_getaffinity(0))
