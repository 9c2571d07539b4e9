"""`wireroom pause`: leaves feeds alone until they are resumed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.feeds.naming import FeedNames, feed_identity, show_no_feed
from wireroom.cli.session import Json, Session
from wireroom.display_text import counted
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.model import Feed


def pause(session: Session, names: FeedNames, json: Json = False) -> int:
    """Leave feeds alone until they are resumed.

    What they brought stays. Pages they led to that were not read yet wait as well, unless another feed names them
    too; those in the hands of a run are still read. Exit code 3 when a name is none.
    """
    from wireroom.app.feeds import FollowedFeeds

    feeds: list[Feed] = []
    missing = list(names)
    if session.has_database():
        with session.app() as app:
            feeds, missing = FollowedFeeds(app).named(names)
            count = FollowedFeeds(app).pause(feeds)
        before = len(feeds) - count
        also = f", {before:,} paused before" if before else ""
        if feeds:
            session.streams.note(f"{counted(count, 'feed')} paused{also}.")
    if json:
        rows = [feed_identity(feed) | {"was": feed.state, "state": "paused"} for feed in feeds]
        session.streams.json({"feeds": rows, "missing": missing})
    show_no_feed(session, missing)
    return NOTHING_FOUND if missing else OK


PLUG = Command("pause", pause, order=34)
