"""The full-text index on PostgreSQL: a slim table of tsvectors beside the articles.

Apart from the articles, so that going through the hits of a frequent word touches small rows only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, text

from wireroom.store.rows import add_rows
from wireroom.store.schema import ARTICLE_WORDS
from wireroom.store.search.index_terms import Indexed, tsvector
from wireroom.store.search.query import Query, tsquery

_WEIGHTS = "{0.1, 0.5, 0.5, 1.0}"  # text, tags, authors, title; as on SQLite the title says most

RECENT = 500  # articles; a few milliseconds, and enough for every word that is not rare

_REMOVE = f"DELETE FROM {ARTICLE_WORDS} WHERE position = ANY(:positions)"  # noqa: S608 - names of our own
_CLEAR = f"DELETE FROM {ARTICLE_WORDS}"  # noqa: S608 - names of our own
# Most searches are answered by the newest articles. This reads so many and no more, in order.
_RECENT = f"""
    SELECT position FROM (
        SELECT position, words FROM {ARTICLE_WORDS}
         WHERE position >= :floor AND position < :below ORDER BY position DESC LIMIT {RECENT}
    ) AS recent
     WHERE words @@ CAST(:match AS tsquery) ORDER BY position DESC LIMIT :limit
"""  # noqa: S608 - names of our own
# What the newest do not answer is rare: "+ 0" keeps PostgreSQL from looking for it in order, article
# by article. A phrase of frequent words can only be found in that way, so there it may choose.
_NEWEST = f"""
    SELECT position FROM {ARTICLE_WORDS}
     WHERE words @@ CAST(:match AS tsquery) AND position >= :floor AND position < :below
     ORDER BY position DESC LIMIT :limit
"""  # noqa: S608 - names of our own
_RARE = _NEWEST.replace("ORDER BY position", "ORDER BY position + 0")
_BEST = f"""
    SELECT position FROM {ARTICLE_WORDS}
     WHERE words @@ CAST(:match AS tsquery) AND position >= :floor AND position < :below
     ORDER BY ts_rank_cd('{_WEIGHTS}', words, CAST(:match AS tsquery)) DESC, position DESC
     LIMIT :limit OFFSET :skip
"""  # noqa: S608 - names of our own


class Tsvectors:
    """The index of a PostgreSQL store."""

    def add(self, conn: Connection, words: Iterable[tuple[int, Indexed]]) -> None:
        """Adds articles."""
        rows = ((position, tsvector(terms)) for position, terms in words)
        add_rows(conn, ARTICLE_WORDS, ("position", "words"), rows)

    def remove(self, conn: Connection, words: Sequence[tuple[int, Indexed]]) -> None:
        """Takes out articles."""
        if words:
            conn.execute(text(_REMOVE), {"positions": [position for position, _ in words]})

    def clear(self, conn: Connection) -> None:
        """Forgets everything."""
        conn.exec_driver_sql(_CLEAR)

    def newest(
        self, conn: Connection, query: Query, *, floor: int, below: int, limit: int
    ) -> list[int]:
        """The highest matching positions from `floor` to under `below`."""
        values = {"match": tsquery(query), "floor": floor, "below": below, "limit": limit}
        recent = list(conn.execute(text(_RECENT), values).scalars())
        if len(recent) == limit:
            return recent
        has_phrase = any(len(term.phrase.words) > 1 for term in query.wanted)
        rest = _NEWEST if has_phrase else _RARE
        return list(conn.execute(text(rest), values).scalars())

    def best(
        self, conn: Connection, query: Query, *, floor: int, below: int, limit: int, skip: int
    ) -> list[int]:
        """Matching positions from `floor` to under `below`, most relevant first."""
        values = {"match": tsquery(query), "floor": floor, "below": below, "limit": limit}
        return list(conn.execute(text(_BEST), {**values, "skip": skip}).scalars())
