"""Small boxes between and after the paragraphs: a pointer to another article, an appeal to subscribe.

What they call themselves, how they are built and what they say decide together, for none of it is enough:
papers put whole articles into a `paywall`, "Website:" before a link is a fact of the story, and "Read also" may
begin a sentence. Pure: block numbers come out, nothing is dropped here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from wireroom.parse.body.block_features import Measured, sum_up
from wireroom.parse.body.blocks import Columns, tidy

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_POINTER: Final = 250  # characters; headlines have some 60, with their lead-in hardly 150
MAX_LEAD_IN: Final = 6  # words that stand outside of the links of a pointer
MAX_NODES: Final = 60  # of a pointer's markup; it has a handful
MAX_WALL: Final = (
    400  # characters; what is called a wall and holds more is a curtain before the article
)
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

# "Read more" is not among them: as often as not, what it points to is part of the advice given.
_POINTER_WORDS: Final = (
    "read also", "also read", "see also", "also see", "related", "related article", "related story",
    "related stories", "related reading", "must read", "you may also like", "you might also like",
    "lesen sie auch", "lies auch", "siehe auch", "auch interessant", "mehr zum thema",
    "à lire aussi", "lire aussi", "à lire également", "lire également", "voir aussi",
    "lea también", "lee también", "leer también", "ver también", "leia também", "veja também",
    "leggi anche", "lees ook", "läs också", "läs även", "læs også", "les også", "lue myös",
    "czytaj także", "czytaj też", "zobacz także", "zobacz też", "čtěte také", "citește și",
    "читайте также", "смотрите также", "читайте також", "διαβάστε επίσης", "διαβάστε ακόμα",
    "اقرأ أيضا", "اقرأ أيضاً", "اقرأ أيضًا", "यह भी पढ़ें", "ये भी पढ़ें", "baca juga",
    "関連記事", "延伸阅读", "延伸閱讀", "相关阅读", "相關閱讀", "관련 기사", "관련기사", "함께 읽기",
)  # fmt: skip
_LONGEST_FIRST: Final = sorted(_POINTER_WORDS, key=len, reverse=True)
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
    return [
        block
        for block in short
        if (block in called or _after_lead_in(columns.text[block]) is not None)
        and _is_pointer(columns, block, called=block in called)
    ]


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
    return _leads_in(pieces[:first] or pieces[:1], alone=first > 0)


def _leads_in(pieces: Sequence[_TextRun], *, alone: bool) -> bool:
    """Whether a text is one of the known lead-ins, set apart by a colon or by its type.

    "Read also <the letter of May>" would be a sentence. Where the lead-in is not `alone`, it begins the link.
    """
    rest = _after_lead_in(tidy("".join(piece.text for piece in pieces)))
    if rest is None or (alone and _WORD.search(rest)):
        return False
    is_apart = rest.lstrip()[:1] in (_SET_APART if alone else _COLONS)
    return is_apart or (alone and all(piece.marked for piece in pieces))


def _after_lead_in(text: str) -> str | None:
    """What follows a known lead-in at the beginning of a text; None where there is none."""
    start = _WORD.search(text)
    rest = text[start.start() :].lower() if start else ""
    if not rest.startswith(_POINTER_WORDS):
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
