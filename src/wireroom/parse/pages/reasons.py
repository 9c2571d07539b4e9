"""Why the weights judged as they did, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wireroom.parse.pages.page_features import FEATURES, MEASURES
from wireroom.parse.pages.page_weights import KINDS

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
