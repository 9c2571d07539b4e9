"""SQLite: one file, one writer at a time, any number of readers that go on meanwhile.

What only SQLite needs lies here: how a file is opened (`sqlite_files`), copied live (`snapshots`), rescued when it is
damaged (`salvage`), and how its write-ahead log is kept short (`checkpoints`).
"""

from __future__ import annotations

from pathlib import Path

from wireroom.errors import SettingsError
from wireroom.ports import Store, StoreOptions, StorePlug


def _open(database_url: str, options: StoreOptions) -> Store:
    from wireroom.store.database import read_database_url
    from wireroom.store.sql_store import SqlStore
    from wireroom.store.sqlite.sqlite_database import SqliteDatabase

    address = read_database_url(database_url)
    name = address.database or ""
    if address.host or address.query:
        raise SettingsError(
            ["A SQLite address names a file and nothing else."], hint="Write sqlite:///FILE"
        )
    file = None if name in {"", ":memory:"} else Path(name).expanduser()
    return SqlStore(SqliteDatabase(file, options), options)


PLUG = StorePlug("sqlite", schemes=("sqlite",), open=_open)
