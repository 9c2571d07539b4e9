"""Due work and the leases on hosts: who may serve which host until when.

A host is one row; its `lead_after` and `feed_after` are the earliest due times of its open leads and
live feeds, kept true in the transaction that changes them, so that taking work walks two indexes and
nothing else. Whoever changes work on hosts locks their rows first: see `lock_hosts`.
Must not know what a feed or a lead says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Table,
    case,
    func,
    literal,
    null,
    select,
    true,
    update,
)

from wireroom.errors import StoreError
from wireroom.store import schema
from wireroom.store.packing import as_micros, as_span
from wireroom.store.rows import add_missing, chunks, for_update, is_postgres, not_held

__all__ = [
    "FEEDS",
    "LEADS",
    "LONGEST_LEASE",
    "LONGEST_SLEEP",
    "Kind",
    "all_holders",
    "lock_hosts",
    "note_due",
    "release",
    "renew",
    "take",
    "take_host",
]

LONGEST_LEASE = timedelta(hours=1)
"""No lease or rest is longer, so one that ends later was made before the clock was set back."""

LONGEST_SLEEP = timedelta(days=7)
"""No work waits longer, except a feed whose own interval is: what is due later still was put off
before the clock was set back, and is due now."""


HOSTS_AT_ONCE = 25  # asked for work in one round trip to a server; ten hosts mostly give enough


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of work: its table, the column of its own due time, and its two columns of a host."""

    table: Table
    wish: str
    after: str
    ready: str


LEADS = Kind(schema.lead, wish="read_after", after="lead_after", ready="lead_ready")
FEEDS = Kind(schema.feed, wish="poll_after", after="feed_after", ready="feed_ready")
_KINDS = (LEADS, FEEDS)

_host = schema.host


def lock_hosts(conn: Connection, names: Iterable[str]) -> list[str]:
    """Makes sure the hosts have rows and holds these until the end of the transaction.

    Always in the same order, after publishers and before anything else is touched: two writers then
    wait for one another instead of blocking each other.
    """
    ordered = sorted(set(names))
    fresh = not_held(conn, _host.c.name, ordered)
    add_missing(conn, _host, [{"name": name} for name in fresh], keys=["name"])
    if is_postgres(conn):
        for part in chunks(ordered):
            query = select(_host.c.name).where(_host.c.name.in_(part)).order_by(_host.c.name)
            conn.execute(query.with_for_update())
    return ordered


def note_due(conn: Connection, names: Iterable[str]) -> None:
    """Brings the hosts' earliest due times in line with their work."""
    earliest = {kind.after: _earliest(kind) for kind in _KINDS}
    for part in chunks(sorted(set(names))):
        conn.execute(update(_host).where(_host.c.name.in_(part)).values(earliest))


def _earliest(kind: Kind) -> Any:
    due = kind.table.c.due_after
    of_host = kind.table.c.host == _host.c.name
    return select(func.min(due)).where(of_host, due.is_not(None)).scalar_subquery()


def all_holders(conn: Connection) -> tuple[str, ...]:
    """Everybody who holds a host, dead or alive."""
    query = select(_host.c.holder).where(_host.c.holder.is_not(None)).distinct()
    return tuple(sorted(conn.execute(query).scalars()))


def take(
    conn: Connection,
    kind: Kind,
    *,
    holder: str,
    now: datetime,
    limit: int,
    lease: timedelta,
    per_host: int,
    without: Collection[str] = (),
) -> list[int]:
    """The ids of due work, now in the hands of `holder`; longest overdue host first."""
    moment, until = as_micros(now), as_micros(now) + _span(lease)
    if limit <= 0:
        return []
    _forget_impossible_leases(conn, moment)
    _wake_overslept_hosts(conn, kind, moment)
    free = _free_hosts(conn, kind, holder, moment, limit + len(without))
    names = [name for name in free if name not in without]
    due = _due_work(conn, kind, names, moment, per_host, limit)
    hosts = list(dict.fromkeys(name for name, _ in due))
    ids = [work_id for _, work_id in due]
    _hand_over(conn, kind, ids, holder, until)
    _lease(conn, hosts, holder, until)
    _wake(conn, kind, hosts, moment)
    note_due(conn, hosts)
    return ids


