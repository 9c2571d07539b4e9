"""How fast the pages answer while a run writes, and how fast a live page is told, on SQLite and PostgreSQL.

`wireroom serve` runs in a process of its own on a large store; a writer saves batches meanwhile. Mixed reads (start,
search, facets, publishers, feeds, an article, data) are sent at a fixed rate, whether answers come or not, and each is
timed from the moment at which it should have been sent. The peer is datasette with the same articles in one table,
read at the same rate: a table page, a full-text search with facets, one row. It has no rights, clusters or feeds to show.
"""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from socket import socket
from threading import Event, Thread
from time import monotonic, sleep
from urllib.parse import quote
from urllib.request import urlopen

import aiohttp

from cluster import own_postgres
from corpus import articles, batches
from export import fill
from figures import Figure, family_megabytes, main
from questions import questions
from wireroom.app import open_app
from wireroom.model import Lead, Reading

ARTICLES, SHORT_ARTICLES = 200_000, 2_000
RATE, SHORT_RATE = 50, 20  # reads a second
SECONDS, SHORT_SECONDS = 40, 5
STREAMS, SHORT_STREAMS = 100, 10
WRITTEN = 50  # articles that the writer saves at once, four times a second
SEARCHES = 40  # different ones; those of bench/questions.py
PEER = "datasette"
PER_CLIENT = 5  # streams that a server lets one address open
PATIENCE = 60.0  # seconds for a server to start


@dataclass(frozen=True)
class Reads:
    """How long reads took, in milliseconds."""

    times: tuple[float, ...]
    failed: int

    def share(self, part: float) -> float:
        """The time within which this share of the reads was answered."""
        ordered = sorted(self.times)
        return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0


def measure(short: bool) -> Iterator[Figure]:
    """Every figure."""
    size = SHORT_ARTICLES if short else ARTICLES
    with tempfile.TemporaryDirectory(prefix="wireroom-web-") as name:
        folder = Path(name)
        database = f"sqlite:///{folder}/w.db"
        fill(database, size)
        peer = _peer(folder, size, short)
        yield from _pages(database, "SQLite", short, peer)
        yield from _streams(database, short)
    with own_postgres() as server:
        if server is not None:
            fill(server, size)
            yield from _pages(server, "PostgreSQL", short, None)


def _pages(database: str, kind: str, short: bool, peer: Reads | None) -> Iterator[Figure]:
    with _wireroom(database) as server:
        paths = _own_paths(database)
        _read(server.address, paths, rate=10, seconds=2)  # templates and caches
        with _writer(database, SHORT_ARTICLES if short else ARTICLES):
            reads = _read(server.address, paths, rate=_rate(short), seconds=_seconds(short))
    name = PEER if peer is not None or find_spec("datasette") else ""
    for part, label in ((0.5, "median"), (0.95, "p95"), (0.99, "p99")):
        yield Figure(
            metric=f"{kind}: page {label} while a run writes",
            unit="ms",
            ours=reads.share(part),
            peer=peer.share(part) if peer is not None else None,
            peer_name=name if kind == "SQLite" else "",
            aim="under 150 ms" if label == "p95" else "",
        )
    yield Figure(metric=f"{kind}: reads that failed", unit="", ours=reads.failed, most=0)


def _own_paths(database: str) -> list[str]:
    """What a desk looks at: searches most, then lists and articles."""
    with open_app(database) as app:
        ids = [article.id for article, _ in zip(app.articles(), range(200), strict=False)]
    searches = [f"/search?q={quote(question.text)}" for question in questions()[:SEARCHES]]
    lists = ["/", "/publishers", "/feeds", "/publishers?sort=grade", "/search", "/api/v1/search"]
    return searches + lists * 3 + [f"/articles/{each}" for each in ids[:20]]


def _read(address: str, paths: Sequence[str], *, rate: int, seconds: int) -> Reads:
    return asyncio.run(_reads(address, paths, rate, seconds))


async def _reads(address: str, paths: Sequence[str], rate: int, seconds: int) -> Reads:
    chance = random.Random(7)
    times: list[float] = []
    failures: list[str] = []
    began = monotonic()
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def read(due: float, path: str) -> None:
            await asyncio.sleep(max(0.0, due - monotonic()))
            try:
                async with session.get(f"{address}{path}") as answer:
                    await answer.read()
                    if answer.status != 200:
                        failures.append(path)
            except aiohttp.ClientError:
                failures.append(path)
            times.append(1000 * (monotonic() - due))

        jobs = [
            asyncio.create_task(read(began + number / rate, chance.choice(paths)))
            for number in range(rate * seconds)
        ]
        await asyncio.gather(*jobs)
    return Reads(tuple(times), len(failures))


def _streams(database: str, short: bool) -> Iterator[Figure]:
    """Live pages: how long until each of them shows a story that was saved."""
    streams, events = (SHORT_STREAMS, 5) if short else (STREAMS, 40)
    with _wireroom(database) as server:
        delays, grown = asyncio.run(_watch(server, database, streams, events))
    name = f"{streams} live pages"
    yield Figure(
        metric=f"{name}: slowest event", unit="ms", ours=max(delays, default=0), aim="under 500 ms"
    )
    yield Figure(metric=f"{name}: events shown", unit="", ours=len(delays), least=streams * events)
    yield Figure(metric=f"{name}: memory grown by", unit="MB", ours=grown)


