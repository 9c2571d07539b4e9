"""Metadata: how often title, authors and date are right, and what they cost, against four peers.

The pages are the development pages of `wcxb.py` with the truth of their set; without them nothing can
be measured. Titles count exactly (case, quotes and blanks aside) and loosely (one holds the other, or
four words in five are shared). Authors are compared as sets of people, joined over all pages into one
F1. A date is right when its day is. A page without author or date is right when nothing is said.
"""

from __future__ import annotations

import gzip
import json
import logging
import re
import sys
import time
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import Any, NamedTuple

from figures import Figure, main
from wcxb import FOLDER

SHORT_PAGES = 40
FETCHED_AT = datetime(2026, 4, 1, tzinfo=UTC)  # the pages were fetched before
LOOSE = 0.8  # share of common words
_WORD = re.compile(r"\w+")
_PEOPLE = re.compile(r"\s*[,;|/]\s*(?:and\s+)?|\s+(?:and|&|und|et|y)\s+")
_DEGREE = re.compile(r"(?:[A-Z][a-z]?\.?){1,4}|[A-Z]{2,}\S*|Dr\.?|\W*")


class Page(NamedTuple):
    """A page and the truth about it."""

    id: str
    url: str
    kind: str
    title: str
    authors: frozenset[str]
    day: str

    def body(self) -> bytes:
        """The page as it was served."""
        return gzip.decompress((FOLDER / "html" / f"{self.id}.html.gz").read_bytes())


class Answer(NamedTuple):
    """What a reader says of a page; None for a field it does not know of at all."""

    title: str | None = ""
    authors: tuple[str, ...] | None = ()
    day: str | None = ""


Reader = Callable[[bytes, str], Answer]


