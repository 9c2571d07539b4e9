"""Mutated documents through every reader: none may end in anything but a result or a ParseError.

Pages, feeds, sitemaps and robots.txt files that we wrote ourselves are flipped, cut, spliced, repeated,
nested and recoded, always the same way for the same seed. They are read in a child process that is ended
when it takes too much, so that a crash of a parser's C code is found too. Whatever fails is printed with
the seed that makes it again: `python bench/fuzz.py` repeats nothing by chance.

Then every pattern of the program is tried against repeated pieces of itself (`patterns`), and every
reader with documents that repeat one piece (`repeats`); the growth of each is printed.
"""

from __future__ import annotations

import json
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import patterns
import repeats
from figures import Figure, main

REPOSITORY = Path(__file__).resolve().parent.parent
SOURCES = REPOSITORY / "tests" / "parse"
SEED = 20_261_115
MUTANTS = 3_000  # of all kinds together: some 6,000 readings
SHORT_MUTANTS = 100
BATCH = 250  # documents read by one child: a crash loses the rest of its batch, no more
MAX_SECONDS = 2.0  # of CPU for one document
MAX_MEGABYTES = 300  # a child may take over what interpreter and modules take
MAX_SIZE = 3_000_000  # bytes of a mutant: blocks are repeated and nested, but each is read in turn
HANGING = 20  # CPU seconds after which a reading is ended, whatever it does
SHORT_READERS = ("sitemap", "robots", "opml", "rsl", "tdmrep", "link header", "content usage")
PATIENCE = 1_500  # seconds for a batch on a machine that is busy with other things

KINDS = {
    "page": "*.html",
    "feed": "*.xml",
    "json feed": "*.json",
}
READERS: dict[str, tuple[str, ...]] = {
    "page": ("page links", "article"),
    "feed": ("feed", "sitemap"),
    "json feed": ("feed", "article"),
    "sitemap": ("sitemap", "feed"),
    "robots": ("robots", "page links"),
}


class Mutant(NamedTuple):
    """One document that nobody wrote."""

    kind: str
    seed: int
    body: bytes


# --- documents -----------------------------------------------------------------------------------


def seeds() -> dict[str, list[bytes]]:
    """What is mutated, by kind."""
    found = {
        kind: [file.read_bytes() for file in sorted(SOURCES.rglob(pattern))]
        for kind, pattern in KINDS.items()
    }
    found["json feed"] = [body for body in found["json feed"] if b"jsonfeed.org" in body]
    found["sitemap"] = [_SITEMAP, _NEWS_SITEMAP]
    found["robots"] = [_ROBOTS]
    return {kind: bodies for kind, bodies in found.items() if bodies}


_SITEMAP = (
    b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    + b"<url><loc>https://courier.test/a?b=1&amp;c=2</loc><lastmod>2026-11-15</lastmod></url>" * 30
    + b"</urlset>"
)
_NEWS_SITEMAP = _SITEMAP.replace(
    b"</url>",
    b'<n:news xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"><n:title><![CDATA[A & B]]></n:title>'
    b"<n:publication_date>2026-11-15T10:00:00Z</n:publication_date></n:news></url>",
)
_ROBOTS = (
    b"# All rights reserved\nUser-agent: *\nDisallow: /*/private$\nAllow: /\nCrawl-delay: 2\n"
    b"Content-Signal: ai-train=no\nLicense: https://courier.test/rsl.xml\n\nUser-agent: GPTBot\n"
    b"Disallow: /\nSitemap: https://courier.test/sitemap.xml\n"
) * 5


def mutants(count: int, seed: int = SEED) -> Iterator[Mutant]:
    """So many mutants, always the same ones; each can be made alone from its own seed."""
    bodies = seeds()
    kinds = sorted(bodies)
    for number in range(count):
        kind = kinds[number % len(kinds)]
        yield Mutant(kind, seed + number, mutant(bodies, kind, seed + number))


def mutant(bodies: dict[str, list[bytes]], kind: str, seed: int) -> bytes:
    """One mutant: an original after one to four changes."""
    chance = random.Random(seed)
    body = chance.choice(bodies[kind])
    for _ in range(chance.randint(1, 4)):
        change = chance.choice(CHANGES)
        other = chance.choice(bodies[chance.choice(sorted(bodies))])
        body = change(body, other, chance)[:MAX_SIZE]
    return body


