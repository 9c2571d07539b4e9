"""Near-duplicates: signatures, and the bands by which likely near-duplicates are found.

A signature waits from when it is saved until its article was clustered; what comes of that stands in `clusters_table`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, RowMapping, bindparam, delete, func, select, text, update

from wireroom.model import Signature
from wireroom.store import schema
from wireroom.store.packing import as_document, as_micros, from_micros, from_span, maybe_span
from wireroom.store.rows import Row, add_rows, chunks, listed, upsert

# Odd constants that spread neighbouring values and places over the keys, as in Fibonacci hashing.
_SPREAD_VALUE = 0x9E3779B97F4A7C15
_SPREAD_PLACE = 0xC2B2AE3D27D4EB4F
_KEY_BITS = 63  # what a signed column of both databases holds

_signature, _band = schema.signature, schema.signature_band

# Written once: putting them together takes longer than the database takes to answer.
_OF_ARTICLES = select(_signature).where(_signature.c.article_id.in_(listed("ids")))
_SIGNED = select(_signature.c.article_id).where(_signature.c.article_id.in_(listed("ids")))
_BANDS_OF = select(_signature.c.article_id, _signature.c.bands).where(
    _signature.c.article_id.in_(listed("ids"))
)
_DROP_BAND = delete(_band).where(
    _band.c.key == bindparam("of_key"), _band.c.article_id == bindparam("of_article")
)
_WAITING = (
    select(_signature).where(_signature.c.waits).order_by(_signature.c.id).limit(bindparam("most"))
)
_LET_WAIT = (
    update(_signature)
    .where(_signature.c.article_id.in_(listed("ids")), _signature.c.waits != bindparam("wait"))
    .values(waits=bindparam("wait"))
)
# The keys of a whole batch are too many for a list of parameters: they travel as one text, each with
# the article that asks.
KEYS_AT_ONCE = 5000
# Articles that are looked at for one band: a notice that stands in a publisher's every article would bring
# them all. Those with the lowest ids, so that all who share the band meet the same ones, and one another in them.
NEAR_AT_MOST = 200
_NEAR = {
    "sqlite": text("""
        SELECT DISTINCT json_extract(asked.value, '$[1]'), band.article_id
          FROM json_each(:keys) AS asked
         CROSS JOIN signature_band AS band
            ON band.key = json_extract(asked.value, '$[0]')
           AND band.article_id <> json_extract(asked.value, '$[1]')
           AND band.article_id < coalesce(
               (SELECT late.article_id FROM signature_band AS late
                 WHERE late.key = json_extract(asked.value, '$[0]')
                 ORDER BY late.article_id LIMIT 1 OFFSET :most), char(1114111))
    """),
    "postgresql": text("""
        SELECT DISTINCT asked.value ->> 1, band.article_id
          FROM jsonb_array_elements(CAST(:keys AS jsonb)) AS asked
         CROSS JOIN LATERAL (
               SELECT article_id FROM signature_band
                WHERE key = CAST(asked.value ->> 0 AS bigint)
                ORDER BY article_id LIMIT :most) AS band
         WHERE band.article_id <> asked.value ->> 1
    """),
}
_LONGEST = select(func.max(_signature.c.own_window)).where(_signature.c.own_window.is_not(None))
# Without bands an article is to have no near-duplicates: a person has decided that, and it does not age.
STANDS_ALONE = _signature.c.bands == ""
_OLD = (
    select(_signature.c.article_id)
    .where(_signature.c.seen_at < bindparam("before"), ~_signature.c.waits, ~STANDS_ALONE)
    .order_by(_signature.c.id)
    .limit(bindparam("most"))
)


def save_signatures(conn: Connection, signatures: Sequence[Signature]) -> None:
    """Adds or replaces the signatures of articles, and their bands; they wait to be clustered."""
    fresh = {signature.article_id: signature for signature in signatures}
    _drop_bands(conn, fresh)
    upsert(
        conn,
        _signature,
        [
            {
                "article_id": signature.article_id,
                "bands": " ".join(map(str, signature.bands)),
                "minhash": signature.minhash,
                "language": signature.language,
                "seen_at": as_micros(signature.seen_at),
                "own_threshold": signature.threshold,
                "own_window": maybe_span(signature.window),
                "waits": True,
            }
            for signature in fresh.values()
        ],
        keys=["article_id"],
    )
    keys = {
        (key, signature.article_id)
        for signature in fresh.values()
        for key in _keys(signature.bands)
    }
    add_rows(conn, _band.name, ("key", "article_id"), sorted(keys))


def drop_signatures(conn: Connection, article_ids: Sequence[str]) -> None:
    """Forgets the signatures of articles, and their bands."""
    _drop_bands(conn, article_ids)
    for part in chunks(article_ids):
        conn.execute(delete(_signature).where(_signature.c.article_id.in_(part)))


def drop_old_signatures(conn: Connection, *, now: datetime, window: timedelta, limit: int) -> int:
    """Forgets so many signatures past the longest window that no longer wait; how many there were."""
    longest = max(window, from_span(conn.execute(_LONGEST).scalar() or 0))
    asked = {"before": as_micros(now - longest), "most": limit}
    old = list(conn.execute(_OLD, asked).scalars())
    drop_signatures(conn, old)
    return len(old)


def signed_among(conn: Connection, article_ids: Iterable[str]) -> set[str]:
    """Those of these articles that have a signature."""
    found: set[str] = set()
    for part in chunks(sorted(set(article_ids))):
        found.update(conn.execute(_SIGNED, {"ids": part}).scalars())
    return found


def standing_alone(conn: Connection, article_ids: Iterable[str]) -> set[str]:
    """Those of these articles that a person took out of their clusters for good."""
    found: set[str] = set()
    for part in chunks(sorted(set(article_ids))):
        found.update(conn.execute(_SIGNED.where(STANDS_ALONE), {"ids": part}).scalars())
    return found


def waiting_signatures(conn: Connection, *, limit: int) -> tuple[Signature, ...]:
    """Signatures that were not clustered yet, in the order in which they were saved."""
    return tuple(_as_signature(row) for row in conn.execute(_WAITING, {"most": limit}).mappings())


def let_wait(conn: Connection, article_ids: Iterable[str], *, waits: bool) -> None:
    """Notes that the signatures of these articles wait to be clustered, or no longer do."""
    for part in chunks(sorted(set(article_ids))):
        conn.execute(_LET_WAIT, {"ids": part, "wait": waits})


def find_near_duplicates(
    conn: Connection, signatures: Sequence[Signature], *, window: timedelta
) -> dict[str, tuple[Signature, ...]]:
    """For each of these the others that share a band, place for place, back to its own time less its window or this.

    Two statements for all of them.
    """
    near: dict[str, set[str]] = {signature.article_id: set() for signature in signatures}
    asked = (
        (key, signature.article_id) for signature in signatures for key in _keys(signature.bands)
    )
    for part in chunks(asked, KEYS_AT_ONCE):
        for article_id, other in conn.execute(
            _NEAR[conn.dialect.name], {"keys": as_document(part), "most": NEAR_AT_MOST}
        ):
            near[article_id].add(other)
    held = _signatures_of(conn, {who for found in near.values() for who in found})
    return {
        signature.article_id: _in_reach(
            signature, sorted(near[signature.article_id] & held.keys()), held, window
        )
        for signature in signatures
    }


def _signatures_of(conn: Connection, article_ids: Iterable[str]) -> dict[str, Signature]:
    found: dict[str, Signature] = {}
    for part in chunks(sorted(article_ids)):
        rows = conn.execute(_OF_ARTICLES, {"ids": part}).mappings()
        found |= {row["article_id"]: _as_signature(row) for row in rows}
    return found


def _in_reach(
    signature: Signature, near: Iterable[str], held: Mapping[str, Signature], window: timedelta
) -> tuple[Signature, ...]:
    since = signature.seen_at - (window if signature.window is None else signature.window)
    likely = (held[who] for who in near if held[who].seen_at >= since)
    return tuple(other for other in likely if _share_a_band(other.bands, signature.bands))


def _keys(bands: Iterable[int]) -> list[int]:
    mask = (1 << _KEY_BITS) - 1
    return [
        ((value * _SPREAD_VALUE) ^ ((place + 1) * _SPREAD_PLACE)) & mask
        for place, value in enumerate(bands)
    ]


def _share_a_band(held: Sequence[int], wanted: Sequence[int]) -> bool:
    return any(band == other for band, other in zip(held, wanted, strict=False))


def _drop_bands(conn: Connection, article_ids: Iterable[str]) -> None:
    stale: list[Row] = []
    for part in chunks(article_ids):
        for row in conn.execute(_BANDS_OF, {"ids": part}):
            keys = _keys(map(int, row.bands.split()))
            stale += [{"of_key": key, "of_article": row.article_id} for key in keys]
    if stale:
        conn.execute(_DROP_BAND, stale)


def _as_signature(row: RowMapping) -> Signature:
    return Signature(
        article_id=row["article_id"],
        bands=tuple(map(int, row["bands"].split())),
        minhash=bytes(row["minhash"]),
        language=row["language"],
        seen_at=from_micros(row["seen_at"]),
        threshold=row["own_threshold"],
        window=None if row["own_window"] is None else from_span(row["own_window"]),
    )
