"""Due work and the leases on hosts: who may serve which host until when.

A host is one row and knows when its earliest work is due (see `hosts_table`), so that taking work walks two indexes
and nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Connection,
    Executable,
    Select,
    Text,
    Update,
    all_,
    bindparam,
    case,
    func,
    select,
    text,
    true,
    update,
)

from wireroom.errors import StoreError
from wireroom.model import Feed, Lead
from wireroom.store import schema
from wireroom.store.feeds_table import feeds_by_id
from wireroom.store.hosts_table import (
    FEEDS,
    FREE,
    KINDS,
    LEADS,
    NAMED,
    WorkKind,
    lock_hosts,
    note_due,
    unless_closed,
)
from wireroom.store.leads_table import leads_by_id
from wireroom.store.packing import as_document, as_micros, as_span, from_micros
from wireroom.store.queue.waking import (
    LONGEST_LEASE,
    forget_impossible_leases,
    publishers_to_scout,
    wake,
    wake_overslept_hosts,
)
from wireroom.store.rows import chunks, for_update, is_postgres, listed

HOSTS_AT_ONCE = 25  # asked for work in one round trip to a server; ten hosts mostly give enough
HOSTS_OF_PUBLISHER = 2  # as a rule: with www and without

_host = schema.host

# Statements are constants, or written once for each kind: putting one together takes longer than the
# database takes to answer.
_HOLDERS = select(_host.c.holder).where(_host.c.holder.is_not(None)).distinct()
_HELD_BY = for_update(
    select(_host.c.name).where(_host.c.holder == bindparam("mine")).order_by(_host.c.name)
)
# A lease of our own that runs longer stays: other work in flight depends on it. One that runs longer than any
# lease is of another clock, and others would forget it.
_OWN_AND_LONGER = (_host.c.holder == bindparam("mine")) & _host.c.lease_until.between(
    bindparam("until"), bindparam("latest")
)
_LEASE = (
    update(_host)
    .where(NAMED)
    .values(
        holder=bindparam("mine"),
        lease_until=case((_OWN_AND_LONGER, _host.c.lease_until), else_=bindparam("until")),
    )
)
_LEASE_OF = select(_host.c.holder, _host.c.lease_until).where(_host.c.name == bindparam("wanted"))
_MAY_TAKE = select(_host.c.name).where(
    _host.c.name == bindparam("wanted"),
    (_host.c.lease_until <= bindparam("moment")) | (_host.c.holder == bindparam("mine")),
)


def all_holders(conn: Connection) -> tuple[str, ...]:
    """Everybody who holds a host, dead or alive."""
    return tuple(sorted(conn.execute(_HOLDERS).scalars()))


def _take(
    conn: Connection,
    kind: WorkKind,
    *,
    holder: str,
    now: datetime,
    limit: int,
    lease: timedelta,
    per_host: int,
    without: Collection[str] = (),
    not_of: Collection[str] = (),
) -> list[int]:
    """The ids of due work, now in the hands of `holder`; longest overdue host first.

    None of hosts `without`, and none of the publishers `not_of`.
    """
    moment, until = as_micros(now), as_micros(now) + _span(lease)
    if limit <= 0:
        return []
    forget_impossible_leases(conn, moment, besides=holder)
    wake_overslept_hosts(conn, kind, moment)
    passed_over = len(without) + HOSTS_OF_PUBLISHER * len(not_of)
    free = _free_hosts(conn, kind, holder, moment, limit + passed_over)
    names = [name for name in free if name not in without]
    due = _due_work(conn, kind, names, moment, per_host, limit, not_of)
    hosts = list(dict.fromkeys(name for name, _ in due))
    ids = [work_id for _, work_id in due]
    _hand_over(conn, kind, ids, holder, until)
    _lease(conn, hosts, holder, moment, until)
    wake(conn, kind, hosts, moment)
    note_due(conn, hosts)
    return ids


def take_feeds(
    conn: Connection, *, holder: str, now: datetime, limit: int, lease: timedelta
) -> tuple[Feed, ...]:
    """Due feeds, longest overdue first."""
    ids = _take(conn, FEEDS, holder=holder, now=now, limit=limit, lease=lease, per_host=limit)
    return tuple(sorted(feeds_by_id(conn, ids).values(), key=_overdue))


def _overdue(feed: Feed) -> tuple[float, str]:
    return (feed.poll_after.timestamp() if feed.poll_after else float("-inf"), feed.url)


def take_leads(
    conn: Connection,
    *,
    holder: str,
    now: datetime,
    limit: int,
    lease: timedelta,
    per_host: int,
    without: Collection[str],
    scouted: bool,
) -> tuple[Lead, ...]:
    """Due leads, longest overdue host first."""
    not_of = publishers_to_scout(conn, now=now) if scouted else ()
    ids = _take(
        conn,
        LEADS,
        holder=holder,
        now=now,
        limit=limit,
        lease=lease,
        per_host=per_host,
        without=without,
        not_of=not_of,
    )
    found = leads_by_id(conn, ids)
    return tuple(found[lead_id] for lead_id in ids)


def take_host(conn: Connection, name: str, *, holder: str, now: datetime, lease: timedelta) -> bool:
    """Leases one host; False while somebody else holds it or it rests."""
    moment, until = as_micros(now), as_micros(now) + _span(lease)
    forget_impossible_leases(conn, moment, besides=holder)
    lock_hosts(conn, [name])
    values = {"wanted": name, "moment": moment, "mine": holder}
    if conn.execute(_MAY_TAKE, values).first() is None:
        return False
    _lease(conn, [name], holder, moment, until)
    return True


def host_lease(conn: Connection, name: str, *, now: datetime) -> tuple[str, timedelta]:
    """Who holds a host, and for how long still."""
    row = conn.execute(_LEASE_OF, {"wanted": name}).first()
    left = timedelta() if row is None else from_micros(row.lease_until) - now
    return ("", timedelta()) if row is None or left <= timedelta() else (row.holder or "", left)


def renew(
    conn: Connection,
    *,
    holder: str,
    now: datetime,
    lease: timedelta,
    hosts: Collection[str] | None,
) -> tuple[str, ...]:
    """Prolongs leases of the holder and its work in flight; the hosts that are still its own."""
    moment, until = as_micros(now), as_micros(now) + _span(lease)
    names = _held_by(conn, holder, hosts)
    _lease(conn, names, holder, moment, until)
    for kind in KINDS:
        for part in chunks(names):
            values = {
                "names": part,
                "mine": holder,
                "until": until,
                "latest": moment + as_span(LONGEST_LEASE),
            }
            conn.execute(_prolong(kind), values)
    note_due(conn, names)
    return tuple(names)


def release(
    conn: Connection,
    *,
    holder: str,
    now: datetime,
    hosts: Sequence[str] | None,
    rest: timedelta,
) -> int:
    """Gives hosts and unfinished work back; nobody gets such a host before `now + rest`."""
    moment = as_micros(now)
    rested = moment + _span(rest) if rest else 0
    names = _held_by(conn, holder, hosts)
    for part in chunks(names):
        conn.execute(FREE, {"names": part, "rested": rested})
        for kind in KINDS:
            conn.execute(_give_back(kind), {"names": part, "mine": holder, "moment": moment})
    note_due(conn, names)
    return len(names)


def _span(lease: timedelta) -> int:
    if not timedelta() <= lease <= LONGEST_LEASE:
        raise StoreError(f"A lease or rest lasts at most {LONGEST_LEASE}, not {lease}.")
    return as_span(lease)


def _free_hosts(
    conn: Connection, kind: WorkKind, holder: str, moment: int, limit: int
) -> list[str]:
    """Hosts with due work that nobody else holds, longest overdue first.

    A host in other hands is ready only when its lease is over, so that no number of such hosts
    slows the search down; those in our own hands are looked up apart.
    """
    values = {"moment": moment, "mine": holder, "most": limit}
    found: dict[str, int] = {}
    for query in _free_or_own(kind):
        for row in conn.execute(query, values):
            found[row[0]] = row[1]
    return sorted(found, key=lambda name: (found[name], name))


@cache
def _free_or_own(kind: WorkKind) -> tuple[Select[Any], Select[Any]]:
    after, ready = _host.c[kind.after], _host.c[kind.ready]
    moment, most = bindparam("moment", type_=BigInteger), bindparam("most", type_=BigInteger)
    free = select(_host.c.name, after).where(ready <= moment).order_by(ready, _host.c.name)
    own = select(_host.c.name, after).where(_host.c.holder == bindparam("mine"), after <= moment)
    own = own.order_by(after, _host.c.name)
    return (
        for_update(free.limit(most), skip_locked=True),
        for_update(own.limit(most), skip_locked=True),
    )


def _due_work(
    conn: Connection,
    kind: WorkKind,
    names: Sequence[str],
    moment: int,
    per_host: int,
    limit: int,
    not_of: Collection[str],
) -> list[tuple[str, int]]:
    """(host, id) of due work, host after host."""
    query = _due_at(conn.dialect.name, kind, bool(not_of))
    due: list[tuple[str, int]] = []
    for part in chunks(names, HOSTS_AT_ONCE):
        room = limit - len(due)
        values = {"moment": moment, "each": min(per_host, room), "most": room}
        lists = {"names": part, "not_of": sorted(not_of)} if not_of else {"names": part}
        packed = lists if is_postgres(conn) else {key: as_document(lists[key]) for key in lists}
        rows = conn.execute(query, {**packed, **values})
        due += [(row[0], row[1]) for row in rows]
        if len(due) >= limit:
            break
    return due


@cache
def _due_at(dialect: str, kind: WorkKind, passes_over: bool) -> Executable:
    """Due work of a few hosts in one round trip, host after host, so many of each."""
    if dialect == "sqlite":
        others = _OF_OTHERS_ON_SQLITE if passes_over else ""
        return text(_DUE_ON_SQLITE.format(table=kind.table.name, others=others))
    table = kind.table
    due = select(table.c.id, table.c.due_after).where(
        table.c.host == _host.c.name, table.c.due_after <= bindparam("moment")
    )
    if passes_over:
        due = due.where(table.c.publisher != all_(bindparam("not_of", type_=ARRAY(Text))))
    each = due.order_by(table.c.due_after, table.c.id).limit(bindparam("each")).lateral("each")
    return (
        select(_host.c.name, each.c.id)
        .select_from(_host.join(each, true()))
        .where(NAMED)
        .order_by(_host.c[kind.after], _host.c.name, each.c.due_after, each.c.id)
        .limit(bindparam("most"))
    )


# SQLite knows no LATERAL. The hosts come as JSON, in the order in which they are served.
_DUE_ON_SQLITE = """
    SELECT one.value, work.id FROM json_each(:names) AS one
     CROSS JOIN {table} AS work
        ON work.id IN (SELECT id FROM {table} WHERE host = one.value AND due_after <= :moment {others}
                        ORDER BY due_after, id LIMIT :each)
     ORDER BY one.key, work.due_after, work.id LIMIT :most
