"""Writes docs/reference from the code: types, errors, settings, commands, plugs, the schema of a card.

`--check` writes nothing and fails when a page is not what the code says.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import inspect
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from wireroom import errors, model, ports
from wireroom.cli.app import make_command
from wireroom.cli.exits import exit_code_of
from wireroom.model import article as articles
from wireroom.model import cluster as clusters
from wireroom.model import events as happenings
from wireroom.model import feed as feeds
from wireroom.model import feed_options, rights
from wireroom.model import http as traffic
from wireroom.model import publisher as publishers
from wireroom.registry import plugs
from wireroom.report import card_schema
from wireroom.settings import Settings, setting_rows

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference"
HELP_WIDTH = 78  # columns: what a terminal of 80 gets
NOTE = "<!-- Written by scripts/reference.py from the code; `make docs` writes it anew. -->\n\n"


def types_page() -> str:
    """Every type with its fields, module by module, in the order of each."""
    out = ["# Types\n", _lead(model)]
    for module in (
        publishers,
        rights,
        feed_options,
        feeds,
        traffic,
        articles,
        clusters,
        happenings,
    ):
        out += _types_of(module)
    return "\n".join(out) + "\n"


def _types_of(module: Any) -> Iterator[str]:
    comments = _field_comments(module)
    for name in _in_order(module):
        cls: type[Any] = getattr(module, name)
        if not dataclasses.is_dataclass(cls):
            continue
        base: type[Any] = cls.__base__ or object
        more = f"\n\nAll of `{base.__name__}`, and:" if base is not object else ""
        yield f"\n## {name}\n\n{inspect.getdoc(cls)}{more}\n\n| field | type | |\n|---|---|---|"
        for field in dataclasses.fields(cls):
            if hasattr(base, field.name):
                continue
            comment = comments.get((name, field.name), "") or _option_help(field)
            kind = str(field.type).replace("|", "\\|")
            yield f"| `{field.name}` | `{kind}` | {comment or _default(field)} |"


def errors_page() -> str:
    """The tree of errors and what each one means to the command line."""
    rows = [
        f"| `{name}` | {_first_line(cls)} | {exit_code_of(cls)} |" for name, cls in _error_classes()
    ]
    tree = inspect.getdoc(errors) or ""
    drawn = "\n".join(line for line in tree.splitlines() if line.startswith("    "))
    return (
        "# Errors\n\nEvery error is a `WireroomError`: `message` says what is wrong, `hint` what to do, "
        "`permanent` and `retry_after` whether and when to try again. The exit code is that of a run which the error "
        "ends; a command that goes on with the rest says in its help how it ends then.\n\n"
        f"```text\n{inspect.cleandoc(drawn)}\n```\n\n"
        "| error | means | exit code |\n|---|---|---|\n" + "\n".join(rows) + "\n"
    )


def settings_page() -> str:
    """Every setting, its type and its default."""
    out = [
        "# Settings\n",
        f"{_first_line(Settings)}\n",
        (
            "They come from `wireroom.toml` (in the working directory, else in the platform's configuration "
            "folder; never searched upward), overridden by the environment (`WIREROOM_FETCH__TIMEOUT` for "
            "`fetch.timeout`), overridden by flags (`--set fetch.timeout=10s`). `wireroom config show` "
            "prints each one with its origin; `wireroom config schema` prints a JSON Schema for editors.\n"
        ),
        "| setting | type | default | what it does |",
        "|---|---|---|---|",
    ]
    out += [
        f"| `{row.path}` | {row.type} | {f'`{row.default}`' if row.default else ''} | {row.help} |"
        for row in setting_rows()
    ]
    return "\n".join(out) + "\n"


def commands_page() -> str:
    """What `--help` says, command by command, word for word."""
    root = make_command()
    out = ["# Commands\n"]
    out += [
        f"\n## {context.command_path}\n\n```text\n{context.get_help().rstrip()}\n```"
        for context in _contexts(root, "wireroom", None)
    ]
    return "\n".join(out) + "\n"


def plugs_page() -> str:
    """What is plugged in, room by room."""
    kinds: tuple[tuple[str, type[Any], str], ...] = (
        ("scout.steps", ports.Step, "scouting steps"),
        ("signals", ports.SignalPlug, "rights signals"),
        ("fetch.strategies", ports.StrategyPlug, "fetch strategies"),
        ("store", ports.StorePlug, "databases"),
        ("export", ports.Format, "output formats"),
        ("workers", ports.EnginePlug, "engines"),
        ("cli", ports.Command, "commands"),
    )
    out = [
        (
            "# Plugs\n\nA plug is one module that sets `PLUG`; other packages add theirs by an entry point in the "
            "group `wireroom.<room>`.\n\n| room | plug | extra | module says |\n|---|---|---|---|"
        )
    ]
    for room, kind, _ in kinds:
        for name, plug in plugs(room, kind).items():
            module = _module_of(room, name, kind)
            out.append(f"| `{room}` | `{name}` | {getattr(plug, 'extra', '')} | {module} |")
    return "\n".join(out) + "\n"


def card_schema_page() -> str:
    """The JSON Schema of a report card."""
    return json.dumps(card_schema(), indent=2, ensure_ascii=False) + "\n"


PAGES: dict[str, Callable[[], str]] = {
    "types.md": types_page,
    "errors.md": errors_page,
    "settings.md": settings_page,
    "commands.md": commands_page,
    "plugs.md": plugs_page,
    "card.schema.json": card_schema_page,
}


def main() -> int:
    """Writes the pages, or checks them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail on a difference")
    check = parser.parse_args().check
    stale = [name for name, page in PAGES.items() if not _write_or_compare(name, page(), check)]
    if stale:
        print(f"docs/reference is not what the code says: {', '.join(stale)}. Run: make docs")
        return 1
    print("ok" if check else f"docs/reference: {len(PAGES)} pages")
    return 0


