"""The outcome of a poll, saved whole: the feed as decided, its items, and the leads they give."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection

from wireroom.model import Feed, Item, Polled
from wireroom.ports import PollCount
from wireroom.store.feeds import host_of_feed, lock_feed, move_feed, save_polled_feed
from wireroom.store.items import Sorted, item_key, page_key, save_items
from wireroom.store.leads import lead_hosts_of, reopen_leads, save_found_leads
from wireroom.store.log import add_problems
from wireroom.store.marks import save_poll_marks
from wireroom.store.publishers import ensure_publishers
from wireroom.store.work import lock_hosts, note_due

__all__ = ["save_polled"]


def save_polled(
    conn: Connection, feed: Feed, polled: Polled, *, now: datetime, token: str
) -> PollCount:
    """Saves the poll; nothing when the feed was removed meanwhile, for it shall stay removed."""
    asked = [host_of_feed(feed.url), host_of_feed(polled.feed_url or feed.url)]
    ensure_publishers(conn, [feed.publisher], now=now)
    hosts = lock_hosts(conn, {*asked, *lead_hosts_of(conn, feed.publisher, _pages(polled.items))})
    if not lock_feed(conn, polled.feed_url or feed.url):
        return PollCount()
    if polled.feed_url and polled.feed_url != feed.url:
        move_feed(conn, polled.feed_url, feed.url)
    save_polled_feed(conn, feed)
    items = save_items(conn, feed.url, polled.items)
    found = _rows_of(items, items.new + items.changed)
    save_found_leads(conn, feed.publisher, found, feed_url=feed.url, now=now)
    if polled.reopen:
        changed = _rows_of(items, items.changed)
        reopen_leads(conn, feed.publisher, changed, feed_url=feed.url, now=now)
    save_poll_marks(conn, feed.url, polled.marks)
    if polled.problem is not None:
        add_problems(conn, [polled.problem], token=token)
    note_due(conn, hosts)
    return PollCount(new=len(items.new), changed=len(items.changed), known=len(items.known))


def _pages(items: Iterable[Item]) -> list[str]:
    return [item.url for item in items if page_key(item.url)]


def _rows_of(found: Sorted, items: Iterable[Item]) -> dict[int, Item]:
    """The items that have a page to read, by their rows."""
    return {found.ids[item_key(item)]: item for item in items if page_key(item.url)}
