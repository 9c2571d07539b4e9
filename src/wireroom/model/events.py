"""What happened: problems, and events for those who watch."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from wireroom.model.literals import Facts, ProblemKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something that went wrong, in a fixed vocabulary, and when to try again."""

    kind: ProblemKind
    message: str
    subject_url: str = ""
    at: datetime
    retry_after: timedelta | None = None
    permanent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened, for those who watch; `seq` is given by the store."""

    kind: str
    subject: str
    at: datetime
    data: Facts = field(default_factory=dict)
    seq: int = 0
