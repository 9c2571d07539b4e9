"""Faults around us: the network is cut, the wall clock jumps. Manners hold, and work goes on after."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from time import monotonic

import pytest

from tests.fetch.conftest import MakeFetcher
from tests.namespaces import own
from wireroom.errors import BlockedError, FetchError, UnreachableError
from wireroom.fetch.fetch_options import Manners
from wireroom.model import Request, Response
from wireroom.ports import Hop
from wireroom.town import Running

CUT = """
import asyncio, json, subprocess
from datetime import timedelta
from wireroom.errors import FetchError
from wireroom.fetch import FetchOptions, Fetcher
from wireroom.fetch.fetch_options import Manners
from wireroom.model import Request
from wireroom.town import build_town, running_town

async def ask(fetch, url):
    try:
        return str((await fetch(Request(url=url, purpose="read"))).status)
    except FetchError as error:
        return error.kind

async def main():
    told = {}
    options = FetchOptions(
        hosts={"courier.test": "127.66.0.1:8"},
        deadline=timedelta(seconds=5),
        manners=Manners(gap=timedelta(seconds=0.05)),
    )
    async with Fetcher(options) as fetch:
        told["name"] = await ask(fetch, "http://nowhere.example/")
        told["address"] = [await ask(fetch, "http://9.9.9.9/") for _ in range(6)]
        told["cut"] = [await ask(fetch, "http://courier.test/") for _ in range(6)]
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        with running_town(build_town()) as town:
            fetch._options.hosts.update(town.hosts)
            started = asyncio.get_running_loop().time()
            told["again"] = await ask(fetch, "http://courier.test/")
            told["seconds"] = asyncio.get_running_loop().time() - started
    print(json.dumps(told))

asyncio.run(main())
"""


@pytest.mark.long
def test_a_cut_network_is_our_side_and_forgotten_once_it_is_back() -> None:
    """In a network namespace without any route: nothing can leave the machine."""
    done = subprocess.run(
        [*own("net"), sys.executable, "-c", CUT],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)
    assert measured["name"] == "dns"
    assert set(measured["address"]) == {"connect"}
    assert set(measured["cut"]) == {"connect"}
    assert measured["again"] == "200", "no host was blamed, none rests"
    assert measured["seconds"] < 5


async def test_when_every_host_is_silent_it_is_us_and_none_rests_after(
    town: Running, make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cut that swallows packets looks like many hosts at once that do not answer."""
    hosts = [host for host in town.hosts if host != "trouble.test"][:8]
    async with make_fetcher(manners=Manners(gap=timedelta(), patience=1)) as fetch:
        plain = fetch._strategies.strategy("plain")
        with monkeypatch.context() as cut:
            cut.setattr(plain, "hop", _silence)
            for host in hosts:
                with pytest.raises(UnreachableError):
                    await fetch(Request(url=f"http://{host}/", purpose="read"))
        await fetch(Request(url="http://trouble.test/", purpose="read"))
        started = monotonic()
        for host in hosts[:4]:
            with suppress(BlockedError):
                await fetch(Request(url=f"http://{host}/", purpose="read"))
    assert monotonic() - started < 5


async def _silence(hop: Hop) -> Response:
    raise UnreachableError(hop.url, "no answer in time", kind="timeout")


async def test_one_silent_host_is_not_us(town: Running, make_fetcher: MakeFetcher) -> None:
    async with make_fetcher(deadline=timedelta(seconds=0.3)) as fetch:
        await fetch(Request(url="http://trouble.test/", purpose="read"))
        for n in range(4):
            with pytest.raises(FetchError):
                await fetch(Request(url=f"http://trouble.test/hang?n={n}", purpose="read"))
        await fetch(Request(url="http://courier.test/", purpose="read"))
        with pytest.raises(FetchError, match="failed connections") as resting:
            await fetch(Request(url="http://trouble.test/echo", purpose="read"))
    assert resting.value.kind == "connect"


CLOCK = """
import asyncio, json, os, sys, time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from wireroom.fetch import FetchOptions, fetch_all
from wireroom.fetch.fetch_options import Manners
from wireroom.model import Request, Response
from wireroom.town import build_town, running_town

clock = Path(os.environ["FAKETIME_TIMESTAMP_FILE"])
manners = Manners(gap=timedelta(seconds=0.3))
JUMPS = ("+1d", "-1d", "+400d", "+0")

async def jump(seen):
    for offset in JUMPS:
        await asyncio.sleep(0.4)
        clock.write_text(offset)
        seen.append(datetime.now(UTC).isoformat())

async def main(town):
    options = FetchOptions(hosts=town.hosts, manners=manners)
    requests = [Request(url=f"http://courier.test/?n={n}", purpose="read") for n in range(6)]
    seen = []
    jumping = asyncio.create_task(jump(seen))
    started = time.monotonic()
    got = [type(o).__name__ async for o in fetch_all(requests, options)]
    took = time.monotonic() - started
    await jumping
    gaps = [gap.total_seconds() for gap in town.log.gaps("courier.test")]
    print(json.dumps({"got": got, "gaps": gaps, "took": took, "seen": seen}))

with running_town(build_town()) as town:
    asyncio.run(main(town))
"""


@pytest.mark.faketime
def test_a_wall_clock_that_jumps_disturbs_no_waiting(tmp_path: Path) -> None:
    library = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
    if library is None:
        pytest.skip("the library of faketime is not where Debian puts it")
    clock = tmp_path / "clock"
    clock.write_text("+0")
    environ = {
        **os.environ,
        "LD_PRELOAD": str(library),
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", CLOCK],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=environ,
    )
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)
    assert len({moment[:10] for moment in measured["seen"]}) >= 3, "the clock did jump"
    assert measured["got"] == ["Response"] * 6
    assert min(measured["gaps"]) >= 0.3
    assert measured["took"] < 6 * 0.3 + 3
