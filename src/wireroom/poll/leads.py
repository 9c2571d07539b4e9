"""What becomes of a lead after it was worked on: read, tried again, refused or failed.

Pure. What is permanent is not tried again; what is not is tried three times, each time after a longer wait,
and then set aside with its reason until somebody asks for it. A fault of ours costs a lead nothing.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from wireroom.errors import FetchError
from wireroom.model import (
    Article,
    Hints,
    Lead,
    LeadCause,
    LeadState,
    Problem,
    ProblemKind,
    Reading,
    Signature,
)
from wireroom.poll.blame import FORBIDDEN, MAX_MESSAGE, OURS, UNREADABLE, problem_of
from wireroom.poll.completeness import is_complete
from wireroom.poll.reliability import marks_of_reading
from wireroom.poll.schedule import RETRY_LEAST, RETRY_MOST, spread
from wireroom.urls import identity_key, same_page

MAX_ATTEMPTS: Final = 3  # then a page that fails is set aside
MAX_THROTTLED: Final = 8  # a server that asks us to wait has said nothing about the page
FIRST_WAIT: Final = timedelta(minutes=1)  # doubled with every further attempt
UNREAD_WAIT: Final = timedelta(minutes=10)  # a page without an article may still be being written
LONGEST_WAIT: Final = timedelta(hours=24)
OUR_WAIT: Final = timedelta(minutes=1)  # when it was us

_NOT_COUNTED: Final[frozenset[ProblemKind]] = frozenset({"our_network", "store"})


def wants_fetch(lead: Lead, hints: Hints | None = None) -> bool:
    """Whether the page has to be fetched: not when the feed's item holds the whole article.

    Selectors are about pages: an operator who gives some wants the page, whatever the feed holds. So does
    whoever asks for a page anew.
    """
    if hints is not None and (hints.body_selector or hints.metadata_selectors):
        return True
    if lead.cause is LeadCause.ASKED_ANEW or lead.attempts:
        return True
    return lead.item is None or not is_complete(lead.item)


def refuse_bad_url(lead: Lead, now: datetime) -> Reading | None:
    """The failed reading of a lead whose address is none; None for one that can be asked."""
    try:
        identity_key(lead.url)
    except ValueError as exc:
        message = f"no address that could be asked: {exc}"
        problem = Problem(
            kind="bad_response", message=message, subject_url=lead.url, at=now, permanent=True
        )
        bad = replace(lead, cause=LeadCause.BAD_ADDRESS, reason=message)
        return _ended(bad, "failed", problem, now)
    return None


def after_article(
    lead: Lead,
    article: Article,
    now: datetime,
    *,
    signature: Signature | None = None,
    blocks: tuple[str, ...] = (),
) -> Reading:
    """The reading of a lead that gave an article."""
    done = replace(lead, state="read", cause=LeadCause.NONE, reason="", read_after=None)
    return Reading(
        lead=done,
        article=article,
        signature=signature,
        blocks=blocks,
        observations=marks_of_reading(done, now, article=article),
    )


def after_error(
    lead: Lead,
    error: FetchError | Problem,
    now: datetime,
    jitter: float,
    *,
    our_side: bool = False,
) -> Reading:
    """The reading of a lead whose page could not be had.

    With `our_side` the caller says that nobody can be reached: the attempt does not count.
    """
    problem = error if isinstance(error, Problem) else _problem(lead, error, now, our_side=our_side)
    if problem.kind in _NOT_COUNTED:
        return _again(lead, problem, now, OUR_WAIT, jitter)
    if problem.kind in FORBIDDEN:
        return _ended(_caused(lead, problem), "refused", problem, now)
    if problem.kind == "gone":
        return _gone(_counted(lead), problem, now)
    limit = MAX_THROTTLED if problem.kind == "throttled" else MAX_ATTEMPTS
    return _counted_again(lead, problem, now, jitter, first=FIRST_WAIT, limit=limit)


def withdraw(reading: Reading, held: Article | None) -> Reading:
    """The reading with the article that was read from its page before, when the publisher took that back."""
    if reading.lead.cause is not LeadCause.WITHDRAWN or held is None or held.state == "withdrawn":
        return reading
    return replace(reading, article=replace(held, state="withdrawn"))


def after_unread(lead: Lead, problem: Problem, now: datetime, jitter: float) -> Reading:
    """The reading of a lead whose page was fetched and gave no article.

    A page that is nothing we know stays so. One without an article is looked at again: servers say
    "back in a minute" with status 200, and editors publish before they write.
    """
    if problem.kind == "no_article":
        problem = replace(problem, permanent=False)
        return _counted_again(lead, problem, now, jitter, first=UNREAD_WAIT, limit=MAX_ATTEMPTS)
    return _counted_again(lead, problem, now, jitter, first=FIRST_WAIT, limit=MAX_ATTEMPTS)


def _problem(lead: Lead, error: FetchError, now: datetime, *, our_side: bool) -> Problem:
    """A problem of the lead, under the lead's own address; where redirects had led is named."""
    problem = problem_of(error, now=now, our_side=our_side)
    elsewhere = "" if same_page(problem.subject_url, lead.url) else f" (at {problem.subject_url})"
    message = f"{problem.message}{elsewhere}"[:MAX_MESSAGE]
    return replace(problem, message=message, subject_url=lead.url)


# --- one step ------------------------------------------------------------------------------------


def _counted(lead: Lead) -> Lead:
    return replace(lead, attempts=lead.attempts + 1)


def _gone(lead: Lead, problem: Problem, now: datetime) -> Reading:
    """404 may be a slip and deletes nothing; 410 and 451 are meant."""
    cause = LeadCause.WITHDRAWN if problem.permanent else LeadCause.GONE
    gone = replace(lead, cause=cause, reason=f"{cause}: {problem.message}")
    return _ended(gone, "failed", problem, now)


def _counted_again(
    lead: Lead, problem: Problem, now: datetime, jitter: float, *, first: timedelta, limit: int
) -> Reading:
    """One attempt more: the next one after a longer wait, or the end of it."""
    lead = _counted(lead)
    if problem.permanent or lead.attempts >= limit:
        return _ended(_caused(lead, problem), "failed", problem, now)
    wait = first * (1 << min(lead.attempts - 1, 16))
    return _again(lead, problem, now, min(wait, LONGEST_WAIT), jitter)


def _again(lead: Lead, problem: Problem, now: datetime, wait: timedelta, jitter: float) -> Reading:
    wait = spread(wait, jitter)
    if problem.retry_after is not None:
        wait = max(wait, min(max(problem.retry_after, RETRY_LEAST), RETRY_MOST))
    waiting = replace(_caused(lead, problem), state="retry", read_after=now + wait)
    return Reading(lead=waiting, problem=problem)


def _caused(lead: Lead, problem: Problem) -> Lead:
    return replace(lead, cause=_cause(problem), reason=f"{problem.kind}: {problem.message}")


def _cause(problem: Problem) -> LeadCause:
    if problem.kind in FORBIDDEN:
        return LeadCause(problem.kind)
    if problem.kind in OURS:
        return LeadCause.OUR_FAULT
    return LeadCause.UNREADABLE if problem.kind in UNREADABLE else LeadCause.NOT_FETCHED


def _ended(lead: Lead, state: LeadState, problem: Problem, now: datetime) -> Reading:
    done = replace(lead, state=state, read_after=None)
    return Reading(
        lead=done, problem=problem, observations=marks_of_reading(done, now, problem=problem)
    )
