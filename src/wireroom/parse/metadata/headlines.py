"""What a headline says, and what is none: words in spans, kickers, subtitles, the publisher's own sign.

Reads one element of a tree that somebody else parsed. Which of several headlines is the title is for `titles`.
"""

from __future__ import annotations

import re
from typing import Final

from selectolax.lexbor import LexborNode

from wireroom.parse.elements import Attributes
from wireroom.parse.metadata.head import text_below
from wireroom.parse.metadata.person_names import name_key
from wireroom.parse.plain_text import line

MAX_HEADLINE: Final = 500  # characters
LONG_HEADLINE: Final = 250  # characters from which on an h1 may be one that nobody closed
FEWEST_LETTERS: Final = 2  # of a word; one alone in a span is an initial of the next
MAX_PARTS: Final = 12  # of one headline; more are letters that a script moves
MAX_AROUND: Final = 4  # elements around a headline that may call it a masthead

_NO_HEADLINE: Final = frozenset({"p", "div", "section", "article", "figure", "ul", "ol", "table"})
TOP_TAGS: Final = frozenset({"body", "html", "main"})
# What stands above a headline: the name of a section or a topic.
_KICKER_CLASS: Final = re.compile(
    r"kicker|overline|eyebrow|top-?line|dachzeile|surtitre|sur-?title|antet[ií]tulo|occhiello|rubri[ckq]|section|categor|topic|label|flag",
    re.IGNORECASE,
)
_SUBTITLE_CLASS: Final = re.compile(
    r"sub-?(?:title|head|line)|standfirst|(?:^|[\s_-])dek(?:$|[\s_-])|untertitel|unterzeile|chapo|bajada|entradilla|sommario|ingress",
    re.IGNORECASE,
)
_MASTHEAD_CLASS: Final = re.compile(
    r"logo|masthead|brand|site-?(?:title|name|header|branding)", re.IGNORECASE
)


def headline_text(node: LexborNode) -> str:
    """The text of a headline; words that stand in spans side by side are drawn apart, and kept apart."""
    text = text_below(node, MAX_HEADLINE)
    if len(text) >= LONG_HEADLINE:
        return _before_paragraphs(node) or text
    pieces = _children(node)
    if len(pieces) < 2:
        return text
    joined, before = "", None
    for piece in pieces:
        if before is not None and before.tag == piece.tag == "span" and _are_words(before, piece):
            joined += " "
        joined += piece.text_content or text_below(piece, MAX_HEADLINE)
        before = piece
    apart = line(joined, MAX_HEADLINE)
    # Blocks and line breaks inside are known to `text_below` alone: then the two differ by more than blanks.
    return apart if apart.count(" ") > text.count(" ") else text


def _before_paragraphs(node: LexborNode) -> str:
    """Of a headline that nobody closed what stands before the first paragraph in it."""
    pieces: list[str] = []
    child = node.first_child
    while child is not None and child.tag not in _NO_HEADLINE:
        pieces.append(child.text_content or text_below(child, MAX_HEADLINE))
        child = child.next
    return line(" ".join(pieces), MAX_HEADLINE)


def headline_parts(node: LexborNode) -> list[str]:
    """What the elements of a headline say one by one, without one that is called a kicker at its beginning."""
    pieces = _children(node)
    if not 2 <= len(pieces) <= MAX_PARTS:
        return []
    texts = [
        line(piece.text_content or text_below(piece, MAX_HEADLINE), MAX_HEADLINE)
        for piece in pieces
    ]
    return [text for text in texts if text]


def without_kicker(node: LexborNode) -> str:
    """The headline without the element at its beginning that is called a kicker; empty when there is none."""
    pieces = _children(node)
    if len(pieces) < 2 or pieces[0].text_content is not None:
        return ""
    if not _KICKER_CLASS.search(names_of(pieces[0].attributes)):
        return ""
    rest = (piece.text_content or text_below(piece, MAX_HEADLINE) for piece in pieces[1:])
    return line(" ".join(rest), MAX_HEADLINE)


def _children(node: LexborNode) -> list[LexborNode]:
    """The pieces of text and the elements right below a headline, or below the one element that fills it."""
    found = _pieces(node)
    for _ in range(MAX_AROUND):
        if len(found) != 1 or found[0].text_content is not None:
            break
        found = _pieces(found[0])
    return found


def _pieces(node: LexborNode) -> list[LexborNode]:
    found: list[LexborNode] = []
    child = node.first_child
    while child is not None and len(found) <= MAX_PARTS:
        text = child.text_content
        if child.tag != "-comment" and (text is None or not text.isspace()):
            found.append(child)
        child = child.next
    return found


def _are_words(before: LexborNode, after: LexborNode) -> bool:
    """Whether two elements that touch each other hold words, and not letters of one."""
    if before.next is None or before.next.mem_id != after.mem_id:
        return False
    texts = (text_below(piece, MAX_HEADLINE) for piece in (before, after))
    return all(len(name_key(text)) >= FEWEST_LETTERS for text in texts)


def is_masthead(node: LexborNode, home: str) -> bool:
    """Whether a headline is the publisher's own sign: it leads to the front page, or its box is called so."""
    link = node.css_first("a[href]")
    around: LexborNode | None = node
    for _ in range(MAX_AROUND):
        if around is None or around.tag in TOP_TAGS:
            break
        attributes = around.attributes
        if around.tag == "a" and link is None:
            link = around
        if _MASTHEAD_CLASS.search(names_of(attributes)):
            return True
        around = around.parent
    href = (link.attributes.get("href") or "").strip() if link is not None else ""
    return href == "/" or (bool(href) and href.rstrip("/") == home)


def is_subtitle(node: LexborNode) -> bool:
    """Whether a heading is called a subtitle."""
    return _SUBTITLE_CLASS.search(names_of(node.attributes)) is not None


def names_of(attributes: Attributes) -> str:
    """What an element is called: its classes, its id, its property."""
    return f"{attributes.get('class') or ''} {attributes.get('id') or ''} {attributes.get('itemprop') or ''}"
