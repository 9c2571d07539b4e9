"""`wireroom opml`: the feeds that are followed as OPML, with our settings; `add FILE.opml` reads it back."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wireroom.app.counting import counted
from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.feeds.naming import feed_data
from wireroom.cli.session import Json, Session
from wireroom.errors import DeliverError, SettingsError
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.model import Feed

Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Into this file.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")]


def opml(session: Session, output: Output = None, force: Force = False, json: Json = False) -> int:
    """Write the feeds that are followed as OPML.

    Grouped by category; what you said of a feed stands beside it in attributes of our own, which other readers
    pass over. Passwords of proxies are left out. Read it back
    with: wireroom add FILE.opml. --json tells which feeds went into the FILE of -o. Exit code 3 when there are
    no feeds.
    """
    if json and output is None:
        raise SettingsError(
            ["--json: stdout is taken by the OPML itself"], hint="Name its file with: -o FILE"
        )
    body = BytesIO()
    feeds: tuple[Feed, ...] = ()
    if session.has_database():
        from wireroom.app.feeds import FollowedFeeds

        with session.app() as app:
            feeds = FollowedFeeds(app).all()
            FollowedFeeds(app).write_opml(body, feeds)
    if feeds and output is None:
        session.streams.binary.write(body.getvalue())
    elif feeds and output is not None:
        _write(output, body.getvalue(), replace=force)
        session.streams.note(f"{counted(len(feeds), 'feed')} written to {output}.")
    else:
        session.tell_none("No feeds are followed yet. Try: wireroom add courier.example")
    if json:
        file = str(output) if feeds else None
        session.streams.json({"file": file, "feeds": [feed_data(feed) for feed in feeds]})
    return OK if feeds else NOTHING_FOUND


def _write(output: Path, body: bytes, *, replace: bool) -> None:
    """The list into its file; one that is there may be the only list of another reader."""
    try:
        with output.open("wb" if replace else "xb") as file:
            file.write(body)
    except FileExistsError as exc:
        raise DeliverError(f"{output} is there already.", hint="Replace it with: --force") from exc
    except OSError as exc:
        raise DeliverError(
            f"{output} cannot be written: {exc.strerror}.", hint="Name another file."
        ) from exc


PLUG = Command("opml", opml, order=62)
