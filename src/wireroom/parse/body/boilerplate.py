"""A publisher's boilerplate: blocks that stand in many of its articles and belong to none.

Pure: counts of block hashes come in, the hashes of what is boilerplate go out, and `read_body` leaves them
out. Newsrooms repeat themselves in earnest, too ("What happens next", "A question of patience"), so only what
stands in every second article is boilerplate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

MIN_PAGES: Final = 10  # articles of a publisher before anything is said of it
MIN_TIMES: Final = 5  # articles that have the block: four may be a series, or one story told anew
SHARE: Final = 0.5  # of the articles; headings that a paper is fond of stand in up to 45 %
FADE_AT: Final = 400  # articles counted, at which all counts are halved: old boilerplate goes
MAX_BOILERPLATE: Final = 500  # blocks of one publisher; real ones have some dozens


def learn_boilerplate(pages: int, counts: Mapping[str, int]) -> tuple[str, ...]:
    """The hashes of the blocks that are boilerplate, the most frequent first."""
    if pages < MIN_PAGES:
        return ()
    often = max(MIN_TIMES, SHARE * pages)
    found = sorted(
        (block for block, times in counts.items() if times >= often),
        key=lambda block: (-counts[block], block),
    )
    return tuple(found[:MAX_BOILERPLATE])
