"""What is wrong with a setting, in one line: its path, its value, where it came from, what was expected.

Pure. Secrets are hidden here, whatever state the value is in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from difflib import get_close_matches
from itertools import takewhile
from typing import Any

from wireroom.dates.durations import format_duration
from wireroom.model import OPTIONS
from wireroom.settings.secrets import HIDDEN, redact, redact_address

LIKE = 0.75  # of 1: one letter wrong in four; with less, short words are like all others
MAX_SHOWN = 60  # characters of a wrong value: enough to know it again
# Settings that may hold a password in an address.
SECRETS = frozenset({"database_url", *(name for name, each in OPTIONS.items() if each.info.secret)})
# Settings that are a secret themselves; "author" and "keyword" only begin like one.
_SECRET_NAME = re.compile(
    r"(?i)pass|pwd|secret|token|credential|cookie|bearer|signature|key(?!word)|auth(?!or(?!i[sz]))"
)
# Tables whose names are the operator's own words: a host may well be called turkey.test.
_FREE_NAMES = frozenset({"hosts", *(name for name, each in OPTIONS.items() if each.default == {})})
# Strategies of other packages call their secrets as they please, so that only what is plainly no
# secret is shown. A path has a root and a dot: a key in base64 may begin with "/", but has no dot.
_OPTIONS = "strategy_options"
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S+")
_FILE_PATH = re.compile(r"(?:\.{0,2}/|~/|[A-Za-z]:[\\/])[^\x00-\x1f]*\.[^\x00-\x1f]*")

_EXPECTED = {
    "bool_parsing": "expected true or false",
    "bool_type": "expected true or false",
    "dict_type": "expected a table",
    "mapping_type": "expected a table",
    "missing": "missing, and it has no default",
    "model_type": "expected a table",
    "string_type": "expected a text in quotes",
    "tuple_type": "expected a list",
}


def path_text(path: Path) -> str:
    """`feeds[2].url`, `hosts."courier.test"`: the path as it could stand in the file."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            bare = part.replace("-", "").replace("_", "")
            sound = bare.isascii() and (bare.isalnum() or (part and not bare))
            text += f".{part}" if sound else f".{json.dumps(part[:MAX_SHOWN])}"
    return text.removeprefix(".")


def redacted(path: Path, value: Any) -> Any:
    """The value with its secrets hidden, in types that JSON knows."""
    if isinstance(value, Mapping):
        return {str(name): redacted((*path, str(name)), inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [redacted((*path, place), inner) for place, inner in enumerate(value)]
    if value is None or value == "":
        return value
    if _is_secret(path) or (_OPTIONS in path and not _is_place(value)):
        return HIDDEN
    if isinstance(value, str):
        hide = redact_address if _OPTIONS in path or SECRETS & set(path) else redact
        return hide(value)
    if isinstance(value, timedelta):
        return format_duration(value)
    return value if isinstance(value, (bool, int, float)) else str(value)


def _is_secret(path: Path) -> bool:
    """Whether a part of the path says so; what follows a free name is nobody's setting."""
    if _FREE_NAMES & set(path):
        return False
    return any(isinstance(part, str) and _SECRET_NAME.search(part) for part in path)


def _is_place(value: Any) -> bool:
    """Whether it is plainly an address or the path of a file."""
    if not isinstance(value, str):
        return False
    return bool(_ADDRESS.fullmatch(value) or _FILE_PATH.fullmatch(value))


def describe_problem(path: Path, value: Any, origin: str, expected: str) -> str:
    """One line for one problem."""
    return f"{path_text(path)} = {_short(path, value)} ({origin}): {expected}"


def describe_unknown(
    name: str, origin: str, candidates: Iterable[str], *, what: str = "setting"
) -> str:
    """One line for a setting or section that does not exist, with the one that was probably meant."""
    meant = nearest(name, candidates)
    hint = f"; did you mean {meant}?" if meant else ""
    return f"{name} ({origin}): unknown {what}{hint}"


def nearest(name: str, candidates: Iterable[str]) -> str:
    """The candidate that looks most like the name, or whose last part does; empty for none.

    Likeness is that of the words themselves: what all names begin with, or the section that two
    of them share, makes no word like another.
    """
    names = list(candidates)
    below = [each for each in names if each.startswith((f"{name}.", f"{name}__"))]
    if below:
        return below[0]  # a section was named where a setting was wanted
    start = _shared_start([name, *names])
    section, last = _split(name[start:])
    beside: dict[str, str] = {}
    elsewhere: dict[str, str] = {}
    tails: dict[str, str] = {}
    for candidate in names:
        its_section, its_last = _split(candidate[start:])
        tails.setdefault(its_last, candidate)
        if its_section == section:
            beside[its_last] = candidate
        else:
            elsewhere[candidate[start:]] = candidate
    for word, known in ((last, beside), (name[start:], elsewhere), (last, tails)):
        close = get_close_matches(word, list(known), n=1, cutoff=LIKE)
        if close:
            return known[close[0]]
    return ""


def _shared_start(names: list[str]) -> int:
    """How many characters all names begin with: those of the first and the last in their order."""
    pairs = zip(min(names), max(names), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _split(name: str) -> tuple[str, str]:
    """Section and setting, in a file's or the environment's spelling."""
    section, _, last = name.rpartition("__" if "__" in name else ".")
    return section, last


def expectation(error: Mapping[str, Any]) -> str:
    """What was expected, from one of pydantic's errors."""
    kind, context = error["type"], error.get("ctx", {})
    if kind in _EXPECTED:
        return _EXPECTED[kind]
    if kind == "value_error":
        return str(context["error"])
    if kind == "literal_error":
        return f"expected one of {str(context['expected']).replace(' or ', ', ')}"
    return str(error["msg"]).replace("Input should be", "expected", 1)


def _short(path: Path, value: Any) -> str:
    shown = redacted(path, value)
    if isinstance(shown, dict):
        return "a table"
    if isinstance(shown, list):
        return f"a list of {len(shown)}"
    text = json.dumps(shown, ensure_ascii=False)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


# On which line of a TOML text each key stands, so that a problem can point at it.
#
# The text is known to be sound TOML (the standard library reads it, but does not tell lines); what
# is not understood here is left out, and the key above it stands in. Pure.

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
