"""The feeds of the settings file, taken into a new database; later on only `sync` does that."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wireroom.app.application import App


def follows_anything(app: App) -> bool:
    """Whether any feed is held, in whatever state."""
    return any(app.store.feed_counts().values())


def seed_feeds(app: App) -> int:
    """Follows the feeds of the settings where nothing was ever read; how many, 0 when that is not so."""
    feeds = app.settings.feeds
    if not feeds or app.store.counts()["articles"]:
        return 0
    app.sync(feeds, apply=True)
    return len(feeds)
