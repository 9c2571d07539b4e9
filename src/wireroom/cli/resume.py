"""`wireroom resume`: asks feeds again, at once, whatever had become of them."""

from __future__ import annotations

from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.feeds.naming import FeedNames, feeds_named, tell_none
from wireroom.cli.session import Session
from wireroom.ports import Verb


def resume(session: Session, names: FeedNames) -> int:
    """Ask feeds again, at once.

    Wakes paused, resting and gone feeds; their failures are forgotten. Exit code 3 when a name is none.
    """
    from wireroom.desk.roster import Roster

    missing = list(names)
    if session.has_database():
        with session.desk() as desk:
            feeds, missing = feeds_named(desk, names)
            Roster(desk).resume(feeds)
        session.streams.note(f"{len(feeds)} asked by the next: wireroom run")
    tell_none(session, missing)
    return NOTHING_FOUND if missing else OK


PLUG = Verb("resume", resume, order=35)
