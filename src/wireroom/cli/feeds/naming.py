"""The feed that is meant on a command line, and what is said when there is none, or more than one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from wireroom.cli.streams import Failure

if TYPE_CHECKING:
    from wireroom.app.add import FieldChange
    from wireroom.cli.session import Session
    from wireroom.model import Feed

FeedName = Annotated[
    str, typer.Argument(metavar="NAME|URL", help="The feed by its name, title or address.")
]
FeedNames = Annotated[
    list[str],
    typer.Argument(metavar="NAME|URL...", help="Feeds, or publishers for all feeds of theirs."),
]


def feed_identity(feed: Feed) -> dict[str, str]:
    """What tells a feed from the others, as plain data."""
    return {"name": feed.name, "url": feed.url, "publisher": feed.publisher}


def change_cells(change: FieldChange) -> tuple[str, str, str]:
    """A field before and after, as cells of a table."""
    return _value(change.old), "→", _value(change.new)


def _value(value: object) -> str:
    if value is None or value in ("", [], {}):
        return "(none)"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def show_no_feed(session: Session, names: Sequence[str]) -> None:
    """Says that nothing is called so, or that there is no database yet in which anything could be."""
    if names and not session.has_database():
        session.show_nothing_held()
        return
    for name in names:
        problem, hint = f"{name}: there is no such feed.", "List them with: wireroom feeds"
        session.streams.fail(Failure("not_found", problem, hint))
        session.streams.error(f"{problem} {hint}")
