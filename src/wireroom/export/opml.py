"""Export: feeds as OPML 2.0, grouped by category (`Coast/Harbour` is a group within a group), each with our settings in attributes of our own namespace.

`wireroom.parse.opml_outlines` reads it back. A proxy is written without its user info, an address without its tokens unless
they are asked for: such a list is made to be passed on. No plug: formats write articles, this writes feeds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from email.utils import format_datetime
from typing import Any, BinaryIO, Final

from wireroom.model import Feed, category_path
from wireroom.parse.opml_outlines import NAMESPACE
from wireroom.parse.plain_text import clean
from wireroom.settings.feed_settings import feed_texts
from wireroom.settings.secrets import redact

_OURS: Final = f"{{{NAMESPACE}}}"
_WITH_ADDRESSES: Final = frozenset({"text", "title", "xmlUrl", "htmlUrl", f"{_OURS}mirrors"})
TITLE: Final = "Feeds followed by wireroom"


def write_opml(
    feeds: Iterable[Feed],
    out: BinaryIO,
    *,
    now: datetime,
    homes: Mapping[str, str] | None = None,
    tokens: bool = False,
) -> int:
    """Writes the feeds; how many. `homes` are the front pages of publishers, by domain."""
    from lxml import etree

    root = etree.Element("opml", {"version": "2.0"}, nsmap={"wireroom": NAMESPACE})
    head = etree.SubElement(root, "head")
    etree.SubElement(head, "title").text = TITLE
    etree.SubElement(head, "dateCreated").text = format_datetime(now, usegmt=True)
    body = etree.SubElement(root, "body")
    groups: dict[tuple[str, ...], Any] = {(): body}
    listed = _in_order(feeds)
    for feed in listed:
        path = category_path(feed.category) if feed.category else ()
        for depth in range(1, len(path) + 1):
            if path[:depth] not in groups:
                name = {"text": clean(path[depth - 1])}
                group = etree.SubElement(groups[path[: depth - 1]], "outline", name)
                groups[path[:depth]] = group
        home_url = (homes or {}).get(feed.publisher, "")
        attributes = dict(_attributes(feed, home_url))
        if not tokens:
            attributes |= {
                name: redact(attributes.get(name, "")) for name in _WITH_ADDRESSES & set(attributes)
            }
        etree.SubElement(groups[path], "outline", attributes)
    etree.indent(root)
    out.write(etree.tostring(root, encoding="utf-8", xml_declaration=True))
    out.write(b"\n")
    return len(listed)


def has_token(feed: Feed) -> bool:
    """Whether a token stands in one of its addresses."""
    return any(redact(url) != url for url in (feed.url, *feed.mirrors))


def _in_order(feeds: Iterable[Feed]) -> list[Feed]:
    """Those without a category first, as they stand outside of every group."""
    return sorted(feeds, key=lambda feed: (feed.category, feed.publisher, feed.url))


def _attributes(feed: Feed, home_url: str) -> Iterator[tuple[str, str]]:
    shown = clean(feed.name or feed.title or feed.url)
    yield "text", shown
    yield "title", clean(feed.title or shown)
    yield "type", "rss"
    yield "xmlUrl", clean(feed.url)
    if home_url:
        yield "htmlUrl", clean(home_url)
    for name, text in feed_texts(feed):
        yield f"{_OURS}{name}", clean(text)
