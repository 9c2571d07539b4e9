"""What happened: problems and events, each a log that never grows past its limit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from secrets import token_hex
from typing import Any

from sqlalchemy import Connection, Select, bindparam, delete, func, literal, select, union_all

from wireroom.model import Event, Problem, ProblemKind
from wireroom.store import schema
from wireroom.store.counters_table import next_numbers
from wireroom.store.feeds_table import former_addresses
from wireroom.store.packing import (
    as_document,
    as_micros,
    bounded_key,
    from_document,
    from_micros,
    from_span,
    maybe_span,
)
from wireroom.store.rows import add_missing, chunks

KEPT_EVENTS = 100_000  # days of a busy app; whoever watches is at most minutes behind
KEPT_PROBLEMS = 100_000  # one host that fails every second fills it in a day, and no further

_EVENT_SEQ = "event"
_problem, _event, _lead, _former = schema.problem, schema.event, schema.lead, schema.feed_former

_NEWEST_PROBLEM = select(func.max(_problem.c.id))
_FORGET_PROBLEMS = delete(_problem).where(_problem.c.id <= bindparam("last"))
_SAVED = select(_event.c.seq).where(_event.c.token == bindparam("of_token"))
_ADD_EVENTS = _event.insert()
_FORGET_EVENTS = delete(_event).where(_event.c.seq <= bindparam("last"))


def new_token() -> str:
    """What marks one batch, so that saving it again after a lost connection adds nothing."""
    return token_hex(12)


def add_problems(conn: Connection, problems: Sequence[Problem], *, token: str) -> None:
    """Adds problems to the log and forgets the oldest beyond the limit."""
    rows = [
        {
            "token": f"{token}-{place}",
            "kind": problem.kind,
            "message": problem.message,
            "subject_url": problem.subject_url,
            "subject_key": bounded_key(problem.subject_url),
            "at": as_micros(problem.at),
            "retry_after": maybe_span(problem.retry_after),
            "permanent": problem.permanent,
        }
        for place, problem in enumerate(problems)
    ]
    add_missing(conn, _problem, rows, keys=["token"])
    newest = conn.execute(_NEWEST_PROBLEM).scalar() or 0
    conn.execute(_FORGET_PROBLEMS, {"last": newest - KEPT_PROBLEMS})


def newest_problems(
    conn: Connection, *, subject_url: str, feed_url: str, limit: int
) -> tuple[Problem, ...]:
    """Problems, newest first; of all, of one address, or of a feed."""
    if feed_url:
        return _feed_problems(conn, feed_url, limit=limit)
    query = select(_problem).order_by(_problem.c.at.desc(), _problem.c.id.desc()).limit(limit)
    if subject_url:
        query = query.where(_problem.c.subject_key == bounded_key(subject_url))
    return _as_problems(conn, query)


def count_problems(conn: Connection, *, since: datetime) -> dict[ProblemKind, int]:
    """How many there were of each kind."""
    query = select(_problem.c.kind, func.count()).where(_problem.c.at >= as_micros(since))
    return dict(conn.execute(query.group_by(_problem.c.kind)).all())


def _feed_problems(conn: Connection, url: str, *, limit: int) -> tuple[Problem, ...]:
    """Problems of a feed and of the pages it led to, from its former addresses too, newest first.

    Subjects are compared whole: leads hold no key like that of a problem, which is cut where an
    address is long. This looks through the whole log, some 0.2 s when it is full.
    """
    addresses = [url, *former_addresses(conn, [url])]
    subjects = union_all(
        select(_lead.c.url).where(_lead.c.feed_url.in_(addresses)),
        select(_former.c.url).where(_former.c.url.in_(addresses)),
        select(literal(url)),
    )
    found = select(_problem).where(_problem.c.subject_url.in_(subjects)).cte("found")
    # Else PostgreSQL, where it has not counted its rows yet, goes newest first through the log and
    # for each problem through all pages: minutes for a hundred thousand of both.
    found = found.prefix_with("MATERIALIZED", dialect="postgresql")
    query = select(found).order_by(found.c.at.desc(), found.c.id.desc()).limit(limit)
    return _as_problems(conn, query)


def _as_problems(conn: Connection, query: Select[Any]) -> tuple[Problem, ...]:
    return tuple(
        Problem(
            kind=row["kind"],
            message=row["message"],
            subject_url=row["subject_url"],
            at=from_micros(row["at"]),
            retry_after=None if row["retry_after"] is None else from_span(row["retry_after"]),
            permanent=row["permanent"],
        )
        for row in conn.execute(query).mappings()
    )


def add_events(conn: Connection, events: Sequence[Event], *, token: str) -> int:
    """Adds events in order; the number given to the last, zero when nothing was ever emitted."""
    first = next_numbers(conn, _EVENT_SEQ, len(events))
    of_last = {"of_token": f"{token}-{len(events) - 1}"}
    if events and (seq := conn.execute(_SAVED, of_last).scalar()) is not None:
        return int(seq)
    rows = [
        {
            "seq": first + place,
            "token": f"{token}-{place}",
            "kind": event.kind,
            "subject": event.subject,
            "at": as_micros(event.at),
            "data": as_document(event.data),
        }
        for place, event in enumerate(events)
    ]
    for part in chunks(rows):
        conn.execute(_ADD_EVENTS, part)
    last = first + len(events) - 1
    conn.execute(_FORGET_EVENTS, {"last": last - KEPT_EVENTS})
    return last


def events_after(conn: Connection, *, after: int, limit: int) -> tuple[Event, ...]:
    """Events numbered higher than `after`, in order."""
    query = select(_event).where(_event.c.seq > after).order_by(_event.c.seq).limit(limit)
    return _as_events(conn, query)


def last_event(conn: Connection) -> int:
    """The highest number, from the end of an index."""
    return conn.execute(select(func.max(_event.c.seq))).scalar() or 0


def newest_events(conn: Connection, *, kind: str, limit: int) -> tuple[Event, ...]:
    """The last events of a kind, newest first; goes through the log from its end."""
    query = select(_event).where(_event.c.kind == kind).order_by(_event.c.seq.desc()).limit(limit)
    return _as_events(conn, query)


def _as_events(conn: Connection, query: Select[Any]) -> tuple[Event, ...]:
    return tuple(
        Event(
            kind=row["kind"],
            subject=row["subject"],
            at=from_micros(row["at"]),
            data=from_document(row["data"], dict),
            seq=row["seq"],
        )
        for row in conn.execute(query).mappings()
    )
