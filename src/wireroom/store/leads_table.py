"""Leads: one per publisher and page, whatever the spelling of its address.

`due_after` is when the app may take a lead: now or its `read_after` while it is open, the end of
the lease while it is in somebody's hands, never (NULL) when it is done with. An open lead without it
sleeps: its feed is paused (see pausing).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    Connection,
    RowMapping,
    Select,
    bindparam,
    case,
    func,
    literal_column,
    null,
    or_,
    select,
    update,
)

from wireroom.errors import StoreError
from wireroom.model import Feed, Item, Lead, LeadState
from wireroom.store import schema
from wireroom.store.hosts_table import lock_hosts, note_due
from wireroom.store.items_table import add_items, item_key, items_by_id, page_key
from wireroom.store.packing import as_micros, maybe_micros, maybe_time
from wireroom.store.rows import Fresh, Row, add_missing, chunks, listed, matching, upsert
from wireroom.urls import host_of

OPEN_STATES: frozenset[LeadState] = frozenset({"new", "fetched", "retry"})
"""Leads that come up again; "fetched" is a page whose reader died before it was read."""

_table = schema.lead

OPEN = _table.c.state.in_(sorted(OPEN_STATES))
ASLEEP = OPEN & _table.c.due_after.is_(None)
"""Its feed is paused."""

_BY_ID = select(_table).where(_table.c.id.in_(listed("ids")))
_HELD = select(
    _table.c.publisher,
    _table.c.url_key,
    _table.c.host,
    _table.c.article_id,
    _table.c.state,
    _table.c.due_after,
)
PAUSED_FEEDS = select(schema.feed.c.url).where(schema.feed.c.state == "paused")
_PAUSED_OF = PAUSED_FEEDS.where(schema.feed.c.url.in_(listed("urls")))


class LeadKey(NamedTuple):
    """What makes a lead one: whose page it is, and the identity key of its address."""

    publisher: str
    url_key: str


def page_of(publisher: str, url: str) -> LeadKey:
    """The page a lead of this publisher stands for."""
    key = page_key(url)
    if not key:
        raise StoreError(f"{url!r} is no address that could be read.")
    return LeadKey(publisher, key)


def lead_page(lead: Lead) -> LeadKey:
    """The page a lead stands for."""
    return page_of(lead.publisher, lead.url)


def lead_hosts(leads: Iterable[Lead], held: Mapping[LeadKey, RowMapping]) -> set[str]:
    """The hosts the leads are on; a held one stays on the host it was first found on."""
    known = {page: row["host"] for page, row in held.items()}
    return {known.get(lead_page(lead)) or host_of(lead.url) for lead in leads}


def find_lead(conn: Connection, publisher: str, url: str) -> Lead | None:
    """The lead for this address, whatever spelling of it is asked for."""
    page = LeadKey(publisher, page_key(url))
    of_page = (_table.c.publisher == page.publisher) & (_table.c.url_key == page.url_key)
    found = _with_items(conn, select(_table).where(of_page))
    return next(iter(found.values()), None)


def all_leads(
    conn: Connection, *, publisher: str, state: LeadState | None, limit: int
) -> tuple[Lead, ...]:
    """Leads by publisher and address, with their items."""
    query = select(_table).order_by(_table.c.publisher, _table.c.url_key).limit(limit)
    if publisher:
        query = query.where(_table.c.publisher == publisher)
    if state is not None:
        query = query.where(_table.c.state == state)
    return tuple(_with_items(conn, query).values())


def leads_by_id(conn: Connection, ids: Iterable[int]) -> dict[int, Lead]:
    """Leads by their row's id, with their items."""
    found: dict[int, Lead] = {}
    for part in chunks(ids):
        found.update(_with_items(conn, _BY_ID, {"ids": part}))
    return found


def find_leads_held(conn: Connection, pages: Iterable[LeadKey]) -> dict[LeadKey, RowMapping]:
    """What is held of these pages: the lead's host and article_id, and whether it sleeps."""
    rows = matching(conn, _HELD, (_table.c.publisher, _table.c.url_key), sorted(set(pages)))
    return {LeadKey(row["publisher"], row["url_key"]): row for row in rows}


def save_leads(conn: Connection, leads: Sequence[Lead], *, now: datetime) -> int:
    """Adds unknown leads and updates the others; how many were new.

    A known page that is named once more ("new", never tried) is no reason to read it again.
    """
    held = find_leads_held(conn, [page_of(lead.publisher, lead.url) for lead in leads])
    hosts = lock_hosts(conn, lead_hosts(leads, held))
    changed: list[Lead] = []
    fresh: list[Lead] = []
    for lead in _once(leads):
        known = page_of(lead.publisher, lead.url) in held
        if known and lead.state == "new" and lead.attempts == 0:
            continue
        (changed if known else fresh).append(lead)
    ids = add_items(conn, [lead.item for lead in fresh + changed if lead.item is not None])
    paused = _paused_of(conn, fresh + changed)
    add_missing(conn, _table, [_row(lead, ids, now, paused) for lead in fresh], keys=_KEYS)
    rows = [_row(lead, ids, now, paused) for lead in changed]
    upsert(conn, _table, rows, keys=_KEYS, changes=_keep_links)
    note_due(conn, hosts)
    return len(fresh)


