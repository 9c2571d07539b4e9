"""The standfirst: the sentences between headline and text that say what the article is about.

Papers set it in the article's header, away from the text and often as a heading, so the weights take it for
part of the page. It is found by where it stands and by what it is called, by the page's own description of the
article, or because nothing stands between it and the headline. Section names, bylines, dates, captions, notes on
advertising and rows of buttons stand there as well and are none. Pure: block numbers come out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from wireroom.parse.body.block_features import Measured
from wireroom.parse.body.blocks import ALT, HEADING, PARAGRAPH, TEXT, Columns
from wireroom.parse.body.captions import is_credit
from wireroom.parse.body.notice_phrases import DISCLOSURES
from wireroom.parse.body.notices import is_ad_label, is_byline
from wireroom.parse.body.repair import SENTENCE_ENDS, letters

MIN_LENGTH: Final = 30  # letters; a section's name or a date has fewer
MAX_LENGTH: Final = 800  # characters; what is longer is part of the text
MIN_WORDS: Final = 5
MIN_SENTENCE: Final = 50  # letters of one that nothing but its place tells
MAX_AFTER: Final = 25  # blocks after the headline: pictures, bylines and buttons stand before it
MAX_PARAGRAPHS: Final = 3
MOSTLY_LINKS: Final = 0.4
SAME: Final = 0.9  # share of words that a text and the page's description have in common
NEAR: Final = 2  # boxes around a block whose names count as its own
MAX_NAME: Final = 200  # characters of a name looked at by a pattern

_WORD: Final = re.compile(r"\w+")
_KINDS: Final = frozenset((TEXT, PARAGRAPH, HEADING))
_ELSEWHERE: Final = frozenset(("aside", "nav", "footer", "form", "figure", "figcaption", "address"))
# What no paper calls anything else; below, what is also said of teasers and boxes.
_NAMES: Final = re.compile(
    r"(?<![a-z])(?:stand-?first|strap-?line|sub-?(?:title|head(?:line|ing)?|hed|deck)|dek|deck|lede|chapo|chapeau|vorspann|unterzeile"
    r"|ingress|perex|manchet|catenaccio|sottotitolo|sous-?titre|bajada|entradilla|copete|sub-?titulo|underrubrik|alternative-?headline"
    r"|lead(?!-(?:image|img|media|art|photo|picture|video|gen|in|caption|time|form|story|stories|magnet))|podtytul|zajawka|alaotsikko|podzagolovok"
    r"|article-(?:summary|excerpt|intro|description))(?![a-z])"
)
_WEAK_NAMES: Final = re.compile(
    r"(?<![a-z])(?:summary|excerpt|intro|introduction|abstract|description|teaser|tagline|short-?des(?:c|cription)?)(?![a-z])"
)
_ITEMPROPS: Final = frozenset(("description", "alternativeHeadline"))
_OTHER_NAMES: Final = re.compile(
    r"by-?line|author|(?<![a-z])meta(?![a-z])|bread-?crumb|disclos|disclaim|affiliat|newsletter|subscri|(?<![a-z])cta(?![a-z])|share|social|caption|credit"
    r"|tooltip|(?<![a-z])tags?(?![a-z])|(?<![a-z])dates?(?![a-z])|timestamp|kicker|overline|eyebrow|rubric|category|categories|(?<![a-z])topics?(?![a-z])"
    r"|related|comment|reviewed|expert|(?<![a-z])bio(?![a-z])|(?<![a-z])toc(?![a-z])|table-?of-?contents|sponsor|(?<![a-z])ads?(?![a-z])|promo|sidebar|cookie|consent"
    r"|sr-only|visually-?hidden|screen-?reader|(?<![a-z:-])hidden(?![a-z-])(?!.{0,99}:(?:block|flex|grid|inline))"
)


def standfirst(
    columns: Columns,
    measured: Measured,
    keep: Sequence[bool],
    headline: int,
    is_open: Callable[[int], bool],
    descriptions: Callable[[], Sequence[str]],
) -> list[int]:
    """The blocks of the standfirst, kept so far or not; mostly one or none.

    `is_open` tells the blocks that no rule has dropped. `descriptions` gives what the page says of itself in
    its head; it is asked only where a block is in doubt.
    """
    end = min(headline + MAX_AFTER, len(keep) - 1) + 1
    first = next(
        (
            block
            for block in range(headline + 1, len(keep))
            if keep[block] and measured.good[block] and columns.kind[block] != HEADING
        ),
        -1,
    )
    if first < 0:
        return []
    title = _words(columns.text[headline])
    blocks = [
        block
        for block in range(headline + 1, min(first, end))
        if is_open(block)
        and _may_be(columns, measured, block)
        and _says_more(columns.text[block], title)
    ]
    if not blocks:
        return []
    header = _header(columns, headline, first)
    named = [block for block in blocks if _is_called(columns, measured.names, block, header)]
    others = [block for block in blocks if not (keep[block] and columns.kind[block] == HEADING)]
    found = (
        _alike_in_one_place(columns, measured.names, named)
        or _described(columns, others, descriptions)
        or _right_after(columns, others, headline, header)
    )
    spoken = [columns.text[block] for block, kept in enumerate(keep) if kept and block not in found]
    return [block for block in found if not _repeats_text(columns.text[block], spoken)]


def _may_be(columns: Columns, measured: Measured, block: int) -> bool:
    """Whether a block is built like a sentence or two, and neither is nor is called something else."""
    text = columns.text[block]
    if columns.kind[block] not in _KINDS or len(text) > MAX_LENGTH or block in measured.unseen:
        return False
    if letters(text) < MIN_LENGTH or columns.linked[block] > MOSTLY_LINKS * columns.chars[block]:
        return False
    if len(text) < MIN_SENTENCE and letters(text) == len(text) and len(text.split()) < MIN_WORDS:
        return False
    if _are_names(text) or columns.tag[columns.home[block]] == "h1":
        return False
    element = columns.home[block]
    for _ in range(NEAR + 1):
        if element <= 0:
            break
        if columns.tag[element] in _ELSEWHERE or _is_other_name(measured.names[element]):
            return False
        element = columns.parent[element]
    return not (is_byline(text) or is_credit(text) or is_ad_label(text) or _discloses(text))


def _are_names(text: str) -> bool:
    """Whether every word of a line has a capital, as those of authors and their degrees do."""
    words = _WORD.findall(text)
    return text[-1] not in SENTENCE_ENDS and not any(
        len(word) > 1 and not word[0].isupper() and not word[0].isdigit() for word in words
    )


def _says_more(text: str, title: set[str]) -> bool:
    """Whether a text has words of its own, beside those of the headline."""
    words = _words(text)
    return len(words - title) > (1 - SAME) * len(words) + 1


def _discloses(text: str) -> bool:
    """Whether a text says how the paper earns its money, or who checked the article."""
    return DISCLOSURES.search(text) is not None


def _header(columns: Columns, headline: int, first: int) -> int:
    """The largest element around the headline that does not hold the text."""
    holding = set()
    element = columns.home[first]
    while element >= 0:
        holding.add(element)
        element = columns.parent[element]
    header = element = columns.home[headline]
    while element > 0 and element not in holding:
        header, element = element, columns.parent[element]
    return header


def _stands_in(columns: Columns, element: int, box: int) -> bool:
    while element > box:
        element = columns.parent[element]
    return element == box


def _is_called(columns: Columns, names: Sequence[str], block: int, header: int) -> bool:
    """Whether a block or a box close around it has a standfirst's name; weak ones count in the header alone."""
    element = columns.home[block]
    in_header = _stands_in(columns, element, header)
    if in_header and columns.node[element].attributes.get("itemprop") in _ITEMPROPS:
        return True
    for _ in range(NEAR + 1):
        if element <= 0 or element == header:
            return False
        if _is_name(names[element]) or (in_header and _is_weak_name(names[element])):
            return True
        element = columns.parent[element]
    return False


