"""How a SQLite file can be opened where it lies, and the connections to it.

Says in plain words what is wrong with the place; SQLite only says it cannot open it. Must not know
what is in the file.
"""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Literal, TypeAlias

from sqlalchemy import Connection, Table, UniqueConstraint, text

from wireroom.errors import StoreError, Wording
from wireroom.private_files import PRIVATE, make_new
from wireroom.store.faults import begins_as_sqlite, not_sqlite, read_only
from wireroom.store.packing import metadata
from wireroom.store.schema import ARTICLE_WORDS

Access: TypeAlias = Literal["write", "read", "frozen"]
"""Whether we may write, may only read while others write, or nobody can write as long as we look."""

_FLAGS = {"read": "mode=ro", "frozen": "mode=ro&immutable=1"}


def access_to(file: Path) -> Access:
    """What can be done with the file, which is made later if there is none."""
    check_place(file)
    if os.access(file.parent, os.W_OK) and (_is_made(file) or _opens_for_writing(file)):
        return "write"
    if not file.exists():
        raise read_only(str(file))
    if not os.access(file, os.R_OK):
        raise StoreError(
            f"{file} cannot be read.",
            hint=Wording(
                "Ask its owner for the right to, or name another database.",
                terminal="Ask its owner for the right to, or name another database with --db.",
            ),
        )
    return "frozen" if _is_frozen(file) else "read"


def check_place(file: Path) -> None:
    """Raises why no database can be at this place, whether there is one or not."""
    folder = file.parent
    if not folder.is_dir():
        raise StoreError(
            f"The folder {folder} of the database does not exist.",
            hint=Wording(
                "Make it, or name another file.",
                terminal="Make it, or name another file with --db.",
            ),
        )
    if file.is_symlink() and not file.exists():
        raise StoreError(
            f"{file} is a link to a file that is not there.",
            hint="A new database is not made through a link. Name the file itself.",
        )
    if file.is_dir():
        raise StoreError(f"{file} is a folder, not a database.", hint="Name a file in it.")


def check_content(file: Path) -> None:
    """Raises that a file which is there and not empty is none of SQLite."""
    if os.access(file, os.R_OK) and file.stat().st_size and not begins_as_sqlite(file):
        raise not_sqlite(str(file))


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
    with contextlib.suppress(OSError):  # SQLite meets the same, and the store says what it is
        if not file.exists():
            make_new(file)
            return True
        if not file.stat().st_size:  # one that was made empty becomes ours
            file.chmod(PRIVATE)
    return False


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


# Whether a SQLite file has our schema and nothing in it that would run beside our statements.
#
# A file may come from anybody. A trigger would change what we save, a view or a generated column under a name of
# ours would run whatever expression it was given. We make neither triggers nor views, so one that is there is
# somebody else's, and the file is not opened. What an expression can reach at all is bounded by `trusted_schema`
# (see `sqlite_files`).

_ALL = text("SELECT type, name, tbl_name, coalesce(sql, '') AS sql FROM sqlite_master")
_COLUMNS = text("SELECT name, hidden FROM pragma_table_xinfo(:name)")
_EXPRESSIONS = text(
    "SELECT DISTINCT one.name FROM sqlite_master AS one, pragma_index_xinfo(one.name) AS part"
    " WHERE one.type = 'index' AND part.cid = -2"
)
_UNIQUE = text(
    "SELECT held.name AS index_name, part.name AS column_name"
    " FROM pragma_index_list(:name) AS held, pragma_index_info(held.name) AS part"
    ' WHERE held."unique" ORDER BY held.name, part.seqno'
)
_PARTIAL = text(
    "SELECT held.name AS name FROM sqlite_master AS one, pragma_index_list(one.name) AS held"
    " WHERE one.type = 'table' AND held.partial"
)
_LINKS = text(
    'SELECT "from" AS source, "table" AS parent, "to" AS target, on_delete'
    " FROM pragma_foreign_key_list(:name)"
)
_LINKED = text(
    'SELECT one.name AS child, link."table" AS parent'
    " FROM sqlite_master AS one, pragma_foreign_key_list(one.name) AS link WHERE one.type = 'table'"
)
_CHECK = re.compile(r"\bCHECK\s*\(|\bON\s+CONFLICT\b", re.IGNORECASE)  # we say neither
_INDEX = re.compile(
    r"\s*CREATE\s+VIRTUAL\s+TABLE\s+\S+\s+USING\s+fts5\s*\([^;]*content=''", re.IGNORECASE
)  # without a table or view that holds its text
_GENERATED = (2, 3)  # what SQLite calls a hidden column that is computed


