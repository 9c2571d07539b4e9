"""Jobs of servers, as they are written down: what became of each, and which broke off when its server ended.

A server that was killed cannot say so: its jobs are told as interrupted by whoever looks.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from wireroom.app.holders import dead_holders, holder_name, is_local
from wireroom.app.list_cursor import read_cursor, write_cursor
from wireroom.errors import StoreError
from wireroom.ports import JobKind as JobKind
from wireroom.ports import JobRecord as JobRecord
from wireroom.ports import JobRow as JobRow
from wireroom.ports import JobState as JobState

if TYPE_CHECKING:
    from wireroom.app.application import App

log = logging.getLogger(__name__)

SERVER: Final = "serve"  # so begins the name of a server
SILENT: Final = timedelta(minutes=30)  # of a server elsewhere, then it counts as ended
INTERRUPTED: Final = "The server ended before it was done. What was found is kept."
PAGE: Final = 50
MOST: Final = 500  # rows of one page
_ORDER: Final = "begun"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobList:
    """One page of jobs, the last begun first."""

    rows: tuple[JobRecord, ...]
    next: str = ""
    """The cursor of the next page; empty when there is none."""


def server_name() -> str:
    """A name for this server, by which others see whether it lives."""
    return holder_name(SERVER)


def is_open(job: JobRecord) -> bool:
    """Whether there is something to wait for."""
    return job.state in {"waiting", "running"}


def save_job(app: App, job: JobRecord, rows: Sequence[JobRow] = ()) -> None:
    """Writes down that a job was taken; StoreError where that cannot be done."""
    app.store.jobs.save(job, rows)


def note_job(app: App, job: JobRecord, rows: Sequence[JobRow] = ()) -> None:
    """Writes down how far a job is; it goes on whether that can be done or not."""
    try:
        app.store.jobs.save(job, rows)
    except StoreError as exc:
        log.warning("state of a job lost", extra={"job": job.id, "reason": exc.message})


def find_job(app: App, job_id: str) -> JobRecord | None:
    """The job of this id, as it stands."""
    held = app.store.jobs.find(job_id)
    return None if held is None else with_state(held, now=app.clock())


def job_rows(app: App, job_id: str) -> tuple[JobRow, ...]:
    """The rows of a list whose outcome is known."""
    return app.store.jobs.rows(job_id)


def last_job(app: App, publisher: str) -> JobRecord | None:
    """The last job about a publisher."""
    found = app.store.jobs.newest(publisher=publisher, limit=1).records
    return with_state(found[0], now=app.clock()) if found else None


def job_list(app: App, *, publisher: str = "", cursor: str = "", limit: int = PAGE) -> JobList:
    """Jobs, the last begun first; QueryError for a cursor of another list."""
    after = read_cursor(cursor, _ORDER, int)
    size = max(1, min(limit, MOST))
    page, now = app.store.jobs.newest(publisher=publisher, after=after, limit=size), app.clock()
    return JobList(
        rows=tuple(with_state(job, now=now) for job in page.records),
        next=write_cursor(_ORDER, page.after),
    )


def with_state(job: JobRecord, *, now: datetime) -> JobRecord:
    """The job as it stands: interrupted, where its server is no more and it has not ended."""
    if not is_open(job) or not _is_over(job, now):
        return job
    return replace(job, state="interrupted", message=INTERRUPTED)


def _is_over(job: JobRecord, now: datetime) -> bool:
    """Whether its server has ended; of one on another machine only its silence tells."""
    if is_local(job.holder):
        return bool(dead_holders([job.holder]))
    return now - job.seen_at > SILENT
