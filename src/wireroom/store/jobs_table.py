"""Jobs of servers and the rows of their lists: the newest are kept, with what is needed to go on with one."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, bindparam, delete, select, tuple_

from wireroom.ports import JobPage, JobRecord, JobRow, Place
from wireroom.store import schema
from wireroom.store.packing import as_document, as_micros, from_document
from wireroom.store.rows import Fresh, chunks, listed, upsert

KEPT_JOBS = 1_000  # some days of a busy desk; a list that is done has outcomes alone, no body

_job, _row = schema.job, schema.job_row

_BY_ID = select(_job.c.about, _job.c.body).where(_job.c.id == bindparam("of_id"))
_ROWS = select(_row.c.about).where(_row.c.job_id == bindparam("of_id")).order_by(_row.c.line)
_IN_ORDER = (_job.c.begun_at.desc(), _job.c.id.desc())
_TOO_MANY = select(_job.c.id).order_by(*_IN_ORDER).offset(KEPT_JOBS)  # the table is that small
_FORGET_ROWS = delete(_row).where(_row.c.job_id.in_(listed("ids")))
_FORGET = delete(_job).where(_job.c.id.in_(listed("ids")))


def save_job(conn: Connection, job: JobRecord, rows: Sequence[JobRow]) -> None:
    """Writes a job down and adds rows; the oldest beyond the limit go."""
    held = {
        "id": job.id,
        "publisher": job.publisher,
        "begun_at": as_micros(job.begun_at),
        "about": as_document(replace(job, body=b"")),
        "body": zlib.compress(job.body) if job.body else b"",
    }
    is_whole = job.body or job.state == "done"
    upsert(conn, _job, [held], keys=["id"], changes=None if is_whole else _all_but_body)
    known = [{"job_id": job.id, "line": row.line, "about": as_document(row)} for row in rows]
    upsert(conn, _row, known, keys=["job_id", "line"])
    for part in chunks(conn.execute(_TOO_MANY).scalars()):
        conn.execute(_FORGET_ROWS, {"ids": part})
        conn.execute(_FORGET, {"ids": part})


def _all_but_body(_fresh: Fresh) -> dict[str, Any]:
    """A list is written once, not with every row of it."""
    return {"body": _job.c.body}


def find_job(conn: Connection, job_id: str) -> JobRecord | None:
    """The job of this id, with its list."""
    found = conn.execute(_BY_ID, {"of_id": job_id}).first()
    if found is None:
        return None
    body = zlib.decompress(bytes(found.body)) if found.body else b""
    return replace(_record(found.about), body=body)


def job_rows(conn: Connection, job_id: str) -> tuple[JobRow, ...]:
    """The rows whose outcome is known, by line."""
    found = conn.execute(_ROWS, {"of_id": job_id}).scalars()
    return tuple(from_document(about, JobRow) for about in found)


def newest_jobs(conn: Connection, *, publisher: str, after: Place | None, limit: int) -> JobPage:
    """Some jobs, the last begun first."""
    query = select(_job.c.begun_at, _job.c.id, _job.c.about).order_by(*_IN_ORDER).limit(limit + 1)
    if publisher:
        query = query.where(_job.c.publisher == publisher)
    if after is not None:
        query = query.where(tuple_(_job.c.begun_at, _job.c.id) < tuple_(*after))
    found = conn.execute(query).all()
    last = found[limit - 1] if len(found) > limit else None
    return JobPage(
        records=tuple(_record(row.about) for row in found[:limit]),
        after=(last.begun_at, last.id) if last is not None else None,
    )


def _record(about: str) -> JobRecord:
    held: JobRecord = from_document(about, JobRecord)
    return held
