"""Brings a database's schema to the present, in one transaction, or refuses in one clear line.

Each step is a module in `versions`, run by Alembic; nobody needs an ini file. The caller begins the
transaction, so that a process killed half-way leaves the old schema standing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from wireroom.errors import NewerSchemaError, StoreError
from wireroom.store.packing import metadata

__all__ = ["REVISIONS", "STEPS", "VERSION_TABLE", "is_current", "upgrade"]

UPGRADE_LOCK = 0x77697265  # "wire": on a server, whoever holds it upgrades and the others wait

REVISIONS = ("0001", "0002")
"""Every revision this program knows, oldest first; the last is the one it works with."""

STEPS = Path(__file__).parent / "versions"
VERSION_TABLE = "wireroom_version"  # not Alembic's usual name: the database may serve others too


def is_current(conn: Connection, place: str, revisions: Sequence[str] = REVISIONS) -> bool:
    """Whether the schema is the present one; raises where it is newer, or somebody else's."""
    names = set(inspect(conn).get_table_names())
    if VERSION_TABLE not in names:
        _refuse_foreign(names, conn, place)
        return False
    query = text(f"SELECT version_num FROM {VERSION_TABLE}")  # noqa: S608 - a name of our own
    held = conn.execute(query).scalar()
    if held is not None and held not in revisions:
        raise NewerSchemaError(
            f"{place} was written by a newer wireroom (schema {held}, this one knows {revisions[-1]}).",
            hint="Upgrade wireroom, or name another database.",
        )
    return bool(held == revisions[-1])


def upgrade(
    conn: Connection,
    place: str,
    *,
    revisions: Sequence[str] = REVISIONS,
    steps: Sequence[Path] = (STEPS,),
) -> None:
    """Runs the steps that are missing, inside the caller's transaction.

    Of several processes one does it; the others wait for its end and find it done.
    """
    if conn.dialect.name == "postgresql":
        conn.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": UPGRADE_LOCK})
    if not is_current(conn, place, revisions):
        _run(conn, steps)


def _run(conn: Connection, steps: Sequence[Path]) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": conn, "version_table": VERSION_TABLE})
    config.set_main_option("script_location", _escaped(Path(__file__).parent))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", "\n".join(map(_escaped, steps)))
    command.upgrade(config, "head")


def _escaped(path: Path) -> str:
    return str(path).replace("%", "%%")


def _refuse_foreign(names: set[str], conn: Connection, place: str) -> None:
    """A server may be shared; a file that holds other tables is somebody else's."""
    taken = names if conn.dialect.name == "sqlite" else names & set(metadata.tables)
    if taken:
        raise StoreError(
            f"{place} holds tables that are not wireroom's ({', '.join(sorted(taken)[:3])}).",
            hint="Name another database.",
        )
