"""A reason is prose for people: no code decides by its wording. What a thing is stands in its `cause`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import wireroom

SRC = Path(wireroom.__file__).parent
PROSE = {"reason", "reasons"}
TESTS = {"startswith", "endswith", "removeprefix", "like", "ilike", "contains", "partition", "in_"}
SQL = re.compile(r"\breason\b\s*(=|!=|<>|(NOT\s+)?(I?LIKE|GLOB|SIMILAR|IN)\b)", re.IGNORECASE)

ALLOWED = {
    # A line for people: the address is not said twice.
    "cli/add: reason.partition(' ')",
}


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript):
        key = node.slice
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            return key.value
        return _name(node.value)
    return getattr(node, "attr", "") or getattr(node, "id", "")


def _is_prose(node: ast.expr) -> bool:
    return _name(node).lstrip("_") in PROSE


def _is_empty(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value


def decisions(tree: ast.AST) -> Iterator[ast.expr]:
    """Every place at which the wording of a reason is tested."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in TESTS and _is_prose(node.func.value):
                yield node
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(map(_is_prose, sides)) and not any(map(_is_empty, sides)):
                yield node
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if SQL.search(node.value) and re.search(r"\b(SELECT|UPDATE|WHERE)\b", node.value):
                yield node
        elif isinstance(node, ast.Match) and _is_prose(node.subject):
            yield node.subject


def test_no_code_decides_by_a_reason() -> None:
    found = {
        f"{path.parent.relative_to(SRC).as_posix()}: {ast.unparse(node)}"
        for path in sorted(SRC.rglob("*.py"))
        for node in decisions(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == ALLOWED


def test_no_sql_file_asks_for_a_reason() -> None:
    assert not [path for path in SRC.rglob("*.sql") if SQL.search(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(
    "code",
    [
        "lead.reason.startswith('purged')",
        "lead.reason == GONE",
        "'robots' in lead.reason",
        "lead.reason[:9] == 'withdrawn'",
        "table.c.reason.like('purged%')",
        "row['reason'] != NOT_FOUND",
        "reason in {'a', 'b'}",
        "text(\"SELECT id FROM lead WHERE reason LIKE 'purged%'\")",
        "match reason:\n    case 'gone':\n        pass",
    ],
)
def test_the_scan_sees_it(code: str) -> None:
    assert list(decisions(ast.parse(code)))


@pytest.mark.parametrize(
    "code", ["lead.reason == ''", "lead.reason or 'no reason'", "print(reason)"]
)
def test_the_scan_leaves_the_rest_alone(code: str) -> None:
    assert not list(decisions(ast.parse(code)))
