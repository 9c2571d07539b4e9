"""Feeds in reserve: which of them can be left alone, because another feed answers in their place.

Pure. The feeds of a region make a set; a feed without a region is in the set of its publisher. A feed whose role
is `fallback` is asked only while no other feed of its set answers, and of each region it is meant for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final

from wireroom.model import Feed
from wireroom.poll.words import comma_words

__all__ = ["relief_of", "served_sets"]

HEARD_WITHIN: Final = timedelta(days=8)
"""Longer than any feed is left alone: of whom nothing was heard for so long, we may not ask."""


def served_sets(feeds: Iterable[Feed], now: datetime) -> dict[str, str]:
    """The sets in which a feed that is not in reserve answers, each with the address of the first that does."""
    served: dict[str, str] = {}
    for feed in feeds:
        if feed.role != "fallback" and _answers(feed, now):
            for name in (*_regions(feed), _own_set(feed)):
                served.setdefault(name, feed.url)
    return served


def relief_of(feed: Feed, served: Mapping[str, str]) -> str:
    """The address of a feed that answers in place of this one; empty when this one has to be asked."""
    if feed.role != "fallback":
        return ""
    answering = [served.get(name, "") for name in _regions(feed) or (_own_set(feed),)]
    return answering[0] if all(answering) else ""


def _answers(feed: Feed, now: datetime) -> bool:
    """Whether nothing speaks against its next answer; one that was never tried has the benefit of the doubt."""
    if feed.state != "live" or feed.failures:
        return False
    heard = feed.standing.polled_at
    if heard is None:
        return feed.poll_after is None  # put off without having been asked: we may not
    return now - heard < max(HEARD_WITHIN, 2 * (feed.interval or timedelta()))


def _regions(feed: Feed) -> tuple[str, ...]:
    return tuple(f"region {word}" for word in comma_words(feed.region))


def _own_set(feed: Feed) -> str:
    return f"publisher {feed.publisher}"
