"""On which line of a TOML text each key stands, so that a problem can point at it.

The text is known to be sound TOML (the standard library reads it, but does not tell lines); what
is not understood here is left out, and the key above it stands in. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Path = tuple[str | int, ...]

_KEY = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_DOTTED = rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*"
_STATEMENT = re.compile(
    rf"[ \t]*(?:\[\[[ \t]*(?P<tables>{_DOTTED})[ \t]*\]\]"
    rf"|\[[ \t]*(?P<table>{_DOTTED})[ \t]*\]"
    rf"|(?P<key>{_DOTTED})[ \t]*=)"
)
_TOKEN = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|' + r"'''.*?'''|"
    r'"(?:[^"\\\n]|\\.)*"|' + r"'[^'\n]*'|"
    r"#[^\n]*|[\[{]|[\]}]|\n",
    re.DOTALL,
)
_PART = re.compile(_KEY)


def key_lines(text: str) -> dict[Path, int]:
    """The line of every table and key, by its path; lists of tables count from 0."""
    lines: dict[Path, int] = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    for line, statement in _statements(text):
        if statement["tables"]:
            name = _under(counts, _parts(statement["tables"]))
            counts[name] = counts.get(name, -1) + 1
            table = (*name, counts[name])
            lines.setdefault(name, line)
            lines[table] = line
        elif statement["table"]:
            table = _under(counts, _parts(statement["table"]))
            lines[table] = line
        else:
            lines[(*table, *_parts(statement["key"]))] = line
    return lines


def _statements(text: str) -> Iterator[tuple[int, re.Match[str]]]:
    at, line = 0, 1
    while at < len(text):
        statement = _STATEMENT.match(text, at)
        if statement is not None:
            yield line, statement
            at = statement.end()
        end = _end_of_statement(text, at)
        line += text.count("\n", at, end)
        at = end


def _end_of_statement(text: str, at: int) -> int:
    """Past the line break that ends the statement: those in strings and brackets do not count."""
    depth = 0
    for token in _TOKEN.finditer(text, at):
        if token[0] in "[{":
            depth += 1
        elif token[0] in "]}":
            depth -= 1
        elif token[0] == "\n" and depth <= 0:
            return token.end()
    return len(text)


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(_unquoted(part) for part in _PART.findall(dotted))


def _unquoted(part: str) -> str:
    return part[1:-1] if part[0] in "\"'" else part


def _under(counts: dict[Path, int], name: tuple[str, ...]) -> Path:
    """The path of a table: below a list of tables the last one is meant."""
    path: Path = ()
    for place, part in enumerate(name, 1):
        path = (*path, part)
        if path in counts and place < len(name):
            path = (*path, counts[path])
    return path
