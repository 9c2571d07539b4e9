"""`wireroom scout`: the report card of one publisher or of many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wireroom.cli.session import Json, ScoutTime, Session
from wireroom.errors import SettingsError
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.cli.scout.scout_rows import ScoutRow
    from wireroom.cli.scout.scout_view import ScoutViewOptions

Urls = Annotated[
    list[str] | None,
    typer.Argument(metavar="URL...", help="Publishers, or pages of theirs; - reads a list."),
]
Input = Annotated[
    str,
    typer.Option(
        "--input", "-i", metavar="FILE", help="A list, or a CSV with a column URL; - is stdin."
    ),
]
Jsonl = Annotated[bool, typer.Option("--jsonl", help="One JSON object a line, as they are ready.")]
Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="The card as a page; of many, a folder of them."),
]
Markdown = Annotated[
    Path | None,
    typer.Option("--md", metavar="FILE", help="The card as Markdown; of many, a folder of them."),
]
Refresh = Annotated[bool, typer.Option("--refresh", help="Ask again whatever is known.")]
Explain = Annotated[bool, typer.Option("--explain", help="Show the evidence of every line.")]
FewLines = Annotated[
    bool, typer.Option("--brief", help="A few lines: the grade, the uses, what to do next.")
]
Offline = Annotated[
    bool, typer.Option("--offline", help="Ask publishers alone, no third party about them.")
]


def scout(
    session: Session,
    urls: Urls = None,
    source: Input = "",
    json: Json = False,
    jsonl: Jsonl = False,
    html: Html = None,
    md: Markdown = None,
    refresh: Refresh = False,
    explain: Explain = False,
    few_lines: FewLines = False,
    offline: Offline = False,
    time: ScoutTime = "",
) -> int:
    """What publishers offer and permit, as a report card.

    Findings are kept and believed for a day, so a list that was interrupted goes on where it stopped.
    Exit code 3: nothing was found; 4: robots.txt or policy forbids it; 5: the server blocks us; 1: of many, some failed.
    """
    from wireroom.cli.scout.scout_rows import gather

    session = session.given("--time", "scout.time", time)
    typed = urls or []
    view = _view(json=json, jsonl=jsonl, few_lines=few_lines, explain=explain, html=html, md=md)
    how = _ScoutOptions(refresh=refresh, offline=True if offline else None)
    if len(typed) == 1 and typed[0] != "-" and not source:
        return _scout_one(session, typed[0], view, how)
    rows = gather(typed, source)
    if not rows:
        raise SettingsError(["URL is required."], hint="Try: wireroom scout courier.example")
    return _scout_many(session, rows, view, how)


@dataclass(frozen=True, slots=True)
class _ScoutOptions:
    refresh: bool
    offline: bool | None


def _scout_one(session: Session, text: str, view: ScoutViewOptions, how: _ScoutOptions) -> int:
    """Scouts one publisher and shows the steps; FetchError when nobody is there."""
    from wireroom.app.scout import read_address, report_card
    from wireroom.cli.scout.scout_view import ScoutView, show_scout

    address = read_address(text)
    with session.app() as app:
        dossier = show_scout(session, app, address, refresh=how.refresh, offline=how.offline)
        card = report_card(app, dossier)
    return ScoutView(session, view, many=False).show_card(card)


def _scout_many(
    session: Session, rows: Sequence[ScoutRow], view: ScoutViewOptions, how: _ScoutOptions
) -> int:
    """Scouts all of them at once; rows that make no sense are shown first."""
    from wireroom.app.scout import scout_many
    from wireroom.cli.batch import show_results
    from wireroom.cli.scout.scout_rows import outcome_of, set_aside
    from wireroom.cli.scout.scout_view import ScoutView

    shown = ScoutView(session, view, many=True)
    shown.announce(rows)
    queued = {row.address: row for row in rows if row.address and row.outcome == "queued"}
    try:
        for row in rows:
            if row.outcome != "queued":
                shown.add(set_aside(row))
        with session.app() as app:
            results = scout_many(app, queued, refresh=how.refresh, offline=how.offline)
            show_results(
                session.streams,
                "Scouting",
                results,
                lambda result: shown.add(outcome_of(queued[result.address], result)),
                total=len(queued),
            )
    finally:
        shown.end()
    return shown.code


def _view(
    *, json: bool, jsonl: bool, few_lines: bool, explain: bool, html: Path | None, md: Path | None
) -> ScoutViewOptions:
    from wireroom.cli.scout.scout_view import ScoutViewOptions

    forms: dict[Literal["brief", "json", "jsonl"], bool]
    forms = {"json": json, "jsonl": jsonl, "brief": few_lines}
    given = [form for form, is_given in forms.items() if is_given]
    names = [f"--{form}" for form in given] + (["--explain"] if few_lines and explain else [])
    if len(names) > 1:
        both = " and ".join(names)
        raise SettingsError([f"{both}: only one form at a time"], hint="Leave one out.")
    form: Literal["card", "brief", "json", "jsonl"] = given[0] if given else "card"
    return ScoutViewOptions(form=form, explain=explain, html=html, md=md)


PLUG = Command("scout", scout, order=20)
