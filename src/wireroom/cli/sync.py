"""`wireroom sync`: shows how the feeds of wireroom.toml differ from those followed, and applies it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wireroom.cli.exits import ERROR, NOTHING_FOUND, OK
from wireroom.cli.feeds.naming import change_cells, feed_identity
from wireroom.cli.session import Json, Session
from wireroom.cli.streams import Streams
from wireroom.display_text import counted
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app import App
    from wireroom.app.sync import Difference
    from wireroom.model import Feed

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Apply without asking.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show the difference.")]

UNLISTED = "Feeds with a name that are not in the file (?) are followed all the same; to stop one: wireroom pause NAME"


def sync(session: Session, yes: Yes = False, dry_run: DryRun = False, json: Json = False) -> int:
    """Bring the feeds of wireroom.toml into the database.

    Shows the difference first and asks. Without a terminal, or with --json, nobody can be asked,
    and only --yes applies it. Exit code 0 when file and database agree afterwards (or with
    --dry-run), 1 when differences were left, 3 when there are no feeds at all.
    """
    feeds = session.load().settings.feeds
    with _looking_app(session) as app:
        difference = app.sync(feeds, apply=False)
    if not json:
        show_difference(difference, session.streams)
    apply = not (dry_run or difference.is_empty) and (yes or _agreed(session, json))
    if apply:
        with session.app() as app:
            difference = app.sync(feeds, apply=True)
    if json:
        session.streams.json({"applied": apply, **_data(difference)})
    else:
        _show_end(session, difference, applied=apply, dry_run=dry_run)
    if not feeds and not difference.unlisted:
        return NOTHING_FOUND
    return OK if apply or dry_run or difference.is_empty else ERROR


@contextmanager
def _looking_app(session: Session) -> Iterator[App]:
    """An app to compare with; looking must not make a database, so a missing one is an empty one."""
    from wireroom.app import open_app

    if session.has_database():
        with session.app() as app:
            yield app
        return
    with open_app("sqlite://") as app:
        yield app


def _agreed(session: Session, json: bool) -> bool:
    if json or not session.streams.may_ask:
        return False
    return session.streams.ask(f"Apply this to {session.database_name()}?")


def show_difference(difference: Difference, streams: Streams) -> None:
    """Shows what is to be added, changed and left, one feed a line."""
    for feed in difference.added:
        streams.line(f"+ {_title(feed)}", style="green")
    for change in difference.changed:
        streams.line(f"~ {_title(change.wanted)}", style="yellow")
        rows = [(each.field, *change_cells(each)) for each in change.changes]
        streams.table(rows, indent=4)
    for feed in difference.unlisted:
        streams.line(f"? {_title(feed)}", style="dim")


def _title(feed: Feed) -> str:
    return f"{feed.name}  {feed.url}"


def _show_end(session: Session, difference: Difference, *, applied: bool, dry_run: bool) -> None:
    streams = session.streams
    if difference.unlisted:
        streams.note(UNLISTED)
    if difference.is_empty:
        here = len(difference.unchanged)
        streams.note(
            f"Nothing to do: {counted(here, 'feed')} of the file followed as written."
            if here
            else "No feeds in the settings. Add [[feeds]] with a name and a url to wireroom.toml."
        )
        return
    counts = f"{len(difference.added):,} added, {len(difference.changed):,} changed"
    counts += f", {len(difference.unchanged):,} unchanged"
    if applied:
        streams.note(f"Applied to {session.database_name()}: {counts}.")
    else:
        why = "" if dry_run or streams.may_ask else " Nobody to ask here: use --yes."
        streams.note(f"Nothing was applied; it would be {counts}.{why}")


def _data(difference: Difference) -> dict[str, Any]:
    return {
        "added": [feed_identity(feed) for feed in difference.added],
        "changed": [
            {**feed_identity(change.wanted), "changes": [asdict(each) for each in change.changes]}
            for change in difference.changed
        ],
        "unlisted": [feed_identity(feed) for feed in difference.unlisted],
        "unchanged": [feed_identity(feed) for feed in difference.unchanged],
    }


PLUG = Command("sync", sync, order=61)
