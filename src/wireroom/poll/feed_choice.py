"""Which of a publisher's feeds to follow: the main one and the news sitemap, and why not the others.

Pure. The feeds of a dossier stand best first; what is left out can still be added by its address.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from wireroom.model import Dossier, Feed, FeedKind, Finding

_COMMENTS: Final = re.compile(
    r"comment|kommentar|comentario|commento|commenti|reactie|yorum", re.IGNORECASE
)
_ASIDE: Final = re.compile(
    r"podcast|/tags?/|/author/|/autor/|/category/|/search|[?&]s=", re.IGNORECASE
)
_SITEMAPS: Final[frozenset[FeedKind]] = frozenset({"sitemap", "news_sitemap"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """A feed on offer, and why it was taken or left."""

    feed: Feed
    why: str
    seen: bool = True
    """False for one that is followed as named, without having been asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedChoice:
    """What to follow of a publisher, and what not."""

    taken: tuple[Pick, ...] = ()
    left: tuple[Pick, ...] = ()


def choose_feeds(dossier: Dossier) -> FeedChoice:
    """The main feed and the news sitemap; a plain sitemap where there is nothing else."""
    taken: list[Pick] = []
    left: list[Pick] = []
    measured = dict(_measured(dossier.findings))
    for feed in dossier.feeds:
        why_not = _why_not(feed, taken, measured)
        if why_not:
            left.append(Pick(feed=feed, why=why_not))
        else:
            taken.append(Pick(feed=feed, why=_why(feed, taken, measured)))
    return FeedChoice(taken=tuple(taken), left=tuple(left))


def _why_not(feed: Feed, taken: list[Pick], measured: Mapping[str, Mapping[str, Any]]) -> str:
    description = f"{feed.url} {feed.title}"
    if feed.kind not in _SITEMAPS and _COMMENTS.search(description):
        return "comments of readers"
    if feed.kind not in _SITEMAPS and _ASIDE.search(feed.url):
        return "only a part of what is published"
    before = next((pick.feed for pick in taken if _same_sort(pick.feed, feed)), None)
    if before is None:
        return ""
    if _newest(feed, measured) and _newest(feed, measured) == _newest(before, measured):
        return f"the same stories as {before.url}"
    return f"{before.url} comes first; add this one by its address if it has more"


def _why(feed: Feed, taken: list[Pick], measured: Mapping[str, Mapping[str, Any]]) -> str:
    entries = measured.get(feed.url, {}).get("entries")
    counted = f", {entries} items" if isinstance(entries, int) else ""
    if feed.kind == "news_sitemap":
        return "news sitemap: every story of the last two days"
    if feed.kind == "sitemap":
        return "sitemap: there is no feed" if not taken else "sitemap"
    return f"main feed{counted}"


def _same_sort(feed: Feed, other: Feed) -> bool:
    return (feed.kind in _SITEMAPS) == (other.kind in _SITEMAPS)


def _newest(feed: Feed, measured: Mapping[str, Mapping[str, Any]]) -> str:
    return str(measured.get(feed.url, {}).get("newest_url") or "")


def _measured(findings: tuple[Finding, ...]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What scouting saw in each feed, where it did."""
    for finding in findings:
        measured = finding.facts.get("measured") if finding.step == "feeds" else None
        feeds = measured.get("feeds") if isinstance(measured, Mapping) else None
        if isinstance(feeds, Mapping):
            yield from (
                (str(url), facts) for url, facts in feeds.items() if isinstance(facts, Mapping)
            )
