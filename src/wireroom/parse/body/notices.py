"""What a paper says in between, and not in the article: advertisements, appeals, consent, bylines.

What they say, how they are built and what they call themselves decide together: a story may speak of subscribers, and a
box may be called an advertisement's and hold the article. Pure: block numbers come out, nothing is dropped here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from wireroom.dates.months import MONTH_NAMES, bare, month_names
from wireroom.parse.body.block_features import Measured, sum_up
from wireroom.parse.body.blocks import ALT, CAPTION, CELL, CODE, HEADING, ITEM, Columns
from wireroom.parse.body.element_names import NameTest, having
from wireroom.parse.body.notice_phrases import (
    AD_LABELS,
    AD_NAMES,
    AD_WORDS,
    ASKS,
    BOX_NAMES,
    BY_WORDS,
    CONSENT,
    CONTINUES,
    DATE_LABELS,
    EASTERN_BYLINE,
    EASTERN_DATE,
    EMBEDS,
    READING_TIME,
    SMALL_WORDS,
    THINGS,
    WEEKDAYS,
    NoticePhrases,
)

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_APPEAL: Final = 400  # characters of a paragraph that asks for something
MAX_LINKS: Final = 6  # of it that are looked at
MAX_LABEL: Final = 90  # characters of a line that announces or ends an advertisement
MAX_WORDS: Final = 9  # of such a line
MAX_BOX: Final = 600  # characters of a box between paragraphs; more is a part of the article
MAX_AD: Final = 300  # characters of an advertisement in a box that is called one
LABEL_BOXES: Final = 4  # elements around a label that may be the box it opens
MAX_LINE: Final = 160  # characters of a byline with date and time of reading
MAX_NAMES: Final = 12  # words of a byline
MAX_NAME_WORDS: Final = 4  # of one name that no word introduces
TOP_PROSE: Final = 2  # long blocks up to which bylines are looked for
MAX_NAME: Final = 200  # characters of a name looked at by a pattern
A_BUTTON: Final = (
    0.4  # share of link text in a line with a way to subscribe: "A subscriber? Log in"
)
BEGINNING: Final = 4  # words with which an appeal that stands alone begins

_WORD: Final = re.compile(r"\w+")
_EDGES: Final = re.compile(r"^[\W_]+|[\W_]+$")
_PARTS: Final = re.compile(r"\s*[|•·\n]\s*|\s+[–—-]\s+|\s{3,}")
_BEFORE_DAY: Final = re.compile(r",\s+(?=\d)")
_BEFORE_STAMP: Final = re.compile(r"\s+(?=(?:\D{2,4}\s{0,3})?(?:19|20)\d\d\s?[.年년/-])")
_TIME: Final = re.compile(
    r"\W*\d{1,2}[:.h]\d{2}\W*(?:[ap]\.?m\.?|uhr|h|[a-z]{3,4})?\W*", re.IGNORECASE
)
_AD_NAMES: Final = NameTest(AD_NAMES)
_HEADINGS: Final = frozenset(
    ("h1", "h2", "h3", "h4", "h5", "h6")
)  # their ids are made of their words
_NO_BOXES: Final = frozenset(("p", "li", "blockquote", "td", "figure", "ul", "ol"))
_FIELDS: Final = "form, input, button, [role=button]"


# --- advertisements ------------------------------------------------------------------------------


def advertisements(columns: Columns, measured: Measured, kept: Sequence[int]) -> list[int]:
    """The kept blocks that label an advertisement or stand in the box of one."""
    labels = _ad_labels(columns, kept)
    boxes = {box for block in labels if (box := _box_of_label(columns, measured, block)) > 0}
    boxes |= _called_ads(columns, measured)
    if not boxes:
        return labels
    size, around = _characters(columns), _way_up(columns, measured.container)
    boxes = {box for box in boxes if size[box] <= MAX_AD and box not in around}
    inside = _inside(columns, boxes)
    in_boxes = [block for block in kept if inside[columns.home[block]]]
    return in_boxes + [block for block in labels if not inside[columns.home[block]]]


def _ad_labels(columns: Columns, kept: Sequence[int]) -> list[int]:
    """The kept blocks that label an advertisement; all short ones are searched for its words at once."""
    short = [block for block in kept if len(columns.text[block]) <= MAX_LABEL]
    lines = [columns.text[block].casefold() for block in short]
    spoken = has_any(AD_WORDS, "\n".join([line for line in lines if line.count(" ") < MAX_WORDS]))
    return [
        block
        for block, line in zip(short, lines, strict=True)
        if _is_label(line, spoken=spoken) and _is_line(columns, block)
    ]


def _called_ads(columns: Columns, measured: Measured) -> set[int]:
    """The elements that are called advertisements, and hold no prose or a link."""
    words = _AD_NAMES.among(measured.words)
    if not words:
        return set()
    names = having(words, measured.names)
    called = {
        place
        for place, name in enumerate(measured.names)
        if name in names and columns.tag[place] not in _HEADINGS
    }
    prose = [0] * len(columns.parent)
    links = [0] * len(columns.parent)
    for home, length, linked in zip(columns.home, measured.good, columns.linked, strict=True):
        prose[home] += length
        links[home] += linked
    sum_up(columns.parent, prose)
    sum_up(columns.parent, links)
    return {place for place in called if not prose[place] or links[place]}


def is_ad_label(text: str) -> bool:
    """Whether a line says that an advertisement stands here, or that the article goes on after it."""
    return len(text) <= MAX_LABEL and _is_label(text.casefold(), spoken=True)


def _is_label(folded: str, *, spoken: bool) -> bool:
    """The same of a short line in lower case, where advertisements may be `spoken` of, or only labelled."""
    line = folded
    if not (folded[0].isalnum() and folded[-1].isalnum()):
        line = _EDGES.sub("", folded)
    if line in AD_LABELS:
        return True
    if not spoken or (folded[-1] in ".!?" and not line.startswith(AD_WORDS)):
        return False  # a sentence
    return has_any(AD_WORDS, line) and has_any(CONTINUES, line) and len(line.split()) <= MAX_WORDS


def _is_line(columns: Columns, block: int) -> bool:
    return columns.kind[block] not in (CELL, CODE, CAPTION, ALT)


def _box_of_label(columns: Columns, measured: Measured, block: int) -> int:
    """The box that a label opens, or 0: it holds more than the label, and no other box looks like it."""
    box = columns.home[block]
    before = columns.home[block - 1] if block else 0
    after = columns.home[block + 1] if block + 1 < len(columns.home) else 0
    for _ in range(LABEL_BOXES):
        if box <= 0 or _holds(columns, box, before):
            return 0
        if _holds(columns, box, after):
            return 0 if _looks_like_others(columns, measured, box) else box
        box = columns.parent[box]
    return 0


def _looks_like_others(columns: Columns, measured: Measured, box: int) -> bool:
    """Whether prose elsewhere stands in boxes of the same tag and name."""
    look = columns.tag[box], measured.names[box]
    others = (
        columns.parent[home]
        for home, length in zip(columns.home, measured.good, strict=True)
        if length and not _holds(columns, box, home)
    )
    return any((columns.tag[other], measured.names[other]) == look for other in others)


def _holds(columns: Columns, box: int, element: int) -> bool:
    while element > box:
        element = columns.parent[element]
    return element == box


# --- boxes that ask for something ----------------------------------------------------------------


def requests(columns: Columns, measured: Measured, kept: Sequence[int]) -> list[int]:
    """The kept blocks of boxes that ask to subscribe, to sign in, for an address or for consent."""
    boxes = _request_boxes(columns, measured, kept)
    inside = _inside(columns, boxes) if boxes else []
    found = [block for block in kept if boxes and inside[columns.home[block]]]
    found += [block for block in _asking_alone(columns, kept) if block not in found]
    return found if len(found) < len(kept) else []


def _request_boxes(columns: Columns, measured: Measured, kept: Sequence[int]) -> set[int]:
    """The small boxes that ask for something, with a kept block that says so.

    How a box is built is looked at first: most have no way to give anything, and their words need not be searched.
    """
    around = _way_up(columns, measured.container)
    homes = {home for block in kept if columns.parent[home := columns.home[block]] not in around}
    if not homes:
        return set()
    size = _characters(columns)
    boxes = {_small_box(columns, size, around, home) for home in homes}
    boxes = {box for box in boxes if box and columns.tag[box] not in _NO_BOXES}
    if not boxes:
        return boxes
    asked = frozenset(kept)
    filling = _fillings(columns, boxes)
    return {
        box
        for box, blocks in filling.items()
        if _is_request(columns, measured, box, blocks)
        and any(
            _asks(columns.text[block])
            for block in blocks
            if block in asked and columns.home[block] in homes
        )
    }


def _fillings(columns: Columns, boxes: set[int]) -> dict[int, list[int]]:
    """The blocks in each of some boxes, none of which stands in another."""
    box_of = [0]
    for element, outer in enumerate(columns.parent[1:], 1):
        box_of.append(element if element in boxes else box_of[outer])
    found: dict[int, list[int]] = {box: [] for box in boxes}
    for block, home in enumerate(columns.home):
        if box_of[home]:
            found[box_of[home]].append(block)
    return found


def _asks(text: str) -> bool:
    folded = text.casefold()
    return len(folded) <= MAX_BOX and (has_any(ASKS, folded) or has_any(CONSENT, folded))


def has_any(words: NoticePhrases, text: str) -> bool:
    """Whether a text in lower case holds any of some words."""
    return any(map(text.__contains__, words.that_fit(text)))


def _small_box(columns: Columns, size: list[int], around: set[int], element: int) -> int:
    """The largest box around an element that is still small, and does not hold the article; 0 for none."""
    box = 0
    while element > 0 and element not in around and size[element] <= MAX_BOX:
        box, element = element, columns.parent[element]
    return box


def _is_request(columns: Columns, measured: Measured, box: int, blocks: Sequence[int]) -> bool:
    """Whether a box offers a way to give something, and asks for it."""
    node, name = columns.node[box], measured.names[box]
    fields = node.css_first(_FIELDS) is not None
    given = fields or (bool(name) and _is_box_name(name))
    if not given and not any(_is_button(columns, block) for block in blocks):
        return False
    text = "\n".join([columns.text[block] for block in blocks]).casefold()
    if given and has_any(CONSENT, text) and has_any(EMBEDS, text):
        return True
    return has_any(ASKS, text) and (
        has_any(THINGS, text) or (fields and node.css_first("input") is not None)
    )


def _is_button(columns: Columns, block: int) -> bool:
    return columns.linked[block] >= A_BUTTON * columns.chars[block] > 0


def _asking_alone(columns: Columns, kept: Sequence[int]) -> list[int]:
    """The texts with links that are nothing but an appeal: they begin with it, or lead nowhere else."""
    linked = {
        block: columns.text[block].casefold()
        for block in kept
        if columns.linked[block]
        and len(columns.text[block]) <= MAX_APPEAL
        and columns.kind[block] not in (CELL, CODE)
    }
    spoken = "\n".join(linked.values())
    asks = NoticePhrases([words for words in ASKS.that_fit(spoken) if words in spoken])
    asking = [block for block, text in linked.items() if has_any(asks, text)] if asks else []
    found = [
        block
        for block in asking
        if columns.kind[block] != ITEM and _leads_to_offers(columns.node[columns.home[block]])
    ]
    return found + [
        block
        for block in asking
        if block not in found
        and len(columns.text[block]) <= MAX_AD
        and has_any(asks, " ".join(linked[block].split(maxsplit=BEGINNING)[:BEGINNING]))
        and has_any(THINGS, linked[block])
    ]


def _leads_to_offers(node: LexborNode) -> bool:
    addresses = [link.attributes.get("href") or "" for link in node.css("a")[:MAX_LINKS]]
    return bool(addresses) and all(map(_OFFERS.search, addresses))


_OFFERS: Final = re.compile(
    r"subscri|newsletter|sign-?up|signup|(?<![a-z])(?:join|register|registration|donat|member|membership|patreon|paypal|ko-?fi|gofundme"
    r"|abo(?:nn[a-z]*|s)?|suscri[a-z]*|assin[a-z]*|iscri[a-z]*|prenumer[a-z]*|apps?\.apple|play\.google|mailchi)(?![a-z])",
    re.IGNORECASE,
)


# --- bylines and dates at the top ----------------------------------------------------------------


def bylines(columns: Columns, measured: Measured, kept: Sequence[int]) -> list[int]:
    """The kept blocks at the top of the text that only say who wrote it, when, and how long it takes to read."""
    found = []
    prose = 0
    for block in kept:
        text = columns.text[block]
        if columns.kind[block] not in (HEADING, CELL, CODE) and is_byline(text):
            found.append(block)
        elif measured.good[block]:
            prose += 1
            if prose >= TOP_PROSE:
                break
    return found


def is_byline(text: str) -> bool:
    """Whether a line names authors, days and times of reading, and nothing else."""
    if len(text) > MAX_LINE:
        return False
    parts = [part for part in _PARTS.split(text) if _WORD.search(part)]
    others = [part for part in parts if not _is_part(part)]
    return len(others) < len(parts) and all(_TIME.fullmatch(p) or _is_a_name(p) for p in others)


def _is_a_name(text: str) -> bool:
    """Whether a text may be somebody's name, beside a date: two to four words with capitals."""
    return 1 < len(text.split()) <= MAX_NAME_WORDS and _are_names(text)


