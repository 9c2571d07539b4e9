"""A text in Latin letters is spelt for the index as a whole, not word by word.

Pure. Gives what `spelling` gives. Letters of Latin-1 are bytes, and a table spells them all at once. Of the other letters and signs
a text has few different ones: each is replaced by what it becomes. A text that has one whose spelling depends on what stands
beside it, or is not ASCII, is not for this module.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from unicodedata import category

from wireroom.query.spelling import spell

_MOST_REPLACED = 24  # letters and signs beyond Latin-1; Polish and Czech with their quotes have 15
_VIETNAMESE = range(
    0x1E00, 0x1F00
)  # a text of them has many different ones, and is spelt word by word


def spell_latin(text: str) -> str | None:
    """The text as the index spells it, with blanks between words; words of any length are left whole.

    None where it cannot be told so.
    """
    packed = _as_bytes(text)
    if packed is None:
        return None
    table = _table()
    for letter, letters in table.longer:
        packed = packed.replace(letter, letters)
    if any(letter in packed for letter in table.others):
        return None
    return packed.translate(table.become, table.deleted).decode("ascii")


def _as_bytes(text: str) -> bytes | None:
    for _ in range(_MOST_REPLACED):
        try:
            return text.encode("latin-1")
        except UnicodeEncodeError as beyond:
            letter = text[beyond.start]
        spelt = _SPELT_LETTERS[letter]
        if spelt is None:
            return None
        text = text.replace(letter, spelt)
    return None


@dataclass(frozen=True, slots=True)
class _Table:
    """What becomes of each character of Latin-1."""

    become: bytes
    deleted: bytes
    longer: tuple[tuple[bytes, bytes], ...]
    """Those that become several: æ, ß, ½."""
    others: tuple[bytes, ...]
    """Those that become none of ASCII."""


@cache
def _table() -> _Table:
    spelt = {code: _SPELT_LETTERS[chr(code)] for code in range(256)}
    single = {code: become for code, become in spelt.items() if become and len(become) == 1}
    return _Table(
        become=bytes(ord(single.get(code, "\0")) for code in range(256)),
        deleted=bytes(code for code, become in spelt.items() if become == ""),
        longer=tuple(
            (bytes([code]), become.encode())
            for code, become in spelt.items()
            if become and len(become) > 1
        ),
        others=tuple(bytes([code]) for code, become in spelt.items() if become is None),
    )


class _SpeltLetters(dict[str, str | None]):
    """What each letter becomes wherever it stands, worked out when it is first met."""

    def __missing__(self, letter: str) -> str | None:
        self[letter] = spelt = _spelt_letter(letter)
        return spelt


_SPELT_LETTERS = _SpeltLetters()


def _spelt_letter(letter: str) -> str | None:
    """What becomes of a letter in the middle of a word; a mark joins the letter before it, so it is none of ours."""
    if category(letter).startswith("M") or ord(letter) in _VIETNAMESE:
        return None
    lowered = f"x{letter}x".lower()
    if lowered.isascii():
        spelt = lowered if lowered.isalnum() else "x x"
    else:
        spelt = " ".join(spell(lowered.split()))
    return spelt[1:-1] if spelt.isascii() else None
