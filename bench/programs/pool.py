"""The strongest follower we can write of libraries that everybody has: a peer of bench/follow.py.

aiohttp asks, feeds are read by fastfeedparser, pages by trafilatura's fast form in a pool of processes that has all the cores,
and rows go to SQLite in batches, with a full text index. Whatever made it slower was taken out: workers are forked from a
process that has loaded everything, pages travel to them many at a time, no memory of what was loaded is ever collected,
database work has a thread of its own. Like Scrapy beside it, it obeys robots.txt and asks a host 8 things at once.
"""

from __future__ import annotations

import asyncio
import gc
import json
import multiprocessing
import os
import sqlite3
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from importlib import import_module
from typing import Any, NamedTuple

Record = dict[str, Any]
Row = tuple[str, ...]

CONCURRENCY = 256  # requests in flight, as for the others
PER_HOST = 8  # of them to one host, as Scrapy has it
PAGES_AT_ONCE = 8  # that travel to a worker together
ROWS_AT_ONCE = 500  # that share a commit
COLUMNS = ("url", "publisher", "feed_url", "title", "author", "date", "language", "tags", "text")
AGENT = "bench"
TABLES = f"""
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS article (id INTEGER PRIMARY KEY, {", ".join(COLUMNS)}, UNIQUE (url));
CREATE VIRTUAL TABLE IF NOT EXISTS article_words
    USING fts5 (title, text, content = 'article', content_rowid = 'id');
"""


class Fetched(NamedTuple):
    """A page on its way to a worker."""

    url: str
    publisher: str
    feed_url: str
    body: bytes


def follow(database: str, world: Record) -> Record:
    """Every feed to its articles; how many, and how long it took."""
    for library in ("aiohttp", "fastfeedparser", "protego", "trafilatura"):
        import_module(library)  # before workers are forked from us
    gc.freeze()
    forking = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), mp_context=forking) as workers:
        workers.submit(os.getpid).result()  # forked now, while there is no thread
        started = time.perf_counter()
        with ThreadPoolExecutor(1) as store_thread:
            rows = store_thread.submit(Rows, database).result()
            asyncio.run(_Follower(world, workers, store_thread, rows).run())
            store_thread.submit(rows.save).result()
            count = store_thread.submit(rows.count).result()
        return {"articles": count, "took": time.perf_counter() - started}


class _Follower:
    def __init__(
        self,
        world: Record,
        workers: ProcessPoolExecutor,
        store_thread: ThreadPoolExecutor,
        rows: Rows,
    ) -> None:
        self._world = world
        self._workers, self._store_thread, self._rows = workers, store_thread, rows
        self._waiting: list[Fetched] = []
        self._reading: set[asyncio.Task[None]] = set()
        self._get: Callable[[str], Awaitable[bytes]]

    async def run(self) -> None:
        import aiohttp

        connector = aiohttp.TCPConnector(limit=CONCURRENCY, limit_per_host=PER_HOST)
        async with aiohttp.ClientSession(
            connector=connector, headers={"User-Agent": AGENT}
        ) as session:
            hosts = self._world["hosts"]

            async def get(url: str) -> bytes:
                """The names of the town are known to nobody, so the request goes to the address."""
                host = url.split("/", 3)[2]
                target = url.replace(host, hosts[host], 1)
                async with session.get(target, headers={"Host": host}) as response:
                    return await response.read()

            self._get = get
            feeds = self._world["feeds"].items()
            await asyncio.gather(*(self._publisher(host, url) for host, url in feeds))
            self._read_waiting()
            while self._reading:
                await asyncio.gather(*self._reading)

    async def _publisher(self, host: str, feed_url: str) -> None:
        import fastfeedparser
        from protego import Protego

        robots = Protego.parse((await self._get(f"http://{host}/robots.txt")).decode("utf-8"))
        if not robots.can_fetch(feed_url, AGENT):
            return
        entries = fastfeedparser.parse(await self._get(feed_url)).entries
        links = [entry["link"] for entry in entries if robots.can_fetch(entry["link"], AGENT)]
        held = await self._in_thread(self._rows.held, links)
        await asyncio.gather(
            *(self._page(host, feed_url, link) for link in links if link not in held)
        )

    async def _page(self, host: str, feed_url: str, url: str) -> None:
        body = await self._get(url)
        self._waiting.append(Fetched(url, host, feed_url, body))
        if len(self._waiting) >= PAGES_AT_ONCE:
            self._read_waiting()

    def _read_waiting(self) -> None:
        if self._waiting:
            task = asyncio.create_task(self._read(self._waiting))
            self._waiting = []
            self._reading.add(task)
            task.add_done_callback(self._reading.discard)

    async def _read(self, pages: list[Fetched]) -> None:
        loop = asyncio.get_running_loop()
        rows = await loop.run_in_executor(self._workers, read_pages, pages)
        await self._in_thread(self._rows.add, rows)

    async def _in_thread(self, do: Callable[..., Any], *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._store_thread, do, *arguments)


def read_pages(pages: list[Fetched]) -> list[Row]:
    """The rows of pages that are articles; called in a worker."""
    return [row for page in pages if (row := _read_page(page)) is not None]


def _read_page(page: Fetched) -> Row | None:
    from trafilatura import bare_extraction

    read: Any = bare_extraction(
        page.body, url=page.url, with_metadata=True, fast=True, include_comments=False
    )
    if read is None:
        return None
    words = (read.title, read.author, read.date, read.language)
    tags = json.dumps(read.tags)
    return (page.url, page.publisher, page.feed_url, *words, tags, read.text)


class Rows:
    """A table with its index of words; all of it is called in one thread."""

    def __init__(self, file: str) -> None:
        self._db = sqlite3.connect(file, check_same_thread=False)
        self._db.executescript(TABLES)
        self._waiting: list[Row] = []

    def held(self, urls: list[str]) -> set[str]:
        """Which of them are there already."""
        marks = ", ".join("?" * len(urls))
        found = self._db.execute(f"SELECT url FROM article WHERE url IN ({marks})", urls)
        return {url for (url,) in found}

    def add(self, rows: list[Row]) -> None:
        """Saves them, a little later."""
        self._waiting += rows
        if len(self._waiting) >= ROWS_AT_ONCE:
            self.save()

    def save(self) -> None:
        """Saves what waits, and indexes it."""
        (last,) = self._db.execute("SELECT coalesce(max(id), 0) FROM article").fetchone()
        marks = ", ".join("?" * len(COLUMNS))
        names = ", ".join(COLUMNS)
        self._db.executemany(
            f"INSERT OR IGNORE INTO article ({names}) VALUES ({marks})", self._waiting
        )
        self._db.execute(
            "INSERT INTO article_words (rowid, title, text) SELECT id, title, text FROM article WHERE id > ?",
            (last,),
        )
        self._db.commit()
        self._waiting.clear()

    def count(self) -> int:
        """How many articles there are."""
        return int(self._db.execute("SELECT count(*) FROM article").fetchone()[0])
