"""What else an item or a feed says: media, comments, licences, and modules nobody here knows.

Everything lands in `extra` under a documented key (docs/guide/feeds.md); nothing of an unknown
namespace is judged, it is kept as it was said, within limits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from datetime import datetime
from itertools import islice
from typing import Any, TypeAlias

from lxml import etree

from wireroom.dates import Moment
from wireroom.parse.feed.feed_context import MAX_EXTRA_TEXT, MAX_EXTRAS, MAX_NAME, FeedContext
from wireroom.parse.feed.fields import UNKNOWN, Fields
from wireroom.parse.feed.item_people import people, tags
from wireroom.parse.plain_text import clean, line_of_html
from wireroom.parse.xmltree import MAX_ATTRIBUTES, element_text, first_attributes

Extra: TypeAlias = dict[str, Any]
Handler: TypeAlias = Callable[[Extra, list[Any], FeedContext], None]
Handlers: TypeAlias = dict[str, Handler | None]
"""What becomes of an element: a function, or None when somebody else reads it."""
Handled: TypeAlias = tuple[tuple[str, Handler], ...]
"""Names that are extras, in the order of the document, each with its function."""

MAX_DEPTH = 3  # of a structure kept from an unknown namespace
MAX_DIGITS = 19  # fewer make a number that every database can hold
MAX_RSL = 20_000  # characters of licence terms within one item

_NUMBERS = ("length", "filesize", "width", "height", "duration", "bitrate")
_MEDIA_WORDS = ("type", "medium", "length", "filesize", "width", "height", "duration", "lang")
_MEDIA = ("audio/", "video/", "image/")


def handled(names: Iterable[str], handlers: Handlers, *, family: str) -> Handled:
    """The extras among these names: known ones with their handlers, all others as extensions."""
    found = (
        (name, handlers.get(name) or _extension(name, family))
        for name in names
        if handlers.get(name, name) is not None
    )
    return tuple(found)


def extra_of(fields: Fields, context: FeedContext, extras: Handled) -> Extra:
    """The extras that an item or a feed has."""
    extra: Extra = {}
    for name, handler in extras:
        handler(extra, fields[name], context)
    return extra


def keep(extra: Extra, key: str, value: Any) -> None:
    """Appends to a list of the extras, unless it is full."""
    values = extra.setdefault(key, [])
    if len(values) < MAX_EXTRAS:
        values.append(value)


def keep_tags(
    extra: Extra, fields: Fields, context: FeedContext, names: tuple[str, ...]
) -> tuple[str, ...]:
    """The tags of an item in fields of these names; notes the schemes of those that name one."""
    found, schemes = tags(fields, context, names)
    if schemes:
        extra["tag_schemes"] = schemes
    return found


def keep_dates(
    extra: Extra,
    fields: Fields,
    context: FeedContext,
    published: tuple[str, ...],
    updated: tuple[str, ...],
) -> tuple[datetime | None, datetime | None]:
    """When an item came out and was changed, by fields of these names; notes where the zones come from."""
    # Zones are known of dates that were read: the dates go first.
    dates = context.first_moment(fields, published), context.first_moment(fields, updated)
    keep_zones(extra, context.first_zone(fields, published), context.first_zone(fields, updated))
    return dates


def keep_zones(extra: Extra, published: str, updated: str) -> None:
    """Notes where the zones of an item's dates come from; an offset that was written needs no note."""
    if published:
        extra["published_zone"] = published
    if updated:
        extra["updated_zone"] = updated


def zone_note(moment: Moment | None) -> str:
    """Where the zone of a date comes from, unless it was written as an offset; then empty."""
    return "" if moment is None or moment.zone_from == "offset" else moment.zone_from


def is_medium(enclosure: Extra) -> bool:
    """Whether an enclosure is sound, film or picture rather than a page."""
    kind = str(enclosure.get("type", "")).lower()
    if kind:
        return not kind.startswith("text/html")
    return not str(enclosure["url"]).partition("?")[0].endswith((".html", ".htm", "/"))


# --- media -------------------------------------------------------------------------------------


def _medium(element: Any, context: FeedContext) -> Extra | None:
    # Asking for each of ten attributes takes twice as long, unless there are very many.
    attributes = element if len(element.keys()) > MAX_ATTRIBUTES else dict(element.items())
    url = context.url(attributes.get("url") or attributes.get("href"), element)
    if not url:
        return None
    medium: Extra = {"url": url}
    for word in _MEDIA_WORDS:
        value = attributes.get(word)
        if not value:
            continue
        if word not in _NUMBERS:
            medium[word] = context.word(value)
        elif (number := whole_number(value)) is not None:
            medium[word] = number
    return medium


def whole_number(text: str) -> int | None:
    """The number that a text is, when it is one and no longer than numbers are."""
    text = text.strip()
    return int(text) if len(text) < MAX_DIGITS and text.isascii() and text.isdigit() else None


