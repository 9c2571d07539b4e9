"""What stands below an article on who wrote it: a byline, a few lines on the author, the author's box.

Its place decides first: the last few blocks of the text, and not much in all. Then its shape: a line that names
authors and nothing else, a box that is called the author's, a line that announces the author, or a paragraph that
begins with a name of which the article says nothing, and goes on with what that person does. Pure: block numbers come
out, nothing is dropped here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Final

from wireroom.parse.body.block_features import Measured
from wireroom.parse.body.blocks import CAPTION, CELL, CODE, HEADING, ITEM, Columns
from wireroom.parse.body.notice_phrases import AUTHOR_LABELS, AUTHOR_WORK, BY_WORDS, IS_WORDS
from wireroom.parse.body.notices import is_byline

END: Final = 8  # kept blocks that may be the end
MAX_END: Final = 1_500  # characters of it in all
MAX_NOTE: Final = 700  # characters of a paragraph on an author
MAX_LABEL: Final = 60  # characters of a line that announces one
MAX_BYLINE: Final = 80  # characters of a byline at the top whose name is known again
MOST_NOTES: Final = 3  # authors of an article; more are people that the story is about
BEGINNING: Final = 160  # characters in which a note says what somebody does
NEAR: Final = 3  # boxes around a block whose names count as its own
MAX_NAME: Final = 200  # characters of a name looked at by a pattern

_NO_PARAGRAPHS: Final = frozenset((HEADING, CELL, CODE, ITEM))
_BOX_NAMES: Final = re.compile(
    r"(?<![a-z])(?:authors?|autor(?:en|es)?|auteurs?|autore|writers?|contributors?|verfasser|columnist|byline)[-_]*"
    r"(?:box|bio|biography|info|infos|card|about|profile?|desc|description|details?|block|text|widget|summary|footer)(?![a-z])"
    r"|(?<![a-z])(?:about|meet)[-_]*(?:the[-_]*)?(?:author|writer|contributor|autor|auteur)s?(?![a-z])|(?<![a-z])(?:bio|biography)(?![a-z])"
)
_HUMPS: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NAME: Final = re.compile(
    r"(?:(?:Dr|Prof|Professor|Mr|Mrs|Ms)\.? )?((?:[^\W\d_a-zß-öø-ÿа-я][\w.'’-]* ){1,3}(?:(?:de|van|von|der|den|di|da|del|bin|al) ){0,2}[^\W\d_a-zß-öø-ÿа-я][\w'’-]+)"
)
_EDGES: Final = " .:：-–—*•|"


def author_notes(columns: Columns, measured: Measured, kept: Sequence[int]) -> list[int]:
    """The kept blocks at the end that say who wrote the article."""
    end = _end(columns, kept)
    if not end:
        return []
    before = max(block for block in kept if block < end[0])
    found = {*_below_labels(columns, end, before), *_in_boxes(columns, measured, end, before)}
    found |= _closing_bylines(columns, [block for block in end if block not in found])
    notes = [block for block in end if block not in found and _may_be_note(columns, block)]
    speaking = [block for block in notes if _begins_with_author(columns, measured, block, kept)]
    return sorted(found | set(speaking if len(speaking) <= MOST_NOTES else ()))


def _end(columns: Columns, kept: Sequence[int]) -> list[int]:
    """The last few blocks, captions left out; never half of the text."""
    end: list[int] = []
    length = 0
    for block in reversed(kept[len(kept) // 2 + 1 :][-END:]):
        length += len(columns.text[block])
        if length > MAX_END:
            break
        end.append(block)
    return [block for block in reversed(end) if columns.kind[block] != CAPTION]


def _below_labels(columns: Columns, end: Sequence[int], before: int) -> Iterator[int]:
    """The lines that announce the author, each with what follows it: a paragraph, or the rest of its box."""
    for place, block in enumerate(end):
        text = columns.text[block]
        if len(text) > MAX_LABEL or text.casefold().strip(_EDGES) not in AUTHOR_LABELS:
            continue
        yield block
        box = columns.parent[columns.home[block]]
        is_apart = not _stands_in(columns, before, box)
        for number, other in enumerate(end[place + 1 :]):
            if len(columns.text[other]) > MAX_NOTE or columns.kind[other] == HEADING:
                break
            if number == 0 or (is_apart and _stands_in(columns, other, box)):
                yield other


def _in_boxes(
    columns: Columns, measured: Measured, end: Sequence[int], before: int
) -> Iterator[int]:
    """The blocks in a box that is called the author's and holds nothing of the text above."""
    for block in end:
        element = columns.home[block]
        for _ in range(NEAR + 1):
            if element <= 0 or _stands_in(columns, before, element):
                break
            if _is_box_name(measured.names[element]) and columns.tag[element][0] != "h":
                yield block
                break
            element = columns.parent[element]


def _stands_in(columns: Columns, block: int, box: int) -> bool:
    element = columns.home[block]
    while element > box:
        element = columns.parent[element]
    return element == box


def _closing_bylines(columns: Columns, end: Sequence[int]) -> set[int]:
    """The last lines, as far as they name authors and days and nothing else."""
    lines = takewhile(
        lambda block: columns.kind[block] not in _NO_PARAGRAPHS and is_byline(columns.text[block]),
        reversed(end),
    )
    found = list(lines)
    return set(found) if any(BY_WORDS.match(columns.text[block]) for block in found) else set()


def _may_be_note(columns: Columns, block: int) -> bool:
    return len(columns.text[block]) <= MAX_NOTE and columns.kind[block] not in _NO_PARAGRAPHS


def _begins_with_author(
    columns: Columns, measured: Measured, block: int, kept: Sequence[int]
) -> bool:
    """Whether a paragraph announces the author, or begins with a name and says what its bearer does.

    The name must be that of the byline, or its bearer work with words; the story must not speak of them.
    """
    text = columns.text[block].strip(_EDGES)
    label, sign, _ = text[: MAX_LABEL + 1].replace("：", ":").partition(":")
    if sign and label.casefold().strip() in AUTHOR_LABELS:
        return True
    name = _NAME.match(text)
    if name is None:
        return False
    rest = text[name.end() : name.end() + BEGINNING]
    is_one = IS_WORDS.match(rest) is not None
    works = is_one and AUTHOR_WORK.search(rest) is not None
    if not (works or (is_one and _signs(columns, measured, name[1]))):
        return False
    surname = name[1].split()[-1]
    return not any(surname in columns.text[other] for other in kept if other < block)


def _signs(columns: Columns, measured: Measured, name: str) -> bool:
    """Whether a byline above the text has that name."""
    tops = takewhile(lambda block: not measured.good[block], range(len(columns.text)))
    return any(
        name in columns.text[block]
        for block in tops
        if len(columns.text[block]) <= MAX_BYLINE and BY_WORDS.match(columns.text[block])
    )


@lru_cache(maxsize=8192)  # pages of one publisher share their names
def _is_box_name(names: str) -> bool:
    if not names:
        return False
    return _BOX_NAMES.search(_HUMPS.sub("-", names[:MAX_NAME]).lower()) is not None
