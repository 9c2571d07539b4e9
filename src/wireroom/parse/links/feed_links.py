"""Which links lead to feeds: by the type that is announced, or by the look of an address.

Pure; judges one link at a time. What is found is a candidate: only its content says that it is a feed.
"""

from __future__ import annotations

import re
from typing import Final

MAX_TYPE: Final = 100  # characters of a media type; the longest in use has half of that
MAX_PATH: Final = 500  # characters of an address whose look is judged

_FEED_TYPES: Final = frozenset(
    (
        "application/rss+xml",
        "application/atom+xml",
        "application/rdf+xml",
        "application/feed+json",
        "application/rss",
        "application/atom",
        "text/rss+xml",
        "text/atom+xml",
        "text/rss",
        "text/atom",
    )
)
# Feeds are announced under these, and so are interfaces for programs.
_GENERAL_TYPES: Final = frozenset(("application/xml", "text/xml", "application/json", "text/json"))
_INTERFACE: Final = re.compile(
    r"/wp-json\b|[?&]rest_route=|oembed|/xmlrpc|opensearch|/osd\.xml", re.IGNORECASE
)
# The last part of a path, or a parameter, by which the programs that publish call their feeds.
_FEED_PATH: Final = re.compile(
    r"(?:/(?:rss|feeds?|atom|rdf)(?:/(?:rss2?|atom|rdf|index|all|news|latest|default|posts/default))?/?"
    r"|[/.](?:rss|atom|rdf)(?:\.(?:xml|php|aspx?|json))?/?"
    r"|/(?:[\w-]{0,40}[-_])?(?:rss|feeds?|atom)(?:[-_][\w-]{0,40})?\.(?:xml|rdf|json|php|aspx?)"
    r"|/(?:rss|feeds?|atom|rdf)/[\w/.-]{1,100}\.(?:xml|rdf|rss|atom|json)"
    r"|/index\.(?:rss|rdf|atom)|/outboundfeeds/rss/[\w/-]{0,100})$",
    re.IGNORECASE | re.ASCII,
)
_FEED_QUERY: Final = re.compile(
    r"(?:^|&)(?:feed=(?:rss2?|atom|rdf)|format=(?:rss|atom|feed)|type=100)(?:&|$)", re.IGNORECASE
)
_SITEMAP_PATH: Final = re.compile(
    r"/[\w.-]{0,60}sitemap[\w.-]{0,60}\.(?:xml|txt)(?:\.gz)?$", re.IGNORECASE | re.ASCII
)


def media_type(text: str) -> str:
    """A type as it can be compared: trimmed, lower case, without parameters."""
    return text[:MAX_TYPE].partition(";")[0].strip().lower()


def is_feed_link(rels: frozenset[str], kind: str, url: str) -> bool:
    """Whether a link tag or header announces a feed."""
    if kind in _FEED_TYPES:
        return "alternate" in rels or "feed" in rels
    if "stylesheet" in rels or _INTERFACE.search(url[:MAX_PATH]):
        return False
    if kind in _GENERAL_TYPES:
        return "alternate" in rels
    return not kind and ("feed" in rels or ("alternate" in rels and looks_like_feed(url)))


def looks_like_feed(url: str) -> bool:
    """Whether an address ends as feeds do."""
    url = url.lower()
    may_be = "rss" in url or "feed" in url or "atom" in url or "rdf" in url or "=" in url
    if not may_be or len(url) > MAX_PATH:
        return False
    path, _, query = url.partition("#")[0].partition("?")
    if _FEED_PATH.search(path) and not _INTERFACE.search(url):
        return path.count("/") > 2  # a host called feed.test is no feed
    return bool(query and _FEED_QUERY.search(query))


def looks_like_sitemap(url: str) -> bool:
    """Whether an address is called like a sitemap that machines read."""
    return len(url) <= MAX_PATH and _SITEMAP_PATH.search(url.partition("?")[0]) is not None
