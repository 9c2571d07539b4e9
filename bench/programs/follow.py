"""One program that follows the large town's feeds to their articles, in a process of its own.

Run by bench/follow.py: `python bench/programs/follow.py NAME DATABASE WORLD`, where DATABASE is a database address
(for the peer a file) and WORLD a JSON file with "hosts" (name to address:port) and "feeds" (name to address
of its feed). Prints one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import resource
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

Record = dict[str, Any]
CONCURRENCY = 256  # requests in flight, for both
PRINT_EVERY = 0.5  # seconds between two lines of a daemon


def ours(database: str, world: Record) -> Record:
    """wireroom as `run --once` does it, without a gap between requests to a host and without scouting."""
    from wireroom.app import open_app
    from wireroom.app.run import open_run

    async def run() -> Record:
        with open_app(database) as app:
            _make_due(app, world)
            started = time.perf_counter()
            async with open_run(app, _settings(database, world)) as loop:
                counts = await loop.run(once=True)
            took = time.perf_counter() - started
            return {"articles": app.store.counts()["articles"], "took": took, **_counts(counts)}

    return asyncio.run(run())


def daemon(database: str, world: Record) -> Record:
    """wireroom as `run` does it, until it is stopped; prints all the while how many articles it has read."""
    from wireroom.app import open_app
    from wireroom.app.run import open_run

    async def run() -> Record:
        with open_app(database) as app:
            _make_due(app, world)
            async with open_run(app, _settings(database, world)) as loop:
                asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, loop.stop)
                printing = asyncio.create_task(_print_counts(loop.counts))
                counts = await loop.run()
                printing.cancel()
            return {"articles": app.store.counts()["articles"], **_counts(counts)}

    return asyncio.run(run())


async def _print_counts(counts: Any) -> None:
    while True:
        await asyncio.sleep(PRINT_EVERY)
        sys.stdout.write(f"{counts.articles.total()}\n")
        sys.stdout.flush()


def _settings(database: str, world: Record) -> Any:
    from wireroom.settings import Settings

    return Settings.model_validate(
        {
            "database_url": database,
            "hosts": world["hosts"],
            "fetch": {"delay": "0 s", "concurrency": CONCURRENCY},
            "run": {"scout": False},
            "store": {"raw_kept_for": 0},  # nobody else keeps the pages themselves
        }
    )


def _make_due(app: Any, world: Record) -> None:
    """Every feed is followed, and to be asked now."""
    from dataclasses import replace

    from wireroom.model import Feed

    held = {feed.url: feed for feed in app.store.feeds()}
    feeds = [
        held.get(url) or Feed(url=url, publisher=host, kind="rss")
        for host, url in world["feeds"].items()
    ]
    changes = [(held.get(feed.url), replace(feed, poll_after=None)) for feed in feeds]
    app.store.save_feed_changes(changes, now=app.clock())


def _counts(counts: Any) -> Record:
    facts = counts.as_facts()
    return {name: facts[name] for name in ("requests", "problems", "clusters")}


LEASE = 3.0  # seconds; what was in the hands of a killed process must not take the bench minutes to come back


def victim(database: str, world: Record) -> Record:
    """wireroom on feeds that are saved already, with short leases; says when it begins, for it may be killed.

    With "scout" in the world publishers are scouted before their pages are read.
    """
    from datetime import timedelta

    from wireroom.app import open_app
    from wireroom.app.factories import Network
    from wireroom.app.run import RunLoop, RunOptions
    from wireroom.app.scout import Scouting
    from wireroom.fetch import Fetcher, FetchOptions
    from wireroom.fetch.fetch_options import Manners
    from wireroom.ports import EngineOptions
    from wireroom.workers.local import LocalEngine

    gap = timedelta(seconds=world["gap"])
    manners = Manners(gap=gap, rest_after_burst=timedelta())
    options = RunOptions(
        gap=gap,
        scout=world["scout"],
        lease=timedelta(seconds=LEASE),
        in_flight=world["in_flight"],
    )

    async def run() -> Record:
        with open_app(database) as app:
            async with (
                Fetcher(FetchOptions(hosts=world["hosts"], manners=manners)) as fetch,
                LocalEngine(EngineOptions(workers=1)) as engine,
            ):
                scouting = Scouting(app, fetch, offline=True, rest=timedelta(), leases=False)
                network = Network(fetch=fetch, scouting=scouting, pause=fetch.pause)
                loop = RunLoop(app, network, engine, options)
                sys.stdout.write("begins\n")
                sys.stdout.flush()
                return _counts(await loop.run(once=True))

    return asyncio.run(run())


COLUMNS = ("url", "publisher", "feed_url", "title", "author", "date", "language", "tags", "text")


def scrapy(database: str, world: Record) -> Record:
    """Scrapy, feedparser, trafilatura and SQLite: a spider, a pipeline, nothing that slows it down."""
    import feedparser
    import scrapy as library
    from scrapy.crawler import CrawlerProcess
    from trafilatura import bare_extraction

    held = _Rows(database)
    hosts = world["hosts"]

    def ask(url: str, **more: Any) -> Any:
        """The names of the town are known to nobody, so the request goes to the address."""
        host = url.split("/")[2]
        return library.Request(
            url.replace(host, hosts[host], 1), headers={"Host": host}, dont_filter=True, **more
        )

    class Follower(library.Spider):
        name = "follower"

        async def start(self) -> Any:
            for host, url in world["feeds"].items():
                yield ask(url, callback=self.parse_feed, cb_kwargs={"host": host, "feed_url": url})

        def parse_feed(self, response: Any, host: str, feed_url: str) -> Any:
            for entry in feedparser.parse(response.body).entries:
                if not held.has(entry.link):
                    given = {"host": host, "feed_url": feed_url, "url": entry.link}
                    yield ask(entry.link, callback=self.parse_page, cb_kwargs=given)

        def parse_page(self, response: Any, host: str, feed_url: str, url: str) -> Any:
            page: Any = bare_extraction(response.body, url=url, with_metadata=True)
            if page is None:
                return
            yield {
                "url": url,
                "publisher": host,
                "feed_url": feed_url,
                "title": page.title,
                "author": page.author,
                "date": page.date,
                "language": page.language,
                "tags": json.dumps(page.tags),
                "text": page.text,
            }

    process = CrawlerProcess(
        {
            "LOG_ENABLED": False,
            "TELNETCONSOLE_ENABLED": False,
            "ROBOTSTXT_OBEY": True,
            "CONCURRENT_REQUESTS": CONCURRENCY,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
            "DOWNLOAD_DELAY": 0,
            "AUTOTHROTTLE_ENABLED": False,
            "RETRY_ENABLED": False,
            "ITEM_PIPELINES": {Saving: 300},
        }
    )
    Saving.rows = held
    started = time.perf_counter()
    process.crawl(Follower)
    process.start()
    held.save()
    return {"articles": held.count(), "took": time.perf_counter() - started}


class _Rows:
    """The peer's table; rows share a commit, as everybody does who has measured it once."""

    at_once = 100

    def __init__(self, file: str) -> None:
        self._db = sqlite3.connect(file)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        columns = ", ".join(f"{name} TEXT" for name in COLUMNS)
        self._db.execute(f"CREATE TABLE IF NOT EXISTS article ({columns}, PRIMARY KEY (url))")
        self._waiting: list[dict[str, str]] = []

    def has(self, url: str) -> bool:
        found = self._db.execute("SELECT 1 FROM article WHERE url = ?", (url,))
        return found.fetchone() is not None

    def add(self, row: dict[str, str]) -> None:
        self._waiting.append(row)
        if len(self._waiting) >= self.at_once:
            self.save()

    def save(self) -> None:
        names = ", ".join(f":{name}" for name in COLUMNS)
        self._db.executemany(f"INSERT OR REPLACE INTO article VALUES ({names})", self._waiting)
        self._db.commit()
        self._waiting.clear()

    def count(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM article").fetchone()[0])


class Saving:
    """The spider's pipeline."""

    rows: _Rows

    def process_item(self, item: dict[str, str]) -> dict[str, str]:
        self.rows.add(item)
        return item


def pool(database: str, world: Record) -> Record:
    """The strongest peer: see `pool.py` beside this file."""
    measured: Record = import_module("pool").follow(database, world)
    return measured


PROGRAMS: dict[str, Callable[[str, Record], Record]] = {
    "daemon": daemon,
    "ours": ours,
    "pool": pool,
    "scrapy": scrapy,
    "victim": victim,
}


def _cpu() -> float:
    """Seconds of this process and of those it waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def main() -> None:
    """Follows and says what it cost."""
    name, database, world = sys.argv[1:4]
    measured = PROGRAMS[name](database, json.loads(Path(world).read_text("utf-8")))
    sys.stdout.write(json.dumps({**measured, "cpu": _cpu()}) + "\n")


if __name__ == "__main__":
    main()