def _enclosures(extra: Extra, elements: list[Any], context: FeedContext) -> None:
    for element in islice(elements, MAX_EXTRAS):
        if medium := _medium(element, context):
            keep(extra, "enclosures", medium)
            if str(medium.get("type", "")).startswith("image/"):
                extra.setdefault("image_url", medium["url"])


def _media(extra: Extra, elements: list[Any], context: FeedContext) -> None:
    for element in islice(elements, MAX_EXTRAS):
        if medium := _medium(element, context):
            keep(extra, "media", medium)
            if medium.get("medium") == "image" or str(medium.get("type", "")).startswith("image/"):
                extra.setdefault("image_url", medium["url"])
        _nested_media(extra, element, context)


def _media_groups(extra: Extra, elements: list[Any], context: FeedContext) -> None:
    for element in islice(elements, MAX_EXTRAS):
        _nested_media(extra, element, context)


def _nested_media(extra: Extra, element: Any, context: FeedContext) -> None:
    """Media within a group, and the thumbnail and description within a medium."""
    for child in islice(element, MAX_EXTRAS):
        name = context.names[child.tag]
        if name == "media:content" and (medium := _medium(child, context)):
            keep(extra, "media", medium)
        elif name == "media:thumbnail":
            _thumbnails(extra, [child], context)
        elif name == "media:description" and child.text:
            extra.setdefault("media_description", line_of_html(child.text, MAX_EXTRA_TEXT))


def _thumbnails(extra: Extra, elements: list[Any], context: FeedContext) -> None:
    for element in elements[:1]:
        address = element.get("url") or element.get("href") or element.text
        if url := context.url(address, element):
            extra.setdefault("image_url", url)


def _image(extra: Extra, elements: list[Any], context: FeedContext) -> None:
    """`<image><url>` of RSS, `<itunes:image href>`, `<logo>` and `<icon>` of Atom."""
    for element in elements[:1]:
        for child in islice(element, MAX_EXTRAS):
            if context.names[child.tag] == "url" and (url := context.url(child.text, child)):
                extra.setdefault("image_url", url)
        _thumbnails(extra, [element], context)


# --- comments, sources, licences ---------------------------------------------------------------


def _address(key: str) -> Handler:
    def handler(extra: Extra, elements: list[Any], context: FeedContext) -> None:
        for element in elements[:1]:
            address = element.text or element.get("href") or element.get("url")
            if url := context.url(address, element):
                extra[key] = url

    return handler


def _line(key: str) -> Handler:
    def handler(extra: Extra, elements: list[Any], context: FeedContext) -> None:  # noqa: ARG001 - one shape for all
        if text := line_of_html(element_text(elements[0]), MAX_EXTRA_TEXT):
            extra.setdefault(key, text)

    return handler


def _count(extra: Extra, elements: list[Any], context: FeedContext) -> None:  # noqa: ARG001 - one shape for all
    number = whole_number(elements[0].text or "")
    if number is not None:
        extra["comments_count"] = number


def _source(extra: Extra, elements: list[Any], context: FeedContext) -> None:
    """The feed an item was taken from: text and url in RSS, a little feed of its own in Atom."""
    element = elements[0]
    source: Extra = {}
    if url := context.url(element.get("url"), element):
        source["url"] = url
    title = element.text if not len(element) else ""
    for child in islice(element, MAX_EXTRAS):
        name = context.names[child.tag].removeprefix("atom:")
        if name == "title":
            title = element_text(child)
        elif name == "link" and (url := context.url(child.get("href"), child)):
            source.setdefault("url", url)
    if title := line_of_html(title or "", MAX_NAME):
        source["title"] = title
    if source:
        extra["source"] = source


def _contributors(extra: Extra, elements: list[Any], context: FeedContext) -> None:
    """Who helped: no author, and named as what they are."""
    for name in people(elements, context):
        if name not in extra.get("contributors", ()):
            keep(extra, "contributors", name)


_RESOURCE = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}resource"


def _licence(extra: Extra, elements: list[Any], context: FeedContext) -> None:
    for element in islice(elements, MAX_EXTRAS):
        address = element.text or element.get(_RESOURCE) or element.get("resource")
        if url := context.url(address, element):
            extra.setdefault("licence_url", url)


def _rsl(extra: Extra, elements: list[Any], context: FeedContext) -> None:
    """Terms by RSL: where they stand, and the element itself for the reader of licences."""
    for element in islice(elements, MAX_EXTRAS):
        own = deepcopy(element)
        etree.cleanup_namespaces(own)
        terms = {"xml": clean(etree.tostring(own, encoding="unicode", with_tail=False))[:MAX_RSL]}
        for word in ("url", "server"):
            if url := context.url(element.get(word), element):
                terms[word] = url
        keep(extra, "rsl", terms)


