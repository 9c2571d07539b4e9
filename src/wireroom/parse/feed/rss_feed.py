"""RSS of every version, RDF and CDF: one channel with items beside or inside it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from wireroom.languages import normal_tag
from wireroom.model import FeedDocument, Item
from wireroom.parse.feed.compose import guid_of, item_of, summary_and_content, title_of
from wireroom.parse.feed.extras import (
    SHARED,
    Extra,
    extra_of,
    handled,
    is_medium,
    keep,
    keep_dates,
    keep_tags,
)
from wireroom.parse.feed.feed_context import MAX_ITEMS, MAX_NAME, FeedContext
from wireroom.parse.feed.feed_hints import hints_of, links_by_rel
from wireroom.parse.feed.fields import MAX_FIELDS, Fields, first_text, gather, text_among
from wireroom.parse.feed.item_people import AUTHORS, TAGS, authors
from wireroom.parse.feed.lift import put_back
from wireroom.parse.feed.shape import Roles, shapes
from wireroom.parse.plain_text import line_of_html
from wireroom.parse.xmltree import inner_markup

_ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
_LIFTED = frozenset({"description", "summary", "content", "content:encoded"})
_ROLES = Roles(
    titles=("title", "dc:title", "media:title", "atom:title"),
    guids=("guid", "id", "atom:id"),
    descriptions=(
        "description",
        "abstract",
        "itunes:summary",
        "dc:description",
        "atom:summary",
        "summary",
    ),
    contents=("content:encoded", "xhtml:body", "xhtml:div", "atom:content", "content"),
    published=(
        "pubdate",
        "dc:date",
        "dcterms:issued",
        "atom:published",
        "published",
        "dcterms:created",
    ),
    updated=("atom:updated", "dcterms:modified", "updated", "lastbuilddate", "modified"),
    authors=AUTHORS,
    tags=TAGS,
)
_shape = shapes(_ROLES, SHARED, family="rss")


def read_rss(root: Any, context: FeedContext) -> FeedDocument:
    """The document; `kind` is left to the caller, who knows the root."""
    context.has_attributes = context.names[root.tag] != "rss"
    put_back(root, context.texts, context.names, _is_wanted)
    channel = _channel(root, context)
    fields = gather(channel, context.names) if channel is not None else {}
    links = links_by_rel(fields, context)
    context.language = normal_tag(first_text(fields, "language", "dc:language")[:MAX_NAME])
    home_url = _plain_link(fields, context) or links.get("alternate", "")
    if channel is root:
        home_url = home_url or _own_address(root, context)
    if not context.base_url:
        context.base_url = links.get("self", "") or home_url
    items = [_item(element, context) for element in islice(_items(root, context), MAX_ITEMS + 1)]
    kept = tuple(item for item in items[:MAX_ITEMS] if item is not None)
    return FeedDocument(
        title=title_of(first_text(fields, "title", "dc:title")),
        home_url=home_url,
        items=kept,
        hints=hints_of(fields, links, context),
        language=context.language,
        updated_at=context.first_moment(
            fields, ("lastbuilddate", "pubdate", "dc:date", "atom:updated")
        ),
        truncated=len(items) > MAX_ITEMS,
        extra=_channel_extra(fields, context),
    )


def _is_wanted(name: str, element: Any) -> bool:  # noqa: ARG001 - Atom looks at the element too
    """Whether an item's reader finds a text by its mark."""
    return name in _LIFTED


def _channel(root: Any, context: FeedContext) -> Any:
    if context.names[root.tag] == "channel":
        return root
    return next((child for child in root if context.names[child.tag] == "channel"), None)


def _items(root: Any, context: FeedContext) -> Iterator[Any]:
    """Items inside the channel (RSS 2.0), beside it (RDF) or in a list of their own (RSS 1.1)."""
    found = False
    containers = [root]
    while containers:
        for child in containers.pop():
            name = context.names[child.tag]
            if name == "item":
                found = True
                yield child
            elif name in {"channel", "items"}:
                containers.append(child)
    if not found:  # a tag left open swallowed them
        yield from (child for child in root.iter() if context.names[child.tag] == "item")


