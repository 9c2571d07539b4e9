"""Atom 1.0 and 0.3: a feed with entries, text constructs and links by relation."""

from __future__ import annotations

import base64
import binascii
from html import escape
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
    whole_number,
)
from wireroom.parse.feed.feed_context import MAX_EXTRAS, MAX_ITEMS, MAX_NAME, FeedContext
from wireroom.parse.feed.feed_hints import hints_of, links_by_rel
from wireroom.parse.feed.fields import MAX_FIELDS, Fields, first_text, gather, text_among
from wireroom.parse.feed.item_people import AUTHORS, TAGS, authors
from wireroom.parse.feed.lift import put_back
from wireroom.parse.feed.shape import Roles, shapes
from wireroom.parse.plain_text import clean, line, line_of_html
from wireroom.parse.xmltree import element_text, inner_markup

_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_ROLES = Roles(
    titles=("title", "media:title"),
    guids=("id", "guid"),
    descriptions=("summary", "dc:description", "media:description", "description"),
    contents=("content",),
    published=("published", "issued", "created", "dc:date", "dcterms:issued", "pubdate"),
    updated=("updated", "modified", "dcterms:modified"),
    authors=AUTHORS,
    tags=TAGS,
)
_ESCAPED = frozenset({"html", "text/html"})
_HANDLERS = {**SHARED, "logo": SHARED["image"], "icon": None}
_FEED_HANDLERS = {**_HANDLERS, "dc:language": None}
_shape = shapes(_ROLES, _HANDLERS, family="atom")


def read_atom(root: Any, context: FeedContext) -> FeedDocument:
    """The document of an Atom feed, or of a single entry that stands alone."""
    put_back(root, context.texts, context.names, _is_wanted)
    alone = context.names[root.tag] == "entry"
    fields: Fields = {} if alone else gather(root, context.names)
    links = links_by_rel(fields, context)
    stated = root.get(_LANG) or first_text(fields, "dc:language", "language")
    context.language = normal_tag(stated[:MAX_NAME])
    if not context.base_url:
        context.base_url = links.get("self", "") or links.get("alternate", "")
    context.authors = authors(fields, context)
    found = [root] if alone else (e for e in root if context.names[e.tag] == "entry")
    entries = [_entry(element, context) for element in islice(found, MAX_ITEMS + 1)]
    extra = extra_of(fields, context, handled(fields, _FEED_HANDLERS, family="atom"))
    _feed_extra(extra, fields, links, context)
    return FeedDocument(
        kind="atom",
        title=_title(fields, ("title",)),
        home_url=links.get("alternate", ""),
        items=tuple(entry for entry in entries[:MAX_ITEMS] if entry is not None),
        hints=hints_of(fields, links, context),
        language=context.language,
        updated_at=context.first_moment(fields, _ROLES.updated),
        truncated=len(entries) > MAX_ITEMS,
        extra=extra,
    )


def _is_wanted(name: str, element: Any) -> bool:
    """Whether an entry's reader finds a text by its mark: escaped markup, and nothing else."""
    kind = (element.get("type") or "").strip().lower()
    return name in {"summary", "content"} and kind in _ESCAPED and element.get("mode") is None


def _feed_extra(extra: Extra, fields: Fields, links: dict[str, str], context: FeedContext) -> None:
    if description := line_of_html(first_text(fields, "subtitle", "tagline"), MAX_NAME * 10):
        extra["description"] = description
    if context.authors:
        extra["authors"] = list(context.authors)
    for rel, key in (("license", "licence_url"), ("next", "next_url")):
        if rel in links:
            extra[key] = links[rel]


def _entry(element: Any, context: FeedContext) -> Item | None:
    fields = gather(element, context.names)
    present, extras = _shape(fields)
    extra = extra_of(fields, context, extras) if extras else {}
    if len(element) > MAX_FIELDS:
        keep(extra, "truncated", "fields")
    url = _links(fields, extra, context)
    guid = text_among(fields, present.guids)
    for original in fields.get("feedburner:origlink", ()):
        url = context.url(original.text, original) or url
    if not url and guid[:4].lower() == "http":
        url = context.url(guid, element)
    title = _title(fields, present.titles)
    summary, content_html = _texts(fields, present.descriptions, extra, context)
    if not (guid or url or title or summary or content_html):
        return None
    names = keep_tags(extra, fields, context, present.tags) if present.tags else ()
    published_at, updated_at = keep_dates(
        extra, fields, context, present.published, present.updated
    )
    return item_of(
        context.feed_url,
        guid_of(guid, url, (title, summary)),
        url,
        title,
        summary,
        content_html,
        authors(fields, context, present.authors)
        or _source_authors(fields, context)
        or context.authors,
        names,
        published_at,
        updated_at,
        extra,
    )


