"""What of a document is news, when a feed says more than it has to tell. Pure.

Three ways to flood: items under new ids that are held under old ones; items that all "changed" because
something in them is stamped anew; and more new items at once than anybody can have written. Nothing
that is held is ever taken away here; what is left out today comes with the next poll if it is meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from wireroom.model import Feed, Item
from wireroom.ports import Compared

MOST: Final = 0.5  # of the known items changed: an editor corrects some, a system stamps all
FEWEST: Final = 3  # items that are spoken of; of two, one is the half
CHANGING_POLLS: Final = 2  # in a row; once may be a change of layout
MANY_AT_ONCE: Final = 100  # new items of a feed that had some: an hour of the largest agencies
BACKLOG_PER_DAY: Final = 1_000.0  # dated items of a day that a publisher can have written
BACKLOG_TIMES: Final = 5.0  # the usual rate, for those that write more
DATED: Final = 0.5  # of the new items must have dates, or the dates explain nothing


class Sifted(NamedTuple):
    """What is to be saved, and what was noticed."""

    items: tuple[Item, ...]
    fresh: tuple[Item, ...]
    """Those among them that are new."""
    reopen: bool
    changing: int
    """Polls in a row in which most known items had changed."""
    renamed: int
    held_back: int
    """New items that were too many at once."""


def sift(feed: Feed, items: Sequence[Item], compared: Compared) -> Sifted:
    """The items that are worth saving; `compared` speaks of them by their places."""
    new = [place for place in sorted(compared.new - compared.renamed) if place < len(items)]
    changing = _changing(feed, compared)
    taken = _taken(feed, [items[place] for place in new])
    left_out = compared.renamed | set(new[taken:])
    return Sifted(
        items=tuple(item for place, item in enumerate(items) if place not in left_out),
        fresh=tuple(items[place] for place in new[:taken]),
        reopen=changing < CHANGING_POLLS,
        changing=changing,
        renamed=len(compared.renamed),
        held_back=len(new) - taken,
    )


def _changing(feed: Feed, compared: Compared) -> int:
    """How many polls in a row most of what is known had changed."""
    known = len(compared.known) + len(compared.changed)
    if known < FEWEST:
        return feed.standing.changing if known == 0 else 0
    return feed.standing.changing + 1 if len(compared.changed) > MOST * known else 0


def _taken(feed: Feed, fresh: Sequence[Item]) -> int:
    """How many of the new items are taken now, the first of the document before the others."""
    had_items = feed.standing.new_at is not None
    if not had_items or len(fresh) <= MANY_AT_ONCE or _is_backlog(feed, fresh):
        return len(fresh)
    return MANY_AT_ONCE


def _is_backlog(feed: Feed, fresh: Sequence[Item]) -> bool:
    """Whether the dates say that all this was written in its time, and only we come late."""
    dates: list[datetime] = [
        at for item in fresh if (at := item.published_at or item.updated_at) is not None
    ]
    if len(dates) < DATED * len(fresh):
        return False
    days = (max(dates) - min(dates)) / timedelta(days=1)
    usual = feed.rhythm.high if feed.rhythm else 0.0
    return days > 0 and len(dates) / days <= max(BACKLOG_PER_DAY, BACKLOG_TIMES * usual)