"""
_OF_OTHERS_ON_SQLITE = "AND publisher NOT IN (SELECT value FROM json_each(:not_of))"


def _hand_over(
    conn: Connection, kind: WorkKind, ids: Sequence[int], holder: str, until: int
) -> None:
    for part in chunks(ids):
        conn.execute(_handing_over(kind), {"ids": part, "mine": holder, "until": until})


@cache
def _handing_over(kind: WorkKind) -> Update:
    taken = update(kind.table).where(kind.table.c.id.in_(listed("ids")))
    return taken.values(holder=bindparam("mine"), due_after=bindparam("until"))


def _lease(conn: Connection, names: Sequence[str], holder: str, moment: int, until: int) -> None:
    for part in chunks(names):
        values = {
            "names": part,
            "mine": holder,
            "until": until,
            "latest": moment + as_span(LONGEST_LEASE),
        }
        conn.execute(_LEASE, values)


def _held_by(conn: Connection, holder: str, hosts: Collection[str] | None) -> list[str]:
    held = list(conn.execute(_HELD_BY, {"mine": holder}).scalars())
    if hosts is None:
        return held
    wanted = frozenset(hosts)
    return [name for name in held if name in wanted]


@cache
def _prolong(kind: WorkKind) -> Update:
    due, until = kind.table.c.due_after, bindparam("until", type_=BigInteger)
    later = case((due.between(until, bindparam("latest", type_=BigInteger)), due), else_=until)
    return _held(kind).values(due_after=unless_closed(kind, later))


@cache
def _give_back(kind: WorkKind) -> Update:
    again = func.coalesce(kind.table.c[kind.not_before], bindparam("moment"))
    return _held(kind).values(holder=None, due_after=unless_closed(kind, again))


def _held(kind: WorkKind) -> Update:
    """Changes work that we hold on some hosts."""
    mine = kind.table.c.holder == bindparam("mine")
    return update(kind.table).where(mine, kind.table.c.host.in_(listed("names")))
