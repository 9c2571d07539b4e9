"""Feeds in reserve: which of them can be left alone, because another feed answers in their place.

Pure. The feeds of a region make a set; a feed without a region is in the set of its publisher. A feed whose role
is `fallback` is asked only while no other feed of its set answers, and of each region it is meant for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wireroom.model import Feed
from wireroom.poll.rate_text import comma_words


def served_sets(feeds: Iterable[Feed]) -> dict[str, Feed]:
    """The sets in which a feed that is not in reserve answers, each with the most reliable one."""
    served: dict[str, Feed] = {}
    for feed in sorted(feeds, key=lambda other: -other.reliability):
        if feed.role != "fallback" and _answers(feed):
            for name in (*_regions(feed), _own_set(feed)):
                served.setdefault(name, feed)
    return served


def relief_of(feed: Feed, served: Mapping[str, Feed]) -> Feed | None:
    """A feed that answers in place of this one; None when this one has to be asked."""
    if feed.role != "fallback":
        return None
    answering = [served.get(name) for name in _regions(feed) or (_own_set(feed),)]
    return answering[0] if all(answering) else None


def _answers(feed: Feed) -> bool:
    """Whether nothing speaks against its next answer; one that was never tried has the benefit of the doubt."""
    return feed.state == "live" and not feed.failures and not feed.standing.barred


def _regions(feed: Feed) -> tuple[str, ...]:
    return tuple(f"region {word}" for word in comma_words(feed.region))


def _own_set(feed: Feed) -> str:
    return f"publisher {feed.publisher}"
