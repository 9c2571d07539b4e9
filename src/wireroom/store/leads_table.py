"""Leads: one per publisher and page, whatever the spelling of its address.

`due_after` is when the app may take a lead: now or its `read_after` while it is open, the end of
the lease while it is in flight, never (NULL) when it is done with. An open lead without it
sleeps: its feed is paused (see `queue.pausing`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

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
from wireroom.identity import (
    OPEN_STATES,
    HeldLead,
    ItemOutcome,
    LeadKey,
    NamedPage,
    is_merely_named,
)
from wireroom.model import Item, Lead, LeadCause, LeadState
from wireroom.ports import LeadRecord
from wireroom.store import schema
from wireroom.store.hosts_table import lock_hosts, note_due
from wireroom.store.items_table import add_items, item_key, items_by_id, with_other_terms
from wireroom.store.packing import as_micros, maybe_micros, maybe_time
from wireroom.store.publishers_table import ensure_publishers
from wireroom.store.rows import Fresh, Row, add_missing, chunks, listed, matching, upsert
from wireroom.urls import host_of, page_key

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
    _table.c.cause,
    _table.c.due_after,
    _table.c.holder,
)
PAUSED_FEEDS = select(schema.feed.c.url).where(schema.feed.c.state == "paused")
_PAUSED_OF = PAUSED_FEEDS.where(schema.feed.c.url.in_(listed("urls")))


def key_of(lead: Lead) -> LeadKey:
    """The key of a lead; StoreError for an address that is none."""
    url_key = page_key(lead.url)
    if not url_key:
        raise StoreError(f"{lead.url!r} is no address that could be read.")
    return LeadKey(lead.publisher, url_key)


def lead_hosts(
    keys: Iterable[LeadKey], leads: Iterable[Lead], held: Mapping[LeadKey, HeldLead]
) -> set[str]:
    """The hosts that leads of these keys are on; a held one stays on the host it was first found on."""
    return {
        held[key].host if key in held else host_of(lead.url)
        for key, lead in zip(keys, leads, strict=True)
    }


def find_leads(
    conn: Connection, *, publisher: str, url: str, state: LeadState | None, limit: int
) -> tuple[Lead, ...]:
    """Leads by publisher and address, with their items."""
    query = select(_table).order_by(_table.c.publisher, _table.c.url_key).limit(limit)
    if publisher:
        query = query.where(_table.c.publisher == publisher)
    if url:
        query = query.where(_table.c.url_key == page_key(url))
    if state is not None:
        query = query.where(_table.c.state == state)
    return tuple(_with_items(conn, query).values())


def lead_records(conn: Connection, rows: Sequence[RowMapping]) -> list[LeadRecord]:
    """The leads of these rows as they lie in the queue, in the same order."""
    items = items_by_id(conn, {row["item_id"] for row in rows if row["item_id"] is not None})
    return [
        LeadRecord(
            lead=_lead(row, items.get(row["item_id"])),
            feed_url=row["feed_url"],
            article_id=row["article_id"] or "",
            found_at=maybe_time(row["found_at"]),
            due_after=maybe_time(row["due_after"]),
            holder=row["holder"] or "",
        )
        for row in rows
    ]


def leads_by_id(conn: Connection, ids: Iterable[int]) -> dict[int, Lead]:
    """Leads by their row's id, with their items."""
    found: dict[int, Lead] = {}
    for part in chunks(ids):
        found.update(_with_items(conn, _BY_ID, {"ids": part}))
    return with_other_terms(conn, found)


def find_leads_held(
    conn: Connection, keys: Iterable[LeadKey], *, now: datetime
) -> dict[LeadKey, HeldLead]:
    """What is held of these pages."""
    rows = matching(conn, _HELD, (_table.c.publisher, _table.c.url_key), sorted(set(keys)))
    moment = as_micros(now)
    return {LeadKey(row["publisher"], row["url_key"]): _held(row, moment) for row in rows}


def _held(row: RowMapping, moment: int) -> HeldLead:
    due, state = row["due_after"], row["state"]
    return HeldLead(
        host=row["host"],
        state=state,
        cause=LeadCause(row["cause"]),
        article_id=row["article_id"] or "",
        in_flight=row["holder"] is not None and (due is None or due > moment),
        asleep=due is None and state in OPEN_STATES,
    )


