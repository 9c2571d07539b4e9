"""The learned weights: what a name is worth, and what each measure adds for and against a block.

The model is additive: one table per measure, a block's tables are looked up and summed. The figures
stand in `weights.json` beside this file and are made by bench/body_train.py; they can be read by eye.
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

from wireroom.parse.body.features import FEATURES

__all__ = ["Table", "Weights", "shipped_weights", "weights_from"]

LARGEST_SUM: Final = 30.0  # beyond it a probability is 0 or 1 anyway, and exp() stays in range


@dataclass(frozen=True, slots=True)
class Table:
    """What one measure adds: `adds[n]` between the cuts n-1 and n."""

    feature: int
    cuts: tuple[float, ...]
    adds: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Weights:
    """Everything that was learned."""

    names: Mapping[str, float]
    start: float
    tables: tuple[Table, ...]

    def score(self, tokens: frozenset[str]) -> tuple[float, float]:
        """The worst and the best that any of the names says."""
        low = high = 0.0
        get = self.names.get
        for token in tokens:
            value = get(token)
            if value is None:
                continue
            if value < low:
                low = value
            elif value > high:
                high = value
        return low, high

    def probabilities(self, numbers: Sequence[Sequence[float]]) -> list[float]:
        """How likely each block belongs to the body."""
        columns = [
            [table.adds[bisect_right(table.cuts, value)] for value in numbers[table.feature]]
            for table in self.tables
        ]
        if not columns:
            return [_probability(self.start)] * len(numbers[0])
        start = self.start
        return [_probability(start + sum(adds)) for adds in zip(*columns, strict=True)]


def weights_from(data: Mapping[str, Any]) -> Weights:
    """The weights as the file holds them."""
    number = {name: place for place, name in enumerate(FEATURES)}
    tables = tuple(
        Table(number[name], tuple(table["cuts"]), tuple(table["adds"]))
        for name, table in data["tables"].items()
    )
    return Weights(names=dict(data["names"]), start=float(data["start"]), tables=tables)


@cache
def shipped_weights() -> Weights:
    """The weights that come with wireroom, read once."""
    source = files("wireroom.parse.body").joinpath("weights.json")
    return weights_from(json.loads(source.read_text("utf-8")))


def _probability(total: float) -> float:
    return 1.0 / (1.0 + exp(-max(-LARGEST_SUM, min(LARGEST_SUM, total))))
