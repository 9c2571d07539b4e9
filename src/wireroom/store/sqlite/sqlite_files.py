"""How a SQLite file can be opened where it lies, and the connections to it.

Says in plain words what is wrong with the place; SQLite only says it cannot open it. Must not know
what is in the file.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Literal, TypeAlias

from wireroom.errors import StoreError
from wireroom.private_files import PRIVATE
from wireroom.store.faults import read_only

Access: TypeAlias = Literal["write", "read", "frozen"]
"""Whether we may write, may only read while others write, or nobody can write as long as we look."""

_FLAGS = {"read": "mode=ro", "frozen": "mode=ro&immutable=1"}


def access_to(file: Path) -> Access:
    """What can be done with the file, which is made later if there is none."""
    folder = file.parent
    if not folder.is_dir():
        raise StoreError(
            f"The folder {folder} of the database does not exist.",
            hint="Make it, or name another file with --db.",
        )
    if file.is_dir():
        raise StoreError(f"{file} is a folder, not a database.", hint="Name a file in it.")
    if os.access(folder, os.W_OK) and (_is_made(file) or _opens_for_writing(file)):
        return "write"
    if not file.exists():
        raise read_only(str(file))
    if not os.access(file, os.R_OK):
        raise StoreError(
            f"{file} cannot be read.",
            hint="Ask its owner for the right to, or name another database with --db.",
        )
    return "frozen" if _is_frozen(file) else "read"


def connector(
    file: Path | None, access: Access, busy_timeout: timedelta
) -> Callable[[], sqlite3.Connection]:
    """What makes connections to the file, or to a database in memory."""
    place: str | Path = ":memory:" if file is None else file
    if file is not None and access in _FLAGS:
        place = f"{file.absolute().as_uri()}?{_FLAGS[access]}"

    def connect() -> sqlite3.Connection:
        return distrusting(
            sqlite3.connect(
                place,
                timeout=busy_timeout.total_seconds(),
                isolation_level=None,  # transactions begin and end when we say so
                check_same_thread=False,
                uri=access in _FLAGS,
            )
        )

    return connect


def distrusting(conn: sqlite3.Connection) -> sqlite3.Connection:
    """The connection, on which no expression of the file's schema calls what has an effect outside of it."""
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON"):
        conn.execute(f"PRAGMA {pragma}")
    return conn


def _is_made(file: Path) -> bool:
    """Makes a file that only its owner can read; what SQLite lays beside it gets the same mode."""
    if file.exists():
        return False
    with contextlib.suppress(OSError):  # SQLite meets the same, and the store says what it is
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, PRIVATE))
    return True


def _opens_for_writing(file: Path) -> bool:
    """A file may be immutable though its mode says otherwise; only opening it tells."""
    try:
        os.close(os.open(file, os.O_RDWR))
    except OSError:
        return False
    return True


def _is_frozen(file: Path) -> bool:
    """Whether nobody can write, or nobody does, and nothing was left behind to be read as well.

    A file in WAL mode needs a second one beside it even for reading. Where that cannot be made, on a
    read-only file system or in a folder of somebody else, SQLite does without if it is promised that nobody
    writes; whoever does has made that second file. What a killed writer left in the WAL would be passed over
    then, so such a file is opened in the usual way or not at all.
    """
    left = file.with_name(f"{file.name}-wal")
    if left.exists() and left.stat().st_size > 0:
        return False
    if os.statvfs(file).f_flag & os.ST_RDONLY:
        return True
    is_in_use = file.with_name(f"{file.name}-shm").exists()
    return not is_in_use and not os.access(file.parent, os.W_OK)