SHARED: Handlers = {
    "enclosure": _enclosures,
    "media:content": _media,
    "media:group": _media_groups,
    "media:thumbnail": _thumbnails,
    "itunes:image": _image,
    "googleplay:image": _image,
    "image": _image,
    "comments": _address("comments_url"),
    "wfw:commentrss": _address("comments_feed_url"),
    "wfw:comment": None,
    "slash:comments": _count,
    "thr:total": _count,
    "source": _source,
    "atom:source": _source,
    "cc:license": _licence,
    "creativecommons:license": _licence,
    "rsl:content": _rsl,
    "rsl:rsl": _rsl,
    "contributor": _contributors,
    "atom:contributor": _contributors,
    "dc:contributor": _contributors,
    "dcterms:contributor": _contributors,
    "rights": _line("rights"),
    "copyright": _line("rights"),
    "dc:rights": _line("rights"),
    "atom:rights": _line("rights"),
    "dc:language": _line("language"),
    "dc:publisher": _line("publisher"),
    "generator": _line("generator"),
}
"""Elements that mean the same in every format, on items and on feeds."""
for _read_elsewhere in [
    "title",
    "link",
    "id",
    "guid",
    "description",
    "summary",
    "content",
    "pubdate",
    "published",
    "updated",
    "issued",
    "modified",
    "created",
    "author",
    "category",
    "keywords",
    "language",
    "ttl",
    "skiphours",
    "skipdays",
    "cloud",
    "items",
    "item",
    "entry",
    "channel",
    "abstract",
    "tagline",
    "subtitle",
    "textinput",
    "atom:link",
    "atom:author",
    "atom:category",
    "atom:published",
    "atom:updated",
    "atom:content",
    "atom:summary",
    "atom:title",
    "dc:creator",
    "dc:author",
    "dc:subject",
    "dc:date",
    "dc:title",
    "dc:description",
    "dcterms:creator",
    "dcterms:subject",
    "dcterms:issued",
    "dcterms:created",
    "dcterms:modified",
    "content:encoded",
    "xhtml:body",
    "xhtml:div",
    "media:credit",
    "media:keywords",
    "media:title",
    "media:description",
    "itunes:author",
    "itunes:keywords",
    "itunes:summary",
    "itunes:category",
    "googleplay:author",
    "feedburner:origlink",
    "sy:updateperiod",
    "sy:updatefrequency",
    "sy:updatebase",
    "rdf:li",
]:
    SHARED.setdefault(_read_elsewhere, None)


# --- modules nobody here knows -----------------------------------------------------------------


def _extension(name: str, family: str) -> Handler:
    def handler(extra: Extra, elements: list[Any], context: FeedContext) -> None:  # noqa: ARG001 - one shape for all
        _extensions(extra, name, elements, family)

    return handler


def _extensions(extra: Extra, name: str, elements: list[Any], family: str) -> None:
    """`extensions`: prefix (or namespace) to name to value, or to a list where there are several."""
    kept = extra.setdefault("extensions", {})
    for element in elements:
        if sum(len(group) for group in kept.values()) >= MAX_EXTRAS:
            return
        group_name, local = _place(name, element, family)
        group = kept.setdefault(group_name, {})
        value = _value(element, 1)
        if local not in group:
            group[local] = value
        elif isinstance(group[local], list):
            if len(group[local]) < MAX_EXTRAS:
                group[local].append(value)
        else:
            group[local] = [group[local], value]


def _place(name: str, element: Any, family: str) -> tuple[str, str]:
    if name != UNKNOWN:
        module, colon, local = name.partition(":")
        return (module, local) if colon else (family, name)
    if not isinstance(element.tag, str):
        return family, "?"
    namespace, _, local = element.tag.rpartition("}")
    prefix, colon, rest = local.partition(":")
    if colon:
        return prefix[:MAX_NAME], rest[:MAX_NAME]
    return (element.prefix or namespace.lstrip("{") or family)[:MAX_NAME], local[:MAX_NAME]


def _value(element: Any, depth: int) -> Any:
    """Text, or text, attributes and children by name where there is more."""
    text = clean((element.text or "").strip()[:MAX_EXTRA_TEXT])
    value: Extra = dict(_attributes(element))
    if not value and not len(element):
        return text
    if text:
        value["text"] = text
    if depth < MAX_DEPTH:
        for child in islice(element, MAX_EXTRAS):
            if isinstance(child.tag, str):
                value.setdefault(child.tag.rpartition("}")[2][:MAX_NAME], _value(child, depth + 1))
    return value


def _attributes(element: Any) -> Iterator[tuple[str, str]]:
    for key, value in first_attributes(element, MAX_EXTRAS):
        yield key.rpartition("}")[2][:MAX_NAME], clean(value[:MAX_EXTRA_TEXT])