# --- changes --------------------------------------------------------------------------------------


def _flip(body: bytes, _other: bytes, chance: random.Random) -> bytes:
    changed = bytearray(body)
    for _ in range(chance.randint(1, 40) if body else 0):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _cut(body: bytes, _other: bytes, chance: random.Random) -> bytes:
    start, end = sorted(chance.randrange(len(body) + 1) for _ in range(2))
    return chance.choice((body[:end], body[start:], body[:start] + body[end:]))


def _splice(body: bytes, other: bytes, chance: random.Random) -> bytes:
    place, taken = chance.randrange(len(body) + 1), chance.randrange(len(other) + 1)
    return body[:place] + other[taken : taken + 5_000] + body[place:]


def _repeat(body: bytes, _other: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(body) + 1)
    block = body[start : start + chance.randint(1, 400)]
    return body[:start] + block * chance.choice((10, 1_000, 20_000)) + body[start:]


def _nest(body: bytes, _other: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(body) + 1)
    tag = chance.choice(
        (b"<div>", b"<a>", b"<item>", b"<b><p>", b"[", b'{"a":', b"<table><td>", b"<!--")
    )
    return body[:place] + tag * chance.choice((100, 5_000, 100_000)) + body[place:]


def _recode(body: bytes, _other: bytes, chance: random.Random) -> bytes:
    text = body.decode("utf-8", "replace")
    codec = chance.choice(
        ("utf-16", "utf-32-be", "latin-1", "cp1251", "shift_jis", "utf-7", "gb18030")
    )
    return text.encode(codec, "replace")


