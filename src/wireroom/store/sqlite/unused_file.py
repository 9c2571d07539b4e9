"""Takes a new database away again in which nothing came to be held: looking for something leaves no empty file behind."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from wireroom.store.database import PLURALS
from wireroom.store.sqlite.sqlite_files import distrusting


def remove_unused(file: Path) -> bool:
    """Removes the file where nothing is held in it and nobody else has it open; whether that was so.

    To leave WAL mode is refused as long as another connection is open. Who opens the file in the moment between that and
    its removal cannot write to it: SQLite looks whether a file has been taken away before it begins a journal.
    """
    try:
        with contextlib.closing(_connect(file)) as conn:
            if _holds_anything(conn):  # most do; only the others are asked for alone
                return False
            _lock(conn)
            if _holds_anything(conn):
                return False
            file.unlink()
    except (OSError, sqlite3.Error):
        return False  # in use, or not ours to remove: it stays as it is
    return True


def _connect(file: Path) -> sqlite3.Connection:
    address = f"{file.absolute().as_uri()}?mode=rw"
    return distrusting(sqlite3.connect(address, uri=True, timeout=0, isolation_level=None))


def _lock(conn: sqlite3.Connection) -> None:
    """Takes the file for this connection alone, until it is closed; sqlite3.Error where somebody else has it open."""
    conn.execute("PRAGMA locking_mode = EXCLUSIVE")
    conn.execute("PRAGMA journal_mode = DELETE")
    conn.execute("BEGIN EXCLUSIVE")
    conn.execute("COMMIT")


def _holds_anything(conn: sqlite3.Connection) -> bool:
    names = (table.name for table in PLURALS.values())
    queries = (f'SELECT EXISTS (SELECT 1 FROM "{name}")' for name in names)  # noqa: S608 - names of ours
    return any(conn.execute(query).fetchone()[0] for query in queries)
