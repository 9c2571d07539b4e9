"""The addresses a feed had before it moved: what came from there belongs to it all the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, delete, select, update

from wireroom.store import schema
from wireroom.store.rows import chunks, upsert

_table = schema.feed_former


def note_former(conn: Connection, url: str, new_url: str) -> None:
    """A feed moved: its old address leads to the new one, and so do those it had before."""
    conn.execute(update(_table).where(_table.c.feed_url == url).values(feed_url=new_url))
    upsert(conn, _table, [{"url": url, "feed_url": new_url}], keys=["url"])
    conn.execute(delete(_table).where(_table.c.url == new_url))


def former_addresses(conn: Connection, urls: Sequence[str]) -> dict[str, str]:
    """The former addresses of these feeds, to the feed; not those at which another feed lives now."""
    lives = select(schema.feed.c.url).where(schema.feed.c.url == _table.c.url)
    found: dict[str, str] = {}
    for part in chunks(urls):
        query = select(_table.c.url, _table.c.feed_url).where(_table.c.feed_url.in_(part))
        found.update({row[0]: row[1] for row in conn.execute(query.where(~lives.exists()))})
    return found


def current_addresses(conn: Connection, urls: Iterable[str]) -> dict[str, str]:
    """Where the feeds of these addresses live now; those that nobody follows are left out."""
    feed, wanted = schema.feed, sorted(set(urls))
    found: dict[str, str] = {}
    for part in chunks(wanted):
        held = select(feed.c.url).where(feed.c.url.in_(part))
        found.update({url: url for url in conn.execute(held).scalars()})
    for part in chunks(url for url in wanted if url not in found):
        moved = select(_table.c.url, feed.c.url).join(feed, feed.c.url == _table.c.feed_url)
        rows = conn.execute(moved.where(_table.c.url.in_(part)))
        found.update({row[0]: row[1] for row in rows})
    return found
