"""`wireroom opml`: the feeds that are followed as OPML, with our settings; `add FILE.opml` reads it back."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.feeds.naming import feed_identity
from wireroom.cli.session import Json, Session
from wireroom.display_text import counted
from wireroom.errors import DeliverError, SettingsError
from wireroom.ports import Command
from wireroom.private_files import open_new, write_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wireroom.model import Feed

Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Into this file.")
]
WithTokens = Annotated[
    bool, typer.Option("--with-tokens", help="Tokens in the addresses of feeds as well.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")]


def opml(
    session: Session,
    output: Output = None,
    with_tokens: WithTokens = False,
    force: Force = False,
    json: Json = False,
) -> int:
    """Write the feeds that are followed as OPML.

    Grouped by category; what you said of a feed stands beside it in attributes of our own, which other readers
    pass over. Passwords of proxies are left out, and tokens in addresses unless --with-tokens asks for them. Read it
    back with: wireroom add FILE.opml. --json tells which feeds went into the FILE of -o. Exit code 3 when there are
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
            FollowedFeeds(app).write_opml(body, feeds, tokens=with_tokens)
    if feeds and output is None:
        session.streams.binary.write(body.getvalue())
    elif feeds and output is not None:
        _write(output, body.getvalue(), replace=force)
        session.streams.note(f"{counted(len(feeds), 'feed')} written to {output}.")
    else:
        session.show_none("No feeds are followed yet. Try: wireroom add courier.example")
    if not with_tokens:
        _note_left_out(session, feeds)
    if json:
        file = str(output) if feeds else None
        session.streams.json({"file": file, "feeds": [feed_identity(feed) for feed in feeds]})
    return OK if feeds else NOTHING_FOUND


def _note_left_out(session: Session, feeds: Sequence[Feed]) -> None:
    from wireroom.app.feeds import with_tokens

    count = with_tokens(feeds)
    if count:
        session.streams.note(
            f"{counted(count, 'feed')} with a token in the address: it was left out. --with-tokens writes it."
        )


def _write(output: Path, body: bytes, *, replace: bool) -> None:
    """The list into its file; one that is there may be the only list of another reader."""
    try:
        if replace:
            write_whole(output, body)
        else:
            with open_new(output) as file:
                file.write(body)
    except FileExistsError as exc:
        raise DeliverError(f"{output} is there already.", hint="Replace it with: --force") from exc
    except OSError as exc:
        raise DeliverError(
            f"{output} cannot be written: {exc.strerror}.", hint="Name another file."
        ) from exc


PLUG = Command("opml", opml, order=62)