def _write_or_compare(name: str, text: str, check: bool) -> bool:
    path = FOLDER / name
    if path.suffix == ".md":
        text = NOTE + text
    if check:
        return path.exists() and path.read_text(encoding="utf-8") == text
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return True


def _lead(module: object) -> str:
    return (inspect.getdoc(module) or "").split("\n\n", 1)[-1]


def _first_line(thing: object) -> str:
    return (inspect.getdoc(thing) or "").split("\n", 1)[0]


def _in_order(module: Any) -> list[str]:
    tree = ast.parse(inspect.getsource(module))
    return [node.name for node in tree.body if isinstance(node, ast.ClassDef)]


def _field_comments(module: Any) -> dict[tuple[str, str], str]:
    """The string under a field, which Python itself throws away."""
    comments: dict[tuple[str, str], str] = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if not isinstance(node, ast.ClassDef):
            continue
        for field, after in zip(node.body, node.body[1:], strict=False):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(after, ast.Expr)
                and isinstance(after.value, ast.Constant)
            ):
                comments[node.name, field.target.id] = " ".join(str(after.value.value).split())
    return comments


def _option_help(field: dataclasses.Field[Any]) -> str:
    return field.metadata["option"].help if "option" in field.metadata else ""


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
        return "required"
    return ""


def _error_classes() -> Iterator[tuple[str, type[errors.WireroomError]]]:
    for name in _in_order(errors):
        if issubclass(getattr(errors, name), errors.WireroomError):
            yield name, getattr(errors, name)


def _contexts(command: Any, name: str, parent: Any) -> Iterator[Any]:
    """The command and all below it, as they stand when somebody asks for their help."""
    context = command.make_context(name, [], parent=parent, resilient_parsing=True)
    context.terminal_width = HELP_WIDTH
    yield context
    for child, found in getattr(command, "commands", {}).items():
        yield from _contexts(found, child, context)


def _module_of(room: str, name: str, kind: type[Any]) -> str:
    import importlib
    import pkgutil

    package = importlib.import_module(f"wireroom.{room}")
    for found in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{found.name}")
        plug = getattr(module, "PLUG", None)
        if isinstance(plug, kind) and plug.name == name:
            return _first_line(module)
    return "(another package)"


if __name__ == "__main__":
    sys.exit(main())
