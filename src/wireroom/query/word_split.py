"""Words: how a text is cut, and what to look for when it is asked for.

Pure. What is written and what is asked for are cut by the same functions, so that no database has a say in what a word
is; how a word is spelt stands in `spelling`.

Words are separated by whatever is neither letter, mark nor number: "don't" is `don t`, "co-operate" is `co operate`,
"U.S." is `u s`, "AT&T" is `at t`, "C++" is `c`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from wireroom.query.latin_text import spell_latin
from wireroom.query.spelling import MAX_WORD, is_spaceless, spell, spell_joined, spell_unspaced

_ASCII = {chr(code): chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
_PLAIN = str.maketrans(_ASCII)
# Of ASCII, and what newspapers of all scripts use most: it parts words anyway, but here it costs less.
_PUNCTUATION = re.compile(
    r"[\x00-\x08\x0e-\x1b!-/:-@\[-`{-\x7f«»\u2010-\u2016\u2018-\u2021\u2026\u2039\u203a"
    r"\u3001-\u3003\u3008-\u3011\u3014-\u301b\u30fb"
    r"\uff01-\uff0f\uff1a-\uff20\uff3b-\uff3d\uff5b-\uff5e]+"
)
_SHORT_WORDS = re.compile(f"(?:.{{0,{MAX_WORD}}} )*+.{{0,{MAX_WORD}}}")
_LONG_PIECES = (
    10  # characters between two blanks, taken together: no words, but a script without spaces
)
_WORTH_IT = 100  # characters; a query or a title is spelt sooner piece by piece


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that stand next to each other; of the last one only the beginning if `is_open`."""

    words: tuple[str, ...]
    is_open: bool = False


def split_words(text: str) -> list[str]:
    """The words of a text in order, as the index spells them."""
    plain = _plain(text)
    return _cut(text) if plain is None else plain.split()


def spelt_words(text: str) -> str:
    """The same words in one text, with blanks between them."""
    plain = _plain(text)
    return " ".join(_cut(text)) if plain is None else plain.strip()


def _plain(text: str) -> str | None:
    """The words with blanks between them where they can be had at once and none is too long: most texts."""
    if text.isascii():
        plain = text.translate(_PLAIN)
        return plain if _SHORT_WORDS.fullmatch(plain) else None
    latin = spell_latin(text) if len(text) >= _WORTH_IT else None
    if latin is not None:
        return latin if _SHORT_WORDS.fullmatch(latin) else None
    lowered = _PUNCTUATION.sub(" ", text).lower()
    pieces = lowered.split()
    if len(lowered) >= max(_WORTH_IT, _LONG_PIECES * len(pieces)):
        return spell_unspaced(lowered)
    return spell_joined(pieces)


def _cut(text: str) -> list[str]:
    """The words of a text one by one, each no longer than the index keeps it."""
    if text.isascii():
        return [word[:MAX_WORD] for word in text.translate(_PLAIN).split()]
    return spell(_PUNCTUATION.sub(" ", text).lower().split())


def plain_words(text: str) -> str | None:
    """A text as the index spells it, each letter in its place and blanks between words; None where they may stand elsewhere."""
    if not text.isascii():
        return None
    plain = text.translate(_PLAIN)
    return plain if _SHORT_WORDS.fullmatch(plain) else None


def phrase(text: str, *, is_prefix: bool = False) -> Phrase:
    """What to look for when this text is asked for; without words when it has none.

    A run of characters without spaces may go on in the article. So the last character alone, which
    stands in the index where a run ends, is not asked for; if it is all there is, as a beginning. Such
    a run is found by any part of it: it needs no sign that the word may go on.
    """
    words = split_words(text)
    if not words or not is_spaceless(words[-1]):
        return Phrase(tuple(words), is_open=is_prefix and bool(words))
    if len(words) > 1 and len(words[-2]) > 1 and is_spaceless(words[-2]):
        return Phrase(tuple(words[:-1]))
    return Phrase(tuple(words), is_open=True)
