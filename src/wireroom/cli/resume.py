"""`wireroom resume`: asks feeds again, at once, whatever had become of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.feeds.naming import FeedNames, feed_identity, show_no_feed
from wireroom.cli.promises import promise_lines
from wireroom.cli.session import Json, Session
from wireroom.cli.why import wait_data
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app.waiting import Wait
    from wireroom.model import Feed


def resume(session: Session, names: FeedNames, json: Json = False) -> int:
    """Ask feeds again, at once.

    Wakes paused, resting and gone feeds; their failures are forgotten, and pages that waited are read. It says which
    of them have to wait, and for what: a host that is left alone, another process. Exit code 3 when a name is none.
    """
    from wireroom.app.feeds import FollowedFeeds
    from wireroom.app.waiting import is_run_alive

    feeds: list[Feed] = []
    waits: tuple[Wait, ...] = ()
    missing = list(names)
    if session.has_database():
        with session.app() as app:
            feeds, missing = FollowedFeeds(app).named(names)
            waits = FollowedFeeds(app).resume(feeds)
            is_alive, now = is_run_alive(app), app.clock()
        for line in promise_lines(waits, "feed", "polled", now, is_alive=is_alive):
            session.streams.note(line)
        _note_reserve(session, feeds)
    if json:
        rows = [
            feed_identity(feed) | {"was": feed.state, "state": "live", "waits_for": wait_data(wait)}
            for feed, wait in zip(feeds, waits, strict=True)
        ]
        session.streams.json({"feeds": rows, "missing": missing})
    show_no_feed(session, missing)
    return NOTHING_FOUND if missing else OK


def _note_reserve(session: Session, feeds: Sequence[Feed]) -> None:
    """Says of feeds in reserve that they are asked only when they are needed."""
    reserve = [feed.name or feed.url for feed in feeds if feed.role == "fallback"]
    if reserve:
        session.streams.note(f"In reserve, and polled where no other answers: {', '.join(reserve)}")


PLUG = Command("resume", resume, order=35)
