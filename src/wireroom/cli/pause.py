"""`wireroom pause`: leaves feeds alone until they are resumed."""

from __future__ import annotations

from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.feeds.naming import FeedNames, feeds_named, tell_none
from wireroom.cli.session import Session
from wireroom.ports import Verb


def pause(session: Session, names: FeedNames) -> int:
    """Leave feeds alone until they are resumed.

    What they brought stays, and pages that were found already are still read. Exit code 3 when a name is none.
    """
    from wireroom.desk.roster import Roster

    missing = list(names)
    if session.has_database():
        with session.desk() as desk:
            feeds, missing = feeds_named(desk, names)
            count = Roster(desk).pause(feeds)
        session.streams.note(f"{count} paused, {len(feeds) - count} were paused before.")
    tell_none(session, missing)
    return NOTHING_FOUND if missing else OK


PLUG = Verb("pause", pause, order=34)