def _swell(body: bytes, _other: bytes, chance: random.Random) -> bytes:
    """Attributes that are long or many, or both."""
    place = body.find(b">", chance.randrange(len(body) + 1))
    size = chance.choice((1_000, 50_000, 500_000))
    attribute = b' a="' + b"x" * size + b'"'
    many = b"".join(b' a%d="%d"' % (n, n) for n in range(size // 10))
    return body[:place] + chance.choice((attribute, many, b" " * size, b"'" * size)) + body[place:]


def _sprinkle(body: bytes, _other: bytes, chance: random.Random) -> bytes:
    pieces = (b"\0", b"\xff\xfe", b"&#xD800;", b"&#0;", b"]]>", b"<![CDATA[", b"<!DOCTYPE a [", b"\xed\xa0\x80", b"&nbsp", b"%00")  # fmt: skip
    for _ in range(chance.randint(1, 30)):
        place = chance.randrange(len(body) + 1)
        body = body[:place] + chance.choice(pieces) + body[place:]
    return body


CHANGES: tuple[Callable[[bytes, bytes, random.Random], bytes], ...] = (
    _flip,
    _cut,
    _splice,
    _repeat,
    _nest,
    _recode,
    _swell,
    _sprinkle,
)


# --- the child: reads and says what came of it -----------------------------------------------------


def _readers() -> dict[str, Callable[[bytes], object]]:
    from wireroom.parse.feed import read_feed
    from wireroom.parse.html import open_page
    from wireroom.parse.links import read_page_links
    from wireroom.parse.robots import read_robots
    from wireroom.parse.sitemap import read_sitemap

    url = "https://courier.test/a/b"
    extract = getattr(import_module("wireroom"), "extract", None)
    return {
        "feed": lambda body: read_feed(body, base_url=url),
        "sitemap": lambda body: read_sitemap(body, base_url=url),
        "robots": lambda body: read_robots(body).decide("wireroom", url),
        "page links": lambda body: read_page_links(open_page(body, url=url)),
        **({"article": lambda body: extract(body, url=url)} if extract else {}),
    }


def read_batch(first: int, count: int) -> None:
    """Reads mutants and prints a row each: kind, seed, reader, outcome, CPU seconds."""
    from wireroom.errors import ParseError

    readers = _readers()
    bodies = seeds()
    kinds = sorted(bodies)
    for kind in kinds:  # modules and models are loaded before anything is measured
        for name in READERS[kind]:
            _outcome(readers.get(name), bodies[kind][0], ParseError)
    _limit_memory()
    for number in range(first, first + count):
        kind, seed = kinds[number % len(kinds)], SEED + number
        body = mutant(bodies, kind, seed)
        for name in READERS[kind]:
            print(json.dumps([kind, seed, name, "begun", 0]), flush=True)
            signal.setitimer(signal.ITIMER_PROF, HANGING)  # its signal ends the process
            started = time.process_time()
            outcome = _outcome(readers.get(name), body, ParseError)
            row = [kind, seed, name, outcome, round(time.process_time() - started, 3)]
            print(json.dumps(row), flush=True)


def _outcome(
    reader: Callable[[bytes], object] | None, body: bytes, expected: type[Exception]
) -> str:
    if reader is None:
        return "no reader"
    try:
        reader(body)
    except expected:
        return "refused"
    except Exception as exc:  # noqa: BLE001 - any other exception is what we look for
        return f"{type(exc).__name__}: {exc}"[:200]
    return "read"


def _limit_memory() -> None:
    """So much more address space than now; whoever takes more gets a MemoryError."""
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc").exists() else 0
    if pages:
        limit = pages * resource.getpagesize() + MAX_MEGABYTES * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


# --- the bench -------------------------------------------------------------------------------------


def measure(short: bool) -> Iterator[Figure]:
    """How many documents were read or refused, and what else happened."""
    count = SHORT_MUTANTS if short else MUTANTS
    rows: list[list[object]] = []
    crashes = 0
    for first in range(0, count, BATCH):
        found, crashed = _run(first, min(BATCH, count - first))
        rows += found
        crashes += crashed
    outcomes = [str(row[3]) for row in rows]
    slow = [row for row in rows if float(str(row[4])) > MAX_SECONDS]
    wrong = [row for row in rows if row[3] not in {"read", "refused", "no reader"}]
    for row in (*slow, *wrong):
        print(json.dumps(row), file=sys.stderr)
    yield Figure(metric="readings of mutated documents", unit="readings", ours=len(rows))
    yield Figure(metric="read", unit="readings", ours=outcomes.count("read"))
    yield Figure(metric="refused with ParseError", unit="readings", ours=outcomes.count("refused"))
    yield Figure(metric="other exceptions", unit="readings", ours=len(wrong), aim="0")
    yield Figure(metric="over 2 CPU seconds", unit="readings", ours=len(slow), aim="0")
    yield Figure(metric="crashes, 300 MB passed or no end", unit="readings", ours=crashes, aim="0")
    longest = max((float(str(row[4])) for row in rows), default=0.0)
    yield Figure(metric="longest reading", unit="CPU s", ours=longest, aim="< 2")
    yield from _growths("patterns", patterns.WORST, _patterns(short))
    wanted = SHORT_READERS if short else ()
    rows_of_readers = repeats.all_growths(short=short, wanted=wanted)
    yield from _growths("places of documents", repeats.WORST, map(_judged_place, rows_of_readers))


def _patterns(short: bool) -> Iterator[tuple[bool, str]]:
    lengths, texts = (
        (patterns.SHORT_LENGTHS, patterns.SHORT_TEXTS) if short else (patterns.LENGTHS, None)
    )
    for found in patterns.patterns():
        row = patterns.growth(found, lengths, texts)
        yield row.is_bounded, patterns.described(row)


def _judged_place(row: repeats.Growth) -> tuple[bool, str]:
    return row.is_bounded, repeats.described(row)


def _growths(what: str, worst: float, rows: Iterable[tuple[bool, str]]) -> Iterator[Figure]:
    """How many there are and how many grow too fast; each is printed."""
    bounded = []
    for is_bounded, described in rows:
        print(described, file=sys.stderr)
        bounded.append(is_bounded)
    yield Figure(metric=f"{what} tried", unit=what, ours=len(bounded))
    metric = f"{what} worse than n^{worst}"
    yield Figure(metric=metric, unit=what, ours=bounded.count(False), aim="0")


def _run(first: int, count: int) -> tuple[list[list[object]], int]:
    """What one child read; its end before the last row is a crash of the document it had begun."""
    script = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import fuzz; fuzz.read_batch({first}, {count})"
    child = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        out, err = child.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        child.kill()
        out, err = child.communicate()
    rows = [json.loads(row) for row in out.splitlines() if row.endswith("]")]
    done = [row for row in rows if row[3] != "begun"]
    if child.returncode == 0:
        return done, 0
    print(
        f"ended with {child.returncode} in {rows[-1] if rows else first}: {err[-500:]}",
        file=sys.stderr,
    )
    return done, 1


if __name__ == "__main__":
    main("fuzz", measure, about="Mutated documents through every reader.")
