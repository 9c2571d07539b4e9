"""Which format a feed is in, and its document."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from wireroom.errors import UnknownFormatError
from wireroom.model import FeedDocument, FeedKind
from wireroom.parse.encoding import Decoded
from wireroom.parse.feed.atom_feed import read_atom
from wireroom.parse.feed.feed_context import FeedContext, web_address
from wireroom.parse.feed.fields import ElementNames
from wireroom.parse.feed.json_feed import load_json, read_json_feed
from wireroom.parse.feed.lift import lift
from wireroom.parse.feed.rss_feed import read_rss
from wireroom.parse.kind import BodyKind, kind_of
from wireroom.parse.plain_text import clean
from wireroom.parse.xmltree import Tree, is_open, read_tree

MAX_BODY = (
    10_000_000  # bytes: the cap on pages and feeds; what is longer is read so far and said to be
)

_READERS: dict[str, tuple[FeedKind, Callable[[Any, FeedContext], FeedDocument]]] = {
    "rss": ("rss", read_rss),
    "channel": ("rss", read_rss),
    "rdf": ("rdf", read_rss),
    "feed": ("atom", read_atom),
    "entry": ("atom", read_atom),
}
_WHAT_IT_IS = {
    "html": "an HTML page",
    "json": "JSON, but no JSON Feed",
    "sitemap": "a sitemap",
    "sitemap_index": "an index of sitemaps",
    "text_sitemap": "a list of addresses",
    "opml": "an OPML file",
    "robots": "a robots.txt",
    "empty": "empty",
}
MAX_STRAY = 65_536  # bytes of warnings in front of a feed that are looked through
_FEED_BEHIND = re.compile(rb"<(?:\w{1,20}:)?(?:rss|feed|RDF)\s[^<>]{0,2000}?(?:xmlns|version)")
_HTML_ROOT = re.compile(rb"<(?:html|body|head)\b", re.IGNORECASE)


def read_feed(
    body: bytes, *, base_url: str = "", content_type: str = "", zone: str = ""
) -> FeedDocument:
    """The feed in these bytes; `base_url` is where they came from, for links that are relative.

    `zone` counts for dates that name none; without it UTC is assumed.
    Raises UnknownFormatError, which says what the bytes are instead, or ParseError.
    """
    whole = body
    body = body[:MAX_BODY]
    kind = kind_of(body, content_type)
    if kind.name == "json_feed":
        document = _read_json(body, base_url, content_type, zone)
        return replace(document, truncated=document.truncated or len(whole) > MAX_BODY)
    body = _behind_warnings(body) if kind.name == "html" else body
    feed_kind, document, decoded = _read_xml(body, kind, base_url, content_type, zone)
    return replace(
        document,
        kind=feed_kind,
        truncated=document.truncated or len(whole) > MAX_BODY,
        extra={**document.extra, **_decoding_notes(decoded)},
    )


def _read_json(body: bytes, base_url: str, content_type: str, zone: str) -> FeedDocument:
    context = FeedContext(
        feed_url=base_url, base_url=web_address(base_url, ""), names=ElementNames("-"), zone=zone
    )
    return read_json_feed(load_json(body, content_type=content_type), context)


def _read_xml(
    body: bytes, kind: BodyKind, base_url: str, content_type: str, zone: str
) -> tuple[FeedKind, FeedDocument, Decoded]:
    if kind.name in _WHAT_IT_IS and not _FEED_BEHIND.match(body):
        raise UnknownFormatError(f"not a feed: this is {_WHAT_IT_IS[kind.name]} ({kind.why})")
    tree = read_tree(body, content_type=content_type, lift=lift)
    names = ElementNames(tree.root.tag)
    local = names[tree.root.tag].rpartition(":")[2]
    if local not in _READERS:
        raise UnknownFormatError(f"not a feed: the root element is <{clean(local)[:40]}>")
    feed_kind, reader = _READERS[local]
    document = reader(tree.root, _context(tree, names, base_url, zone))
    document = _whole_items(document, tree) if tree.cut else document
    return feed_kind, document, tree.decoded


def _context(tree: Tree, names: ElementNames, base_url: str, zone: str) -> FeedContext:
    return FeedContext(
        feed_url=base_url,
        base_url=web_address(base_url, ""),
        names=names,
        zone=zone,
        source=tree.source,
        texts=tree.texts,
    )


def _behind_warnings(body: bytes) -> bytes:
    """The feed behind the warnings that its script printed as HTML; a real page stays a page."""
    found = _FEED_BEHIND.search(body[:MAX_STRAY])
    if found is None or _HTML_ROOT.search(body[: found.start()]):
        return body
    return body[found.start() :]


def _whole_items(document: FeedDocument, tree: Tree) -> FeedDocument:
    """The document without an item that was cut in the middle."""
    last = _last_item(tree.root)
    items = document.items
    if items and not document.truncated and last is not None and is_open(last, tree.source):
        items = items[:-1]
    return replace(document, items=items, truncated=True)


def _last_item(root: Any) -> Any:
    found = None
    for element in (root, *root.iterchildren("{*}channel"), *root.iterchildren("{*}items")):
        for child in element.iterchildren("{*}item", "{*}entry", reversed=True):
            found = child
            break
    return found


def _decoding_notes(decoded: Decoded) -> dict[str, Any]:
    if decoded.encoding == "utf-8" and not decoded.lossy and not decoded.fallback:
        return {}
    return {
        "encoding": decoded.encoding,
        "encoding_fallback": decoded.fallback,
        "encoding_lossy": decoded.lossy,
    }
