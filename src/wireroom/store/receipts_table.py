"""Receipts as rows: what they say, once each; those an article had before; and under which of them it left.

An article names the receipt that holds now. One that is replaced by another goes into `article_receipt`, with the last time
at which it held, and stays there for as long as anything that was taken under it is held.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b

from sqlalchemy import ColumnElement, Connection, delete, func, select

from wireroom.model import Article, Receipt, RobotsWord, Verdict
from wireroom.ports import Exported
from wireroom.store import schema
from wireroom.store.packing import as_document, as_micros, from_document, from_micros, maybe_micros
from wireroom.store.rows import add_missing, chunks, listed, upsert

_receipt, _former, _exported = schema.receipt, schema.article_receipt, schema.exported
_article, _change = schema.article, schema.article_change
_SHARED = ("verdicts", "robots", "licence_url", "page_unread", "unscouted", "documents")

_NOW = select(
    _article.c.id.label("article_id"), _article.c.checked_at, _article.c.receipt_id
).where(_article.c.id.in_(listed("ids")), _article.c.receipt_id.is_not(None))
_BEFORE = (
    select(_former.c.article_id, _former.c.checked_at, _receipt.c.body)
    .join(_receipt, _receipt.c.id == _former.c.receipt_id)
    .where(_former.c.article_id.in_(listed("ids")))
    .order_by(_former.c.article_id, _former.c.checked_at)
)


def add_receipts(conn: Connection, articles: Iterable[Article]) -> None:
    """Adds what the receipts of these articles say, where nobody's did before."""
    bodies = {_body(article.receipt) for article in articles if article.receipt is not None}
    rows = [{"id": _id(body), "body": body} for body in bodies]
    add_missing(conn, _receipt, sorted(rows, key=lambda row: row["id"]), keys=["id"])


def receipt_id(receipt: Receipt | None) -> str | None:
    """The row that a receipt is kept in."""
    return None if receipt is None else _id(_body(receipt))


def receipt_of(body: str | None, checked_at: int) -> Receipt | None:
    """The receipt of such a row, with the time that stands elsewhere."""
    if body is None:
        return None
    shared = from_document(body, _SharedReceipt)
    return Receipt(
        verdicts=shared.verdicts,
        robots=shared.robots,
        licence_url=shared.licence_url,
        checked_at=from_micros(checked_at),
        page_unread=shared.page_unread,
        unscouted=shared.unscouted,
        documents=shared.documents,
    )


@dataclass(frozen=True, slots=True)
class _SharedReceipt:
    verdicts: tuple[Verdict, ...]
    robots: RobotsWord
    licence_url: str
    page_unread: str = ""
    unscouted: bool = False
    documents: tuple[str, ...] = ()


def _body(receipt: Receipt) -> str:
    """All but the time: that differs for each article, the rest hardly ever."""
    return as_document({name: getattr(receipt, name) for name in _SHARED})


def _id(body: str) -> str:
    return blake2b(body.encode(), digest_size=16).hexdigest()


# --- receipts that an article had before -----------------------------------------------------------


def keep_receipts(conn: Connection, changes: Iterable[tuple[Article, Article]]) -> None:
    """Keeps what is held now, where an article gets a receipt that says something else."""
    ids = [held.id for held, new in changes if _differ(held.receipt, new.receipt)]
    for part in chunks(ids):
        rows = [dict(row) for row in conn.execute(_NOW, {"ids": part}).mappings()]
        add_missing(conn, _former, rows, keys=["article_id", "checked_at"])


def _differ(held: Receipt | None, new: Receipt | None) -> bool:
    if held is None or new is None:
        return held is not new
    return any(getattr(held, name) != getattr(new, name) for name in _SHARED)


def former_receipts(
    conn: Connection, article_ids: Sequence[str]
) -> Mapping[str, tuple[Receipt, ...]]:
    """The receipts that these articles had before, oldest first; those without are left out."""
    found: dict[str, tuple[Receipt, ...]] = {}
    for part in chunks(article_ids):
        for row in conn.execute(_BEFORE, {"ids": part}):
            receipt = receipt_of(row.body, row.checked_at)
            if receipt is not None:
                found[row.article_id] = (*found.get(row.article_id, ()), receipt)
    return found


def drop_former_receipts(conn: Connection, article_ids: Iterable[str]) -> None:
    """Forgets them: nothing that was taken under them is held any more."""
    for part in chunks(article_ids):
        conn.execute(delete(_former).where(_former.c.article_id.in_(part)))


# --- what left under which -------------------------------------------------------------------------


def save_exported(
    conn: Connection, cursor: str, articles: Sequence[Article], *, now: datetime
) -> None:
    """Notes that these articles leave now, each under its receipt; who left before leaves again."""
    add_receipts(conn, articles)
    rows = [
        {
            "cursor": cursor,
            "article_id": article.id,
            "receipt_id": receipt_id(article.receipt),
            "checked_at": maybe_micros(article.receipt.checked_at if article.receipt else None),
            "left_at": as_micros(now),
        }
        for article in sorted(articles, key=lambda article: article.id)
    ]
    upsert(conn, _exported, rows, keys=["cursor", "article_id"])


def exported_page(conn: Connection, cursor: str, *, after: str, limit: int) -> list[Exported]:
    """The next of what left under a cursor, by id."""
    joined = (
        _exported.outerjoin(_receipt, _receipt.c.id == _exported.c.receipt_id)
        .outerjoin(_article, _article.c.id == _exported.c.article_id)
        .outerjoin(_change, _change.c.article_id == _exported.c.article_id)
    )
    query = (
        select(
            _exported,
            _receipt.c.body,
            func.coalesce(_article.c.url, _change.c.url, "").label("url"),
            _article.c.id.is_(None).label("is_removed"),
            func.coalesce(_change.c.reason, "").label("reason"),
        )
        .select_from(joined)
        .where(_exported.c.cursor == cursor, _exported.c.article_id > after)
        .order_by(_exported.c.article_id)
        .limit(limit)
    )
    return [
        Exported(
            article_id=row.article_id,
            url=row.url,
            left_at=from_micros(row.left_at),
            receipt=receipt_of(row.body, row.checked_at),
            is_removed=bool(row.is_removed),
            reason=row.reason if row.is_removed else "",
        )
        for row in conn.execute(query)
    ]


def forget_exported(conn: Connection, cursor: str, article_ids: Sequence[str] | None) -> int:
    """Forgets that these left under the cursor, or all that did; how many there were."""
    of_cursor: ColumnElement[bool] = _exported.c.cursor == cursor
    if article_ids is None:
        return conn.execute(delete(_exported).where(of_cursor)).rowcount
    return sum(
        conn.execute(delete(_exported).where(of_cursor, _exported.c.article_id.in_(part))).rowcount
        for part in chunks(article_ids)
    )