def _source_authors(fields: Fields, context: FeedContext) -> tuple[str, ...]:
    for element in fields.get("source", ())[:1]:
        return authors(gather(element, context.names), context)
    return ()


def _links(fields: Fields, extra: Extra, context: FeedContext) -> str:
    """The page an entry leads to; links of other relations go to the extras."""
    pages: list[str] = []
    others: list[str] = []
    for element in fields.get("link", ()):
        url = context.url(element.get("href") or element.text, element)
        if not url:
            continue
        rel = (element.get("rel") or "alternate").strip().lower().rpartition("/")[2]
        kind = (element.get("type") or "").strip().lower()
        if rel == "alternate":
            (pages if not kind or "html" in kind else others).append(url)
        else:
            _other_link(extra, rel, kind, url, element)
    if pages or others:
        return pages[0] if pages else others[0]
    return next(
        (
            str(enclosure["url"])
            for enclosure in extra.get("enclosures", ())
            if not is_medium(enclosure)
        ),
        "",
    )


def _other_link(extra: Extra, rel: str, kind: str, url: str, element: Any) -> None:
    if rel == "enclosure":
        enclosure: Extra = {"url": url}
        if kind:
            enclosure["type"] = line(kind, MAX_NAME)
        length = whole_number(element.get("length") or "")
        if length is not None:
            enclosure["length"] = length
        keep(extra, "enclosures", enclosure)
    elif rel == "replies":
        extra.setdefault("comments_feed_url" if "xml" in kind else "comments_url", url)
    elif rel == "license":
        extra.setdefault("licence_url", url)
    elif rel not in {"self", "edit"} and len(extra.get("links", ())) < MAX_EXTRAS:
        keep(extra, "links", {"rel": line(rel, MAX_NAME), "url": url})


# --- text constructs ---------------------------------------------------------------------------


def _title(fields: Fields, names: tuple[str, ...]) -> str:
    for name in names:
        for element in fields.get(name, ()):
            if text := title_of(_markup(element) if _is_markup(element) else _literal(element)):
                return text
    return ""


def _literal(element: Any) -> str:
    """Text as it stands: what looks like a tag is meant, what looks like a reference is a slip."""
    return element_text(element).replace("<", "&lt;")


def _texts(
    fields: Fields, descriptions: tuple[str, ...], extra: Extra, context: FeedContext
) -> tuple[str, str]:
    description = _html(fields[descriptions[0]][0]) if descriptions else ""
    content = ""
    for element in fields.get("content", ())[:1]:
        content = _html(element)
        if url := context.url(element.get("src"), element):
            extra["content_url"] = url
    content = content or first_text(fields, "content:encoded")
    description = description or extra.get("media_description", "")
    is_clean = False
    if context.texts:
        is_clean = context.is_lifted(content or description)
        description, content = context.whole(description), context.whole(content)
    return summary_and_content(description, content, extra, is_clean=is_clean)


def _html(element: Any) -> str:
    return (
        _markup(element)
        if _is_markup(element)
        else escape(element_text(element), quote=False).strip()
    )


def _is_markup(element: Any) -> bool:
    kind = (element.get("type") or "text").strip().lower()
    return (
        kind not in {"text", "text/plain", "plain"}
        or element.get("mode") is not None
        or bool(len(element))
    )


def _markup(element: Any) -> str:
    """The HTML of a construct: escaped, as XHTML inside a div, or in base64 (Atom 0.3)."""
    if len(element):
        inner = list(islice(element, 2))
        is_div = len(inner) == 1 and str(inner[0].tag).rpartition("}")[2].lower() == "div"
        return inner_markup(inner[0] if is_div and not (element.text or "").strip() else element)
    text = (element.text or "").strip()
    if (element.get("mode") or "").lower() == "base64":
        return _from_base64(text)
    return text


def _from_base64(text: str) -> str:
    try:
        return clean(base64.b64decode(text, validate=False).decode("utf-8", "replace"))
    except (binascii.Error, ValueError):
        return ""
