"""Feeds: kept whole, with the time the app may take them beside the time the poll decided on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Connection,
    RowMapping,
    bindparam,
    case,
    delete,
    func,
    null,
    select,
    update,
)

from wireroom.errors import StoreError
from wireroom.model import Feed, FeedOptions, FeedState, PollHistory, Rhythm, Validators
from wireroom.store import schema
from wireroom.store.hosts_table import lock_hosts, note_due
from wireroom.store.leads_table import OPEN
from wireroom.store.packing import (
    as_bytes,
    as_document,
    from_bytes,
    from_document,
    maybe_micros,
    maybe_span,
    maybe_time,
)
from wireroom.store.queue.reopening import feed_lead_hosts, reassign_leads, sleep_or_wake_leads
from wireroom.store.rows import Fresh, Row, chunks, for_update, listed, upsert
from wireroom.urls import host_of

AT_ONCE = 0  # the due time of a feed without `poll_after`: before every other
_ASKED: frozenset[FeedState] = frozenset({"live", "silent"})

_table = schema.feed

_AT = select(_table).where(_table.c.url == bindparam("address"))
_BY_ID = select(_table).where(_table.c.id.in_(listed("ids")))
_STATES = select(_table.c.url, _table.c.state).where(_table.c.url.in_(listed("urls")))
_LOCK = for_update(select(_table).where(_table.c.url.in_(listed("urls"))).order_by(_table.c.url))


def save_feeds(
    conn: Connection, feeds: Sequence[Feed], *, now: datetime, moved: Collection[str] = ()
) -> None:
    """Adds or replaces feeds; one that is in flight stays so.

    The leads of those that are paused or resumed by it, and of those that have just moved, follow.
    """
    before = _paused(conn, [feed.url for feed in feeds])
    turned = [
        feed
        for feed in feeds
        if feed.url in moved or (feed.state == "paused") != before.get(feed.url, False)
    ]
    of_leads = feed_lead_hosts(conn, [feed.url for feed in turned])
    hosts = lock_hosts(conn, of_leads | {host_of_feed(feed.url) for feed in feeds})
    for part in chunks([_row(feed) for feed in feeds]):
        upsert(conn, _table, part, keys=["url"], changes=_due_unless_in_flight)
    sleep_or_wake_leads(conn, turned, hosts=of_leads, now=now)
    note_due(conn, hosts)


def _paused(conn: Connection, urls: Iterable[str]) -> dict[str, bool]:
    """Whether the feeds held at these addresses are paused."""
    found: dict[str, bool] = {}
    for part in chunks(sorted(set(urls))):
        found.update(
            (row.url, row.state == "paused") for row in conn.execute(_STATES, {"urls": part})
        )
    return found


def _due_unless_in_flight(fresh: Fresh) -> dict[str, Any]:
    paused = (fresh.due_after.is_(None), null())
    in_flight = (_table.c.holder.is_not(None), _table.c.due_after)
    return {"due_after": case(paused, in_flight, else_=fresh.due_after)}


def save_polled_feeds(conn: Connection, feeds: Iterable[Feed]) -> None:
    """Saves feeds as decided after a poll; they are no longer in flight."""
    upsert(conn, _table, [{**_row(feed), "holder": None} for feed in feeds], keys=["url"])


def find_feed(conn: Connection, url: str, *, moved: bool = False) -> Feed | None:
    """The feed at this address; with `moved` else the one that has moved away from it."""
    address = current_addresses(conn, [url]).get(url, url) if moved else url
    row = conn.execute(_AT, {"address": address}).mappings().first()
    return None if row is None else read_feed_row(row)


def all_feeds(
    conn: Connection, *, publisher: str = "", state: FeedState | None = None
) -> tuple[Feed, ...]:
    """Feeds by publisher and url."""
    query = select(_table).order_by(_table.c.publisher, _table.c.url)
    if publisher:
        query = query.where(_table.c.publisher == publisher)
    if state is not None:
        query = query.where(_table.c.state == state)
    return tuple(read_feed_row(row) for row in conn.execute(query).mappings())


def count_feeds(conn: Connection) -> dict[str, int]:
    """How many feeds are in each state."""
    query = select(_table.c.state, func.count()).group_by(_table.c.state).order_by(_table.c.state)
    return {row[0]: row[1] for row in conn.execute(query)}


def feeds_by_id(conn: Connection, ids: Iterable[int]) -> dict[int, Feed]:
    """Feeds by their row's id."""
    found: dict[int, Feed] = {}
    for part in chunks(ids):
        for row in conn.execute(_BY_ID, {"ids": part}).mappings():
            found[row["id"]] = read_feed_row(row)
    return found


