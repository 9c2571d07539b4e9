"""Originals that left the cluster of their reprints: each of those names the earliest, and the receipt it had.

Whoever removes an article, cuts it down or reads another text under its address must not set its reprints free: what
they tell was its text. So before articles leave a cluster, those that stay in it take over who was there before them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection, delete, func, or_, select

from wireroom.model import Original
from wireroom.ports import FormerOriginal
from wireroom.store import schema
from wireroom.store.packing import from_micros, maybe_time
from wireroom.store.receipts_table import receipt_of
from wireroom.store.rows import Row, chunks, listed, upsert

_former, _article, _receipt = schema.former_original, schema.article, schema.receipt

_OF_ARTICLES = select(
    _article.c.id.label("article_id"),
    _article.c.id.label("original_id"),
    _article.c.publisher,
    _article.c.url,
    _article.c.feed_url,
    _article.c.published_at,
    func.coalesce(_article.c.published_at, _article.c.fetched_at).label("first_at"),
    _article.c.receipt_id,
    _article.c.checked_at,
).where(_article.c.id.in_(listed("ids")))
_FORMER = select(_former).where(_former.c.article_id.in_(listed("ids")))
_WITH_RECEIPTS = (
    select(_former, _receipt.c.body)
    .select_from(_former.outerjoin(_receipt, _receipt.c.id == _former.c.receipt_id))
    .where(_former.c.article_id.in_(listed("ids")))
)


def keep_original(conn: Connection, leaving: Mapping[str, str], staying: Mapping[str, str]) -> None:
    """Notes who was there before the articles that stay; both are given with their cluster."""
    first = _first_by_cluster(_known(conn, leaving), leaving)
    wanted = {member: found for member in staying if (found := first.get(staying[member]))}
    if not wanted:
        return
    first_staying = _first_by_cluster(_known(conn, staying), staying)
    rows = [
        {**found, "article_id": member}
        for member, found in sorted(wanted.items())
        if _when(found) < _when(first_staying[staying[member]])
    ]
    upsert(conn, _former, rows, keys=["article_id"])


def former_original_of(conn: Connection, article_ids: Sequence[str]) -> dict[str, FormerOriginal]:
    """The originals of these articles that are in their clusters no more; those without are left out."""
    found: dict[str, FormerOriginal] = {}
    for part in chunks(sorted(set(article_ids))):
        for row in conn.execute(_WITH_RECEIPTS, {"ids": part}):
            original = Original(
                id=row.original_id,
                publisher=row.publisher,
                url=row.url,
                feed_url=row.feed_url,
                published_at=maybe_time(row.published_at),
                receipt=receipt_of(row.body, row.checked_at),
            )
            found[row.article_id] = FormerOriginal(original, from_micros(row.first_at))
    return found


def forget_original(conn: Connection, article_ids: Sequence[str]) -> int:
    """Forgets the originals of these articles, and that they are those of others; how many there were."""
    return sum(
        conn.execute(
            delete(_former).where(
                or_(_former.c.article_id.in_(part), _former.c.original_id.in_(part))
            )
        ).rowcount
        for part in chunks(sorted(set(article_ids)))
    )


def drop_reprints(conn: Connection, article_ids: Iterable[str]) -> None:
    """Forgets the originals of articles that are gone."""
    for part in chunks(article_ids):
        conn.execute(delete(_former).where(_former.c.article_id.in_(part)))


def _known(conn: Connection, article_ids: Iterable[str]) -> list[Row]:
    """These articles, and the originals they name, as rows of this table."""
    rows: list[Row] = []
    for part in chunks(sorted(set(article_ids))):
        for query in (_OF_ARTICLES, _FORMER):
            rows += [dict(row) for row in conn.execute(query, {"ids": part}).mappings()]
    return rows


def _first_by_cluster(rows: Iterable[Row], clusters: Mapping[str, str]) -> dict[str, Row]:
    first: dict[str, Row] = {}
    for row in rows:
        cluster_id = clusters[row["article_id"]]
        if cluster_id not in first or _when(row) < _when(first[cluster_id]):
            first[cluster_id] = row
    return first


def _when(row: Row) -> tuple[int, str]:
    """As `duplicates.earliest` orders articles."""
    return row["first_at"], row["original_id"]