def take_host(conn: Connection, name: str, *, holder: str, now: datetime, lease: timedelta) -> bool:
    """Leases one host; False while somebody else holds it or it rests."""
    moment, until = as_micros(now), as_micros(now) + _span(lease)
    _forget_impossible_leases(conn, moment)
    lock_hosts(conn, [name])
    free = (_host.c.lease_until <= moment) | (_host.c.holder == holder)
    found = conn.execute(select(_host.c.name).where(_host.c.name == name, free)).first()
    if found is None:
        return False
    _lease(conn, [name], holder, until)
    return True


def renew(
    conn: Connection,
    *,
    holder: str,
    now: datetime,
    lease: timedelta,
    hosts: Collection[str] | None,
) -> tuple[str, ...]:
    """Prolongs leases of the holder and the work in its hands; the hosts that are still its own."""
    until = as_micros(now) + _span(lease)
    names = _held_by(conn, holder, hosts)
    _lease(conn, names, holder, until)
    for kind in _KINDS:
        due = kind.table.c.due_after
        later = case((due < until, until), else_=due)
        _change_held(conn, kind, names, holder, {"due_after": _unless_closed(kind, later)})
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
        freed = update(_host).where(_host.c.name.in_(part))
        conn.execute(freed.values(holder=None, lease_until=rested))
    for kind in _KINDS:
        again = func.coalesce(kind.table.c[kind.wish], moment)
        changes = {"holder": None, "due_after": _unless_closed(kind, again)}
        _change_held(conn, kind, names, holder, changes)
    note_due(conn, names)
    return len(names)


def _span(lease: timedelta) -> int:
    if not timedelta() <= lease <= LONGEST_LEASE:
        raise StoreError(f"A lease or rest lasts at most {LONGEST_LEASE}, not {lease}.")
    return as_span(lease)


def _forget_impossible_leases(conn: Connection, moment: int) -> None:
    """Frees hosts whose lease ends later than any we give: the clock was set back since."""
    latest = moment + as_span(LONGEST_LEASE)
    query = select(_host.c.name).where(_host.c.lease_until > latest).order_by(_host.c.name)
    names = list(conn.execute(for_update(conn, query, skip_locked=True)).scalars())
    for part in chunks(names):
        freed = update(_host).where(_host.c.name.in_(part))
        conn.execute(freed.values(holder=None, lease_until=0))
        for kind in _KINDS:
            in_hand = kind.table.c.host.in_(part) & kind.table.c.holder.is_not(None)
            again = {"holder": None, "due_after": _unless_closed(kind, literal(moment))}
            conn.execute(update(kind.table).where(in_hand).values(again))
    note_due(conn, names)


def _wake_overslept_hosts(conn: Connection, kind: Kind, moment: int) -> None:
    """Makes due what sleeps for too long on hosts that have nothing else to do."""
    latest = moment + as_span(LONGEST_SLEEP)
    query = select(_host.c.name).where(_host.c[kind.ready] > latest).order_by(_host.c.name)
    names = list(conn.execute(for_update(conn, query, skip_locked=True)).scalars())
    _wake(conn, kind, names, moment)
    note_due(conn, names)


def _wake(conn: Connection, kind: Kind, names: Sequence[str], moment: int) -> None:
    """Makes due what sleeps for too long on these hosts; mostly there is nothing of that kind."""
    table, latest = kind.table, moment + as_span(LONGEST_SLEEP)
    overslept = table.c.due_after > latest
    if kind is FEEDS:
        overslept &= table.c.due_after > moment + func.coalesce(table.c.interval, 0)
    for part in chunks(names):
        woken = update(table).where(table.c.host.in_(part), overslept)
        conn.execute(woken.values(due_after=moment))


