"""Leads that a person opens again, and leads that are closed for good."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Select,
    bindparam,
    case,
    func,
    null,
    or_,
    select,
    update,
)

from wireroom.model import Feed, LeadCause
from wireroom.store import schema
from wireroom.store.hosts_table import lock_hosts, note_due
from wireroom.store.leads_table import ASLEEP, OPEN, PAUSED_FEEDS, UNTRIED
from wireroom.store.packing import as_micros
from wireroom.store.robots_table import forget_robots_files
from wireroom.store.rows import Row, chunks, listed
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
    """Held by nobody, or by somebody whose lease is over."""
    return or_(_table.c.holder.is_(None), _table.c.due_after <= moment)


def _asked_anew(url: str) -> Row:
    """Who names a page wants it to be fetched, whatever a feed holds of it."""
    return {"cause": LeadCause.ASKED_ANEW.value, "reason": "asked for anew"} if url else {}


# Leads of paused feeds: still open, and out of the queue until their feed is resumed.
#
# A lead sleeps when it is open and has no `due_after`; taking work need not know of it and stays as quick
# as it was. A lead that a feed at work names as well belongs to that one. What is in flight is still read.
# Whoever calls holds the hosts: see `feed_lead_hosts`.

_lead, _item, _feed, _host = schema.lead, schema.item, schema.feed, schema.host

_OF_FEEDS = _lead.c.feed_url.in_(listed("urls"))
_ON_HOSTS = _lead.c.host.in_(listed("hosts"))
_HOSTS = select(_lead.c.host).where(_OF_FEEDS, OPEN).distinct()

# Every lead beside every item that names its page, whichever feed of the publisher it came by.
_NAMING = (
    select(_lead.c.id, _lead.c.host, _item.c.id.label("item_id"), _item.c.feed_url)
    .join(_item, _item.c.url_key == _lead.c.url_key)
    .join(_feed, (_feed.c.url == _item.c.feed_url) & (_feed.c.publisher == _lead.c.publisher))
    .order_by(_lead.c.id, _item.c.id.desc())
)
_BY_OTHERS = _NAMING.where(_OF_FEEDS, _item.c.feed_url.not_in(listed("urls")))
_BY_OTHERS_AT_WORK = _BY_OTHERS.where(OPEN, _feed.c.state != "paused")
_ASLEEP_BY_OTHERS = _BY_OTHERS.where(ASLEEP)
_ASLEEP_ELSEWHERE = _NAMING.where(
    _item.c.feed_url.in_(listed("urls")), _lead.c.feed_url.not_in(listed("urls")), ASLEEP
)

_REASSIGN = (
    update(_lead)
    .where(_lead.c.id == bindparam("lead_id"))
    .values(item_id=bindparam("by"), feed_url=bindparam("of_feed"))
)
_SLEEP = update(_lead).where(_OF_FEEDS, _ON_HOSTS, OPEN).values(due_after=null())
# What somebody holds comes up when the lease ends, as everything does.
_LEASED = (
    select(_host.c.lease_until)
    .where(_host.c.name == _lead.c.host, _host.c.holder == _lead.c.holder)
    .scalar_subquery()
)
_WAKE = (
    update(_lead)
    .where(_OF_FEEDS, _ON_HOSTS, ASLEEP)
    .values(due_after=func.coalesce(_LEASED, _lead.c.read_after, bindparam("moment")))
)


def feed_lead_hosts(conn: Connection, urls: Iterable[str]) -> set[str]:
    """The hosts of all leads that these feeds may put to sleep or wake; to be locked before."""
    hosts: set[str] = set()
    for part in chunks(sorted(set(urls))):
        hosts.update(conn.execute(_HOSTS, {"urls": part}).scalars())
        hosts.update(row.host for row in conn.execute(_ASLEEP_ELSEWHERE, {"urls": part}))
    return hosts


def sleep_or_wake_leads(
    conn: Connection, feeds: Sequence[Feed], *, hosts: Collection[str], now: datetime
) -> None:
    """Puts open leads of the paused ones to sleep and wakes those of the others, on locked hosts alone."""
    paused = [feed.url for feed in feeds if feed.state == "paused"]
    at_work = [feed.url for feed in feeds if feed.state != "paused"]
    for urls in chunks(paused):
        _reassign(conn, _BY_OTHERS_AT_WORK, urls, hosts)
        for names in chunks(sorted(hosts)):
            conn.execute(_SLEEP, {"urls": urls, "hosts": names})
    for urls in chunks(at_work):
        _reassign(conn, _ASLEEP_ELSEWHERE, urls, hosts)
        for names in chunks(sorted(hosts)):
            conn.execute(_WAKE, {"urls": urls, "hosts": names, "moment": as_micros(now)})


def reassign_leads(conn: Connection, url: str, *, hosts: Collection[str]) -> None:
    """Makes sleeping leads of a feed that goes leads of the other feeds that name them: these wake them."""
    _reassign(conn, _ASLEEP_BY_OTHERS, [url], hosts)


def _reassign(
    conn: Connection, naming: Select[Any], urls: Sequence[str], hosts: Collection[str]
) -> None:
    """Makes each lead one of the feed that named it first."""
    rows = {
        row.id: {"lead_id": row.id, "by": row.item_id, "of_feed": row.feed_url}
        for row in conn.execute(naming, {"urls": urls})
        if row.host in hosts
    }
    if rows:
        conn.execute(_REASSIGN, list(rows.values()))
