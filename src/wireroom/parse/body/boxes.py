"""Small boxes between and after the paragraphs: a pointer to another article, an appeal to subscribe.

What they call themselves, how they are built and what they say decide together, for none of it is enough:
papers put whole articles into a `paywall`, "Website:" before a link is a fact of the story, and "Read also" may
begin a sentence. Pure: block numbers come out, nothing is dropped here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

from wireroom.parse.body.block_features import Measured, sum_up
from wireroom.parse.body.blocks import CELL, CODE, Columns, tidy
from wireroom.parse.body.notice_phrases import POINTER_WORDS, POINTER_WORDS_ALONE
from wireroom.parse.body.repair import letters

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_POINTER: Final = 250  # characters; headlines have some 60, with their lead-in hardly 150
MAX_LEAD_IN: Final = 6  # words that stand outside of the links of a pointer
MAX_NODES: Final = 60  # of a pointer's markup; it has a handful
MAX_WALL: Final = (
    400  # characters; what is called a wall and holds more is a curtain before the article
)
MIN_HEADLINE: Final = 20  # letters of a link that is one
MAX_LINKS: Final = 6  # to other articles below one lead-in
ALL_LINK: Final = 0.9  # share of link text of a block that is nothing else
NEAR: Final = 2  # boxes around a block whose names count as its own
MAX_NAME: Final = 200  # characters of a name looked at by a pattern
A_LINK: Final = 0.8  # share of link text that makes a block a button

_NO_POINTERS: Final = frozenset(("td", "th", "caption", "figcaption", "pre"))
"""A cell of figures may be a link; a paragraph in a cell stands in a page laid out by tables."""
_UNREAD_TAGS: Final = frozenset(("script", "style", "svg", "button", "noscript", "template"))
_MARK_TAGS: Final = frozenset(("b", "strong", "i", "em"))
_NO_PAGES: Final = ("#", "mailto:", "tel:", "javascript:")

_POINTER_NAMES: Final = re.compile(
    r"(?:^|[^a-z])(?:read[-_]?(?:also|too(?!l)|next|more)|(?:also|must)[-_]?read|see[-_]?also|more[-_]?on(?![a-z])"
    r"|recirc|related(?:$|[^a-z]|articles?|links?|posts?|stor(?:y|ies)|inline)"
    r"|(?:lire|voir)[-_]?aussi|(?:lesen|lies|siehe)[-_]?(?:sie[-_]?)?auch"
    r"|(?:lea|lee|leer|ver|leia|veja)[-_]?tamb|leggi[-_]?anche|lees[-_]?ook|czytaj[-_]?(?:takze|tez)"
    r"|chita[ijy]te[-_]?takzhe|baca[-_]?juga)"
)
_WALL_NAMES: Final = re.compile(
    r"(?:^|[^a-z])(?:(?:pay|reg|subscription|subscriber)[-_]?wall|meter[-_](?!bar|graph|value))"
)

_ALL_POINTER_WORDS: Final = (*POINTER_WORDS, *POINTER_WORDS_ALONE)
_LONGEST_FIRST: Final = sorted(_ALL_POINTER_WORDS, key=len, reverse=True)
_EDGES: Final = re.compile(r"^[\W_]+|[\W_]+$")
_POINTER_LINES: Final = frozenset(_EDGES.sub("", words) for words in POINTER_WORDS)
_LEAD_IN_LINES: Final = _POINTER_LINES | frozenset(POINTER_WORDS_ALONE)
MAX_LINE: Final = max(map(len, _ALL_POINTER_WORDS)) + 4  # characters of a lead-in with its signs
_COLONS: Final = frozenset(":：")
_SET_APART: Final = _COLONS | frozenset("|–—-→»>")  # signs that part a lead-in from its link
_APPEAL_WORDS: Final = re.compile(
    r"subscri|free (?:articles?|stories)|sign (?:in|up)|log ?in|register|registrier|registrat|regístr"
    r"|abonn|abbonat|suscri|assina|prenumer|tilaa"
    r"|předplat|predplat|előfizet|підпис|передплат|подпис|зарегистр|συνδρομ|abone|مشترك|اشتر|מנוי|ग्राहक|सदस्य"
    r"|購読|会員|订阅|订户|訂閱|會員|구독|회원",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"\w+")


class _TextRun(NamedTuple):
    """A text of a block, whether it leads to another page, and whether it is set in other type."""

    text: str
    linked: bool = False
    marked: bool = False


# --- pointers to other articles ------------------------------------------------------------------


def pointers(columns: Columns, measured: Measured, kept: Sequence[int]) -> list[int]:
    """The blocks that are links to other articles and a lead-in, and are called so or say so."""
    short = [
        block
        for block in kept
        if columns.linked[block]
        and len(columns.text[block]) <= MAX_POINTER
        and columns.tag[columns.home[block]] not in _NO_POINTERS
    ]
    called = _called_pointers(columns, measured, short)
    found = [
        block
        for block in short
        if (block in called or _after_lead_in(columns.text[block]) is not None)
        and _is_pointer(columns, block, called=block in called)
    ]
    below = {*_below_lead_ins(columns, kept)}
    return (
        found + [block for block in kept if block in below and block not in found]
        if below
        else found
    )


def _below_lead_ins(columns: Columns, kept: Sequence[int]) -> list[int]:
    """Lines that are a lead-in alone, kept or not, with the links below each of them."""
    below: list[int] = []
    for block in range(kept[0], kept[-1] + 1) if kept else ():
        text = columns.text[block]
        if not announces_others(columns, block):
            continue
        if text[-1] not in _COLONS and _bare(text) not in _POINTER_LINES:
            continue
        links = range(block + 1, min(block + 1 + MAX_LINKS, kept[-1] + 1))
        found = list(takewhile(partial(_is_link, columns), links))
        if found and columns.kind[block] not in (CELL, CODE):
            below += [block, *found]
    return below


def announces_others(columns: Columns, block: int) -> bool:
    """Whether a block is a line that stands above links to other articles, and no link itself."""
    text = columns.text[block]  # "Read more" is a button, too
    return len(text) <= MAX_LINE and not columns.linked[block] and _bare(text) in _LEAD_IN_LINES


def _bare(text: str) -> str:
    """A line in lower case, without the signs around it."""
    line = text.lower().replace("i\u0307", "i")  # what becomes of the Turkish capital
    return line if line[0].isalnum() and line[-1].isalnum() else _EDGES.sub("", line)


def _is_link(columns: Columns, block: int) -> bool:
    """Whether a block is a link to another page, and nothing else."""
    if (
        columns.linked[block] < ALL_LINK * columns.chars[block]
        or len(columns.text[block]) > MAX_POINTER
        or columns.kind[block] in (CELL, CODE)
    ):
        return False
    link = columns.node[columns.home[block]].css_first("a")
    return link is None or _leads_away(link)  # none where the link is around the block


def _called_pointers(columns: Columns, measured: Measured, blocks: Sequence[int]) -> set[int]:
    """The blocks whose own element, or a box without prose around it, is called a pointer."""
    called = _called(columns, measured.names, blocks, _is_pointer_name)
    if not called:
        return set()
    prose = [0] * len(columns.parent)
    for home, length in zip(columns.home, measured.good, strict=True):
        prose[home] += length
    sum_up(columns.parent, prose)
    return {
        block
        for block, box in called.items()
        if (box == columns.home[block] or not prose[box])
        # Headings and sections take their ids from their titles: "work-related-injuries".
        and _is_pointer_name(columns.node[box].attributes.get("class") or "")
    }


def _is_pointer(columns: Columns, block: int, *, called: bool) -> bool:
    """Whether all but a lead-in is link; without a telling name the lead-in must be a known one."""
    pieces = _pieces(columns, block)
    first = next((place for place, piece in enumerate(pieces) if piece.linked), None)
    if first is None:
        return False
    if called:
        outside = " ".join(piece.text for piece in pieces if not piece.linked)
        return len(_WORD.findall(outside)) <= MAX_LEAD_IN
    if any(_WORD.search(piece.text) for piece in pieces[first:] if not piece.linked):
        return False
    return _leads_in(pieces[:first] or pieces[:1], alone=first > 0) or (
        first > 0 and _is_lead_in_line(pieces[:first]) and _is_headline(pieces)
    )


def _is_lead_in_line(pieces: Sequence[_TextRun]) -> bool:
    """Whether a text is a lead-in and nothing else, one that is said of nothing but other articles."""
    return _bare(tidy("".join(piece.text for piece in pieces))) in _POINTER_LINES


def _leads_in(pieces: Sequence[_TextRun], *, alone: bool) -> bool:
    """Whether a text is one of the known lead-ins, set apart by a colon or by its type.

    "Read also <the letter of May>" would be a sentence. Where the lead-in is not `alone`, it begins the link.
    """
    rest = _after_lead_in(tidy("".join(piece.text for piece in pieces)))
    if rest is None or (alone and _WORD.search(rest)):
        return False
    is_apart = rest.lstrip()[:1] in (_SET_APART if alone else _COLONS)
    return is_apart or (alone and all(piece.marked for piece in pieces))


def _is_headline(pieces: Sequence[_TextRun]) -> bool:
    """Whether what is linked reads like a headline: long, with a capital, and no sentence goes on in it."""
    linked = tidy("".join(piece.text for piece in pieces if piece.linked))
    return letters(linked) >= MIN_HEADLINE and not linked[0].islower() and pieces[-1].linked


def _after_lead_in(text: str) -> str | None:
    """What follows a known lead-in at the beginning of a text; None where there is none."""
    start = _WORD.search(text)
    rest = text[start.start() :].lower().replace("i\u0307", "i") if start else ""
    if not rest.startswith(_ALL_POINTER_WORDS):
        return None
    return next(rest[len(words) :] for words in _LONGEST_FIRST if rest.startswith(words))


def _pieces(columns: Columns, block: int) -> list[_TextRun]:
    """The texts of a block in order; none in doubt.

    In doubt it is where its element holds more than the block, or more than a pointer has.
    """
    found = islice(_texts(columns.node[columns.home[block]], _TextRun("")), MAX_NODES)
    pieces = [piece for piece in found if piece.text and not piece.text.isspace()]
    whole = "".join("".join(tidy(piece.text).split()) for piece in pieces)
    return pieces if whole == "".join(columns.text[block].split()) else []


def _texts(element: LexborNode, around: _TextRun) -> Iterator[_TextRun]:
    """The texts below an element; an empty one for each element, so that counting them ends."""
    node = element.first_child
    while node is not None:
        tag = node.tag or ""
        if tag == "-text":
            yield around._replace(text=node.text_content or "")
        else:
            yield around
            if tag not in _UNREAD_TAGS:
                yield from _texts(node, _within(node, tag, around))
        node = node.next


def _within(node: LexborNode, tag: str, around: _TextRun) -> _TextRun:
    linked = around.linked or (tag == "a" and _leads_away(node))
    return _TextRun("", linked, around.marked or tag in _MARK_TAGS)


def _leads_away(link: LexborNode) -> bool:
    href = (link.attributes.get("href") or "").strip().lower()
    return bool(href) and not href.startswith(_NO_PAGES)


# --- appeals to subscribe ------------------------------------------------------------------------


def appeals(columns: Columns, measured: Measured, kept: Sequence[int]) -> list[int]:
    """The blocks that ask to subscribe, in a small box that is called a wall and has a way through it."""
    if (
        "wall" not in measured.all_names and "meter" not in measured.all_names
    ):  # as on nearly all pages
        return []
    called = _called(columns, measured.names, kept, _is_wall_name)
    if not called:
        return []
    size, buttons = _fillings(columns)
    found = [
        block
        for block, box in called.items()
        if size[box] <= MAX_WALL
        and _APPEAL_WORDS.search(columns.text[block])
        and (buttons[box] or _has_button(columns, box))
    ]
    return found if len(found) < len(kept) else []


def _fillings(columns: Columns) -> tuple[list[int], list[int]]:
    """Characters, and blocks that are nothing but links, in each element."""
    size, buttons = [0] * len(columns.parent), [0] * len(columns.parent)
    for home, text, chars, linked in zip(
        columns.home, columns.text, columns.chars, columns.linked, strict=True
    ):
        size[home] += len(text)
        buttons[home] += linked >= A_LINK * chars
    sum_up(columns.parent, size)
    sum_up(columns.parent, buttons)
    return size, buttons


def _has_button(columns: Columns, box: int) -> bool:
    return columns.node[box].css_first("button, form") is not None


# --- what boxes call themselves ------------------------------------------------------------------


def _called(
    columns: Columns, names: Sequence[str], blocks: Sequence[int], matches: Callable[[str], bool]
) -> dict[int, int]:
    """The blocks that stand in, or close by in, an element of such a name, and that element."""
    parent, home = columns.parent, columns.home
    nearest: dict[int, int] = {}
    for place in {home[block] for block in blocks}:
        box = place
        for _ in range(NEAR + 1):
            if box <= 0:
                break
            if names[box] and matches(names[box]):
                nearest[place] = box
                break
            box = parent[box]
    return {block: nearest[home[block]] for block in blocks if home[block] in nearest}


@lru_cache(maxsize=8192)  # pages of one publisher share their names
def _is_pointer_name(names: str) -> bool:
    return _POINTER_NAMES.search(names[:MAX_NAME].lower()) is not None


@lru_cache(maxsize=8192)
def _is_wall_name(names: str) -> bool:
    return _WALL_NAMES.search(names[:MAX_NAME].lower()) is not None
