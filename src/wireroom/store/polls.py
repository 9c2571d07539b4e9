"""The outcome of a poll, saved whole: the feed as decided, its items, and the leads they give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import TypeAlias

from sqlalchemy import Connection, select

from wireroom.errors import StoreError
from wireroom.identity import NamedPage, lead_changes, lead_key, new_and_changed, owner_of
from wireroom.model import Feed, Item, Lead, Observation, Polled
from wireroom.ports import Compared, PollCount
from wireroom.rights.policy import TERMS_EXTRA
from wireroom.store import schema
from wireroom.store.events_table import add_problems
from wireroom.store.feeds_table import (
    host_of_feed,
    lock_feeds,
    move_feed,
    save_feeds,
    save_polled_feeds,
)
from wireroom.store.hosts_table import lock_hosts, note_due
from wireroom.store.items_table import Sorted, held_items, item_hash, item_key, save_items
from wireroom.store.leads_table import (
    find_leads_held,
    key_of,
    lead_hosts,
    save_named_pages,
)
from wireroom.store.observations_table import last_observations, save_poll_observations
from wireroom.store.publishers_table import ensure_publishers
from wireroom.store.queue.reopening import feed_lead_hosts, sleep_or_wake_leads
from wireroom.store.rows import chunks, is_postgres
from wireroom.urls import page_key


def save_polls(
    conn: Connection, polls: Sequence[tuple[Feed, Polled]], *, now: datetime, token: str
) -> tuple[PollCount, ...]:
    """Saves polls of different feeds, step by step for all of them together.

    Nothing of a feed that was removed meanwhile, for it shall stay removed.
    """
    if len({feed.url for feed, _ in polls}) < len(polls):
        raise StoreError("Two polls of the same feed are to be saved at once.")
    named = _leads(polls)
    owners = {lead.publisher for lead in named}
    ensure_publishers(conn, owners | {feed.publisher for feed, _ in polls}, now=now)
    keys = [key_of(lead) for lead in named]
    known = find_leads_held(conn, keys, now=now)
    moving = [
        url for feed, polled in polls if _moves(feed, polled) for url in (feed.url, polled.feed_url)
    ]
    of_leads = feed_lead_hosts(conn, moving)
    hosts = lock_hosts(conn, _feed_hosts(polls) | lead_hosts(keys, named, known) | of_leads)
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
    sleep_or_wake_leads(conn, moved, hosts=of_leads, now=now)
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
        Lead(url=item.url, publisher=owner_of(feed.publisher, item.url))
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
                    key=lead_key(owner_of(feed.publisher, item.url), item.url),
                    url=item.url,
                    item_id=own.ids[item_key(item)],
                    feed_url=feed.url,
                    # Terms that another feed states may refuse what was allowed when the page was read.
                    changed=changed or TERMS_EXTRA in item.extra,
                    reopen=polled.reopen,
                    paused=feed.state == "paused",
                )


def _count(items: Sorted | None) -> PollCount:
    if items is None:
        return PollCount()
    return PollCount(
        new=len(items.new),
        changed=len(items.changed),
        known=len(items.known),
        no_page=sum(not page_key(item.url) for item in (*items.new, *items.changed)),
    )


# How the items of a document stand to those that are held; nothing is saved here.

_table = schema.item


def compare_items(conn: Connection, feed_url: str, items: Sequence[Item]) -> Compared:
    """Which would be new, changed or known, by their places; of items with one key the first counts."""
    keys = [item_key(item) for item in items]
    firsts: dict[str, int] = {}
    for place, key in enumerate(keys):
        firsts.setdefault(key, place)
    held = held_items(conn, feed_url, firsts)
    hashes = {place: item_hash(items[place]) for place in firsts.values()}
    known = {firsts[key]: digest for key, (_, digest) in held.items()}
    new, changed = new_and_changed(hashes, known)
    fresh = {place: items[place] for place in new}
    renamed = _by_page(conn, feed_url, fresh)
    if len(new) == len(firsts):
        renamed |= _by_words(conn, feed_url, fresh)
    return Compared(
        new=new,
        changed=changed,
        known=frozenset(range(len(items))) - new - changed,
        renamed=frozenset(renamed),
    )


def compare_polls(
    conn: Connection, polls: Sequence[tuple[str, Sequence[Item]]], *, observations: int
) -> tuple[tuple[Compared, tuple[Observation, ...]], ...]:
    """How each feed's items stand to those held, and its last observations.

    Most feeds have nothing new to compare, and one that is asked for the first time nothing to compare with.
    """
    known = _with_items(conn, [feed_url for feed_url, items in polls if items])
    return tuple(
        (
            compare_items(conn, feed_url, items) if feed_url in known else _all_new(items),
            last_observations(conn, feed_url, limit=observations),
        )
        for feed_url, items in polls
    )


def _all_new(items: Sequence[Item]) -> Compared:
    firsts: dict[str, int] = {}
    for place, item in enumerate(items):
        firsts.setdefault(item_key(item), place)
    new = frozenset(firsts.values())
    return Compared(new=new, known=frozenset(range(len(items))) - new)


def _with_items(conn: Connection, feed_urls: Sequence[str]) -> set[str]:
    """Those of the feeds of which any item is held."""
    feed, own = schema.feed.c.url, select(_table.c.id).where(_table.c.feed_url == schema.feed.c.url)
    found: set[str] = set()
    for part in chunks(feed_urls):
        found.update(conn.execute(select(feed).where(feed.in_(part), own.exists())).scalars())
    return found


def _by_page(conn: Connection, feed_url: str, items: Mapping[int, Item]) -> set[int]:
    """Items whose page the feed has named already."""
    pages = {place: page_key(item.url) for place, item in items.items()}
    held: set[str] = set()
    for part in chunks(sorted(set(pages.values()) - {""})):
        query = select(_table.c.url_key).where(_table.c.url_key.in_(part))
        held.update(conn.execute(query.where(_table.c.feed_url == feed_url)).scalars())
    return {place for place, page in pages.items() if page in held}


def _by_words(conn: Connection, feed_url: str, items: Mapping[int, Item]) -> set[int]:
    """Items that say word for word what the feed has said already.

    Asked only when all that a document holds seems new: then the feed has most likely changed its
    guids and addresses, and not one of its stories.
    """
    words_by_place = {
        place: _words(item.title, item.summary, item.content_html) for place, item in items.items()
    }
    held: set[tuple[str, ...]] = set()
    columns = (_table.c.title, _table.c.summary, _table.c.content_html)
    for part in chunks(sorted({item.title for item in items.values() if item.title})):
        query = select(*columns).where(_table.c.feed_url == feed_url, _table.c.title.in_(part))
        held.update(_words(*row) for row in conn.execute(query))
    return {place for place, words in words_by_place.items() if words[0] and words in held}


def _words(*texts: str) -> tuple[str, ...]:
    return tuple(" ".join(text.split()) for text in texts)


# What an operator changes of feeds, brought into rows that polling goes on changing.
#
# A change is decided on what was read a moment ago. So it is saved as a difference: what it changes is
# changed in the row as it stands now, and all that a poll has saved meanwhile stays.

FeedChange: TypeAlias = tuple[Feed | None, Feed]
"""The feed as it was held when the change was decided, None for a new one; and as it is wanted."""

# What one server said means nothing to another: after a move these are as the change has them.
_OF_THE_SERVER = ("validators", "failures", "poll_after", "standing", "state")


def save_feed_changes(conn: Connection, changes: Sequence[FeedChange], *, now: datetime) -> None:
    """Adds, changes and moves feeds; the items and leads of one that moves go with it."""
    ensure_publishers(conn, [wanted.publisher for _, wanted in changes], now=now)
    urls = {feed.url for feed in _named(changes)}
    of_leads = feed_lead_hosts(conn, _turning(changes))
    lock_hosts(conn, of_leads | {host_of_feed(url) for url in urls})
    held = lock_feeds(conn, urls)
    merged: list[Feed] = []
    moved: set[str] = set()
    for before, wanted in changes:
        there = None if before is None else held.get(before.url)
        if there is not None and there.url != wanted.url:
            move_feed(conn, there.url, wanted.url)
            moved.add(wanted.url)
        merged.append(_merged(before or _bare(wanted), wanted, there, held.get(wanted.url)))
    save_feeds(conn, merged, now=now, moved=moved)


def _turning(changes: Iterable[FeedChange]) -> set[str]:
    """The addresses of feeds whose leads may have to sleep or wake: paused, resumed or moved ones."""
    return {
        feed.url
        for before, wanted in changes
        if before is None or before.url != wanted.url or before.state != wanted.state
        for feed in (before, wanted)
        if feed is not None
    }


def _merged(before: Feed, wanted: Feed, there: Feed | None, here: Feed | None) -> Feed:
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
