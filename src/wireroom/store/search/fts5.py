"""The full-text index on SQLite: an FTS5 table that keeps words and no text.

Its rows are numbered by the articles' positions, so that newest first is the order in which FTS5
finds them, and a page of results costs what it shows, not what matches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, text

from wireroom.store.rows import add_rows
from wireroom.store.schema import ARTICLE_WORDS
from wireroom.store.search.index_terms import Indexed
from wireroom.store.search.query import Query, fts5_match

# The first one is written without its number, so the one with most words comes first.
_FIELDS = ("text", "title", "authors", "tags", "facets")
_WEIGHTS = "1.0, 10.0, 5.0, 5.0, 0.0"  # a word in the title says most, a facet says nothing

# A table without text has to be told what to forget.
_REMOVE = f"""
    INSERT INTO {ARTICLE_WORDS} ({ARTICLE_WORDS}, rowid, {", ".join(_FIELDS)})
    VALUES ('delete', ?, ?, ?, ?, ?, ?)
"""  # noqa: S608 - names of our own
_CLEAR = f"INSERT INTO {ARTICLE_WORDS} ({ARTICLE_WORDS}) VALUES ('delete-all')"  # noqa: S608 - names of our own
_NEWEST = f"""
    SELECT rowid FROM {ARTICLE_WORDS}
     WHERE {ARTICLE_WORDS} MATCH :match AND rowid >= :floor AND rowid < :below
     ORDER BY rowid DESC LIMIT :limit
"""  # noqa: S608 - names of our own
_BEST = f"""
    SELECT rowid FROM {ARTICLE_WORDS}
     WHERE {ARTICLE_WORDS} MATCH :match AND rowid >= :floor AND rowid < :below
     ORDER BY bm25({ARTICLE_WORDS}, {_WEIGHTS}), rowid DESC LIMIT :limit OFFSET :skip
"""  # noqa: S608 - names of our own


class Fts5:
    """The index of a SQLite store."""

    def add(self, conn: Connection, words: Iterable[tuple[int, Indexed]]) -> None:
        """Adds articles, lowest position first: any other order makes FTS5 write a piece per row."""
        add_rows(conn, ARTICLE_WORDS, ("rowid", *_FIELDS), (_values(*pair) for pair in words))

    def remove(self, conn: Connection, words: Sequence[tuple[int, Indexed]]) -> None:
        """Takes out articles with exactly the words they were added with."""
        if words:
            conn.exec_driver_sql(_REMOVE, [_values(*pair) for pair in words])

    def clear(self, conn: Connection) -> None:
        """Forgets everything."""
        conn.exec_driver_sql(_CLEAR)

    def newest(
        self, conn: Connection, query: Query, *, floor: int, below: int, limit: int
    ) -> list[int]:
        """The highest matching positions from `floor` to under `below`."""
        values = {"match": fts5_match(query), "floor": floor, "below": below, "limit": limit}
        return list(conn.execute(text(_NEWEST), values).scalars())

    def best(
        self, conn: Connection, query: Query, *, floor: int, below: int, limit: int, skip: int
    ) -> list[int]:
        """Matching positions from `floor` to under `below`, most relevant first."""
        values = {"match": fts5_match(query), "floor": floor, "below": below, "limit": limit}
        return list(conn.execute(text(_BEST), {**values, "skip": skip}).scalars())


def _values(position: int, words: Indexed) -> tuple[int, str, str, str, str, str]:
    return position, words.text, words.title, words.authors, words.tags, words.facets
