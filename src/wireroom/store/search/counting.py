"""How many articles match a query, and what they are, in the time there is.

Matches are looked at newest first: a few, then more, then all that are wanted. When the time is up, what was counted by then
is the answer, and says so.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import date, timedelta, tzinfo
from typing import NamedTuple, TypeVar

from sqlalchemy import Connection, TextClause, select, text

from wireroom.model import Use
from wireroom.ports import DayCounts, FacetCounts, FacetName, HitCount, HitReach
from wireroom.query import Query
from wireroom.rights.policy import word_about
from wireroom.store import schema
from wireroom.store.packing import as_document
from wireroom.store.receipts_table import receipt_of
from wireroom.store.rows import chunks, is_postgres, listed
from wireroom.store.search.positions import SLOTS, time_at
from wireroom.store.search.search_plan import plan_search
from wireroom.store.search.searching import SearchIndex, as_query, first_matches
from wireroom.store.time_limit import OutOfTimeError, time_limit

K = TypeVar("K")

LOOKS = (
    1_000,
    4_000,
    15_000,
)  # matches; the first takes a few milliseconds, so that there is nearly always something
_QUARTER = 15 * 60 * SLOTS  # positions of a quarter of an hour: no zone is off by a smaller part

_RECEIPTS = select(schema.receipt.c.id, schema.receipt.c.body).where(
    schema.receipt.c.id.in_(listed("ids"))
)
_COLUMNS = "a.publisher, a.language, a.paywall, a.receipt_id"
# The index has all that is asked for; SQLite would rather read the articles, texts and all.
_ON_SQLITE = text(
    f"SELECT {_COLUMNS}, count(*) AS matches FROM json_each(:positions) AS hit"  # noqa: S608 - names of our own
    " CROSS JOIN article AS a INDEXED BY article_facets ON a.position = hit.value"
    f" GROUP BY {_COLUMNS}"
)
_ON_POSTGRES = text(
    f"SELECT {_COLUMNS}, count(*) AS matches"  # noqa: S608 - names of our own
    " FROM unnest(CAST(:positions AS bigint[])) AS hit (position)"
    f" JOIN article AS a ON a.position = hit.position GROUP BY {_COLUMNS}"
)


class _Facets(NamedTuple):
    """What a match is."""

    publisher: str
    lang: str
    paywall: str
    rights: str
    """The word about the use that is asked about."""


def count_hits(
    conn: Connection, index: SearchIndex, query: Query | str, *, most: int, within: timedelta
) -> HitCount:
    """How many articles match, up to so many."""

    def look(positions: Sequence[int]) -> Counter[None]:
        return Counter({None: len(positions)})

    counts, reach = _count(conn, index, query, look, most=most, within=within)
    return HitCount(count=counts.total(), reach=reach)


def count_days(
    conn: Connection,
    index: SearchIndex,
    query: Query | str,
    *,
    zone: tzinfo,
    most: int,
    within: timedelta,
) -> DayCounts:
    """How many of the newest matches each day of the zone has."""

    def look(positions: Sequence[int]) -> Counter[int]:
        return Counter(position // _QUARTER for position in positions)

    counts, reach = _count(conn, index, query, look, most=most, within=within)
    days: Counter[date] = Counter()
    for quarter, matches in counts.items():
        days[_day(quarter * _QUARTER, zone)] += matches
    return DayCounts(counted=counts.total(), reach=reach, days=tuple(sorted(days.items())))


def count_facets(
    conn: Connection,
    index: SearchIndex,
    query: Query | str,
    *,
    use: Use,
    most: int,
    within: timedelta,
) -> FacetCounts:
    """Which values the newest matches have, and how many of them each."""
    words: dict[str | None, str] = {None: word_about(None, use)}

    def look(positions: Sequence[int]) -> Counter[_Facets]:
        rows = conn.execute(*_facets_at(conn, positions)).all()
        words.update(_words_about(conn, {row.receipt_id for row in rows} - words.keys(), use))
        counts: Counter[_Facets] = Counter()
        for row in rows:
            word = words[row.receipt_id]
            counts[_Facets(row.publisher, row.language, row.paywall, word)] += row.matches
        return counts

    counts, reach = _count(conn, index, query, look, most=most, within=within)
    names: tuple[FacetName, ...] = ("publisher", "lang", "paywall", "rights")
    values = {name: _most_frequent_first(counts, place) for place, name in enumerate(names)}
    return FacetCounts(counted=counts.total(), reach=reach, values=values)


def _count(
    conn: Connection,
    index: SearchIndex,
    query: Query | str,
    look: Callable[[Sequence[int]], Counter[K]],
    *,
    most: int,
    within: timedelta,
) -> tuple[Counter[K], HitReach]:
    """What is seen of the newest matches, and how far that reaches."""
    ends = time.monotonic() + within.total_seconds()
    counts: Counter[K] = Counter()
    plan = plan_search(conn, as_query(query))
    walk, wanted = plan.walk, most
    try:
        for look_at in (*LOOKS, most + 1):
            size = min(look_at, wanted + 1)
            with time_limit(conn, ends):
                found = first_matches(conn, index, plan, walk, limit=size)
                counts.update(look(found[:wanted]))
            if len(found) < size:
                return counts, "all"
            walk, wanted = walk.behind(found[-1]), wanted - size
            if wanted < 0:
                break
    except OutOfTimeError:
        return counts, "newest" if counts else "none"
    return counts, "newest"


def _facets_at(conn: Connection, positions: Sequence[int]) -> tuple[TextClause, dict[str, object]]:
    if is_postgres(conn):
        return _ON_POSTGRES, {"positions": list(positions)}
    return _ON_SQLITE, {"positions": as_document(positions)}


def _words_about(conn: Connection, ids: Iterable[str | None], use: Use) -> dict[str | None, str]:
    """What each receipt says about the use."""
    found: dict[str | None, str] = {}
    for part in chunks(ids):
        for row in conn.execute(_RECEIPTS, {"ids": part}):
            found[row.id] = word_about(receipt_of(row.body, 0), use)
    return found


def _most_frequent_first(counts: Counter[_Facets], place: int) -> tuple[tuple[str, int], ...]:
    of_one: Counter[str] = Counter()
    for facets, matches in counts.items():
        of_one[facets[place]] += matches
    return tuple(sorted(of_one.items(), key=lambda pair: (-pair[1], pair[0])))


def _day(position: int, zone: tzinfo) -> date:
    at = time_at(position)
    try:
        return at.astimezone(zone).date()
    except OverflowError:  # the first or last day that a date can be
        return at.date()
