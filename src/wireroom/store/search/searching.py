"""Pages of articles for a query: newest first, or most relevant first on request.

A cursor names the article at the edge of its page, never a number of articles to skip: turning a page costs the same
everywhere, and what is saved meanwhile neither repeats an article nor hides one.
"""

from __future__ import annotations

import struct
import time
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple, Protocol

from sqlalchemy import Connection, Select

from wireroom.dates.durations import duration_words
from wireroom.errors import QueryError, SlowQueryError
from wireroom.ports import Order, SearchPage
from wireroom.query import Query, read_query
from wireroom.query.query_tree import AllOf, QueryNode
from wireroom.store.articles_table import WordIndex, articles_at, first_positions
from wireroom.store.search.folding import cluster_hits
from wireroom.store.search.positions import HIGHEST, Walk
from wireroom.store.search.search_plan import SearchPlan, plan_search
from wireroom.store.time_limit import OutOfTimeError, time_limit

LARGEST_PAGE = 1000  # articles in one answer: about 10 MB; who wants more asks for the next page
RANKED = 2_000  # newest matches whose relevance is weighed: all of them would take seconds for a frequent word


class SearchIndex(WordIndex, Protocol):
    """An index that can also be asked."""

    def matching(self, node: QueryNode) -> Select[int]:
        """The positions of the articles for which a node of words and facets holds."""
        ...

    def first(
        self, conn: Connection, plan: SearchPlan, match: AllOf, walk: Walk, *, limit: int
    ) -> list[int]:
        """The first positions of the walk that match."""
        ...

    def relevance(
        self, conn: Connection, match: AllOf, positions: Sequence[int]
    ) -> dict[int, float]:
        """How relevant each of these matches is, higher for more."""
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
    within: timedelta | None = None,
    fold: bool = False,
) -> SearchPage:
    """One page of articles; `cursor` comes from a page beside it. Without words that have to match, none is better."""
    ends = None if within is None else time.monotonic() + within.total_seconds()
    typed = as_query(query)
    try:
        return _find(
            conn, index, typed, order=order, limit=limit, cursor=cursor, ends=ends, fold=fold
        )
    except OutOfTimeError as exc:
        assert within is not None  # noqa: S101 - else nobody looks at the clock
        raise SlowQueryError(
            f"The search was ended after {duration_words(within)}: it was not done by then.",
            hint="Narrow it, as in after:30d or publisher:courier.test, or ask for a rarer word.",
        ) from exc


def _find(
    conn: Connection,
    index: SearchIndex,
    query: Query,
    *,
    order: Order,
    limit: int,
    cursor: str,
    ends: float | None,
    fold: bool,
) -> SearchPage:
    size = max(1, min(limit, LARGEST_PAGE))
    with time_limit(conn, ends):
        plan = plan_search(conn, query)
        is_ranked = order == "best" and plan.match is not None
        edge = _Edge.read(cursor, is_ranked=is_ranked)
        ranking = _ranking(conn, index, plan) if is_ranked else None
        found = (
            _newest_page(conn, index, plan, edge, limit=size + 1)
            if ranking is None
            else _best_page(conn, index, plan, ranking, edge, limit=size + 1)
        )
    is_more, found = len(found) > size, found[:size]
    if edge is not None and edge.is_back:
        found.reverse()
    back, following = _cursors(found, edge, is_more=is_more, is_ranked=is_ranked)
    with time_limit(conn, ends):
        articles = tuple(articles_at(conn, [place.position for place in found]))
        page = list(zip((place.position for place in found), articles, strict=False))
        place_of = _unweighed if ranking is None else ranking.place_of
        clusters = cluster_hits(conn, index, plan, page, place_of) if fold else {}
    return SearchPage(articles=articles, cursor=following, back=back, clusters=clusters)


def _cursors(
    found: Sequence[_HitPlace], edge: _Edge | None, *, is_more: bool, is_ranked: bool
) -> tuple[str, str]:
    """The cursors to the page before and to the next. A page that was turned to has one beside it: where we came from."""
    has_before, has_next = edge is not None, is_more
    if edge is not None and edge.is_back:
        has_before, has_next = is_more, True
    if found:
        first, last = found[0], found[-1]
    elif edge is not None:  # all of it is gone: the article at the edge belongs to the page beside
        first, last = edge.place.moved(-1), edge.place.moved(1)
    else:
        return "", ""
    back = _Edge(first, is_back=True).written(is_ranked=is_ranked) if has_before else ""
    following = _Edge(last, is_back=False).written(is_ranked=is_ranked) if has_next else ""
    return back, following


def first_matches(
    conn: Connection, index: SearchIndex, plan: SearchPlan, walk: Walk, *, limit: int
) -> list[int]:
    """The first positions of a walk that the plan finds."""
    if plan.match is not None:
        return index.first(conn, plan, plan.match, walk, limit=limit)
    conditions = plan.conditions(index.matching)
    return first_positions(conn, walk, limit=limit, conditions=conditions)


