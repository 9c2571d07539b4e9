"""Tables that fit: on a narrow terminal the least important columns go first, and one is cut to what is left.

Pure. What is cut is a name or a title; an id stays whole, for it is there to be typed again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, takewhile
from unicodedata import category

GAP = 2  # cells between two columns
LONGEST_WORD = 16  # cells: what is longer is an address or a list of names, and may be broken


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn:
    """One column: its head, how soon it goes, and whether it may be cut."""

    head: str = ""
    spare: int = 0
    """The column with the highest number goes first where there is no room; 0 stays."""
    narrowest: int = 0
    """Cells down to which it may be cut; 0 is for what must stay whole."""
    wanted: int = 0
    """Cells it is to have before it is cut further: other columns go first."""
    tells_apart: bool = False
    """Whether texts that would read alike once they are cut are shown with what makes them differ."""
    folds: bool = False
    """Whether what does not fit goes on in the next line, instead of being cut: all of it matters."""


def fitted(
    columns: Sequence[TableColumn], rows: Sequence[Sequence[str]], width: int
) -> tuple[list[TableColumn], list[list[str]]]:
    """The columns and cells for which so many cells of a terminal are enough; 0 is endless."""
    if not width:
        return list(columns), [list(row) for row in rows]
    widths = [_widest(column, place, rows) for place, column in enumerate(columns)]
    kept = _kept(columns, widths, width)
    room = _room(columns, kept, widths, width)
    cut = {place: _cut_column(columns[place], place, rows, room.get(place, 0)) for place in kept}
    cells_left = [[cut[place][at] for place in kept] for at in range(len(rows))]
    return [columns[place] for place in kept], cells_left


def _cut_column(
    column: TableColumn, place: int, rows: Sequence[Sequence[str]], room: int
) -> list[str]:
    texts = [row[place] for row in rows]
    cut = [_cut(text, room) for text in texts]
    if not (column.tells_apart and room):
        return cut
    alike: dict[str, set[str]] = {}
    for text, short in zip(texts, cut, strict=True):
        alike.setdefault(short, set()).add(text)
    return [
        _cut_apart(text, alike[short] - {text}, room) if len(alike[short]) > 1 else short
        for text, short in zip(texts, cut, strict=True)
    ]


def _cut_apart(text: str, others: Iterable[str], room: int) -> str:
    """The beginning of the text, and the words with which it begins to differ from others that begin alike."""
    differs = max(map(partial(_common_length, text), others))
    left = room - room // 3
    starts = [place + 1 for place, sign in enumerate(text[: differs + 1]) if sign == " "]
    near = [start for start in starts if differs - start < room // 3]
    filling = [start for start in starts if cells(text[start:]) <= left]
    begin = min(filling, default=max(near, default=differs))
    start = _cut(text[:begin], room // 3)
    return start + _cut(text[begin:], room - cells(start))


def _kept(columns: Sequence[TableColumn], widths: Sequence[int], width: int) -> list[int]:
    """The places of the columns that stay; those that can be cut count with the least they need."""
    least = [
        min(column.wanted or column.narrowest or known, known)
        for column, known in zip(columns, widths, strict=True)
    ]
    kept = list(range(len(columns)))
    while _total(least, kept) > width:
        spared = max(kept, key=lambda place: columns[place].spare)
        if not columns[spared].spare:
            break
        kept.remove(spared)
    return kept


def _common_length(text: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(text, other, strict=False))
    return sum(1 for _ in pairs)


def _room(
    columns: Sequence[TableColumn], kept: Sequence[int], widths: Sequence[int], width: int
) -> dict[int, int]:
    """How many cells each column that may be cut is given; the last of them gives way first."""
    rooms = {}
    over = _total(widths, kept) - width
    for place in reversed(kept):
        narrowest = columns[place].narrowest
        if narrowest and over > 0:
            rooms[place] = max(narrowest, widths[place] - over)
            over -= widths[place] - rooms[place]
    return {place: room for place, room in rooms.items() if not columns[place].folds}


def _total(widths: Sequence[int], kept: Sequence[int]) -> int:
    return sum(widths[place] for place in kept) + GAP * max(0, len(kept) - 1)


def word_widths(rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Cells for each column so that all fit and lines break between words; empty where that cannot be.

    The widest column gives way first. A word that is longer than any word, such as an address, may be broken.
    """
    columns = list(zip(*rows, strict=True))
    widths = [max(map(cells, column)) for column in columns]
    least = [min(max(map(_longest_word, column)), LONGEST_WORD) for column in columns]
    room = width - GAP * (len(columns) - 1)
    while sum(widths) > room:
        place = max(range(len(widths)), key=lambda at: widths[at] - least[at])
        if widths[place] <= least[place]:
            return []
        widths[place] -= 1
    return widths


def _longest_word(text: str) -> int:
    """Cells of the longest word; a sign before a word stays with it."""
    words = text.split()
    if len(words) == 2 and len(words[0]) == 1:
        return cells(text)
    return max(map(cells, words), default=0)


def _widest(column: TableColumn, place: int, rows: Sequence[Sequence[str]]) -> int:
    return max(len(column.head), *(cells(row[place]) for row in rows), 0)


def _cut(text: str, room: int) -> str:
    """The text in so many cells of a terminal; 0 leaves it alone."""
    if not room or cells(text) <= room:
        return text
    kept = takewhile(lambda so_far: so_far < room, accumulate(map(cells, text)))
    return f"{text[: len(list(kept))].rstrip()}…"


def cells(text: str) -> int:
    """How many cells of a terminal the text takes at most: a Chinese character two, an accent none.

    Terminals do not agree on the vowel signs of Indian scripts, which rich takes for accents.
    """
    from rich.cells import cell_len

    if text.isascii():
        return len(text)
    return cell_len(text) + sum(category(character) == "Mc" for character in text)
