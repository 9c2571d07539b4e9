"""Work that a server does in the background, as it is written down: it outlives the server, and somebody may go on with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from wireroom.ports.overview import Place

JobKind = Literal["scout", "follow", "list"]
JobState = Literal["waiting", "running", "done", "failed", "interrupted"]
RowWord = Literal["added", "known", "refused", "nothing", "failed", "invalid", "same"]
"""What became of a row: followed now, or before; refused by robots.txt or policy; nothing to follow; failed; no address;
the same as one before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRecord:
    """One piece of work, as it was last written down."""

    id: str
    kind: JobKind
    target: str
    """What somebody typed; of a list, its name."""
    publisher: str = ""
    """Its domain; empty for a list."""
    state: JobState = "waiting"
    message: str = ""
    """Why it failed, or what came of it."""
    hint: str = ""
    problem: str = ""
    """Of one that failed: the kind of problem, in one word."""
    moved_to: str = ""
    """Where the publisher is, if that is another domain."""
    begun_at: datetime
    seen_at: datetime
    """When it was last heard of."""
    ended_at: datetime | None = None
    holder: str = ""
    """The server that does it."""
    refresh: bool = False
    """Of a scout: whether what is known and fresh is asked again."""
    options: Mapping[str, str] = field(default_factory=dict)
    """What is said of a feed that is followed."""
    rows: int = 0
    """Of a list: how many it has."""
    notes: tuple[str, ...] = ()
    """What is to be said of a list as a whole."""
    body: bytes = b""
    """Of a list that is not done: the list, as it was handed over."""
    digest: str = ""
    """Of a list: a hash of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """A row of a list, and what became of it."""

    line: int
    target: str
    outcome: RowWord
    publisher: str = ""
    feeds: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPage:
    """Some jobs, without their lists; hand `after` back for the next, None when there is none."""

    records: tuple[JobRecord, ...] = ()
    after: Place | None = None


class JobLog(Protocol):
    """Jobs of all servers, the newest thousand of them."""

    def save(self, job: JobRecord, rows: Sequence[JobRow] = ()) -> None:
        """Writes a job down in place of what was known of it, and adds rows; the oldest jobs beyond the limit are forgotten.

        The list stays as it was saved where `body` is empty, and goes when the job is done.
        """
        ...

    def find(self, job_id: str) -> JobRecord | None:
        """The job of this id."""
        ...

    def rows(self, job_id: str) -> tuple[JobRow, ...]:
        """The rows of a list whose outcome is known, by line."""
        ...

    def newest(
        self, *, publisher: str = "", after: Place | None = None, limit: int = 50
    ) -> JobPage:
        """Some jobs, the last begun first; of one publisher, or of all. `after` is the place of a page before."""
        ...
