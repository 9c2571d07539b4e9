"""`wireroom backup FILE`: a consistent copy of the live database."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.session import Json, Session
from wireroom.errors import StoreError
from wireroom.ports import Command

File = Annotated[Path, typer.Argument(help="The file to write.", show_default=False)]
Force = Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")]


def backup(session: Session, file: File, force: Force = False, json: Json = False) -> int:
    """Copy the live database to a file.

    Others may go on working meanwhile. An old copy is replaced only when the new one is complete. Exit code 3 when there is no
    database.
    """
    if not session.has_database():
        message = f"There is no {session.database_name()} to be copied."
        session.streams.missing(message, "Name the database with: --db FILE")
        return NOTHING_FOUND
    begun = monotonic()
    try:
        _check(session, file, force=force)
        with session.app() as app, session.streams.progress("Copying") as progress:
            app.backup(file, replace=force and file.exists(), progress=progress)
    except OSError as exc:
        raise StoreError(
            f"{file} cannot be written: {exc.strerror}.", hint="Name another file."
        ) from exc
    size, took = file.stat().st_size, monotonic() - begun
    if json:
        session.streams.json({"file": str(file), "bytes": size, "seconds": round(took, 3)})
    else:
        session.streams.line(f"{file}  {size:,} bytes in {took:.1f} s")
    return OK


def _check(session: Session, file: Path, *, force: bool) -> None:
    """Refuses what would destroy something, and what makes no sense."""
    source = session.database_file()
    if file.is_dir():
        raise StoreError(f"{file} is a folder.", hint="Name the file to be written.")
    if not file.exists():
        return
    if source is not None and file.samefile(source):
        raise StoreError(f"{file} is the database itself.", hint="Name another file.")
    if not force:
        raise StoreError(f"{file} is there already.", hint="Replace it with: --force")


PLUG = Command("backup", backup, order=64)
