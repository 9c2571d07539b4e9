"""`wireroom add`: follow publishers, feeds, sitemaps, JSON APIs, or all that a list names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from wireroom.cli.option_flags import takes_options
from wireroom.cli.session import Json, ScoutTime, Session
from wireroom.errors import SettingsError
from wireroom.model import FeedKind
from wireroom.ports import Command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wireroom.app import App
    from wireroom.app.listed_feeds import AddRow
    from wireroom.cli.add.add_view import AddView, Form

Targets = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TARGET|FILE.opml|FILE.csv|-...",
        help="Publishers, feeds, sitemaps, APIs; or lists of them, - on stdin.",
    ),
]
Publisher = Annotated[
    str, typer.Option("--publisher", metavar="DOMAIN", help="Whose feed it is, if not its host's.")
]
Kind = Annotated[FeedKind | None, typer.Option("--kind", help="What it is, where you know better.")]
NoScout = Annotated[
    bool, typer.Option("--no-scout", help="Ask nobody: feeds alone, as you call them.")
]
OwnList = Annotated[
    bool, typer.Option("--own-list", help="Proxies and mirrors of an OPML file as well.")
]
Jsonl = Annotated[bool, typer.Option("--jsonl", help="One JSON object a line, as they are ready.")]


@takes_options()
def add(
    session: Session,
    texts: Mapping[str, str],
    targets: Targets = None,
    publisher: Publisher = "",
    kind: Kind = None,
    no_scout: NoScout = False,
    own_list: OwnList = False,
    json: Json = False,
    jsonl: Jsonl = False,
    time: ScoutTime = "",
) -> int:
    """Follow publishers and feeds from now on.

    A publisher is scouted first, and the best of its feeds are taken; a feed that is named is taken itself.
    A CSV has the columns of [[feeds]] in the settings file, of which only url must be there.
    Options that may be repeated: --metadata-selector, --field-map, --mirror.
    Exit code 3: nothing to follow was found; 4: rights or robots.txt forbid it; 5: the server shut us
    out; 1: of many, some failed.
    """
    from wireroom.cli.add.add_rows import gather
    from wireroom.cli.add.add_view import FEW, AddView

    session = session.given("--time", "scout.add_time", time)
    if json and jsonl:
        raise SettingsError(["--json and --jsonl: only one form at a time"], hint="Leave one out.")
    beside = {name: text for name, text in {"publisher": publisher, "kind": kind}.items() if text}
    gathered = gather(targets or [], {**texts, **beside}, own_list=own_list)
    form: Form = "json" if json else "jsonl" if jsonl else "text"
    typed = len(gathered.rows) == len(targets or []) <= FEW
    shown = AddView(session.streams, form, many=gathered.many, typed=typed)
    for note in gathered.notes:
        session.streams.note(note)
    try:
        with session.app() as app:
            add_rows = _add_many if gathered.many else _add_one
            add_rows(session, app, gathered.rows, shown, scout=not no_scout)
    finally:
        shown.end()
    return shown.code


def _add_one(
    session: Session, app: App, rows: Sequence[AddRow], shown: AddView, *, scout: bool
) -> None:
    """One row, its publisher's steps shown while they run; what is wrong with it is an error."""
    from wireroom.app.add import add_many
    from wireroom.app.scout import read_address
    from wireroom.cli.add.add_view import outcome_of
    from wireroom.cli.batch import all_results
    from wireroom.cli.scout.scout_view import Steps, note_scout

    (row,) = rows
    if row.request is None:
        raise SettingsError([row.reason], hint="See: wireroom add --help")
    if scout:
        note_scout(session, app, read_address(row.target))
    with session.streams.live() as show:
        steps = Steps(session.streams, show)
        results = add_many(app, [(row.target, row.request)], scout=scout, progress=steps.add)
        (result,) = all_results(results)
    shown.add(outcome_of(row, result))


def _add_many(
    session: Session, app: App, rows: Sequence[AddRow], shown: AddView, *, scout: bool
) -> None:
    """Rows side by side; one that fails stops no other, and those that make no sense come last."""
    from wireroom.app.add import add_many
    from wireroom.cli.add.add_view import left_out, outcome_of
    from wireroom.cli.batch import show_results

    wanted = [row for row in rows if row.request is not None]
    targets = [(row.target, row.request) for row in rows if row.request is not None]
    try:
        show_results(
            session.streams,
            "Adding",
            add_many(app, targets, scout=scout),
            lambda result: shown.add(outcome_of(wanted[result.place], result)),
            total=len(wanted),
        )
    finally:
        for row in rows:
            if row.request is None:
                shown.add(left_out(row))


PLUG = Command("add", add, order=30)
