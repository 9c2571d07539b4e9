"""Dictionaries of Structured Fields (RFC 9651): the one strict grammar among header values.

Pure. A value either follows the grammar to its end or is none: `read_dictionary` raises ParseError.
Only what a dictionary needs is kept of an item: a token as it is, anything else as what kind it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from wireroom.errors import ParseError

MAX_DICTIONARY: Final = 8_192  # characters; servers take no longer header either
MAX_MEMBERS: Final = 256  # four times what RFC 9651 asks readers for
MAX_INNER: Final = 256  # items of one inner list

Kind = Literal["token", "string", "number", "bytes", "boolean", "date", "display", "list"]

_KEY: Final = re.compile(r"[a-z*][a-z0-9_.*-]*")
_BLANKS: Final = re.compile(r"[ \t]*")
_SPACES: Final = re.compile(r" *")
_COMMA: Final = re.compile(r"[ \t]*,[ \t]*")
_ITEMS: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (
    ("token", re.compile(r"[A-Za-z*][!#$%&'*+.^_`|~0-9A-Za-z:/-]*")),
    ("number", re.compile(r"-?(?:\d{1,12}\.\d{1,3}|\d{1,15})(?![\d.])")),
    ("string", re.compile(r'"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*+"')),
    ("bytes", re.compile(r":[A-Za-z0-9+/=]*+:")),
    ("boolean", re.compile(r"\?[01]")),
    ("date", re.compile(r"@-?\d{1,15}(?![\d.])")),
    ("display", re.compile(r'%"(?:[\x20\x21\x23\x24\x26-\x7e]|%[0-9a-f]{2})*+"')),
)


class Member(NamedTuple):
    """One value of a dictionary: what kind it is, and its text when it is a token."""

    kind: Kind
    token: str = ""


class _Reading:
    """A place in the text that moves on."""

    __slots__ = ("place", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0

    def take(self, pattern: re.Pattern[str]) -> str | None:
        found = pattern.match(self.text, self.place)
        if found is None:
            return None
        self.place = found.end()
        return found[0]

    def follows(self, char: str) -> bool:
        if not self.text.startswith(char, self.place):
            return False
        self.place += 1
        return True

    def ended(self) -> bool:
        return self.place >= len(self.text)


def read_dictionary(text: str) -> dict[str, Member]:
    """The members by key, the last of each key; raises ParseError for whatever is no dictionary."""
    if len(text) > MAX_DICTIONARY:
        raise ParseError(f"a dictionary of more than {MAX_DICTIONARY:,} characters")
    found: dict[str, Member] = {}
    for count, (key, member) in enumerate(_members(_Reading(text.strip(" ")))):
        if count >= MAX_MEMBERS:
            raise ParseError(f"a dictionary of more than {MAX_MEMBERS} members")
        found.pop(key, None)
        found[key] = member
    return found


def _members(reading: _Reading) -> Iterator[tuple[str, Member]]:
    while not reading.ended():
        key = _key(reading)
        if reading.follows("="):
            member = _inner_list(reading) if reading.follows("(") else _item(reading)
        else:
            member = Member("boolean")
        _parameters(reading)
        yield key, member
        if reading.take(_BLANKS) is not None and reading.ended():
            return
        if reading.take(_COMMA) is None or reading.ended():
            raise _broken(reading, "a comma and another member")


def _key(reading: _Reading) -> str:
    key = reading.take(_KEY)
    if key is None:
        raise _broken(reading, "a key in lower case")
    return key


def _item(reading: _Reading) -> Member:
    for kind, pattern in _ITEMS:
        text = reading.take(pattern)
        if text is not None:
            return Member(kind, text if kind == "token" else "")
    raise _broken(reading, "a value")


def _inner_list(reading: _Reading) -> Member:
    for _ in range(MAX_INNER):
        reading.take(_SPACES)
        if reading.follows(")"):
            return Member("list")
        _item(reading)
        _parameters(reading)
        if not reading.text.startswith((" ", ")"), reading.place):
            break
    raise _broken(reading, "the end of a list")


def _parameters(reading: _Reading) -> None:
    """Parameters are read to be passed over: nothing here has any that matter."""
    while reading.follows(";"):
        reading.take(_SPACES)
        _key(reading)
        if reading.follows("="):
            _item(reading)


def _broken(reading: _Reading, expected: str) -> ParseError:
    return ParseError(f"no structured dictionary: expected {expected} at {reading.place}")
