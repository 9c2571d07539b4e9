"""JSON Feed 1.0 and 1.1."""

from __future__ import annotations

import json
from html import escape
from typing import Any

import msgspec

from wireroom.errors import ParseError
from wireroom.languages import normal_tag
from wireroom.model import FeedDocument, FeedHints, Item
from wireroom.parse.encoding import decode
from wireroom.parse.feed.compose import guid_of, summary_and_content, title_of
from wireroom.parse.feed.extras import Extra, keep, keep_zones
from wireroom.parse.feed.feed_context import (
    MAX_AUTHORS,
    MAX_EXTRA_TEXT,
    MAX_EXTRAS,
    MAX_ITEMS,
    MAX_NAME,
    MAX_TAGS,
    FeedContext,
)
from wireroom.parse.feed.item_people import distinct, person_name
from wireroom.parse.plain_text import clean, line

MAX_BRACKETS = 300_000  # lists and objects of one document; each costs about 100 bytes
MAX_DEPTH = 5  # of a structure kept from an extension


def load_json(body: bytes, *, content_type: str = "") -> Any:
    """The value of a JSON body of bounded size; raises ParseError, never anything else."""
    text = decode(body, content_type=content_type, kind="json").text
    if text.count("[") + text.count("{") > MAX_BRACKETS:
        raise ParseError(f"JSON with more than {MAX_BRACKETS:,} lists and objects")
    try:
        return msgspec.json.decode(text.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return _load_leniently(text)


def _load_leniently(text: str) -> Any:
    """With line breaks in strings and halves of characters, which the strict reader refuses."""
    try:
        return json.loads(text, strict=False, parse_constant=_no_constant)
    except (ValueError, RecursionError) as exc:
        raise ParseError(f"JSON that cannot be read: {type(exc).__name__}") from exc


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def read_json_feed(value: Any, context: FeedContext) -> FeedDocument:
    """The document of a JSON Feed that was already loaded."""
    if not isinstance(value, dict) or not isinstance(value.get("items"), list):
        raise ParseError("a JSON Feed without a list of items")
    context.language = normal_tag(_text(value, "language")[:MAX_NAME])
    self_url = context.url(_text(value, "feed_url"))
    home_url = context.url(_text(value, "home_page_url"))
    context.base_url = context.base_url or self_url or home_url
    context.authors = _authors(value)
    found = value["items"]
    items = [_item(record, context) for record in found[:MAX_ITEMS] if isinstance(record, dict)]
    return FeedDocument(
        kind="json",
        title=title_of(escape(_text(value, "title"), quote=False)),
        home_url=home_url,
        items=tuple(item for item in items if item is not None),
        hints=FeedHints(hub_url=_hub(value, context), self_url=self_url),
        language=context.language,
        truncated=len(found) > MAX_ITEMS,
        extra=_feed_extra(value, context),
    )


def _feed_extra(value: dict[str, Any], context: FeedContext) -> Extra:
    extra = _extensions(value)
    if description := line(_text(value, "description"), MAX_EXTRA_TEXT):
        extra["description"] = description
    for name, key in (("next_url", "next_url"), ("icon", "image_url"), ("favicon", "icon_url")):
        if url := context.url(_text(value, name)):
            extra[key] = url
    if context.authors:
        extra["authors"] = list(context.authors)
    return extra


def _hub(value: dict[str, Any], context: FeedContext) -> str:
    hubs = value.get("hubs")
    for hub in hubs[:MAX_EXTRAS] if isinstance(hubs, list) else ():
        if isinstance(hub, dict) and (url := context.url(_text(hub, "url"))):
            return url
    return ""


def _item(value: dict[str, Any], context: FeedContext) -> Item | None:
    extra = _item_extra(value, context)
    url = context.url(_text(value, "url")) or extra.get("external_url", "")
    guid = _text(value, "id")
    title = title_of(escape(_text(value, "title"), quote=False))
    content = _text(value, "content_html")
    plain = _text(value, "content_text")
    summary = _text(value, "summary") or plain
    if not (guid or url or title or content or summary):
        return None
    description, content_html = summary_and_content(
        escape(summary, quote=False), clean(content or _paragraphs(plain)), extra
    )
    published, updated = _text(value, "date_published"), _text(value, "date_modified")
    published_at, updated_at = context.moment(published), context.moment(updated)
    keep_zones(extra, context.zone_of(published), context.zone_of(updated))
    return Item(
        feed_url=context.feed_url,
        guid=guid_of(guid.strip(), url, (title, summary)),
        url=url,
        title=title,
        summary=description,
        content_html=content_html,
        authors=_authors(value) or context.authors,
        tags=_tags(value),
        published_at=published_at,
        updated_at=updated_at,
        extra=extra,
    )


def _item_extra(value: dict[str, Any], context: FeedContext) -> Extra:
    extra = _extensions(value)
    for name, key in (
        ("image", "image_url"),
        ("banner_image", "banner_url"),
        ("external_url", "external_url"),
    ):
        if url := context.url(_text(value, name)):
            extra[key] = url
    if language := normal_tag(_text(value, "language")[:MAX_NAME]):
        extra["language"] = language
    attachments = value.get("attachments")
    for attachment in attachments[:MAX_EXTRAS] if isinstance(attachments, list) else ():
        if isinstance(attachment, dict) and (url := context.url(_text(attachment, "url"))):
            keep(extra, "enclosures", _attachment(attachment, url))
    return extra


def _attachment(value: dict[str, Any], url: str) -> Extra:
    attachment: Extra = {"url": url}
    for name, key in (("mime_type", "type"), ("title", "title")):
        if text := line(_text(value, name), MAX_NAME):
            attachment[key] = text
    for name, key in (("size_in_bytes", "length"), ("duration_in_seconds", "duration")):
        number = value.get(name)
        if isinstance(number, int | float) and 0 <= number < 2**53:
            attachment[key] = int(number)
    return attachment


def _authors(value: dict[str, Any]) -> tuple[str, ...]:
    several = value.get("authors")
    people = several[:MAX_AUTHORS] if isinstance(several, list) else []
    people = [*people, value.get("author")]
    names = [
        person_name(escape(_text(person, "name"))) for person in people if isinstance(person, dict)
    ]
    return distinct(names, MAX_AUTHORS) if names else ()


def _tags(value: dict[str, Any]) -> tuple[str, ...]:
    tags = value.get("tags")
    words = [line(tag, MAX_NAME) for tag in tags[:MAX_TAGS] if isinstance(tag, str)] if isinstance(tags, list) else []  # fmt: skip
    return distinct(words, MAX_TAGS) if words else ()


def _text(value: dict[str, Any], name: str) -> str:
    """A member as text; numbers become their digits, for many feeds number their items."""
    found = value.get(name)
    if isinstance(found, str):
        return found
    if isinstance(found, int | float) and not isinstance(found, bool) and abs(found) < 2**63:
        return str(found)
    return ""


def _paragraphs(text: str) -> str:
    parts = (part.strip() for part in text.split("\n\n"))
    return "".join(f"<p>{escape(part, quote=False)}</p>" for part in parts if part)


def _extensions(value: dict[str, Any]) -> Extra:
    """Members of extensions, which begin with an underscore."""
    found = {
        name[1:][:MAX_NAME]: _bounded(value[name], 1)
        for name in list(value)[: 10 * MAX_EXTRAS]
        if name.startswith("_") and len(name) > 1
    }
    return {"extensions": dict(list(found.items())[:MAX_EXTRAS])} if found else {}


def _bounded(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return clean(value[:MAX_EXTRA_TEXT])
    if isinstance(value, dict) and depth < MAX_DEPTH:
        members = list(value.items())[:MAX_EXTRAS]
        return {clean(key[:MAX_NAME]): _bounded(member, depth + 1) for key, member in members}
    if isinstance(value, list) and depth < MAX_DEPTH:
        return [_bounded(member, depth + 1) for member in value[:MAX_EXTRAS]]
    if isinstance(value, bool) or value is None:
        return value
    return value if isinstance(value, int | float) and abs(value) < 2**63 else None
