"""One program that fetches a list of addresses, measured from inside its own process.

Run by bench/fetch.py: `python bench/programs/fetch.py NAME ADDRESSES HOSTS CONCURRENCY`, where ADDRESSES is a
file with one address a line and HOSTS a JSON file of name to address:port. Prints one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import re
import resource
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

Counted = tuple[int, int]
"""Pages that came whole, and their bytes."""


def ours(urls: list[str], hosts: dict[str, str], concurrency: int) -> Counted:
    """wireroom with everything on: guard, gate, robots.txt, decoding."""
    from wireroom.fetch.fetch_options import FetchOptions, Manners
    from wireroom.fetch.many import fetch_all
    from wireroom.model import Request, Response

    manners = Manners(gap=timedelta(), concurrency=concurrency)
    options = FetchOptions(hosts=hosts, manners=manners)

    async def run() -> Counted:
        pages = size = 0
        requests = (Request(url=url, purpose="read") for url in urls)
        async for outcome in fetch_all(requests, options):
            if isinstance(outcome, Response):
                pages += 1
                size += len(outcome.body)
        return pages, size

    return asyncio.run(run())


def bomb(urls: list[str], hosts: dict[str, str], _concurrency: int) -> Counted:
    """wireroom against answers that unpack to a gigabyte: counts those that were refused for it."""
    from wireroom.fetch.fetch_options import FetchOptions
    from wireroom.fetch.many import fetch_each
    from wireroom.model import Problem, Request

    requests = [Request(url=url, purpose="read") for url in urls]
    got = list(fetch_each(requests, FetchOptions(hosts=hosts)))
    return sum(isinstance(outcome, Problem) and outcome.kind == "too_large" for outcome in got), 0


def bare_aiohttp(urls: list[str], hosts: dict[str, str], concurrency: int) -> Counted:
    """aiohttp as its documentation shows it: a session and a semaphore, no manners at all."""
    import aiohttp
    from aiohttp.abc import AbstractResolver

    class Fixed(AbstractResolver):
        async def resolve(self, host: str, _port: int = 0, family: int = 0) -> Any:
            address, _, pinned = hosts[host].rpartition(":")
            return [
                {
                    "hostname": host,
                    "host": address,
                    "port": int(pinned),
                    "family": family,
                    "proto": 0,
                    "flags": 0,
                }
            ]

        async def close(self) -> None:
            return None

    async def run() -> Counted:
        pages = size = 0
        limit = asyncio.Semaphore(concurrency)
        connector = aiohttp.TCPConnector(resolver=Fixed(), limit=0)
        async with aiohttp.ClientSession(connector=connector) as session:

            async def fetch_one(url: str) -> None:
                nonlocal pages, size
                async with limit, session.get(url) as answer:
                    body = await answer.read()
                    if answer.status == 200:
                        pages += 1
                        size += len(body)

            await asyncio.gather(*(fetch_one(url) for url in urls))
        return pages, size

    return asyncio.run(run())


def scrapy(urls: list[str], hosts: dict[str, str], concurrency: int) -> Counted:
    """Scrapy with its defaults, robots.txt obeyed, no delay; it is given addresses, not names."""
    import scrapy as library
    from scrapy.crawler import CrawlerProcess

    total = [0, 0]

    class Pages(library.Spider):
        name = "pages"

        async def start(self) -> Any:
            for url in urls:
                host = url.split("/")[2]
                yield library.Request(url.replace(host, hosts[host]), dont_filter=True)

        def parse(self, response: Any) -> None:
            total[0] += 1
            total[1] += len(response.body)

    process = CrawlerProcess(
        {
            "LOG_ENABLED": False,
            "TELNETCONSOLE_ENABLED": False,
            "ROBOTSTXT_OBEY": True,
            "CONCURRENT_REQUESTS": concurrency,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
            "DOWNLOAD_DELAY": 0,
            "RETRY_ENABLED": False,
        }
    )
    process.crawl(Pages)
    process.start()
    return total[0], total[1]


PROGRAMS: dict[str, Callable[[list[str], dict[str, str], int], Counted]] = {
    "ours": ours,
    "bomb": bomb,
    "aiohttp": bare_aiohttp,
    "scrapy": scrapy,
}


def _warm_up(name: str) -> None:
    """Imports are paid once a process, not once a page."""
    if name in {"ours", "bomb"}:
        import wireroom.fetch.many  # noqa: F401
        from wireroom.ports import StrategyPlug
        from wireroom.registry import plugs

        plugs("fetch.strategies", StrategyPlug)
    if name == "scrapy":
        import scrapy.crawler  # noqa: F401


def _peak_megabytes() -> float:
    """The most memory this process ever held; Linux counts that of its parent into ru_maxrss."""
    status = Path("/proc/self/status")
    if status.exists():
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text("utf-8"))
        if found:
            return int(found[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Fetches everything and says what it cost."""
    name, addresses, hosts, concurrency = sys.argv[1:5]
    urls = Path(addresses).read_text("utf-8").split()
    pinned = json.loads(Path(hosts).read_text("utf-8"))
    _warm_up(name)
    before = resource.getrusage(resource.RUSAGE_SELF)
    started = time.perf_counter()
    pages, size = PROGRAMS[name](urls, pinned, int(concurrency))
    took = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    measured = {
        "pages": pages,
        "bytes": size,
        "cpu": cpu,
        "took": took,
        "peak_mb": _peak_megabytes(),
    }
    sys.stdout.write(json.dumps(measured) + "\n")


if __name__ == "__main__":
    main()
