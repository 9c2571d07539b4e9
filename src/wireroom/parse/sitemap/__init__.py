"""Sitemaps: urlset, index, news, plain text, and feeds that serve as sitemaps."""

from __future__ import annotations

from wireroom.parse.sitemap.sitemap_document import (
    MAX_ENTRIES,
    News,
    SitemapDocument,
    SitemapEntry,
    SitemapKind,
    read_sitemap,
)

__all__ = [
    "MAX_ENTRIES",
    "News",
    "SitemapDocument",
    "SitemapEntry",
    "SitemapKind",
    "read_sitemap",
]
