"""The short lines of text right after and before a headline, where bylines and dates stand.

Walks a tree that somebody else parsed, a bounded number of steps. What the lines mean is for others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from selectolax.lexbor import LexborNode

from wireroom.parse.metadata.head import text_below
from wireroom.parse.metadata.vocabulary import listed
from wireroom.parse.plain_text import line

LINES_AFTER: Final = 14  # of text looked at after the headline
LINES_BEFORE: Final = 4
MAX_STEPS: Final = 260  # nodes walked around the headline
LONG_LINE: Final = 220  # characters; such a line is a paragraph of the body, or a long subtitle
LONG_LINES: Final = 2  # the second one is in the body for sure

APART_TAGS: Final = frozenset({"aside", "footer", "nav", "form", "template", "noscript"})
_INLINE: Final = frozenset(
    listed(
        """
        a abbr b bdi cite em font i mark q s small span strong sub sup time u wbr -text
        """
    )
)
_SKIPPED: Final = frozenset(
    listed(
        """
        script style noscript template svg button select form figure picture img video iframe
        -comment
        """
    )
)
# Right below a headline fewer names are to be trusted: "card" and "widget" hold bylines there.
_OTHER_STORIES: Final = re.compile(r"comments|related|recommend|popular|trending|recirc|more-(?:from|stories|posts)|similar|upcoming", re.IGNORECASE)  # fmt: skip
_BOXES: Final = frozenset({"div", "section", "ul", "ol"})


def lines_after(start: LexborNode) -> Iterator[str]:
    """The lines after a headline, up to the second long one, which is in the body for sure."""
    pieces: list[str] = []
    count = long = 0
    for text in _walk(start):
        if text is not None:
            pieces.append(text)
            continue
        if pieces:
            whole = line(" ".join(pieces), LONG_LINE + 1)
            pieces.clear()
            long += len(whole) > LONG_LINE
            if long >= LONG_LINES:
                return
            if whole and len(whole) <= LONG_LINE:
                yield whole
                count += 1
                if count >= LINES_AFTER:
                    return


def _walk(start: LexborNode) -> Iterator[str | None]:
    """Texts in the order of the page after an element; None where a block begins or ends."""
    node: LexborNode | None = start
    below = False
    for _ in range(MAX_STEPS):
        if node is None:
            break
        following = node.first_child if below else None
        while following is None and node is not None:
            following = node.next
            if following is None:
                node = node.parent
                yield None
        node = following
        if node is None:
            break
        text = node.text_content
        if text is not None:
            yield text
            below = False
            continue
        tag = node.tag
        if tag not in _INLINE:
            yield None
        below = tag not in _SKIPPED and not _stands_apart(node, tag)
    yield None


def _stands_apart(node: LexborNode, tag: str | None) -> bool:
    if tag in APART_TAGS:
        return True
    if tag not in _BOXES:
        return False
    attributes = node.attributes
    return _holds_others(f"{attributes.get('class') or ''} {attributes.get('id') or ''}")


@lru_cache(maxsize=8192)  # pages of one publisher share their names
def _holds_others(names: str) -> bool:
    return _OTHER_STORIES.search(names) is not None


def lines_before(start: LexborNode) -> list[str]:
    """The texts of the elements right before the headline, nearest first."""
    found: list[str] = []
    node: LexborNode | None = start
    for _ in range(LINES_BEFORE * 4):
        while node is not None and node.prev is None:
            node = node.parent
            if node is None or node.tag in ("body", "main", "article"):
                return found
        if node is None:
            break
        node = node.prev
        text = node.text_content if node is not None else None
        if text is None and node is not None and node.tag not in _SKIPPED:
            text = text_below(node, LONG_LINE)
        text = line(text or "", LONG_LINE)
        if text:
            found.append(text)
            if len(found) >= LINES_BEFORE:
                break
    return found
