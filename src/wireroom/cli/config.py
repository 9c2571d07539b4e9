"""`wireroom config`: the settings, where each comes from, and the schema for editors."""

from __future__ import annotations

import json as as_json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.session import Json, Session
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.settings import Row

app = typer.Typer()


Everything = Annotated[bool, typer.Option("--all", help="The defaults of each feed as well.")]


@app.command()
def show(session: Session, everything: Everything = False, json: Json = False) -> int:
    """Shows each setting, its value and its origin.

    Secrets are hidden. What a feed leaves at its default is left out; --all and --json show it.
    """
    loaded = session.load()
    rows = loaded.rows()
    if json:
        session.streams.json({"file": loaded.file, "settings": [asdict(row) for row in rows]})
        return OK
    if not everything:
        rows = [row for row in rows if not _is_default_of_feed(row)]
    session.streams.table(
        [(row.path, as_json.dumps(row.value, ensure_ascii=False), row.origin) for row in rows],
        columns=("setting", "value", "comes from"),
        styles={"default": "dim"},
    )
    return OK


def _is_default_of_feed(row: Row) -> bool:
    return row.path.startswith("feeds[") and row.origin == "default"


@app.command()
def schema(session: Session) -> int:
    """Prints the JSON Schema of wireroom.toml, for editors."""
    from wireroom.settings import json_schema

    session.streams.text(as_json.dumps(json_schema(), ensure_ascii=False, indent=2))
    return OK


@app.command()
def path(session: Session, json: Json = False) -> int:
    """Prints which settings file is in use.

    One that is broken as well: whoever is to mend it has to find it. Exit code 3 when there is none.
    """
    from wireroom.settings.setting_sources import find_file

    file, named_by = find_file(session.choices.config or None)
    if file not in {"", "-"} and not Path(file).exists():
        session.load()  # says that it cannot be read, and what to do
    if json:
        session.streams.json({"file": file, "named_by": named_by})
    elif file:
        session.streams.line(file)
    else:
        session.streams.note("No settings file: the defaults hold. Write a wireroom.toml here.")
    return OK if file else NOTHING_FOUND


PLUG = Command(
    "config", app, help="The settings: what they are and where they come from.", order=63
)
