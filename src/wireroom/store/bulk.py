"""Many new rows at once, the quickest way each database has; knows no table and no noun.

Rows may come from a generator: few of them are in memory at once. Only for rows that are known to be
new; `rows` has the ways to add or replace.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, TypeAlias

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from wireroom.store.rows import is_postgres, sized, values_of

Values: TypeAlias = tuple[Any, ...]


def add_rows(conn: Connection, table: str, columns: Sequence[str], rows: Iterable[Values]) -> None:
    """Adds rows, each its values in the order of the columns; one that is held already is an error."""
    if is_postgres(conn):
        _copy(conn, _copy_into(table, tuple(columns)), rows)
        return
    for part in sized(rows):
        statement = _insert_into(table, tuple(columns), len(part))
        conn.exec_driver_sql(statement, tuple(chain.from_iterable(part)))


@lru_cache(maxsize=256)  # a handful of tables, in the few sizes of parts
def _insert_into(table: str, columns: tuple[str, ...], rows: int) -> str:
    places = values_of(len(columns), rows)
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES {places}"  # noqa: S608 - names of our own


@lru_cache(maxsize=16)  # a handful of tables
def _copy_into(table: str, columns: tuple[str, ...]) -> str:
    return f"COPY {table} ({', '.join(columns)}) FROM STDIN"


def _copy(conn: Connection, statement: str, rows: Iterable[Values]) -> None:
    """COPY is none of SQLAlchemy's statements, so its errors are wrapped here as it wraps others."""
    import psycopg

    raw = conn.connection.driver_connection
    assert isinstance(raw, psycopg.Connection)  # noqa: S101 - tells the type checker
    try:
        with raw.cursor() as cursor, cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row(row)
    except psycopg.Error as exc:
        raise DBAPIError.instance(
            statement, None, exc, psycopg.Error, hide_parameters=True, dialect=conn.dialect
        ) from exc
