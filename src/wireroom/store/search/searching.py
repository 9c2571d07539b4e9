"""Pages of articles for a query: newest first, or most relevant first on request."""

from __future__ import annotations

from typing import Protocol

from sqlalchemy import Connection

from wireroom.errors import QueryError
from wireroom.ports import Order, SearchPage
from wireroom.store.articles_table import WordIndex, articles_at, newest_positions
from wireroom.store.search.positions import HIGHEST, LOWEST, floor_at
from wireroom.store.search.query import Query, fts5_match, read_query

LARGEST_PAGE = 1000  # articles in one answer: about 10 MB; who wants more asks for the next page

_NEWEST_MARK, _BEST_MARK = "n", "b"


class SearchIndex(WordIndex, Protocol):
    """An index that can also be asked."""

    def newest(
        self, conn: Connection, query: Query, *, floor: int, below: int, limit: int
    ) -> list[int]:
        """The highest matching positions from `floor` to under `below`."""
        ...

    def best(
        self, conn: Connection, query: Query, *, floor: int, below: int, limit: int, skip: int
    ) -> list[int]:
        """Matching positions from `floor` to under `below`, most relevant first."""
        ...

    def clear(self, conn: Connection) -> None:
        """Forgets everything."""
        ...


def find_articles(
    conn: Connection, index: SearchIndex, text: str, *, order: Order, limit: int, cursor: str
) -> SearchPage:
    """One page of articles; `cursor` comes from the page before."""
    query = read_query(text)
    size = max(1, min(limit, LARGEST_PAGE))
    floor = LOWEST if query.after is None else floor_at(query.after)
    below = HIGHEST if query.before is None else floor_at(query.before)
    has_words = bool(fts5_match(query))
    if order == "best" and has_words:
        skip = _from_cursor(cursor, _BEST_MARK, 0)
        found = index.best(conn, query, floor=floor, below=below, limit=size + 1, skip=skip)
        following = f"{_BEST_MARK}{skip + size}"
    else:
        below = min(below, _from_cursor(cursor, _NEWEST_MARK, HIGHEST))
        if has_words:
            found = index.newest(conn, query, floor=floor, below=below, limit=size + 1)
        else:
            found = newest_positions(conn, floor=floor, below=below, limit=size + 1)
        following = f"{_NEWEST_MARK}{found[size - 1]}" if len(found) > size else ""
    articles = tuple(articles_at(conn, found[:size]))
    return SearchPage(articles=articles, cursor=following if len(found) > size else "")


def _from_cursor(cursor: str, observation: str, start: int) -> int:
    if not cursor:
        return start
    number = cursor.removeprefix(observation)
    if cursor[:1] != observation or not (number.isascii() and number.isdigit()) or len(number) > 19:
        raise QueryError(
            f"The cursor {cursor[:40]!r} is not one of this search.",
            hint="Start without a cursor, then pass the one you are given.",
        )
    return int(number)
