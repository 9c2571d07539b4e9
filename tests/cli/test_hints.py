"""Every error that the command line and the app raise says what is wrong and what to do."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import wireroom

PACKAGE = Path(wireroom.__file__).parent
ROOMS = ("cli", "app", "store/sql_store.py")
OURS = frozenset({"DeliverError", "SettingsError", "StoreError", "TownError", "WireroomError"})
"""Told to people as they are; what could not be fetched gets its advice by its kind."""
# Whoever reads what was expected instead knows what to write; the causes that are quoted say just that.
SELF_EXPLAINING = ("expected", "problems", "exc}", "EXPECTED")


def modules() -> Iterator[Path]:
    for room in ROOMS:
        path = PACKAGE / room
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


def raised(module: Path) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in OURS:
            yield node


def says_what_to_do(call: ast.Call) -> bool:
    message = ast.unparse(call)
    return any(keyword.arg == "hint" for keyword in call.keywords) or any(
        word in message for word in SELF_EXPLAINING
    )


@pytest.mark.parametrize("module", list(modules()), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_an_error_has_a_hint(module: Path) -> None:
    silent = [
        f"line {call.lineno}: {ast.unparse(call)}"
        for call in raised(module)
        if not says_what_to_do(call)
    ]
    assert silent == []
