"""How it ends: interrupted, cancelled, cut off, at any moment; nothing is left behind."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from tests.fetch.conftest import MakeFetcher
from wireroom.errors import WireroomError
from wireroom.fetch import FetchOptions, fetch_all, fetch_each
from wireroom.model import Problem, Request, Response
from wireroom.town import Running

TROUBLE = "http://trouble.test"
SOON = 10.0  # seconds in which everything ends, whatever hangs


def hanging(count: int = 50) -> list[Request]:
    return [Request(url=f"{TROUBLE}/hang?n={n}", purpose="read") for n in range(count)]


def page(path: str = "/") -> Request:
    return Request(url=f"http://courier.test{path}", purpose="read")


def open_sockets() -> int:
    gc.collect()
    fds = Path("/proc/self/fd")
    if not fds.is_dir():
        pytest.skip("no /proc on this system to count sockets in")
    return sum("socket" in _target(fd) for fd in fds.iterdir())


def _target(fd: Path) -> str:
    try:
        return str(fd.readlink())
    except OSError:  # the descriptor of the listing itself
        return ""


async def test_leaving_the_loop_early_leaves_no_task_and_no_socket(options: FetchOptions) -> None:
    before = open_sockets()
    async with aclosing(fetch_all([page(), *hanging()], options)) as outcomes:
        async for outcome in outcomes:
            assert isinstance(outcome, Response)
            break
    await asyncio.sleep(0.2)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert open_sockets() <= before + 2, "the town's own ends may close a moment later"


async def test_after_everything_came_nothing_is_left(options: FetchOptions) -> None:
    before = open_sockets()
    requests = [page(f"/?n={n}") for n in range(10)] + [page("/none"), *hanging(0)]
    outcomes = [outcome async for outcome in fetch_all(requests, options)]
    assert len(outcomes) == 11
    await asyncio.sleep(0.2)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert open_sockets() <= before + 2


async def test_a_caller_that_fails_ends_the_work(options: FetchOptions) -> None:
    async def read(outcomes: AsyncGenerator[Response | Problem, None]) -> None:
        async with aclosing(outcomes):
            async for _ in outcomes:
                raise RuntimeError("the reader fell over")

    with pytest.raises(RuntimeError, match="fell over"):
        await read(fetch_all([page(), *hanging()], options))
    assert asyncio.all_tasks() == {asyncio.current_task()}


def test_fetch_each_can_be_interrupted(options: FetchOptions, town: Running) -> None:
    before = threading.active_count()
    interrupt = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    interrupt.start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        list(fetch_each(hanging(), options))
    interrupt.join()
    assert time.monotonic() - started < SOON
    assert threading.active_count() <= before
    assert isinstance(next(iter(fetch_each([page()], options))), Response), "and used again"


def test_fetch_each_can_be_left_half_way(options: FetchOptions) -> None:
    before = open_sockets()
    outcomes = fetch_each([page(), *hanging()], options)
    assert isinstance(next(outcomes), Response)
    outcomes.close()  # type: ignore[attr-defined]  # an iterator that is a generator
    time.sleep(0.2)
    assert open_sockets() <= before + 2


async def test_fetch_each_says_when_it_is_the_wrong_function(options: FetchOptions) -> None:
    with pytest.raises(WireroomError, match="fetch_all"):
        list(fetch_each([page()], options))


@pytest.mark.long
async def test_a_slow_reader_is_waited_for(options: FetchOptions, town: Running) -> None:
    """Back-pressure: no more answers wait than fit, however fast they come."""
    requests = [page(f"/?n={n}") for n in range(300)]
    async with aclosing(fetch_all(requests, options)) as outcomes:
        await anext(outcomes)
        await asyncio.sleep(1.5)
        asked = town.log.count("courier.test")
        assert asked < 80, "64 answers wait, one is under way, and there was robots.txt"
        rest = [outcome async for outcome in outcomes]
    assert len(rest) == 299, "and then it goes on"


@pytest.mark.long
async def test_a_slow_reader_of_a_shared_fetcher_holds_up_nobody_else(
    make_fetcher: MakeFetcher, town: Running
) -> None:
    async with make_fetcher() as fetch:
        requests = (page(f"/?n={n}") for n in range(2000))
        async with aclosing(fetch_all(requests, fetch=fetch)) as outcomes:
            async for outcome in outcomes:
                assert isinstance(outcome, Response)
                inner = await fetch(Request(url="http://phare.test/", purpose="read"))
                assert inner.status == 200
                break
            await asyncio.sleep(1)
            assert town.log.count("courier.test") <= 515


SILENT_DNS = """
import asyncio, socket, sys, time
socket.getaddrinfo = lambda *a, **k: time.sleep(60)
from wireroom.fetch import fetch_all
from wireroom.model import Request

async def run():
    requests = [Request(url=f"http://h{n}.example/", purpose="read") for n in range(40)]
    async for outcome in fetch_all(requests):
        print(outcome)

async def briefly():
    try:
        await asyncio.wait_for(run(), 1)
    except TimeoutError:
        print("left")

asyncio.run(briefly())
"""


@pytest.mark.long
def test_a_silent_dns_server_does_not_delay_the_end() -> None:
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", SILENT_DNS], capture_output=True, text=True, timeout=50, check=False
    )
    assert done.stdout == "left\n", done.stderr
    assert done.returncode == 0
    assert time.monotonic() - started < SOON


@pytest.mark.long
def test_importing_the_room_loads_no_http_library() -> None:
    script = (
        "import sys, wireroom.fetch\n"
        "print([m for m in ('aiohttp', 'curl_cffi', 'python_socks', 'pydantic') if m in sys.modules])\n"
        "print(sorted(wireroom.fetch.__all__) == sorted(n for n in wireroom.fetch.__all__"
        " if getattr(wireroom.fetch, n)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\nTrue\n"


async def test_closing_a_fetcher_with_work_in_flight_ends_that_work(
    make_fetcher: MakeFetcher,
) -> None:
    fetch = make_fetcher()
    tasks = [asyncio.create_task(fetch(request)) for request in hanging(5)]
    await asyncio.sleep(0.3)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    started = time.monotonic()
    await fetch.close()
    assert time.monotonic() - started < SOON
    others: set[asyncio.Task[Any]] = asyncio.all_tasks() - {asyncio.current_task()}
    assert not others
