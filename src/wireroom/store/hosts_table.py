"""Hosts as rows: locked before their work is changed, and true about when that work is due.

`lead_after` and `feed_after` of a host are the earliest due times of its open leads and live feeds, kept true in the
transaction that changes them. Must not know what a feed or a lead says, nor who holds it for how long.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, bindparam, case, func, null, select, update

from wireroom.store import schema
from wireroom.store.rows import add_missing, among, chunks, for_update, is_postgres, not_held


@dataclass(frozen=True, slots=True)
class WorkKind:
    """A kind of work: its table, the column of its own due time, and its two columns of a host."""

    table: Table
    not_before: str
    after: str
    ready: str


LEADS = WorkKind(schema.lead, not_before="read_after", after="lead_after", ready="lead_ready")
FEEDS = WorkKind(schema.feed, not_before="poll_after", after="feed_after", ready="feed_ready")
KINDS = (LEADS, FEEDS)

_host = schema.host

# Statements are constants, or written once for each kind: putting one together takes longer than the
# database takes to answer.
NAMED = among(_host.c.name, "names")
"""The hosts of a list."""
FREE = update(_host).where(NAMED).values(holder=None, lease_until=bindparam("rested"))
"""Takes hosts out of whoever's hands."""
_LOCK = for_update(select(_host.c.name).where(NAMED).order_by(_host.c.name))


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


def _earliest(kind: WorkKind) -> Any:
    due = kind.table.c.due_after
    of_host = kind.table.c.host == _host.c.name
    return select(func.min(due)).where(of_host, due.is_not(None)).scalar_subquery()


_NOTE_DUE = update(_host).where(NAMED).values({kind.after: _earliest(kind) for kind in KINDS})


def unless_closed(kind: WorkKind, due: ColumnElement[int]) -> ColumnElement[int | None]:
    """A feed that was paused while it was in flight stays out of the queue."""
    return case((kind.table.c.due_after.is_(None), null()), else_=due)