def _alike_in_one_place(columns: Columns, names: Sequence[str], blocks: Sequence[int]) -> list[int]:
    """The first of these and those beside it in its box; none where others elsewhere look the same: teasers."""
    if not blocks:
        return []
    looks = Counter((columns.tag[home], names[home]) for home in {columns.home[b] for b in blocks})
    boxes = {columns.parent[columns.home[block]] for block in blocks}
    if len(blocks) > MAX_PARAGRAPHS or (len(boxes) > 1 and max(looks.values()) > 1):
        return []
    box = columns.parent[columns.home[blocks[0]]]
    return [block for block in blocks if columns.parent[columns.home[block]] == box]


def _described(
    columns: Columns, blocks: Sequence[int], descriptions: Callable[[], Sequence[str]]
) -> list[int]:
    """The first block that says what the page's description of itself says."""
    known = [words for text in descriptions() if len(words := _words(text)) >= MIN_WORDS]
    return next(
        (
            [block]
            for block in blocks
            if any(_are_same(_words(columns.text[block]), words) for words in known)
        ),
        [],
    )


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _are_same(words: set[str], known: set[str]) -> bool:
    return len(words & known) >= SAME * min(len(words), len(known)) and len(words) >= MIN_WORDS


def _right_after(columns: Columns, blocks: Sequence[int], headline: int, header: int) -> list[int]:
    """The sentence that follows the headline in its box, with nothing but images in between."""
    following = next(
        (b for b in range(headline + 1, len(columns.kind)) if columns.kind[b] != ALT), -1
    )
    if following not in blocks or not _stands_in(columns, columns.home[following], header):
        return []
    text = columns.text[following]
    is_sentence = text[-1] in SENTENCE_ENDS and letters(text) >= MIN_SENTENCE
    return [following] if is_sentence else []


def _repeats_text(text: str, spoken: Sequence[str]) -> bool:
    """Whether the text says the same again: many papers begin with it."""
    beginning = text[: max(len(text) * 3 // 4, 1)]
    return any(beginning in other for other in spoken)


@lru_cache(maxsize=8192)  # pages of one publisher share their names
def _is_name(names: str) -> bool:
    return bool(names) and _NAMES.search(_plain(names)) is not None


@lru_cache(maxsize=8192)
def _is_weak_name(names: str) -> bool:
    return bool(names) and _WEAK_NAMES.search(_plain(names)) is not None


@lru_cache(maxsize=8192)
def _is_other_name(names: str) -> bool:
    return bool(names) and _OTHER_NAMES.search(_plain(names)) is not None


def _plain(names: str) -> str:
    """Names in lower case, with the words of `HeroSubtitle` and `hero_subtitle` apart."""
    return _HUMPS.sub("-", names[:MAX_NAME]).replace("_", "-").lower()


_HUMPS: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
