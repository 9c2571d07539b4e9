"""Where feeds usually are, and which of several is the main one. Pure; the tables are data.

As of November 2026: the paths of the publishing systems most in use, likeliest first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from urllib.parse import urlsplit

from wireroom.model import FeedDocument
from wireroom.parse.links import FeedLink
from wireroom.urls import same_site

MAX_PROBES = 6  # addresses tried without being told of them
MAX_ANNOUNCED = 4  # announced feeds that are read; sections announce dozens

# What the generator meta tag or the page's own addresses betray, and where that system keeps its feed.
_SYSTEMS = (
    ("wordpress", ("/feed/", "/?feed=rss2")),
    ("drupal", ("/rss.xml",)),
    ("ghost", ("/rss/",)),
    ("blogger", ("/feeds/posts/default",)),
    ("arc xp", ("/arc/outboundfeeds/rss/",)),
    ("substack", ("/feed",)),
    ("hugo", ("/index.xml",)),
    ("squarespace", ("/?format=rss",)),
    ("typo3", ("/?type=100", "/rss.xml")),
    ("joomla", ("/?format=feed&type=rss",)),
)
# Files that only one system has, and its name; in a page's addresses or in those of its sitemaps.
_CLUES = (
    ("/wp-content/", "wordpress"),
    ("/arc/outboundfeeds/", "arc xp"),
    ("/pf/resources/", "arc xp"),
    ("/sites/default/files/", "drupal"),
    ("/typo3temp/", "typo3"),
    ("substackcdn.com/", "substack"),
    ("squarespace.com/", "squarespace"),
)
_USUAL = ("/feed/", "/rss.xml", "/rss", "/feed.xml", "/atom.xml", "/index.xml", "/feed.json")
_SIDE = re.compile(r"comment|kommentar|podcast|/tags?/|/author/|/category/|/search", re.IGNORECASE)
_NEWS = re.compile(r"news|latest|top|main|all|home|aktuell|ticker", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ReadFeed:
    """A feed that was found and read, and how it was found."""

    url: str
    document: FeedDocument
    source: str
    title: str = ""
    type: str = ""

    @property
    def newest_at(self) -> datetime | None:
        """When its newest entry came out."""
        dates = [item.published_at or item.updated_at for item in self.document.items]
        return max((at for at in dates if at is not None), default=None)

    @property
    def newest_url(self) -> str:
        """The address of that entry."""
        dated = [
            (at, item.url)
            for item in self.document.items
            if item.url and (at := item.published_at or item.updated_at) is not None
        ]
        first = next((item.url for item in self.document.items if item.url), "")
        return max(dated)[1] if dated else first


def likeliest(links: Iterable[FeedLink], home_url: str) -> list[FeedLink]:
    """The announced feeds worth reading: the main ones of this site first, comments last."""

    def rank(link: FeedLink) -> tuple[bool, bool, bool, int]:
        text = f"{link.url} {link.title}"
        return (
            bool(_SIDE.search(text)),
            link.source == "anchor",
            not same_site(link.url, home_url),
            _depth(link.url),
        )

    return sorted(links, key=rank)[:MAX_ANNOUNCED]


def system_of(generator: str, *texts: str) -> str:
    """The names of systems: what a generator says of itself, and what the texts betray."""
    found = (name for clue, name in _CLUES if any(clue in text for text in texts))
    return " ".join((generator.lower(), *found))


def probes(system: str) -> list[str]:
    """Paths to try, those of the system in use first."""
    own = [path for name, paths in _SYSTEMS if name in system.lower() for path in paths]
    return list(dict.fromkeys((*own, *_USUAL)))[:MAX_PROBES]


def ranked(
    feeds: Iterable[ReadFeed], *, home_url: str, site_title: str, now: datetime
) -> list[ReadFeed]:
    """The feeds, the one to follow first: of this site, no side feed, alive, full, near the root."""

    def points(feed: ReadFeed) -> float:
        text = f"{feed.url} {feed.title} {feed.document.title}"
        newest = feed.newest_at
        alive = newest is not None and newest > now - timedelta(days=30)
        return (
            4.0 * same_site(feed.url, home_url)
            - 5.0 * bool(_SIDE.search(text))
            + 2.0 * alive
            + 1.0 * min(len(feed.document.items), 30) / 30
            + 0.5 * bool(_NEWS.search(feed.url))
            + 1.0 * _alike(feed.document.title, site_title)
            + 0.5 * (feed.source in {"header", "link"})
            - 0.4 * _depth(feed.url)
        )

    return sorted(feeds, key=points, reverse=True)


def _depth(url: str) -> int:
    return sum(1 for part in urlsplit(url).path.split("/") if part)


def _alike(title: str, other: str) -> float:
    if not title or not other:
        return 0.0
    return SequenceMatcher(None, title.lower()[:100], other.lower()[:100]).ratio()