def _is_part(text: str) -> bool:
    if READING_TIME.fullmatch(text) or is_date(text):
        return True
    if EASTERN_DATE.fullmatch(text) and any(map(str.isdigit, text)):
        return True
    if EASTERN_BYLINE.fullmatch(text) or _is_stamped_byline(text):
        return True
    by = BY_WORDS.match(text)
    if by is None:
        return False
    names, *day = _BEFORE_DAY.split(text[by.end() :], maxsplit=1)
    return _are_names(names) and all(is_date(part) or _TIME.fullmatch(part) for part in day)


def _is_stamped_byline(text: str) -> bool:
    """Whether a name and the day stand side by side, as papers in Korea and Japan print them."""
    name, *stamp = _BEFORE_STAMP.split(text, maxsplit=1)
    return (
        bool(stamp)
        and EASTERN_BYLINE.fullmatch(name) is not None
        and EASTERN_DATE.fullmatch(stamp[0]) is not None
    )


def _are_names(text: str) -> bool:
    """Whether a text is names: few words, all of them with a capital, but for those between two."""
    if text[-1:] in "!?:…" or (text[-1:] == "." and len(text.split()) > 3):
        return False
    words = [word for word in _WORD.findall(text) if word.casefold() not in SMALL_WORDS]
    lettered = sum(word[0].isalpha() for word in words)  # two days and hours may follow the names
    return 0 < lettered <= MAX_NAMES and all(not word[0].islower() for word in words)


