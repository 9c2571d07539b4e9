"""Names: one module and one class a name, `__all__` in packages alone, and the words of the field."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.parts import REPOSITORY

SOURCE = REPOSITORY / "src" / "wireroom"
FILES = sorted(SOURCE.rglob("*.py"))
CHECKS = sorted(path for name in ("tests", "bench") for path in (REPOSITORY / name).rglob("*.py"))

# What is called otherwise now, each with its present name.
OLD_WORDS = {
    "one": "what it holds",  # but for `.one()` of a database's result
    "told": "message",
    "_told": "_describe",
    "said": "what it holds",
    "_said": "_describe",
    "tongue": "language",
    "furniture": "boilerplate",
    "twin": "near_duplicate",
    "twins": "near_duplicates",
    "originals": "canonical",
    "errand": "attempt, job",
    "Errand": "attempt, job",
    "errands": "jobs",
    "shelf": "cache, store",
    "Shelf": "LruCache",
    "doorman": "limiter",
    "Doorman": "RateLimiter",
    "Gate": "HostSchedule",
    "Ways": "StrategyPool",
    "Places": "Endpoints",
    "hand_on": "export",
    "handed": "exported",
    "Handed": "ExportResult",
    "wish": "request",
    "Wish": "ExportRequest",
    "Heard": "FindingIndex",
    "Parts": "UnionFind",
    "Clerk": "StoreThread",
    "clerk": "store_thread",
    "Brief": "PublisherContext",
    "brief": "context",
    "Standing": "PollHistory",
    "Standings": "FeedStats",
    "roster": "feeds",
    "sights": "visible",
    "Sights": "VisibleElements",
    "by_way_of": "with_executor",
    "hurry": "set_fail_fast",
    "Verb": "Command",
    "nouns": "types",
    "paper": "console",
    "way_out": "hint",
    "ways_out": "hints",
    "GroupOptions": "ClusterOptions",
    "ungroup": "uncluster",
    "regroup": "recluster",
    "in_hand": "in_flight",
    "Following": "RunJob",
    "Said": "TermsStatement",
    "door": "homepage",
    "Employer": "WorkerProvider",
    "Crew": "WorkerPool",
    "crew": "pool",
    "seat": "slot",
}

# Those that are no part of a name either, as in `test_a_twin_is_told`. Words of OLD_WORDS that are plain English
# inside a longer name are not here: `at_least_one`, `places`, `a_newspaper`, `standing_orders`.
OLD_PIECES = frozenset(
    {"clerk", "doorman", "errand", "errands", "furniture", "hurry", "roster", "shelf", "shelves"}
    | {"sights", "tongue", "tongues", "twin", "twins", "wish", "wishes"}
    | {"handed", "originals", "said", "told", "visit", "visited", "visits"}
)
# Of more than a word; the same holds for them.
OLD_PHRASES = re.compile(r"(?:^|_)ways?_out(?:_|$)|^_?tell_")
# Names that stay, each with its reason.
KEPT = {
    "handed_on": "a key of an export's report, and the field it is written from",
    "visit": "the module that goes from an address to its dossier",
    "test_visit": "the tests of that module",
}
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def test_no_module_is_called_like_another() -> None:
    """But for `types`, and plugs: those are called what the user calls them."""
    places: dict[str, list[str]] = defaultdict(list)
    for path in FILES:
        if path.stem not in {"__init__", "types"} and not _sets(path, "PLUG"):
            places[path.stem].append(_shown(path))
    assert not _several(places)


def test_no_class_is_called_like_another() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in FILES:
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(_shown(path))
    assert not _several(places)


def test_only_packages_say_what_they_export() -> None:
    wrong = [_shown(path) for path in FILES if _sets(path, "__all__") and path.stem != "__init__"]
    assert not wrong


@pytest.mark.parametrize("room", sorted({path.relative_to(SOURCE).parts[0] for path in FILES}))
def test_old_words_are_not_used(room: str) -> None:
    files = [path for path in FILES if path.relative_to(SOURCE).parts[0] == room]
    assert not _old_names(files)


@pytest.mark.parametrize("folder", sorted({path.parent for path in CHECKS}), ids=lambda p: p.name)
def test_old_words_are_not_used_in_tests_and_bench(folder: Path) -> None:
    files = [path for path in CHECKS if path.parent == folder]
    assert not _old_names(files)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("told = 1", ["told"]),
        ("def f(one): ...", ["one"]),
        ("print(f'{said!r}')", ["said"]),
        ("import a.twin as b", ["twin"]),
        ("def test_a_twin_is_shown(): ...", ["test_a_twin_is_shown"]),
        ("class MyErrands: ...", ["MyErrands"]),
        ("WISHES_MADE = 1", ["WISHES_MADE"]),
        ("pages_visited = 1", ["pages_visited"]),
        ("given(wish_for=1)", ["wish_for"]),
        ("ALL_ORIGINALS = _way_out(1)", ["ALL_ORIGINALS", "_way_out"]),
        ("rows.one()", []),
        ("at_least_one = handed_on = between = 'told'", []),
    ],
)
def test_old_words_are_found_in_names(tmp_path: Path, line: str, found: list[str]) -> None:
    file = tmp_path / "plain.py"
    file.write_text(line)
    assert [name for name, _ in _names(file) if _is_old(name)] == found


def _old_names(files: list[Path]) -> list[str]:
    """Where a name, or a file, is or has an old word."""
    return [
        f"{path.relative_to(REPOSITORY)}:{line}: {name}, now {OLD_WORDS.get(name, 'a plain word')}"
        for path in files
        for name, line in [(path.stem, 0), *_names(path)]
        if _is_old(name)
    ]


@cache
def _is_old(name: str) -> bool:
    if name in KEPT:
        return False
    pieces = {piece.lower() for piece in _PIECE.findall(name)}
    return name in OLD_WORDS or bool(pieces & OLD_PIECES) or bool(OLD_PHRASES.search(name))


def _several(places: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: found for name, found in places.items() if len(found) > 1}


def _shown(path: Path) -> str:
    return str(path.relative_to(SOURCE))


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _sets(path: Path, name: str) -> bool:
    """Whether the module sets this name for itself."""
    return any(
        isinstance(target, ast.Name) and target.id == name
        for node in _tree(path).body
        for target in _targets(node)
    )


def _targets(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) else []


def _names(path: Path) -> Iterator[tuple[str, int]]:
    """Every name in the module and its line; `.one()` is what a database's result calls it."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Constant) or (
            isinstance(node, ast.Attribute) and node.attr == "one"
        ):
            continue
        for _, value in ast.iter_fields(node):
            for text in value if isinstance(value, list) else (value,):
                if isinstance(text, str):
                    yield from ((name, getattr(node, "lineno", 0)) for name in text.split("."))
