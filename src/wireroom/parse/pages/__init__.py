"""What kind of page it is: an article, other text to read, or something to refuse.

`judge_page` is the door. Inside: `address` reads the address, `told` what the page says of itself,
`rules` know the sure cases (with the `phrases` of walls and errors), `features` measure and `weights`
weigh all others, `reasons` say why. Pure; the tree is asked at most one question.
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
