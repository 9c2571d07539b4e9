"""`wireroom feed`: everything about one feed."""

from __future__ import annotations

from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.feeds.naming import FeedName, show_no_feed
from wireroom.cli.session import Json, Session
from wireroom.ports import Command


def feed(session: Session, name: FeedName, json: Json = False) -> int:
    """Everything about one feed.

    How it does, its settings, its last problems and articles. Exit code 3 when there is no such feed.
    """
    from wireroom.app.feeds import FollowedFeeds
    from wireroom.cli.feed.feed_view import show_feed, view_data

    if session.has_database():
        with session.app() as app:
            held = FollowedFeeds(app).feed_named(name)
            if held is not None:
                view, now = FollowedFeeds(app).view(held), app.clock()
                if json:
                    session.streams.json(view_data(view))
                else:
                    show_feed(view, session, now)
                return OK
    show_no_feed(session, [name])
    return NOTHING_FOUND


PLUG = Command("feed", feed, order=33)
