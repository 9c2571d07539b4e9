"""An article's position: a whole number made from its time, so that newest first is the key's order.

Pure. Seconds since the year 1, then 20 bits that tell articles of one second apart; they come from
the article's id, so that every database gives one article one position. Taken ones go to the next.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zlib import crc32

from wireroom.model import Article

SLOTS = 1 << 20  # articles in one second: a day's archive stamped with midnight fits in
LOWEST, HIGHEST = -1, 2**63 - 1  # below and above every position
_START = datetime(1, 1, 1, tzinfo=UTC)


class Walk(NamedTuple):
    """Positions gone through one after the other, the newest first, or upwards from the oldest."""

    floor: int = LOWEST
    below: int = HIGHEST
    is_upwards: bool = False

    def behind(self, position: int) -> Walk:
        """What is left of the walk after this position."""
        if self.is_upwards:
            return self._replace(floor=max(self.floor, position + 1))
        return self._replace(below=min(self.below, position))


def time_of(article: Article) -> datetime:
    """The time an article is sorted by."""
    return article.published_at or article.fetched_at


def floor_at(at: datetime) -> int:
    """The lowest position of articles at this time or later; a part of a second counts as the next."""
    gap = at - _START
    seconds = gap.days * 86_400 + gap.seconds + (1 if gap.microseconds else 0)
    return seconds * SLOTS


def position_of(article_id: str, at: datetime) -> int:
    """Where an article of this id and time belongs."""
    return floor_at(at.replace(microsecond=0)) + crc32(article_id.encode()) % SLOTS


def time_at(position: int) -> datetime:
    """The second that a position belongs to."""
    return _START + timedelta(seconds=position // SLOTS)


def first_free(wanted: int, taken: AbstractSet[int]) -> int:
    """The wanted position, or the next one that is free."""
    while wanted in taken:
        wanted += 1
    return wanted