def save_leads(conn: Connection, leads: Sequence[Lead], *, now: datetime) -> int:
    """Adds unknown leads and updates the others; how many were new."""
    ensure_publishers(conn, [lead.publisher for lead in leads], now=now)
    keys = [key_of(lead) for lead in leads]
    held = find_leads_held(conn, keys, now=now)
    hosts = lock_hosts(conn, lead_hosts(keys, leads, held))
    last = dict(zip(keys, leads, strict=True))  # each page once; the last lead counts
    fresh = [lead for key, lead in last.items() if key not in held]
    changed = [lead for key, lead in last.items() if key in held and not is_merely_named(lead)]
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
    held: Mapping[LeadKey, HeldLead],
    articles: Mapping[LeadKey, str],
    now: datetime,
) -> None:
    """Saves leads that were worked on: no longer in flight, pointing at their articles."""
    keys = [key_of(lead) for lead in leads]
    fresh = [lead for key, lead in zip(keys, leads, strict=True) if key not in held]
    ids = add_items(conn, [lead.item for lead in fresh if lead.item is not None])
    rows = [
        {**_row(lead, ids, now), "article_id": articles.get(key)}
        for key, lead in zip(keys, leads, strict=True)
    ]
    upsert(conn, _table, rows, keys=_KEYS, changes=_keep_links)


def save_named_pages(
    conn: Connection, changes: Mapping[ItemOutcome, Sequence[NamedPage]], *, now: datetime
) -> None:
    """Adds, reopens and wakes leads as it was decided; those of a paused feed sleep."""
    moment = as_micros(now)
    added = [_named_row(page, now) for page in changes[ItemOutcome.ADDED]]
    add_missing(conn, _table, added, keys=_KEYS)
    for outcome, statement in ((ItemOutcome.REOPENED, _REOPEN), (ItemOutcome.WOKEN, _WAKE)):
        if pages := changes[outcome]:
            conn.execute(statement, [_linked(page, moment) for page in pages])


def _named_row(page: NamedPage, now: datetime) -> Row:
    row = _row(Lead(url=page.url, publisher=page.key.publisher), {}, now)
    due = None if page.paused else row["due_after"]
    return {**row, "item_id": page.item_id, "feed_url": page.feed_url, "due_after": due}


def _linked(page: NamedPage, moment: int) -> Row:
    return {
        "whose": page.key.publisher,
        "key": page.key.url_key,
        "moment": None if page.paused else moment,
        "by": page.item_id,
        "of_feed": page.feed_url,
    }


_KEYS = ("publisher", "url_key")


def _keep_links(fresh: Fresh) -> dict[str, Any]:
    """The address stays as it was first found; an outcome that names no item or article cuts no link.

    A lead whose feed was paused while it was in flight sleeps on.
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
        "found_at": held.found_at,
        "due_after": case((is_open & held.due_after.is_(None), null()), else_=fresh.due_after),
    }


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


UNTRIED: Row = {
    "state": "new",
    "cause": LeadCause.NONE.value,
    "reason": "",
    "attempts": 0,
    "read_after": None,
    "holder": None,
}
"""What makes a lead one that was never tried."""

_NAMED = (_table.c.publisher == bindparam("whose")) & (_table.c.url_key == bindparam("key"))
_LINKS: Row = {"item_id": bindparam("by"), "feed_url": bindparam("of_feed")}
_REOPEN = update(_table).where(_NAMED).values(**UNTRIED, due_after=bindparam("moment"), **_LINKS)
_WAKE = (
    update(_table)
    .where(_NAMED)
    .values(due_after=func.coalesce(_table.c.read_after, bindparam("moment")), **_LINKS)
)


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
        "cause": lead.cause.value,
        "reason": lead.reason,
        "attempts": lead.attempts,
        "read_after": maybe_micros(lead.read_after),
        "due_after": as_micros(due) if awake else None,
        "holder": None,
        "found_at": as_micros(now),
    }


def _lead(row: RowMapping, item: Item | None) -> Lead:
    return Lead(
        url=row["url"],
        publisher=row["publisher"],
        item=item,
        state=row["state"],
        cause=LeadCause(row["cause"]),
        reason=row["reason"],
        attempts=row["attempts"],
        read_after=maybe_time(row["read_after"]),
    )
