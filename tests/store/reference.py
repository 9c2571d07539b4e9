"""What a search should find, by the slow and certain way, and small articles and queries to try.

The reference looks at the words of an article place by place; SQLite is asked through a real index.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime

from hypothesis import strategies as st

from wireroom.model import Article
from wireroom.store.search.index_terms import FTS5_TOKENIZER, Indexed, Phrase
from wireroom.store.search.query import Query, Term

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


def _term_matches(indexed: Indexed, term: Term) -> bool:
    columns = (term.column,) if term.column else ("title", "text", "authors", "tags")
    return any(_has(getattr(indexed, column).split(), term.phrase) for column in columns)


def _matches(indexed: Indexed, query: Query) -> bool:
    facets = set(indexed.facets.split())
    return (
        all(_term_matches(indexed, term) for term in query.wanted)
        and not any(_term_matches(indexed, term) for term in query.unwanted)
        and all(facets & set(group) for group in query.any_of)
        and not facets & set(query.none_of)
    )


def found_by_reference(corpus: Sequence[Indexed], query: Query) -> list[int]:
    return [number for number, indexed in enumerate(corpus, 1) if _matches(indexed, query)]


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


@st.composite
def article_samples(draw: st.DrawFn) -> Article:
    tag = draw(LANGUAGES)
    return Article(
        id="x",
        publisher=draw(PUBLISHERS),
        url="https://a.test/x",
        title=draw(SENTENCES),
        fetched_at=datetime(2026, 5, 3, tzinfo=UTC),
        authors=tuple(draw(st.lists(SENTENCES, max_size=2))),
        tags=tuple(draw(st.lists(SENTENCES, max_size=2))),
        language=tag[:2],
        language_tag=tag,
        description=draw(SENTENCES),
        text=draw(SENTENCES),
    )


@st.composite
def query_samples(draw: st.DrawFn) -> str:
    pieces = []
    for _ in range(draw(st.integers(1, 3))):
        minus = draw(st.sampled_from(["", "", "", "-"]))
        name = draw(st.sampled_from(["", "", "", "author:", "tag:", "publisher:", "lang:"]))
        if name == "publisher:":
            value = draw(PUBLISHERS)
        elif name == "lang:":
            value = draw(st.sampled_from(["en", "zh", "zh-hant"]))
        else:
            words = draw(st.lists(SNIPPETS, min_size=1, max_size=3))
            value = f'"{" ".join(words)}"' if draw(st.booleans()) else words[0]
        pieces.append(f"{minus}{name}{value}")
    return " ".join(pieces)
