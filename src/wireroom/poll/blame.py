"""Whose fault it is. Pure: one vocabulary, three answers.

A feed is judged by what it did, never by what happened on our side: our network, our disk, a rule that
forbids us to ask. Such a failure moves the next attempt and nothing else.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from wireroom.errors import FetchError, GoneError, ParseError, StatusError
from wireroom.model import Problem, ProblemKind

FORBIDDEN: Final[frozenset[ProblemKind]] = frozenset({"robots", "rights", "private_address"})
"""We may not ask: the other side has done nothing wrong, and neither has the line."""

OURS: Final[frozenset[ProblemKind]] = FORBIDDEN | {"our_network", "store", "internal"}
"""What lowers nobody's standing."""

PASSING: Final[frozenset[ProblemKind]] = frozenset({"our_network", "store"})
"""What is ours, and over when our side is well again."""

UNREADABLE: Final[frozenset[ProblemKind]] = frozenset(
    {"unknown_format", "no_article", "too_complex"}
)
"""There was an answer, and nothing could be made of it."""

NOT_FOUND: Final = 404  # comes and goes with a misconfigured server; 410 and 451 are meant
MAX_MESSAGE: Final = 500  # characters of a server's or a parser's words that are kept


def is_ours(problem: Problem | None) -> bool:
    """Whether the other side is not to blame."""
    return problem is not None and problem.kind in OURS


def problem_of(error: FetchError, *, now: datetime, our_side: bool = False) -> Problem:
    """The error as a problem; with `our_side` nobody else could be reached either."""
    permanent = error.permanent and not our_side
    if isinstance(error, GoneError) and error.status == NOT_FOUND:
        permanent = False
    message = error.reason
    if isinstance(error, StatusError) and f"HTTP {error.status}" not in message:
        message = f"HTTP {error.status}: {message}"
    return Problem(
        kind="our_network" if our_side else error.kind,
        message=message[:MAX_MESSAGE],
        subject_url=error.url,
        at=now,
        retry_after=error.retry_after,
        permanent=permanent,
    )


def parse_problem(error: ParseError, *, url: str, now: datetime) -> Problem:
    """Bytes that are no feed, as a problem; another answer may well be one."""
    message = error.message[:MAX_MESSAGE]
    return Problem(kind="unknown_format", message=message, subject_url=url, at=now)
