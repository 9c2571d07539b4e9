"""The pieces of a typed query: brackets, `OR`, a minus, words and fields, each with its place.

Pure. Everything a message says about a place is made here: the column, counted from 1, and the sign that stands there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Literal

from wireroom.errors import QueryError

TokenKind = Literal["open", "close", "or", "and", "not", "piece"]

_SHOWN = 40  # characters of the query that a message repeats

# One piece: a field's name, then something in quotes or something without blanks, quotes and brackets. A name has two
# letters at least and no "/" or ":" behind it: C:\, https:// and std:: are words.
_PIECE = re.compile(r'(-?)(?:([A-Za-z]{2,}):(?![/:]))?(?:"([^"]*)("?)(\*?)|([^\s"()]*))')
_QUOTES = str.maketrans(
    dict.fromkeys("“”„‟«»＂", '"') | {"（": "(", "）": ")"}
)  # as phones put them
_OPERATORS: dict[str, TokenKind] = {"OR": "or", "AND": "and", "NOT": "not"}
_BRACKETS: dict[str, TokenKind] = {"(": "open", ")": "close"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One piece of a query as typed, and where it stands (counted from 1)."""

    kind: TokenKind
    place: int
    field: str = ""
    value: str = ""
    is_quoted: bool = False
    is_prefix: bool = False
    """Whether a * says that the last word may go on."""


class Typed:
    """A query as typed, which knows how to point at a place in itself."""

    def __init__(self, text: str, fields: tuple[str, ...], near: dict[str, str]) -> None:
        self.text = text
        self._fields = fields
        self._near = near

    def error(self, place: int, message: str, hint: str) -> QueryError:
        """What is wrong at a place."""
        return QueryError(message, hint=hint, query=self.text, column=place)

    def tokens(self) -> Iterator[Token]:
        """The pieces in order; signs that mean nothing are passed over."""
        text = self.text.translate(_QUOTES)
        place = 0
        while place < len(text):
            if text[place] in _BRACKETS:
                yield Token(kind=_BRACKETS[text[place]], place=place + 1)
                place += 1
            elif text[place].isspace():
                place += 1
            else:
                match = _PIECE.match(text, place)
                assert match is not None  # noqa: S101 - the pattern matches at every place
                yield from self._of_piece(match)
                place = match.end()

    def _of_piece(self, match: re.Match[str]) -> Iterator[Token]:
        minus, name, quoted, closing, star, bare = match.groups()
        place = match.start() + 1
        if minus:
            yield Token(kind="not", place=place)
            place += 1
        if quoted is None and not bare and not name:
            return
        if quoted is not None and not closing:
            raise self.error(
                match.start(3),
                f"The quote at character {match.start(3)} is never closed.",
                'Close it with another ", or leave it out.',
            )
        if bare in _OPERATORS and not name and not minus:
            yield Token(kind=_OPERATORS[bare], place=place)
            return
        token = Token(
            kind="piece",
            place=place,
            field=(name or "").lower(),
            value=bare if quoted is None else quoted,
            is_quoted=quoted is not None,
            is_prefix=bool(star),
        )
        token = self._known(token, name or "", is_alone=not _goes_on(match))
        yield token if token.field and token.field not in STARRED else self._starred(token)

    def _known(self, token: Token, name: str, *, is_alone: bool) -> Token:
        """The token, after its field was looked at."""
        if not token.field or token.field in self._fields:
            return token
        if token.value or token.is_quoted or not is_alone:
            raise self._unknown_field(token)
        return replace(token, field="", value=name)  # "Breaking: storm" is prose

    def _starred(self, token: Token) -> Token:
        """The token without the * at its end, which says that its last word may go on."""
        value = token.value
        is_prefix = token.is_prefix or value.endswith("*")
        rest = value.removesuffix("*")
        if "*" in rest and not token.is_quoted:
            at = token.place + (len(token.field) + 1 if token.field else 0) + value.index("*")
            raise self.error(
                at,
                f"The * at character {at} does not end a word.",
                "Put it behind the beginning of a word, as in storm*, or put it all in quotes.",
            )
        return replace(token, value=rest, is_prefix=is_prefix)

    def _unknown_field(self, token: Token) -> QueryError:
        near = get_close_matches(token.field, [*self._fields, *self._near], n=1, cutoff=0.6)
        meant = f"Did you mean {self._near.get(near[0], near[0])}:? " if near else ""
        known = ", ".join(f"{name}:" for name in self._fields)
        return self.error(
            token.place,
            f"There is no filter {shown(token.field)}: (at character {token.place}).",
            f'{meant}Filters are {known}. To look for the words, put them in "quotes".',
        )


STARRED = frozenset({"title", "author", "tag"})
"""Fields of words, in which a * may end one."""


def _goes_on(match: re.Match[str]) -> bool:
    """Whether a bracket stands right behind a field's name."""
    return match.string[match.end() : match.end() + 1] == "("


def shown(text: str) -> str:
    """Part of the query for a message: one line, not long, nothing a terminal could act on."""
    cut = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return "".join(sign if sign.isprintable() else "?" for sign in cut)
