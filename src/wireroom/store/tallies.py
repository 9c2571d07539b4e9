"""What came of feeds: articles, duplicates, paywalls, leads by state; counted from indexes alone.

Nothing is kept beside the rows that could go wrong. What is common is counted by a short index and
what is rare by one that holds nothing else, so that hundreds of feeds take some 30 ms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Connection, Table, func, select, text

from wireroom.model import LeadState
from wireroom.ports import FeedCount
from wireroom.store import schema
from wireroom.store.feeds_table import former_addresses
from wireroom.store.packing import as_document, as_micros, maybe_time
from wireroom.store.rows import chunks, is_postgres

_article, _lead = schema.article, schema.lead
_READ: LeadState = "read"

_IN_GROUPS = "SELECT feed_url, count(*) FROM {table} WHERE feed_url = ANY(:urls) GROUP BY feed_url"
# SQLite counts the rows of one feed three times as fast as it makes groups of them.
_ONE_BY_ONE = """
    SELECT value, (SELECT count(*) FROM {table} WHERE feed_url = value) FROM json_each(:urls)
"""


RECENT = 20  # pages of a feed that were tried last: a day of a daily, and enough to tell chance from rule
# What was removed on purpose, or taken back by its publisher, says nothing of whether pages can be read.
_TRIED = """
    (state IN ('read', 'duplicate', 'failed', 'refused') OR attempts > 0)
    AND cause NOT IN ('purged', 'withdrawn')
"""
_RECENT_ON_SQLITE = f"""
    SELECT feeds.value, lead.state, count(*) FROM json_each(:urls) AS feeds
     CROSS JOIN lead ON lead.id IN (SELECT id FROM lead WHERE feed_url = feeds.value AND {_TRIED}
                                     ORDER BY id DESC LIMIT {RECENT})
     GROUP BY feeds.value, lead.state
"""  # noqa: S608 - a constant of our own
_RECENT_ON_POSTGRES = f"""
    SELECT feeds.url, recent.state, count(*) FROM unnest(CAST(:urls AS text[])) AS feeds(url)
     CROSS JOIN LATERAL (SELECT state FROM lead WHERE feed_url = feeds.url AND {_TRIED}
                          ORDER BY id DESC LIMIT {RECENT}) AS recent
     GROUP BY feeds.url, recent.state
"""  # noqa: S608 - a constant of our own


# The two ends of an index for each feed: of one with a million items no more is read than of one with ten.
_ENDS_ON_SQLITE = """
    SELECT value, (SELECT min(published_at) FROM item WHERE feed_url = value),
           (SELECT max(published_at) FROM item WHERE feed_url = value AND published_at <= :until)
      FROM json_each(:urls)
"""
_ENDS_ON_POSTGRES = """
    SELECT feeds.url, (SELECT min(published_at) FROM item WHERE feed_url = feeds.url),
           (SELECT max(published_at) FROM item WHERE feed_url = feeds.url AND published_at <= :until)
      FROM unnest(CAST(:urls AS text[])) AS feeds(url)
"""


def tally_feeds(
    conn: Connection, urls: Sequence[str], *, until: datetime | None = None
) -> dict[str, FeedCount]:
    """What came of each of these feeds, from its former addresses too; its newest item is one of those dated until then."""
    wanted = list(dict.fromkeys(urls))
    former = former_addresses(conn, wanted)
    feeds = {**former, **{url: url for url in wanted}}
    articles, near_duplicates, paywalled = Counter[str](), Counter[str](), Counter[str]()
    leads: dict[str, Counter[str]] = {url: Counter() for url in wanted}
    lately: dict[str, Counter[str]] = {url: Counter() for url in wanted}
    oldest: dict[str, int] = {}
    newest: dict[str, int] = {}
    for part in chunks(feeds):
        for url, first, last in _ends_of_items(conn, part, until):
            oldest[feeds[url]] = min(first, oldest.get(feeds[url], first))
            newest[feeds[url]] = max(last, newest.get(feeds[url], last))
        for url, count in _totals(conn, _article, part):
            articles[feeds[url]] += count
        for url, is_near_duplicate, paywall, count in _apart(conn, part):
            near_duplicates[feeds[url]] += count if is_near_duplicate else 0
            paywalled[feeds[url]] += count if paywall in schema.PAYWALLED else 0
        for url, count in _totals(conn, _lead, part):
            leads[feeds[url]][_READ] += count
        for url, state, count in _not_read(conn, part):
            leads[feeds[url]].update({state: count, _READ: -count})
        for url, state, count in recent_states(conn, part):
            lately[feeds[url]][state] += count
    return {
        url: FeedCount(
            articles=articles[url],
            duplicates=near_duplicates[url],
            paywalled=paywalled[url],
            leads=_states(leads[url]),
            lately=_states(lately[url]),
            oldest_at=maybe_time(oldest.get(url)),
            newest_at=maybe_time(newest.get(url)),
        )
        for url in wanted
    }


def _states(counts: Mapping[str, int]) -> Mapping[LeadState, int]:
    return {cast("LeadState", state): count for state, count in sorted(counts.items()) if count}


def _totals(conn: Connection, table: Table, urls: Sequence[str]) -> Sequence[Any]:
    """How many rows each feed has."""
    given: Any = list(urls) if is_postgres(conn) else as_document(urls)
    query = _IN_GROUPS if is_postgres(conn) else _ONE_BY_ONE
    return conn.execute(text(query.format(table=table.name)), {"urls": given}).all()


def recent_states(conn: Connection, urls: Sequence[str]) -> Sequence[Any]:
    """The states of the pages that were tried last, by feed."""
    given: Any = list(urls) if is_postgres(conn) else as_document(urls)
    query = _RECENT_ON_POSTGRES if is_postgres(conn) else _RECENT_ON_SQLITE
    return conn.execute(text(query), {"urls": given}).all()


def _ends_of_items(
    conn: Connection, urls: Sequence[str], until: datetime | None
) -> list[tuple[str, int, int]]:
    """When the oldest and the newest item of each feed were published that has any."""
    if until is None:
        return []
    given: Any = list(urls) if is_postgres(conn) else as_document(urls)
    query = _ENDS_ON_POSTGRES if is_postgres(conn) else _ENDS_ON_SQLITE
    rows = conn.execute(text(query), {"urls": given, "until": as_micros(until)}).all()
    return [(url, first, last) for url, first, last in rows if last is not None]


def _apart(conn: Connection, urls: Sequence[str]) -> Sequence[Any]:
    """Near-duplicates and paywalled articles, by feed."""
    columns = (_article.c.feed_url, _article.c.is_near_duplicate, _article.c.paywall)
    query = select(*columns, func.count()).where(schema.COUNTED_APART)
    return conn.execute(query.where(_article.c.feed_url.in_(urls)).group_by(*columns)).all()


def _not_read(conn: Connection, urls: Sequence[str]) -> Sequence[Any]:
    """Leads in all other states, by feed."""
    columns = (_lead.c.feed_url, _lead.c.state)
    query = select(*columns, func.count()).where(schema.NOT_READ)
    return conn.execute(query.where(_lead.c.feed_url.in_(urls)).group_by(*columns)).all()