def as_query(query: Query | str) -> Query:
    """The query; of a text, read without a clock: what counts from now is refused."""
    return read_query(query) if isinstance(query, str) else query


class _HitPlace(NamedTuple):
    """Where a match stands in an order: by relevance, then newest first. What was not weighed comes after what was."""

    relevance: float
    position: int

    def moved(self, by: int) -> _HitPlace:
        return self._replace(position=self.position + by)


_UNWEIGHED = float("-inf")


class _Edge(NamedTuple):
    """The match at the end of a page, and on which side of it the wanted page lies."""

    place: _HitPlace
    is_back: bool

    def written(self, *, is_ranked: bool) -> str:
        mark = _MARKS[is_ranked, self.is_back]
        weight = struct.pack(">d", self.place.relevance).hex() if is_ranked else ""
        return f"{mark}{weight}{self.place.position}"

    @classmethod
    def read(cls, cursor: str, *, is_ranked: bool) -> _Edge | None:
        """What a cursor says; none at the beginning."""
        if not cursor:
            return None
        marks = {_MARKS[is_ranked, is_back]: is_back for is_back in (False, True)}
        weight, number = (cursor[1:17], cursor[17:]) if is_ranked else ("", cursor[1:])
        is_number = number.isascii() and number.isdigit() and len(number) <= 19
        if cursor[0] not in marks or not is_number or set(weight) - set("0123456789abcdef"):
            raise QueryError(
                f"The cursor {cursor[:40]!r} is not one of this search.",
                hint="Start without a cursor, then pass the one you are given.",
            )
        relevance = struct.unpack(">d", bytes.fromhex(weight))[0] if weight else _UNWEIGHED
        return cls(_HitPlace(relevance, min(int(number), HIGHEST)), marks[cursor[0]])


_MARKS = {(False, False): "n", (False, True): "m", (True, False): "b", (True, True): "a"}


def _newest_page(
    conn: Connection, index: SearchIndex, plan: SearchPlan, edge: _Edge | None, *, limit: int
) -> list[_HitPlace]:
    """The matches next to the edge, nearest first."""
    walk = plan.walk
    if edge is not None:
        walk = walk._replace(is_upwards=edge.is_back).behind(edge.place.position)
    found = first_matches(conn, index, plan, walk, limit=limit)
    return [_unweighed(position) for position in found]


class _Ranking(NamedTuple):
    """The newest matches, which are weighed, the best last; and the walk on which all others are."""

    ranked: list[_HitPlace]
    weights: Mapping[int, float]
    others: Walk

    def place_of(self, position: int) -> _HitPlace:
        """Where a match stands in this order."""
        return _HitPlace(self.weights.get(position, _UNWEIGHED), position)


def _unweighed(position: int) -> _HitPlace:
    return _HitPlace(_UNWEIGHED, position)


def _ranking(conn: Connection, index: SearchIndex, plan: SearchPlan) -> _Ranking:
    assert plan.match is not None  # noqa: S101 - who asks for the best asks for words
    newest = first_matches(conn, index, plan, plan.walk, limit=RANKED)
    known = index.relevance(conn, plan.match, newest) if newest else {}
    weights = {position: known.get(position, 0.0) for position in newest}
    lowest = newest[-1] if len(newest) == RANKED else plan.floor
    others = plan.walk._replace(below=min(plan.below, max(lowest, plan.floor)))
    ranked = sorted(_HitPlace(weight, position) for position, weight in weights.items())
    return _Ranking(ranked, weights, others)


def _best_page(
    conn: Connection,
    index: SearchIndex,
    plan: SearchPlan,
    ranking: _Ranking,
    edge: _Edge | None,
    *,
    limit: int,
) -> list[_HitPlace]:
    """The same, by relevance: first the newest matches, which are weighed, then all others."""
    ranked, _, others = ranking
    if edge is not None and edge.is_back:
        nearest = _others(conn, index, plan, others, edge, limit=limit)
        return nearest + ranked[bisect_right(ranked, edge.place) :][: limit - len(nearest)]
    ranked = ranked[: bisect_left(ranked, edge.place)] if edge is not None else ranked
    nearest = ranked[::-1][:limit]
    return nearest + _others(conn, index, plan, others, edge, limit=limit - len(nearest))


def _others(
    conn: Connection,
    index: SearchIndex,
    plan: SearchPlan,
    walk: Walk,
    edge: _Edge | None,
    *,
    limit: int,
) -> list[_HitPlace]:
    """Matches that are too old to be weighed, newest first; upwards none where the edge was weighed itself."""
    is_weighed = edge is None or edge.place.relevance != _UNWEIGHED
    if limit <= 0 or walk.floor >= walk.below or (is_weighed and edge is not None and edge.is_back):
        return []
    if edge is not None and not is_weighed:
        walk = walk._replace(is_upwards=edge.is_back).behind(edge.place.position)
    found = first_matches(conn, index, plan, walk, limit=limit)
    return [_unweighed(position) for position in found]
