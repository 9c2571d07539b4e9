"""Items as feeds say them: which are new, which changed, which are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from sqlalchemy import Connection, RowMapping, bindparam, select, update

from wireroom.model import Item
from wireroom.store import schema
from wireroom.store.packing import (
    as_document,
    bounded_key,
    from_document,
    maybe_micros,
    maybe_time,
)
from wireroom.store.rows import Row, add_missing, chunks
from wireroom.urls import identity_key

__all__ = [
    "Sorted",
    "add_items",
    "held_items",
    "item_hash",
    "item_key",
    "items_by_id",
    "page_key",
    "save_items",
]

_table = schema.item


@dataclass(frozen=True, slots=True)
class Sorted:
    """The items of one poll by what became of them; each list holds items once."""

    new: list[Item]
    changed: list[Item]
    known: list[Item]
    ids: Mapping[str, int]
    """The row of each new or changed item, by its key."""


@lru_cache(maxsize=4096)  # a batch asks for each of its pages several times
def page_key(url: str) -> str:
    """The identity key of the page at this address, empty when it is no web address."""
    try:
        return identity_key(url) if url else ""
    except ValueError:
        return ""


def item_key(item: Item) -> str:
    """What tells items of one feed apart: the guid, else the page, else what is said."""
    return bounded_key(item.guid or page_key(item.url) or f"hash:{item_hash(item)}")


def save_items(conn: Connection, feed_url: str, items: Sequence[Item]) -> Sorted:
    """Saves what is new or changed; of items with one key the first counts."""
    by_key: dict[str, Item] = {}
    for item in items:
        by_key.setdefault(item_key(item), item)
    held = held_items(conn, feed_url, by_key)
    fresh = [key for key in by_key if key not in held]
    changed = [key for key in by_key if key in held and held[key][1] != item_hash(by_key[key])]
    add_missing(
        conn,
        _table,
        [_row(feed_url, key, by_key[key]) for key in fresh],
        keys=["feed_url", "key"],
    )
    _replace(
        conn, [{**_row(feed_url, key, by_key[key]), "row_id": held[key][0]} for key in changed]
    )
    now_held = held_items(conn, feed_url, fresh)
    ids = {key: row_id for key, (row_id, _) in {**held, **now_held}.items()}
    known = [by_key[key] for key in by_key if key in held and key not in set(changed)]
    return Sorted([by_key[key] for key in fresh], [by_key[key] for key in changed], known, ids)


def add_items(conn: Connection, items: Iterable[Item]) -> dict[tuple[str, str], int]:
    """Adds items that are not held yet; the rows of all, by feed and key."""
    by_feed: dict[str, dict[str, Item]] = {}
    for item in items:
        by_feed.setdefault(item.feed_url, {}).setdefault(item_key(item), item)
    ids: dict[tuple[str, str], int] = {}
    for feed_url, by_key in by_feed.items():
        rows = [_row(feed_url, key, item) for key, item in by_key.items()]
        add_missing(conn, _table, rows, keys=["feed_url", "key"])
        held = held_items(conn, feed_url, by_key)
        ids.update({(feed_url, key): row_id for key, (row_id, _) in held.items()})
    return ids


def items_by_id(conn: Connection, ids: Iterable[int]) -> dict[int, Item]:
    """Items by their row's id."""
    found: dict[int, Item] = {}
    for part in chunks(ids):
        for row in conn.execute(select(_table).where(_table.c.id.in_(part))).mappings():
            found[row["id"]] = _item(row)
    return found


def held_items(conn: Connection, feed_url: str, keys: Iterable[str]) -> dict[str, tuple[int, str]]:
    """The row and the hash of each of these items of a feed that is held, by key."""
    found: dict[str, tuple[int, str]] = {}
    for part in chunks(keys):
        query = select(_table.c.key, _table.c.id, _table.c.hash)
        of_feed = query.where(_table.c.feed_url == feed_url, _table.c.key.in_(part))
        found.update({row.key: (row.id, row.hash) for row in conn.execute(of_feed)})
    return found


def _replace(conn: Connection, rows: Sequence[Row]) -> None:
    if rows:
        conn.execute(update(_table).where(_table.c.id == bindparam("row_id")), rows)


def item_hash(item: Item) -> str:
    """What an item says. Extras are left out: comment counts and the like change with every poll and are no news."""
    said = (
        item.url,
        item.title,
        item.summary,
        item.content_html,
        item.authors,
        item.tags,
        item.published_at,
        item.updated_at,
    )
    return blake2b(as_document(said).encode(), digest_size=16).hexdigest()


def _row(feed_url: str, key: str, item: Item) -> Row:
    return {
        "feed_url": feed_url,
        "key": key,
        "guid": item.guid,
        "url": item.url,
        "url_key": page_key(item.url),
        "title": item.title,
        "summary": item.summary,
        "authors": as_document(item.authors),
        "tags": as_document(item.tags),
        "published_at": maybe_micros(item.published_at),
        "updated_at": maybe_micros(item.updated_at),
        "hash": item_hash(item),
        "extra": as_document(item.extra),
        "content_html": item.content_html,
    }


def _item(row: RowMapping) -> Item:
    return Item(
        feed_url=row["feed_url"],
        guid=row["guid"],
        url=row["url"],
        title=row["title"],
        summary=row["summary"],
        content_html=row["content_html"],
        authors=from_document(row["authors"], tuple[str, ...]),
        tags=from_document(row["tags"], tuple[str, ...]),
        published_at=maybe_time(row["published_at"]),
        updated_at=maybe_time(row["updated_at"]),
        extra=from_document(row["extra"], dict),
    )
