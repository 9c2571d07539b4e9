"""Numbers in the order of commits: whoever takes some makes others wait until they are committed.

So they are taken as late in a transaction as can be.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, select

from wireroom.store import schema
from wireroom.store.rows import Fresh, upserting

__all__ = ["last_number", "next_numbers"]

_table = schema.counter


def next_numbers(conn: Connection, name: str, count: int) -> int:
    """The first of `count` fresh numbers; the first ever is 1."""
    fresh = [{"name": name, "value": count}]
    add = upserting(conn, _table, fresh, keys=["name"], changes=_summed)
    last: int = conn.execute(add.returning(_table.c.value), fresh).scalar_one()
    return last - count + 1


def _summed(fresh: Fresh) -> dict[str, Any]:
    return {"value": _table.c.value + fresh.value}


def last_number(conn: Connection, name: str) -> int:
    """The last number that was given; 0 when none was."""
    return conn.execute(select(_table.c.value).where(_table.c.name == name)).scalar() or 0
