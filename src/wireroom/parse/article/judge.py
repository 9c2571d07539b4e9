"""Whether a page is an article at all; what the judge of pages says, turned into a refusal.

The operator's selector and a feed's item are stronger than any guess by looks: with either, only what is
certainly no article is refused.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from wireroom.parse.article.bodies import SELECTOR_SOURCE, Chosen
from wireroom.parse.html import Page

__all__ = ["Judged", "judge"]

FEW_WORDS: Final = 80  # around a login form: the form is what the page is for


class Judged(NamedTuple):
    """How likely the page is an article, what kind of page it is, and why."""

    article: float
    kind: str
    reasons: tuple[str, ...]


def judge(page: Page, chosen: Chosen) -> Judged:
    """What kind of page this is."""
    if not chosen.body.text:
        return Judged(0.0, "empty", ("the page holds no text",))
    if chosen.source == SELECTOR_SOURCE:
        return Judged(1.0, "article", ())
    if chosen.body.word_count < FEW_WORDS and _asks_for_password(page):
        return Judged(0.0, "login", ("it asks for a password and says little else",))
    return Judged(1.0, "article", ())


def _asks_for_password(page: Page) -> bool:
    return page.tree.css_first('input[type="password" i]') is not None
