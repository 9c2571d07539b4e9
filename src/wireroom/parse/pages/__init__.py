"""What kind of page it is: an article, other text to read, or something to refuse.

`judge_page` is the entry. Inside: `url_shape` reads the address, `declared_type` what the page says of itself,
`page_rules` know the sure cases (with `wall_phrases`), `page_features` measure and `page_weights` weigh all
others, `reasons` say why. Pure; the tree is asked at most one question.
"""

from __future__ import annotations

from wireroom.parse.pages.classify import DOUBT_BELOW, READABLE, REFUSE_BELOW, judge_page
from wireroom.parse.pages.types import PageJudgement, PageKind

__all__ = [
    "DOUBT_BELOW",
    "READABLE",
    "REFUSE_BELOW",
    "PageJudgement",
    "PageKind",
    "judge_page",
]
