"""Sitemaps: urlset, index, news, plain text, and feeds that serve as sitemaps.

Streams: bytes or a file-like object come in, are unpacked if their first bytes say gzip, and are read
piece by piece until there are enough entries. Nothing is built that grows with the file but the
entries themselves. Where the XML breaks off or is broken, a scan over the bytes goes on; `truncated`
says when entries are missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Literal, NamedTuple, Protocol

from wireroom.dates import Moment, read_date
from wireroom.errors import UnknownFormatError
from wireroom.parse.feed import read_feed
from wireroom.parse.feed.feed_context import PLAIN_ADDRESS, web_address
from wireroom.parse.kind import FEED_KINDS, BodyKind, kind_of
from wireroom.parse.sitemap.byte_stream import SitemapStream
from wireroom.parse.sitemap.plain_sitemap import RawEntry
from wireroom.parse.sitemap.xml_entries import SitemapFacts, read_entries

MAX_ENTRIES = 50_000  # what the protocol allows in one file
MAX_FEED = 10_000_000  # bytes of a feed that serves as a sitemap: the cap on feeds
MAX_TEXT_LINE = 4_096  # bytes of one address in a text sitemap, white space included

SitemapKind = Literal["urlset", "index", "text", "feed"]


class Readable(Protocol):
    """What can be read from: a file, or a response that is still arriving."""

    def read(self, size: int = ..., /) -> bytes:
        """At most so many bytes; none at the end."""
        ...


class News(NamedTuple):
    """What a news sitemap says of one article."""

    name: str = ""
    language: str = ""
    published_text: str = ""
    title: str = ""

    @property
    def published(self) -> Moment | None:
        """The publication date, when it can be read."""
        return read_date(self.published_text, language=self.language)


class SitemapEntry(NamedTuple):
    """One address of a sitemap, or one sitemap of an index; a tuple, for there are thousands."""

    url: str
    lastmod_text: str = ""
    """As it was written: most entries' dates are never asked for."""
    news: News | None = None

    @property
    def lastmod(self) -> Moment | None:
        """The date of the last change, when it can be read, with its precision."""
        return read_date(self.lastmod_text) if self.lastmod_text else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapDocument:
    """A sitemap as it was read from bytes."""

    kind: SitemapKind
    entries: tuple[SitemapEntry, ...] = ()
    news_entries: int = 0
    """Entries with a real `news:news` element."""
    news_declared: bool = False
    """The news namespace is declared; many plug-ins do that and never use it."""
    truncated: bool = False
    """There is more than was read: a limit was reached, or the file breaks off."""
    broken: bool = False
    """The XML is not well-formed; what could be found by scanning is here."""


def read_sitemap(
    body: bytes | Readable, *, base_url: str = "", content_type: str = "", limit: int = MAX_ENTRIES
) -> SitemapDocument:
    """The sitemap in these bytes, with at most `limit` entries; stops reading when it has them.

    Raises UnknownFormatError, which says what the bytes are instead, or ParseError.
    """
    stream = SitemapStream(body)
    try:
        return _from_stream(stream, base_url, content_type, limit)
    finally:
        stream.close()


def _from_stream(
    stream: SitemapStream, base_url: str, content_type: str, limit: int
) -> SitemapDocument:
    kind = kind_of(stream.head(), content_type)
    if kind.name in {"sitemap", "sitemap_index"}:
        return _from_xml(stream, kind, base_url, limit)
    if kind.name == "text_sitemap":
        return _from_text(stream, base_url, limit)
    if kind.name in FEED_KINDS:
        return _from_feed(stream, base_url, content_type, limit)
    raise UnknownFormatError(f"not a sitemap: {kind.name.replace('_', ' ')} ({kind.why})")


def _from_xml(stream: SitemapStream, kind: BodyKind, base_url: str, limit: int) -> SitemapDocument:
    report = SitemapFacts()
    base = web_address(base_url, "")
    kept: list[SitemapEntry] = []
    for batch in read_entries(stream, report):
        kept += _entries(batch, base)
        if len(kept) > limit:
            break
    entries = tuple(kept[:limit])
    return SitemapDocument(
        kind="urlset" if kind.name == "sitemap" else "index",
        entries=entries,
        news_entries=sum(entry.news is not None for entry in entries),
        news_declared=report.news_declared,
        truncated=len(kept) > limit or report.cut or stream.cut,
        broken=report.broken,
    )


def _entries(batch: list[RawEntry], base: str) -> Iterator[SitemapEntry]:
    """The entries of a batch that lead somewhere."""
    is_plain = PLAIN_ADDRESS.fullmatch
    for address, lastmod, news in batch:
        if url := (address if is_plain(address) else web_address(address, base)):
            yield SitemapEntry(url, lastmod, News(*news) if news else None)


def _from_text(stream: SitemapStream, base_url: str, limit: int) -> SitemapDocument:
    base = web_address(base_url, "")
    urls = (web_address(line, base) for line in _lines(stream) if line[:4].lower() == "http")
    kept = tuple(SitemapEntry(url) for url in islice(filter(None, urls), limit + 1))
    return SitemapDocument(
        kind="text", entries=kept[:limit], truncated=len(kept) > limit or stream.cut
    )


def _lines(stream: SitemapStream) -> Iterator[str]:
    """Lines of bounded length; a file without line breaks is no list of addresses."""
    rest = b""
    for chunk in chain(stream.chunks(), [b"\n"]):
        *lines, rest = (rest + chunk).replace(b"\r", b"\n").split(b"\n")
        for line in lines:
            yield line[:MAX_TEXT_LINE].decode("utf-8", "replace").strip(" \t\ufeff")
        rest = rest[:MAX_TEXT_LINE]


def _from_feed(
    stream: SitemapStream, base_url: str, content_type: str, limit: int
) -> SitemapDocument:
    body = stream.whole(MAX_FEED)
    feed = read_feed(body, base_url=base_url, content_type=content_type)
    entries = []
    for item in feed.items:
        at = item.updated_at or item.published_at
        if item.url:
            entries.append(SitemapEntry(item.url, at.isoformat() if at else ""))
    truncated = feed.truncated or stream.cut or len(entries) > limit
    return SitemapDocument(kind="feed", entries=tuple(entries[:limit]), truncated=truncated)
