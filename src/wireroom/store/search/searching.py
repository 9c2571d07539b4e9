"""Pages of articles for a query: newest first, or most relevant first on request."""

from __future__ import annotations

from typing import Protocol

from sqlalchemy import Connection, Select

from wireroom.errors import QueryError
from wireroom.ports import Order, SearchPage
from wireroom.query import Query, read_query
from wireroom.query.query_tree import AllOf, QueryNode
from wireroom.store.articles_table import WordIndex, articles_at, newest_positions
from wireroom.store.search.positions import HIGHEST
from wireroom.store.search.search_plan import SearchPlan, plan_search

LARGEST_PAGE = 1000  # articles in one answer: about 10 MB; who wants more asks for the next page

_NEWEST_MARK, _BEST_MARK = "n", "b"


class SearchIndex(WordIndex, Protocol):
    """An index that can also be asked."""

    def matching(self, node: QueryNode) -> Select[int]:
        """The positions of the articles for which a node of words and facets holds."""
        ...

    def newest(
        self, conn: Connection, plan: SearchPlan, match: AllOf, *, below: int, limit: int
    ) -> list[int]:
        """The highest matching positions of the plan under `below`."""
        ...

    def best(
        self, conn: Connection, plan: SearchPlan, match: AllOf, *, limit: int, skip: int
    ) -> list[int]:
        """Matching positions of the plan, most relevant first."""
        ...

    def clear(self, conn: Connection) -> None:
        """Forgets everything."""
        ...


def find_articles(
    conn: Connection,
    index: SearchIndex,
    query: Query | str,
    *,
    order: Order,
    limit: int,
    cursor: str,
) -> SearchPage:
    """One page of articles; `cursor` comes from the page before. Without words that have to match, none is better."""
    plan = plan_search(conn, as_query(query))
    size = max(1, min(limit, LARGEST_PAGE))
    if order == "best" and plan.match is not None:
        skip = _from_cursor(cursor, _BEST_MARK, 0)
        found = index.best(conn, plan, plan.match, limit=size + 1, skip=skip)
        following = f"{_BEST_MARK}{skip + size}"
    else:
        below = min(plan.below, _from_cursor(cursor, _NEWEST_MARK, HIGHEST))
        found = newest_matches(conn, index, plan, below=below, limit=size + 1)
        following = f"{_NEWEST_MARK}{found[size - 1]}" if len(found) > size else ""
    articles = tuple(articles_at(conn, found[:size]))
    return SearchPage(articles=articles, cursor=following if len(found) > size else "")


def newest_matches(
    conn: Connection, index: SearchIndex, plan: SearchPlan, *, below: int, limit: int
) -> list[int]:
    """The highest positions under `below` that the plan finds."""
    if plan.match is not None:
        return index.newest(conn, plan, plan.match, below=below, limit=limit)
    conditions = plan.conditions(index.matching)
    return newest_positions(conn, floor=plan.floor, below=below, limit=limit, conditions=conditions)


def as_query(query: Query | str) -> Query:
    """The query; of a text, read without a clock: what counts from now is refused."""
    return read_query(query) if isinstance(query, str) else query


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
