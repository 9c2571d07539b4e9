"""Leads that a person opens again, and leads that are closed for good."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    case,
    null,
    or_,
    select,
    update,
)

from wireroom.model import LeadCause
from wireroom.store import schema
from wireroom.store.hosts_table import lock_hosts, note_due
from wireroom.store.leads_table import PAUSED_FEEDS, UNTRIED
from wireroom.store.packing import as_micros
from wireroom.store.robots_table import forget_robots_files
from wireroom.store.rows import Row, chunks
from wireroom.urls import page_key

_table = schema.lead

_FORBIDDEN = (_table.c.state == "refused") & _table.c.cause.in_(
    [LeadCause.ROBOTS.value, LeadCause.RIGHTS.value]
)


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
        again = again.values(**UNTRIED | _asked_anew(url), due_after=due)
        opened += conn.execute(again).rowcount
    note_due(conn, hosts)
    return opened


def refuse_leads(conn: Connection, article_ids: Sequence[str], *, reason: str) -> list[str]:
    """Closes the leads of these articles for good, each cut off from its article; their pages."""
    pages = article_pages(conn, article_ids)
    cause = LeadCause.PURGED
    closed = {"state": "refused", "cause": cause.value, "reason": f"{cause}: {reason}"}
    free = {"holder": None, "article_id": None, "due_after": None, "read_after": None}
    for part in chunks(article_ids):
        conn.execute(update(_table).where(_table.c.article_id.in_(part)).values(**closed, **free))
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


def _asked_anew(url: str) -> Row:
    """Who names a page wants it to be fetched, whatever a feed holds of it."""
    return {"cause": LeadCause.ASKED_ANEW.value, "reason": "asked for anew"} if url else {}
