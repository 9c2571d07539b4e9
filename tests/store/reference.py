"""What a search should find, by the slow and certain way, and small articles and queries to try.

The reference looks at the words of an article place by place; SQLite is asked through a real index.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from operator import ge, gt, le, lt
from struct import Struct

import psycopg
from hypothesis import strategies as st

from wireroom.model import USES, Article, Receipt, Verdict
from wireroom.query import Phrase, Query
from wireroom.query.query_tree import (
    AllOf,
    AnyOf,
    CanonicalTerm,
    FacetTerm,
    NotNode,
    QualityTerm,
    QueryNode,
    WordTerm,
)
from wireroom.rights.policy import word_about
from wireroom.store.search.index_terms import FTS5_TOKENIZER, Indexed, index_article

COLUMNS = ("text", "title", "authors", "tags", "facets")


def _has(words: Sequence[str], phrase: Phrase) -> bool:
    """The reference: whether the words hold the phrase, looked for place by place."""
    length = len(phrase.words)
    for start in range(len(words) - length + 1):
        here = tuple(words[start : start + length])
        if here == phrase.words:
            return True
        if (
            phrase.is_open
            and here[:-1] == phrase.words[:-1]
            and here[-1].startswith(phrase.words[-1])
        ):
            return True
    return False


def _term_holds(indexed: Indexed, term: WordTerm) -> bool:
    columns = (term.column,) if term.column else ("title", "text", "authors", "tags")
    return any(_has(getattr(indexed, column).split(), term.phrase) for column in columns)


def holds(node: QueryNode, article: Article) -> bool:
    """The reference: whether an article is what a node asks for, by looking at the article alone."""
    if isinstance(node, NotNode):
        return not holds(node.node, article)
    if isinstance(node, AllOf):
        return all(holds(each, article) for each in node.nodes)
    if isinstance(node, AnyOf):
        return any(holds(each, article) for each in node.nodes)
    if isinstance(node, WordTerm):
        return _term_holds(index_article(article), node)
    if isinstance(node, FacetTerm):
        return _facet_holds(node, article)
    if isinstance(node, QualityTerm):
        return bool(_COMPARISONS[node.comparison](article.quality, node.value))
    if isinstance(node, CanonicalTerm):
        return node.is_canonical
    if node.field == "arrived":
        return (article.fetched_at >= node.at) is node.is_after
    return ((article.published_at or article.fetched_at) >= node.at) is node.is_after


_COMPARISONS = {">": gt, ">=": ge, "<": lt, "<=": le}


def _facet_holds(term: FacetTerm, article: Article) -> bool:
    if term.field == "rights":
        use, _, word = term.value.partition("=")
        return word_about(article.receipt, use) == word  # type: ignore[arg-type] # a use, as the reader checked
    if term.field == "lang":
        held = article.language_tag.lower()
        return held == term.value or held.startswith(f"{term.value}-")
    values = {
        "publisher": article.publisher,
        "feed": article.feed_url,
        "paywall": article.paywall,
        "state": article.state,
    }
    return values[term.field] == term.value


def found_by_reference(corpus: Sequence[Article], query: Query) -> list[int]:
    return [number for number, held in enumerate(corpus, 1) if holds(query.root, held)]


def found_by_fts5(corpus: Sequence[Indexed], matches: Sequence[str]) -> Iterator[list[int]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(
            f"CREATE VIRTUAL TABLE f USING fts5({', '.join(COLUMNS)}, content='',"
            f' tokenize="{FTS5_TOKENIZER}")'
        )
        connection.executemany(
            f"INSERT INTO f (rowid, {', '.join(COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?)",
            [
                (number, *(getattr(indexed, column) for column in COLUMNS))
                for number, indexed in enumerate(corpus, 1)
            ],
        )
        for match in matches:
            rows = connection.execute("SELECT rowid FROM f WHERE f MATCH ? ORDER BY rowid", [match])
            yield [number for (number,) in rows]


def lexemes_of(vector: bytes) -> dict[str, str]:
    """The words of a packed tsvector with their places and weights, as PostgreSQL writes them."""
    found, rest = {}, vector[4:]
    for _ in range(int.from_bytes(vector[:4], "big")):
        word, _, rest = rest.partition(b"\0")
        size = 2 * int.from_bytes(rest[:2], "big")
        places = [int.from_bytes(rest[2 + at : 4 + at], "big") for at in range(0, size, 2)]
        found[word.decode()] = ",".join(
            f"{place & 0x3FFF}{' CBA'[place >> 14]}".strip() for place in places
        )
        rest = rest[2 + size :]
    assert not rest
    return found


def copy_vectors(connection: psycopg.Connection, vectors: Sequence[bytes]) -> None:
    """Puts vectors into the table `article_words`, numbered from 1."""
    rows = [
        Struct(">hiqi").pack(2, 8, number, len(vector)) + vector
        for number, vector in enumerate(vectors, 1)
    ]
    copying = "COPY article_words FROM STDIN (FORMAT BINARY)"
    with connection.cursor() as cursor, cursor.copy(copying) as copy:
        copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8) + b"".join(rows) + b"\xff\xff")


SNIPPETS = st.sampled_from(
    [
        "storm",
        "surge",
        "Storm's",
        "café",
        "cafe",
        "don't",
        "a",
        "5",
        "5月3日",
        "東京",
        "東京都",
        "京",
        "京都の",
        "서울에서",
        "서울",
        "산",
        "ไทย",
        "ภาษาไทย",
        "हिन्दी",
        "Ёлка",
        "كِتَاب",
        "jane",
        "doe",
        "Doe-Ott",
        "la",
        "U.S.",
    ]
)
SENTENCES = st.lists(st.tuples(SNIPPETS, st.sampled_from([" ", " ", ", ", ""])), max_size=8).map(
    lambda pieces: "".join(word + after for word, after in pieces)
)
PUBLISHERS = st.sampled_from(["a.test", "b.test"])
LANGUAGES = st.sampled_from(["", "en", "zh-Hant", "zh"])
FEEDS = ("https://a.test/feed", "https://a.test/feed?x", "https://b.test/rss")
QUALITIES = (0.0, 0.25, 0.5, 0.75, 1.0)
FIRST_DAY = datetime(2026, 5, 1, tzinfo=UTC)
WORDS_OF_RIGHTS = ("allow", "deny", "paid", "unknown")


@st.composite
def article_samples(draw: st.DrawFn) -> Article:
    tag = draw(LANGUAGES)
    at = FIRST_DAY + timedelta(hours=draw(st.integers(0, 96)))
    words = draw(
        st.dictionaries(st.sampled_from(USES), st.sampled_from(WORDS_OF_RIGHTS), max_size=3)
    )
    verdicts = tuple(Verdict(use=use, value=word) for use, word in words.items())  # type: ignore[arg-type] # words of rights
    return Article(
        id="x",
        publisher=draw(PUBLISHERS),
        url="https://a.test/x",
        title=draw(SENTENCES),
        fetched_at=at,
        published_at=draw(st.sampled_from([None, at - timedelta(days=1), at])),
        authors=tuple(draw(st.lists(SENTENCES, max_size=2))),
        tags=tuple(draw(st.lists(SENTENCES, max_size=2))),
        language=tag[:2],
        language_tag=tag,
        description=draw(SENTENCES),
        text=draw(SENTENCES),
        feed_url=draw(st.sampled_from(["", *FEEDS])),
        quality=draw(st.sampled_from(QUALITIES)),
        paywall=draw(st.sampled_from(["free", "locked", "unknown"])),
        state=draw(st.sampled_from(["held", "held", "withdrawn"])),
        receipt=Receipt(verdicts=verdicts, robots="allowed", checked_at=FIRST_DAY)
        if words
        else None,
    )


_VALUES = {
    "publisher:": PUBLISHERS,
    "lang:": st.sampled_from(["en", "zh", "zh-hant"]),
    "feed:": st.sampled_from([f'"{url}"' for url in FEEDS]),
    "paywall:": st.sampled_from(["free", "locked"]),
    "state:": st.sampled_from(["held", "withdrawn"]),
    "rights:": st.builds(
        "{}={}".format, st.sampled_from(USES), st.sampled_from(WORDS_OF_RIGHTS)
    ),
}  # fmt: skip
_COLUMN_VALUES = {
    "quality:": st.builds("{}{}".format, st.sampled_from([">", ">=", "<", "<="]), st.sampled_from(QUALITIES)),
    "after:": st.integers(1, 4).map("2026-05-0{}".format),
    "before:": st.integers(1, 4).map("2026-05-0{}T12:00Z".format),
    "arrived:": st.integers(1, 4).map("2026-05-0{}".format),
}  # fmt: skip


@st.composite
def _pieces(draw: st.DrawFn, values: dict[str, st.SearchStrategy[str]], depth: int) -> str:
    minus = draw(st.sampled_from(["", "", "", "-"]))
    if depth and draw(st.integers(0, 3)) == 0:
        return f"{minus}({draw(_sequences(values, depth - 1))})"
    name = draw(st.sampled_from(["", "", "", "title:", "author:", "tag:", *values]))
    if name in values:
        return f"{minus}{name}{draw(values[name])}"
    words = draw(st.lists(SNIPPETS, min_size=1, max_size=3))
    value = f'"{" ".join(words)}"' if draw(st.booleans()) else words[0]
    last = words[-1] if value.startswith('"') else words[0]
    return f"{minus}{name}{value}{'*' if last in OPEN and draw(st.booleans()) else ''}"


def _sequences(values: dict[str, st.SearchStrategy[str]], depth: int) -> st.SearchStrategy[str]:
    piece = _pieces(values, depth)
    joined = st.lists(
        st.tuples(piece, st.sampled_from([" ", " ", " OR ", " AND "])), min_size=1, max_size=3
    )
    return joined.map(
        lambda pairs: "".join(text + joint for text, joint in pairs[:-1]) + pairs[-1][0]
    )


OPEN = frozenset({"storm", "surge", "cafe", "jane", "la", "東京", "산"})
"""Snippets behind which a * may stand: their last word is long enough."""


def query_samples() -> st.SearchStrategy[str]:
    """Queries that the index of words alone can answer, brackets and OR included."""
    return _sequences(_VALUES, 2)


def whole_query_samples() -> st.SearchStrategy[str]:
    """Queries with every field; dates that exclude one another among them are refused."""
    return _sequences(_VALUES | _COLUMN_VALUES, 2)
