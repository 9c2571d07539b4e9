"""Saves what can still be read of a damaged SQLite file into a new, sound store.

A damaged page hides the rows on it and stops whoever walks the table. So each table is walked from
both ends up to the damage; what lies between is cut in half, and each half is walked again.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path

from wireroom.ports import StoreOptions
from wireroom.store.packing import metadata
from wireroom.store.sqlite.snapshots import new_file
from wireroom.store.sqlite.sqlite_files import distrusting

log = logging.getLogger(__name__)

MOST_CUTS = 2000  # walks in one table: enough for hundreds of damaged pages, over in seconds
_ENDS = (-(2**63), 2**63 - 1)
_NOTHING_LEFT = (0, 0)

# Rows whose target was lost: a publisher is added again, other links are let go.
_ADD_PUBLISHERS = """
    INSERT OR IGNORE INTO publisher (domain, name, home_url, added_at, strategy)
    SELECT DISTINCT publisher, '', '', 0, '' FROM
"""
_REPAIRS = (
    *(f"{_ADD_PUBLISHERS} {name}" for name in ("dossier", "finding", "feed", "lead", "article")),
    "UPDATE lead SET item_id = NULL WHERE item_id NOT IN (SELECT id FROM item)",
    "UPDATE article SET receipt_id = NULL WHERE receipt_id NOT IN (SELECT id FROM receipt)",
    "DELETE FROM article_receipt WHERE article_id NOT IN (SELECT id FROM article)",
    "DELETE FROM article_receipt WHERE receipt_id NOT IN (SELECT id FROM receipt)",
    "UPDATE exported SET receipt_id = NULL WHERE receipt_id NOT IN (SELECT id FROM receipt)",
    "UPDATE former_original SET receipt_id = NULL WHERE receipt_id NOT IN (SELECT id FROM receipt)",
    "DELETE FROM article_version WHERE article_id NOT IN (SELECT id FROM article)",
    "DELETE FROM raw_page WHERE article_id NOT IN (SELECT id FROM article)",
    "DELETE FROM cluster_member WHERE cluster_id NOT IN (SELECT id FROM cluster)",
    "DELETE FROM meta WHERE name = 'words'",  # so that the index is made anew
)


def save_readable(
    source: sqlite3.Connection, path: Path, progress: Callable[[int, int], None]
) -> int:
    """Writes every readable row to a new store; how many there were."""
    from wireroom.store.sqlite.sqlite_database import SqliteDatabase

    with new_file(path) as draft:
        SqliteDatabase(draft, StoreOptions()).close()
        with closing(distrusting(sqlite3.connect(draft))) as target:
            saved = _copy_tables(source, target, progress)
        SqliteDatabase(draft, StoreOptions()).close()
    return saved


def _copy_tables(
    source: sqlite3.Connection, target: sqlite3.Connection, progress: Callable[[int, int], None]
) -> int:
    tables = metadata.sorted_tables
    saved = 0
    for done, table in enumerate(tables, 1):
        names = [column.name for column in table.columns if column.computed is None]
        observations = ", ".join("?" * len(names))
        into = f"INSERT OR REPLACE INTO {table.name} ({', '.join(names)}) VALUES ({observations})"  # noqa: S608 - names of our own
        for row in _readable(source, table.name, names):
            target.execute(into, row)
            saved += 1
        progress(done, len(tables))
    for repair in _REPAIRS:
        target.execute(repair)
    target.commit()
    return saved


def _readable(
    conn: sqlite3.Connection, table: str, names: list[str]
) -> Iterator[tuple[object, ...]]:
    columns = ", ".join(("rowid", *names))
    walk = f"SELECT {columns} FROM {table} WHERE rowid BETWEEN ? AND ? ORDER BY rowid"  # noqa: S608 - names of our own
    gaps, cuts = [_ENDS], 0
    while gaps and cuts < MOST_CUTS:
        cuts += 1
        low, high = yield from _from_both_ends(conn, walk, *gaps.pop())
        if high > low:
            middle = (low + high) // 2
            gaps += [(low, middle), (middle + 1, high)]


def _from_both_ends(
    conn: sqlite3.Connection, walk: str, low: int, high: int
) -> Generator[tuple[object, ...], None, tuple[int, int]]:
    """Yields the rows up to the damage from either end; returns what lies between, if anything."""
    try:
        for number, *row in conn.execute(f"{walk} ASC", (low, high)):
            yield tuple(row)
            low = number + 1
    except sqlite3.DatabaseError as exc:
        log.info("damage met, going on from the other end", extra={"reason": str(exc)})
    else:
        return _NOTHING_LEFT
    try:
        for number, *row in conn.execute(f"{walk} DESC", (low, high)):
            yield tuple(row)
            high = number - 1
    except sqlite3.DatabaseError:
        return low, high
    return _NOTHING_LEFT
