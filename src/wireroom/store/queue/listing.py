"""The queue as it is listed for people: which leads wait, what is held of one page, who holds hosts, which runs live.

Changes nothing but the notes that runs make of themselves. Whoever takes work looks at none of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, case, delete, func, select

from wireroom.errors import QueryError
from wireroom.model import LeadState
from wireroom.ports import (
    HostRecord,
    LaneCounts,
    LaneRecord,
    LeadPage,
    LeadRecord,
    PageRecord,
    RunRecord,
)
from wireroom.store import schema
from wireroom.store.feeds_table import former_addresses
from wireroom.store.items_table import items_of_page
from wireroom.store.leads_table import lead_records
from wireroom.store.packing import (
    DAY,
    as_document,
    as_micros,
    from_document,
    from_micros,
    maybe_time,
)
from wireroom.store.rows import Fresh, chunks, matching, upsert
from wireroom.urls import page_key

_lead, _host, _run, _alias = schema.lead, schema.host, schema.run, schema.article_alias
_run_day, _feed = schema.run_day, schema.feed

_LEADS = select(_lead)
_ALIASES = select(_alias)


def list_leads(
    conn: Connection,
    *,
    publisher: str,
    feed_url: str,
    states: Collection[LeadState],
    cursor: str,
    limit: int,
) -> LeadPage:
    """Leads in these states, or in all, newest first."""
    query = _LEADS.order_by(_lead.c.id.desc()).limit(limit + 1)
    if publisher:
        query = query.where(_lead.c.publisher == publisher)
    if feed_url:
        addresses = [feed_url, *former_addresses(conn, [feed_url])]
        query = query.where(_lead.c.feed_url.in_(addresses))
    if states:
        query = query.where(_lead.c.state.in_(sorted(states)))
        if "read" not in states:
            query = query.where(schema.NOT_READ)  # there is an index of these
    if cursor:
        query = query.where(_lead.c.id < _place(cursor))
    rows = conn.execute(query).mappings().all()
    shown = rows[:limit]
    more = str(shown[-1]["id"]) if len(rows) > limit else ""
    return LeadPage(leads=tuple(lead_records(conn, shown)), cursor=more)


def _place(cursor: str) -> int:
    if not cursor.isascii() or not cursor.isdecimal():
        raise QueryError(f"{cursor!r} is no cursor of a list of pages.", hint="Begin without one.")
    return min(int(cursor), 2**63 - 1)


def find_page(conn: Connection, url: str) -> PageRecord:
    """What is held of the page at this address, whosever it is."""
    key = page_key(url)
    if not key:
        return PageRecord()
    # Both tables are found by publisher and page alone: there are fewer publishers than leads.
    domains = conn.execute(select(schema.publisher.c.domain)).scalars()
    pairs = [(domain, key) for domain in domains]
    rows = list(matching(conn, _LEADS, (_lead.c.publisher, _lead.c.url_key), pairs))
    leads = tuple(lead_records(conn, rows))
    named = matching(conn, _ALIASES, (_alias.c.publisher, _alias.c.url_key), pairs)
    ids = [*_articles_of(leads), *(row["article_id"] for row in named)]
    return PageRecord(
        leads=leads, items=items_of_page(conn, key), article_ids=tuple(dict.fromkeys(ids))
    )


def _articles_of(leads: Collection[LeadRecord]) -> Iterator[str]:
    return (record.article_id for record in leads if record.article_id)


def list_hosts(
    conn: Connection, *, now: datetime, names: Sequence[str] | None = None
) -> tuple[HostRecord, ...]:
    """Hosts that are held, that rest, or that have work."""
    busy = (
        (_host.c.lease_until > as_micros(now))
        | _host.c.feed_after.is_not(None)
        | _host.c.lead_after.is_not(None)
    )
    columns = (
        _host.c.name,
        _host.c.holder,
        _host.c.lease_until,
        _host.c.feed_after,
        _host.c.lead_after,
    )
    query = select(*columns).where(busy).order_by(_host.c.name)
    parts = (
        [query]
        if names is None
        else [query.where(_host.c.name.in_(part)) for part in chunks(sorted(set(names)))]
    )
    rows = (row for part in parts for row in conn.execute(part).mappings())
    return tuple(_host_record(row, now) for row in rows)


# --- lanes: what each host is doing now -----------------------------------------------------------

MOST_DUE = 1_000  # leads of a host that are counted; of more it is known that there are more
_first_due = case(
    (
        _host.c.feed_after <= func.coalesce(_host.c.lead_after, _host.c.feed_after),
        _host.c.feed_after,
    ),
    else_=_host.c.lead_after,
)
"""When the first piece of work of a host is due; NULL where it has none."""


def busy_hosts(conn: Connection, *, now: datetime, limit: int) -> tuple[LaneRecord, ...]:
    """Hosts that are held, that rest, and that have something due; last those on which something is due later, the next first."""
    moment = as_micros(now)
    is_held, is_leased, is_due = _lane_kinds(moment)
    place = case((is_held, 0), (is_leased, 1), (is_due, 2), else_=3)
    within = case((is_leased | is_due, -_host.c.lease_until), else_=_first_due)
    query = (
        select(_host)
        .where(is_leased | _first_due.is_not(None))
        .order_by(place, within, _host.c.name)
        .limit(limit)
    )
    rows = conn.execute(query).mappings().all()
    names = [row["name"] for row in rows]
    in_flight, waiting = _in_flight(conn, moment), _due_leads(conn, names, moment)
    return tuple(
        LaneRecord(
            host=_host_record(row, now),
            in_flight=in_flight.get(row["name"], 0),
            due=waiting.get(row["name"], 0),
        )
        for row in rows
    )


def count_busy(conn: Connection, *, now: datetime) -> LaneCounts:
    """How many hosts are held, rest, and have something due that nobody holds up, now or later."""
    is_held, is_leased, is_due = _lane_kinds(as_micros(now))
    is_later = ~is_leased & ~is_due
    kinds = (is_held, is_leased & ~is_held, ~is_leased & is_due, is_later)
    ends = (find(_first_due).filter(is_later) for find in (func.min, func.max))
    query = select(*(func.count().filter(kind) for kind in kinds), *ends)
    row = conn.execute(query.where(is_leased | _first_due.is_not(None))).one()
    first, last = map(maybe_time, row[4:])
    return LaneCounts(
        held=row[0],
        resting=row[1],
        ready=row[2],
        later=row[3],
        later_from=first,
        later_until=last,
    )


def _lane_kinds(moment: int) -> tuple[ColumnElement[bool], ...]:
    """Whether a host is held, whether it is held or rests, whether something of it is due."""
    is_leased = _host.c.lease_until > moment
    return is_leased & _host.c.holder.is_not(None), is_leased, _first_due <= moment


def _in_flight(conn: Connection, moment: int) -> Counter[str]:
    """Feeds and leads that somebody has, by host."""
    found = Counter[str]()
    for table in (_lead, _feed):
        held = table.c.holder.is_not(None) & (table.c.due_after > moment)
        query = select(table.c.host, func.count()).where(held).group_by(table.c.host)
        found.update(dict(conn.execute(query).all()))
    return found


def _due_leads(conn: Connection, names: Sequence[str], moment: int) -> dict[str, int]:
    """How many leads of each host are due, up to a limit: half a million of one are not counted."""
    first = (
        select(_lead.c.id)
        .where(_lead.c.host == _host.c.name, _lead.c.due_after <= moment)
        .limit(MOST_DUE + 1)
        .correlate(_host)
        .subquery()
    )
    many = select(func.count()).select_from(first).scalar_subquery()
    found: dict[str, int] = {}
    for part in chunks(names):
        found |= dict(conn.execute(select(_host.c.name, many).where(_host.c.name.in_(part))).all())
    return found


def _host_record(row: RowMapping, now: datetime) -> HostRecord:
    until = from_micros(row["lease_until"])
    is_leased = until > now
    return HostRecord(
        name=row["name"],
        holder=(row["holder"] or "") if is_leased else "",
        leased_until=until if is_leased else None,
        feed_after=maybe_time(row["feed_after"]),
        lead_after=maybe_time(row["lead_after"]),
    )


# --- runs ----------------------------------------------------------------------------------------


def save_run(conn: Connection, run: RunRecord, *, done: Mapping[str, int]) -> None:
    """Notes that a run lives, and adds what it did to the counts of the day, in UTC."""
    row = {
        "holder": run.holder,
        "began_at": as_micros(run.began_at),
        "seen_at": as_micros(run.seen_at),
        "counts": as_document(run.counts),
    }
    upsert(conn, _run, [row], keys=["holder"])
    day = as_micros(run.seen_at) // DAY
    # In one order: two runs that add to the same counts wait for each other, never both.
    rows = [{"day": day, "name": name, "count": done[name]} for name in sorted(done) if done[name]]
    upsert(conn, _run_day, rows, keys=["day", "name"], changes=_added)


def _added(fresh: Fresh) -> dict[str, Any]:
    return {"count": _run_day.c.count + fresh["count"]}


def counts_of_day(conn: Connection, at: datetime) -> dict[str, int]:
    """What all runs have done on the day of this moment, in UTC."""
    query = select(_run_day.c.name, _run_day.c.count).where(_run_day.c.day == as_micros(at) // DAY)
    return dict(conn.execute(query).all())


def forget_run(conn: Connection, holder: str) -> None:
    """Forgets a run that is over."""
    conn.execute(delete(_run).where(_run.c.holder == holder))


def list_runs(conn: Connection) -> tuple[RunRecord, ...]:
    """Runs that have not ended, the first to begin first."""
    query = select(_run).order_by(_run.c.began_at, _run.c.holder)
    return tuple(
        RunRecord(
            holder=row["holder"],
            began_at=from_micros(row["began_at"]),
            seen_at=from_micros(row["seen_at"]),
            counts=from_document(row["counts"], dict),
        )
        for row in conn.execute(query).mappings()
    )
