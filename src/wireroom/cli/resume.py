"""`wireroom resume`: asks feeds again, at once, whatever had become of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.feeds.naming import FeedNames, feed_identity, tell_no_feed
from wireroom.cli.session import Json, Session
from wireroom.display_text import counted
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.model import Feed


def resume(session: Session, names: FeedNames, json: Json = False) -> int:
    """Ask feeds again, at once.

    Wakes paused, resting and gone feeds; their failures are forgotten, and pages that waited are read. Exit code 3
    when a name is none.
    """
    from wireroom.app.feeds import FollowedFeeds

    feeds: list[Feed] = []
    missing = list(names)
    if session.has_database():
        with session.app() as app:
            feeds, missing = FollowedFeeds(app).named(names)
            FollowedFeeds(app).resume(feeds)
        if feeds:
            session.streams.note(f"{counted(len(feeds), 'feed')} asked by the next: wireroom run")
    if json:
        rows = [feed_identity(feed) | {"was": feed.state, "state": "live"} for feed in feeds]
        session.streams.json({"feeds": rows, "missing": missing})
    tell_no_feed(session, missing)
    return NOTHING_FOUND if missing else OK


PLUG = Command("resume", resume, order=35)
