"""What a card shows of feeds: each with its address, and those that are offered and not followed, with the reason.

Pure: reads the facts of the step `feeds`, also those of an older day, which have fewer keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from wireroom.display_text import counted
from wireroom.model import Facts
from wireroom.ports import CardDetails, CardFeed, CardOther, SummaryRow
from wireroom.rights.finding_index import MEASURED

KINDS = {"rss": "RSS", "atom": "Atom", "rdf": "RDF", "json": "JSON Feed"}
MAX_OTHERS = 100  # addresses that are not followed; some pages announce hundreds


def feed_details(facts: Facts) -> CardDetails:
    """The feeds, best first, and the other addresses."""
    return CardDetails(feeds=tuple(_feeds(facts)), other_feeds=tuple(_others(facts))[:MAX_OTHERS])


def _feeds(facts: Facts) -> Iterator[CardFeed]:
    measured = facts.get(MEASURED, {}).get("feeds", {})
    for feed in facts.get("feeds", ()):
        seen = measured.get(feed["url"], {})
        newest = seen.get("newest_at")
        yield CardFeed(
            url=str(feed["url"]),
            kind=str(feed.get("kind", "")),
            title=str(feed.get("title") or ""),
            language=str(feed.get("language") or ""),
            found_by=str(feed.get("source") or ""),
            items=seen.get("entries"),
            newest_at=datetime.fromisoformat(newest) if newest else None,
            newest_url=str(seen.get("newest_url") or ""),
            per_day=seen.get("per_day"),
            rate=str(seen.get("rate") or ""),
        )


def _others(facts: Facts) -> Iterator[CardOther]:
    barred = facts.get("barred", ())
    reasons = dict.fromkeys(barred, "barred by robots.txt")
    reasons |= dict.fromkeys(facts.get("comments", ()), "comments of readers")
    reasons |= {url: why for url, why in facts.get("problems", {}).items() if url not in barred}
    reasons |= dict.fromkeys(facts.get("not_asked", ()), "announced, not asked for")
    return (CardOther(url=str(url), reason=str(reason)) for url, reason in reasons.items())


def unusable(facts: Facts) -> list[str]:
    """Addresses that the publisher announces and that gave no feed: dead, without an answer, something else."""
    announced = {*facts.get("announced", ())} - {*facts.get("barred", ())}
    return [url for url in facts.get("problems", {}) if url in announced]


def feed_rows(facts: Facts) -> tuple[SummaryRow, ...]:
    """A row for each feed, then one for each that is announced and barred or of no use."""
    details = feed_details(facts)
    rows = [
        SummaryRow(url=feed.url, text=_described(feed), newest_at=feed.newest_at)
        for feed in details.feeds
    ]
    shown = {str(url) for url in (*facts.get("barred", ()), *unusable(facts))}
    rows += [
        SummaryRow(url=other.url, text=other.reason)
        for other in details.other_feeds
        if other.url in shown
    ]
    return tuple(rows)


def _described(feed: CardFeed) -> str:
    parts = [KINDS.get(feed.kind, feed.kind)]
    if feed.items is not None:
        parts.append(counted(feed.items, "item"))
    if feed.rate:
        parts.append(feed.rate)
    title = f": {feed.title}" if feed.title else ""
    return f"{', '.join(filter(None, parts))}{title}"
