"""The records of a JSON API as a feed's items, by a map of fields.

Pure. The map says where each field of ours stands in a record: `title = "headline"`, `url = "links.self"`,
`image_url = "media.0.href"`; a list on the way is gone through (`authors = "people.name"`). Fields it does
not mention are looked for under their usual names. The list of records is where `records` says, or else
the largest list of objects in the document. Every other name in the map goes to the item's `extra`.
JSON needs no references such as `&amp;`; APIs write them all the same, and they are resolved once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from html import escape, unescape
from typing import Any, Final

from wireroom.dates import Moment, read_date
from wireroom.errors import ParseError
from wireroom.languages import normal_tag
from wireroom.model import FeedDocument, Item
from wireroom.parse.feed.compose import guid_of, title_of
from wireroom.parse.feed.extras import Extra, keep_zones, zone_note
from wireroom.parse.feed.feed_context import (
    MAX_AUTHORS,
    MAX_CONTENT,
    MAX_EXTRA_TEXT,
    MAX_ITEMS,
    MAX_NAME,
    MAX_SUMMARY,
    MAX_TAGS,
    FeedContext,
    web_address,
)
from wireroom.parse.feed.fields import ElementNames
from wireroom.parse.feed.item_people import distinct, person_name
from wireroom.parse.feed.json_feed import load_json
from wireroom.parse.plain_text import clean, has_markup, line, line_of_html

MAX_BODY: Final = 10_000_000  # bytes: the cap on pages and feeds
MAX_DEPTH: Final = 8  # of objects in which a list of records is looked for
MAX_SEEN: Final = 20_000  # values looked at while searching for it
MAX_STEPS: Final = 12  # of one path
MAX_VALUES: Final = 200  # found by one path through lists

USUAL_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "guid": ("guid", "id", "uuid", "uri", "_id"),
    "url": ("url", "link", "web_url", "webUrl", "permalink", "links.self", "canonical_url"),
    "title": ("title", "headline", "name", "title.rendered"),
    "summary": ("summary", "abstract", "description", "excerpt.rendered", "excerpt", "standfirst"),
    "content_html": (
        "content_html",
        "body_html",
        "bodyHtml",
        "content.rendered",
        "content",
        "body",
    ),
    "content_text": ("content_text", "body_text", "bodyText", "text"),
    "authors": ("authors.name", "authors", "author.name", "author", "byline", "creator"),
    "tags": ("tags.name", "tags", "keywords", "categories.name", "categories", "subjects"),
    "published_at": (
        "published_at",
        "publishedAt",
        "date_published",
        "published",
        "pubDate",
        "webPublicationDate",
        "date_gmt",
        "date",
        "created_at",
    ),
    "updated_at": ("updated_at", "updatedAt", "date_modified", "modified_gmt", "modified"),
    "language": ("language", "lang", "locale"),
    "image_url": ("image_url", "image.url", "image", "thumbnail", "urlToImage"),
}
"""Where a field is looked for when the map does not mention it, the likeliest first."""

_RECORDS: Final = ("records", "items")  # how a map may call the list itself
_NEXT: Final = ("next_url", "links.next", "next", "paging.next", "pagination.next_url")
_STEP: Final = re.compile(r"[^.\[\]]+")
_NAMES_INSIDE: Final = ("name", "title", "rendered", "value", "url", "href")
"""Where the text of an object stands when a path ends at one."""


def read_records(
    body: bytes,
    *,
    field_map: Mapping[str, str],
    base_url: str = "",
    content_type: str = "",
    zone: str = "",
) -> FeedDocument:
    """The records in these bytes as items; `zone` counts for dates that name none.

    Raises `ParseError` when the bytes are no JSON, or hold nothing that could be a list of records.
    """
    if len(body) > MAX_BODY:
        raise ParseError(f"JSON of more than {MAX_BODY:,} bytes")
    value = load_json(body, content_type=content_type)
    records = _records(value, _list_path(field_map))
    context = FeedContext(
        feed_url=base_url, base_url=web_address(base_url, ""), names=ElementNames("-")
    )
    reader = _RecordReader(context, field_map, zone)
    items = (reader.item(record) for record in records[:MAX_ITEMS] if isinstance(record, dict))
    return FeedDocument(
        kind="json_api",
        items=tuple(item for item in items if item is not None),
        truncated=len(records) > MAX_ITEMS,
        extra=_document_extra(value, context),
    )


# --- where the records are -----------------------------------------------------------------------


def _list_path(field_map: Mapping[str, str]) -> str:
    return next((field_map[name] for name in _RECORDS if field_map.get(name)), "")


def _records(value: Any, path: str) -> list[Any]:
    if path:
        found = _at(value, path)
        if found is None:
            raise ParseError(f"JSON without a list of records at {line(path, MAX_NAME)}")
    else:
        found = _largest_list(value)
    if isinstance(found, dict):
        return [found]
    if not isinstance(found, list):
        raise ParseError("JSON without a list of records")
    return found


def _largest_list(value: Any) -> Any:
    """The list with the most objects, the outermost of equal ones; a lone record is one as well."""
    best: list[Any] = []
    most = 0
    lone = None
    for seen in _containers(value):
        if isinstance(seen, list):
            objects = sum(isinstance(member, dict) for member in seen)
            if objects > most:
                best, most = seen, objects
        elif lone is None and _looks_like_a_record(seen):
            lone = seen
    # A record may hold lists of its own: of people, of pictures.
    return lone if lone is not None else best if most else None


def _containers(value: Any) -> Iterator[Any]:
    """Lists and objects, the outer ones first; what stands in a list is not opened."""
    level = [value]
    seen = 0
    for _ in range(MAX_DEPTH):
        inner: list[Any] = []
        for container in level:
            seen += 1
            if seen > MAX_SEEN:
                return
            yield container
            if isinstance(container, dict) and not _looks_like_a_record(container):
                inner += (held for held in container.values() if isinstance(held, dict | list))
        level = inner


def _looks_like_a_record(value: Any) -> bool:
    """Whether an object has a title and something to read or to follow."""
    if not isinstance(value, dict) or not _usual(value, "title"):
        return False
    return any(_usual(value, name) for name in ("content_html", "content_text", "url"))


def _usual(value: dict[str, Any], name: str) -> Any:
    return next((found for path in USUAL_NAMES[name] if (found := _at(value, path))), None)


# --- paths ---------------------------------------------------------------------------------------


def _at(value: Any, path: str) -> Any:
    """What stands at a path, or None; through a list the path leads to every element's value."""
    if isinstance(value, dict) and path in value:
        return value[path]
    steps = _steps(path)
    for place, step in enumerate(steps):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal() and len(step) < 7:
            value = value[int(step)] if int(step) < len(value) else None
        elif isinstance(value, list):
            rest = ".".join(steps[place:])
            found = (_at(member, rest) for member in value[:MAX_VALUES] if isinstance(member, dict))
            return [member for member in found if member is not None]
        else:
            return None
    return value


