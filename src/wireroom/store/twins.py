"""Near-duplicates: signatures, the bands by which likely twins are found, and clusters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import Connection, RowMapping, bindparam, delete, select, update

from wireroom.model import Cluster, Signature
from wireroom.store import schema
from wireroom.store.packing import as_document, as_micros, from_document, from_micros
from wireroom.store.rows import Row, add_missing, chunks, upsert

__all__ = ["find_cluster", "find_twins", "save_cluster", "save_signatures"]

# Odd constants that spread neighbouring values and places over the keys, as in Fibonacci hashing.
_SPREAD_VALUE = 0x9E3779B97F4A7C15
_SPREAD_PLACE = 0xC2B2AE3D27D4EB4F
_KEY_BITS = 63  # what a signed column of both databases holds

_signature, _band = schema.signature, schema.signature_band


def save_signatures(conn: Connection, signatures: Sequence[Signature]) -> None:
    """Adds or replaces the signatures of articles, and their bands."""
    fresh = {one.article_id: one for one in signatures}
    _drop_bands(conn, fresh)
    upsert(
        conn,
        _signature,
        [
            {
                "article_id": one.article_id,
                "bands": " ".join(map(str, one.bands)),
                "minhash": one.minhash,
                "language": one.language,
                "seen_at": as_micros(one.seen_at),
            }
            for one in fresh.values()
        ],
        keys=["article_id"],
    )
    rows = [
        {"key": key, "article_id": one.article_id}
        for one in fresh.values()
        for key in sorted(set(_keys(one.bands)))
    ]
    add_missing(conn, _band, rows, keys=["key", "article_id"])


def find_twins(conn: Connection, bands: Sequence[int], *, since: datetime) -> tuple[Signature, ...]:
    """Signatures that share at least one band, place for place, seen at or after `since`."""
    found: dict[str, Signature] = {}
    for part in chunks(_keys(bands)):
        query = (
            select(_signature)
            .join(_band, _band.c.article_id == _signature.c.article_id)
            .where(_band.c.key.in_(part), _signature.c.seen_at >= as_micros(since))
        )
        for row in conn.execute(query).mappings():
            found.setdefault(row["article_id"], _as_signature(row))
    likely = (found[article_id] for article_id in sorted(found))
    return tuple(one for one in likely if _share_a_band(one.bands, bands))


def save_cluster(conn: Connection, cluster: Cluster) -> None:
    """Replaces the cluster; its members point at it, former members no longer do."""
    member = schema.cluster_member
    canonicals = as_document(cluster.canonicals)
    row = {"id": cluster.id, "canonicals": canonicals, "made_at": as_micros(cluster.made_at)}
    upsert(conn, schema.cluster, [row], keys=["id"])
    former = set(_members(conn, cluster.id)) - set(cluster.members)
    conn.execute(delete(member).where(member.c.cluster_id == cluster.id))
    _point_at(conn, former, "")
    members = dict.fromkeys(cluster.members)
    rows = [
        {"article_id": article_id, "cluster_id": cluster.id, "place": place}
        for place, article_id in enumerate(members)
    ]
    upsert(conn, member, rows, keys=["article_id"])
    _point_at(conn, members, cluster.id)


def find_cluster(conn: Connection, cluster_id: str) -> Cluster | None:
    """The cluster with its members."""
    query = select(schema.cluster).where(schema.cluster.c.id == cluster_id)
    row = conn.execute(query).mappings().first()
    if row is None:
        return None
    return Cluster(
        id=cluster_id,
        members=tuple(_members(conn, cluster_id)),
        canonicals=from_document(row["canonicals"], dict[str, str]),
        made_at=from_micros(row["made_at"]),
    )


def _members(conn: Connection, cluster_id: str) -> list[str]:
    member = schema.cluster_member
    query = select(member.c.article_id).where(member.c.cluster_id == cluster_id)
    return list(conn.execute(query.order_by(member.c.place)).scalars())


def _point_at(conn: Connection, article_ids: Iterable[str], cluster_id: str) -> None:
    table = schema.article
    for part in chunks(sorted(article_ids)):
        conn.execute(update(table).where(table.c.id.in_(part)).values(cluster_id=cluster_id))


def _keys(bands: Iterable[int]) -> list[int]:
    mask = (1 << _KEY_BITS) - 1
    return [
        ((value * _SPREAD_VALUE) ^ ((place + 1) * _SPREAD_PLACE)) & mask
        for place, value in enumerate(bands)
    ]


def _share_a_band(held: Sequence[int], wanted: Sequence[int]) -> bool:
    return any(one == other for one, other in zip(held, wanted, strict=False))


def _drop_bands(conn: Connection, article_ids: Iterable[str]) -> None:
    stale: list[Row] = []
    for part in chunks(article_ids):
        query = select(_signature.c.article_id, _signature.c.bands)
        for row in conn.execute(query.where(_signature.c.article_id.in_(part))):
            keys = _keys(map(int, row.bands.split()))
            stale += [{"of_key": key, "of_article": row.article_id} for key in keys]
    if stale:
        one = (_band.c.key == bindparam("of_key")) & (_band.c.article_id == bindparam("of_article"))
        conn.execute(delete(_band).where(one), stale)


def _as_signature(row: RowMapping) -> Signature:
    return Signature(
        article_id=row["article_id"],
        bands=tuple(map(int, row["bands"].split())),
        minhash=bytes(row["minhash"]),
        language=row["language"],
        seen_at=from_micros(row["seen_at"]),
    )