def is_date(text: str) -> bool:
    """Whether a line is a date, with or without a time and a word of what happened then."""
    words = _WORD.findall(text)
    if len(words) > MAX_NAMES or not any(map(str.isdigit, text)):
        return False
    numbers = months = others = 0
    for word in words:
        if word[0].isdigit():
            numbers += 1
        elif _is_month(word):
            months += 1
        elif DATE_LABELS.fullmatch(word) is None and word.casefold() not in WEEKDAYS:
            others += 1
    return not others and (numbers >= 3 or (numbers >= 1 and months >= 1))


def _is_month(word: str) -> bool:
    plain = bare(word)
    return plain in month_names("") or plain in _MONTHS


_MONTHS: Final = frozenset(form for names in MONTH_NAMES.values() for form, _ in names)


# --- shared --------------------------------------------------------------------------------------


def _characters(columns: Columns) -> list[int]:
    size = [0] * len(columns.parent)
    for home, text, kind in zip(columns.home, columns.text, columns.kind, strict=True):
        if kind != ALT:
            size[home] += len(text)
    sum_up(columns.parent, size)
    return size


def _way_up(columns: Columns, element: int) -> set[int]:
    found = set()
    while element >= 0:
        found.add(element)
        element = columns.parent[element]
    return found


def _inside(columns: Columns, boxes: set[int]) -> list[bool]:
    inside = [False]
    for element, outer in enumerate(columns.parent[1:], 1):
        inside.append(inside[outer] or element in boxes)
    return inside


@lru_cache(maxsize=8192)  # pages of one publisher share their names
def _is_box_name(names: str) -> bool:
    return BOX_NAMES.search(names[:MAX_NAME].lower()) is not None
