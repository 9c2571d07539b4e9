"""How many articles match a query, and what they are, in the time there is.

Matches are looked at newest first: a few, then more, then all that are wanted, and gone through once for all that is told of
them. When the time is up, what was counted by then is the answer, and says so.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta, tzinfo
from typing import NamedTuple

from sqlalchemy import Connection, TextClause, select, text

from wireroom.model import Use
from wireroom.ports import DayCounts, FacetCounts, FacetName, HitReach
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


class Hits(NamedTuple):
    """The newest matches of a query."""

    positions: Sequence[int]
    """The newest first."""
    reach: HitReach


def find_hits(
    conn: Connection, index: SearchIndex, query: Query | str, *, most: int, within: timedelta
) -> Hits:
    """The newest matches, so many at most, as far as they are found in time."""
    ends = time.monotonic() + within.total_seconds()
    positions: list[int] = []
    plan = plan_search(conn, as_query(query))
    walk, wanted = plan.walk, most + 1  # one more tells that there are more
    try:
        for look_at in (*LOOKS, wanted):
            size = min(look_at, wanted - len(positions))
            with time_limit(conn, ends):
                found = first_matches(conn, index, plan, walk, limit=size)
            positions += found
            if len(found) < size:
                return Hits(positions, "all")
            if len(positions) == wanted:
                break
            walk = walk.behind(found[-1])
    except OutOfTimeError:
        return Hits(positions, "newest" if positions else "none")
    return Hits(positions[:most], "newest")


def count_days(hits: Hits, zone: tzinfo) -> DayCounts:
    """How many of these matches each day of the zone has."""
    quarters = Counter(position // _QUARTER for position in hits.positions)
    days: Counter[date] = Counter()
    for quarter, matches in quarters.items():
        days[_day(quarter * _QUARTER, zone)] += matches
    return DayCounts(
        counted=len(hits.positions), reach=hits.reach, days=tuple(sorted(days.items()))
    )


def count_facets(conn: Connection, *, hits: Hits, use: Use, within: timedelta) -> FacetCounts:
    """Which values these matches have, and how many of them each."""
    ends = time.monotonic() + within.total_seconds()
    words: dict[str | None, str] = {None: word_about(None, use)}
    counts: Counter[_Facets] = Counter()
    reach, done = hits.reach, 0
    try:
        for part in _parts(hits.positions):
            with time_limit(conn, ends):
                rows = conn.execute(*_facets_at(conn, part)).all()
                found = {row.receipt_id for row in rows} - words.keys()
                words.update(_words_about(conn, found, use))
            done += len(part)
            for row in rows:
                facets = _Facets(row.publisher, row.language, row.paywall, words[row.receipt_id])
                counts[facets] += row.matches
    except OutOfTimeError:
        reach = "newest" if done else "none"
    names: tuple[FacetName, ...] = ("publisher", "lang", "paywall", "rights")
    values = {name: _most_frequent_first(counts, place) for place, name in enumerate(names)}
    return FacetCounts(counted=counts.total(), reach=reach, values=values)


def _parts(positions: Sequence[int]) -> Iterator[Sequence[int]]:
    """Few at first, then more: what was counted when the time is up is the answer."""
    at = 0
    for size in (*LOOKS, len(positions)):
        if at < len(positions):
            yield positions[at : at + size]
        at += size


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
