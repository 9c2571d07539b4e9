"""Numbers in the order of commits: whoever takes some makes others wait until they are committed.

So they are taken as late in a transaction as can be.
"""

from __future__ import annotations

from sqlalchemy import Connection, select, text

from wireroom.store import schema

_table = schema.counter

_TAKE = text("""
    INSERT INTO counter (name, value) VALUES (:name, :count)
    ON CONFLICT (name) DO UPDATE SET value = counter.value + excluded.value
    RETURNING value
""")


def next_numbers(conn: Connection, name: str, count: int) -> int:
    """The first of `count` fresh numbers; the first ever is 1."""
    last: int = conn.execute(_TAKE, {"name": name, "count": count}).scalar_one()
    return last - count + 1


def last_number(conn: Connection, name: str) -> int:
    """The last number that was given; 0 when none was."""
    return conn.execute(select(_table.c.value).where(_table.c.name == name)).scalar() or 0
