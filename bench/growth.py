"""How saving, searching, taking due leads and exporting grow with what is held. A part of the bench of the store.

One store is filled up to each size in turn, and looked at there. Articles are short (40 words of the usual vocabulary), so
that millions of them can be held; what grows with the number of rows and words is the same. PostgreSQL lets new words wait in a list of
bounded size, which each search reads: it is emptied before anything is looked at, for how full it is depends on the moment; the cost of
that is part of saving. Costs are processor time, of this process and
of the server together: a machine has other users, and the clock counts them too. Not a bench by itself.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, timedelta
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from corpus import FIRST_AT, Vocabulary, latin, made_articles, publisher_name
from figures import percentile
from wireroom.model import Article, Lead, Reading
from wireroom.ports import Store
from wireroom.store import open_store

BATCH = 500  # articles in one commit
WORDS = 40  # in a text
PAGE = 20
ASKED = 60  # questions at each size
TIMES = 9  # everything else is done at each size
TAKEN = 100
EXPORTED = 1_000  # newest changes
MORE = 10_000  # articles saved into a store that was filled before
OPEN_LEADS = 10  # a lead is open for each so-manieth article
LEADS_ON_HOST = 50
LEASE = timedelta(minutes=5)
NOW = FIRST_AT + timedelta(days=9_000)
COUNTED = 10_000  # newest matches, as pages do
UNHURRIED = timedelta(minutes=5)  # what facets cost is the question, not how many come in 200 ms


@dataclass(frozen=True, slots=True)
class Costs:
    """What things cost with so many articles held, in processor time."""

    articles: int
    saved: float
    """Microseconds an article, over all that were saved since the size before."""
    search_p50: float
    search_p95: float
    facets: float
    """Milliseconds for count, facets and days of a frequent word, of its newest 10,000 matches."""
    taken: float
    """Milliseconds in which 100 due leads are taken, the middle of ten."""
    exported: float
    """Milliseconds for the newest 1,000 changes."""


COST_NAMES = {
    "saved": ("an article saved", "µs"),
    "search_p50": ("search, p50", "ms"),
    "search_p95": ("search, p95", "ms"),
    "facets": ("facets of a frequent word", "ms"),
    "taken": ("100 due leads taken", "ms"),
    "exported": ("newest 1,000 changes read for an export", "ms"),
}


def measure_growth(address: str, sizes: Sequence[int]) -> list[Costs]:
    """The costs at each size."""
    source = _small_articles()
    found: list[Costs] = []
    with closing(open_store(address)) as store:
        for held, size in pairwise((0, *sizes)):
            saved = _save(store, address, source, size - held)
            _add_leads(store, range(held // OPEN_LEADS, size // OPEN_LEADS))
            sorted_in = _sort_in(address) / (size - held)
            found.append(_look(store, address, size, saved + sorted_in))
            print(found[-1], file=sys.stderr, flush=True)  # the next size takes minutes
    return found


def measure_filled(address: str) -> Costs:
    """The costs in a store that was filled before, by this bench or otherwise with such articles; some more are saved into it."""
    with closing(open_store(address)) as store:
        held = store.counts()["articles"]
        saved = _save(store, address, _small_articles(first=held), MORE)
        return _look(store, address, held + MORE, saved + _sort_in(address) / MORE)


def _save(store: Store, address: str, source: Iterator[Article], count: int) -> float:
    """Saves so many; seconds of processor time for each."""
    spent = 0.0
    for _ in range(0, count, BATCH):
        readings = [_reading(article) for article in islice(source, BATCH)]
        before = processor_seconds(address)
        store.save_readings(readings, now=NOW)
        spent += processor_seconds(address) - before
    return spent / count


def _sort_in(address: str) -> float:
    """Has PostgreSQL sort the words into its index that wait for it; seconds of processor time."""
    if address.startswith("sqlite"):
        return 0.0
    import psycopg

    before = processor_seconds(address)
    with psycopg.connect(address) as conn:
        conn.execute("SELECT gin_clean_pending_list('article_words_by_words')")
    return processor_seconds(address) - before


def _look(store: Store, address: str, size: int, saved: float) -> Costs:
    spent = partial(_spent, address)
    word = latin().words[5]
    count = partial(
        store.hits.summary, word, use="search", zone=UTC, most=COUNTED, within=UNHURRIED
    )
    asked = [spent(partial(store.search, text, limit=PAGE)) for text in _questions()]
    last = store.counts()["articles"] - EXPORTED
    return Costs(
        articles=size,
        saved=1e6 * saved,
        search_p50=percentile(asked, 0.5),
        search_p95=percentile(asked, 0.95),
        facets=percentile([spent(count) for _ in range(TIMES)], 0.5),
        taken=percentile([_take(store, spent) for _ in range(TIMES)], 0.5),
        exported=percentile(
            [spent(lambda: list(store.changed_articles(after=last))) for _ in range(TIMES)], 0.5
        ),
    )


def _spent(address: str, do: Callable[[], object]) -> float:
    """Milliseconds of processor time."""
    before = processor_seconds(address)
    do()
    return 1000 * (processor_seconds(address) - before)


def _take(store: Store, spent: Callable[[Callable[[], object]], float]) -> float:
    """Milliseconds of one taking; what was taken is given back."""
    taken: list[Lead] = []
    take = partial(store.take_leads, holder="growth", now=NOW, limit=TAKEN, lease=LEASE)
    took = spent(lambda: taken.extend(take(per_host=10)))
    if len(taken) < TAKEN:
        raise RuntimeError("there were not enough due leads to take")
    store.release(holder="growth", now=NOW)
    return took


def _add_leads(store: Store, numbers: range) -> None:
    for start in range(numbers.start, numbers.stop, 1_000):
        part = range(start, min(start + 1_000, numbers.stop))
        store.save_leads([_lead(number) for number in part], now=NOW)


def _lead(number: int) -> Lead:
    domain = f"host{number // LEADS_ON_HOST}.test"
    return Lead(url=f"https://{domain}/open/{number}", publisher=domain)


def _reading(article: Article) -> Reading:
    lead = Lead(url=article.url, publisher=article.publisher, state="read")
    return Reading(lead=lead, article=article)


def _small_articles(first: int = 0) -> Iterator[Article]:
    short: Vocabulary = replace(latin(), words_in_text=WORDS)
    return made_articles(lambda _: short, first=first)


def _questions() -> list[str]:
    """Of every kind, always the same: frequent and rare words, several, phrases, publishers, times."""
    chance = random.Random(17)
    words = latin().words

    def word(ranks: range) -> str:
        return words[chance.choice(ranks)]

    frequent, middle, rare = range(40), range(200, 3_000), range(20_000, 60_000)
    kinds: tuple[Callable[[], str], ...] = (
        lambda: word(frequent),
        lambda: word(rare),
        lambda: f"{word(middle)} {word(frequent)}",
        lambda: f'"{word(frequent)} {word(frequent)}"',
        lambda: f"{word(middle)} publisher:{publisher_name(chance.randrange(500))}",
        lambda: f"{word(frequent)} after:2024-02-01 before:2024-02-15",
    )
    return [kinds[number % len(kinds)]() for number in range(ASKED)]


# --- processor time ----------------------------------------------------------------------------


def processor_seconds(address: str) -> float:
    """What this process has used so far, and the server, if there is one; by the kernel's books."""
    folder = parse_qs(urlsplit(address).query).get("host", [""])[0]
    file = Path(folder, "data", "postmaster.pid")
    if not folder or not file.exists():
        return time.process_time()
    server = int(file.read_text().split()[0])
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    return time.process_time() + _of_ended(server) + sum(map(_on_processor, children))


def _on_processor(pid: str) -> float:
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
    except OSError:  # it has just ended
        return 0.0


def _of_ended(pid: int) -> float:
    """Seconds of the children of a process that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[13:15])) / os.sysconf("SC_CLK_TCK")
