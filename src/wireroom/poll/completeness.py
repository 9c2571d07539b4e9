"""Whether a feed's item holds the whole article already, so that its page need not be fetched.

Pure. A text is whole when it is long enough, does not end like a teaser, and was not cut at a length at
which all texts of its feed end.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from wireroom.model import Item
from wireroom.parse.body import count_words
from wireroom.parse.plain_text import line_of_html

FEWEST_WORDS: Final = 150  # the longest teasers have a hundred; a shorter article costs one request
MAX_TEXT: Final = 200_000  # characters that are looked at: longer than any article
TAIL: Final = 240  # characters at the end in which a teaser says where to go on
COMPARED: Final = 4  # texts of a feed that must be there before their lengths say anything
SAME_LENGTH: Final = 0.02  # by which cut texts differ: a cut falls between two words
CUT_SHARE: Final = 0.6  # of the feed's texts, with the same length: they were cut
TIMES_SUMMARY: Final = (
    2  # the text must have so many times the words of the summary, if there is one
)

FULL_TEXT: Final = "full_text"  # the note in an item's extra: true, or why it is not

_ELLIPSIS: Final = re.compile(r"(?:…|\.\.\.|\[(?:…|\.\.\.)\]|\((?:…|\.\.\.)\))\W*$")
_BRACKETED: Final = re.compile(
    r"\[\s*(?:…|\.\.\.)\s*\]|\(\s*more\s*(?:…|\.\.\.)\s*\)", re.IGNORECASE
)
# How feeds send their readers on to the page, in the languages of our publishers (November 2026).
_READ_ON: Final = re.compile(
    r"read (?:more|on|the (?:full|rest|whole|entire))|continue reading|keep reading|full (?:story|article)\b"
    r"|weiterlesen|mehr lesen|zum artikel|lesen sie (?:mehr|weiter)|lire la suite|lire plus|en savoir plus"
    r"|leer m[áa]s|seguir leyendo|sigue leyendo|leggi (?:tutto|di più|ancora)|continua a leggere"
    r"|ler mais|leia mais|continue lendo|lees (?:meer|verder)|czytaj (?:więcej|dalej)|l[äæ]s (?:mer|mere)\b"
    r"|les mer|lue lisää|číst dále|celý článek|читать (?:далее|дальше|полностью)|читати далі"
    r"|διαβάστε|devamını oku|続きを読む|阅读更多|阅读全文|閱讀更多|자세히 보기|더 보기|اقرأ المزيد|और पढ़ें",
    re.IGNORECASE,
)


class _ItemText(NamedTuple):
    words: int
    tail: str


def is_complete(item: Item, others: Sequence[Item] = ()) -> bool:
    """Whether the item holds the whole article; `others` are items of the same document."""
    return not why_incomplete(item, others)


def why_incomplete(item: Item, others: Sequence[Item] = ()) -> str:
    """Why the item does not hold the whole article; empty when it does."""
    noted = item.extra.get(FULL_TEXT)
    if not others and (noted is True or (isinstance(noted, str) and noted)):
        return "" if noted is True else str(noted)
    text = _item_text(item)
    lengths = sorted([text.words, *(_item_text(other).words for other in others if other != item)])
    return _why(item, text, lengths)


def mark_full_texts(items: Sequence[Item]) -> tuple[Item, ...]:
    """The items of a document, each that has content with a note on whether that is the whole article.

    The note is for later: by itself an item cannot tell that all texts of its feed have its length.
    """
    texts = [_item_text(item) for item in items]
    lengths = sorted(text.words for text in texts)
    return tuple(
        replace(item, extra={**item.extra, FULL_TEXT: _why(item, text, lengths) or True})
        if item.content_html
        else item
        for item, text in zip(items, texts, strict=True)
    )


def _item_text(item: Item) -> _ItemText:
    """The words of the content and its end; none where there cannot be enough of them."""
    if len(item.content_html) < FEWEST_WORDS:
        return _ItemText(0, "")
    text = line_of_html(item.content_html[:MAX_TEXT], MAX_TEXT)
    return _ItemText(count_words(text), text[-TAIL:])


def _why(item: Item, text: _ItemText, lengths: Sequence[int]) -> str:
    if text.words < FEWEST_WORDS:
        return f"fewer than {FEWEST_WORDS} words" if item.content_html else "no content"
    if text.words < TIMES_SUMMARY * count_words(item.summary):
        return "hardly longer than the summary"
    if len(item.content_html) > MAX_TEXT:
        return ""  # its end was not looked at; no teaser is so long
    if _ELLIPSIS.search(text.tail) or _BRACKETED.search(text.tail):
        return "ends in an ellipsis"
    if _READ_ON.search(text.tail):
        return "sends its readers on to the page"
    return "as long as the other texts of its feed: cut" if _was_cut(text.words, lengths) else ""


def _was_cut(words: int, lengths: Sequence[int]) -> bool:
    """Whether most texts among these sorted lengths have this one's."""
    known = len(lengths) - bisect_right(lengths, 0)
    if known < COMPARED:
        return False
    slack = max(1, SAME_LENGTH * words)
    alike = bisect_right(lengths, words + slack) - bisect_left(lengths, words - slack)
    return alike >= CUT_SHARE * known
