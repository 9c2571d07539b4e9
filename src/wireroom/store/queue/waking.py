"""Work that would sleep too long, for the clock was set back: found again, and made due.

What no one of us can have given (a lease, a rest, a wait so long) was given under another clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    Update,
    bindparam,
    case,
    func,
    literal,
    select,
    update,
)

from wireroom.model import Publisher
from wireroom.store import schema
from wireroom.store.database import note, noted
from wireroom.store.hosts_table import (
    FEEDS,
    FREE,
    KINDS,
    WorkKind,
    lock_hosts,
    note_due,
    unless_closed,
)
from wireroom.store.packing import as_micros, as_span, maybe_time
from wireroom.store.publishers_table import read_publisher
from wireroom.store.rows import chunks, for_update, listed

LONGEST_LEASE = timedelta(hours=1)
"""No lease or rest is longer, so one that ends later was made before the clock was set back."""

LONGEST_SLEEP = timedelta(days=7)
"""No work waits longer, except a feed whose own interval is: what is due later still was put off
before the clock was set back, and is due now."""

LONGEST_INTERVAL = timedelta(hours=26.4)
"""No feed that answers is asked more rarely, unless its own interval is longer: a day, and a tenth of jitter."""

LONGEST_PUT_OFF = timedelta(days=1)
"""No publisher that could not be scouted is tried again later."""

SAME_JUMP = timedelta(minutes=5)
"""Two processes that see the clock set back by as much within this time have seen the same."""
_NOTE = "clock set back"

_host = schema.host

_LEASED_PAST = for_update(
    select(_host.c.name)
    .where(
        _host.c.lease_until > bindparam("latest"),
        func.coalesce(_host.c.holder, "") != bindparam("besides"),
    )
    .order_by(_host.c.name),
    skip_locked=True,
)


def forget_impossible_leases(conn: Connection, moment: int, *, besides: str) -> None:
    """Frees hosts whose lease ends later than any we give: the clock was set back since.

    Those of whoever asks are left: what it has in flight is not to be taken by itself once more.
    """
    latest = moment + as_span(LONGEST_LEASE)
    names = list(conn.execute(_LEASED_PAST, {"latest": latest, "besides": besides}).scalars())
    for part in chunks(names):
        conn.execute(FREE, {"names": part, "rested": 0})
        for kind in KINDS:
            in_flight = kind.table.c.host.in_(part) & kind.table.c.holder.is_not(None)
            again = {"holder": None, "due_after": unless_closed(kind, literal(moment))}
            conn.execute(update(kind.table).where(in_flight).values(again))
    note_due(conn, names)


def wake_overslept_hosts(conn: Connection, kind: WorkKind, moment: int) -> None:
    """Makes due what sleeps for too long on hosts that have nothing else to do."""
    latest = moment + as_span(LONGEST_SLEEP)
    names = list(conn.execute(_sleeping_past(kind), {"latest": latest}).scalars())
    wake(conn, kind, names, moment)
    note_due(conn, names)


def wake(conn: Connection, kind: WorkKind, names: Sequence[str], moment: int) -> None:
    """Makes due what sleeps for too long on these hosts; mostly there is nothing of that kind."""
    latest = moment + as_span(LONGEST_SLEEP)
    for part in chunks(names):
        conn.execute(_waking(kind), {"names": part, "latest": latest, "moment": moment})


@cache
def _sleeping_past(kind: WorkKind) -> Select[Any]:
    asleep = select(_host.c.name).where(_host.c[kind.ready] > bindparam("latest"))
    return for_update(asleep.order_by(_host.c.name), skip_locked=True)


@cache
def _waking(kind: WorkKind) -> Update:
    table, moment = kind.table, bindparam("moment", type_=BigInteger)
    overslept = table.c.due_after > bindparam("latest")
    if kind is FEEDS:
        overslept &= table.c.due_after > moment + func.coalesce(table.c.interval, 0)
    woken = update(table).where(table.c.host.in_(listed("names")), overslept)
    return woken.values(due_after=moment)


def wake_untimed(
    conn: Connection,
    *,
    now: datetime,
    set_back: timedelta = timedelta(),
    scout_every: timedelta | None = None,
) -> int:
    """Makes due what nobody put off and nobody holds: the clock was set back since it was found.

    What was put off comes up as much earlier as the clock was `set_back`; where nobody saw by how much, no feed
    that answers sleeps longer than the longest interval. With `scout_every` no publisher waits longer than that for its scout.
    """
    moment, woken = as_micros(now), 0
    if scout_every is not None:
        after, latest = schema.publisher.c.scout_after, now + max(scout_every, LONGEST_PUT_OFF)
        late_scouts = update(schema.publisher).where(after > as_micros(latest))
        conn.execute(late_scouts.values(scout_after=moment))
    if set_back > timedelta() and _is_news(conn, now, set_back):
        for kind in KINDS:
            _bring_forward(conn, kind, moment, as_span(set_back))
    _wake_long_sleepers(conn, moment)
    for kind in KINDS:
        table = kind.table
        late = (
            (table.c.due_after > moment)
            & table.c[kind.not_before].is_(None)
            & table.c.holder.is_(None)
        )
        names = lock_hosts(
            conn, conn.execute(select(table.c.host).where(late).distinct()).scalars()
        )
        for part in chunks(names):
            due = update(table).where(table.c.host.in_(part), late).values(due_after=moment)
            woken += conn.execute(due).rowcount
        note_due(conn, names)
    return woken


def _is_news(conn: Connection, now: datetime, set_back: timedelta) -> bool:
    """Whether no other process has told of this jump; it is noted now."""
    try:
        at, by = map(int, noted(conn, _NOTE).split())
    except ValueError:
        at, by = 0, 0
    near = as_span(SAME_JUMP)
    if abs(as_micros(now) - at) < near and abs(as_span(set_back) - by) < near:
        return False
    note(conn, _NOTE, f"{as_micros(now)} {as_span(set_back)}")
    return True


def _bring_forward(conn: Connection, kind: WorkKind, moment: int, back: int) -> None:
    """Makes what sleeps come up so much earlier, but not before now."""
    table = kind.table
    due, not_before = table.c.due_after, table.c[kind.not_before]
    asleep = (due > moment) & not_before.is_not(None) & table.c.holder.is_(None)
    sooner = {
        column.name: case((column - back > moment, column - back), else_=moment)
        for column in (due, not_before)
    }
    _change(conn, kind, asleep, sooner)


def _wake_long_sleepers(conn: Connection, moment: int) -> None:
    table = FEEDS.table
    longest = as_span(LONGEST_INTERVAL)
    interval = func.coalesce(table.c.interval, 0)
    own = interval + interval // 10
    latest = moment + case((own > longest, own), else_=longest)
    too_long = (
        (table.c.due_after > latest)
        & table.c.poll_after.is_not(None)
        & table.c.holder.is_(None)
        & table.c.state.in_(("live", "silent"))
    )
    _change(conn, FEEDS, too_long, {"due_after": latest, "poll_after": latest})


def _change(
    conn: Connection, kind: WorkKind, which: ColumnElement[bool], values: Mapping[str, Any]
) -> None:
    table = kind.table
    found = conn.execute(select(table.c.host).where(which).distinct()).scalars().all()
    names = lock_hosts(conn, found)
    for part in chunks(names):
        conn.execute(update(table).where(table.c.host.in_(part), which).values(**values))
    note_due(conn, names)


# What is due beside the work that is taken: publishers to scout, and the next moment of all.


def due_publishers(conn: Connection, *, now: datetime, limit: int) -> tuple[Publisher, ...]:
    """Publishers whose time to be scouted has come.

    They have a feed that is asked, or leads that wait for it, or a page of somebody else led there.
    """
    table, feed, lead = schema.publisher, schema.feed, schema.lead
    asked = select(feed.c.id).where(
        feed.c.publisher == table.c.domain, feed.c.due_after.is_not(None)
    )
    waiting = select(lead.c.id).where(
        lead.c.publisher == table.c.domain, lead.c.due_after.is_not(None)
    )
    query = select(table).where(
        _is_scout_due(now),
        asked.exists() | waiting.exists() | (_IS_UNSCOUTED & table.c.scout_after.is_not(None)),
    )
    query = query.order_by(table.c.scout_after.asc().nulls_first(), table.c.domain).limit(limit)
    return tuple(read_publisher(row) for row in conn.execute(query).mappings())


def publishers_to_scout(conn: Connection, *, now: datetime) -> frozenset[str]:
    """Domains whose scout is due or under way: what they permit now is not known yet."""
    query = select(schema.publisher.c.domain).where(_is_scout_due(now))
    return frozenset(conn.execute(query).scalars())


def _is_scout_due(now: datetime) -> ColumnElement[bool]:
    after = schema.publisher.c.scout_after
    return after.is_(None) | (after <= as_micros(now))


# A scout that broke off leaves what it found, dated at the beginning of time.
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
