"""The outcome of a poll, saved whole: the feed as decided, its items, and the leads they give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection

from wireroom.errors import StoreError
from wireroom.identity import NamedPage, lead_changes, lead_key
from wireroom.model import Feed, Lead, Polled
from wireroom.ports import PollCount
from wireroom.store.events_table import add_problems
from wireroom.store.feeds_table import host_of_feed, lock_feeds, move_feed, save_polled_feeds
from wireroom.store.hosts_table import lock_hosts, note_due
from wireroom.store.items_table import Sorted, item_key, save_items
from wireroom.store.leads_table import (
    find_leads_held,
    key_of,
    lead_hosts,
    save_named_pages,
)
from wireroom.store.observations_table import save_poll_observations
from wireroom.store.publishers_table import ensure_publishers
from wireroom.store.queue.pausing import page_hosts, settle_pages
from wireroom.store.rows import is_postgres
from wireroom.urls import page_key


def save_polls(
    conn: Connection, polls: Sequence[tuple[Feed, Polled]], *, now: datetime, token: str
) -> tuple[PollCount, ...]:
    """Saves polls of different feeds, step by step for all of them together.

    Nothing of a feed that was removed meanwhile, for it shall stay removed.
    """
    if len({feed.url for feed, _ in polls}) < len(polls):
        raise StoreError("Two polls of the same feed are to be saved at once.")
    ensure_publishers(conn, [feed.publisher for feed, _ in polls], now=now)
    named = _leads(polls)
    keys = [key_of(lead) for lead in named]
    known = find_leads_held(conn, keys, now=now)
    moving = [
        url for feed, polled in polls if _moves(feed, polled) for url in (feed.url, polled.feed_url)
    ]
    pages = page_hosts(conn, moving)
    hosts = lock_hosts(conn, _feed_hosts(polls) | lead_hosts(keys, named, known) | pages)
    held = lock_feeds(conn, [_asked(feed, polled) for feed, polled in polls])
    kept = [
        (_with_options(feed, held[_asked(feed, polled)]), polled)
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
    if is_postgres(conn):  # nobody else changes them now that the hosts are locked
        known = find_leads_held(conn, keys, now=now)
    save_named_pages(conn, lead_changes(_named_pages(kept, items), known), now=now)
    save_poll_observations(conn, {feed.url: polled.observations for feed, polled in kept})
    problems = [polled.problem for _, polled in kept if polled.problem is not None]
    if problems:
        add_problems(conn, problems, token=token)
    note_due(conn, hosts)
    return tuple(_count(items.get(feed.url)) for feed, _ in polls)


def _with_options(feed: Feed, held: Feed) -> Feed:
    """The feed as decided, with what the operator has said of it since it was taken: a poll takes its time."""
    state = "paused" if held.state == "paused" else feed.state
    return replace(feed, **held.options_by_field(), state=state)


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


def _named_pages(
    polls: Iterable[tuple[Feed, Polled]], items: Mapping[str, Sorted]
) -> Iterator[NamedPage]:
    """Every new or changed item, with the page it names."""
    for feed, polled in polls:
        own = items.get(feed.url)
        if own is None:
            continue
        for changed, some in ((False, own.new), (True, own.changed)):
            for item in some:
                yield NamedPage(
                    key=lead_key(feed.publisher, item.url),
                    url=item.url,
                    item_id=own.ids[item_key(item)],
                    feed_url=feed.url,
                    changed=changed,
                    reopen=polled.reopen,
                    paused=feed.state == "paused",
                )


def _count(items: Sorted | None) -> PollCount:
    if items is None:
        return PollCount()
    return PollCount(new=len(items.new), changed=len(items.changed), known=len(items.known))
