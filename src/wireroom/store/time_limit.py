"""A read that ends when its time is up; knows both databases, no table."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from wireroom.store.faults import is_out_of_time
from wireroom.store.rows import is_postgres

OPCODES = 5_000  # of SQLite's machine between two looks at the clock: well under a millisecond


class OutOfTimeError(Exception):
    """The time for a read is up. Never leaves the store."""


@contextmanager
def time_limit(conn: Connection, ends: float | None) -> Iterator[None]:
    """Raises OutOfTimeError when a statement inside is still at work at this moment of `time.monotonic`; None is no limit.

    On PostgreSQL each statement has all the time that is left when the block begins, and after the error the
    connection answers nothing until its transaction ends. On SQLite a step inside the full-text index is not cut short.
    """
    if ends is None:
        yield
        return
    left = ends - time.monotonic()
    if left <= 0:
        raise OutOfTimeError
    try:
        if is_postgres(conn):
            conn.exec_driver_sql(f"SET LOCAL statement_timeout = {max(1, int(left * 1000))}")
            yield
        else:
            with _interrupted(conn, ends):
                yield
    except DBAPIError as exc:
        if is_out_of_time(exc):
            raise OutOfTimeError from exc
        raise


@contextmanager
def _interrupted(conn: Connection, ends: float) -> Iterator[None]:
    raw = conn.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)  # noqa: S101 - tells the type checker
    raw.set_progress_handler(lambda: time.monotonic() >= ends, OPCODES)
    try:
        yield
    finally:
        raw.set_progress_handler(None, 0)
