"""Text as it may be shown: nothing in it moves a cursor, opens a link or turns the order of what stands around it.

Pure. What strangers wrote goes through here before a terminal or a card shows it.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Sequence
from typing import Any

# C0 without tab and line feed, DEL, C1, line separators, the marks that embed, override and isolate a
# direction, and what annotates a text unseen. ESC begins the codes of terminals, U+009B is another ESC [.
_CODES = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb"
# Marks of direction alone: they stand within words of Hebrew and Arabic, and nothing is to stand instead.
_MARKS = "\u061c\u200e\u200f"
_CONTROLS = re.compile(f"[{_CODES}]+")
_LINE_CONTROLS = re.compile(f"[{_CODES}\t\n]+")
_DIRECTIONS = re.compile(f"[{_MARKS}]")
_ANY = re.compile(f"[{_CODES}{_MARKS}]")


def visible(text: str) -> str:
    """The text without control and direction characters; tabs and line feeds stay."""
    return _DIRECTIONS.sub("", _CONTROLS.sub(" ", text)) if _ANY.search(text) else text


def visible_line(text: str) -> str:
    """The same in one line."""
    return _DIRECTIONS.sub("", _LINE_CONTROLS.sub(" ", text))


def visible_data(data: Any) -> Any:
    """Plain data, every text in it visible."""
    if isinstance(data, str):
        return visible(data)
    if isinstance(data, dict):
        return {visible_data(name): visible_data(inner) for name, inner in data.items()}
    return [visible_data(inner) for inner in data] if isinstance(data, (list, tuple)) else data


def escaped_json(text: str) -> str:
    """JSON with these characters as their numbers: it reads the same and shows none of them."""
    return _ANY.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class VisibleBytes:
    """UTF-8 that comes in pieces, visible."""

    def __init__(self) -> None:
        self._decoder = getincrementaldecoder("utf-8")("replace")

    def next(self, piece: bytes) -> bytes:
        """What can be shown of it by now."""
        text = self._decoder.decode(piece).replace("\r\n", "\n")
        return visible(text).encode("utf-8", "replace")


# Counts as people say them.


def counted(count: int, noun: str, plural: str = "") -> str:
    """The count and its noun; the plural ends in s unless it is given."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def sized(count: int) -> str:
    """A number of bytes: KB, or MB from a tenth of one on."""
    return f"{count / 1e6:,.1f} MB" if count >= 100_000 else f"{count / 1e3:,.0f} KB"


def enumerated(words: Sequence[str]) -> str:
    """`a, b and c`; empty for none."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
