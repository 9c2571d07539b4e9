"""Leads that are opened again, by an item that changed or by a person, and leads that are closed for good."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    bindparam,
    case,
    null,
    or_,
    select,
    update,
)

from wireroom.model import ANEW, Item
from wireroom.store import schema
from wireroom.store.hosts_table import lock_hosts, note_due
from wireroom.store.items_table import page_key
from wireroom.store.leads_table import OPEN, PAUSED_FEEDS
from wireroom.store.packing import as_micros
from wireroom.store.robots_files import forget_robots_files
from wireroom.store.rows import Row, chunks

_table = schema.lead

PURGED = "purged"  # how the reason begins when a person had the article removed
_IS_PURGED = (_table.c.state == "refused") & _table.c.reason.startswith(PURGED)
_FORBIDDEN = (_table.c.state == "refused") & or_(
    *(_table.c.reason.startswith(f"{kind}:") for kind in ("robots", "rights"))
)


def reopen_leads(
    conn: Connection,
    publisher: str,
    items: Mapping[int, Item],
    *,
    feed_url: str,
    paused: bool,
    now: datetime,
) -> None:
    """The items say something new of their pages: these are read again, unless they are in hand or purged.

    Those of a paused feed when it is resumed.
    """
    moment = as_micros(now)
    of_page = (_table.c.publisher == publisher) & (_table.c.url_key == bindparam("key"))
    again = update(_table).where(of_page, _idle(moment), ~_IS_PURGED)
    opened = _opened(moment)
    if paused:
        again = again.where(~OPEN)  # a feed at work may have brought it: it is read for that one
        opened["due_after"] = None
    again = again.values(**opened, feed_url=feed_url)
    rows = [{"key": page_key(item.url), "by": item_id} for item_id, item in items.items()]
    if rows:
        conn.execute(again.values(item_id=bindparam("by")), rows)


def retry_leads(
    conn: Connection, *, publisher: str, feed_url: str, url: str, refused: bool, now: datetime
) -> int:
    """Opens failed leads again; how many.

    One that is named by its address whatever came of it, so that its page is read anew. With `refused`
    those that robots.txt or rights forbade, not what was purged; what is kept of their robots.txt is
    forgotten, so that it is asked for again. Those of a paused feed sleep until it is resumed.
    """
    moment = as_micros(now)
    failed = _table.c.state == "failed"
    if url:
        failed = (_table.c.state != "new") & _idle(moment)  # nor what is read in any case
    chosen: list[ColumnElement[bool]] = [_FORBIDDEN if refused else failed]
    if publisher:
        chosen.append(_table.c.publisher == publisher)
    if feed_url:
        chosen.append(_table.c.feed_url == feed_url)
    if url:
        chosen.append(_table.c.url_key == page_key(url))
    found = select(_table.c.host).where(*chosen).distinct()
    hosts = lock_hosts(conn, conn.execute(found).scalars())
    if refused:
        forget_robots_files(conn, hosts)
    opened = 0
    due = case((_table.c.feed_url.in_(PAUSED_FEEDS), null()), else_=moment)
    for part in chunks(hosts):
        again = update(_table).where(*chosen, _table.c.host.in_(part))
        again = again.values(_opened(moment) | {"due_after": due, "reason": ANEW if url else ""})
        opened += conn.execute(again).rowcount
    note_due(conn, hosts)
    return opened


def refuse_leads(conn: Connection, article_ids: Sequence[str], *, reason: str) -> list[str]:
    """Closes the leads of these articles for good, each cut off from its article; their pages."""
    pages = article_pages(conn, article_ids)
    message = f"{PURGED}: {reason}"
    closed = {"state": "refused", "reason": message, "holder": None, "article_id": None}
    for part in chunks(article_ids):
        over = update(_table).where(_table.c.article_id.in_(part))
        conn.execute(over.values(**closed, due_after=None, read_after=None))
    return pages


def article_pages(conn: Connection, article_ids: Iterable[str]) -> list[str]:
    """The identity keys of the pages that led to these articles."""
    return _of_articles(conn, _table.c.url_key, article_ids)


def hosts_of_articles(conn: Connection, article_ids: Iterable[str]) -> list[str]:
    """The hosts that the leads of these articles are on."""
    return _of_articles(conn, _table.c.host, article_ids)


def _of_articles(conn: Connection, column: Column[str], article_ids: Iterable[str]) -> list[str]:
    found: list[str] = []
    for part in chunks(article_ids):
        found += conn.execute(select(column).where(_table.c.article_id.in_(part))).scalars()
    return found


def _idle(moment: int) -> ColumnElement[bool]:
    """In nobody's hands, or in those of somebody whose lease is over."""
    return or_(_table.c.holder.is_(None), _table.c.due_after <= moment)


def _opened(moment: int) -> Row:
    """What makes a lead one that was never tried."""
    return {
        "state": "new",
        "reason": "",
        "attempts": 0,
        "read_after": None,
        "due_after": moment,
        "holder": None,
    }
