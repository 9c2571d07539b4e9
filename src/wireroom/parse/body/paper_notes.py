"""What a paper says of itself around an article: how it earns its money, whose rights these are, where to follow it.

Tags below the article, its table of contents and quotations that say again what the text says belong here, too. Each
has a shape or a place of its own beside its words, for a story may speak of commissions, copyright and followers.
Pure: block numbers come out, nothing is dropped here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from wireroom.parse.body.block_features import Measured
from wireroom.parse.body.blocks import CAPTION, CELL, CODE, ITEM, QUOTE, Columns
from wireroom.parse.body.notice_phrases import (
    CONTENTS_LABELS,
    COPYRIGHT,
    EARNING_HINTS,
    EARNINGS,
    FOLLOW,
    NETWORKS,
    OURS,
    SHARE_LABELS,
    TAG_LABELS,
)
from wireroom.parse.body.notices import has_any

MAX_NOTE: Final = 500  # characters of a note on how the paper earns its money
MAX_LINE: Final = 250  # characters of all others
TOP_PROSE: Final = 2  # long blocks up to which the top reaches
END: Final = 4  # kept blocks that are the end
MIN_CONTENTS: Final = 3  # links into the page that make a table of contents
MAX_LABEL: Final = 60  # characters of its heading, and of a line without words
ALL_LINK: Final = 0.9  # share of link text of a line that is a link and nothing else
MOSTLY_LINKS: Final = 0.4  # share of link text in a line of tags
MIN_QUOTED: Final = 40  # characters of a quotation that is looked for in the text
MAX_NAME: Final = 200  # characters of a name looked at by a pattern

_PULL_QUOTES: Final = re.compile(r"pull-?_?quote|quote-?_?pull|blockzitat|zitatbox", re.IGNORECASE)
_QUOTE_SIGNS: Final = " .,…\"'“”„‟«»‹›‘’「」『』—–-"
_LABEL_SIGNS: Final = " .:：…↓▼▾→»–—-"


def paper_notes(columns: Columns, measured: Measured, kept: Sequence[int]) -> list[int]:
    """The kept blocks that speak of the paper instead of the article's subject."""
    lines = [
        block
        for block in kept
        if len(columns.text[block]) <= MAX_NOTE and columns.kind[block] not in (CELL, CODE, CAPTION)
    ]
    top, end = _top(measured, kept), frozenset(kept[-min(END, 1 + len(kept) // 4) :])
    found = [
        block
        for block in lines
        if ((block in top or block in end) and _is_note(columns, block, end))
        or _is_share_label(columns.text[block])
    ]
    follows = _asking_to_follow(columns, [b for b in lines if columns.linked[b] or b in end])
    return found + [block for block in follows if block not in found]


def _top(measured: Measured, kept: Sequence[int]) -> frozenset[int]:
    """The kept blocks up to the second paragraph."""
    found, prose = [], 0
    for block in kept:
        found.append(block)
        prose += bool(measured.good[block])
        if prose >= TOP_PROSE:
            break
    return frozenset(found)


def _is_note(columns: Columns, block: int, end: frozenset[int]) -> bool:
    """Whether a block at the top or at the end speaks of money; at the end, of rights or of tags."""
    text = columns.text[block]
    if has_any(EARNING_HINTS, text.casefold()) and EARNINGS.search(text) and OURS.search(text):
        return True
    return block in end and (
        COPYRIGHT.match(text) is not None
        or (len(text) <= MAX_LINE and _is_tags(columns, block, text))
    )


def _is_share_label(text: str) -> bool:
    return len(text) <= MAX_LABEL and text.casefold().strip(_LABEL_SIGNS) in SHARE_LABELS


def _asking_to_follow(columns: Columns, lines: Sequence[int]) -> list[int]:
    """The lines that ask to follow somebody, and name where."""
    short = {b: columns.text[b].casefold() for b in lines if len(columns.text[b]) <= MAX_LINE}
    if not has_any(NETWORKS, "\n".join(short.values())):
        return []
    return [b for b, text in short.items() if FOLLOW.match(text) and has_any(NETWORKS, text)]


def _is_tags(columns: Columns, block: int, text: str) -> bool:
    """Whether a line names the article's tags: a label, a colon, and links or no sentence."""
    return TAG_LABELS.match(text) is not None and (
        columns.linked[block] > MOSTLY_LINKS * columns.chars[block] or text[-1] not in ".!?"
    )


def contents(columns: Columns, kept: Sequence[int]) -> list[int]:
    """The rows of links into the page itself, and the lines that only say that such a row follows."""
    found = [
        block
        for block in kept
        if len(columns.text[block]) <= MAX_LABEL
        and columns.text[block].casefold().strip(_LABEL_SIGNS) in CONTENTS_LABELS
    ]
    row: list[int] = []
    for block in (*kept, -1):
        if block >= 0 and _leads_into_page(columns, block):
            row.append(block)
            continue
        if len(row) >= MIN_CONTENTS:
            found += row
        row = []
    return found


def _leads_into_page(columns: Columns, block: int) -> bool:
    if columns.linked[block] < ALL_LINK * columns.chars[block]:
        return False
    link = columns.node[columns.home[block]].css_first("a")
    href = (link.attributes.get("href") or "") if link is not None else ""
    return len(href) > 1 and href[0] == "#"


def repeated_quotes(columns: Columns, measured: Measured, kept: Sequence[int]) -> list[int]:
    """The quotations set apart that say what a paragraph of the text says."""
    called = "quote" in measured.all_names
    if not called and QUOTE not in columns.kind:
        return []
    quotes = [
        block
        for block in kept
        if len(columns.text[block]) >= MIN_QUOTED
        and (columns.kind[block] == QUOTE or (called and _is_set_apart(columns, measured, block)))
    ]
    if not quotes:
        return []
    others = [block for block in kept if block not in quotes]
    spoken = "\n".join([columns.text[block] for block in others]).casefold()
    return [block for block in quotes if _quoted(columns.text[block]) in spoken]


def _is_set_apart(columns: Columns, measured: Measured, block: int) -> bool:
    home = columns.home[block]
    return any(
        _is_pull_quote(measured.names[element]) for element in (home, max(columns.parent[home], 0))
    )


@lru_cache(maxsize=8192)  # pages of one publisher share their names
def _is_pull_quote(names: str) -> bool:
    return _PULL_QUOTES.search(names[:MAX_NAME]) is not None


def _quoted(text: str) -> str:
    return text.casefold().strip(_QUOTE_SIGNS)


def wordless(columns: Columns, measured: Measured, kept: Sequence[int]) -> list[int]:
    """The kept lines without a letter or a figure: rows of stars, a dot, a sign that nobody sees."""
    del measured
    return [
        block
        for block in kept
        if len(columns.text[block]) <= MAX_LABEL
        and columns.kind[block] not in (CELL, CODE, ITEM)
        and not any(map(str.isalnum, columns.text[block]))
    ]