def _free_hosts(conn: Connection, kind: Kind, holder: str, moment: int, limit: int) -> list[str]:
    """Hosts with due work that nobody else holds, longest overdue first.

    A host in other hands is ready only when its lease is over, so that no number of such hosts
    slows the search down; those in our own hands are looked up apart.
    """
    after, ready = _host.c[kind.after], _host.c[kind.ready]
    free = select(_host.c.name, after).where(ready <= moment).order_by(ready, _host.c.name)
    own = select(_host.c.name, after).where(_host.c.holder == holder, after <= moment)
    found: dict[str, int] = {}
    for query in (free, own.order_by(after, _host.c.name)):
        for row in conn.execute(for_update(conn, query.limit(limit), skip_locked=True)):
            found[row[0]] = row[1]
    return sorted(found, key=lambda name: (found[name], name))


def _due_work(
    conn: Connection, kind: Kind, names: Sequence[str], moment: int, per_host: int, limit: int
) -> list[tuple[str, int]]:
    """(host, id) of due work, host after host."""
    due: list[tuple[str, int]] = []
    for part in chunks(names, HOSTS_AT_ONCE if is_postgres(conn) else 1):
        room = limit - len(due)
        if is_postgres(conn):
            due += _due_at_once(conn, kind, part, moment, min(per_host, room), room)
        else:
            query = _due_of(kind, kind.table.c.host == part[0], moment)
            ids = conn.execute(query.limit(min(per_host, room))).scalars()
            due += [(part[0], work_id) for work_id in ids]
        if len(due) >= limit:
            break
    return due


def _due_at_once(
    conn: Connection, kind: Kind, names: Sequence[str], moment: int, per_host: int, limit: int
) -> list[tuple[str, int]]:
    """As `_due_work` for a few hosts, in one round trip to the server."""
    each = _due_of(kind, kind.table.c.host == _host.c.name, moment).limit(per_host).lateral("each")
    query = (
        select(_host.c.name, each.c.id)
        .select_from(_host.join(each, true()))
        .where(_host.c.name.in_(names))
        .order_by(_host.c[kind.after], _host.c.name, each.c.due_after, each.c.id)
        .limit(limit)
    )
    return [(row[0], row[1]) for row in conn.execute(query)]


def _due_of(kind: Kind, of_host: ColumnElement[bool], moment: int) -> Select[Any]:
    table = kind.table
    due = select(table.c.id, table.c.due_after).where(of_host, table.c.due_after <= moment)
    return due.order_by(table.c.due_after, table.c.id)


def _hand_over(conn: Connection, kind: Kind, ids: Sequence[int], holder: str, until: int) -> None:
    for part in chunks(ids):
        taken = update(kind.table).where(kind.table.c.id.in_(part))
        conn.execute(taken.values(holder=holder, due_after=until))


def _lease(conn: Connection, names: Sequence[str], holder: str, until: int) -> None:
    """A lease of our own that runs longer stays: other work in our hands hangs on it."""
    longer = (_host.c.holder == holder) & (_host.c.lease_until > until)
    new_until = case((longer, _host.c.lease_until), else_=until)
    for part in chunks(names):
        leased = update(_host).where(_host.c.name.in_(part))
        conn.execute(leased.values(holder=holder, lease_until=new_until))


def _held_by(conn: Connection, holder: str, hosts: Collection[str] | None) -> list[str]:
    query = select(_host.c.name).where(_host.c.holder == holder).order_by(_host.c.name)
    held = list(conn.execute(for_update(conn, query)).scalars())
    if hosts is None:
        return held
    wanted = frozenset(hosts)
    return [name for name in held if name in wanted]


def _change_held(
    conn: Connection, kind: Kind, names: Sequence[str], holder: str, changes: dict[str, Any]
) -> None:
    for part in chunks(names):
        held = (kind.table.c.holder == holder) & kind.table.c.host.in_(part)
        conn.execute(update(kind.table).where(held).values(changes))


def _unless_closed(kind: Kind, due: ColumnElement[int]) -> ColumnElement[int | None]:
    """A feed that was paused while it was in hand stays out of the queue."""
    return case((kind.table.c.due_after.is_(None), null()), else_=due)