def lock_feed(conn: Connection, url: str) -> bool:
    """Whether the feed is held; if so, nobody else saves a poll of it until we are done."""
    query = select(_table.c.id).where(_table.c.url == url)
    return conn.execute(for_update(query)).first() is not None


def lock_feeds(conn: Connection, urls: Iterable[str]) -> dict[str, Feed]:
    """The feeds held at these addresses, by address; nobody else changes them until we are done."""
    found: dict[str, Feed] = {}
    for part in chunks(sorted(set(urls))):
        for row in conn.execute(_LOCK, {"urls": part}).mappings():
            found[row["url"]] = read_feed_row(row)
    return found


def move_feed(conn: Connection, url: str, new_url: str) -> None:
    """The feed answers at a new address now; its items, leads and observations go with it.

    A feed that is held at the new address already takes the items it does not have. Whoever has the
    feed in flight asks at the old address: that counts for nothing any more.
    """
    items = schema.item
    if lock_feed(conn, new_url):
        known = select(items.c.key).where(items.c.feed_url == new_url)
        twice = (items.c.feed_url == url) & items.c.key.in_(known)
        conn.execute(delete(items).where(twice))
        conn.execute(delete(_table).where(_table.c.url == url))
    else:
        moved = update(_table).where(_table.c.url == url)
        conn.execute(moved.values(url=new_url, host=host_of_feed(new_url), holder=None))
    for table in (items, schema.lead, schema.observation):
        conn.execute(update(table).where(table.c.feed_url == url).values(feed_url=new_url))
    note_former(conn, url, new_url)
    note_due(conn, [host_of_feed(url), host_of_feed(new_url)])


def remove_feed(conn: Connection, url: str) -> bool:
    """Forgets a feed, its items and observations, and the open leads that only it gave; articles stay."""
    host = conn.execute(select(_table.c.host).where(_table.c.url == url)).scalar()
    if host is None:
        return False
    lead, item, other = schema.lead, schema.item, schema.item.alias("other")
    elsewhere = select(other.c.id).where(other.c.url_key == lead.c.url_key, other.c.feed_url != url)
    own = lead.c.item_id.in_(select(item.c.id).where(item.c.feed_url == url))
    orphan = own & OPEN & ~elsewhere.exists()
    hosts = set(conn.execute(select(lead.c.host).where(orphan).distinct()).scalars())
    hosts = set(lock_hosts(conn, hosts | feed_lead_hosts(conn, [url]) | {host}))
    conn.execute(delete(lead).where(orphan))
    reassign_leads(conn, url, hosts=hosts)
    conn.execute(delete(item).where(item.c.feed_url == url))
    conn.execute(delete(schema.observation).where(schema.observation.c.feed_url == url))
    conn.execute(delete(_table).where(_table.c.url == url))
    note_due(conn, hosts)
    return True


def host_of_feed(url: str) -> str:
    """The host that is asked for this feed."""
    try:
        return host_of(url)
    except ValueError as exc:
        raise StoreError(f"{url!r} is no address of a feed: {exc}") from exc


def _due_after(feed: Feed) -> int | None:
    """When it may be taken; one that rests or is gone only when a time to look again was named."""
    if feed.state == "paused":
        return None
    return maybe_micros(feed.poll_after) or (AT_ONCE if feed.state in _ASKED else None)


