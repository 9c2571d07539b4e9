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
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Executable,
    Select,
    Table,
    Update,
    bindparam,
    case,
    func,
    literal,
    null,
    select,
    text,
    true,
    update,
)

from wireroom.errors import StoreError
from wireroom.store import schema
from wireroom.store.packing import as_document, as_micros, as_span
from wireroom.store.rows import add_missing, chunks, for_update, is_postgres, listed, not_held

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
    "wake_untimed",
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

# Statements are constants, or written once for each kind: putting one together takes longer than the
# database takes to answer.
_NAMED = _host.c.name.in_(listed("names"))
_LOCK = for_update(select(_host.c.name).where(_NAMED).order_by(_host.c.name))
_HOLDERS = select(_host.c.holder).where(_host.c.holder.is_not(None)).distinct()
_HELD_BY = for_update(
    select(_host.c.name).where(_host.c.holder == bindparam("mine")).order_by(_host.c.name)
)
_LEASED_PAST = for_update(
    select(_host.c.name).where(_host.c.lease_until > bindparam("latest")).order_by(_host.c.name),
    skip_locked=True,
)
_FREE = update(_host).where(_NAMED).values(holder=None, lease_until=bindparam("rested"))
# A lease of our own that runs longer stays: other work in our hands hangs on it.
_OWN_AND_LONGER = (_host.c.holder == bindparam("mine")) & (_host.c.lease_until > bindparam("until"))
_LEASE = (
    update(_host)
    .where(_NAMED)
    .values(
        holder=bindparam("mine"),
        lease_until=case((_OWN_AND_LONGER, _host.c.lease_until), else_=bindparam("until")),
    )
)
_MAY_TAKE = select(_host.c.name).where(
    _host.c.name == bindparam("wanted"),
    (_host.c.lease_until <= bindparam("moment")) | (_host.c.holder == bindparam("mine")),
)


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
            conn.execute(_LOCK, {"names": part})
    return ordered


def note_due(conn: Connection, names: Iterable[str]) -> None:
    """Brings the hosts' earliest due times in line with their work."""
    for part in chunks(sorted(set(names))):
        conn.execute(_NOTE_DUE, {"names": part})


def _earliest(kind: Kind) -> Any:
    due = kind.table.c.due_after
    of_host = kind.table.c.host == _host.c.name
    return select(func.min(due)).where(of_host, due.is_not(None)).scalar_subquery()


_NOTE_DUE = update(_host).where(_NAMED).values({kind.after: _earliest(kind) for kind in _KINDS})


def all_holders(conn: Connection) -> tuple[str, ...]:
    """Everybody who holds a host, dead or alive."""
    return tuple(sorted(conn.execute(_HOLDERS).scalars()))


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
    values = {"wanted": name, "moment": moment, "mine": holder}
    if conn.execute(_MAY_TAKE, values).first() is None:
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
        for part in chunks(names):
            conn.execute(_prolong(kind), {"names": part, "mine": holder, "until": until})
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
        conn.execute(_FREE, {"names": part, "rested": rested})
        for kind in _KINDS:
            conn.execute(_give_back(kind), {"names": part, "mine": holder, "moment": moment})
    note_due(conn, names)
    return len(names)


def _span(lease: timedelta) -> int:
    if not timedelta() <= lease <= LONGEST_LEASE:
        raise StoreError(f"A lease or rest lasts at most {LONGEST_LEASE}, not {lease}.")
    return as_span(lease)


def _forget_impossible_leases(conn: Connection, moment: int) -> None:
    """Frees hosts whose lease ends later than any we give: the clock was set back since."""
    latest = moment + as_span(LONGEST_LEASE)
    names = list(conn.execute(_LEASED_PAST, {"latest": latest}).scalars())
    for part in chunks(names):
        conn.execute(_FREE, {"names": part, "rested": 0})
        for kind in _KINDS:
            in_hand = kind.table.c.host.in_(part) & kind.table.c.holder.is_not(None)
            again = {"holder": None, "due_after": _unless_closed(kind, literal(moment))}
            conn.execute(update(kind.table).where(in_hand).values(again))
    note_due(conn, names)


def _wake_overslept_hosts(conn: Connection, kind: Kind, moment: int) -> None:
    """Makes due what sleeps for too long on hosts that have nothing else to do."""
    latest = moment + as_span(LONGEST_SLEEP)
    names = list(conn.execute(_sleeping_past(kind), {"latest": latest}).scalars())
    _wake(conn, kind, names, moment)
    note_due(conn, names)


def _wake(conn: Connection, kind: Kind, names: Sequence[str], moment: int) -> None:
    """Makes due what sleeps for too long on these hosts; mostly there is nothing of that kind."""
    latest = moment + as_span(LONGEST_SLEEP)
    for part in chunks(names):
        conn.execute(_waking(kind), {"names": part, "latest": latest, "moment": moment})


@cache
def _sleeping_past(kind: Kind) -> Select[Any]:
    asleep = select(_host.c.name).where(_host.c[kind.ready] > bindparam("latest"))
    return for_update(asleep.order_by(_host.c.name), skip_locked=True)