def refuse_foreign_code(conn: Connection, place: str) -> None:
    """Raises StoreError when the file holds something that would run without being called."""
    found = next(_foreign(conn), "")
    if found:
        raise StoreError(
            f"{place} holds {found} that wireroom did not make.",
            hint="Who made this file can change what is saved in it. Go on with a backup of your own.",
        )


def refuse_other_schema(conn: Connection, place: str) -> None:
    """Raises StoreError when a table of ours has not the columns, keys and links that we gave it."""
    odd = next(_odd_tables(conn), "")
    if odd:
        raise StoreError(f"{place}: {odd}.", hint="Go on with a backup, or name another database.")


def _odd_tables(conn: Connection) -> Iterator[str]:
    for table in metadata.sorted_tables:
        if odd := _other_columns(conn, table):
            yield f"the table {table.name} has not our columns ({', '.join(odd[:3])})"
        if _unique(conn, table.name) - _primary(table) != _our_unique(table):
            yield f"the table {table.name} has not our unique keys"
        if _links(conn, table.name) != _our_links(table):
            yield f"the table {table.name} has not our links to other tables"
    for row in conn.execute(_LINKED).all():
        if row.child not in metadata.tables and row.parent in metadata.tables:
            yield f"the table {row.child[:40]} is tied to our table {row.parent}"


def _other_columns(conn: Connection, table: Table) -> list[str]:
    """Columns that are not there, that are not ours, or that are computed though ours are not."""
    held = {row.name: row.hidden for row in conn.execute(_COLUMNS, {"name": table.name})}
    ours = {column.name: column.computed is not None for column in table.columns}
    computed = {name for name, hidden in held.items() if hidden in _GENERATED}
    return sorted(
        name
        for name in held.keys() | ours.keys()
        if name not in held or name not in ours or (name in computed) != ours[name]
    )


def _unique(conn: Connection, table: str) -> set[tuple[str, ...]]:
    keys: dict[str, list[str]] = {}
    for row in conn.execute(_UNIQUE, {"name": table}):
        keys.setdefault(row.index_name, []).append(row.column_name)
    return set(map(tuple, keys.values()))


def _primary(table: Table) -> set[tuple[str, ...]]:
    """Where a number is the key, SQLite keeps no index for it."""
    return {tuple(column.name for column in table.primary_key.columns)}


def _our_unique(table: Table) -> set[tuple[str, ...]]:
    constraints = (held for held in table.constraints if isinstance(held, UniqueConstraint))
    columns = [held.columns for held in constraints]
    columns += [index.columns for index in table.indexes if index.unique]
    return {tuple(column.name for column in held) for held in columns}


def _links(conn: Connection, table: str) -> set[tuple[str, str, str, str]]:
    return {
        (row.source, row.parent, row.target, row.on_delete)
        for row in conn.execute(_LINKS, {"name": table})
    }


def _our_links(table: Table) -> set[tuple[str, str, str, str]]:
    return {
        (key.parent.name, key.column.table.name, key.column.name, key.ondelete or "NO ACTION")
        for key in table.foreign_keys
    }


def _foreign(conn: Connection) -> Iterator[str]:
    rows = conn.execute(_ALL).all()
    for row in rows:
        if row.type in {"trigger", "view"}:
            yield f"a {row.type} ({row.name[:40]})"
        is_ours = row.type == "table" and row.name in metadata.tables
        if is_ours and (_is_virtual(row.sql) or _CHECK.search(row.sql)):
            yield f"a table ({row.name})"
        if row.name == ARTICLE_WORDS and not _INDEX.match(row.sql):
            yield f"an index of words ({row.name})"
    if any(row.type == "index" for row in rows):
        yield from (
            f"an index on an expression ({name[:40]})"
            for name in conn.execute(_EXPRESSIONS).scalars()
        )
        ours = {index.name for table in metadata.tables.values() for index in table.indexes}
        yield from (
            f"an index on a part of a table ({name[:40]})"
            for name in conn.execute(_PARTIAL).scalars()
            if name not in ours
        )


def _is_virtual(sql: str) -> bool:
    return re.match(r"\s*CREATE\s+VIRTUAL\b", sql, re.IGNORECASE) is not None
