"""What each paragraph of a text was on its page: a few letters beside the text, and the blocks back from both.

The paragraphs of a text are its pieces between blank lines, as `to_text` joins them. A layout is words with
blanks between them; the first has a letter for each paragraph and each caption, in order:

    p      a paragraph, and whatever has no letter of its own
    1 … 6  a heading of that level
    q      a quotation
    l n L  a list: with bullets, with numbers from 1 on, or another one
    t T    a table: every line a row and no cell empty, or one less even
    c      a caption, or what an image says of itself, where the text holds them
    i      the same where it does not: the next of the captions beside the text, and no paragraph of it
    k K    code, and its continuation where it holds blank lines
    d      a term on the first line, and what it means

For each `L` and `T` there is a further word, in order. That of a list has a sign for each line: `-` begins an
item with a bullet, `#` one with the next number of its level, and a number begins one that has it. That of a
table has a sign for each piece between ` | ` and line breaks: the number of its column begins a cell. In both
`.` is a further paragraph of it and `+` goes on with the piece before. Numbers are one sign: 1 to 9, a for 10 to
z for 35, A for 36 to Z for 61, which stands for all that are higher.

Links and emphases are not kept. A layout that does not fit its text is as good as none; where a paragraph is
not what its letter says, it is a paragraph.
Pure, and quick: `layout_of` is asked for every page.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, islice
from string import ascii_letters, digits
from typing import Any, Final

from wireroom.parse.body.render import CELL_GAP, MAX_INDENT, NO_WORDS, PICTURES, to_text
from wireroom.parse.body.types import Block, BlockKind, Body, image_block

BLANK_LINE: Final = "\n\n"
USUAL_LEVEL: Final = 2  # of a heading that has none of its own, as in Markdown
COUNTED: Final = "#"
FURTHER: Final = "."
GOES_ON: Final = "+"
BESIDE: Final = "i"

_LETTERS: Final[dict[BlockKind, str]] = {
    "text": "p",
    "paragraph": "p",
    "definition": "p",  # of a term that stands elsewhere
    "term": "d",
    "quote": "q",
    "code": "k",
    "caption": "c",
    "alt": "c",
}
_KINDS: Final[dict[str, BlockKind]] = {"q": "quote", "k": "code", "K": "code", "c": "caption"}
_TOGETHER: Final = frozenset(("item", "cell"))
_AFTER_TERM: Final = frozenset(("term", "definition"))
_LEVELS: Final = "123456"
_SIGNS: Final = digits + ascii_letters
HIGHEST: Final = len(_SIGNS) - 1  # number that one sign can say; `place` counts hardly more columns

_RUN: Final = re.compile("[kK]K*|.", re.DOTALL)
_ITEM: Final = re.compile(rf"((?:  ){{0,{MAX_INDENT}}})- ")
_FURTHER: Final = re.compile(rf"(?:  ){{1,{MAX_INDENT + 1}}}")
_CELL_END: Final = re.compile(f"(\n|{re.escape(CELL_GAP)})")


# --- writing -----------------------------------------------------------------------------------


def layout_of(blocks: Iterable[Block], *, captions: bool = False) -> str:
    """The layout of the text that `to_text` makes of these blocks, with captions or without."""
    letters: list[str] = []
    groups: list[tuple[int, list[Block]]] = []
    last = ""
    for block in blocks:
        kind = block.kind
        if not block.kept or kind == NO_WORDS:
            continue
        if not captions and kind in PICTURES:
            letters.append(BESIDE)  # what stands before and after it is one list, as in the text
            continue
        if kind == "paragraph" and not block.quoted and BLANK_LINE not in block.text:
            letters.append("p")  # as most blocks are
        elif kind in _TOGETHER:
            if kind != last:
                groups.append((len(letters), []))
                letters.append("")
            groups[-1][1].append(block)
        elif last == "term" and kind in _AFTER_TERM:
            letters.append("p" * block.text.count(BLANK_LINE))
        else:
            letters.append(_letters(block, kind))
        last = kind
    details: list[str] = []
    for place, group in groups:
        letters[place], detail = _group_letters(group)
        details += [detail] if detail else []
    return " ".join(("".join(letters), *details))


def _letters(block: Block, kind: BlockKind) -> str:
    """The letter of a block that stands alone; several where its text holds blank lines."""
    if kind == "heading":
        letter = str(block.level or USUAL_LEVEL)
    else:
        letter = "q" if block.quoted and kind != "code" else _LETTERS[kind]
    if BLANK_LINE not in block.text:
        return letter
    return letter + ("K" if kind == "code" else letter) * block.text.count(BLANK_LINE)


def _group_letters(group: Sequence[Block]) -> tuple[str, str]:
    """The letter of a list or a table, and the word that goes with it, if any."""
    text = ""
    if any("\n" in block.text or block.continues for block in group):
        text = to_text(group)
        if BLANK_LINE in text:  # an odd page: its lines belong to nothing any more
            return "p" * (text.count(BLANK_LINE) + 1), ""
    return _list_letter(group, text) if group[0].kind == "item" else _table_letter(group)


def _list_letter(items: Sequence[Block], text: str) -> tuple[str, str]:
    """The text is needed only where items are not one line each."""
    if not text and not any(item.number for item in items):
        return "l", ""  # as most lists are
    usual = _usual_signs(text.split("\n")) if text else "-" * len(items)
    counts: list[int] = []
    signs = "".join([_item_signs(item, counts) for item in items])
    if signs == usual:
        return "l", ""
    return ("n", "") if signs == usual.replace("-", COUNTED) else ("L", signs)


def _item_signs(item: Block, counts: list[int]) -> str:
    """The signs of an item's lines; its number is noted as the last one of its level."""
    begins = FURTHER
    if not item.continues:
        begins = "-"
        level = min(max(item.level, 1), MAX_INDENT + 1)
        expected = _next_number(counts, level)
        if item.number:
            begins = COUNTED if item.number == expected else _SIGNS[min(item.number, HIGHEST)]
        counts[-1] = item.number
    return begins + GOES_ON * item.text.count("\n")


