"""Everything a store holds, copied row by row into another: from a file to a server, or back.

The copy of a server is a SQLite file in our own schema: it opens at once on any machine, without
the server's own tools. Tables are copied in an order in which every reference finds its target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from sqlalchemy import Connection, Table, delete, func, select, text

from wireroom.store.database import renew_index
from wireroom.store.packing import metadata
from wireroom.store.rows import is_postgres
from wireroom.store.search.searching import SearchIndex
from wireroom.store.sqlite.snapshots import new_file

ROWS_AT_ONCE = 1000  # in memory while they are copied: about 10 MB of articles


def copy_to_file(conn: Connection, path: Path, progress: Callable[[int, int], None]) -> None:
    """Writes all that the connection's snapshot holds to a new SQLite store."""
    from wireroom.ports import StoreOptions
    from wireroom.store.sqlite.sqlite_database import SqliteDatabase

    with new_file(path) as draft:
        copy = SqliteDatabase(draft, StoreOptions())
        try:
            copy.write(lambda target: copy_rows(conn, target, copy.index, progress))
        finally:
            copy.close()


def copy_rows(
    source: Connection,
    target: Connection,
    index: SearchIndex,
    progress: Callable[[int, int], None],
) -> None:
    """Copies every table into an empty store, then makes its full-text index."""
    tables = metadata.sorted_tables
    total = sum(_size(source, table) for table in tables)
    done = 0
    for table in tables:
        target.execute(delete(table))  # the notes an empty store has about itself
        for count in _copy_table(source, target, table):
            done += count
            progress(done, total)
    renew_index(target, index)


def _size(conn: Connection, table: Table) -> int:
    return conn.execute(select(func.count()).select_from(table)).scalar_one()


def _copy_table(source: Connection, target: Connection, table: Table) -> Iterator[int]:
    columns = [column for column in table.columns if column.computed is None]
    streamed = source.execution_options(yield_per=ROWS_AT_ONCE).execute(select(*columns))
    rows = streamed.mappings()
    while batch := [dict(row) for row in islice(rows, ROWS_AT_ONCE)]:
        target.execute(table.insert(), batch)
        yield len(batch)
    _follow_numbers(target, table)


def _follow_numbers(conn: Connection, table: Table) -> None:
    """A server counts rows apart from the rows: it must go on where the copy ends."""
    column = table.autoincrement_column
    if column is None or not is_postgres(conn):
        return
    highest = conn.execute(select(func.max(column))).scalar() or 0
    sequence = text("SELECT setval(pg_get_serial_sequence(:table, :column), :next, false)")
    conn.execute(sequence, {"table": table.name, "column": column.name, "next": highest + 1})
