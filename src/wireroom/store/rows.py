"""Rows in and out, the way every database here understands it: upserts, long lists, locks.

Knows SQLAlchemy, no table and no noun.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias, TypeVar

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    RowMapping,
    Select,
    Table,
    Text,
    cast,
    collate,
    func,
    literal,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite

from wireroom.store.packing import as_document

__all__ = [
    "Fresh",
    "Row",
    "add_missing",
    "chunks",
    "for_update",
    "is_postgres",
    "matching",
    "not_held",
    "upsert",
    "upserting",
]

T = TypeVar("T")
Row: TypeAlias = dict[str, Any]
Fresh: TypeAlias = Any
"""The columns of the row that is being saved, by name."""

LONGEST_LIST = (
    500  # values in one `IN (…)`: far below any database's limit, long enough to be quick
)


def is_postgres(conn: Connection) -> bool:
    """Whether several writers can be at work at once, so that rows have to be locked."""
    return conn.dialect.name == "postgresql"


def chunks(values: Iterable[T], size: int = LONGEST_LIST) -> Iterator[list[T]]:
    """The values in lists of at most `size`."""
    rest = iter(values)
    while part := list(islice(rest, size)):
        yield part


def for_update(conn: Connection, query: Select[Any], *, skip_locked: bool = False) -> Select[Any]:
    """The query, locking what it finds where others could change it before we do."""
    return query.with_for_update(skip_locked=skip_locked) if is_postgres(conn) else query


def upsert(
    conn: Connection,
    table: Table,
    rows: Sequence[Row],
    *,
    keys: Sequence[str],
    changes: Callable[[Fresh], Mapping[str, Any]] | None = None,
) -> None:
    """Adds the rows; one whose keys are held replaces what is held, unless `changes` says otherwise.

    `changes` is given the columns of the new row and names those that become something else.
    """
    if rows:
        conn.execute(upserting(conn, table, rows, keys=keys, changes=changes), rows)


def upserting(
    conn: Connection,
    table: Table,
    rows: Sequence[Row],
    *,
    keys: Sequence[str],
    changes: Callable[[Fresh], Mapping[str, Any]] | None = None,
) -> sqlite.Insert | postgresql.Insert:
    """The statement of `upsert`, for who wants to know more of what it does."""
    insert = _insert(conn, table)
    fresh = insert.excluded
    new = {name: fresh[name] for name in rows[0] if name not in keys}
    if changes is not None:
        new.update(changes(fresh))
    return insert.on_conflict_do_update(index_elements=list(keys), set_=new)


def add_missing(
    conn: Connection, table: Table, rows: Sequence[Row], *, keys: Sequence[str]
) -> None:
    """Adds the rows whose keys are not held yet and leaves the others alone."""
    if rows:
        conn.execute(_insert(conn, table).on_conflict_do_nothing(index_elements=list(keys)), rows)


def not_held(conn: Connection, column: Column[str], values: Sequence[str]) -> list[str]:
    """Those of the values that no row has, in the same order; spares most additions, which are known."""
    held: set[str] = set()
    for part in chunks(values):
        held.update(conn.execute(select(column).where(column.in_(part))).scalars())
    return [value for value in values if value not in held]


def _insert(conn: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    return postgresql.insert(table) if is_postgres(conn) else sqlite.insert(table)


def matching(
    conn: Connection,
    query: Select[Any],
    columns: tuple[Column[str], Column[str]],
    pairs: Iterable[tuple[str, str]],
) -> Iterator[RowMapping]:
    """Rows of the query whose two columns are one of the pairs.

    The pairs travel as one JSON text: SQLite walks the whole table for `(a, b) IN (VALUES …)`.
    """
    for part in chunks(pairs):
        first, second = _pair_of(conn, as_document(part))
        found = query.where(columns[0] == first, columns[1] == second)
        yield from conn.execute(found).mappings()


def _pair_of(conn: Connection, pairs: str) -> tuple[ColumnElement[str], ColumnElement[str]]:
    if is_postgres(conn):
        wanted = func.jsonb_array_elements(
            cast(literal(pairs, Text), postgresql.JSONB)
        ).table_valued("value")
        first, second = (wanted.c.value.op("->>")(place) for place in (0, 1))
        return collate(first, "C"), collate(second, "C")
    wanted = func.json_each(pairs).table_valued("value")
    pair = [func.json_extract(wanted.c.value, f"$[{place}]") for place in (0, 1)]
    return pair[0], pair[1]
