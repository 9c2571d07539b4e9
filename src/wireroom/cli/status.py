"""`wireroom status`: what is held, whether it can be worked with, what happened last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wireroom.cli.exits import ERROR, NOTHING_FOUND, OK
from wireroom.cli.recent import (
    EVENT_COLUMNS,
    PROBLEM_COLUMNS,
    Row,
    event_rows,
    life_words,
    problem_rows,
    run_words,
)
from wireroom.cli.session import Json, Session
from wireroom.cli.streams import Streams
from wireroom.errors import terminal_words
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app import Status
    from wireroom.cli.tables import TableColumn
    from wireroom.dates.reader_clock import ReaderClock

STATE_STYLES = {"ok": "green", "paused": "yellow", "read_only": "yellow", "damaged": "bold red"}

# What a person asks for day by day, in this order; -v shows whatever is counted.
ASKED_FOR = {
    "publishers": "publishers",
    "feeds": "feeds",
    "articles": "articles",
    "article_versions": "edits",
    "clusters": "clusters",
    "raw_pages": "raw pages",
}
ALWAYS_SHOWN = ("publishers", "feeds", "articles")
NAMED = 5  # publishers in a line; `doctor` says what to do about them
LAST_SHOWN = 5  # lines of events, and of problems: a day of a person; --json has more

Prometheus = Annotated[
    bool, typer.Option("--prometheus", help="Counts as text for Prometheus on stdout.")
]


Alive = Annotated[
    bool,
    typer.Option(
        "--alive",
        help="Only whether a run of this machine or container is at work: exit code 0, else 3.",
    ),
]


def status(
    session: Session, json: Json = False, prometheus: Prometheus = False, alive: Alive = False
) -> int:
    """What is held, and how things stand.

    Exit code 1 when the database cannot be worked with, 3 when there is none yet. --alive is for the health checks of
    containers: 3 means that there is no run here or that it hangs, 1 that nobody could look.
    """
    if not session.has_database():
        if json:
            session.streams.json({"database": session.database_name(), "state": "absent"})
        session.show_nothing_held()
        return NOTHING_FOUND
    if alive:
        return _show_alive(session, json=json)
    with session.app() as app:
        found = app.status()
    if prometheus:
        from wireroom.cli.run.metrics import store_text

        session.streams.text(store_text(found.counts, found.feeds))
    elif json:
        session.streams.json({"database": session.database_name(), **status_data(found)})
    else:
        show_status(found, session.database_name(), session.streams, session.reader_clock())
    return OK if found.health.state == "ok" else ERROR


def _show_alive(session: Session, *, json: bool) -> int:
    """Says which runs are here; what is held is not counted, for this is asked every minute."""
    from wireroom.app.waiting import RunLife, local_runs

    with session.app() as app:
        runs, now = local_runs(app), app.clock()
    is_alive = any(run.life is RunLife.AT_WORK for run in runs)
    if json:
        session.streams.json({"alive": is_alive, "runs": [asdict(run) for run in runs]})
    else:
        clock = session.reader_clock()
        rows = [("run", life_words(run, now, clock)) for run in runs]
        session.streams.table(rows or [("run", "none under way here")])
    return OK if is_alive else NOTHING_FOUND


def status_data(found: Status) -> dict[str, Any]:
    """The status as plain data."""
    return {
        "state": found.health.state,
        "message": terminal_words(found.health.message),
        "counts": dict(found.counts),
        "feeds": dict(found.feeds),
        "feed_health": dict(found.feed_health),
        "warnings": [asdict(warning) for warning in found.warnings],
        "runs": [asdict(run) for run in found.runs],
        "last_run": asdict(found.last_run) if found.last_run else None,
        "last_poll_at": found.last_poll_at,
        "events": [asdict(event) for event in found.events],
        "problems": [asdict(problem) for problem in found.problems],
        "at": found.at,
    }


def show_status(
    found: Status, database: str, streams: Streams, clock: ReaderClock, *, indent: int = 0
) -> None:
    """Shows the status to a person: what is held, what happened, what went wrong."""
    names = _all_names(found) if streams.verbosity > 0 else ASKED_FOR
    streams.table(
        [
            ("database", database),
            ("state", found.health.state),
            *([("", terminal_words(found.health.message))] if found.health.message else []),
            *((names[kind], _count(found, kind)) for kind in _worth_showing(found, names)),
            *(("run", life_words(run, found.at, clock)) for run in found.runs),
            *([] if found.runs else [("run", _idle(found))]),
            *([("last run", run_words(found.last_run, found.at))] if found.last_run else []),
            *_warnings(found),
        ],
        styles=STATE_STYLES,
        indent=indent,
    )
    events, problems = event_rows(found.events, found.at), problem_rows(found.problems, found.at)
    _show_last("Last events", events, EVENT_COLUMNS, streams, indent=indent)
    _show_last("Last problems", problems, PROBLEM_COLUMNS, streams, indent=indent)


def _warnings(found: Status) -> Iterator[tuple[str, str]]:
    """Scouts that somebody should look at."""
    for warning in found.warnings:
        names = warning.publishers
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        yield "scouting", f"{warning.words}: {', '.join(names[:NAMED])}{more}"


def _idle(found: Status) -> str:
    """That no run is under way; where every feed is paused, none would do anything."""
    if found.feeds and found.feeds.keys() <= {"paused"}:
        return "none under way, and every feed is paused: wireroom resume"
    return "none under way: wireroom run"


def _all_names(found: Status) -> dict[str, str]:
    return {kind: kind.replace("_", " ") for kind in found.counts}


def _worth_showing(found: Status, names: Iterable[str]) -> list[str]:
    return [kind for kind in names if found.counts.get(kind) or kind in ALWAYS_SHOWN]


def _count(found: Status, kind: str) -> str:
    count = f"{found.counts[kind]:,}"
    if kind != "feeds" or not found.feed_health:
        return count
    states = ", ".join(f"{number:,} {state}" for state, number in sorted(found.feed_health.items()))
    return f"{count} ({states})"


def _show_last(
    title: str,
    rows: Iterator[Row],
    columns: Sequence[TableColumn],
    streams: Streams,
    *,
    indent: int,
) -> None:
    shown = list(islice(rows, LAST_SHOWN))
    if shown:
        streams.line()
        streams.line(title, style="bold", indent=indent)
        streams.fitted_table(shown, columns=columns, indent=indent + 2)


PLUG = Command("status", status, order=60)
