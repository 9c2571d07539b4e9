"""The words of pictures: captions, what images say of themselves, and who took them.

The weights cannot tell captions from the rest, for few of the texts they learned from hold any. So they are found by
their element, their name and where they stand: between kept blocks, or at either end of the article. Credits are no part
of it. Pure: block numbers come out, and only the kind and the end of a caption's own text are changed here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from itertools import compress
from typing import Final, NamedTuple

from wireroom.parse.body.block_features import FEATURES, Measured, sum_up
from wireroom.parse.body.blocks import (
    ALT,
    CAPTION,
    CELL,
    CODE,
    HEADING,
    PARAGRAPH,
    TEXT,
    Columns,
    tidy,
)
from wireroom.parse.body.element_names import NameTest, having

CLOSE_BY: Final = 2  # blocks between a picture and the text it belongs to
BEFORE: Final = 6  # blocks before the text that are looked at on a page without a headline
MIN_ALT_WORDS: Final = 2  # fewer are a name of a file or of nothing
MAX_KNOWN: Final = 0.6  # share of an image's words that the text may say already
MAX_CAPTION: Final = 600  # characters; what is called a caption and holds more is none
MAX_ALONE: Final = 200  # characters of a line that is a caption for standing alone with an image
MAX_CREDIT: Final = 140  # characters of a line that only says who took a picture
MAX_AGENCY: Final = 20  # characters of the longest agency's name, and a few more
MAX_NAME: Final = 200  # characters of a name looked at by a pattern
MAX_SIGNS: Final = (
    40  # kinds of signs in a text; one of signs alone must not be gone through for each
)
MAX_CLIMB: Final = 12  # elements around a picture that are looked at

_STEPS_UP: Final = FEATURES.index("steps_up")
_WORD: Final = re.compile(r"\w+")
_ASCII: Final = bytes(range(128))
_WORD_BYTES: Final = bytes(c if c > 127 or chr(c).isalnum() or c == 95 else 32 for c in range(256))
"""For `bytes.translate` of UTF-8: of ASCII what is part of a word, as the pattern has it."""
_ELSEWHERE: Final = frozenset(("aside", "nav", "footer", "form"))
_BOXES: Final = frozenset(("div", "section", "span", "center"))
_CAPTION_NAMES: Final = NameTest(
    re.compile(
        r"(?:^|[^a-z])(?:(?:wp|wp-element|image|img|photo|picture|media|figure|fig|foto|bild|inline|article|gallery|slide)?[-_]{0,2}"
        r"(?:caption|cutline)s?(?:[-_]{0,2}(?:text|content|body|inner))?|bild(?:unterschrift|text|beschreibung)|billed-?tekst"
        r"|(?:photo|image|img)-?legend[ea]?|legend[ea]?-(?:photo|foto|image)|pie-?(?:de-?)?foto|didascalia|(?:foto)?(?:bij|onder)schrift"
        r"|kuvateksti|popis(?:ek)?-?(?:foto|obrazku))(?:$|[^a-z])"
    )
)
_CREDIT_QUERY: Final = (
    '[class*="credit" i],[class*="copyright" i],[class*="photographer" i],[class*="source" i],'
    '[itemprop="copyrightHolder"],[class*="bildnachweis" i],[class*="quelle" i],[class*="auteur" i]'
)
_CREDIT_NAMES: Final = re.compile(
    r"(?:^|[^a-z])(?:(?:photo|image|img|picture|media|foto|bild|caption|figure)?[-_]{0,2}(?:credits?|copyright|photographer)"
    r"|bildnachweis|fotocredits?|credito-?foto)(?:$|[^a-z])"
)
_LABELS: Final = (
    r"photo(?:s|graph(?:s|er|y)?|graphie|graphe)?|images?|picture|pic|illustrations?|graphics?|credits?|courtesy"
    r"|fotos?|fotograf(?:[íi]a|ie|o|a|en)?|bild(?:er|quelle|nachweis)?|grafik|cr[ée]dit(?:s|os?|i)?|imagen|imagem|immagine|beeld|kuva"
    r"|zdj(?:ęcie)?|fot|zdroj|kép|fotó|снимок|фото|изображение|φωτο(?:γραφία)?|fotoğraf|görsel|صورة|تصوير|صور|תמונה|צילום|फोटो|तस्वीर"
    r"|写真(?:提供)?|撮影|画像|图片(?:来源)?|圖片(?:來源)?|摄影|攝影|图源|사진(?:제공)?|gambar|ảnh|ภาพ"
)
_AGENCIES: Final = (
    r"getty images|reuters|afp|ap|ap photo|dpa|apa|epa|efe|ansa|imago|picture alliance|shutterstock|i?stock(?:photo)?|alamy|unsplash|pexels"
    r"|belga|anp|tt|ntb|ritzau|lehtikuva|pap|čtk|ctk|mti|keystone|bloomberg|xinhua|新华社|新華社|共同通信|時事通信|연합뉴스|тасс|риа новости"
)
# "Photo: Jane Doe", "Photo credit: Jane Doe", "Photo by Jane Doe", "© Jane Doe", "Jane Doe/Reuters", "(AP Photo/Jane Doe)".
_CREDIT: Final = re.compile(
    rf"(?:(?<![^\W_])(?:{_LABELS})s?\.?(?:\s+(?:credits?|source|courtesy(?: of)?|by|von|quelle|photo|foto|images?))?\s*(?:[:：／|=]|\s[–—-]\s|\b(?:by|courtesy of|von|door)\s)"
    rf"|(?<!\w)(?:fot|zdj)\.\s|©|\(c\)\s|\b(?:{_AGENCIES})\s*/|\([^()]{{0,60}}\b(?:{_AGENCIES})\b[^()]{{0,30}}\)$)",
    re.IGNORECASE,
)
_BY_AGENCY: Final = re.compile(
    rf"(?:^|(?<=[.!?…。”\"»)\]|]))\s*[^.!?…。/]{{2,60}}\s?/\s?(?:{_AGENCIES})\W*$", re.IGNORECASE
)
_AGENCY: Final = re.compile(_AGENCIES, re.IGNORECASE)
_BEFORE_CREDIT: Final = " \t\n([（［|–—-•·,;:/"
_CREDIT_SIGNS: Final = (
    ":",
    "：",
    "©",
    "/",
    "／",
    "=",
    "(",
    " by ",
    " von ",
    " door ",
    " of ",
    "|",
    " – ",
    " - ",
    " — ",
    "ot.",
    "dj.",
)
"""One of these stands in every credit: a quick look that spares the pattern most lines."""
_SENTENCE_END: Final = frozenset('.!?…。”"»)]')


class PictureBlock(NamedTuple):
    """A block that belongs to a picture of the article, and why it is kept."""

    block: int
    reason: str


# --- what is a caption ---------------------------------------------------------------------------


def name_captions(columns: Columns, measured: Measured) -> None:
    """Makes captions of what is called so or stands alone with an image, and none of the title of a table."""
    _free_table_titles(columns)
    for block in _alone_with_an_image(columns):
        columns.kind[block] = CAPTION
    words = _CAPTION_NAMES.among(measured.words)
    if not words:
        return
    names = having(words, measured.names)
    called = {place for place, name in enumerate(measured.names) if name in names}
    size = [0] * len(columns.parent)
    for home, text in zip(columns.home, columns.text, strict=True):
        size[home] += len(text)
    sum_up(columns.parent, size)
    for block, (kind, home) in enumerate(zip(columns.kind, columns.home, strict=True)):
        box = home if home in called else columns.parent[home]
        if kind in (TEXT, PARAGRAPH) and box in called and size[box] <= MAX_CAPTION:
            columns.kind[block] = CAPTION


def _alone_with_an_image(columns: Columns) -> list[int]:
    """Short lines that follow an image in a box that holds nothing else, whatever it is called."""
    found = []
    for first, image, in_link in columns.images:
        block = first + (columns.kind[first : first + 1] == [ALT])  # what the image says of itself
        if in_link or block >= len(columns.text) or len(columns.text[block]) > MAX_ALONE:
            continue
        box = columns.home[block]
        if columns.tag[box] == "p" and box:
            box = columns.parent[box]
        if (
            columns.kind[block] in (TEXT, PARAGRAPH)
            and columns.tag[box] in _BOXES
            and image.parent is not None
            and image.parent.mem_id == columns.node[box].mem_id
            and not _stands_in(columns, first - 1, box)
            and not _stands_in(columns, block + 1, box)
        ):
            found.append(block)
    return found


def _stands_in(columns: Columns, block: int, box: int) -> bool:
    """Whether there is such a block, in this element or in one inside."""
    element = columns.home[block] if 0 <= block < len(columns.home) else -1
    while element > box:
        element = columns.parent[element]
    return element == box


def _free_table_titles(columns: Columns) -> None:
    if "caption" not in columns.tag:
        return
    for block, home in enumerate(columns.home):
        if columns.kind[block] == CAPTION and "caption" in (
            columns.tag[home],
            columns.tag[columns.parent[home]],
        ):
            columns.kind[block] = TEXT


# --- which of them belong to the article ---------------------------------------------------------


def pictures(
    columns: Columns,
    measured: Measured,
    keep: Sequence[bool],
    skipped: Iterable[int],
    is_title: Callable[[str], bool],
) -> list[PictureBlock]:
    """Captions that stand by the article's text, and the words of images that have none.

    An image's own words stay when it is the only one, or when they say something that the text does not.
    """
    if CAPTION not in columns.kind and ALT not in columns.kind:
        return []
    found: list[PictureBlock] = []
    alts: list[PictureBlock] = []
    for picture in _by_the_text(columns, measured, keep, skipped):
        text = columns.text[picture.block]
        if columns.kind[picture.block] == CAPTION:
            found.append(picture)
        elif not _has_caption(columns, picture.block) and not is_title(text):
            alts.append(picture)
    spoken = words_spoken(" ".join(compress(columns.text, keep)) if len(alts) > 1 else "")
    return found + [
        alt
        for alt in alts
        if len(alts) == 1 or _says_something_new(columns.text[alt.block], spoken)
    ]


def _by_the_text(
    columns: Columns, measured: Measured, keep: Sequence[bool], skipped: Iterable[int]
) -> list[PictureBlock]:
    """Captions and images between kept blocks, before the first of them and after the last."""
    is_above = measured.numbers[_STEPS_UP]  # from the container on, for what stands outside of it
    left_out = frozenset(skipped)
    around = [block for block in range(len(keep)) if block not in left_out]
    near = [keep[block] for block in around]
    if True not in near:
        return []
    first, last = near.index(True), len(near) - 1 - near[::-1].index(True)
    start = _start(columns, around, first)
    kinds = columns.kind
    words = [place for place, block in enumerate(around) if kinds[block] in _KINDS]
    beside = partial(_has_text_beside, columns, keep, around)
    seen: set[str] = set()
    found = []
    for place in words:
        block = around[place]
        if keep[block] or columns.text[block] in seen:
            continue
        within = not is_above[block]
        if place < first:
            reason = "picture before the text"
            stands = start <= place and _is_of_the_header(columns, block, around, start)
        elif place > last:
            reason = "picture after the text"
            stands = within and place <= last + CLOSE_BY
        else:
            reason = _BETWEEN[kinds[block]]
            stands = within and beside(range(place - 1, -1, -1))
            stands = stands and beside(range(place + 1, len(around)))
        if stands and not _is_signpost(columns, block):
            seen.add(columns.text[block])
            found.append(PictureBlock(block, reason))
    return found


def _has_text_beside(
    columns: Columns, keep: Sequence[bool], around: Sequence[int], places: range
) -> bool:
    """Whether a kept block stands among the next ones, past lines that lead to other articles."""
    left = CLOSE_BY
    for place in places:
        block = around[place]
        if keep[block]:
            return True
        left -= columns.kind[block] != PARAGRAPH or not _is_signpost(columns, block)
        if not left:
            break
    return False


def _is_signpost(columns: Columns, block: int) -> bool:
    return columns.linked[block] > columns.chars[block] / 2


_KINDS: Final = frozenset((CAPTION, ALT))
_BETWEEN: Final = {CAPTION: "caption between kept blocks", ALT: "image between kept blocks"}


def _start(columns: Columns, around: Sequence[int], first: int) -> int:
    """Where the article begins before its text: after its headline, or a few blocks before."""
    for place in range(first - 1, -1, -1):
        block = around[place]
        if columns.kind[block] == HEADING and columns.tag[columns.home[block]] == "h1":
            return place
    return max(first - BEFORE, 0)


def _is_of_the_header(columns: Columns, block: int, around: Sequence[int], start: int) -> bool:
    """Whether a picture between headline and text is one of the article; authors have theirs as well."""
    element = columns.home[block]
    for _ in range(MAX_CLIMB):
        if element < 0:
            break
        if columns.tag[element] in _ELSEWHERE:
            return False
        element = columns.parent[element]
    if columns.kind[block] == CAPTION:
        return True
    text = columns.text[block]
    others = (columns.text[other] for other in around[start : start + 2 * BEFORE] if other != block)
    return len(_WORD.findall(text)) >= MIN_ALT_WORDS and not any(text in other for other in others)


def words_spoken(text: str) -> bytes:
    """The words of a whole text in lower case, each between blanks: looking up some of them is quicker than a set of all."""
    text = text.lower()
    encoded = text.encode("utf-8", "surrogatepass")
    if not text.isascii():
        beyond = encoded.translate(None, _ASCII).decode("utf-8", "surrogatepass")
        signs = [sign for sign in set(beyond) if not sign.isalnum()]
        if len(signs) > MAX_SIGNS:
            return f" {' '.join(_WORD.findall(text))} ".encode("utf-8", "surrogatepass")
        for sign in signs:
            encoded = encoded.replace(sign.encode("utf-8", "surrogatepass"), b" ")
    return b" " + encoded.translate(_WORD_BYTES) + b" "


def _has_caption(columns: Columns, block: int) -> bool:
    return CAPTION in columns.kind[block + 1 : block + 1 + CLOSE_BY]


def _says_something_new(text: str, spoken: bytes) -> bool:
    words = _WORD.findall(text.lower())
    if len(words) < MIN_ALT_WORDS:
        return False
    known, most, left = 0, MAX_KNOWN * len(words), len(words)
    for word in words:
        if known > most or known + left <= most:
            break  # decided: a word that the text lacks is sought through all of it
        left -= 1
        known += f" {word} ".encode("utf-8", "surrogatepass") in spoken
    return known <= most


# --- who took them -------------------------------------------------------------------------------


def credit_lines(columns: Columns, measured: Measured, kept: Sequence[int]) -> list[int]:
    """The kept blocks that only say who took a picture."""
    names = measured.all_names
    named = "credit" in names or "copyright" in names or "nachweis" in names
    return [
        block
        for block in kept
        if len(columns.text[block]) <= MAX_CREDIT
        and columns.kind[block] not in (CELL, CODE, HEADING)
        and (
            is_credit(columns.text[block])
            or (named and _is_credit_name(measured.names[columns.home[block]]))
        )
    ]


@lru_cache(maxsize=8192)
def _is_credit_name(names: str) -> bool:
    return _CREDIT_NAMES.search(names[:MAX_NAME].lower()) is not None


def is_credit(text: str) -> bool:
    """Whether a line says who took a picture, and nothing else."""
    if len(text) > MAX_CREDIT:
        return False
    if any(map(text.__contains__, _CREDIT_SIGNS)):
        found = _beginning_credit(text)
        if found is not None:
            return _names_somebody(text[found.end() :], found[0])
        if "/" in text and _BY_AGENCY.fullmatch(text):
            return True
    bare = text.strip(" .()")
    return len(bare) <= MAX_AGENCY and _AGENCY.fullmatch(bare) is not None


def _beginning_credit(text: str) -> re.Match[str] | None:
    """The label of a credit before which no word stands; looking further would take long."""
    word = _WORD.search(text)
    for start in range(word.start() + 1 if word else len(text)):
        found = _CREDIT.match(text, start)
        if found is not None:
            return found
    return None


def _goes_on(text: str) -> bool:
    """Whether a sentence follows: "Photo: the bridge was closed in May." is a caption."""
    words = _WORD.findall(text)
    lower = sum(1 for word in words if word[0].islower())
    return lower > max(2, len(words) // 2)


def _names_somebody(text: str, label: str) -> bool:
    return (_WORD.search(text) is not None or label.endswith(")")) and not _goes_on(text)


def without_credit(columns: Columns, block: int) -> str:
    """A caption without the words that say who took its picture."""
    text = columns.text[block]
    for element in columns.node[columns.home[block]].css(_CREDIT_QUERY)[:3]:
        credit = tidy(element.text())
        if credit and credit != text:
            text = text.replace(credit, "", 1).strip()
    return cut_credit(text)


def cut_credit(text: str) -> str:
    """A caption up to where its credit begins; empty for one that is nothing else."""
    found = _CREDIT.search(text)
    while found is not None:
        before, rest = text[: found.start()].rstrip(), text[found.end() :]
        ends = not before or before[-1] in _SENTENCE_END or before[-1] in _BEFORE_CREDIT
        sign = found[0][0] in "©("
        if (ends or sign) and len(rest) <= MAX_CREDIT and not _goes_on(rest):
            return before.rstrip(_BEFORE_CREDIT)
        found = _CREDIT.search(text, found.end())
    agency = _BY_AGENCY.search(text)
    return text[: agency.start()].rstrip() if agency else text
