"""`wireroom opml`: the feeds that are followed as OPML, with our settings; `add FILE.opml` reads it back."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Annotated

import typer

from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.session import Session
from wireroom.errors import DeliverError
from wireroom.ports import Verb

Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Into this file.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")]


def opml(session: Session, output: Output = None, force: Force = False) -> int:
    """Write the feeds that are followed as OPML.

    Grouped by category; selectors, language, zone, interval, region, mirrors and the field map stand beside each
    feed in attributes of our own, which other readers pass over. Passwords of proxies are left out. Read it back
    with: wireroom add FILE.opml. Exit code 3 when there are no feeds.
    """
    body, count = BytesIO(), 0
    if session.has_database():
        from wireroom.desk.roster import Roster

        with session.desk() as desk:
            count = Roster(desk).write_opml(body, desk.store.feeds())
    if not count:
        session.streams.note("No feeds are followed yet.")
        return NOTHING_FOUND
    if output is None:
        session.streams.binary.write(body.getvalue())
    else:
        _write(output, body.getvalue(), replace=force)
        session.streams.note(f"{count:,} feeds are in {output}.")
    return OK


def _write(output: Path, body: bytes, *, replace: bool) -> None:
    """The list into its file; one that is there may be the only list of another reader."""
    try:
        with output.open("wb" if replace else "xb") as file:
            file.write(body)
    except FileExistsError as exc:
        raise DeliverError(
            f"{output} is there already.", way_out="Replace it with: --force"
        ) from exc
    except OSError as exc:
        raise DeliverError(f"{output} cannot be written: {exc.strerror}.") from exc


PLUG = Verb("opml", opml, order=62)
