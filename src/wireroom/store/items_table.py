"""Items as feeds say them: which are new, which changed, which are known."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import NamedTuple

from sqlalchemy import Connection, RowMapping, bindparam, select, update

from wireroom.identity import new_and_changed
from wireroom.model import Item, Lead
from wireroom.rights.policy import RIGHTS_EXTRAS, TERMS_EXTRA, without_texts
from wireroom.store import schema
from wireroom.store.packing import (
    as_document,
    bounded_key,
    from_document,
    maybe_micros,
    maybe_time,
)
from wireroom.store.rows import Row, add_missing, chunks, listed, matching
from wireroom.urls import page_key, same_site

_table = schema.item

_BY_ID = select(_table).where(_table.c.id.in_(listed("ids")))
_OF_PAGE = select(_table).where(_table.c.url_key == bindparam("page")).order_by(_table.c.id)
_STATING = select(_table).where(
    _table.c.url_key.in_(listed("keys")), _table.c.extra.contains(f'"{TERMS_EXTRA}":[')
)
_HELD = select(_table.c.feed_url, _table.c.key, _table.c.id, _table.c.hash)


@dataclass(frozen=True, slots=True)
class Sorted:
    """The items of one feed by what became of them; each list holds items once."""

    new: list[Item]
    changed: list[Item]
    known: list[Item]
    ids: dict[str, int]
    """The row of each item, by its key."""


class _Name(NamedTuple):
    """What makes an item one."""

    feed_url: str
    key: str


def item_key(item: Item) -> str:
    """What tells items of one feed apart: the guid, else the page, else what is said."""
    return bounded_key(item.guid or page_key(item.url) or f"hash:{item_hash(item)}")


def save_items(conn: Connection, items: Mapping[str, Sequence[Item]]) -> dict[str, Sorted]:
    """Saves what is new or changed, by feed; of items of a feed with one key the first counts."""
    by_key: dict[_Name, Item] = {}
    for feed_url, own in items.items():
        for item in own:
            by_key.setdefault(_Name(feed_url, item_key(item)), item)
    hashes = {name: item_hash(item) for name, item in by_key.items()}
    held = _held(conn, by_key)
    new, changed = new_and_changed(hashes, {name: digest for name, (_, digest) in held.items()})
    rows = {name: _row(name, by_key[name], hashes[name]) for name in by_key if name in new}
    add_missing(conn, _table, list(rows.values()), keys=["feed_url", "key"])
    replaced = (name for name in by_key if name in changed)
    _replace(
        conn,
        [{**_row(name, by_key[name], hashes[name]), "row_id": held[name][0]} for name in replaced],
    )
    ids = {name: row_id for name, (row_id, _) in (held | _held(conn, rows)).items()}
    return _sorted(by_key, ids, new=new, changed=changed)


def _sorted(
    items: Mapping[_Name, Item],
    ids: Mapping[_Name, int],
    *,
    new: Collection[_Name],
    changed: Collection[_Name],
) -> dict[str, Sorted]:
    found: dict[str, Sorted] = {}
    for name, item in items.items():
        own = found.setdefault(name.feed_url, Sorted([], [], [], {}))
        own.ids[name.key] = ids[name]
        (own.new if name in new else own.changed if name in changed else own.known).append(item)
    return found


def _held(conn: Connection, names: Iterable[_Name]) -> dict[_Name, tuple[int, str]]:
    """The row and the hash of each of these items that is held."""
    rows = matching(conn, _HELD, (_table.c.feed_url, _table.c.key), names)
    return {_Name(row["feed_url"], row["key"]): (row["id"], row["hash"]) for row in rows}


def add_items(conn: Connection, items: Iterable[Item]) -> dict[tuple[str, str], int]:
    """Adds items that are not held yet; the rows of all, by feed and key."""
    by_key: dict[_Name, Item] = {}
    for item in items:
        by_key.setdefault(_Name(item.feed_url, item_key(item)), item)
    rows = [_row(name, item, item_hash(item)) for name, item in by_key.items()]
    add_missing(conn, _table, rows, keys=["feed_url", "key"])
    return {name: row_id for name, (row_id, _) in _held(conn, by_key).items()}


def items_by_id(conn: Connection, ids: Iterable[int]) -> dict[int, Item]:
    """Items by their row's id."""
    found: dict[int, Item] = {}
    for part in chunks(ids):
        for row in conn.execute(_BY_ID, {"ids": part}).mappings():
            found[row["id"]] = _item(row)
    return found


def with_other_terms(conn: Connection, leads: Mapping[int, Lead]) -> dict[int, Lead]:
    """The leads, each item with the terms that other feeds of its site state for the page, and whose they are."""
    stated: dict[str, list[Item]] = {}
    for part in chunks(sorted({page_key(lead.url) for lead in leads.values() if lead.item})):
        for row in conn.execute(_STATING, {"keys": part}).mappings():
            stated.setdefault(row["url_key"], []).append(_item(row))
    if not stated:
        return dict(leads)
    return {
        number: _with_terms_of(lead, stated.get(page_key(lead.url), ()))
        for number, lead in leads.items()
    }


def _with_terms_of(lead: Lead, stating: Iterable[Item]) -> Lead:
    own = lead.item
    others = [
        {**terms, "feed_url": item.feed_url}
        for item in stating
        if own is not None
        and (item.feed_url, item.guid) != (own.feed_url, own.guid)
        and same_site(item.feed_url, lead.url)
        for terms in item.extra[TERMS_EXTRA]
    ]
    if own is None or not others:
        return lead
    held = own.extra.get(TERMS_EXTRA, [])
    return replace(lead, item=replace(own, extra={**own.extra, TERMS_EXTRA: [*held, *others]}))


def items_of_page(conn: Connection, url_key: str) -> tuple[Item, ...]:
    """What feeds say of the page of this identity key, oldest first."""
    return tuple(_item(row) for row in conn.execute(_OF_PAGE, {"page": url_key}).mappings())


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


def silence_items(conn: Connection, pages: Iterable[str]) -> None:
    """Forgets the texts that feeds gave for these pages; what tells whether they changed stays."""
    for part in chunks(sorted(set(pages))):
        ours = _table.c.url_key.in_(part)
        held = conn.execute(select(_table.c.id, _table.c.extra).where(ours)).all()
        conn.execute(update(_table).where(ours).values(content_html="", summary=""))
        extras = [(row.id, from_document(row.extra, dict)) for row in held]
        _replace(
            conn,
            [
                {"row_id": name, "extra": as_document(short)}
                for name, extra in extras
                if (short := without_texts(extra)) != extra
            ],
        )


def item_hash(item: Item) -> str:
    """What an item says. Extras are left out: comment counts and the like change with every poll and are no news.

    But for those from which rights are read: a publisher that forbids something later says something new.
    """
    rights = [item.extra[name] for name in RIGHTS_EXTRAS if name in item.extra]
    content = (
        item.url,
        item.title,
        item.summary,
        item.content_html,
        item.authors,
        item.tags,
        item.published_at,
        item.updated_at,
        *([rights] if rights else []),
    )
    return blake2b(as_document(content).encode(), digest_size=16).hexdigest()


def _row(name: _Name, item: Item, digest: str) -> Row:
    return {
        "feed_url": name.feed_url,
        "key": name.key,
        "guid": item.guid,
        "url": item.url,
        "url_key": page_key(item.url),
        "title": item.title,
        "summary": item.summary,
        "authors": as_document(item.authors),
        "tags": as_document(item.tags),
        "published_at": maybe_micros(item.published_at),
        "updated_at": maybe_micros(item.updated_at),
        "hash": digest,
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
