"""How the items of a document stand to those that are held; nothing is saved here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, select

from wireroom.identity import new_and_changed
from wireroom.model import Item, Observation
from wireroom.ports import Compared
from wireroom.store import schema
from wireroom.store.items_table import held_items, item_hash, item_key
from wireroom.store.observations_table import last_observations
from wireroom.store.rows import chunks
from wireroom.urls import page_key

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
