"""Upgrades a database with the made-up later step; a process of its own, to be killed."""

from __future__ import annotations

import sys
from pathlib import Path

from sqlalchemy import Connection

from wireroom.ports import StoreOptions
from wireroom.store.database import read_database_url
from wireroom.store.migrations import REVISIONS, STEPS, upgrade
from wireroom.store.postgres import PostgresDatabase
from wireroom.store.sqlite.sqlite_database import SqliteDatabase

LATER = Path(__file__).parent / "later"


def later_upgrade(url: str) -> None:
    """Brings the database to the later schema, as an opening store would."""
    address = read_database_url(url)
    database: SqliteDatabase | PostgresDatabase
    if url.startswith("sqlite"):
        database = SqliteDatabase(Path(address.database or ""), StoreOptions())
    else:
        database = PostgresDatabase(address, StoreOptions())
    try:
        database.write(_upgrade)
    finally:
        database.close()


def _upgrade(conn: Connection) -> None:
    upgrade(conn, "the database", revisions=[*REVISIONS, "0003"], steps=[STEPS, LATER])


if __name__ == "__main__":
    later_upgrade(sys.argv[1])
