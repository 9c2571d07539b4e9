"""An article put together from what its parts found; every field says where it came from.

Decides nothing about the text or the fields: only names, addresses, identity and what goes to `extra`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from wireroom.model import Article
from wireroom.parse.article.body_choice import ChosenBody
from wireroom.parse.article.extra import extra_of, fields_of
from wireroom.parse.article.extraction_quality import Quality
from wireroom.parse.article.types import ExtractConfig
from wireroom.parse.body import layout_of
from wireroom.parse.html import Page
from wireroom.parse.metadata import Metadata
from wireroom.parse.plain_text import text_hash
from wireroom.urls import article_id, canonical_url, publisher_domain

ID_LENGTH: Final = 24  # hex digits, as `urls.article_id` gives


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleParts:
    """All that an article is made of."""

    page: Page
    chosen: ChosenBody
    metadata: Metadata
    quality: Quality
    config: ExtractConfig
    notes: tuple[str, ...]
    fetched_at: datetime


def article_of(parts: ArticleParts) -> Article:
    """The article."""
    metadata, body, item = parts.metadata, parts.chosen.body, parts.config.item
    url, publisher, url_source = _place(parts)
    digest = text_hash(body.text)
    published, modified = metadata.published.value, metadata.modified.value
    sources = {name: field.source for name, field in fields_of(metadata)}
    if body.text:
        sources["text"] = parts.chosen.source
    if url_source:
        sources["url"] = url_source
    return Article(
        id=article_id(publisher, url) if url else _id_of_text(digest, metadata.title.value),
        publisher=publisher,
        url=url,
        title=metadata.title.value,
        fetched_at=parts.fetched_at,
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
        text=body.text,
        layout=layout_of(body.blocks),
        text_hash=digest,
        word_count=body.word_count,
        quality=round(parts.quality.value, 3),
        paywall=metadata.paywall.value,
        sources=sources,
        extra=_extra(parts),
    )


def _id_of_text(digest: str, title: str) -> str:
    """The id of what has no address: by its text, or its title, or nothing at all."""
    return (digest or text_hash(title) or text_hash("nothing"))[:ID_LENGTH]


def _extra(parts: ArticleParts) -> dict[str, Any]:
    extra = extra_of(parts.metadata, parts.config.item)
    confidence = {name: round(field.confidence, 3) for name, field in fields_of(parts.metadata)}
    fields: dict[str, Any] = {
        "confidence": {**confidence, "text": parts.chosen.body.confidence},
        "quality": list(parts.quality.reasons),
        "notes": list(parts.notes),
        "encoding": parts.page.encoding,
        "encoding_fallback": parts.page.encoding_fallback,
    }
    return extra | {name: value for name, value in fields.items() if value}


def _place(parts: ArticleParts) -> tuple[str, str, str]:
    """The address to keep, the publisher it belongs to, and who named it when nobody gave it.

    A page of unknown origin may name its own address; what it says then is all there is.
    """
    own = parts.metadata.canonical_url
    for url, source in ((parts.page.url, ""), (own.value, own.source)):
        try:
            return canonical_url(url), publisher_domain(url), source
        except ValueError:
            continue
    return "", "", ""