def _next_number(counts: list[int], level: int) -> int:
    """What the next item of a level has for a number; those of deeper levels begin anew."""
    del counts[level:]
    counts += [0] * (level - len(counts))
    return counts[-1] + 1


def _usual_signs(lines: Iterable[str]) -> str:
    """What the lines of a list with bullets look like."""
    return "".join(
        [
            "-" if _ITEM.match(line) else FURTHER if line.startswith("  ") else GOES_ON
            for line in lines
        ]
    )


def _table_letter(cells: Sequence[Block]) -> tuple[str, str]:
    signs: list[str] = []
    even = True
    row, column = -1, 0
    for cell in cells:
        row, column = cell.row, column + 1 if cell.row == row else 1
        inside = len(_CELL_END.findall(cell.text))
        even = even and column == cell.column and not cell.continues and not inside
        signs.append(FURTHER if cell.continues else _SIGNS[min(cell.column, HIGHEST)])
        signs.append(GOES_ON * inside)
    return ("t", "") if even else ("T", "".join(signs))


def image_places(body: Body) -> list[dict[str, Any]]:
    """The images of a body in plain data: how many paragraphs, and how many captions beside them, stand before each."""
    places: list[dict[str, Any]] = []
    for image in body.images:
        before = [block for block in body.blocks[: image.before] if block.kept]
        text = to_text(before, captions=body.with_captions)
        beside = 0 if body.with_captions else sum(block.kind in PICTURES for block in before)
        paragraph = text.count(BLANK_LINE) + 1 if text else 0
        place = {"url": image.url, "alt": image.alt, "paragraph": paragraph, "caption": beside}
        places.append({name: value for name, value in place.items() if value != ""})
    return places


# --- reading -----------------------------------------------------------------------------------


def blocks_of(
    text: str,
    layout: str = "",
    captions: Sequence[str] = (),
    images: Iterable[Mapping[str, Any]] = (),
) -> tuple[Block, ...]:
    """The blocks of a text that is held, all kept; its paragraphs where the layout says no more.

    `captions` are those that stand beside the text, `images` what `image_places` gave. `to_text` gives the very
    same text again, whatever the layout.
    """
    pieces = text.split(BLANK_LINE) if text else []
    letters, *details = layout.split(" ")
    if len(letters) - letters.count(BESIDE) != len(pieces):
        letters = "p" * len(pieces)
    waiting = deque(_held_image(image) for image in images)
    return tuple(_read(pieces, letters, iter(details), iter(captions), waiting))


