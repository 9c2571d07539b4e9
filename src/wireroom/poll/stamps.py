"""Feeds that stamp their items with a clock instead of a date. Pure.

Some systems write the moment at which the document was made, or was asked for, on every item. Such a
date is no news: kept, it would make every item of every poll look changed, and every article new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from wireroom.model import Item

FEWEST: Final = 3  # dates; two items of one moment are a coincidence
MOST: Final = (
    0.8  # of the dates: one pinned item with a date of its own does not make the others true
)
AT_ONCE: Final = timedelta(minutes=2)  # around the fetch; a ticker's whole feed is older than that


def without_stamps(items: Sequence[Item], *, fetched_at: datetime) -> tuple[tuple[Item, ...], int]:
    """The items without dates that only a clock has written, and how many dates were dropped."""
    published = _stamps([item.published_at for item in items], fetched_at)
    updated = _stamps([item.updated_at for item in items], fetched_at)
    if not published and not updated:
        return tuple(items), 0
    dropped = 0
    kept = []
    for item in items:
        bare = replace(
            item,
            published_at=None if item.published_at in published else item.published_at,
            updated_at=None if item.updated_at in updated else item.updated_at,
        )
        dropped += (bare.published_at, bare.updated_at) != (item.published_at, item.updated_at)
        kept.append(bare)
    return tuple(kept), dropped


def _stamps(dates: Sequence[datetime | None], fetched_at: datetime) -> set[datetime]:
    """The dates among these that say nothing."""
    known = [at for at in dates if at is not None]
    if len(known) < FEWEST:
        return set()
    fresh = [at for at in known if abs(at - fetched_at) <= AT_ONCE]
    if len(fresh) >= MOST * len(known):
        return set(fresh)
    stamp, times = Counter(known).most_common(1)[0]
    return {stamp} if times >= MOST * len(known) and not _is_a_day(stamp) else set()


def _is_a_day(at: datetime) -> bool:
    """Whether only the day was written, as a daily's issue does: equal, and true all the same."""
    return (at.hour, at.minute, at.second) == (0, 0, 0)
