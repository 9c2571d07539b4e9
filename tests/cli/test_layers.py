"""The command line parses flags, calls one use case of app, and shows what came of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.parts import REPOSITORY

CLI = REPOSITORY / "src" / "wireroom" / "cli"


def stores(file: Path) -> Iterator[str]:
    """Where a module reaches for the store of an app."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and node.attr == "store":
            yield f"{file.relative_to(CLI)}:{node.lineno}"


def test_no_command_reaches_for_the_store() -> None:
    found = [place for file in sorted(CLI.rglob("*.py")) for place in stores(file)]
    assert found == []
