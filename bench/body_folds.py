"""The development articles with the weights of the folds they are not in, and paired differences of two readers.

What `body_rules.py`, `body_trees.py` and `body_overruled.py` share. An interval holds 95 % of what 1,000 samples of sites give, so that no
publisher counts for more than one draw. Not a bench by itself.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

import numpy as np

from body_train import (
    KIND_WEIGHTS,
    ROUNDS,
    SHORT_EVERY,
    SHORT_ROUNDS,
    Lesson,
    cross_validated,
    lesson,
)
from wcxb import Sample, Score, samples
from wireroom.parse.body.block_weights import Weights
from wireroom.parse.html import Page, open_page

SAMPLES = 1_000
INTERVAL = (2.5, 97.5)


class Judged(NamedTuple):
    """An article with weights that were learned without its site."""

    sample: Sample
    weights: Weights

    def page(self) -> Page:
        """The page, opened."""
        return open_page(self.sample.body(), url=self.sample.url)


class Difference(NamedTuple):
    """What a change does to the mean F1, and the interval."""

    mean: float
    low: float
    high: float
    better: int
    worse: int

    def __str__(self) -> str:
        """As the tables have it."""
        if not self.better + self.worse:
            return "0"
        return f"{self.mean:+.4f} ({self.low:+.4f} to {self.high:+.4f})"


def lessons(*, short: bool) -> list[Lesson]:
    """The pages to learn from: those of `body_train.py`."""
    every = SHORT_EVERY if short else 1
    return [lesson(sample) for sample in samples(every=every) if sample.kind in KIND_WEIGHTS]


def judged(pages: list[Lesson], *, short: bool) -> Iterator[Judged]:
    """Each article with its weights."""
    for sample, weights in cross_validated(pages, SHORT_ROUNDS if short else ROUNDS):
        yield Judged(sample, weights)


def difference(sites: Sequence[str], before: Sequence[Score], after: Sequence[Score]) -> Difference:
    """The change of F1 from one reader to another, page by page."""
    changes = [new.f1 - old.f1 for old, new in zip(before, after, strict=True)]
    low, high = _interval(sites, changes)
    return Difference(
        sum(changes) / len(changes),
        low,
        high,
        sum(change > 0 for change in changes),
        sum(change < 0 for change in changes),
    )


def _interval(sites: Sequence[str], changes: Sequence[float]) -> tuple[float, float]:
    places = {site: place for place, site in enumerate(dict.fromkeys(sites))}
    sums, counts = np.zeros(len(places)), np.zeros(len(places))
    for site, change in zip(sites, changes, strict=True):
        sums[places[site]] += change
        counts[places[site]] += 1
    chance = np.random.default_rng(1)
    drawn = chance.multinomial(len(places), np.full(len(places), 1 / len(places)), size=SAMPLES)
    low, high = np.percentile((drawn @ sums) / (drawn @ counts), INTERVAL)
    return float(low), float(high)


class _KnownWeights:
    """Stands in for `Weights`: the probabilities of one page's blocks are known already."""

    def __init__(self, weights: Weights, known: list[float]) -> None:
        self.score = weights.score
        self._weights = weights
        self._known = known

    def probabilities(self, numbers: Sequence[Sequence[float]]) -> list[float]:
        """How likely each block belongs to the body; of a page laid out otherwise, the weights speak."""
        is_same = len(numbers[0]) == len(self._known)
        return self._known if is_same else self._weights.probabilities(numbers)


def known_weights(weights: Weights, known: list[float]) -> Weights:
    """Weights that say of one page what is known already: by trees, or by its labels."""
    return cast("Weights", _KnownWeights(weights, known))


def only() -> str:
    """Takes `--only WORD` out of the arguments: forms or rules whose names hold it; empty for all."""
    if "--only" not in sys.argv[:-1]:
        return ""
    place = sys.argv.index("--only")
    word = sys.argv[place + 1]
    del sys.argv[place : place + 2]
    return word