def pages(short: bool, kinds: tuple[str, ...] = ("article",)) -> list[Page]:
    """The articles, or every so-manieth of them; pages of all kinds where none are named."""
    if not FOLDER.is_dir():
        return []
    with gzip.open(FOLDER / "truth.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    rows = [row for row in rows if not kinds or row["page_type"] in kinds]
    rows = rows[:: max(1, len(rows) // SHORT_PAGES)] if short else rows
    return [
        Page(
            row["id"],
            row["url"] or "",
            row["page_type"],
            row["title"] or "",
            people([row["author"] or ""]),
            (row["publish_date"] or "")[:10],
        )
        for row in rows
    ]


# --- readers --------------------------------------------------------------------------------------


def ours(body: bytes, url: str) -> Answer:
    """By wireroom, the parse included."""
    from wireroom.parse.html import open_page
    from wireroom.parse.metadata import read_metadata

    found = read_metadata(open_page(body, url=url).tree, url=url, fetched_at=FETCHED_AT)
    moment = found.published.value
    return Answer(
        found.title.value, found.authors.value, moment.local_day.isoformat() if moment else ""
    )


def by_trafilatura(body: bytes, url: str) -> Answer:
    """By trafilatura's metadata alone."""
    from trafilatura.metadata import extract_metadata

    found = extract_metadata(body, default_url=url)
    return Answer(found.title or "", (found.author or "",), found.date or "")


def by_htmldate(body: bytes, url: str) -> Answer:
    """By htmldate, asked for the original date."""
    from htmldate import find_date

    return Answer(None, None, find_date(body, url=url, original_date=True) or "")


def by_newspaper(body: bytes, url: str) -> Answer:
    """By newspaper4k, images and natural-language steps off."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it asks for parts that are not needed here
        from newspaper import Article

    article = Article(url or "https://example.test/", fetch_images=False)
    article.download(input_html=body.decode("utf-8", "replace"))
    article.parse()
    day = article.publish_date
    return Answer(
        article.title or "", tuple(article.authors), day.date().isoformat() if day else ""
    )


def by_extruct(body: bytes, url: str) -> Answer:
    """By extruct and the thinnest mapping: the first article node, then OpenGraph, then microdata."""
    import extruct

    found = extruct.extract(
        body.decode("utf-8", "replace"),
        base_url=url,
        syntaxes=["json-ld", "opengraph", "microdata"],
        uniform=True,
        errors="ignore",
    )
    nodes = list(_nodes(found["json-ld"])) + list(_nodes(found["microdata"]))
    article = next((node for node in nodes if _is_article(node)), {})
    graph = found["opengraph"][0] if found["opengraph"] else {}
    day = article.get("datePublished") or graph.get("article:published_time") or ""
    title = article.get("headline") or graph.get("og:title") or ""
    return Answer(str(title), tuple(_named(article.get("author"))), str(day)[:10])


def _nodes(values: Iterable[Any]) -> Iterator[dict[str, Any]]:
    for value in values:
        if isinstance(value, dict):
            yield value
            yield from _nodes(value.get("@graph") or ())


def _is_article(node: dict[str, Any]) -> bool:
    return any(word in str(node.get("@type")) for word in ("Article", "BlogPosting"))


def _named(value: Any) -> Iterator[str]:
    for person in value if isinstance(value, list) else [value]:
        name = person.get("name") if isinstance(person, dict) else person
        if isinstance(name, str):
            yield name


PEERS: dict[str, Reader] = {
    "trafilatura": by_trafilatura,
    "htmldate": by_htmldate,
    "extruct and a mapping": by_extruct,
    "newspaper4k": by_newspaper,
}


MODULES = {
    "trafilatura": "trafilatura",
    "htmldate": "htmldate",
    "extruct and a mapping": "extruct",
    "newspaper4k": "newspaper",
}


# --- scores ---------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """The text without regard to case, accents of typography and blanks."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(_WORD.findall(text))


def people(texts: Iterable[str]) -> frozenset[str]:
    """The names in a list of names, whatever joins them; degrees left out, order of words too."""
    found = set()
    for text in texts:
        for name in _PEOPLE.split(text or ""):
            if not _DEGREE.fullmatch(name):
                found.add(" ".join(sorted(plain(name).split())))
    return frozenset(found - {""})


def is_alike(left: str, right: str) -> bool:
    """Whether two titles mean the same one."""
    left, right = plain(left), plain(right)
    if not left or not right:
        return left == right
    if left in right or right in left:
        return True
    words, others = set(left.split()), set(right.split())
    return 2 * len(words & others) / (len(words) + len(others)) >= LOOSE


class Scores(NamedTuple):
    """All shares in percent; None for what the reader does not offer."""

    exact: float | None
    loose: float | None
    authors: float | None
    no_author: float | None
    day: float | None
    no_date: float | None
    milliseconds: float


def scored(reader: Reader, truth: list[Page]) -> Scores:
    """How right a reader is over all pages, and its CPU time a page."""
    answers: list[Answer] = []
    spent = 0.0
    _asked(reader, truth[0].body(), truth[0].url)  # what it imports is not counted
    for page in truth:
        body = page.body()
        started = time.process_time()
        answers.append(_asked(reader, body, page.url))
        spent += time.process_time() - started
    pairs = list(zip(truth, answers, strict=True))
    return Scores(
        *_title_scores(pairs), *_author_scores(pairs), *_day_scores(pairs), 1e3 * spent / len(truth)
    )


def _asked(reader: Reader, body: bytes, url: str) -> Answer:
    try:
        return reader(body, url)
    except Exception as exc:  # noqa: BLE001 - a peer may fail in any way; that is part of the result
        logging.getLogger(__name__).debug("%s: %s", reader.__name__, exc)
        return Answer()


Pairs = list[tuple[Page, Answer]]


def _share(hits: Iterable[bool]) -> float | None:
    found = list(hits)
    return 100 * sum(found) / len(found) if found else None


def _title_scores(pairs: Pairs) -> tuple[float | None, float | None]:
    known = [
        (page, answer.title) for page, answer in pairs if page.title and answer.title is not None
    ]
    exact = _share(plain(page.title) == plain(title) for page, title in known)
    return exact, _share(is_alike(page.title, title) for page, title in known)


def _author_scores(pairs: Pairs) -> tuple[float | None, float | None]:
    known = [(page, people(answer.authors)) for page, answer in pairs if answer.authors is not None]
    if not known:
        return None, None
    hits = sum(len(page.authors & names) for page, names in known)
    total = sum(len(page.authors) + len(names) for page, names in known)
    return 200 * hits / max(1, total), _share(
        not names for page, names in known if not page.authors
    )


def _day_scores(pairs: Pairs) -> tuple[float | None, float | None]:
    known = [(page, answer.day) for page, answer in pairs if answer.day is not None]
    right = _share(page.day == day[: len(page.day)] for page, day in known if page.day)
    return right, _share(not day for page, day in known if not page.day)


METRICS = {
    "exact": ("title exact", "%"),
    "loose": ("title loose", "%"),
    "authors": ("authors F1", "%"),
    "no_author": ("no author, and none said", "%"),
    "day": ("date, day right", "%"),
    "no_date": ("no date, and none said", "%"),
    "milliseconds": ("CPU a page, parse included", "ms"),
}


def measure(short: bool) -> Iterator[Figure]:
    """Every metric against every peer that offers it."""
    logging.disable(logging.CRITICAL)  # peers complain about pages
    truth = pages(short)
    if not truth:
        yield Figure(metric="pages to measure on", unit="pages", ours=0)
        return
    mine = scored(ours, truth)
    for name, reader in PEERS.items():
        if find_spec(MODULES[name]) is None:
            yield Figure(metric=f"title exact, against {name}", unit="%", ours=mine.exact or 0.0, peer_name=name)  # fmt: skip
            continue
        theirs = scored(reader, truth)
        for key, (metric, unit) in METRICS.items():
            value, peer = getattr(mine, key), getattr(theirs, key)
            if value is not None and peer is not None:
                yield Figure(metric=f"{metric}, against {name}", unit=unit, ours=value, peer=peer, peer_name=name)  # fmt: skip


if __name__ == "__main__":
    if "--rules" in sys.argv:
        from metadata_rules import report

        report(*sys.argv[sys.argv.index("--rules") + 1 :][:1])
        sys.exit()
    main("metadata", measure, about="How right and how quick the metadata of pages is read.")
