"""The order in which articles changed, and the stream of those that changed after a number.

Numbers are taken at the end of the transaction that changes articles, in the order of commits: whoever
has seen number 17 misses nothing that is saved later. A removed article leaves its number behind.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection, Select, func, select

from wireroom.ports import Changed
from wireroom.query import Query
from wireroom.store import schema
from wireroom.store.articles_table import articles_by_id
from wireroom.store.counters_table import last_number, next_numbers
from wireroom.store.packing import as_micros
from wireroom.store.rows import Row, upsert
from wireroom.store.search.positions import HIGHEST
from wireroom.store.search.search_plan import SearchPlan, plan_search
from wireroom.store.search.searching import SearchIndex, as_query, first_matches

MATCHES_AT_ONCE = 20_000  # positions read from the index in one go; each is eight bytes

_COUNTER = "change"
_HELD: Row = {"removed_at": None, "reason": None}
_table, _article = schema.article_change, schema.article


@dataclass(frozen=True, slots=True)
class ChangeFilter:
    """Which articles a stream of changes gives: all numbers up to `last`, where they match."""

    last: int
    floor: int
    below: int
    matches: array[int] | None
    """Positions that match, lowest first; None when nothing but times was asked for."""

    def has(self, position: int) -> bool:
        """Whether the article at this position is one of them."""
        if not self.floor <= position < self.below:
            return False
        if self.matches is None:
            return True
        place = bisect_left(self.matches, position)
        return place < len(self.matches) and self.matches[place] == position


def note_changes(conn: Connection, article_ids: Iterable[str]) -> None:
    """Gives each article the next number; the last thing a transaction does."""
    _note(conn, dict.fromkeys(article_ids), _HELD)


def note_removals(
    conn: Connection, urls: Mapping[str, str], *, reason: str, removed_at: datetime
) -> None:
    """The same for articles that were removed, by id, with their addresses and the reason."""
    _note(conn, urls, {"removed_at": as_micros(removed_at), "reason": reason})


def _note(conn: Connection, urls: Mapping[str, str | None], change: Row) -> None:
    if not urls:
        return
    first = next_numbers(conn, _COUNTER, len(urls))
    rows = [
        {"number": number, "article_id": article_id, "url": url, **change}
        for number, (article_id, url) in enumerate(urls.items(), first)
    ]
    upsert(conn, _table, rows, keys=["article_id"])


def choose(conn: Connection, index: SearchIndex, query: Query | str, *, after: int) -> ChangeFilter:
    """What a stream of changes is to give; what changes while it is read comes with the next one."""
    plan = plan_search(conn, as_query(query))
    matches = None
    if plan.match is not None or plan.others:
        floor, below = _narrowed(conn, plan.floor, plan.below, after)
        plan = replace(plan, floor=floor, below=below)
        matches = array("q", _matches(conn, index, plan))
        matches.reverse()
    return ChangeFilter(last_number(conn, _COUNTER), plan.floor, plan.below, matches)


def read_changes(
    conn: Connection, *, chosen: ChangeFilter, after: int, limit: int
) -> tuple[list[Changed], int]:
    """Matching articles among the next `limit` changes; and the last number looked at."""
    page = _page(after=after, last=chosen.last, limit=limit, removed=False).subquery()
    joined = page.join(_article, _article.c.id == page.c.article_id)
    query = select(page, _article.c.position).select_from(joined).order_by(page.c.number)
    rows = conn.execute(query).all()
    wanted = {row.article_id: row.number for row in rows if chosen.has(row.position)}
    held = articles_by_id(conn, wanted)
    found = [
        Changed(number=number, article=held[article_id].article)
        for article_id, number in wanted.items()
    ]
    return found, rows[-1].number if rows else chosen.last


def removed_page(conn: Connection, *, after: int, limit: int) -> list[tuple[int, str]]:
    """The next removed articles with the numbers of their removal."""
    rows = conn.execute(_page(after=after, last=HIGHEST, limit=limit, removed=True))
    return [(row.number, row.article_id) for row in rows]


def _page(*, after: int, last: int, limit: int, removed: bool) -> Select[tuple[int, str]]:
    query = select(_table.c.number, _table.c.article_id)
    query = query.where(_table.c.number > after, _table.c.number <= last)
    chosen = _table.c.removed_at.is_not(None) if removed else _table.c.removed_at.is_(None)
    return query.where(chosen).order_by(_table.c.number).limit(limit)


def _narrowed(conn: Connection, floor: int, below: int, after: int) -> tuple[int, int]:
    """The positions between which anything changed: after the first export, a small part of all."""
    if after <= 0:
        return floor, below
    joined = _table.join(_article, _article.c.id == _table.c.article_id)
    ends = select(func.min(_article.c.position), func.max(_article.c.position))
    first, last = conn.execute(ends.select_from(joined).where(_table.c.number > after)).one()
    if first is None:
        return floor, floor
    return max(floor, first), min(below, last + 1)


def _matches(conn: Connection, index: SearchIndex, plan: SearchPlan) -> Iterator[int]:
    """Matching positions, highest first."""
    walk = plan.walk
    while True:
        found = first_matches(conn, index, plan, walk, limit=MATCHES_AT_ONCE)
        yield from found
        if len(found) < MATCHES_AT_ONCE:
            return
        walk = walk.behind(found[-1])