@cache
def _waking(kind: Kind) -> Update:
    table, moment = kind.table, bindparam("moment", type_=BigInteger)
    overslept = table.c.due_after > bindparam("latest")
    if kind is FEEDS:
        overslept &= table.c.due_after > moment + func.coalesce(table.c.interval, 0)
    woken = update(table).where(table.c.host.in_(listed("names")), overslept)
    return woken.values(due_after=moment)


def wake_untimed(conn: Connection, *, now: datetime) -> int:
    """Makes due what nobody put off and nobody holds: the clock was set back since it was found."""
    moment, woken = as_micros(now), 0
    for kind in _KINDS:
        table = kind.table
        late = (
            (table.c.due_after > moment) & table.c[kind.wish].is_(None) & table.c.holder.is_(None)
        )
        names = lock_hosts(
            conn, conn.execute(select(table.c.host).where(late).distinct()).scalars()
        )
        for part in chunks(names):
            due = update(table).where(table.c.host.in_(part), late).values(due_after=moment)
            woken += conn.execute(due).rowcount
        note_due(conn, names)
    return woken


def _free_hosts(conn: Connection, kind: Kind, holder: str, moment: int, limit: int) -> list[str]:
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
def _free_or_own(kind: Kind) -> tuple[Select[Any], Select[Any]]:
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
    conn: Connection, kind: Kind, names: Sequence[str], moment: int, per_host: int, limit: int
) -> list[tuple[str, int]]:
    """(host, id) of due work, host after host."""
    query = _due_at(conn.dialect.name, kind)
    due: list[tuple[str, int]] = []
    for part in chunks(names, HOSTS_AT_ONCE):
        room = limit - len(due)
        values = {"moment": moment, "each": min(per_host, room), "most": room}
        rows = conn.execute(
            query, {"names": part if is_postgres(conn) else as_document(part), **values}
        )
        due += [(row[0], row[1]) for row in rows]
        if len(due) >= limit:
            break
    return due


@cache
def _due_at(dialect: str, kind: Kind) -> Executable:
    """Due work of a few hosts in one round trip, host after host, so many of each."""
    if dialect == "sqlite":
        return text(_DUE_ON_SQLITE.format(table=kind.table.name))
    table = kind.table
    due = select(table.c.id, table.c.due_after).where(
        table.c.host == _host.c.name, table.c.due_after <= bindparam("moment")
    )
    each = due.order_by(table.c.due_after, table.c.id).limit(bindparam("each")).lateral("each")
    return (
        select(_host.c.name, each.c.id)
        .select_from(_host.join(each, true()))
        .where(_NAMED)
        .order_by(_host.c[kind.after], _host.c.name, each.c.due_after, each.c.id)
        .limit(bindparam("most"))
    )


# SQLite knows no LATERAL. The hosts come as JSON, in the order in which they are served.
_DUE_ON_SQLITE = """
    SELECT one.value, work.id FROM json_each(:names) AS one
     CROSS JOIN {table} AS work
        ON work.id IN (SELECT id FROM {table} WHERE host = one.value AND due_after <= :moment
                        ORDER BY due_after, id LIMIT :each)
     ORDER BY one.key, work.due_after, work.id LIMIT :most
"""


def _hand_over(conn: Connection, kind: Kind, ids: Sequence[int], holder: str, until: int) -> None:
    for part in chunks(ids):
        conn.execute(_handing_over(kind), {"ids": part, "mine": holder, "until": until})


@cache
def _handing_over(kind: Kind) -> Update:
    taken = update(kind.table).where(kind.table.c.id.in_(listed("ids")))
    return taken.values(holder=bindparam("mine"), due_after=bindparam("until"))


def _lease(conn: Connection, names: Sequence[str], holder: str, until: int) -> None:
    for part in chunks(names):
        conn.execute(_LEASE, {"names": part, "mine": holder, "until": until})


def _held_by(conn: Connection, holder: str, hosts: Collection[str] | None) -> list[str]:
    held = list(conn.execute(_HELD_BY, {"mine": holder}).scalars())
    if hosts is None:
        return held
    wanted = frozenset(hosts)
    return [name for name in held if name in wanted]


@cache
def _prolong(kind: Kind) -> Update:
    due, until = kind.table.c.due_after, bindparam("until", type_=BigInteger)
    later = case((due < until, until), else_=due)
    return _held(kind).values(due_after=_unless_closed(kind, later))


@cache
def _give_back(kind: Kind) -> Update:
    again = func.coalesce(kind.table.c[kind.wish], bindparam("moment"))
    return _held(kind).values(holder=None, due_after=_unless_closed(kind, again))


def _held(kind: Kind) -> Update:
    """Changes work that is in our hands on some hosts."""
    mine = kind.table.c.holder == bindparam("mine")
    return update(kind.table).where(mine, kind.table.c.host.in_(listed("names")))


def _unless_closed(kind: Kind, due: ColumnElement[int]) -> ColumnElement[int | None]:
    """A feed that was paused while it was in hand stays out of the queue."""
    return case((kind.table.c.due_after.is_(None), null()), else_=due)