def _held_image(image: Mapping[str, Any]) -> tuple[int, int, Block]:
    paragraph, caption = (int(image.get(name) or 0) for name in ("paragraph", "caption"))
    url, alt = (str(image.get(name) or "") for name in ("url", "alt"))
    return paragraph, caption, image_block(url, alt)


def _read(
    pieces: Sequence[str],
    letters: str,
    details: Iterator[str],
    captions: Iterator[str],
    images: deque[tuple[int, int, Block]],
) -> Iterator[Block]:
    rows = count(1)
    last: BlockKind = "paragraph"
    place = beside = 0
    for run in _RUN.finditer(letters):
        while images and images[0][0] <= place and images[0][1] <= beside:
            yield images.popleft()[2]
        letter = run[0][0]
        if letter == BESIDE:
            yield from (_block("caption", caption) for caption in islice(captions, 1))
            beside += 1
            continue
        piece = BLANK_LINE.join(pieces[place : place + len(run[0])])
        place += len(run[0])
        made: list[Block] = []
        if letter in "lnL":
            made = _items(piece, letter, details)
        elif letter in "tT":
            made = _cells(piece, letter, details, rows)
        # Two lists in a row would become one, and their text another.
        if not made or made[0].kind == last:
            made = _alone(piece, letter)
        last = made[-1].kind if made[-1].kind in _TOGETHER else "paragraph"
        yield from made
    yield from (block for _, _, block in images)


def _alone(piece: str, letter: str) -> list[Block]:
    """What a paragraph is by itself."""
    if letter in _LEVELS:
        return [_block("heading", piece, level=int(letter))]
    term, sign, meaning = piece.partition("\n")
    if letter == "d" and sign:
        return [_block("term", term), _block("definition", meaning)]
    return [_block(_KINDS.get(letter, "paragraph"), piece)]


def _items(piece: str, letter: str, details: Iterator[str]) -> list[Block]:
    """The items of a list, or nothing where the lines are not those of one."""
    lines = piece.split("\n")
    signs = next(details, "") if letter == "L" else _usual_signs(lines)
    if letter == "n":
        signs = signs.replace("-", COUNTED)
    if len(signs) != len(lines) or signs.startswith(GOES_ON):
        return []
    found: list[tuple[str, int, list[str]]] = []
    for line, sign in zip(lines, signs, strict=True):
        if sign == GOES_ON:
            found[-1][2].append(line)
            continue
        start = (_FURTHER if sign == FURTHER else _ITEM).match(line)
        if start is None:
            return []
        level = len(start[0]) // 2  # the bullet of an item is as wide as one level
        found.append((sign, level, [line[start.end() :]]))
    return list(_numbered(found))


def _numbered(found: Iterable[tuple[str, int, list[str]]]) -> Iterator[Block]:
    """Items with their numbers."""
    counts: list[int] = []
    for sign, level, lines in found:
        number = 0
        if sign != FURTHER:
            expected = _next_number(counts, level)
            number = expected if sign == COUNTED else max(_SIGNS.find(sign), 0)
            counts[-1] = number
        text = "\n".join(lines)
        yield _block("item", text, level=level, number=number, continues=sign == FURTHER)


def _cells(piece: str, letter: str, details: Iterator[str], rows: Iterator[int]) -> list[Block]:
    """The cells of a table, or nothing where the text does not hold so many."""
    parts = _CELL_END.split(piece)
    texts, ends = parts[::2], ["\n", *parts[1::2]]
    signs = next(details, "") if letter == "T" else " " * len(texts)
    if len(signs) != len(texts) or signs[0] in (FURTHER, GOES_ON):
        return []
    found: list[tuple[int, int, bool, list[str]]] = []
    row = column = 0
    for text, end, sign in zip(texts, ends, signs, strict=True):
        if sign == GOES_ON:
            found[-1][3].extend((end, text))
            continue
        if sign != FURTHER:
            row, column = (next(rows), 1) if end == "\n" else (row, column + 1)
            column = column if sign == " " else _SIGNS.find(sign)
        elif end != "\n":
            return []
        found.append((row, column, sign == FURTHER, [text]))
    return [
        _block("cell", "".join(texts), row=row, column=column, continues=continues)
        for row, column, continues, texts in found
    ]


def _block(kind: BlockKind, text: str, **place: Any) -> Block:
    return Block(kind=kind, text=text, kept=True, probability=1.0, reason="layout", **place)
