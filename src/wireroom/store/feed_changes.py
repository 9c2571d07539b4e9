"""What an operator changes of feeds, brought into rows that polling goes on changing.

A change is decided on what was read a moment ago. So it is saved as a difference: what it changes is
changed in the row as it stands now, and all that a poll has saved meanwhile stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import TypeAlias

from sqlalchemy import Connection

from wireroom.model import Feed
from wireroom.store.feeds_table import host_of_feed, lock_feeds, move_feed, save_feeds
from wireroom.store.hosts_table import lock_hosts
from wireroom.store.publishers_table import ensure_publishers
from wireroom.store.queue.pausing import page_hosts

FeedChange: TypeAlias = tuple[Feed | None, Feed]
"""The feed as it was held when the change was decided, None for a new one; and as it is wanted."""

# What one server said means nothing to another: after a move these are as the change has them.
_OF_THE_SERVER = ("validators", "failures", "poll_after", "standing", "state")


def save_feed_changes(conn: Connection, changes: Sequence[FeedChange], *, now: datetime) -> None:
    """Adds, changes and moves feeds; the items and leads of one that moves go with it."""
    ensure_publishers(conn, [wanted.publisher for _, wanted in changes], now=now)
    urls = {feed.url for feed in _named(changes)}
    pages = page_hosts(conn, _turning(changes))
    lock_hosts(conn, pages | {host_of_feed(url) for url in urls})
    held = lock_feeds(conn, urls)
    settled: list[Feed] = []
    moved: set[str] = set()
    for before, wanted in changes:
        there = None if before is None else held.get(before.url)
        if there is not None and there.url != wanted.url:
            move_feed(conn, there.url, wanted.url)
            moved.add(wanted.url)
        settled.append(_settled(before or _bare(wanted), wanted, there, held.get(wanted.url)))
    save_feeds(conn, settled, now=now, moved=moved)


def _turning(changes: Iterable[FeedChange]) -> set[str]:
    """The addresses of feeds whose pages may have to sleep or wake: paused, resumed or moved ones."""
    return {
        feed.url
        for before, wanted in changes
        if before is None or before.url != wanted.url or before.state != wanted.state
        for feed in (before, wanted)
        if feed is not None
    }


def _settled(before: Feed, wanted: Feed, there: Feed | None, here: Feed | None) -> Feed:
    """The feed to be kept, by what is held at its former address and at the one it shall have."""
    if here is not None:
        learnt = () if there is here else _OF_THE_SERVER[:-1]
        return _changed(before, wanted, here, but=learnt)
    if there is None:
        return wanted
    asked_there = {name: getattr(wanted, name) for name in _OF_THE_SERVER}
    return replace(_changed(before, wanted, there), **asked_there)


def _changed(before: Feed, wanted: Feed, now: Feed, *, but: Iterable[str] = ()) -> Feed:
    """The feed as it stands now, with the fields that the operator changes."""
    names = [field.name for field in fields(Feed) if field.name not in but]
    pairs = {name: (getattr(before, name), getattr(wanted, name)) for name in names}
    changed = {name: new for name, (old, new) in pairs.items() if old != new}
    return replace(now, **{**changed, "url": wanted.url})


def _bare(wanted: Feed) -> Feed:
    """A feed of which nobody has decided anything yet."""
    return Feed(url=wanted.url, publisher=wanted.publisher, kind=wanted.kind)


def _named(changes: Iterable[FeedChange]) -> Iterable[Feed]:
    return (feed for change in changes for feed in change if feed is not None)
