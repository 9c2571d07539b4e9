"""Where sitemaps usually are, and which of many is worth reading. Pure; the tables are data (November 2026)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from wireroom.parse.sitemap import SitemapEntry

USUAL_PATHS = (
    "/sitemap.xml",
    "/sitemap_index.xml",
    "/wp-sitemap.xml",
    "/sitemap/sitemap.xml",
)
NEWS_PATHS = (
    "/news-sitemap.xml",
    "/sitemap-news.xml",
    "/sitemap_news.xml",
    "/arc/outboundfeeds/news-sitemap/",
)
_NEWS = re.compile(r"news", re.IGNORECASE)
_FRESH = re.compile(r"latest|today|recent|current|aktuell", re.IGNORECASE)
_OLDEST = datetime(1, 1, 1, tzinfo=UTC)


def names_news(url: str) -> bool:
    """Whether the address says that it is about news."""
    return bool(_NEWS.search(url.partition("://")[2].partition("/")[2]))


def ranked_sitemaps(urls: Iterable[str]) -> list[str]:
    """News first, then what says it is recent; otherwise the order of whoever listed them."""
    return sorted(
        dict.fromkeys(urls), key=lambda url: (not names_news(url), not _FRESH.search(url))
    )


def ranked_children(entries: Sequence[SitemapEntry], now: datetime) -> list[str]:
    """Children of an index: news, then recent by name, then newest by date, then last in the file."""
    month = f"{now:%Y-%m}", f"{now:%Y%m}", f"{now:%Y/%m}"

    def rank(place: int) -> tuple[bool, bool, datetime, int]:
        entry = entries[place]
        recent = bool(_FRESH.search(entry.url)) or any(spelling in entry.url for spelling in month)
        changed = entry.lastmod
        return names_news(entry.url), recent, changed.at if changed else _OLDEST, place

    return [entries[place].url for place in sorted(range(len(entries)), key=rank, reverse=True)]
