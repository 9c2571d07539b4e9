"""Messages are prose for people: no code decides by their wording. What a thing is stands in a field.

A reason, message, summary or label may be told, and compared with nothing at all; it is never searched or matched.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import wireroom

SRC = Path(wireroom.__file__).parent
PROSE = {
    "advice",
    "because",
    "error",
    "hint",
    "message",
    "messages",
    "note",
    "notes",
    "problem_text",
    "reason",
    "reasons",
    "sentence",
    "summaries",
    "summary",
    "summary_text",
    "text_of_problem",
    "why",
}
TESTS = {"startswith", "endswith", "removeprefix", "like", "ilike", "contains", "partition", "in_"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
PATTERNS = {"match", "search", "fullmatch", "findall"}
SQL = re.compile(r"\breason\b\s*(=|!=|<>|(NOT\s+)?(I?LIKE|GLOB|SIMILAR|IN)\b)", re.IGNORECASE)

ALLOWED = {
    # A line for people: the address is not said twice.
    "cli/add: reason.partition(' ')",
    # A pause is logged once, and again when another message comes.
    "app: self._paused != message",
    # Foreign messages: aiohttp has no class for it, and a refused connection to PostgreSQL has no code.
    "fetch/strategies: 'Too many headers' in message",
    "store: text in message",
    # Fields of an exception, which is called error: the number of the system, the limit that was reached.
    "fetch: _number(error) == errno.ECONNREFUSED",
    "fetch: _number(error) in _NO_NETWORK",
    "fetch: getattr(error, 'limit', '') == 'max_header_bytes'",
    # A mapping that is asked for its key, and not what stands under it.
    "model: key in self.notes",
    # Names of other things: the sentences of a page, a hint in a date, what was cut short in a document.
    "dates: time.clock is hint",
    "parse/body: f' {words} ' in message",
    "parse: why not in self.cut",
    "parse/metadata: words.search(sentence)",
    "town: '{' not in sentence",
    # The summary of an item is a text that was published, and no message.
    "poll: text.words < TIMES_SUMMARY * _words(item.summary)",
}


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript):
        key = node.slice
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            return key.value
        return _name(node.value)
    if isinstance(node, ast.Call):
        return _name(node.func)
    return getattr(node, "attr", "") or getattr(node, "id", "")


def _is_prose(node: ast.expr, names: frozenset[str] = frozenset()) -> bool:
    return _name(node).lstrip("_") in PROSE or (isinstance(node, ast.Name) and node.id in names)


def _is_empty(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value


def _pairs(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield from zip(target.elts, node.value.elts, strict=False)
        else:
            yield target, node.value


def _other_names(function: ast.AST) -> frozenset[str]:
    """Variables of a function that hold what a `summary(...)` or its like gave."""
    return frozenset(
        target.id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        for target, value in _pairs(node)
        if isinstance(target, ast.Name) and isinstance(value, ast.Call) and _is_prose(value)
    )


def _holds_prose(side: ast.expr, names: frozenset[str]) -> bool:
    """Whether the side of a comparison is prose, or made of it; its length is none."""
    if isinstance(side, ast.Call) and _name(side.func) == "len":
        return False
    inner = side.args if isinstance(side, ast.Call) else ()
    parts = (side.left, side.right) if isinstance(side, ast.BinOp) else inner
    return _is_prose(side, names) or any(_holds_prose(part, names) for part in parts)


def decisions(tree: ast.AST) -> Iterator[ast.expr]:
    """Every place at which the wording of a message is tested."""
    functions = [node for node in ast.walk(tree) if isinstance(node, FUNCTIONS)]
    seen = {id(node) for scope in functions for node in ast.walk(scope)}
    for scope in functions:
        names = _other_names(scope)
        for node in ast.walk(scope):
            yield from _decision(node, names)
    for node in ast.walk(tree):
        if id(node) not in seen:
            yield from _decision(node, frozenset())


def _decision(node: ast.AST, names: frozenset[str]) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        asked = [node.func.value] if node.func.attr in TESTS else []
        asked += node.args if node.func.attr in PATTERNS else []
        if any(_is_prose(part, names) for part in asked):
            yield node
    elif isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        if any(_holds_prose(side, names) for side in sides) and not any(map(_is_empty, sides)):
            yield node
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        if SQL.search(node.value) and re.search(r"\b(SELECT|UPDATE|WHERE)\b", node.value):
            yield node
    elif isinstance(node, ast.Match) and _is_prose(node.subject, names):
        yield node.subject


def test_no_code_decides_by_a_message() -> None:
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
        "message.startswith('unknown')",
        "because.startswith(('its ', 'skip'))",
        "problems = {url: why for url, why in more.items() if why != 'gone'}",
        "re.match(r'There is no option', message)",
        "'HTTP 404' not in message",
        "summary(before) != summary(after)",
        "'rules and model' if advice.startswith('a model') else 'rules'",
        "'timed out' in facts['error']",
        "async def f():\n    new = summary(a)\n    return new == 'none'",
        "def f():\n    old, new = summary(a), summary(b)\n    return PAGES.sub('', old) != PAGES.sub('', new)",
    ],
)
def test_the_scan_sees_it(code: str) -> None:
    assert list(decisions(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    ["lead.reason == ''", "lead.reason or 'no reason'", "print(reason)", "len(message) > 80"],
)
def test_the_scan_leaves_the_rest_alone(code: str) -> None:
    assert not list(decisions(ast.parse(code)))