def _channel_extra(fields: Fields, context: FeedContext) -> Extra:
    extra = extra_of(fields, context, handled(fields, _CHANNEL, family="rss"))
    if description := line_of_html(text_among(fields, _ROLES.descriptions), MAX_NAME * 10):
        extra["description"] = description
    if names := authors({**fields, "author": fields.get("managingeditor", [])}, context):
        extra["authors"] = list(names)
    return extra


_CHANNEL = {
    **SHARED,
    "managingeditor": None,
    "lastbuilddate": None,
    "webmaster": None,
    "docs": None,
    "dc:language": None,
}


def _item(element: Any, context: FeedContext) -> Item | None:
    fields = gather(element, context.names)
    present, extras = _shape(fields)
    extra = extra_of(fields, context, extras) if extras else {}
    if len(element) > MAX_FIELDS:
        keep(extra, "truncated", "fields")
    description = text_among(fields, present.descriptions) or extra.get("media_description", "")
    content = _content(fields, present.contents)
    is_clean = False
    if context.texts:
        is_clean = context.is_lifted(content or description)
        description, content = context.whole(description), context.whole(content)
    title = title_of(text_among(fields, present.titles))
    url = _url(element, fields, extra, context)
    guid = text_among(fields, present.guids)
    if not guid and context.has_attributes:
        guid = _attribute(element, _ABOUT)
    if not (guid or url or title or description or extra):
        return None
    summary, content_html = summary_and_content(description, content, extra, is_clean=is_clean)
    names = keep_tags(extra, fields, context, present.tags) if present.tags else ()
    published_at, updated_at = keep_dates(
        extra, fields, context, present.published, present.updated
    )
    return item_of(
        context.feed_url,
        guid_of(guid, url, (title, description)),
        url,
        title,
        summary,
        content_html,
        authors(fields, context, present.authors) if present.authors else (),
        names,
        published_at,
        updated_at
        or (context.moment(_attribute(element, "lastmod")) if context.has_attributes else None),
        extra,
    )


def _attribute(element: Any, name: str) -> str:
    """An attribute of the item itself: RDF and CDF say things there, RSS does not."""
    return element.get(name) or element.get(name.upper()) or ""


# --- where an item leads -----------------------------------------------------------------------


def _url(element: Any, fields: Fields, extra: Extra, context: FeedContext) -> str:
    """The publisher's own address first; a sound or film file is no page to read."""
    for original in fields.get("feedburner:origlink", ()):
        if url := context.url(original.text, original):
            return url
    return (
        _plain_link(fields, context)
        or _atom_link(fields, extra, context)
        or _permalink(fields, context)
        or _own_address(element, context)
        or next(
            (
                str(enclosure["url"])
                for enclosure in extra.get("enclosures", ())
                if not is_medium(enclosure)
            ),
            "",
        )
    )


def _own_address(element: Any, context: FeedContext) -> str:
    if not context.has_attributes:
        return ""
    return context.url(_attribute(element, _ABOUT), element) or context.url(
        _attribute(element, "href"), element
    )


def _plain_link(fields: Fields, context: FeedContext) -> str:
    for element in fields.get("link", ()):
        rel = element.get("rel")
        if rel is not None and rel.strip().lower() not in {"", "alternate"}:
            continue
        if url := context.url(element.text, element):
            return url
        if url := context.url(element.get("href"), element):
            return url
    return ""


def _atom_link(fields: Fields, extra: Extra, context: FeedContext) -> str:
    found = ""
    for element in fields.get("atom:link", ()):
        rel = (element.get("rel") or "alternate").strip().lower()
        url = context.url(element.get("href"), element)
        if not url:
            continue
        if rel == "alternate":
            found = found or url
        elif rel == "license":
            extra.setdefault("licence_url", url)
        elif rel == "replies":
            extra.setdefault("comments_url", url)
    return found


def _permalink(fields: Fields, context: FeedContext) -> str:
    for element in fields.get("guid", ()):
        if (element.get("isPermaLink") or "true").strip().lower() != "false":
            text = (element.text or "").strip()
            return context.url(text, element) if text[:4].lower() == "http" else ""
    return ""


def _content(fields: Fields, names: tuple[str, ...]) -> str:
    for name in names:
        for element in fields[name]:
            text = inner_markup(element) if len(element) else (element.text or "").strip()
            if text:
                return text
    for element in fields.get("description", ())[:1]:
        if len(element):  # markup that was not escaped
            return inner_markup(element)
    return ""
