"""Sitemaps as feeds: their entries as items, and which sitemaps of an index are worth asking. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from wireroom.model import FeedKind, Item
from wireroom.parse.sitemap import SitemapDocument, SitemapEntry

MAX_CHILDREN: Final = 3  # of an index; it may name thousands, and the newest stand in the first few
MAX_ITEMS: Final = (
    1_000  # of one sitemap, newest first: as many as a news sitemap may have; what is
)
# older is the business of a backfill, not of following

_NEWS: Final = re.compile(r"news|latest|today|recent|current|aktuell", re.IGNORECASE)
_NEVER: Final = datetime(1, 1, 1, tzinfo=UTC)


def items_of(document: SitemapDocument, *, feed_url: str) -> tuple[Item, ...]:
    """The newest entries of a sitemap as items; each is known by its address."""
    return tuple(_item(entry, feed_url) for entry in _newest(document.entries))


def kind_of(document: SitemapDocument, held: FeedKind) -> FeedKind:
    """What the sitemap is; one without entries stays what it was."""
    if document.news_entries:
        return "news_sitemap"
    is_known = held in {"sitemap", "news_sitemap"}
    return held if is_known and not document.entries else "sitemap"


def best_children(entries: Sequence[SitemapEntry], *, now: datetime) -> tuple[str, ...]:
    """The sitemaps of an index that most likely hold news: by name, by date, by place; then cut."""
    months = (f"{now:%Y-%m}", f"{now:%Y%m}", f"{now:%Y/%m}")
    places = range(len(entries))
    ranked = sorted(places, key=lambda at: _promise(at, entries[at], months), reverse=True)
    return tuple(dict.fromkeys(entries[at].url for at in ranked))[:MAX_CHILDREN]


def dates_its_children(entries: Iterable[SitemapEntry]) -> bool:
    """Whether the index changes when one of its sitemaps does; if not, "not modified" says nothing."""
    return all(entry.lastmod_text for entry in entries)


def _promise(
    place: int, entry: SitemapEntry, months: Sequence[str]
) -> tuple[bool, bool, datetime, int]:
    path = entry.url.partition("://")[2].partition("/")[2]
    changed = entry.lastmod
    of_this_month = any(month in path for month in months)
    return bool(_NEWS.search(path)), of_this_month, changed.at if changed else _NEVER, place


def _newest(entries: Sequence[SitemapEntry]) -> Sequence[SitemapEntry]:
    """All entries, or the newest of very many; without dates the last in the file count as newest."""
    if len(entries) <= MAX_ITEMS:
        return entries
    aged = sorted(((_date_of(entry), place) for place, entry in enumerate(entries)), reverse=True)
    return [entries[place] for _, place in aged[:MAX_ITEMS]]


def _date_of(entry: SitemapEntry) -> datetime:
    moment = (entry.news.published if entry.news else None) or entry.lastmod
    return moment.at if moment else _NEVER


def _item(entry: SitemapEntry, feed_url: str) -> Item:
    news, changed = entry.news, entry.lastmod
    published = news.published if news else None
    extra: dict[str, Any] = {}
    if news and news.language:
        extra["language"] = news.language
    if news and news.name:
        extra["publication"] = news.name
    return Item(
        feed_url=feed_url,
        guid=entry.url,
        url=entry.url,
        title=news.title if news else "",
        published_at=published.at if published else None,
        updated_at=changed.at if changed else None,
        extra=extra,
    )
