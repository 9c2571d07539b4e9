"""The engine `local`: everything is done once, a poisonous piece costs itself alone, nothing is left."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.workers import jobs
from wireroom.errors import WireroomError
from wireroom.ports import Done, EngineOptions, EnginePlug, Lost
from wireroom.registry import plugs
from wireroom.workers import local, worker_pool
from wireroom.workers.local import PLUG, LocalEngine

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits are kept by a POSIX kernel")
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps the limit on memory")
SOON = 10  # seconds; far less than the pieces sleep, and enough for a busy machine
# A minute, for there are machines on which the kernel takes half a second to hand out 200 MB.
OPTIONS = EngineOptions(workers=2, cpu=timedelta(minutes=1), wall=timedelta(minutes=1))
HASTY = EngineOptions(workers=2, cpu=timedelta(seconds=0.5), wall=timedelta(minutes=1))


async def outcomes(
    work: Iterable[Any], do: Callable[[Any], Any], options: EngineOptions = OPTIONS
) -> list[Done[Any, Any] | Lost[Any]]:
    async with LocalEngine(options) as engine:
        return [outcome async for outcome in engine.spread(work, do)]


async def fates(
    work: Iterable[str], options: EngineOptions = OPTIONS
) -> dict[str, Done[str, str] | Lost[str]]:
    return {each.work: each for each in await outcomes(work, jobs.misbehave, options)}


def good(count: int) -> list[str]:
    return [f"good {number}" for number in range(count)]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


# --- what is promised of any engine ------------------------------------------------------------


async def test_every_piece_is_done_once_by_two_workers() -> None:
    done = await outcomes(range(1000), jobs.double)
    assert sorted(each.work for each in done) == list(range(1000))
    assert all(isinstance(each, Done) and each.outcome == 2 * each.work for each in done)


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


@pytest.mark.long
async def test_large_pieces_pass_whole() -> None:
    sizes = [0, 1, 65_536, 3_000_000, 20_000_000]
    done = await outcomes([bytes(size) for size in sizes], jobs.length)
    assert sorted(each.outcome for each in done if isinstance(each, Done)) == sizes


@pytest.mark.long
async def test_work_is_taken_lazily_and_a_slow_reader_holds_everything_back() -> None:
    taken = 0

    def endless() -> Iterator[int]:
        nonlocal taken
        while True:
            taken += 1
            yield taken

    async with (
        LocalEngine(OPTIONS) as engine,
        aclosing(engine.spread(endless(), jobs.double)) as spread,
    ):
        await anext(spread)
        await asyncio.sleep(0.5)
        most = 2 * (worker_pool.AHEAD + worker_pool.READY_PER_WORKER) + 4
        assert 0 < taken <= most
        for _ in range(100):
            await anext(spread)
        assert taken <= most + 100


@pytest.mark.long
async def test_work_may_come_as_time_goes_by() -> None:
    async def drip() -> AsyncIterator[int]:
        for number in range(5):
            await asyncio.sleep(0.05)
            yield number

    async with LocalEngine(OPTIONS) as engine:
        found = [
            each.outcome
            async for each in engine.spread(drip(), jobs.double)
            if isinstance(each, Done)
        ]
    assert sorted(found) == [0, 2, 4, 6, 8]


@pytest.mark.long
async def test_an_outcome_does_not_wait_for_more_work() -> None:
    more = asyncio.Event()

    async def two() -> AsyncIterator[int]:
        yield 1
        await more.wait()
        yield 2

    async with (
        LocalEngine(OPTIONS) as engine,
        aclosing(engine.spread(two(), jobs.double)) as spread,
    ):
        first = await asyncio.wait_for(anext(spread), 20)
        assert first == Done(1, 2)
        more.set()
        assert await anext(spread) == Done(2, 4)


@pytest.mark.parametrize("way", ["plain", "asynchronous"])
async def test_work_that_cannot_be_fetched_is_an_error_of_the_caller(way: str) -> None:
    def breaking() -> Iterator[int]:
        yield 1
        raise LookupError("the list is torn")

    async def breaking_slowly() -> AsyncIterator[int]:
        for each in breaking():
            yield each

    work = breaking() if way == "plain" else breaking_slowly()
    async with LocalEngine(OPTIONS) as engine:
        with pytest.raises(LookupError, match="torn"):
            [each async for each in engine.spread(work, jobs.double)]


async def test_what_is_raised_comes_back_as_a_value() -> None:
    found = await fates(["raise", "raise-odd", "raise-status", *good(5)])
    lost = found["raise"]
    assert isinstance(lost, Lost)
    assert (lost.cause, lost.message) == ("error", "NoArticleError: nothing here. Look elsewhere.")
    assert lost.error == "NoArticleError"
    assert "misbehave" in lost.trace, "with the traceback"
    odd = found["raise-odd"]
    assert isinstance(odd, Lost)
    assert (odd.message, odd.error) == ("Misdeed: odd 3", "Misdeed")
    assert sum(isinstance(each, Done) for each in found.values()) == 5


async def test_a_piece_that_cannot_be_sent_is_lost_alone() -> None:
    piece = lambda: None  # noqa: E731 - something that cannot be sent
    found = await outcomes([1, piece, 2], jobs.double)
    (lost,) = [each for each in found if isinstance(each, Lost)]
    assert lost.work is piece
    assert "cannot be sent to a worker" in lost.message
    assert sorted(each.outcome for each in found if isinstance(each, Done)) == [2, 4]


async def test_a_function_that_workers_cannot_have_is_reported_with_a_hint() -> None:
    with pytest.raises(WireroomError, match="cannot be sent") as caught:
        await outcomes([1], lambda number: number)
    assert "module" in caught.value.hint
    with pytest.raises(WireroomError, match="cannot load what it is to do: ImportError: no such"):
        await outcomes(["x"], jobs.Unprepared())


# --- limits ------------------------------------------------------------------------------------


@pytest.mark.long
async def test_a_piece_that_never_ends_is_lost_alone_after_its_cpu_time() -> None:
    started = time.monotonic()
    work = [*good(20), "spin", *good(20)[10:], *(f"later {n}" for n in range(20))]
    found = await fates(work, HASTY)
    lost = found["spin"]
    assert isinstance(lost, Lost)
    assert (lost.cause, lost.message) == ("cpu", "took more than 0.5 s of CPU time")
    assert sum(isinstance(each, Done) for each in found.values()) == 40
    assert time.monotonic() - started < 6 * SOON


@pytest.mark.long
async def test_the_cpu_time_is_that_of_one_piece_not_of_all() -> None:
    found = await outcomes([0.02] * 100, jobs.busy, HASTY)  # a second for each of the two
    assert all(isinstance(each, Done) for each in found)


@pytest.mark.long
async def test_a_piece_that_waits_for_ever_is_lost_alone_after_its_time() -> None:
    options = EngineOptions(workers=2, wall=timedelta(seconds=1))
    found = await fates(["sleep 60", *good(20)], options)
    lost = found["sleep 60"]
    assert isinstance(lost, Lost)
    assert (lost.cause, lost.message) == ("time", "took longer than 1 s")
    assert sum(isinstance(each, Done) for each in found.values()) == 20


@pytest.mark.long
@linux
async def test_a_piece_that_eats_memory_is_lost_alone() -> None:
    found = await fates([*good(5), "hog 200", "hog 500", *(f"later {n}" for n in range(10))])
    assert isinstance(found["hog 200"], Done)
    lost = found["hog 500"]
    assert isinstance(lost, Lost)
    assert (lost.cause, lost.message) == ("memory", "needs more than 300 MB of memory")
    assert sum(isinstance(each, Done) for each in found.values()) == 16


@pytest.mark.long
@linux
async def test_what_is_prepared_counts_for_no_piece() -> None:
    found = await outcomes(["a", "b"], jobs.Prepared(), EngineOptions(workers=1))
    assert {each.outcome for each in found if isinstance(each, Done)} == {"a: 1", "b: 1"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("deed", "reason", "words"),
    [
        (f"kill {int(signal.SIGKILL)}", "killed", "killed from outside"),
        (f"kill {int(signal.SIGSEGV)}", "crash", "SIGSEGV"),
        ("leave 3", "crash", "code 3"),
    ],
)
async def test_a_piece_that_kills_its_worker_is_lost_alone(
    deed: str, reason: str, words: str
) -> None:
    found = await fates([*good(10), deed, *(f"later {n}" for n in range(10))])
    lost = found[deed]
    assert isinstance(lost, Lost)
    assert lost.cause == reason
    assert words in lost.message
    assert sum(isinstance(each, Done) for each in found.values()) == 20


@pytest.mark.long
async def test_a_worker_that_was_killed_by_chance_costs_nothing(tmp_path: Path) -> None:
    deed = f"kill-once {tmp_path / 'mark'}"
    assert (await fates([deed, *good(10)]))[deed] == Done(deed, "survived")


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


async def test_what_is_printed_never_stands_among_the_answers() -> None:
    found = await fates(["print", "input", *good(5)])
    assert isinstance(found["print"], Done)
    lost = found["input"]
    assert isinstance(lost, Lost)
    assert lost.message.startswith("EOFError"), "nobody is asked"
    assert sum(isinstance(each, Done) for each in found.values()) == 6


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


@pytest.mark.long
async def test_closing_ends_busy_workers_soon() -> None:
    engine = LocalEngine(OPTIONS)
    spread = engine.spread(["pid", "sleep 60", "spin"], jobs.misbehave)
    await anext(spread)
    started = time.monotonic()
    await engine.close()
    assert time.monotonic() - started < SOON
    with pytest.raises(WireroomError, match="closed"):
        await asyncio.wait_for(anext(spread), 10)


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
