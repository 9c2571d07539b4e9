"""What judging a page gives back. Frozen, no logic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PageKind = Literal[
    "article",
    "service",  # what a firm or an office offers
    "product",  # one thing to buy
    "collection",  # things to buy
    "listing",  # a home page, a section, a tag, results of a search
    "login",  # a form to sign in or to register, and no text
    "empty",
    "consent",  # a question about cookies, and no text
    "error",  # "not found", or a door that does not open to machines
    "forum",
    "documentation",
    "unknown",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageJudgement:
    """What kind of page it is, and how likely there is something to read on it."""

    article: float
    """0 to 1: how likely the page is an article, or other text that reads like one."""
    kind: PageKind
    reasons: tuple[str, ...] = ()
    """What spoke most for the judgement, in plain words."""
