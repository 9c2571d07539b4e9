"""Which robots.txt rule decides about a path: longest match, allow wins a tie.

Patterns and paths are bytes. `*` stands for anything, `$` at the end for the end of the path. A
pattern is split at its stars and the pieces are looked for one after the other, so that no pattern
takes more than one walk along the path: no regular expression, no exponential case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from wireroom.parse.robots.robots_scan import RawRule

_PATH_START = re.compile(r"[/?;]")
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_INDEX_PAGE = b"/index.htm"
_EVERY_PATH = {b"/", b"/*", b"*", b"/**", b"*/"}
# What a full block may leave open without being less of a block: the front page, and this file.
_FRONT_DOORS = {b"/$", b"/robots.txt", b"/robots.txt$", b"/ads.txt", b"/favicon.ico"}


class Deciding(NamedTuple):
    """The rule that decides about a path; the greater of two has the say."""

    length: int
    allow: bool
    rank: int
    """Minus the line: of two equal rules the first one is named."""
    pattern: bytes

    @property
    def line(self) -> int:
        """Where it stands in the file."""
        return -self.rank


_RankedRule: TypeAlias = tuple[bool, int, bytes]
"""Whether a rule allows, its rank, and its pattern: what two rules of one length differ in."""
_Wild: TypeAlias = tuple[int, _RankedRule, list[bytes], bool]
"""Length, rule, the pieces between the stars, and whether the last one ends the path."""


class Ruleset:
    """The rules of the groups that one agent obeys, ready to be asked.

    Plain patterns are looked up by every length there is, so that a file of 20,000 of them costs
    no more than one of twenty; only patterns with stars are tried one by one, longest first.
    """

    __slots__ = ("_empty", "_exact", "_last", "_lengths", "_plain", "_wild")

    def __init__(self, rules: Iterable[RawRule]) -> None:
        self._plain: dict[bytes, _RankedRule] = {}
        self._exact: dict[bytes, _RankedRule] = {}
        self._wild: list[_Wild] = []
        self._empty: Deciding | None = None
        self._last: tuple[bytes, Deciding | None] | None = None
        for line, allow, pattern in rules:
            if b"%" in pattern or not pattern.isascii():
                pattern = escaped(pattern)  # noqa: PLW2901 - the written form is not needed again
            self._add(pattern, (allow, -line, pattern))
            if allow and _INDEX_PAGE in pattern:
                # Who allows the index page means the folder too; the line stays the evidence.
                self._add(_folder_of_index(pattern), (allow, -line, pattern))
        self._lengths = sorted({len(pattern) for pattern in self._plain}, reverse=True)
        self._wild.sort(reverse=True)

    def decide(self, path: bytes) -> Deciding | None:
        """The rule that has the say about the path; None when none speaks of it."""
        last = self._last
        if last is None or last[0] != path:
            # One address is asked for on behalf of many agents, most of which share these rules.
            last = self._last = (path, self._decide(path))
        return last[1]

    def bars_everything(self) -> bool:
        """Whether no page can be read, the front page and files for machines left aside."""
        wall = max((rule for rule in self._sweeping() if not rule.allow), default=None)
        if wall is None:
            return False
        return not any(
            rule.allow and rule > wall and rule.pattern not in _FRONT_DOORS for rule in self._all()
        )

    def bars_something(self) -> bool:
        """Whether at least one rule says no, is not empty, and is not undone by `Allow: /`."""
        allowing = max((rule for rule in self._sweeping() if rule.allow), default=None)
        return any(not rule.allow and (allowing is None or rule > allowing) for rule in self._all())

    def _sweeping(self) -> Iterator[Deciding]:
        return (rule for rule in self._all() if rule.pattern in _EVERY_PATH)

    def _all(self) -> Iterator[Deciding]:
        for pattern, rule in self._plain.items():
            yield Deciding(len(pattern), *rule)
        for pattern, rule in self._exact.items():
            yield Deciding(len(pattern) + 1, *rule)
        for length, rule, _, _ in self._wild:
            yield Deciding(length, *rule)

    def _add(self, pattern: bytes, rule: _RankedRule) -> None:
        if b"*" in pattern:
            self._wild.append((len(pattern), rule, *_pieces(pattern)))
        elif pattern.endswith(b"$"):
            _keep_greater(self._exact, pattern[:-1], rule)
        elif pattern:
            _keep_greater(self._plain, pattern, rule)
        elif not rule[2]:
            self._empty = self._empty or Deciding(0, *rule)

    def _decide(self, path: bytes) -> Deciding | None:
        best = self._plain_match(path)
        exact = self._exact.get(path)
        if exact is not None:
            whole = Deciding(len(path) + 1, *exact)
            best = whole if best is None else max(best, whole)
        for length, rule, pieces, ends in self._wild:
            if best is not None and (length, *rule) < best:
                break
            if _fits(path, pieces, ends=ends):
                return Deciding(length, *rule)
        return best or self._empty

    def _plain_match(self, path: bytes) -> Deciding | None:
        for length in self._lengths:
            rule = self._plain.get(path[:length]) if length <= len(path) else None
            if rule is not None:
                return Deciding(length, *rule)
        return None


def matches(path: bytes, pattern: bytes) -> bool:
    """Whether the pattern, as written in the file, speaks of the path."""
    pieces, ends = _pieces(escaped(pattern))
    return _fits(path, pieces, ends=ends)


def path_of(url: str) -> bytes:
    """What rules are compared with: path and query, without the fragment; `/` when there is none.

    The address has to be in the escaped form that goes over the wire (`wireroom.urls.fetch_url`).
    """
    start = 2 if url.startswith("//") else 0
    early = _PATH_START.search(url, start)
    scheme = url.find("://", start)
    if scheme >= 0 and (early is None or early.start() >= scheme):
        early = _PATH_START.search(url, scheme + 3)
    if early is None:
        return b"/"
    fragment = url.find("#", start)
    if 0 <= fragment < early.start():
        return b"/"
    path = url[early.start() : fragment if fragment >= 0 else len(url)]
    return (path if path.startswith("/") else "/" + path).encode("utf-8", "surrogatepass")


def escaped(pattern: bytes) -> bytes:
    """The pattern as addresses spell it: bytes beyond ASCII escaped, hex digits in upper case."""
    if b"%" in pattern:
        pattern = _ESCAPE.sub(_upper, pattern)
    if pattern.isascii():
        return pattern
    return _BEYOND_ASCII.sub(_percent, pattern)


def _upper(match: re.Match[bytes]) -> bytes:
    return match[0].upper()


def _percent(match: re.Match[bytes]) -> bytes:
    return b"%%%02X" % match[0][0]


def _folder_of_index(pattern: bytes) -> bytes:
    slash = pattern.rfind(b"/")
    if slash < 0 or not pattern.startswith(_INDEX_PAGE, slash):
        return b""
    return pattern[: slash + 1] + b"$"


def _keep_greater(rules: dict[bytes, _RankedRule], pattern: bytes, rule: _RankedRule) -> None:
    known = rules.get(pattern)
    if known is None or rule > known:
        rules[pattern] = rule


def _pieces(pattern: bytes) -> tuple[list[bytes], bool]:
    ends = pattern.endswith(b"$")
    return (pattern[:-1] if ends else pattern).split(b"*"), ends


def _fits(path: bytes, pieces: list[bytes], *, ends: bool) -> bool:
    """Whether the pieces stand in the path one after the other, the first one at its beginning."""
    if not path.startswith(pieces[0]):
        return False
    at = len(pieces[0])
    if len(pieces) == 1:
        return not ends or at == len(path)
    for piece in pieces[1:-1]:
        found = path.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    if ends:
        return path.endswith(pieces[-1]) and len(path) - len(pieces[-1]) >= at
    return path.find(pieces[-1], at) >= 0
