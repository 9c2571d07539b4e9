"""The learned weights: what a name is worth, and what each measure adds for and against a block.

The model is additive: one table per measure, a block's tables are looked up and summed. The figures
stand in `weights.json` beside this file, those for pages that are no articles in `weights_any.json`; both are
made by bench/body_train.py and can be read by eye.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import repeat
from math import ceil, exp
from typing import Any, Final

from wireroom.parse.body.block_features import COUNTS, FEATURES
from wireroom.parse.body.element_names import tokens_in

MAX_SEEN: Final = 50_000  # names remembered, some 8 MB; ids are often unlike any other
MANY: Final = 200  # up to here a count is looked up as it is
LARGEST_SUM: Final = 30.0  # beyond it a probability is 0 or 1 anyway, and exp() stays in range

_NOTHING: Final = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class WeightTable:
    """What one measure adds: `adds[n]` between the cuts n-1 and n."""

    feature: int
    cuts: tuple[float, ...]
    adds: tuple[float, ...]
    known: Mapping[float, float] = field(default_factory=dict, compare=False, repr=False)
    """What a measure that counts adds for small numbers; larger ones add what the last does."""

    def look_up(self, values: Sequence[float]) -> list[float]:
        """What it adds for each value."""
        if self.known:
            return [*map(self.known.get, values, repeat(self.adds[-1]))]
        return [*map(self.adds.__getitem__, map(bisect_right, repeat(self.cuts), values))]


@dataclass(frozen=True, slots=True)
class Weights:
    """Everything that was learned."""

    names: Mapping[str, float]
    start: float
    tables: tuple[WeightTable, ...]
    seen: dict[str, tuple[float, float]] = field(default_factory=dict, compare=False, repr=False)
    """Names looked up before: pages of one publisher share most of theirs."""

    def score(self, name: str) -> tuple[float, float]:
        """The worst and the best that any word of a name says; 0 and 0 when none is known."""
        known = self.seen.get(name)
        if known is None:
            if len(self.seen) >= MAX_SEEN:
                self.seen.clear()
            known = self.seen[name] = self._look_up(name)
        return known

    def _look_up(self, name: str) -> tuple[float, float]:
        words = name.split()
        if len(words) > 1:  # a class is a list of names, most of which are known from elsewhere
            scores = [self.score(word) for word in words]
            return min(low for low, _ in scores), max(high for _, high in scores)
        values = [self.names[token] for token in tokens_in(name) if token in self.names]
        return (min(0.0, *values, 0.0), max(0.0, *values, 0.0)) if values else _NOTHING

    def probabilities(self, numbers: Sequence[Sequence[float]]) -> list[float]:
        """How likely each block belongs to the body."""
        added = [table.look_up(numbers[table.feature]) for table in self.tables]
        start = self.start
        if not added:
            return [_probability(start)] * len(numbers[0])
        return [_probability(start + total) for total in map(sum, zip(*added, strict=True))]


def weights_from(data: Mapping[str, Any]) -> Weights:
    """The weights as the file holds them."""
    number = {name: place for place, name in enumerate(FEATURES)}
    tables = tuple(
        _table(number[name], tuple(table["cuts"]), tuple(table["adds"]), counts=name in COUNTS)
        for name, table in data["tables"].items()
    )
    return Weights(names=dict(data["names"]), start=float(data["start"]), tables=tables)


def _table(
    feature: int, cuts: tuple[float, ...], adds: tuple[float, ...], *, counts: bool
) -> WeightTable:
    numbers = range(-1, ceil(cuts[-1]) + 1) if counts and cuts[-1] < MANY else ()
    known = {float(number): adds[bisect_right(cuts, number)] for number in numbers}
    return WeightTable(feature, cuts, adds, known)


@cache
def shipped_weights(*, any_kind: bool = False) -> Weights:
    """The weights that come with wireroom, read once: for articles, or for pages of any kind."""
    name = "weights_any.json" if any_kind else "weights.json"
    source = files("wireroom.parse.body").joinpath(name)
    return weights_from(json.loads(source.read_text("utf-8")))


def _probability(total: float) -> float:
    if total > LARGEST_SUM:
        return 1.0
    return 1.0 / (1.0 + exp(-total)) if total > -LARGEST_SUM else 0.0
