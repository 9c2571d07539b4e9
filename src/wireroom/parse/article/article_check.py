"""Whether a page is an article at all: what the judge of pages says, and when it is asked.

The operator's selector, a text in the linked data and a feed's item are stronger than any guess by looks:
with the first two the judge is not asked, with the last only what is certainly no article is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from wireroom.errors import NoArticleError
from wireroom.parse.article.body_choice import PAGE_SOURCE, ChosenBody
from wireroom.parse.html import Page
from wireroom.parse.metadata import Metadata
from wireroom.parse.pages import DOUBT_BELOW, REFUSE_BELOW, PageJudgement, judge_page

AN_ARTICLE: Final = PageJudgement(article=1.0, kind="article")
EMPTY: Final = PageJudgement(article=0.0, kind="empty", reasons=("the page holds no text",))
_NEVER_AN_ARTICLE: Final = frozenset({"empty", "login", "consent", "error"})


def judge(page: Page, chosen: ChosenBody, metadata: Metadata, *, in_feed: bool) -> PageJudgement:
    """What kind of page this is; `in_feed` when a feed has an item for it."""
    if chosen.source != PAGE_SOURCE:
        return AN_ARTICLE if chosen.body.text else EMPTY
    judged = judge_page(page, chosen.body, metadata, page.url)
    if not chosen.body.text and judged.article >= REFUSE_BELOW:
        return EMPTY
    if in_feed and judged.article < DOUBT_BELOW and judged.kind not in _NEVER_AN_ARTICLE:
        return replace(judged, article=DOUBT_BELOW)
    return judged


def refuse(judged: PageJudgement, notes: Sequence[str] = ()) -> None:
    """Raises `NoArticleError` for a page that is none, with what it is and why, and what was not read of it."""
    if judged.article < REFUSE_BELOW:
        why = "; ".join((*judged.reasons, *notes))
        raise NoArticleError(
            f"no article: {judged.kind}{f' ({why})' if why else ''}", page_kind=judged.kind
        )
