"""What is promised of any engine: each promise is a function of how the engine is opened.

`test_local.py` and `test_ray.py` hold their engines to all of them.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import aclosing, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

import pytest

from tests.workers import jobs
from wireroom.errors import WireroomError
from wireroom.ports import Done, Engine, EngineOptions, Lost
from wireroom.workers import worker_pool

SOON = 10  # seconds; far less than the pieces sleep, and enough for a busy machine
# A minute, for there are machines on which the kernel takes half a second to hand out 200 MB.
OPTIONS = EngineOptions(workers=2, cpu=timedelta(minutes=1), wall=timedelta(minutes=1))
HASTY = EngineOptions(workers=2, cpu=timedelta(seconds=0.5), wall=timedelta(minutes=1))
linux = sys.platform == "linux"  # no other system keeps the limit on memory


class ContractEngine(Engine, Protocol):
    """What these promises look at beside the port."""

    workers: int
    ahead: int


OpenEngine = Callable[[EngineOptions], ContractEngine]
Promise = Callable[[OpenEngine], Awaitable[None]]
PROMISES: list[Promise] = []
LONG_PROMISES: list[Promise] = []
"""Those that cost more than a quarter of a second of CPU time."""


def promise(check: Promise) -> Promise:
    PROMISES.append(check)
    return check


def long_promise(check: Promise) -> Promise:
    LONG_PROMISES.append(check)
    return check


@asynccontextmanager
async def opened(
    open_engine: OpenEngine, options: EngineOptions = OPTIONS
) -> AsyncIterator[ContractEngine]:
    engine = open_engine(options)
    try:
        yield engine
    finally:
        await engine.close()


async def outcomes(
    open_engine: OpenEngine,
    work: Iterable[Any],
    do: Callable[[Any], Any],
    options: EngineOptions = OPTIONS,
) -> list[Done[Any, Any] | Lost[Any]]:
    async with opened(open_engine, options) as engine:
        return [outcome async for outcome in engine.spread(work, do)]


async def fates(
    open_engine: OpenEngine, work: Iterable[str], options: EngineOptions = OPTIONS
) -> dict[str, Done[str, str] | Lost[str]]:
    return {each.work: each for each in await outcomes(open_engine, work, jobs.misbehave, options)}


def good(count: int) -> list[str]:
    return [f"good {number}" for number in range(count)]


def done_in(found: dict[str, Done[str, str] | Lost[str]]) -> int:
    return sum(isinstance(each, Done) for each in found.values())


def lost_in(found: dict[str, Done[str, str] | Lost[str]], piece: str) -> Lost[str]:
    lost = found[piece]
    assert isinstance(lost, Lost), lost
    return lost


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


# --- pieces -----------------------------------------------------------------------------------


@promise
async def every_piece_is_done_once(open_engine: OpenEngine) -> None:
    done = await outcomes(open_engine, range(1000), jobs.double)
    assert sorted(each.work for each in done) == list(range(1000))
    assert all(isinstance(each, Done) and each.outcome == 2 * each.work for each in done)


@promise
async def nothing_to_do_is_no_trouble(open_engine: OpenEngine) -> None:
    assert await outcomes(open_engine, [], jobs.double) == []


@long_promise
async def large_pieces_pass_whole(open_engine: OpenEngine) -> None:
    sizes = [0, 1, 65_536, 3_000_000, 20_000_000]
    done = await outcomes(open_engine, [bytes(size) for size in sizes], jobs.length)
    assert sorted(each.outcome for each in done if isinstance(each, Done)) == sizes


@long_promise
async def work_is_taken_lazily_and_a_slow_reader_holds_everything_back(
    open_engine: OpenEngine,
) -> None:
    taken = 0

    def endless() -> Iterator[int]:
        nonlocal taken
        while True:
            taken += 1
            yield taken

    async with (
        opened(open_engine) as engine,
        aclosing(engine.spread(endless(), jobs.double)) as spread,
    ):
        await anext(spread)
        await asyncio.sleep(0.5)
        most = engine.workers * (engine.ahead + worker_pool.READY_PER_WORKER) + 4
        assert 0 < taken <= most
        for _ in range(100):
            await anext(spread)
        assert taken <= most + 100


@long_promise
async def work_may_come_as_time_goes_by(open_engine: OpenEngine) -> None:
    async def drip() -> AsyncIterator[int]:
        for number in range(5):
            await asyncio.sleep(0.05)
            yield number

    async with opened(open_engine) as engine:
        found = [
            each.outcome
            async for each in engine.spread(drip(), jobs.double)
            if isinstance(each, Done)
        ]
    assert sorted(found) == [0, 2, 4, 6, 8]


@long_promise
async def an_outcome_does_not_wait_for_more_work(open_engine: OpenEngine) -> None:
    more = asyncio.Event()

    async def two() -> AsyncIterator[int]:
        yield 1
        await more.wait()
        yield 2

    async with (
        opened(open_engine) as engine,
        aclosing(engine.spread(two(), jobs.double)) as spread,
    ):
        first = await asyncio.wait_for(anext(spread), 20)
        assert first == Done(1, 2)
        more.set()
        assert await anext(spread) == Done(2, 4)


async def _work_that_cannot_be_fetched(open_engine: OpenEngine, *, slowly: bool) -> None:
    def breaking() -> Iterator[int]:
        yield 1
        raise LookupError("the list is torn")

    async def breaking_slowly() -> AsyncIterator[int]:
        for each in breaking():
            yield each

    async with opened(open_engine) as engine:
        work = breaking_slowly() if slowly else breaking()
        with pytest.raises(LookupError, match="torn"):
            [each async for each in engine.spread(work, jobs.double)]


@promise
async def work_that_cannot_be_fetched_is_an_error_of_the_caller(open_engine: OpenEngine) -> None:
    await _work_that_cannot_be_fetched(open_engine, slowly=False)


@promise
async def work_that_cannot_be_awaited_is_an_error_of_the_caller(open_engine: OpenEngine) -> None:
    await _work_that_cannot_be_fetched(open_engine, slowly=True)


@promise
async def what_is_raised_comes_back_as_a_value(open_engine: OpenEngine) -> None:
    found = await fates(open_engine, ["raise", "raise-odd", "raise-status", *good(5)])
    lost = lost_in(found, "raise")
    assert (lost.cause, lost.message) == ("error", "NoArticleError: nothing here. Look elsewhere.")
    assert lost.error == "NoArticleError"
    assert "misbehave" in lost.trace, "with the traceback"
    odd = lost_in(found, "raise-odd")
    assert (odd.message, odd.error) == ("Misdeed: odd 3", "Misdeed")
    assert done_in(found) == 5


@promise
async def a_piece_that_cannot_be_sent_is_lost_alone(open_engine: OpenEngine) -> None:
    piece = lambda: None  # noqa: E731 - something that cannot be sent
    found = await outcomes(open_engine, [1, piece, 2], jobs.double)
    (lost,) = [each for each in found if isinstance(each, Lost)]
    assert lost.work is piece
    assert "cannot be sent to a worker" in lost.message
    assert sorted(each.outcome for each in found if isinstance(each, Done)) == [2, 4]


@promise
async def a_function_that_workers_cannot_have_is_reported_with_a_hint(
    open_engine: OpenEngine,
) -> None:
    with pytest.raises(WireroomError, match="cannot be sent") as caught:
        await outcomes(open_engine, [1], lambda number: number)
    assert "module" in caught.value.hint
    with pytest.raises(WireroomError, match="cannot load what it is to do: ImportError: no such"):
        await outcomes(open_engine, ["x"], jobs.Unprepared())


@promise
async def what_is_printed_never_stands_among_the_answers(open_engine: OpenEngine) -> None:
    found = await fates(open_engine, ["print", "input", *good(5)])
    assert isinstance(found["print"], Done)
    assert lost_in(found, "input").message.startswith("EOFError"), "nobody is asked"
    assert done_in(found) == 6


@promise
async def workers_know_no_secret(open_engine: OpenEngine) -> None:
    found = await fates(open_engine, ["environment"])
    assert isinstance(found["environment"], Done)
    names = set(found["environment"].outcome.split())
    assert "PATH" in names
    assert not {name for name in names if "TOKEN" in name or name.startswith(("PG", "WIREROOM"))}


# --- limits -----------------------------------------------------------------------------------


@long_promise
async def a_piece_that_never_ends_is_lost_alone_after_its_cpu_time(
    open_engine: OpenEngine,
) -> None:
    started = time.monotonic()
    work = [*good(20), "spin", *(f"later {n}" for n in range(20))]
    found = await fates(open_engine, work, HASTY)
    lost = lost_in(found, "spin")
    assert (lost.cause, lost.message) == ("cpu", "took more than 0.5 s of CPU time")
    assert done_in(found) == 40
    assert time.monotonic() - started < 6 * SOON


@long_promise
async def the_cpu_time_is_that_of_one_piece_not_of_all(open_engine: OpenEngine) -> None:
    found = await outcomes(open_engine, [0.02] * 100, jobs.busy, HASTY)  # a second for each of two
    assert all(isinstance(each, Done) for each in found)


@long_promise
async def a_piece_that_waits_for_ever_is_lost_alone_after_its_time(
    open_engine: OpenEngine,
) -> None:
    options = EngineOptions(workers=2, wall=timedelta(seconds=1))
    found = await fates(open_engine, ["sleep 60", *good(20)], options)
    lost = lost_in(found, "sleep 60")
    assert (lost.cause, lost.message) == ("time", "took longer than 1 s")
    assert done_in(found) == 20


if linux:

    @long_promise
    async def a_piece_that_eats_memory_is_lost_alone(open_engine: OpenEngine) -> None:
        work = [*good(5), "hog 200", "hog 500", *(f"later {n}" for n in range(10))]
        found = await fates(open_engine, work)
        assert isinstance(found["hog 200"], Done)
        lost = lost_in(found, "hog 500")
        assert (lost.cause, lost.message) == ("memory", "needs more than 300 MB of memory")
        assert done_in(found) == 16

    @long_promise
    async def what_is_prepared_counts_for_no_piece(open_engine: OpenEngine) -> None:
        options = EngineOptions(workers=1)
        found = await outcomes(open_engine, ["a", "b"], jobs.Prepared(), options)
        assert {each.outcome for each in found if isinstance(each, Done)} == {"a: 1", "b: 1"}


async def _kills_its_worker(open_engine: OpenEngine, deed: str, cause: str, words: str) -> None:
    found = await fates(open_engine, [*good(10), deed, *(f"later {n}" for n in range(10))])
    lost = lost_in(found, deed)
    assert lost.cause == cause
    assert words in lost.message
    assert done_in(found) == 20


@long_promise
async def a_piece_that_kills_its_worker_is_lost_alone(open_engine: OpenEngine) -> None:
    deed = f"kill {int(signal.SIGKILL)}"
    await _kills_its_worker(open_engine, deed, "killed", "killed from outside")


@long_promise
async def a_piece_that_crashes_its_worker_is_lost_alone(open_engine: OpenEngine) -> None:
    await _kills_its_worker(open_engine, f"kill {int(signal.SIGSEGV)}", "crash", "SIGSEGV")


@long_promise
async def a_piece_that_ends_its_worker_is_lost_alone(open_engine: OpenEngine) -> None:
    await _kills_its_worker(open_engine, "leave 3", "crash", "code 3")


@long_promise
async def a_worker_that_was_killed_by_chance_costs_nothing(open_engine: OpenEngine) -> None:
    with tempfile.TemporaryDirectory() as folder:
        deed = f"kill-once {Path(folder) / 'mark'}"
        assert (await fates(open_engine, [deed, *good(10)]))[deed] == Done(deed, "survived")


# --- how it ends ------------------------------------------------------------------------------


@promise
async def who_has_closed_an_engine_gets_nothing_more(open_engine: OpenEngine) -> None:
    async with opened(open_engine) as engine:
        assert [each async for each in engine.spread([1], jobs.double)] == [Done(1, 2)]
    with pytest.raises(WireroomError, match="closed"):
        [each async for each in engine.spread([1], jobs.who)]


@long_promise
async def who_stops_half_way_leaves_no_worker_at_work(open_engine: OpenEngine) -> None:
    async with opened(open_engine) as engine:
        pids = [
            each.outcome
            async for each in engine.spread(["pid 1", "pid 2", "pid 3"], jobs.misbehave)
            if isinstance(each, Done)
        ]
        spread = engine.spread(["pid", "sleep 60", "sleep 61"], jobs.misbehave)
        first = await anext(spread)
        assert isinstance(first, Done)
        await asyncio.sleep(0.5)  # the others are at work by then
        started = time.monotonic()
        await spread.aclose()
        assert time.monotonic() - started < SOON
        busy = {int(pid) for pid in pids} - {int(first.outcome)}
        assert await _gone(busy)
        assert [each async for each in engine.spread([1], jobs.double)] == [Done(1, 2)]


async def _gone(pids: set[int]) -> bool:
    for _ in range(20 * SOON):
        if not any(alive(pid) for pid in pids):
            return True
        await asyncio.sleep(0.05)
    return False


@long_promise
async def closing_ends_busy_workers_soon(open_engine: OpenEngine) -> None:
    engine = open_engine(OPTIONS)
    spread = engine.spread(["pid", "sleep 60", "spin"], jobs.misbehave)
    await anext(spread)
    started = time.monotonic()
    await engine.close()
    assert time.monotonic() - started < SOON
    with pytest.raises(WireroomError, match="closed"):
        await asyncio.wait_for(anext(spread), 10)


@promise
async def two_spreads_at_once_do_not_mix(open_engine: OpenEngine) -> None:
    async with opened(open_engine, EngineOptions(workers=1)) as engine:

        async def run(do: Callable[[int], Any]) -> list[Any]:
            return [
                each.outcome
                async for each in engine.spread(range(50), do)
                if isinstance(each, Done)
            ]

        doubled, pids = await asyncio.gather(run(jobs.double), run(jobs.who))
    assert sorted(doubled) == [2 * number for number in range(50)]
    assert len(pids) == 50