async def _watch(
    server: Served, database: str, streams: int, events: int
) -> tuple[list[float], float]:
    """The delays of all events on all streams, and the memory that the server took meanwhile."""
    sent: dict[int, float] = {}
    delays: list[float] = []
    with open_app(database) as app:
        after = app.last_event_number()
        # A server lets one address open a few streams: each few come from an address of their own.
        watching = [
            asyncio.create_task(_stream(server.address, place // PER_CLIENT, after, sent, delays))
            for place in range(streams)
        ]
        await asyncio.sleep(2)
        before = family_megabytes(server.pid)
        for number in range(events):
            at = monotonic()
            app.note("articles_saved", "", new=number)
            sent[app.last_event_number()] = at
            await asyncio.sleep(0.25)
        await asyncio.sleep(2)
        grown = family_megabytes(server.pid) - before
    for task in watching:
        task.cancel()
    for ended in await asyncio.gather(*watching, return_exceptions=True):
        if isinstance(ended, Exception):
            raise ended
    return delays, grown


async def _stream(
    address: str, client: int, after: int, sent: dict[int, float], delays: list[float]
) -> None:
    connector = aiohttp.TCPConnector(local_addr=(f"127.0.1.{client + 1}", 0))
    timeout = aiohttp.ClientTimeout(total=None)
    async with (
        aiohttp.ClientSession(connector=connector, timeout=timeout) as session,
        session.get(f"{address}/live/start/all?after={after}") as answer,
    ):
        async for line in answer.content:
            if line.startswith(b"id: "):
                shown_at = monotonic()
                delays.append(1000 * (shown_at - sent[int(line[4:])]))


@dataclass(frozen=True)
class Served:
    """A server that runs."""

    address: str
    pid: int


@contextmanager
def _wireroom(database: str) -> Iterator[Served]:
    command = [sys.executable, "-m", "wireroom", "serve", "--port", "0", "--json", "--db", database]
    with _process(command) as process:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["url"].rstrip("/")
        yield Served(address, process.pid)


@contextmanager
def _process(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE)


@contextmanager
def _writer(database: str, size: int) -> Iterator[None]:
    """Somebody who saves articles all the time, as a run does."""
    over = Event()

    def write() -> None:
        with open_app(database) as app:
            source = islice(articles(), size, None)  # behind those that are held
            while not over.wait(0.25):
                batch = list(islice(source, WRITTEN))
                readings = [
                    Reading(
                        lead=Lead(url=article.url, publisher=article.publisher, state="read"),
                        article=article,
                    )
                    for article in batch
                ]
                app.store.save_readings(readings, now=app.clock())

    thread = Thread(target=write, name="writer")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _peer(folder: Path, size: int, short: bool) -> Reads | None:
    """The same articles in one table, served by datasette; None where it is not installed."""
    if find_spec("datasette") is None:
        return None
    file = folder / "peer.db"
    _peer_table(file, size)
    port = _free_port()
    command = [sys.executable, "-m", "datasette", "serve", str(file), "-p", str(port)]
    with _process(command):
        address = f"http://127.0.0.1:{port}"
        _wait_for(address)
        searches = [
            f"/peer/articles?_search={quote(question.match)}&_searchmode=raw&_facet=publisher&_facet=language"
            for question in questions()[:SEARCHES]
            if question.match
        ]
        lists = ["/peer/articles?_sort_desc=published_at", "/peer/articles.json?_size=20"]
        rows = [f"/peer/articles/{number}" for number in range(1, 21)]
        paths = searches + lists * 9 + rows
        _read(address, paths, rate=10, seconds=2)
        return _read(address, paths, rate=_rate(short), seconds=_seconds(short))


def _peer_table(file: Path, size: int) -> None:
    with closing(sqlite3.connect(file)) as conn, conn:
        conn.execute(
            "CREATE TABLE articles (id INTEGER PRIMARY KEY, url, title, publisher, language, published_at, text)"
        )
        for batch in batches(size, 1_000):
            conn.executemany(
                "INSERT INTO articles (url, title, publisher, language, published_at, text) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (
                        article.url,
                        article.title,
                        article.publisher,
                        article.language,
                        str(article.published_at),
                        article.text,
                    )
                    for article in batch
                ],
            )
        conn.execute("CREATE INDEX by_time ON articles (published_at)")
        conn.execute("CREATE INDEX by_publisher ON articles (publisher)")
        conn.execute(
            "CREATE VIRTUAL TABLE articles_fts USING fts5(title, text, content=articles, content_rowid=id)"
        )
        conn.execute("INSERT INTO articles_fts(articles_fts) VALUES ('rebuild')")


def _free_port() -> int:
    with socket() as place:
        place.bind(("127.0.0.1", 0))
        return int(place.getsockname()[1])


def _wait_for(address: str) -> None:
    ends = monotonic() + PATIENCE
    while monotonic() < ends:
        with suppress(OSError), urlopen(address, timeout=5):
            return
        sleep(0.1)
    raise TimeoutError(address)


def _rate(short: bool) -> int:
    return SHORT_RATE if short else RATE


def _seconds(short: bool) -> int:
    return SHORT_SECONDS if short else SECONDS


if __name__ == "__main__":
    main("web", measure, about="How fast pages answer while a run writes, and live pages change.")