@lru_cache(maxsize=512)  # the usual names and one map; each is looked for in every record
def _steps(path: str) -> tuple[str, ...]:
    return tuple(_STEP.findall(path[:MAX_NAME])[:MAX_STEPS])


def _texts(value: Any) -> list[str]:
    """Every text in a value, in order: its own, those of a list, the name of an object."""
    if isinstance(value, list):
        return [text for member in value[:MAX_VALUES] for text in _texts(_named(member))]
    value = _named(value)
    if isinstance(value, str):
        return [value] if value.strip() else []
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**63:
        return [str(value)]
    return []


def _named(value: Any) -> Any:
    if isinstance(value, dict):
        return next((value[name] for name in _NAMES_INSIDE if value.get(name)), None)
    return value


# --- one record ----------------------------------------------------------------------------------


class _RecordReader:
    """Reads records of one document by one map."""

    def __init__(self, context: FeedContext, field_map: Mapping[str, str], zone: str) -> None:
        self.context = context
        self.zone = zone
        self.paths = {
            name: (field_map[name],) if field_map.get(name) else usual
            for name, usual in USUAL_NAMES.items()
        }
        known = {*USUAL_NAMES, *_RECORDS}
        self.others = {name: path for name, path in field_map.items() if name not in known}

    def item(self, record: dict[str, Any]) -> Item | None:
        """The item of a record, or None for one that says nothing."""
        language = normal_tag(self.text(record, "language")[:MAX_NAME])
        url = self.context.url(self.text(record, "url"))
        title = title_of(self.text(record, "title"))
        content = self._content(record)
        summary = self.text(record, "summary")
        guid = self.text(record, "guid")
        if not (guid or url or title or content or summary):
            return None
        extra = self._extra(record, language)
        published = self._moment(record, "published_at", language)
        updated = self._moment(record, "updated_at", language)
        keep_zones(extra, zone_note(published), zone_note(updated))
        if not content and has_markup(summary):
            content = summary[:MAX_CONTENT]
        return Item(
            feed_url=self.context.feed_url,
            guid=guid_of(guid.strip(), url, (title, summary)),
            url=url,
            title=title,
            summary=line_of_html(summary, MAX_SUMMARY),
            content_html=clean(content),
            authors=self._authors(record),
            tags=self._tags(record),
            published_at=published.at if published else None,
            updated_at=updated.at if updated else None,
            extra=extra,
        )

    def texts(self, record: dict[str, Any], name: str) -> list[str]:
        """What a record says about a field, by the first path that leads to anything."""
        for path in self.paths[name]:
            value = _at(record, path)
            if value is not None and (found := _texts(value)):
                return found
        return []

    def text(self, record: dict[str, Any], name: str) -> str:
        found = self.texts(record, name)
        return found[0] if found else ""

    def _content(self, record: dict[str, Any]) -> str:
        markup = "\n".join(self.texts(record, "content_html"))[:MAX_CONTENT]
        if markup and has_markup(markup):
            return markup
        plain = markup or "\n\n".join(self.texts(record, "content_text"))[:MAX_CONTENT]
        parts = (part.strip() for part in plain.split("\n\n"))
        return "".join(f"<p>{escape(unescape(part), quote=False)}</p>" for part in parts if part)

    def _authors(self, record: dict[str, Any]) -> tuple[str, ...]:
        return distinct([person_name(name) for name in self.texts(record, "authors")], MAX_AUTHORS)  # fmt: skip

    def _tags(self, record: dict[str, Any]) -> tuple[str, ...]:
        found = self.texts(record, "tags")
        if len(found) == 1:
            found = found[0].split(",")
        return distinct([line(word, MAX_NAME) for word in found], MAX_TAGS) if found else ()

    def _moment(self, record: dict[str, Any], name: str, language: str) -> Moment | None:
        return read_date(self.text(record, name), zone=self.zone, language=language)

    def _extra(self, record: dict[str, Any], language: str) -> Extra:
        extra: Extra = {}
        if language:
            extra["language"] = language
        if url := self.context.url(self.text(record, "image_url")):
            extra["image_url"] = url
        for name, path in self.others.items():
            if found := _texts(_at(record, path)):
                kept = [clean(text[:MAX_EXTRA_TEXT]) for text in found]
                extra[name[:MAX_NAME]] = kept if len(kept) > 1 else kept[0]
        return extra


def _document_extra(value: Any, context: FeedContext) -> Extra:
    """Where the next page of records is, when the document says so."""
    for path in _NEXT:
        for text in _texts(_at(value, path)):
            if url := context.url(text):
                return {"next_url": url}
    return {}
