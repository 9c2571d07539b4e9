"""Whether a SQLite file has our schema and nothing in it that would run beside our statements.

A file may come from anybody. A trigger would change what we save, a view or a generated column under a name of
ours would run whatever expression it was given. We make neither triggers nor views, so one that is there is
somebody else's, and the file is not opened. What an expression can reach at all is bounded by `trusted_schema`
(see `sqlite_files`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlalchemy import Connection, text

from wireroom.errors import StoreError
from wireroom.store.column_types import metadata
from wireroom.store.schema import ARTICLE_WORDS

_ALL = text("SELECT type, name, tbl_name, coalesce(sql, '') AS sql FROM sqlite_master")
_COLUMNS = text("SELECT name, hidden FROM pragma_table_xinfo(:name)")
_EXPRESSIONS = text(
    "SELECT DISTINCT one.name FROM sqlite_master AS one, pragma_index_xinfo(one.name) AS part"
    " WHERE one.type = 'index' AND part.cid = -2"
)
_CHECK = re.compile(r"\bCHECK\s*\(", re.IGNORECASE)
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


def refuse_other_columns(conn: Connection, place: str) -> None:
    """Raises StoreError when a table of ours lacks a column, or computes one that we do not."""
    for table in metadata.sorted_tables:
        held = {row.name: row.hidden for row in conn.execute(_COLUMNS, {"name": table.name})}
        ours = {column.name for column in table.columns}
        computed = {column.name for column in table.columns if column.computed is not None}
        odd = sorted(ours - set(held))
        odd += [
            name for name, hidden in held.items() if hidden in _GENERATED and name not in computed
        ]
        if odd:
            raise StoreError(
                f"{place}: the table {table.name} has not our columns ({', '.join(odd[:3])}).",
                hint="Go on with a backup, or name another database.",
            )


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


def _is_virtual(sql: str) -> bool:
    return re.match(r"\s*CREATE\s+VIRTUAL\b", sql, re.IGNORECASE) is not None
