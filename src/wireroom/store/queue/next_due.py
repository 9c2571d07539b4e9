"""What is due beside the work that is taken: publishers to scout, and the next moment of all."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, func, select

from wireroom.model import Publisher
from wireroom.store import schema
from wireroom.store.packing import as_micros, maybe_time
from wireroom.store.publishers_table import read_publisher
from wireroom.store.rows import chunks


def due_publishers(conn: Connection, *, now: datetime, limit: int) -> tuple[Publisher, ...]:
    """Publishers whose time to be scouted has come, with a feed that is asked or leads that wait for it."""
    table, feed, lead = schema.publisher, schema.feed, schema.lead
    asked = select(feed.c.id).where(
        feed.c.publisher == table.c.domain, feed.c.due_after.is_not(None)
    )
    waiting = select(lead.c.id).where(
        lead.c.publisher == table.c.domain, lead.c.due_after.is_not(None)
    )
    query = select(table).where(
        _is_scout_due(now), asked.exists() | (_IS_UNSCOUTED & waiting.exists())
    )
    query = query.order_by(table.c.scout_after.asc().nulls_first(), table.c.domain).limit(limit)
    return tuple(read_publisher(row) for row in conn.execute(query).mappings())


def unscouted_publishers(conn: Connection, *, now: datetime) -> frozenset[str]:
    """Domains whose first scout is due or under way: what they permit is not known yet."""
    query = select(schema.publisher.c.domain).where(_is_scout_due(now), _IS_UNSCOUTED)
    return frozenset(conn.execute(query).scalars())


def _is_scout_due(now: datetime) -> ColumnElement[bool]:
    after = schema.publisher.c.scout_after
    return after.is_(None) | (after <= as_micros(now))


# A visit that broke off leaves what it found, dated at the beginning of time.
_IS_UNSCOUTED = (
    ~select(schema.dossier.c.publisher)
    .where(schema.dossier.c.publisher == schema.publisher.c.domain, schema.dossier.c.scouted_at > 0)
    .exists()
)


def _next_lead_on(conn: Connection, hosts: Sequence[str]) -> datetime | None:
    """When the next lead that nobody put off can be taken on one of these hosts."""
    host, lead = schema.host, schema.lead
    earliest: list[int] = []
    for part in chunks(sorted(set(hosts))):
        untried = select(lead.c.id).where(
            lead.c.host == host.c.name, lead.c.due_after.is_not(None), lead.c.read_after.is_(None)
        )
        query = select(func.min(host.c.lead_ready)).where(host.c.name.in_(part), untried.exists())
        earliest += [ready for ready in conn.execute(query).scalars() if ready is not None]
    return maybe_time(min(earliest, default=None))


def next_due(
    conn: Connection, *, feeds_by: datetime | None, leads_on: Sequence[str] | None
) -> datetime | None:
    """When the next feed or lead can be taken, leases and rests counted; of feeds those due by then."""
    if leads_on is not None:
        return _next_lead_on(conn, leads_on)
    host, feed = schema.host, schema.feed
    leads, feeds = select(func.min(host.c.lead_ready)), select(func.min(host.c.feed_ready))
    if feeds_by is not None:
        due = select(feed.c.id).where(
            feed.c.host == host.c.name, feed.c.due_after <= as_micros(feeds_by)
        )
        feeds = feeds.where(due.exists())
    earliest = (conn.execute(query).scalar() for query in (leads, feeds))
    return maybe_time(min((ready for ready in earliest if ready is not None), default=None))
