"""Marks: the observations that a feed's reliability is made of, in the order of saving.

A mark is known by what was observed, where and when, so that an outcome that is saved twice counts once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b

from sqlalchemy import Connection, delete, select

from wireroom.model import Mark, Reading
from wireroom.store import schema
from wireroom.store.former import current_addresses
from wireroom.store.packing import as_document, as_micros, from_micros
from wireroom.store.rows import Row, add_missing

__all__ = ["KEPT_MARKS", "last_marks", "save_poll_marks", "save_reading_marks"]

KEPT_MARKS = 1000  # of one feed; its number is made from the last two hundred, the rest is history

_table = schema.mark


def save_poll_marks(conn: Connection, feed_url: str, marks: Sequence[Mark]) -> None:
    """Adds what a poll said of the feed, and forgets its oldest marks beyond the limit.

    Only polls forget: each feed has one at a time, so that no two writers forget the same.
    """
    if not marks:
        return
    rows = [_row(feed_url, "", place, mark) for place, mark in enumerate(marks)]
    add_missing(conn, _table, rows, keys=["key"])
    of_feed = _table.c.feed_url == feed_url
    newest = select(_table.c.id).where(of_feed).order_by(_table.c.id.desc())
    last_kept = newest.offset(KEPT_MARKS - 1).limit(1).scalar_subquery()
    conn.execute(delete(_table).where(of_feed, _table.c.id < last_kept))


def save_reading_marks(conn: Connection, readings: Iterable[Reading]) -> None:
    """Adds what readings said of the feeds that led to them, where these are still followed."""
    marked = [one for one in readings if one.marks]
    if not marked:
        return
    urls = current_addresses(conn, (mark.feed_url for one in marked for mark in one.marks))
    rows = [
        _row(urls[mark.feed_url], one.lead.url, place, mark)
        for one in marked
        for place, mark in enumerate(one.marks)
        if mark.feed_url in urls
    ]
    add_missing(conn, _table, rows, keys=["key"])


def last_marks(conn: Connection, feed_url: str, *, limit: int) -> tuple[Mark, ...]:
    """The last marks of a feed, oldest first."""
    newest = select(_table).where(_table.c.feed_url == feed_url).order_by(_table.c.id.desc())
    rows = conn.execute(newest.limit(min(limit, KEPT_MARKS))).mappings().all()
    return tuple(
        Mark(
            feed_url=row["feed_url"],
            about=row["about"],
            value=row["value"],
            reason=row["reason"],
            at=from_micros(row["at"]),
        )
        for row in reversed(rows)
    )


def _row(feed_url: str, subject_url: str, place: int, mark: Mark) -> Row:
    at = as_micros(mark.at)
    seen = as_document((feed_url, subject_url, place, mark.about, at)).encode()
    return {
        "key": int.from_bytes(blake2b(seen, digest_size=8).digest(), "big", signed=True),
        "feed_url": feed_url,
        "about": mark.about,
        "value": mark.value,
        "reason": mark.reason,
        "at": at,
    }
