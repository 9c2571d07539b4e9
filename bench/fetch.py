"""Fetching: what a page costs, whether manners hold, and what a hostile server can do.

Against a local nginx on loopback addresses and the town; ours and our peers in the same run.
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from figures import Figure, main
from nginx import Nginx, serve
from wireroom.fetch.fetch_options import FetchOptions, Manners
from wireroom.fetch.host_schedule import HostSchedule
from wireroom.fetch.many import fetch_all
from wireroom.model import Problem, Request, Response
from wireroom.town import build_town, running_town

PAGE = (b"<p>The harbour master keeps the keys of the old lighthouse.</p>\n" * 1600)[:100_000]
SYLLABLES = (
    "ba",
    "cor",
    "den",
    "fer",
    "gan",
    "har",
    "il",
    "lo",
    "mar",
    "or",
    "pel",
    "ster",
    "wick",
)
CONCURRENCY = 256
PROGRAM = Path(__file__).parent / "programs" / "fetch.py"
BOMBS = ("gzip", "br", "zstd")
ROUNDS = 7  # each program in permit; the round whose ratio is the median counts
SLOW_ROUNDS = 3  # with a peer that takes a minute and whose distance is plain
PAIRS = 9  # odd, so that one pair is the median


def _story(size: int) -> bytes:
    """A page whose words repeat as words do: gzip makes a quarter of it, not a hundredth."""
    chance = Random(7)
    words = ["".join(chance.choices(SYLLABLES, k=chance.randint(1, 3))) for _ in range(4000)]
    often = [1 / rank for rank in range(1, len(words) + 1)]
    lines = (f"<p>{' '.join(chance.choices(words, often, k=40))}.</p>" for _ in range(size // 100))
    return "\n".join(lines).encode()[:size]


def measure(short: bool) -> Iterator[Figure]:
    """Every figure of the fetch room."""
    with serve(50 if short else 500, page=PAGE) as nginx:
        yield from _cost(nginx, 500 if short else 5000, rounds=1 if short else ROUNDS)
    with serve(50 if short else 500, page=_story(len(PAGE)), packed=True) as nginx:
        yield from _packed_cost(nginx, 500 if short else 5000, rounds=1 if short else ROUNDS)
    with serve(10 if short else 50, page=PAGE) as nginx:
        yield from _politeness(nginx, 30 if short else 300)
    yield from _host_schedule(10_000 if short else 1_000_000, 1_000 if short else 100_000)
    with serve(19, page=PAGE) as nginx:
        yield from _hanging(nginx, 380 if short else 3800, pairs=1 if short else PAIRS)
    yield from _bombs()


# --- what a page costs -------------------------------------------------------------------------


def _cost(nginx: Nginx, pages: int, *, rounds: int) -> Iterator[Figure]:
    urls = _urls(nginx, pages)
    got = _rounds(("ours", "aiohttp"), urls, nginx.hosts, rounds)
    slow = _rounds(("ours", "scrapy"), urls, nginx.hosts, min(rounds, SLOW_ROUNDS))
    yield Figure(
        metric="CPU a page",
        unit="ms",
        **_median_pair(slow, "scrapy", "cpu", scale=1000 / pages),
        peer_name="Scrapy",
        aim="ratio <= 0.33",
    )
    yield Figure(
        metric="CPU a page, bare",
        unit="ms",
        **_median_pair(got, "aiohttp", "cpu", scale=1000 / pages),
        peer_name="bare aiohttp",
        aim="ratio <= 1.6",
    )
    yield Figure(
        metric="pages",
        unit="pages/s",
        **_median_pair(slow, "scrapy", "rate", scale=1),
        peer_name="Scrapy",
        aim="",
    )
    yield Figure(
        metric="peak memory",
        unit="MB",
        ours=max(measured["peak_mb"] for measured in slow["ours"]),
        peer=max(measured["peak_mb"] for measured in slow["scrapy"]),
        peer_name="Scrapy",
        aim="< 200",
    )


def _packed_cost(nginx: Nginx, pages: int, *, rounds: int) -> Iterator[Figure]:
    """The same with a body that has to be unpacked: ours within its bounds, aiohttp as it does by itself."""
    got = _rounds(("ours", "aiohttp"), _urls(nginx, pages), nginx.hosts, rounds)
    yield Figure(
        metric="CPU a page, gzip",
        unit="ms",
        **_median_pair(got, "aiohttp", "cpu", scale=1000 / pages),
        peer_name="bare aiohttp",
        aim="ratio <= 1.6",
    )


def _urls(nginx: Nginx, pages: int) -> list[str]:
    names = list(nginx.hosts)
    return [f"http://{names[n % len(names)]}/story/{n}.html" for n in range(pages)]


def _rounds(
    names: tuple[str, ...], urls: list[str], hosts: dict[str, str], rounds: int
) -> dict[str, list[dict[str, Any]]]:
    """What each program measured in each round; they take turns, so that all meet the same machine."""
    got: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for at in range(rounds):
        for name in names if at % 2 else reversed(names):
            measured = _run_program(name, urls, hosts)
            if measured["pages"] < len(urls) or measured["bytes"] < len(urls) * len(PAGE):
                raise SystemExit(f"{name} brought {measured['pages']} of {len(urls)} pages")
            got[name].append({**measured, "rate": measured["pages"] / measured["took"]})
    return got


def _median_pair(
    got: dict[str, list[dict[str, Any]]], peer: str, what: str, *, scale: float
) -> dict[str, float]:
    """Ours and the peer's of that round whose ratio is the median of all."""
    pairs = [
        (mine[what] * scale, other[what] * scale)
        for mine, other in zip(got["ours"], got[peer], strict=True)
    ]
    ours, theirs = sorted(pairs, key=lambda pair: pair[0] / pair[1])[len(pairs) // 2]
    return {"ours": ours, "peer": theirs}


def _run_program(name: str, urls: list[str], hosts: dict[str, str]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        listed, pinned = Path(folder) / "urls", Path(folder) / "hosts"
        listed.write_text("\n".join(urls), "utf-8")
        pinned.write_text(json.dumps(hosts), "utf-8")
        arguments = [sys.executable, str(PROGRAM), name, str(listed), str(pinned), str(CONCURRENCY)]
        done = subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=600)
    measured: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return measured


# --- manners -----------------------------------------------------------------------------------


def _politeness(nginx: Nginx, pages: int) -> Iterator[Figure]:
    names = list(nginx.hosts)
    requests = [
        Request(url=f"http://{names[n % len(names)]}/story/{n}", purpose="read")
        for n in range(pages)
    ]
    started = time.perf_counter()
    asyncio.run(_drain(requests, FetchOptions(hosts=nginx.hosts)))
    took = time.perf_counter() - started
    served = nginx.requests()
    gaps = [b.started - a.started for each in served.values() for a, b in pairwise(each)]
    overlaps = sum(b.started < a.ended for each in served.values() for a, b in pairwise(each))
    ideal = max(len(each) for each in served.values()) - 1
    yield Figure(metric="smallest gap on a host", unit="s", ours=min(gaps), aim=">= 1")
    yield Figure(metric="requests that overlapped", unit="requests", ours=overlaps, aim="0")
    yield Figure(
        metric="wall time",
        unit="s",
        ours=took,
        peer=ideal,
        peer_name="ideal at 1 s a request",
        aim="ratio <= 1.1",
    )


async def _drain(requests: list[Request], options: FetchOptions) -> list[Response | Problem]:
    return [outcome async for outcome in fetch_all(requests, options)]


def _host_schedule(requests: int, hosts: int) -> Iterator[Figure]:
    schedule: HostSchedule[int] = HostSchedule(Manners(gap=timedelta()))
    for n in range(requests):
        schedule.put(n, host=f"h{n % hosts}.test", purpose="read", now=0.0)
    started = time.process_time()
    taken, now, rounds = 0, 0.0, 0
    served: set[str] = set()
    while (permit := schedule.take(now)) is not None:
        if permit.host in served:
            rounds += 1
            if len(served) < hosts:
                raise SystemExit(f"{permit.host} was served twice while others waited")
            served.clear()
        served.add(permit.host)
        schedule.done(permit, now=now)
        taken += 1
        now += 1e-6
    spent = time.process_time() - started
    if taken != requests:
        raise SystemExit(f"{taken} of {requests} were dispatched")
    yield Figure(metric="gate, a dispatch", unit="us", ours=spent / taken * 1e6, aim="< 10")
    yield Figure(
        metric=f"gate, memory at {requests:,} queued",
        unit="MB",
        ours=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        aim="< 1000",
    )


# --- hostile servers ---------------------------------------------------------------------------


def _hanging(nginx: Nginx, pages: int, *, pairs: int) -> Iterator[Figure]:
    """Both in permit, each first as often as second; the pair whose ratio is the median counts."""
    ratios = []
    for at in range(pairs):
        order = (False, True) if at % 2 else (True, False)
        got = {hangs: asyncio.run(_throughput(nginx, pages, hanging=hangs)) for hangs in order}
        ratios.append((got[True] / got[False], got[True], got[False]))
    _, beside, alone = sorted(ratios)[len(ratios) // 2]
    yield Figure(
        metric="19 hosts beside one that hangs",
        unit="pages/s",
        ours=beside,
        peer=alone,
        peer_name="the same without it",
        aim="ratio >= 0.95",
    )


async def _throughput(nginx: Nginx, pages: int, *, hanging: bool) -> float:
    silent = await asyncio.start_server(_never_answer, "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    hosts = {**nginx.hosts, "silent.test": f"127.0.0.1:{port}"}
    names, urls = list(nginx.hosts), []
    for n in range(pages):
        if hanging and n % len(names) == 0:  # as many as for any other host, beside the same pages
            urls.append(f"http://silent.test/story/{n}")
        urls.append(f"http://{names[n % len(names)]}/story/{n}")
    requests = [Request(url=url, purpose="read") for url in urls]
    manners = Manners(gap=timedelta(), concurrency=20)
    options = FetchOptions(hosts=hosts, manners=manners, deadline=timedelta(seconds=10))
    started = time.perf_counter()
    came = 0
    async with silent:
        outcomes = fetch_all(requests, options)
        async for outcome in outcomes:
            came += isinstance(outcome, Response)
            if came == pages:
                break
        took = time.perf_counter() - started
        await outcomes.aclose()
    return pages / took


async def _never_answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()
    writer.close()


def _bombs() -> Iterator[Figure]:
    with running_town(build_town()) as town:
        for coding in BOMBS:
            measured = _run_program("bomb", [f"http://trouble.test/bomb/{coding}"], town.hosts)
            if measured["pages"] != 1:
                raise SystemExit(f"the bomb in {coding} was not refused")
            metric = f"1 GB of {coding}, peak memory"
            yield Figure(metric=metric, unit="MB", ours=measured["peak_mb"], aim="< 100")


if __name__ == "__main__":
    main("fetch", measure, about=__doc__ or "")
