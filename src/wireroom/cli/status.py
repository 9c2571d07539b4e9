"""`wireroom status`: what is held, whether it can be worked with, what happened last."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wireroom.cli.exits import ERROR, NOTHING_FOUND, OK
from wireroom.cli.session import Json, Session
from wireroom.cli.streams import Streams
from wireroom.ports import Verb

if TYPE_CHECKING:
    from wireroom.desk import Status

__all__ = ["PLUG", "ago", "show_status", "status_data"]

STATE_STYLES = {"ok": "green", "paused": "yellow", "read_only": "yellow", "damaged": "bold red"}

ALWAYS_SHOWN = ("publishers", "feeds", "items", "leads", "articles")
_UNITS = (
    (timedelta(days=1), "d"),
    (timedelta(hours=1), "h"),
    (timedelta(minutes=1), "min"),
)


Prometheus = Annotated[
    bool, typer.Option("--prometheus", help="Counts as text for Prometheus on stdout.")
]


def status(session: Session, json: Json = False, prometheus: Prometheus = False) -> int:
    """What is held, and how things stand.

    Exit code 1 when the database cannot be worked with, 3 when there is none yet.
    """
    if not session.has_database():
        if json:
            session.streams.json({"database": session.database_name(), "state": "absent"})
        session.streams.note(
            f"Nothing is held yet: there is no {session.database_name()}."
            " Write feeds into wireroom.toml and run: wireroom sync"
        )
        return NOTHING_FOUND
    with session.desk() as desk:
        found = desk.status()
    if prometheus:
        from wireroom.cli.run.metrics import store_text

        session.streams.text(store_text(found.counts, found.feeds))
    elif json:
        session.streams.json({"database": session.database_name(), **status_data(found)})
    else:
        show_status(found, session.database_name(), session.streams)
    return OK if found.health.state == "ok" else ERROR


def status_data(found: Status) -> dict[str, Any]:
    """The status as plain data."""
    return {
        "state": found.health.state,
        "message": found.health.message,
        "counts": dict(found.counts),
        "feeds": dict(found.feeds),
        "events": [asdict(event) for event in found.events],
        "problems": [asdict(problem) for problem in found.problems],
        "at": found.at,
    }


def show_status(
    found: Status, database: str, streams: Streams, *, indent: int = 0, events: int = 10
) -> None:
    """Shows the status to a person, with at most so many events."""
    streams.table(
        [
            ("database", database),
            ("state", found.health.state),
            *([("", found.health.message)] if found.health.message else []),
            *((noun.replace("_", " "), _count(found, noun)) for noun in _worth_showing(found)),
        ],
        styles=STATE_STYLES,
        indent=indent,
    )
    _show_events(found, streams, indent=indent, limit=events)
    _show_problems(found, streams, indent=indent)


def _worth_showing(found: Status) -> list[str]:
    return [noun for noun, count in found.counts.items() if count or noun in ALWAYS_SHOWN]


def _count(found: Status, noun: str) -> str:
    count = f"{found.counts[noun]:,}"
    if noun != "feeds" or not found.feeds:
        return count
    states = ", ".join(f"{number:,} {state}" for state, number in sorted(found.feeds.items()))
    return f"{count} ({states})"


def _show_events(found: Status, streams: Streams, *, indent: int, limit: int) -> None:
    if not found.events:
        return
    streams.line()
    streams.line("Last events", style="bold", indent=indent)
    rows = [(ago(found.at - event.at), event.kind, event.subject) for event in found.events[:limit]]
    streams.table(rows, indent=indent + 2)


def _show_problems(found: Status, streams: Streams, *, indent: int) -> None:
    streams.line()
    if not found.problems:
        streams.line("No problems.", indent=indent)
        return
    streams.line("Last problems", style="bold", indent=indent)
    rows = [
        (ago(found.at - problem.at), problem.kind, problem.subject_url, problem.message)
        for problem in found.problems
    ]
    streams.table(rows, indent=indent + 2)


def ago(passed: timedelta) -> str:
    """How long ago, in one word and a number; what lies ahead (a clock was set) is "now"."""
    for unit, word in _UNITS:
        if passed >= unit:
            return f"{passed // unit} {word} ago"
    seconds = max(0, round(passed.total_seconds()))
    return f"{seconds} s ago" if seconds else "now"


PLUG = Verb("status", status, order=60)
