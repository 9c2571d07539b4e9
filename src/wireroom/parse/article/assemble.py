"""An article put together from what its parts found; every field says where it came from.

Decides nothing about the text or the fields: only names, addresses, identity and what goes to `extra`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

import msgspec

from wireroom.dates import Moment
from wireroom.model import Article, Claim, Item
from wireroom.parse.article.body_choice import ChosenBody
from wireroom.parse.article.extraction_quality import Quality
from wireroom.parse.article.types import ExtractConfig
from wireroom.parse.body import image_places, layout_of
from wireroom.parse.html import Page
from wireroom.parse.metadata import Field, Metadata
from wireroom.parse.metadata.person_names import name_key
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
        layout=layout_of(body.blocks, captions=body.with_captions),
        captions=body.captions(),
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
        "images": image_places(parts.chosen.body),
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


# What is kept of an article beyond its fields: linked data, evidence, confidence; bounded in size.
#
# Plain JSON data only, so that every store and every format can hold it.

MAX_KEPT_DATA: Final = (
    40_000  # bytes of linked data, and of what selectors match, kept with an article
)
MAX_EVIDENCE: Final = 10  # claims about a wall that are kept
MAX_TEXT: Final = 2_000  # characters of one text in the linked data; the body is not kept twice
MAX_MEMBERS: Final = 200  # of one list or object there

T = TypeVar("T")

_FIELDS: Final = (
    ("title", "title"),
    ("authors", "authors"),
    ("published_at", "published"),
    ("modified_at", "modified"),
    ("language", "language"),
    ("language_tag", "language_tag"),
    ("tags", "tags"),
    ("description", "description"),
    ("image_url", "image_url"),
    ("canonical_url", "canonical_url"),
    ("paywall", "paywall"),
    ("section", "section"),
    ("licence_url", "licence_url"),
    ("publisher_name", "publisher"),
)
"""Our name of a field, and the metadata's."""


def fields_of(metadata: Metadata) -> list[tuple[str, Field[Any]]]:
    """Every field about which something is known, by the article's names."""
    named = ((ours, getattr(metadata, theirs)) for ours, theirs in _FIELDS)
    return [(name, field) for name, field in named if field.source]


def extra_of(metadata: Metadata, item: Item | None) -> dict[str, Any]:
    """All that has no field of its own; nothing that is empty."""
    fields: dict[str, Any] = {
        **metadata.extra,
        "section": metadata.section.value,
        "publisher_name": metadata.publisher.value,
        "licence_url": metadata.licence_url.value,
        "published": _moment_facts(metadata.published.value),
        "modified": _moment_facts(metadata.modified.value),
        "selectors": _within_room(metadata.selected),
        "formats": {name: dict(table) for name, table in metadata.formats.items()},
        "json_ld": _objects(metadata.json_ld),
        "paywall": _wall(metadata),
        "feed": _item_facts(item, metadata.authors.value) if item is not None else {},
    }
    return {name: value for name, value in fields.items() if value}


def _moment_facts(moment: Moment | None) -> dict[str, Any]:
    """The day as it was written, the clock it was written by, and how exactly."""
    if moment is None:
        return {}
    facts: dict[str, Any] = {
        "local_day": moment.local_day.isoformat(),
        "precision": moment.precision,
        "zone_from": moment.zone_from,
    }
    if moment.offset is not None:
        facts["offset_minutes"] = moment.offset // timedelta(minutes=1)
    return facts


def _wall(metadata: Metadata) -> dict[str, Any]:
    wall = metadata.paywall
    if not wall.claims and not wall.notes:
        return {}
    evidence = [_claim_facts(claim) for claim in wall.claims[:MAX_EVIDENCE]]
    return {"evidence": evidence, "notes": list(wall.notes)}


def _claim_facts(claim: Claim) -> dict[str, Any]:
    return {"value": claim.value, "source": claim.source, "confidence": round(claim.confidence, 3)}


def _item_facts(item: Item, authors: Sequence[str]) -> dict[str, Any]:
    """What the feed said, contributors among its extras; its authors only where the article names others."""
    facts: dict[str, Any] = {**item.extra, "guid": item.guid, "title": item.title}
    if {name_key(name) for name in item.authors} != {name_key(name) for name in authors}:
        facts["authors"] = list(item.authors)
    if item.published_at is not None:
        facts["published_at"] = item.published_at.isoformat()
    return {name: value for name, value in facts.items() if value}


# --- linked data ----------------------------------------------------------------------------------


def _objects(objects: Sequence[Mapping[str, Any]]) -> list[Any]:
    """The objects as the page wrote them, as many as fit; long texts in them are cut."""
    if not objects or len(msgspec.json.encode(objects)) <= MAX_TEXT:
        return list(objects)
    return list(_within_room(dict(enumerate(objects))).values())


def _within_room(values: Mapping[T, Any]) -> dict[T, Any]:
    """The values up to the one for which there is no room."""
    kept: dict[T, Any] = {}
    room = MAX_KEPT_DATA
    for name, value in values.items():
        short = _shortened(value)
        room -= len(msgspec.json.encode(short))
        if room < 0:
            break
        kept[name] = short
    return kept


def _shortened(value: Any) -> Any:
    """Recursion is safe: whoever read the objects bounded their depth."""
    if isinstance(value, str):
        return value[:MAX_TEXT]
    if isinstance(value, dict):
        return {key: _shortened(held) for key, held in list(value.items())[:MAX_MEMBERS]}
    if isinstance(value, list | tuple):
        return [_shortened(held) for held in value[:MAX_MEMBERS]]
    return value
