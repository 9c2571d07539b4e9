"""The full-text index on SQLite: an FTS5 table that keeps words and no text.

Its rows are numbered by the articles' positions, so that newest first is the order in which FTS5
finds them, and a page of results costs what it shows, not what matches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    column,
    exists,
    literal_column,
    select,
    table,
)

from wireroom.query.query_tree import AllOf, QueryNode
from wireroom.store import schema
from wireroom.store.rows import add_rows
from wireroom.store.schema import ARTICLE_WORDS
from wireroom.store.search.index_terms import Indexed
from wireroom.store.search.match_text import fts5_match
from wireroom.store.search.positions import Walk
from wireroom.store.search.search_plan import SearchPlan

# The first one is written without its number, so the one with most words comes first.
_FIELDS = ("text", "title", "authors", "tags", "facets")
_WEIGHTS = "1.0, 10.0, 5.0, 5.0, 0.0"  # a word in the title says most, a facet says nothing

# A table without text has to be told what to forget.
_REMOVE = f"""
    INSERT INTO {ARTICLE_WORDS} ({ARTICLE_WORDS}, rowid, {", ".join(_FIELDS)})
    VALUES ('delete', ?, ?, ?, ?, ?, ?)
"""  # noqa: S608 - names of our own
_CLEAR = f"INSERT INTO {ARTICLE_WORDS} ({ARTICLE_WORDS}) VALUES ('delete-all')"  # noqa: S608 - names of our own

_words = table(ARTICLE_WORDS, column("rowid", BigInteger))
_position = _words.c.rowid
_RELEVANCE: ColumnElement[float] = literal_column(f"bm25({ARTICLE_WORDS}, {_WEIGHTS})")


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

    def matching(self, node: QueryNode) -> Select[int]:
        """The positions of the articles for which a node of words and facets holds."""
        match: ColumnElement[bool] = literal_column(ARTICLE_WORDS).op("MATCH")(fts5_match(node))
        return select(_position).where(match)

    def first(
        self, conn: Connection, plan: SearchPlan, match: AllOf, walk: Walk, *, limit: int
    ) -> list[int]:
        """The first positions of the walk that match."""
        order = _position.asc() if walk.is_upwards else _position.desc()
        found = self._found(plan, match, walk).order_by(order)
        return list(conn.execute(found.limit(limit)).scalars())

    def relevance(
        self, conn: Connection, match: AllOf, positions: Sequence[int]
    ) -> dict[int, float]:
        """How relevant each of these matches is. FTS5 knows that of a range of them, and nothing of a list."""
        scored = self.matching(match).add_columns((-_RELEVANCE).label("relevance"))
        scored = scored.where(_position >= min(positions), _position <= max(positions))
        wanted = frozenset(positions)
        return {row.rowid: row.relevance for row in conn.execute(scored) if row.rowid in wanted}

    def _found(self, plan: SearchPlan, match: AllOf, walk: Walk) -> Select[int]:
        found = self.matching(match).where(_position >= walk.floor, _position < walk.below)
        conditions = plan.conditions(self.matching)
        if not conditions:
            return found
        # Row by row, as the index finds them; a join might be turned round, and lose the index's order.
        own = schema.article.c.position == _position
        return found.where(exists().where(own, *conditions))


def _values(position: int, words: Indexed) -> tuple[int, str, str, str, str, str]:
    return position, words.text, words.title, words.authors, words.tags, words.facets
