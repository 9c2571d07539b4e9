"""The text that a page shows only to readers without scripts, where it shows next to nothing else.

Some forums and shops send an empty shell, and the text for those who run no script. A reader sees one of
the two, never both: it is read only where the page holds hardly any other text.
"""

from __future__ import annotations

import re
from typing import Final

from wireroom.parse.article.body_choice import SELECTOR_SOURCE, ChosenBody
from wireroom.parse.body import count_words
from wireroom.parse.body.blocks import lay_out
from wireroom.parse.html import Page

NOSCRIPT_NOTE: Final = "text: what is shown without scripts, for there is next to none otherwise"
LITTLE: Final = 50  # words of a body; with more, the page has a text of its own
WORTH_IT: Final = 100  # words; less is a request to turn scripts on
TIMES_MORE: Final = (
    4  # as many words as the page shows to everybody: a notice, a menu, a few buttons
)
MAX_ELEMENTS: Final = 50  # of that kind; most hold a counter's picture
MAX_MARKUP: Final = 500_000  # characters of them that are looked at

_TAG: Final = re.compile(r"<[^<>]{0,2000}>")
_NOSCRIPT: Final = re.compile(rb"</?noscript(?:\s[^<>]{0,500})?>", re.IGNORECASE)
_BODY: Final = re.compile(rb"<body[\s>]|</head\s*>", re.IGNORECASE)


def shown_without_scripts(page: Page, body: bytes | str, chosen: ChosenBody) -> bytes | str | None:
    """The page with that text among the rest, or None where it is not needed or not there."""
    if chosen.body.word_count >= LITTLE or chosen.source == SELECTOR_SOURCE:
        return None
    if page.encoding.startswith(("utf-16", "utf-32")):  # its tags are not written in ASCII
        return None
    hidden = _hidden_words(page)
    if hidden < WORTH_IT or hidden < TIMES_MORE * _shown_words(page):
        return None
    markup = body.encode("utf-8", "replace") if isinstance(body, str) else body
    start = _BODY.search(markup)
    place = start.end() if start else 0
    bare = markup[:place] + _NOSCRIPT.sub(b"", markup[place:])
    return bare.decode("utf-8", "replace") if isinstance(body, str) else bare


def _shown_words(page: Page) -> int:
    """All words that the page shows to everybody, menus and footers included."""
    return sum(map(count_words, lay_out(page.tree.body, everything=True, marks=False).text))


def _hidden_words(page: Page) -> int:
    """The words in these elements, which a parser that runs scripts takes for plain text."""
    elements = page.tree.css("body noscript")[:MAX_ELEMENTS]
    markup = " ".join(element.text() for element in elements)[:MAX_MARKUP]
    return count_words(_TAG.sub(" ", markup))
