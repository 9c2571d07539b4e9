"""The pieces of a text by which it is compared: runs of words, or of characters where none stand apart.

Pure. Two texts with the same words give the same shingles, whatever their case and punctuation.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from wireroom.duplicates.duplicate_options import GroupOptions
from wireroom.languages import SAMPLE_LENGTH, letters_of, main_script
from wireroom.parse.plain_text import normal_form

MAX_TOKENS = 20_000  # of one text: more than the longest report has, and 7 ms to sign
# Korean is not among them: it sets words apart.
_SPACELESS = frozenset({"Hani", "Hira", "Jpan", "Kana", "Khmr", "Laoo", "Mymr", "Thai", "Tibt"})
_LETTERS_OF_SPACELESS = letters_of(_SPACELESS)


class Tokens:
    """What a text consists of: words with a blank between them, or characters with none."""

    __slots__ = ("blank", "size", "text")

    def __init__(self, text: str, *, size: int, blank: str) -> None:
        self.text = text
        self.size = size
        self.blank = blank

    @property
    def parts(self) -> Sequence[str]:
        """The words, or the characters."""
        return self.text.split(self.blank) if self.blank else self.text

    @property
    def shingles(self) -> int:
        """How many shingles there are, repeated ones counted again."""
        count = self.text.count(self.blank) + 1 if self.blank else len(self.text)
        return max(0, count - self.size + 1)

    def all_shingles(self) -> list[str]:
        """The shingles in order, as text, for showing and for counting exactly."""
        parts = self.parts
        return [self.blank.join(parts[at : at + self.size]) for at in range(self.shingles)]


def tokens_of(text: str, options: GroupOptions) -> Tokens:
    """The words of a text, or its characters."""
    return tokens_in(normal_form(text), options)


def tokens_in(normal: str, options: GroupOptions) -> Tokens:
    """The same of a normal form; by its script alone, for languages are often guessed."""
    has_some = _LETTERS_OF_SPACELESS.search(
        normal, 0, SAMPLE_LENGTH
    )  # most have none: told at once
    if has_some and main_script(normal) in _SPACELESS:
        return Tokens(normal.replace(" ", "")[:MAX_TOKENS], size=options.characters, blank="")
    if normal.count(" ") >= MAX_TOKENS:
        normal = " ".join(normal.split(" ", MAX_TOKENS)[:MAX_TOKENS])
    return Tokens(normal, size=options.words, blank=" ")


def phrases(tokens: Tokens, shared: frozenset[str], *, limit: int) -> tuple[str, ...]:
    """The longest stretches of a text that consist of shared shingles, longest first."""
    places = [at for at, shingle in enumerate(tokens.all_shingles()) if shingle in shared]
    if not places:
        return ()
    breaks = [
        at for at, (place, next_place) in enumerate(pairwise(places), 1) if next_place > place + 1
    ]
    parts = tokens.parts
    runs = {
        tokens.blank.join(parts[places[start] : places[end - 1] + tokens.size])
        for start, end in pairwise([0, *breaks, len(places)])
    }
    return tuple(sorted(runs, key=lambda run: (-len(run), run))[:limit])
