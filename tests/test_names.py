"""Names: one module and one class a name, `__all__` in packages alone, and the words of the field."""

from __future__ import annotations

import ast
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.parts import REPOSITORY

SOURCE = REPOSITORY / "src" / "wireroom"
FILES = sorted(SOURCE.rglob("*.py"))

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
}


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
    found = [
        f"{_shown(path)}:{line}: {word}, now {OLD_WORDS[word]}"
        for path in files
        for word, line in _names(path)
        if word in OLD_WORDS
    ]
    assert not found


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
    before = ""
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.NAME and (before, token.string) != (".", "one"):
                yield token.string, token.start[0]
            before = token.string
