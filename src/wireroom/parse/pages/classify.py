"""Whether a page is an article: the sure cases by rule, all others by weight.

Two named thresholds say what a score means; whoever makes articles of pages obeys them:

* under `REFUSE_BELOW` the page is refused: there is no article on it;
* under `DOUBT_BELOW` the article's quality stays under one half;
* from there on the score says nothing against the page.

Forums and documentation count as text to read: the score is the probability of all three together, and
the kind tells which.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from wireroom.parse.body import Body
from wireroom.parse.html import Page
from wireroom.parse.metadata import Metadata
from wireroom.parse.pages.declared_type import read_declared_type
from wireroom.parse.pages.page_features import FEATURES, MEASURES, measure_page
from wireroom.parse.pages.page_rules import NO_TEXT, PageEvidence, sure_kind
from wireroom.parse.pages.page_weights import KINDS, PageWeights, page_weights
from wireroom.parse.pages.types import PageJudgement, PageKind
from wireroom.parse.pages.url_shape import read_url_shape

REFUSE_BELOW: Final = 0.05
"""Under it a page is no article. Low on purpose: an article that is refused is lost, a doubted one is not."""
DOUBT_BELOW: Final = 0.3
"""Under it the quality of what was read is capped; bench/pages_train.py says whom that hits."""
READABLE: Final = ("article", "forum", "documentation")
"""Kinds that hold text to read."""

SURE_OTHER: Final = 0.02  # score of a page that a rule knows for something else
SURE_KIND: Final = 0.4  # probability from which on a kind is named; below it the kind is unknown


def judge_page(
    page: Page,
    body: Body,
    metadata: Metadata,
    url: str,
    *,
    weights: PageWeights | None = None,
) -> PageJudgement:
    """What kind of page it is, and how likely there is an article on it; never raises.

    Refuse the page below `REFUSE_BELOW`, keep its quality under one half below `DOUBT_BELOW`.
    """
    address, declared_type = read_url_shape(url), read_declared_type(metadata)
    case = PageEvidence(page, body, metadata, address, declared_type)
    sure = sure_kind(case)
    if sure is not None:
        kind, reason = sure
        return PageJudgement(article=SURE_OTHER, kind=kind, reasons=(reason,))
    return _weighed(case, weights or page_weights())


def _weighed(case: PageEvidence, weights: PageWeights) -> PageJudgement:
    numbers = measure_page(case.body, case.metadata, case.address, case.declared_type)
    rows = weights.rows(numbers)
    chances = weights.probabilities(rows)
    readable = sum(chances[kind] for kind in READABLE)
    likeliest = max(chances, key=chances.__getitem__)
    kind = cast("PageKind", likeliest if chances[likeliest] >= SURE_KIND else "unknown")
    if not case.has_text:
        kind = "empty" if likeliest in READABLE else kind
        return PageJudgement(article=SURE_OTHER, kind=kind, reasons=(NO_TEXT,))
    reasons = reasons_for(likeliest, rows, numbers)
    if case.declared and readable < REFUSE_BELOW:
        readable = REFUSE_BELOW  # its own word keeps it from being refused, not from doubt
        reasons = (*reasons, "but it declares itself an article")
    return PageJudgement(article=round(min(readable, 1.0), 3), kind=kind, reasons=reasons)


# Why the weights judged as they did, in plain words.

MOST: Final = 3  # measures that are named
LEAST: Final = 0.15  # what a measure must add to be named

_NO_OR_YES: Final = ("no", "yes")
_NAMES: Final = {
    "og_type": ("none", "website", "article", "product", "another"),
    "path_ending": ("none", "slash", "HTML", "program"),
    "slug_number": _NO_OR_YES,
    "image": _NO_OR_YES,
}
"""What the numbers of these measures stand for."""


def reasons_for(
    kind: str, rows: Sequence[tuple[int, Sequence[float]]], numbers: Sequence[float]
) -> tuple[str, ...]:
    """The measures that spoke most for a kind: against articles, or for them against the others."""
    place = KINDS.index(kind)
    ranked = sorted(((_speaks(row, place), feature) for feature, row in rows), reverse=True)
    return tuple(
        f"{MEASURES[FEATURES[feature]]}: {_shown(FEATURES[feature], numbers[feature])}"
        for weight, feature in ranked[:MOST]
        if weight >= LEAST
    )


def _speaks(row: Sequence[float], place: int) -> float:
    others = sum(row) - row[place]
    return row[place] - (others / (len(row) - 1) if place == 0 else row[0])


def _shown(feature: str, number: float) -> str:
    if number < 0:
        return "unknown"
    named = _NAMES.get(feature)
    return named[int(number)] if named else f"{number:.2f}".rstrip("0").rstrip(".")
