"""The outcome of a poll, saved whole: the feed as decided, its items, and the leads they give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, RowMapping

from wireroom.errors import StoreError
from wireroom.model import Feed, Item, Lead, Polled
from wireroom.ports import PollCount
from wireroom.store.event_log import add_problems
from wireroom.store.feeds_table import host_of_feed, lock_feeds, move_feed, save_polled_feeds
from wireroom.store.hosts_table import lock_hosts, note_due
from wireroom.store.items_table import Sorted, item_key, page_key, save_items
from wireroom.store.leads_table import (
    LeadKey,
    find_leads_held,
    lead_hosts,
    lead_page,
    save_found_leads,
)
from wireroom.store.observations_table import save_poll_marks
from wireroom.store.pausing import page_hosts, settle_pages
from wireroom.store.publishers_table import ensure_publishers
from wireroom.store.reopening import reopen_leads

# A poll takes its time; what was said of the feed meanwhile is not undone by what was known before.
_OF_THE_OPERATOR = (
    *("name", "hints", "interval", "mirrors", "proxy", "region", "category", "role"),
)


def save_polled(
    conn: Connection, feed: Feed, polled: Polled, *, now: datetime, token: str
) -> PollCount:
    """Saves the poll; nothing when the feed was removed meanwhile, for it shall stay removed."""
    return save_polls(conn, [(feed, polled)], now=now, token=token)[0]


def save_polls(
    conn: Connection, polls: Sequence[tuple[Feed, Polled]], *, now: datetime, token: str
) -> tuple[PollCount, ...]:
    """Saves polls of different feeds, step by step for all of them together."""
    if len({feed.url for feed, _ in polls}) < len(polls):
        raise StoreError("Two polls of the same feed are to be saved at once.")
    ensure_publishers(conn, [feed.publisher for feed, _ in polls], now=now)
    named = _leads(polls)
    known = find_leads_held(conn, map(lead_page, named))
    moving = [
        url for feed, polled in polls if _moves(feed, polled) for url in (feed.url, polled.feed_url)
    ]
    pages = page_hosts(conn, moving)
    hosts = lock_hosts(conn, _feed_hosts(polls) | lead_hosts(named, known) | pages)
    held = lock_feeds(conn, [_asked(feed, polled) for feed, polled in polls])
    kept = [
        (_as_wished(feed, held[_asked(feed, polled)]), polled)
        for feed, polled in polls
        if _asked(feed, polled) in held
    ]
    for feed, polled in kept:
        if _moves(feed, polled):
            move_feed(conn, polled.feed_url, feed.url)
    save_polled_feeds(conn, [feed for feed, _ in kept])
    moved = [feed for feed, polled in kept if _moves(feed, polled)]
    settle_pages(conn, moved, hosts=pages, now=now)
    items = save_items(conn, {feed.url: polled.items for feed, polled in kept})
    _save_leads(conn, kept, items, known, now)
    save_poll_marks(conn, {feed.url: polled.observations for feed, polled in kept})
    problems = [polled.problem for _, polled in kept if polled.problem is not None]
    if problems:
        add_problems(conn, problems, token=token)
    note_due(conn, hosts)
    return tuple(_count(items.get(feed.url)) for feed, _ in polls)


def _as_wished(feed: Feed, held: Feed) -> Feed:
    """The feed as decided, with what the operator has said of it since it was taken."""
    wishes = {name: getattr(held, name) for name in _OF_THE_OPERATOR}
    return replace(feed, **wishes, state="paused" if held.state == "paused" else feed.state)


def _asked(feed: Feed, polled: Polled) -> str:
    """The address that was asked: not the feed's own, when it has just moved."""
    return polled.feed_url or feed.url


def _moves(feed: Feed, polled: Polled) -> bool:
    return _asked(feed, polled) != feed.url


def _feed_hosts(polls: Iterable[tuple[Feed, Polled]]) -> set[str]:
    """Every host that the feeds are on, or will be."""
    return {
        host_of_feed(url)
        for feed, polled in polls
        for url in (feed.url, polled.feed_url or feed.url)
    }


def _leads(polls: Iterable[tuple[Feed, Polled]]) -> list[Lead]:
    """A lead for every page that is named."""
    return [
        Lead(url=item.url, publisher=feed.publisher)
        for feed, polled in polls
        for item in polled.items
        if page_key(item.url)
    ]


def _save_leads(
    conn: Connection,
    polls: Iterable[tuple[Feed, Polled]],
    items: Mapping[str, Sorted],
    known: Mapping[LeadKey, RowMapping],
    now: datetime,
) -> None:
    """New and changed items with an address give leads; what changed is read again where that was asked for."""
    found = []
    for feed, polled in polls:
        own = items.get(feed.url)
        if own is None:
            continue
        found.append((feed, _rows_of(own, own.new + own.changed)))
        if polled.reopen:
            changed = _rows_of(own, own.changed)
            paused = feed.state == "paused"
            reopen_leads(conn, feed.publisher, changed, feed_url=feed.url, paused=paused, now=now)
    save_found_leads(conn, found, held=known, now=now)


def _count(items: Sorted | None) -> PollCount:
    if items is None:
        return PollCount()
    return PollCount(new=len(items.new), changed=len(items.changed), known=len(items.known))


def _rows_of(found: Sorted, items: Iterable[Item]) -> dict[int, Item]:
    """The items that have a page to read, by their rows."""
    return {found.ids[item_key(item)]: item for item in items if page_key(item.url)}
