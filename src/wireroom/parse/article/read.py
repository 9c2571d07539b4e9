"""From bytes to an article: open, choose the body, read the metadata, judge, put together.

Here is only the order of work, and the door's promise: `ParseError` and what is under it, nothing else.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from wireroom.errors import NoArticleError, UnknownFormatError
from wireroom.model import Article, Item
from wireroom.parse.article.bodies import Chosen, choose_body
from wireroom.parse.article.extra import confidences, extra_of, fields_of
from wireroom.parse.article.nouns import ArticleReading, Encoding, ExtractConfig
from wireroom.parse.article.quality import Quality, quality_of
from wireroom.parse.detect import detect_language
from wireroom.parse.html import Page, open_page
from wireroom.parse.kind import FEED_KINDS, Kind, kind_of
from wireroom.parse.metadata import Metadata, read_metadata
from wireroom.parse.plain import text_hash
from wireroom.urls import article_id, canonical_url, publisher_domain

__all__ = ["extract", "read_article"]

MAX_LOOK: Final = 8_192  # characters of a text whose kind is asked
MAX_NOTES: Final = 30  # kept with an article
_DEFAULTS: Final = ExtractConfig()
_IS_A: Final = {
    "pdf": "a PDF document",
    "image": "an image",
    "audio_video": "sound or film",
    "gzip": "a gzip archive",
    "zip": "a zip archive",
    "binary": "no text",
    "json": "JSON",
    "robots": "a robots.txt",
    "sitemap": "a sitemap",
    "sitemap_index": "an index of sitemaps",
    "text_sitemap": "a list of addresses",
    "opml": "an OPML file",
    "xml": "XML of an unknown vocabulary",
}


def extract(
    body: bytes | str,
    *,
    url: str = "",
    content_type: str = "",
    fetched_at: datetime | None = None,
    config: ExtractConfig | None = None,
) -> Article:
    """The article on a page.

    Raises `NoArticleError`, which says what the page is instead; `UnknownFormatError` for what is no
    page at all; `ParseError` for what cannot be read. `fetched_at` is when the page was had; without
    it the clock is asked, and no date of the page may be later.
    """
    reading = read_article(
        body, url=url, content_type=content_type, fetched_at=fetched_at, config=config
    )
    return reading.article


def read_article(
    body: bytes | str,
    *,
    url: str = "",
    content_type: str = "",
    fetched_at: datetime | None = None,
    config: ExtractConfig | None = None,
    rich: bool = False,
    explain: bool = False,
) -> ArticleReading:
    """The article on a page with everything that was thought on the way; raises as `extract` does.

    With `rich` the blocks carry their links and emphases, for Markdown and HTML; with `explain` the
    dropped blocks are there as well, each with its reason.
    """
    config = config or _DEFAULTS
    kind = _page_kind(body, content_type)
    page = open_page(body, url=url, content_type=content_type)
    chosen = choose_body(page, body, config, rich=rich, explain=explain)
    metadata = _metadata(page, chosen, config, fetched_at)
    quality = quality_of(page, chosen, metadata)
    if not chosen.body.text and not config.any_page:
        raise NoArticleError("no article: the page holds no text", page_kind="empty")
    notes = (*chosen.notes, *metadata.notes, *_cut_notes(page))[:MAX_NOTES]
    return ArticleReading(
        article=_article(page, chosen, metadata, quality, notes, config.item, fetched_at),
        body=chosen.body,
        metadata=metadata,
        kind=kind,
        encoding=Encoding(name=page.encoding, source=page.encoding_source, lossy=page.lossy),
        judged="article",
        quality_reasons=quality.reasons,
        notes=notes,
    )


def _page_kind(body: bytes | str, content_type: str) -> Kind:
    look = body[:MAX_LOOK].encode("utf-8", "replace") if isinstance(body, str) else body
    kind = kind_of(look, content_type)
    if kind.name == "empty":
        raise NoArticleError(f"no article: empty ({kind.why})", page_kind="empty")
    if kind.name in FEED_KINDS:
        raise UnknownFormatError(
            f"not a page: this is a feed ({kind.why})", way_out="extract_all reads its items."
        )
    if kind.name in _IS_A:
        raise UnknownFormatError(f"not a page: this is {_IS_A[kind.name]} ({kind.why})")
    return kind


def _metadata(
    page: Page, chosen: Chosen, config: ExtractConfig, fetched_at: datetime | None
) -> Metadata:
    root = page.tree.root
    said = config.hints.language or (root.attributes.get("lang") if root is not None else "")
    return read_metadata(
        page.tree,
        url=page.url,
        fetched_at=fetched_at,
        hints=config.hints,
        item=config.item,
        precedence=config.precedence,
        detected=detect_language(chosen.body.text, said=said or ""),
        word_count=chosen.body.word_count,
        undated=config.undated,
    )


def _cut_notes(page: Page) -> tuple[str, ...]:
    notes = [f"cut: more {what} than are read" for what in page.cut]
    if page.parser == "lxml":
        notes.append("parser: the second one, for the first saw no text")
    return tuple(notes)


def _article(
    page: Page,
    chosen: Chosen,
    metadata: Metadata,
    quality: Quality,
    notes: tuple[str, ...],
    item: Item | None,
    fetched_at: datetime | None,
) -> Article:
    url, publisher = _place(page.url)
    digest = text_hash(chosen.body.text)
    published, modified = metadata.published.value, metadata.modified.value
    extra = extra_of(metadata, item)
    extra["confidence"] = {**confidences(metadata), "text": chosen.body.confidence}
    extra["quality"] = list(quality.reasons)
    extra["notes"] = list(notes)
    extra["encoding"] = page.encoding
    sources = {name: field.source for name, field in fields_of(metadata)}
    if chosen.body.text:
        sources["text"] = chosen.source
    return Article(
        id=article_id(publisher, url) if url else digest[:24],
        publisher=publisher,
        url=url,
        title=metadata.title.value,
        fetched_at=fetched_at or datetime.now(UTC),
        feed_url=item.feed_url if item is not None else "",
        canonical_url=metadata.canonical_url.value,
        authors=metadata.authors.value,
        published_at=published.at if published else None,
        published_source=metadata.published.source,
        modified_at=modified.at if modified else None,
        language=metadata.language.value,
        language_tag=metadata.language_tag.value,
        tags=metadata.tags.value,
        description=metadata.description.value,
        image_url=metadata.image_url.value,
        text=chosen.body.text,
        text_hash=digest,
        word_count=chosen.body.word_count,
        quality=round(quality.value, 3),
        paywall=metadata.paywall.value,
        sources=sources,
        extra={name: value for name, value in extra.items() if value},
    )


def _place(url: str) -> tuple[str, str]:
    """The address to keep and the publisher it belongs to; both empty for what is no web address."""
    try:
        return canonical_url(url), publisher_domain(url)
    except ValueError:
        return "", ""
