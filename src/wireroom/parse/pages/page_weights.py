"""The learned weights: what each measure of a page adds for every kind of page.

The model is additive: one table per measure, with a row of sums for each stretch between two cuts; the
sums of a page's rows become probabilities. The figures stand in `weights.json` beside this file and are
made by bench/pages_train.py; they can be read by eye.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp
from typing import Any, Final

from wireroom.parse.pages.page_features import FEATURES

VERSION: Final = 1  # of the file's form
KINDS: Final = (
    "article",
    "service",
    "product",
    "collection",
    "listing",
    "forum",
    "documentation",
)
"""The kinds that are learned, in the order of every row."""


@dataclass(frozen=True, slots=True)
class PageTable:
    """What one measure adds: row n between the cuts n-1 and n, with a sum for each kind."""

    feature: int
    cuts: tuple[float, ...]
    rows: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class PageWeights:
    """Everything that was learned."""

    start: tuple[float, ...]
    tables: tuple[PageTable, ...]

    def rows(self, numbers: Sequence[float]) -> list[tuple[int, tuple[float, ...]]]:
        """For each table its measure, and the row that the page's number picks."""
        return [
            (table.feature, table.rows[bisect_right(table.cuts, numbers[table.feature])])
            for table in self.tables
        ]

    def probabilities(self, rows: Sequence[tuple[int, Sequence[float]]]) -> dict[str, float]:
        """How likely the page is of each kind, from the rows that were picked."""
        sums = [sum(column) for column in zip(self.start, *(row for _, row in rows), strict=True)]
        highest = max(sums)
        powers = [exp(value - highest) for value in sums]
        whole = sum(powers)
        return {kind: power / whole for kind, power in zip(KINDS, powers, strict=True)}


def page_weights_from(data: Mapping[str, Any]) -> PageWeights:
    """The weights as the file holds them; `ValueError` when it was made for other measures."""
    if data["version"] != VERSION or tuple(data["kinds"]) != KINDS:
        raise ValueError("the weights of pages are of another version")
    if tuple(data["features"]) != FEATURES:
        raise ValueError("the weights of pages were learned from other measures")
    number = {name: place for place, name in enumerate(FEATURES)}
    tables = tuple(
        PageTable(number[name], tuple(table["cuts"]), tuple(map(tuple, table["adds"])))
        for name, table in data["tables"].items()
    )
    return PageWeights(start=tuple(data["start"]), tables=tables)


@cache
def page_weights() -> PageWeights:
    """The weights that come with wireroom, read once."""
    source = files("wireroom.parse.pages").joinpath("weights.json")
    return page_weights_from(json.loads(source.read_text("utf-8")))