def save_read_leads(
    conn: Connection,
    leads: Sequence[Lead],
    *,
    held: Mapping[LeadKey, RowMapping],
    articles: Mapping[LeadKey, str],
    now: datetime,
) -> None:
    """Saves leads that were worked on: in nobody's hands any more, pointing at their articles."""
    fresh = [lead for lead in leads if page_of(lead.publisher, lead.url) not in held]
    ids = add_items(conn, [lead.item for lead in fresh if lead.item is not None])
    rows = []
    for lead in leads:
        page = page_of(lead.publisher, lead.url)
        rows.append({**_row(lead, ids, now), "article_id": articles.get(page)})
    upsert(conn, _table, rows, keys=_KEYS, changes=_keep_links)


def save_found_leads(
    conn: Connection,
    found: Iterable[tuple[Feed, Mapping[int, Item]]],
    *,
    held: Mapping[LeadKey, RowMapping],
    now: datetime,
) -> None:
    """Adds leads for the pages of feeds' new items, by the items' rows; a known page stays as it is.

    Those of a feed that was paused meanwhile sleep; one that sleeps for another feed is awake again.
    """
    rows: dict[LeadKey, Row] = {}
    for feed, items in sorted(found, key=lambda one: one[0].state == "paused"):
        asleep = {"due_after": None} if feed.state == "paused" else {}
        for item_id, item in items.items():
            lead = Lead(url=item.url, publisher=feed.publisher)
            links = {"item_id": item_id, "feed_url": feed.url}
            rows.setdefault(lead_page(lead), {**_row(lead, {}, now), **links, **asleep})
    add_missing(conn, _table, list(rows.values()), keys=_KEYS)
    sleeping = {page for page, row in held.items() if _sleeps(row)}
    woken = [rows[page] for page in sleeping & rows.keys() if rows[page]["due_after"] is not None]
    if woken:
        conn.execute(_WAKE_FOR, [_waking(row) for row in woken])


_KEYS = ("publisher", "url_key")


def _keep_links(fresh: Fresh) -> dict[str, Any]:
    """The address stays as it was first found; an outcome that names no item or article cuts no link.

    A lead whose feed was paused while it was in hand sleeps on.
    """
    held = _table.c
    # Written out: these statements go to the driver as they are, where a list has no place.
    is_open = or_(
        *(held.state == literal_column(f"'{open_state}'") for open_state in sorted(OPEN_STATES))
    )
    return {
        "url": held.url,
        "host": held.host,
        "item_id": func.coalesce(fresh.item_id, held.item_id),
        "feed_url": case((fresh.item_id.is_(None), held.feed_url), else_=fresh.feed_url),
        "article_id": func.coalesce(fresh.article_id, held.article_id),
        "due_after": case((is_open & held.due_after.is_(None), null()), else_=fresh.due_after),
    }


def _once(leads: Iterable[Lead]) -> list[Lead]:
    """Each page once; the last lead counts."""
    return list({page_of(lead.publisher, lead.url): lead for lead in leads}.values())


def _with_items(
    conn: Connection, query: Select[Any], values: Mapping[str, Any] | None = None
) -> dict[int, Lead]:
    rows = conn.execute(query, values).mappings().all()
    items = items_by_id(conn, {row["item_id"] for row in rows if row["item_id"] is not None})
    return {row["id"]: _lead(row, items.get(row["item_id"])) for row in rows}


def _paused_of(conn: Connection, leads: Iterable[Lead]) -> frozenset[str]:
    """Those feeds of the leads that are paused."""
    urls = {lead.item.feed_url for lead in leads if lead.item is not None}
    found: set[str] = set()
    for part in chunks(sorted(urls)):
        found.update(conn.execute(_PAUSED_OF, {"urls": part}).scalars())
    return frozenset(found)


def _sleeps(row: RowMapping) -> bool:
    return row["due_after"] is None and row["state"] in OPEN_STATES


_WAKE_FOR = (
    update(_table)
    .where(_table.c.publisher == bindparam("whose"), _table.c.url_key == bindparam("key"), ASLEEP)
    .values(
        due_after=func.coalesce(_table.c.read_after, bindparam("moment")),
        item_id=bindparam("by"),
        feed_url=bindparam("of_feed"),
    )
)


def _waking(row: Row) -> Row:
    return {
        "whose": row["publisher"],
        "key": row["url_key"],
        "moment": row["due_after"],
        "by": row["item_id"],
        "of_feed": row["feed_url"],
    }


def _row(
    lead: Lead,
    item_ids: Mapping[tuple[str, str], int],
    now: datetime,
    paused: Collection[str] = (),
) -> Row:
    due = lead.read_after or now
    item = lead.item
    awake = lead.state in OPEN_STATES and (item is None or item.feed_url not in paused)
    return {
        "publisher": lead.publisher,
        "url_key": page_key(lead.url),
        "url": lead.url,
        "host": host_of(lead.url),
        "feed_url": "" if item is None else item.feed_url,
        "item_id": None if item is None else item_ids.get((item.feed_url, item_key(item))),
        "state": lead.state,
        "reason": lead.reason,
        "attempts": lead.attempts,
        "read_after": maybe_micros(lead.read_after),
        "due_after": as_micros(due) if awake else None,
        "holder": None,
    }


def _lead(row: RowMapping, item: Item | None) -> Lead:
    return Lead(
        url=row["url"],
        publisher=row["publisher"],
        item=item,
        state=row["state"],
        reason=row["reason"],
        attempts=row["attempts"],
        read_after=maybe_time(row["read_after"]),
    )
