"""robots.txt files, kept from one process to the next: the robots cache of the fetch room."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Boolean, Column, Connection, LargeBinary, Table, bindparam, delete, select

from wireroom.ports import RobotsFile
from wireroom.store.packing import as_micros, from_micros, metadata, time, words
from wireroom.store.rows import chunks, listed, upsert

MAX_KEPT = 500_000  # bytes of one file: what RFC 9309 asks to be read; the rest is read by nobody

RACE = 600_000_000  # microseconds for which a file may wait to be saved; a later one than that has a wrong clock

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
_TIMES = select(_table.c.origin, _table.c.asked_at).where(_table.c.origin.in_(listed("origins")))
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
    """Keeps each in the place of what was kept, unless that was asked for later."""
    files = list(files)
    held = _asked_at(conn, [file.origin for file in files])
    rows = [
        {
            "origin": file.origin,
            "found": file.found,
            "body": file.body[:MAX_KEPT],
            "reason": file.reason,
            "asked_at": as_micros(file.asked_at),
        }
        for file in sorted(files, key=lambda each: each.origin)
        if not 0 < held.get(file.origin, 0) - as_micros(file.asked_at) < RACE
    ]
    upsert(conn, _table, rows, keys=["origin"])


def _asked_at(conn: Connection, origins: list[str]) -> dict[str, int]:
    held: dict[str, int] = {}
    for part in chunks(origins):
        held.update((row.origin, row.asked_at) for row in conn.execute(_TIMES, {"origins": part}))
    return held
