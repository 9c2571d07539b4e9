"""The feeds of the settings file brought into the store: how they differ, and following the file."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from wireroom.model import Event
from wireroom.poll.feed_diff import Difference as Difference
from wireroom.poll.feed_diff import compare

if TYPE_CHECKING:
    from wireroom.app.application import App
    from wireroom.settings import FeedSettings


def sync_feeds(app: App, feeds: Sequence[FeedSettings], *, apply: bool) -> Difference:
    """How the feeds of a file differ from those held; with `apply` the store follows the file."""
    difference = compare(feeds, app.store.feeds())
    if apply and not difference.is_empty:
        now = app.clock()
        added = [(None, feed) for feed in difference.added]
        changed = [(change.held, change.wanted) for change in difference.changed]
        events = _sync_events(difference, now)
        app.store.save_feed_changes([*added, *changed], events=events, now=now)
    return difference


def _sync_events(difference: Difference, now: datetime) -> list[Event]:
    added = [
        Event(kind="feed_added", subject=feed.url, at=now, data={"name": feed.name})
        for feed in difference.added
    ]
    changed = [
        Event(
            kind="feed_changed",
            subject=change.wanted.url,
            at=now,
            data={each.field: [each.old, each.new] for each in change.changes},
        )
        for change in difference.changed
    ]
    return [*added, *changed]


# The feeds of the settings file, taken into a new database; later on only `sync` does that.


def follows_anything(app: App) -> bool:
    """Whether any feed is held, in whatever state."""
    return any(app.store.feed_counts().values())


def feeds_not_followed(app: App) -> int:
    """How many feeds of the settings are not held, so that nobody asks them."""
    return len(compare(app.settings.feeds, app.store.feeds()).added) if app.settings.feeds else 0


def seed_feeds(app: App) -> int:
    """Follows the feeds of the settings where nothing was ever read; how many, 0 when that is not so."""
    feeds = app.settings.feeds
    if not feeds or app.store.counts()["articles"]:
        return 0
    app.sync(feeds, apply=True)
    return len(feeds)