def _row(feed: Feed) -> Row:
    return {
        "url": feed.url,
        "publisher": feed.publisher,
        "host": host_of_feed(feed.url),
        "kind": feed.kind,
        "title": feed.title,
        "name_key": "\n".join((feed.name, feed.title, feed.url)).casefold(),
        "options": as_document(feed.options),
        "interval": maybe_span(feed.interval),
        "etag": as_bytes(feed.validators.etag),
        "last_modified": as_bytes(feed.validators.last_modified),
        "rhythm": None if feed.rhythm is None else as_document(feed.rhythm),
        "reliability": feed.reliability,
        "failures": feed.failures,
        "poll_after": maybe_micros(feed.poll_after),
        "state": feed.state,
        "standing": as_document(feed.standing),
        "new_at": maybe_micros(feed.standing.new_at),
        "due_after": _due_after(feed),
    }


def read_feed_row(row: RowMapping) -> Feed:
    """The feed of a row."""
    etag, last_modified = from_bytes(row["etag"]), from_bytes(row["last_modified"])
    return Feed(
        **from_document(row["options"], FeedOptions).options_by_field(),
        url=row["url"],
        publisher=row["publisher"],
        kind=row["kind"],
        title=row["title"],
        validators=Validators(etag=etag, last_modified=last_modified),
        rhythm=None if row["rhythm"] is None else from_document(row["rhythm"], Rhythm),
        reliability=row["reliability"],
        failures=row["failures"],
        poll_after=maybe_time(row["poll_after"]),
        state=row["state"],
        standing=from_document(row["standing"], PollHistory),
    )


# The addresses a feed had before it moved: what came from there belongs to it all the same.

_former = schema.feed_former


def note_former(conn: Connection, url: str, new_url: str) -> None:
    """A feed moved: its old address leads to the new one, and so do those it had before."""
    conn.execute(update(_former).where(_former.c.feed_url == url).values(feed_url=new_url))
    upsert(conn, _former, [{"url": url, "feed_url": new_url}], keys=["url"])
    conn.execute(delete(_former).where(_former.c.url == new_url))


def former_addresses(conn: Connection, urls: Sequence[str]) -> dict[str, str]:
    """The former addresses of these feeds, to the feed; not those at which another feed lives now."""
    lives = select(schema.feed.c.url).where(schema.feed.c.url == _former.c.url)
    found: dict[str, str] = {}
    for part in chunks(urls):
        query = select(_former.c.url, _former.c.feed_url).where(_former.c.feed_url.in_(part))
        found.update({row[0]: row[1] for row in conn.execute(query.where(~lives.exists()))})
    return found


def feed_addresses_named(conn: Connection, name: str) -> tuple[str, ...]:
    """Every address, now or before, of the feeds with this name, title or address; none: the name as an address.

    Capitals make no difference in a name. What came by a feed that nobody follows any more is found by its address.
    """
    feed = schema.feed
    rows = conn.execute(select(feed.c.url, feed.c.title, feed.c.options))
    wanted = name.casefold()
    urls = [
        row.url
        for row in rows
        if name == row.url
        or wanted in (row.title.casefold(), from_document(row.options, FeedOptions).name.casefold())
    ]
    urls = urls or list(current_addresses(conn, [name]).values()) or [name]
    return tuple(sorted({*urls, *former_addresses(conn, urls)}))


def current_addresses(conn: Connection, urls: Iterable[str]) -> dict[str, str]:
    """Where the feeds of these addresses live now; those that nobody follows are left out."""
    feed, wanted = schema.feed, sorted(set(urls))
    found: dict[str, str] = {}
    for part in chunks(wanted):
        held = select(feed.c.url).where(feed.c.url.in_(part))
        found.update({url: url for url in conn.execute(held).scalars()})
    for part in chunks(url for url in wanted if url not in found):
        moved = select(_former.c.url, feed.c.url).join(feed, feed.c.url == _former.c.feed_url)
        rows = conn.execute(moved.where(_former.c.url.in_(part)))
        found.update({row[0]: row[1] for row in rows})
    return found
