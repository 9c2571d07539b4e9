"""robots.txt files, kept from one process to the next: the robots cache of the fetch room."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Boolean, Column, Connection, LargeBinary, Table, bindparam, delete, select

from wireroom.ports import RobotsFile
from wireroom.store.packing import as_micros, from_micros, metadata, time, words
from wireroom.store.rows import chunks, listed, upsert

MAX_KEPT = 500_000  # bytes of one file: what RFC 9309 asks to be read; the rest is read by nobody

_table = Table(
    "robots_file",
    metadata,
    words("origin", primary_key=True),
    Column("found", Boolean, nullable=False),
    Column("body", LargeBinary, nullable=False),
    words("reason"),
    time("asked_at", nullable=False),
)
_FORGET = delete(_table).where(_table.c.origin.in_(listed("origins")))
_BY_ORIGIN = select(_table).where(_table.c.origin == bindparam("of_origin"))


def find_robots_file(conn: Connection, origin: str) -> RobotsFile | None:
    """What is kept of the origin."""
    row = conn.execute(_BY_ORIGIN, {"of_origin": origin}).mappings().first()
    if row is None:
        return None
    return RobotsFile(
        origin=row["origin"],
        found=row["found"],
        body=bytes(row["body"]),
        reason=row["reason"],
        asked_at=from_micros(row["asked_at"]),
    )


def forget_robots_files(conn: Connection, hosts: Iterable[str]) -> None:
    """Forgets what is kept of these hosts, under either scheme."""
    origins = [f"{scheme}://{host}" for host in sorted(set(hosts)) for scheme in ("http", "https")]
    for part in chunks(origins):
        conn.execute(_FORGET, {"origins": part})


def save_robots_files(conn: Connection, files: Iterable[RobotsFile]) -> None:
    """Keeps each in the place of what was kept; of two that processes got at once the later counts."""
    rows = [
        {
            "origin": file.origin,
            "found": file.found,
            "body": file.body[:MAX_KEPT],
            "reason": file.reason,
            "asked_at": as_micros(file.asked_at),
        }
        for file in sorted(files, key=lambda each: each.origin)
    ]
    upsert(conn, _table, rows, keys=["origin"])
