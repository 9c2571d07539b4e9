"""How fast the pages answer while a run writes, and how fast a live page is told, on SQLite and PostgreSQL.

`wireroom serve` runs in a process of its own on a large store; a writer in another one saves batches meanwhile. Mixed reads
(start, search, facets, publishers, feeds, an article, data) are sent at a fixed rate, whether answers come or not, and each is
timed from the moment at which it should have been sent.

The peer is datasette with the same articles in one table. Both sides get searches with facets, lists and single articles in the
same mix, nothing is written meanwhile, and the rate is raised until 5 in 100 reads take longer than the aim. Datasette counts all matches
and has neither rights, clusters nor a query language; it keeps no counts, where our pages keep theirs for half a minute.

`--rows 1000000` measures a larger store; `--filled ADDRESS`, once or twice, one that was filled before (more is written into it);
`--peer-table FILE` is the peer's database, made where it is missing; `--only PART` measures one part alone (pages, counts, live, rates).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from socket import socket
from time import monotonic, sleep
from urllib.parse import quote
from urllib.request import urlopen

import aiohttp

from cluster import own_postgres
from corpus import articles, batches
from export import fill
from figures import Figure, Stopwatch, family_megabytes, main, percentile
from questions import questions
from wireroom.app import open_app
from wireroom.app.search import count_matches, search_page
from wireroom.model import Lead, Reading

ARTICLES, SHORT_ARTICLES = 200_000, 2_000
RATE, SHORT_RATE = 50, 20  # reads a second
SECONDS, SHORT_SECONDS = 40, 5
STREAMS, SHORT_STREAMS = 100, 10
EVENTS, SHORT_EVENTS = 40, 5
WRITTEN, PAUSE = 50, 0.25  # articles that the writer saves at once, and seconds between
SEARCHES = 40  # different ones; those of bench/questions.py
RATES = (2, 5, 10, 20, 30, 40, 50, 75, 100, 150, 200)  # reads a second, tried one after the other
HELD_FOR = 10  # seconds for which a rate is tried
AIM = 150.0  # milliseconds for 95 of 100 reads
COUNTING = 2 * 200.0  # milliseconds: matches are found in 200, and what they are is counted in 200
PEER = "datasette"
PER_CLIENT = 5  # streams that a server lets one address open
PATIENCE = 60.0  # seconds for a server to start
GIVEN_UP = aiohttp.ClientTimeout(total=20)
WRITER = "--writer"


@dataclass(frozen=True)
class Reads:
    """How long reads took, in milliseconds."""

    times: tuple[float, ...]
    failed: int

    @property
    def is_held(self) -> bool:
        """Whether the side that was read keeps up."""
        return not self.failed and percentile(self.times, 0.95) < AIM


@dataclass(frozen=True)
class Measured:
    """A store that is measured."""

    address: str
    size: int
    short: bool
    peer_table: Path | None

    @property
    def kind(self) -> str:
        """What its figures are called."""
        database = "SQLite" if self.address.startswith("sqlite") else "PostgreSQL"
        return f"{database}, {self.size:,} articles"


def measure(short: bool, options: argparse.Namespace) -> Iterator[Figure]:
    """Every figure, or those of some parts."""
    size = options.rows or (SHORT_ARTICLES if short else ARTICLES)
    with _stores(options.filled, size) as addresses:
        for address in addresses:
            for name, part in _PARTS.items():
                if not options.only or name in options.only:
                    yield from part(Measured(address, size, short, options.peer_table))


@contextmanager
def _stores(filled: Sequence[str], size: int) -> Iterator[Iterator[str]]:
    """The stores one after the other, filled."""
    if filled:
        yield iter(filled)
        return
    with tempfile.TemporaryDirectory(prefix="wireroom-web-") as folder, own_postgres() as server:

        def filled_ones() -> Iterator[str]:
            for address in filter(None, (f"sqlite:///{folder}/w.db", server)):
                fill(address, size)
                yield address

        yield filled_ones()


# --- pages while a run writes ------------------------------------------------------------------


def _pages(store: Measured) -> Iterator[Figure]:
    rate, seconds = (SHORT_RATE, SHORT_SECONDS) if store.short else (RATE, SECONDS)
    paths = _own_paths(store.address)
    with _wireroom(store.address) as server:
        _read(server.address, paths, rate=10, seconds=2)  # templates and caches
        with _writer(store.address) as saved:
            reads = _read(server.address, paths, rate=rate, seconds=seconds)
    name = f"{store.kind}, {rate} reads/s while a run writes"
    for part, label in ((0.5, "median"), (0.95, "p95"), (0.99, "p99")):
        yield Figure(
            metric=f"{name}: page {label}",
            unit="ms",
            ours=percentile(reads.times, part),
            aim="under 150 ms" if label == "p95" else "",
        )
    yield Figure(metric=f"{name}: reads that failed", unit="reads", ours=reads.failed, most=0)
    yield Figure(metric=f"{name}: articles saved", unit="/s", ours=sum(saved) / seconds)


def _own_paths(database: str) -> list[str]:
    """What a desk looks at: searches most, then lists and articles."""
    lists = ["/", "/publishers", "/feeds", "/publishers?sort=grade", "/search", "/api/v1/search"]
    return _own_searches() + lists * 3 + _own_articles(database)


def _own_searches() -> list[str]:
    return [f"/search?q={quote(question.text)}" for question in questions()[:SEARCHES]]


def _own_articles(database: str) -> list[str]:
    with open_app(database) as app:
        return [f"/articles/{article.id}" for article in islice(app.articles(), 20)]


def _read(address: str, paths: Sequence[str], *, rate: int, seconds: int) -> Reads:
    return asyncio.run(_reads(address, paths, rate, seconds))


async def _reads(address: str, paths: Sequence[str], rate: int, seconds: int) -> Reads:
    chance = random.Random(7)
    times: list[float] = []
    failures: list[str] = []
    began = monotonic()
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, timeout=GIVEN_UP) as session:

        async def read(due: float, path: str) -> None:
            await asyncio.sleep(max(0.0, due - monotonic()))
            try:
                async with session.get(f"{address}{path}") as answer:
                    await answer.read()
                    if answer.status != 200:
                        failures.append(path)
            except (aiohttp.ClientError, TimeoutError):
                failures.append(path)
            times.append(1000 * (monotonic() - due))

        jobs = [
            asyncio.create_task(read(began + number / rate, chance.choice(paths)))
            for number in range(rate * seconds)
        ]
        await asyncio.gather(*jobs)
    return Reads(tuple(times), len(failures))


@contextmanager
def _writer(database: str) -> Iterator[list[int]]:
    """Somebody who saves articles all the time, as a run does; how many were saved is known at the end."""
    with open_app(database) as app:
        held = app.store.counts()["articles"]
    command = [sys.executable, __file__, WRITER, database, str(held)]
    saved: list[int] = []
    with _process(command, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()  # it has begun
        try:
            yield saved
        finally:
            process.stdin.close()
            saved += map(int, process.stdout.read().split())


def write(database: str, held: int) -> None:
    """Saves batches behind those that are held until nobody listens any more."""
    import select

    source = articles(first=held)
    with open_app(database) as app:
        print(0, flush=True)
        while not select.select([sys.stdin], [], [], PAUSE)[0]:
            batch = list(islice(source, WRITTEN))
            readings = [
                Reading(
                    lead=Lead(url=article.url, publisher=article.publisher, state="read"),
                    article=article,
                )
                for article in batch
            ]
            app.store.save_readings(readings, now=app.clock())
            print(len(batch), flush=True)


# --- searches and their counts -----------------------------------------------------------------


def _counts(store: Measured) -> Iterator[Figure]:
    """Each question once, as a page asks it, one after the other."""
    asked = questions()[:SEARCHES] if store.short else questions()
    searched, counted, cut = Stopwatch(), Stopwatch(), 0
    with open_app(store.address) as app:
        for question in asked:
            query = app.query(question.text)
            with searched.running():
                search_page(app, query)
            with counted.running():
                found = count_matches(app, query)
            cut += found.count.reach != "all" and found.count.count < 10_000
    for label, watch, most in (
        ("search", searched, 0.0),
        ("number, facets, days", counted, COUNTING),
    ):
        times = [1000 * lap for lap in watch.laps]
        for part, name in ((0.5, "median"), (0.95, "p95"), (1.0, "slowest")):
            yield Figure(
                metric=f"{store.kind}, {len(asked)} questions: {label}, {name}",
                unit="ms",
                ours=percentile(times, part),
                aim=f"under {most:g} ms" if most else "",
            )
    yield Figure(
        metric=f"{store.kind}, {len(asked)} questions: not counted to the end in time",
        unit="questions",
        ours=cut,
    )


# --- live pages --------------------------------------------------------------------------------


def _live(store: Measured) -> Iterator[Figure]:
    """How long until each live page shows a story that was saved."""
    streams, events = (SHORT_STREAMS, SHORT_EVENTS) if store.short else (STREAMS, EVENTS)
    with _wireroom(store.address) as server:
        delays, grown = asyncio.run(_watch(server, store.address, streams, events))
    name = f"{store.kind}, {streams} live pages"
    slowest = max(delays, default=0.0)
    yield Figure(metric=f"{name}: slowest event", unit="ms", ours=slowest, aim="under 500 ms")
    yield Figure(
        metric=f"{name}: events shown", unit="events", ours=len(delays), least=streams * events
    )
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
    address: str, client: int, after: int, sent: Mapping[int, float], delays: list[float]
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


# --- the highest rate, beside the peer ---------------------------------------------------------


def _rates(store: Measured) -> Iterator[Figure]:
    """Searches with facets, lists and articles, as fast as each side keeps up with."""
    if not store.address.startswith("sqlite"):
        return
    rates = RATES[:4] if store.short else RATES
    seconds = SHORT_SECONDS if store.short else HELD_FOR
    lists = ["/search", "/api/v1/search"]
    paths = _own_searches() + lists * 9 + _own_articles(store.address)
    with _wireroom(store.address) as server:
        ours = _highest(server.address, paths, rates, seconds)
    theirs = None
    if find_spec("datasette") is not None:
        with _peer_table(store) as file, _datasette(file) as address:
            theirs = _highest(address, _peer_paths(), rates, seconds)
    name = f"{store.kind}: searches with facets, lists, articles"
    compared = partial(Figure, peer_name=PEER)
    yield compared(
        metric=f"{name}: highest rate with p95 under {AIM:g} ms, of {rates[0]} to {rates[-1]}",
        unit="reads/s",
        ours=max((rate for rate, reads in ours.items() if reads.is_held), default=0),
        peer=max((rate for rate, reads in (theirs or {}).items() if reads.is_held), default=None),
    )
    for rate, reads in ours.items():
        other = theirs.get(rate) if theirs is not None else None
        yield compared(
            metric=f"{name}: p95 at {rate} reads/s",
            unit="ms",
            ours=percentile(reads.times, 0.95),
            peer=percentile(other.times, 0.95) if other is not None else None,
        )


def _highest(
    address: str, paths: Sequence[str], rates: Sequence[int], seconds: int
) -> dict[int, Reads]:
    """The reads at each rate, up to the first that is not held."""
    _read(address, paths, rate=5, seconds=2)  # templates and caches
    tried: dict[int, Reads] = {}
    for rate in rates:
        tried[rate] = _read(address, paths, rate=rate, seconds=seconds)
        if not tried[rate].is_held:
            break
    return tried


def _peer_paths() -> list[str]:
    searches = [
        f"/peer/articles?_search={quote(question.match)}&_searchmode=raw&_facet=publisher&_facet=language"
        for question in questions()[:SEARCHES]
        if question.match
    ]
    lists = ["/peer/articles?_sort_desc=published_at", "/peer/articles.json?_size=20"]
    return searches + lists * 9 + [f"/peer/articles/{number}" for number in range(1, 21)]


@contextmanager
def _peer_table(store: Measured) -> Iterator[Path]:
    """The same articles in one table of their own; one that was made before is taken as it is."""
    if store.peer_table is not None and store.peer_table.exists():
        yield store.peer_table
        return
    with tempfile.TemporaryDirectory(prefix="wireroom-web-") as folder:
        file = store.peer_table or Path(folder, "peer.db")
        _fill_peer(file, store.size)
        yield file


def _fill_peer(file: Path, size: int) -> None:
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


# --- servers -----------------------------------------------------------------------------------


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
def _datasette(file: Path) -> Iterator[str]:
    with closing(socket()) as place:
        place.bind(("127.0.0.1", 0))
        port = place.getsockname()[1]
    command = [sys.executable, "-m", "datasette", "serve", str(file), "-p", str(port)]
    address = f"http://127.0.0.1:{port}"
    with _process(command):
        ends = monotonic() + PATIENCE
        while monotonic() < ends:
            with suppress(OSError), urlopen(address, timeout=5):
                break
            sleep(0.1)
        else:
            raise TimeoutError(address)
        yield address


@contextmanager
def _process(
    command: Sequence[str], *, stdin: int | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE)


_PARTS: Mapping[str, Callable[[Measured], Iterator[Figure]]] = {
    "pages": _pages,
    "counts": _counts,
    "live": _live,
    "rates": _rates,
}


def _wanted() -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--only", action="append", choices=list(_PARTS), default=[])
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--filled", action="append", default=[], metavar="ADDRESS")
    parser.add_argument("--peer-table", type=Path, metavar="FILE")
    return parser.parse_known_args()


if __name__ == "__main__":
    if WRITER in sys.argv:
        write(sys.argv[2], int(sys.argv[3]))
    else:
        wanted, others = _wanted()
        is_part = bool(wanted.only or wanted.rows or wanted.filled)
        main(
            "web",
            partial(measure, options=wanted),
            about=__doc__ or "",
            arguments=others,
            is_part=is_part,
        )
