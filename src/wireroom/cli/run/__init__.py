"""`wireroom run`: asks what is due, fetches, extracts, clusters and saves it; once, or day after day."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from wireroom.cli.exits import NOTHING_FOUND
from wireroom.cli.session import Json, Session
from wireroom.display_text import counted
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app import App
    from wireroom.settings import Settings

Once = Annotated[
    bool, typer.Option("--once", help="End when nothing is due any more, instead of waiting.")
]
EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="How reading is spread over processes: {engines}; else as run.engine says.",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        min=0,
        help="Processes that read; 0: one a core; else as run.workers says.",
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        "--address",
        metavar="HOST:PORT",
        help="The Ray cluster to join, for the engine ray; else as run.address says, or one started here.",
    ),
]
ReadersOption = Annotated[
    int | None,
    typer.Option(
        "--readers",
        metavar="N",
        min=1,
        help="Readers on each node of a Ray cluster; else as run.readers says.",
    ),
]
Metrics = Annotated[
    str,
    typer.Option(
        "--metrics",
        metavar="HOST:PORT",
        help="Serve counts for Prometheus under /metrics, on a loopback address.",
    ),
]


def run(
    session: Session,
    once: Once = False,
    engine: EngineName = None,
    workers: Workers = None,
    address: Address = None,
    readers: ReadersOption = None,
    metrics: Metrics = "",
    json: Json = False,
) -> int:
    """Poll what is due, and read and keep what is new.

    Without --once it goes on until it is told to stop: SIGTERM and Ctrl-C let what is in flight end, give the
    rest back and leave within 10 seconds. A new database begins with the feeds of wireroom.toml. Exit code 3
    when nothing is followed.
    """
    from wireroom.app.engines import check_address, check_engine
    from wireroom.app.sync import feeds_not_followed, follows_anything
    from wireroom.cli.run.metrics import read_place
    from wireroom.cli.run.run_view import LiveRun

    flags = {"engine": engine, "workers": workers, "address": address, "readers": readers}
    settings = _settings(session, flags)
    check_engine(settings)  # a wrong name is an error before anything is opened
    check_address(settings, address)
    place = read_place(metrics) if metrics else None
    if not (settings.feeds or session.has_database()):
        session.streams.note(_what_to_do(session))
        return NOTHING_FOUND
    with session.app() as app:
        if not (follows_anything(app) or _seeded(session, app)):
            session.streams.note(_what_to_do(session))
            return NOTHING_FOUND
        if left := feeds_not_followed(app):
            are = "is" if left == 1 else "are"
            session.streams.note(
                f"{counted(left, 'feed')} of wireroom.toml {are} not followed. Take them in with: wireroom sync"
            )
        live = LiveRun(session, app, settings, metrics=place)
        return live.run(once=once, json=json)


def _settings(session: Session, flags: Mapping[str, object]) -> Settings:
    """Those of the session, with what the flags say instead."""
    settings = session.load().settings
    given = {name: value for name, value in flags.items() if value is not None}
    return settings.model_copy(update={"run": settings.run.model_copy(update=given)})


def _seeded(session: Session, app: App) -> bool:
    """Whether the feeds of the settings file were taken into a new database."""
    from wireroom.app.sync import seed_feeds

    count = seed_feeds(app)
    if count:
        session.streams.note(
            f"Following {counted(count, 'feed')} of wireroom.toml."
            " Later changes of the file come in with: wireroom sync"
        )
    return bool(count)


def _what_to_do(session: Session) -> str:
    if session.load().settings.feeds:
        return "Nothing is followed any more. Follow the feeds of wireroom.toml with: wireroom sync"
    return "Nothing is followed yet. Try: wireroom add courier.example"


PLUG = Command("run", run, order=31)
