"""How fast articles are saved and found, how fast due leads are taken, how much memory it takes.

SQLite is measured against sqlite-utils on the same rows (table, full-text index kept by triggers,
its own search). PostgreSQL is measured as well when its programs are installed. The whole takes a
quarter of an hour; `--only PART` measures one part (articles, columns, leads, server-articles, server-leads,
floor, server-floor: how near saving comes to the bare driver), each in less than eight minutes; growth and server-growth
(what things cost from ten thousand short articles to two million, see growth.py) take longer. server-phrases asks for phrases;
`--phrases-of ADDRESS` asks a store that was filled before, `--growth-of ADDRESS` measures what things cost in one.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from cluster import own_postgres
from corpus import FIRST_AT, batches, publisher_name
from figures import Figure, Stopwatch, main, percentile, resident_megabytes
from floors import postgres_bytes, postgres_floor, sqlite_bytes, sqlite_floor
from growth import COST_NAMES, Costs, measure_filled, measure_growth, processor_seconds
from questions import Question, questions
from wireroom.model import Article, Lead, Reading
from wireroom.ports import Store
from wireroom.store import open_store

PAGE = 20  # articles shown for a query
LEASE = timedelta(minutes=5)
NOW = FIRST_AT + timedelta(days=900)
PEER, PEER_MODULE = "sqlite-utils", "sqlite_utils"
LEAD_BATCH = 5_000
TAKEN, TAKES = 100, 10
ASKED_AGAIN = 5
LEAST_BYTES = 20  # an article that a table or index takes to be listed
COLUMN_QUERIES = (  # no word in them, and hardly an article that matches
    "quality:>0.99",
    "quality:>0.99 lang:en",
    "arrived:2030",
    "arrived:<2000",
    "is:near-duplicate",
)


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    articles: int
    memory_mark: int
    """Articles held when memory is looked at for the first time."""
    batch: int
    """Articles in one commit."""
    floor: int
    """Articles saved by us and by the bare driver."""
    leads: int
    hosts: int
    every: int
    """Of the questions each so-manieth is asked."""
    grown: tuple[int, ...]
    """Articles held when costs are looked at."""


SHORT = Size(
    articles=300,
    memory_mark=100,
    batch=100,
    floor=300,
    leads=4_000,
    hosts=400,
    every=4,
    grown=(11_000, 13_000),
)
FULL = Size(
    articles=200_000,
    memory_mark=20_000,
    batch=500,
    floor=20_000,
    leads=1_000_000,
    hosts=20_000,
    every=1,
    grown=(10_000, 30_000, 100_000, 300_000, 1_000_000, 2_000_000),
)


@dataclass(frozen=True, slots=True)
class Results:
    """What was measured of one kind of store."""

    per_second: float
    took: Mapping[str, Sequence[float]]
    """Milliseconds of every query, by kind."""
    megabytes: Sequence[float]
    """Memory held at the mark and at the end."""

    @property
    def all_took(self) -> list[float]:
        """Milliseconds of every query of the mix."""
        return [took for kind in self.took.values() for took in kind]


@dataclass(frozen=True, slots=True)
class SavingCost:
    """What saving took."""

    per_second: float
    """Articles, by the clock."""
    processor: float
    """Microseconds an article."""


def measure(short: bool, parts: Sequence[str] = ()) -> Iterator[Figure]:
    """Every figure of the store, or those of some parts."""
    size = SHORT if short else FULL
    for name, part in _PARTS.items():
        if not parts or name in parts:
            yield from part(size)


def _articles(size: Size) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="wireroom-bench-") as folder:
        ours = _alone(measure_store, f"sqlite:///{folder}/ours.db", size)
        peer = (
            _alone(measure_peer, Path(folder, "peer.db"), size) if find_spec(PEER_MODULE) else None
        )
    yield from _article_figures("SQLite", size, ours, peer, rate_aim="≥ 3,000")


def _columns(size: Size) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="wireroom-bench-") as folder:
        took = _alone(measure_columns, f"sqlite:///{folder}/ours.db", size)
    for query, milliseconds in took.items():
        yield Figure(
            metric=f"SQLite: {query} among {size.floor:,} articles",
            unit="ms",
            ours=milliseconds,
            aim="< 200",
        )


def _leads(size: Size) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="wireroom-bench-") as folder:
        yield from _lead_figures("SQLite", size, f"sqlite:///{folder}/leads.db")


def _server_articles(size: Size) -> Iterator[Figure]:
    with own_postgres() as address:
        if address is not None:
            ours = _alone(measure_store, address, size)
            yield from _article_figures("PostgreSQL", size, ours, None, rate_aim="≥ 1,000")


def _server_leads(size: Size) -> Iterator[Figure]:
    with own_postgres() as address:
        if address is not None:
            yield from _lead_figures("PostgreSQL", size, address)


def _floor(size: Size) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="wireroom-bench-") as folder:
        filled, empty = Path(folder, "ours.db"), Path(folder, "bare.db")
        ours = _alone(measure_saving, f"sqlite:///{filled}", size)
        bare = _alone(sqlite_floor, filled, empty, size.floor, size.batch)
        held = list(sqlite_bytes(filled, size.floor))
    yield from _floor_figures("SQLite", size, ours, bare, held)


def _server_floor(size: Size) -> Iterator[Figure]:
    with own_postgres() as address:
        if address is not None:
            ours = _alone(measure_saving, address, size)
            held = list(postgres_bytes(address, size.floor))
            bare = _alone(postgres_floor, address, size.floor, size.batch)
            yield from _floor_figures("PostgreSQL", size, ours, bare, held)


def _floor_figures(
    database: str,
    size: Size,
    ours: SavingCost,
    bare: Mapping[str, float],
    held: Sequence[tuple[str, float]],
) -> Iterator[Figure]:
    """Our saving beside that of finished rows, then what each table takes."""
    rows = f"{size.floor:,} articles of 3 KB"
    floor = sum(cost for kind, cost in bare.items() if "without" not in kind)
    yield Figure(
        metric=f"{database}: {rows} saved", unit="articles/s by the clock", ours=ours.per_second
    )
    yield Figure(
        metric=f"{database}: {rows} saved, peer: their finished rows",
        unit="µs of processor an article",
        ours=ours.processor,
        peer=floor,
        peer_name="bare driver",
    )
    for kind, cost in bare.items():
        yield Figure(metric=f"{database}: finished rows of {kind}", unit="µs an article", ours=cost)
    for name, size_of in held:
        if size_of >= LEAST_BYTES:
            yield Figure(metric=f"{database}: {name}", unit="bytes an article", ours=size_of)


def _server_phrases(size: Size) -> Iterator[Figure]:
    with own_postgres() as address:
        if address is not None:
            _alone(measure_saving, address, replace(size, floor=size.articles))
            yield from _phrase_figures(address, size)


def _phrase_figures(address: str, size: Size) -> Iterator[Figure]:
    for kind, (clock, processor) in _alone(measure_phrases, address).items():
        metric = f"PostgreSQL: {kind}, {size.articles:,} articles, slowest of {len(clock)}"
        yield Figure(metric=metric, unit="ms", ours=max(clock), aim="< 150")
        yield Figure(metric=f"{metric}, processor time", unit="ms", ours=max(processor))


def _growth(size: Size) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="wireroom-bench-") as folder:
        costs = _alone(measure_growth, f"sqlite:///{folder}/ours.db", size.grown)
    yield from _growth_figures("SQLite", costs)


def _server_growth(size: Size) -> Iterator[Figure]:
    with own_postgres() as address:
        if address is not None:
            costs = _alone(measure_growth, address, size.grown)
            yield from _growth_figures("PostgreSQL", costs)


def _growth_figures(database: str, costs: Sequence[Costs]) -> Iterator[Figure]:
    for name, (label, unit) in COST_NAMES.items():
        for cost in costs:
            yield Figure(
                metric=f"{database}, {cost.articles:,} short articles held: {label}",
                unit=unit,
                ours=getattr(cost, name),
            )


_PARTS: dict[str, Callable[[Size], Iterator[Figure]]] = {
    "articles": _articles,
    "columns": _columns,
    "leads": _leads,
    "server-articles": _server_articles,
    "server-leads": _server_leads,
    "floor": _floor,
    "server-floor": _server_floor,
    "server-phrases": _server_phrases,
    "growth": _growth,
    "server-growth": _server_growth,
}


def _alone(do: Callable[..., Any], *arguments: object) -> Any:
    """What the function gives back in a process of its own, so that memory is its own too."""
    with get_context("spawn").Pool(1) as pool:  # ended with us, unlike an executor's
        return pool.apply(do, arguments)


# --- articles ----------------------------------------------------------------------------------


def measure_store(address: str, size: Size) -> Results:
    """Saves articles in our store and asks it every question."""
    with closing(open_store(address)) as store:

        def save(batch: list[Article]) -> None:
            store.save_readings([_reading(article) for article in batch], now=NOW)

        def ask(question: Question) -> None:
            store.search(question.text, limit=PAGE)

        return _results(save, ask, questions(), size)


def measure_saving(address: str, size: Size) -> SavingCost:
    """What saving takes in our store, and nothing but that."""
    watch, processor = Stopwatch(), 0.0
    with closing(open_store(address)) as store:
        for batch in batches(size.floor, size.batch):
            readings = [_reading(article) for article in batch]
            before = processor_seconds(address)
            with watch.running():
                store.save_readings(readings, now=NOW)
            processor += processor_seconds(address) - before
    return SavingCost(size.floor / watch.seconds, 1e6 * processor / size.floor)


def measure_phrases(address: str) -> dict[str, tuple[list[float], list[float]]]:
    """Milliseconds of each phrase, by the clock and of the processor, by kind; the second time it is asked."""
    took: dict[str, tuple[list[float], list[float]]] = {}
    with closing(open_store(address)) as store:
        for question in questions():
            if "phrase" not in question.kind:
                continue
            store.search(question.text, limit=PAGE)
            watch, before = Stopwatch(), processor_seconds(address)
            with watch.running():
                store.search(question.text, limit=PAGE)
            clock, processor = took.setdefault(question.kind, ([], []))
            clock.append(1000 * watch.seconds)
            processor.append(1000 * (processor_seconds(address) - before))
    return took


def measure_columns(address: str, size: Size) -> dict[str, float]:
    """Milliseconds of each query that no word narrows down, the middle of several times."""
    took = {}
    with closing(open_store(address)) as store:
        for batch in batches(size.floor, size.batch):
            store.save_readings([_reading(article) for article in batch], now=NOW)
        for query in COLUMN_QUERIES:
            watch = Stopwatch()
            for _ in range(ASKED_AGAIN):
                with watch.running():
                    store.search(query, limit=PAGE)
            took[query] = percentile([lap * 1000 for lap in watch.laps], 0.5)
    return took


def measure_peer(path: Path, size: Size) -> Results:
    """Saves the same articles in the peer and asks it what it can be asked."""
    import sqlite_utils

    with closing(sqlite_utils.Database(path)) as database:
        database.enable_wal()
        table: Any = database["article"]
        table.create(dict.fromkeys(_row(next(batches(1, 1))[0]), str), pk="id")
        table.create_index(["published_at"])
        table.enable_fts(["title", "text", "authors", "tags"], create_triggers=True)

        def save(batch: list[Article]) -> None:
            table.insert_all(map(_row, batch), batch_size=size.batch)

        def ask(question: Question) -> None:
            list(_found(table, question))

        return _results(save, ask, [question for question in questions() if question.match], size)


def _reading(article: Article) -> Reading:
    lead = Lead(url=article.url, publisher=article.publisher, state="read")
    return Reading(lead=lead, article=article)


def _results(
    save: Callable[[list[Article]], None],
    ask: Callable[[Question], None],
    asked: Sequence[Question],
    size: Size,
) -> Results:
    watch = Stopwatch()
    megabytes = []
    took: dict[str, list[float]] = {}
    for number, batch in enumerate(batches(size.articles, size.batch), 1):
        with watch.running():
            save(batch)
        if number * size.batch in (size.memory_mark, size.articles):
            took = _ask_all(ask, asked[:: size.every])
            megabytes.append(resident_megabytes())
    return Results(size.articles / watch.seconds, took, tuple(megabytes))


def _ask_all(ask: Callable[[Question], None], asked: Sequence[Question]) -> dict[str, list[float]]:
    """Milliseconds each question took, by its kind."""
    took: dict[str, list[float]] = {}
    for question in asked:
        watch = Stopwatch()
        with watch.running():
            ask(question)
        took.setdefault(question.kind, []).append(watch.seconds * 1000)
    return took


def _row(article: Article) -> dict[str, str]:
    return {
        "id": article.id,
        "publisher": article.publisher,
        "url": article.url,
        "title": article.title,
        "authors": "\n".join(article.authors),
        "published_at": article.published_at.isoformat() if article.published_at else "",
        "fetched_at": article.fetched_at.isoformat(),
        "language": article.language,
        "tags": "\n".join(article.tags),
        "description": article.description,
        "text": article.text,
        "text_hash": article.text_hash,
        "extra": json.dumps({"word_count": article.word_count}),
    }


def _found(table: Any, question: Question) -> Iterable[dict[str, Any]]:
    found: Iterable[dict[str, Any]] = table.search(
        question.match,
        order_by="published_at desc",
        limit=PAGE,
        where=question.where or None,
        where_args=question.values,
    )
    return found


def _article_figures(
    database: str, size: Size, ours: Results, peer: Results | None, *, rate_aim: str
) -> Iterator[Figure]:
    compared = partial(Figure, peer_name=PEER if database == "SQLite" else "")
    yield compared(
        metric=f"{database}: {size.articles:,} articles of 3 KB saved",
        unit="articles/s",
        ours=ours.per_second,
        peer=peer.per_second if peer else None,
        aim=rate_aim,
    )
    for part, aim in ((0.5, ""), (0.95, "< 80")):
        yield compared(
            metric=f"{database}: query, p{part * 100:.0f}",
            unit="ms",
            ours=percentile(ours.all_took, part),
            peer=percentile(peer.all_took, part) if peer else None,
            aim=aim,
        )
    for kind, took in sorted(ours.took.items()):
        peer_took = peer.took.get(kind) if peer else None
        yield compared(
            metric=f"{database}: query ({kind}), p95",
            unit="ms",
            ours=percentile(took, 0.95),
            peer=percentile(peer_took, 0.95) if peer_took else None,
        )
    yield compared(
        metric=f"{database}: memory",
        unit="MB",
        ours=ours.megabytes[1],
        peer=peer.megabytes[1] if peer else None,
    )
    yield compared(
        metric=f"{database}: memory, against {size.memory_mark:,} articles",
        unit="times",
        ours=ours.megabytes[1] / ours.megabytes[0],
        peer=peer.megabytes[1] / peer.megabytes[0] if peer else None,
        aim="≤ 1.2",
    )


# --- leads -------------------------------------------------------------------------------------


def _lead_figures(database: str, size: Size, address: str) -> Iterator[Figure]:
    """How long taking due leads takes at most; nobody else does this, so there is no peer."""
    with closing(open_store(address)) as store:
        watch = Stopwatch()
        for batch in _lead_batches(size):
            with watch.running():
                store.save_leads(batch, now=NOW)
        yield Figure(
            metric=f"{database}: {size.leads:,} leads added",
            unit="leads/s",
            ours=size.leads / watch.seconds,
        )
        took = _take_leads(store)
    yield Figure(
        metric=f"{database}: {TAKEN} due leads taken",
        unit="ms",
        ours=max(took),
        aim="< 50",
    )


def _lead_batches(size: Size) -> Iterator[list[Lead]]:
    """Leads of many hosts, half of them on one."""
    for start in range(0, size.leads, LEAD_BATCH):
        numbers = range(start, min(start + LEAD_BATCH, size.leads))
        yield [_lead(number, number % size.hosts if number % 2 else 0) for number in numbers]


def _lead(number: int, host: int) -> Lead:
    domain = publisher_name(host)
    return Lead(url=f"https://{domain}/news/{number}", publisher=domain)


def _take_leads(store: Store) -> list[float]:
    """Milliseconds of each of several holders that take leads after one another and keep them."""
    watch = Stopwatch()
    for number in range(TAKES):
        with watch.running():
            taken = store.take_leads(holder=f"holder{number}", now=NOW, limit=TAKEN, lease=LEASE)
        if len(taken) < TAKEN:
            raise RuntimeError("there were not enough due leads to take")
    return [lap * 1000 for lap in watch.laps]


def _wanted_parts() -> tuple[argparse.Namespace, list[str]]:
    """The parts asked for, and the options every bench has."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--only", action="append", choices=list(_PARTS), default=[])
    parser.add_argument("--phrases-of", default="", metavar="ADDRESS")
    parser.add_argument("--growth-of", default="", metavar="ADDRESS")
    return parser.parse_known_args()


def _measure_wanted(short: bool, options: argparse.Namespace) -> Iterator[Figure]:
    """The parts; or what is asked of a store that holds the articles already."""
    if options.growth_of:
        database = "SQLite" if options.growth_of.startswith("sqlite") else "PostgreSQL"
        return _growth_figures(database, [measure_filled(options.growth_of)])
    if options.phrases_of:
        return _phrase_figures(options.phrases_of, SHORT if short else FULL)
    return measure(short, options.only)


if __name__ == "__main__":
    wanted, others = _wanted_parts()
    main(
        "store",
        partial(_measure_wanted, options=wanted),
        about=__doc__ or "",
        arguments=others,
        is_part=bool(wanted.only or wanted.phrases_of or wanted.growth_of),
    )
