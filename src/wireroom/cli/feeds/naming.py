"""The feed that is meant on a command line, and what is said when there is none, or more than one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from wireroom.errors import SettingsError

if TYPE_CHECKING:
    from wireroom.app import App
    from wireroom.cli.session import Session
    from wireroom.model import Feed
    from wireroom.poll.feed_diff import FieldChange

FeedName = Annotated[
    str, typer.Argument(metavar="NAME|URL", help="The feed by its name, title or address.")
]
FeedNames = Annotated[
    list[str],
    typer.Argument(metavar="NAME|URL...", help="Feeds, or publishers for all feeds of theirs."),
]
MAX_NAMED = 5  # feeds that are named where one is meant


def one_feed(app: App, name: str) -> Feed | None:
    """The feed of this name; SettingsError when several could be meant."""
    from wireroom.app.feeds import FollowedFeeds

    found = FollowedFeeds(app).find(name)
    if len(found) > 1:
        raise SettingsError(
            [f"{name}: {len(found)} feeds could be meant: {_few(found)}"],
            hint="Name it by its address.",
        )
    return found[0] if found else None


def feeds_named(app: App, names: Sequence[str]) -> tuple[list[Feed], list[str]]:
    """The feeds of these names, each once, and the names that nothing is called by."""
    from wireroom.app.feeds import FollowedFeeds

    followed = FollowedFeeds(app)
    found: dict[str, Feed] = {}
    missing = []
    for name in names:
        feeds = followed.find(name)
        found |= {feed.url: feed for feed in feeds}
        if not feeds:
            missing.append(name)
    return list(found.values()), missing


def feed_data(feed: Feed) -> dict[str, str]:
    """What tells a feed from the others, as plain data."""
    return {"name": feed.name, "url": feed.url, "publisher": feed.publisher}


def change_cells(change: FieldChange) -> tuple[str, str, str]:
    """A field before and after, as cells of a table."""
    return _value(change.old), "→", _value(change.new)


def _value(value: object) -> str:
    if value is None or value in ("", [], {}):
        return "(none)"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def tell_none(session: Session, names: Sequence[str]) -> None:
    """Says that nothing is called so, or that there is no database yet in which anything could be."""
    if names and not session.has_database():
        session.tell_nothing_held()
        return
    for name in names:
        session.streams.error(f"{name}: there is no such feed. List them with: wireroom feeds")


def _few(feeds: Sequence[Feed]) -> str:
    more = f" and {len(feeds) - MAX_NAMED} more" if len(feeds) > MAX_NAMED else ""
    return f"{', '.join(feed.url for feed in feeds[:MAX_NAMED])}{more}"
