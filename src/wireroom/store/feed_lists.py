"""Lists of feeds: page by page, with what came of many at once; as many queries for fifty as for one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final, cast

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select, text

from wireroom.model import FeedState, LeadState, ObservationAbout
from wireroom.ports import FeedFilter, FeedListOrder, FeedPage, Place
from wireroom.store import schema
from wireroom.store.feeds_table import read_feed_row
from wireroom.store.observations_table import KEPT_OBSERVATIONS, PARTS
from wireroom.store.packing import DAY, as_document, as_micros
from wireroom.store.publisher_lists import ESCAPE, escaped
from wireroom.store.rows import chunks, is_postgres
from wireroom.store.tallies import recent_states

_feed, _item, _lead = schema.feed, schema.item, schema.lead
_EPOCH: Final = date(1970, 1, 1)
_NEVER: Final = -1  # below every time
_LAST: Final = 2**63 - 1  # above every time
_GAVE_NOTHING: Final = ("failed", "refused", "retry")

_ORDERS: Final[Mapping[FeedListOrder, tuple[ColumnElement[Any], bool]]] = {
    "publisher": (_feed.c.publisher, False),
    "new": (func.coalesce(_feed.c.new_at, _NEVER), True),
    "due": (func.coalesce(_feed.c.due_after, _LAST), False),
    "reliability": (func.round(_feed.c.reliability * 1_000_000), False),
}
"""What each order goes by, and whether the highest stands first. A share as a whole number: a cursor is exact."""

_OBSERVED_ON_SQLITE = """
    SELECT feeds.value, observation.about, observation.value
      FROM json_each(:urls) AS feeds CROSS JOIN json_each(:parts) AS parts
     CROSS JOIN observation ON observation.id IN
           (SELECT id FROM observation WHERE feed_url = feeds.value AND about = parts.value
             ORDER BY id DESC LIMIT :most)
     ORDER BY observation.id
"""
_OBSERVED_ON_POSTGRES = """
    SELECT feeds.url, parts.about, last.value
      FROM unnest(CAST(:urls AS text[])) AS feeds(url)
     CROSS JOIN unnest(CAST(:parts AS text[])) AS parts(about)
     CROSS JOIN LATERAL (SELECT id, value FROM observation
                          WHERE feed_url = feeds.url AND about = parts.about
                          ORDER BY id DESC LIMIT :most) AS last
     ORDER BY last.id
"""


def list_feeds(
    conn: Connection,
    chosen: FeedFilter,
    *,
    order: FeedListOrder,
    reverse: bool,
    after: Place | None,
    limit: int,
) -> FeedPage:
    """One page, found by what the last row of the page before is ordered by and its address."""
    key, falls = _ORDERS[order]
    falls = falls != reverse
    query = select(_feed, key.label("key")).where(*_matching(chosen))
    if chosen.states:
        query = query.where(_feed.c.state.in_(chosen.states))
    if after is not None:
        value, url = after
        beyond = key < value if falls else key > value
        query = query.where(or_(beyond, and_(key == value, _feed.c.url > url)))
    query = query.order_by(key.desc() if falls else key, _feed.c.url).limit(limit + 1)
    rows = conn.execute(query).mappings().all()
    shown = rows[:limit]
    more = (_place(shown[-1]["key"]), shown[-1]["url"]) if len(rows) > limit else None
    return FeedPage(feeds=tuple(map(read_feed_row, shown)), after=more)


def _place(key: str | float) -> str | int:
    return key if isinstance(key, str) else int(key)


def count_states(conn: Connection, chosen: FeedFilter) -> dict[FeedState, int]:
    """How many match in each state."""
    query = select(_feed.c.state, func.count()).where(*_matching(chosen)).group_by(_feed.c.state)
    return dict(conn.execute(query).all())


def _matching(chosen: FeedFilter) -> Iterable[ColumnElement[bool]]:
    if chosen.publisher:
        yield _feed.c.publisher == chosen.publisher
    if chosen.urls:
        yield _feed.c.url.in_(chosen.urls)
    if chosen.text.strip():
        like = f"%{escaped(chosen.text.strip().casefold())}%"
        yield _feed.c.name_key.like(like, escape=ESCAPE)


def failing_feeds(conn: Connection, *, least: int) -> dict[str, Mapping[LeadState, int]]:
    """Live feeds with so many pages that gave nothing; found in the index of leads that were not read."""
    live = select(_feed.c.url).where(_feed.c.state == "live")
    query = (
        select(_lead.c.feed_url)
        .where(schema.NOT_READ, _lead.c.state.in_(_GAVE_NOTHING))
        .group_by(_lead.c.feed_url)
        .having(func.count() >= least)
    )
    counted = query.subquery()
    urls = conn.execute(select(counted.c.feed_url).where(counted.c.feed_url.in_(live))).scalars()
    found: defaultdict[str, dict[LeadState, int]] = defaultdict(dict)
    for part in chunks(urls.all()):
        for url, state, count in recent_states(conn, part):
            found[url][cast("LeadState", state)] = count
    return dict(found)


def items_per_day(
    conn: Connection, feed_urls: Sequence[str], *, since: datetime, until: datetime
) -> dict[str, dict[date, int]]:
    """Counted by day from an index that holds address and date alone."""
    day = _item.c.published_at // DAY
    found: defaultdict[str, dict[date, int]] = defaultdict(dict)
    for part in chunks(feed_urls):
        query = (
            select(_item.c.feed_url, day, func.count())
            .where(
                _item.c.feed_url.in_(part),
                _item.c.published_at >= as_micros(since),
                _item.c.published_at < as_micros(until),
            )
            .group_by(_item.c.feed_url, day)
        )
        for url, number, count in conn.execute(query):
            found[url][_EPOCH + timedelta(days=int(number))] = count
    return dict(found)


def observed_values(
    conn: Connection, feed_urls: Sequence[str], *, limit: int
) -> dict[str, dict[ObservationAbout, tuple[float, ...]]]:
    """The last values about each part of each feed."""
    on_server = is_postgres(conn)
    query = text(_OBSERVED_ON_POSTGRES if on_server else _OBSERVED_ON_SQLITE)
    found: dict[str, dict[ObservationAbout, list[float]]] = {}
    for part in chunks(dict.fromkeys(feed_urls)):
        given: dict[str, Any] = {"urls": part, "parts": list(PARTS)}
        packed = given if on_server else {name: as_document(value) for name, value in given.items()}
        rows = conn.execute(query, {**packed, "most": min(limit, KEPT_OBSERVATIONS)})
        for url, about, value in rows:
            found.setdefault(url, {}).setdefault(about, []).append(value)
    return {
        url: {about: tuple(values) for about, values in parts.items()}
        for url, parts in found.items()
    }
