"""The text of a page of terms, list items and headings on lines of their own.

Losing a clause is worse here than keeping a teaser: where the body reader drops much, all that is
visible is taken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from wireroom.parse.body import count_words, read_body, to_text
from wireroom.parse.html import Page

MAX_TEXT: Final = 200_000  # characters; the longest terms of use known have half of that
MOST: Final = 0.6  # of the visible words, which the body must hold to be taken for all of them


@dataclass(frozen=True, slots=True)
class TermsText:
    """What is read, the page's own names for it, and whether a limit cut it."""

    text: str
    title: str = ""
    truncated: bool = False


def text_of_page(page: Page) -> TermsText:
    """The body as the reader sees it when it would rather keep too much, or all visible text."""
    body = read_body(page, mode="recall", explain=True)
    everything = to_text(replace(block, kept=True) for block in body.blocks)
    kept = to_text(body.blocks)
    text = kept if count_words(kept) >= MOST * count_words(everything) else everything
    return TermsText(text[:MAX_TEXT], _title(page), len(text) > MAX_TEXT or bool(page.cut))


def _title(page: Page) -> str:
    named = [node.text(deep=True) for node in page.tree.css("title, h1")[:3]]
    return " | ".join(" ".join(name.split())[:200] for name in named)
