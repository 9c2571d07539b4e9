"""How alike two texts must be, and how that is found out: all of it data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wireroom.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterOptions:
    """The part of the settings that clustering needs; the defaults were chosen on labelled pairs.

    `threshold` and `window` may change at any time. A change of the others makes signatures that find
    none of the old ones, exact duplicates apart.
    """

    threshold: float = 0.46
    """How much of what two texts say they must say alike, 0 to 1, to be near-duplicates."""
    window: timedelta = timedelta(days=15)
    """How far apart two articles may have been seen."""
    words: int = 6
    """Words of a shingle. Long ones tell an edited reprint from tomorrow's issue of a series: an edit
    leaves most sentences whole, a form filled in anew leaves few."""
    characters: int = 10
    """Characters of a shingle where words are not set apart; about as much text."""
    fewest: int = 24
    """Shingles of a text below which only the very same words make a near-duplicate: one changed figure may be
    all that matters in it."""
    permutations: int = 128
    """Values of a signature; the estimate is off by 0.04 as a rule."""
    bands: int = 16
    """Rows that are kept and looked up for an article, each of `rows` values: of near-duplicates that are alike by
    0.6 they miss one in 50, of those alike by 0.7 one in 800."""
    rows: int = 3

    def __post_init__(self) -> None:
        if not 0 < self.threshold <= 1:
            raise ValueError("the threshold is a share above 0 and at most 1")
        if self.window < timedelta():
            raise ValueError("the window cannot be negative")
        least = min(self.words, self.characters, self.fewest, self.permutations, self.bands)
        if min(least, self.rows) < 1:
            raise ValueError("sizes and counts are at least 1")
        if self.bands * self.rows > self.permutations:
            raise ValueError("bands times rows cannot be more than there are permutations")


def cluster_options(settings: Settings) -> ClusterOptions | None:
    """As the settings want it; None where near-duplicates are not looked for."""
    cluster = settings.cluster
    if not cluster.enabled:
        return None
    return ClusterOptions(threshold=cluster.threshold, window=cluster.window)
