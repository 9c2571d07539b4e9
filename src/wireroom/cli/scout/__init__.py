"""`wireroom scout`: the report card of one publisher or of many."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wireroom.cli.session import Json, Session
from wireroom.errors import SettingsError
from wireroom.ports import Command

if TYPE_CHECKING:
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
    offline: Offline = False,
) -> int:
    """What publishers offer and permit, as a report card.

    Findings are kept and believed for a day, so a list that was interrupted goes on where it stopped.
    Exit code 3: nothing was found; 4: we may not look; 5: the server shut us out; 1: of many, some failed.
    """
    from wireroom.cli.scout.errand import Errand
    from wireroom.cli.scout.scout_rows import alone, gather

    typed = urls or []
    view = _view(json=json, jsonl=jsonl, explain=explain, html=html, md=md)
    errand = Errand(session, view, refresh=refresh, offline=True if offline else None)
    if len(typed) == 1 and typed[0] != "-" and not source:
        return errand.one(alone(typed[0]))
    rows = gather(typed, source)
    if not rows:
        raise SettingsError(["URL is required."], hint="Try: wireroom scout courier.example")
    return errand.many(rows)


def _view(
    *, json: bool, jsonl: bool, explain: bool, html: Path | None, md: Path | None
) -> ScoutViewOptions:
    from wireroom.cli.scout.scout_view import ScoutViewOptions

    if json and jsonl:
        raise SettingsError(["--json and --jsonl: only one form at a time"], hint="Leave one out.")
    form: Literal["card", "json", "jsonl"] = "json" if json else "jsonl" if jsonl else "card"
    return ScoutViewOptions(form=form, explain=explain, html=html, md=md)


PLUG = Command("scout", scout, order=20)
