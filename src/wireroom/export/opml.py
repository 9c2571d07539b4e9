"""Deliver: feeds as OPML 2.0, grouped by category, each with our settings in attributes of our own namespace.

`wireroom.parse.opml_outlines` reads it back. A proxy is written without its user info; the addresses of feeds are written as
they are. No plug: formats hand on articles, this hands on feeds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from email.utils import format_datetime
from typing import Any, BinaryIO, Final
from urllib.parse import urlsplit

from wireroom.model import Feed
from wireroom.parse.opml_outlines import NAMESPACE
from wireroom.parse.plain_text import clean
from wireroom.settings.durations import format_duration

_OURS: Final = f"{{{NAMESPACE}}}"
TITLE: Final = "Feeds followed by wireroom"


def write_opml(
    feeds: Iterable[Feed], out: BinaryIO, *, now: datetime, homes: Mapping[str, str] | None = None
) -> int:
    """Writes the feeds; how many. `homes` are the front pages of publishers, by domain."""
    from lxml import etree

    root = etree.Element("opml", {"version": "2.0"}, nsmap={"wireroom": NAMESPACE})
    head = etree.SubElement(root, "head")
    etree.SubElement(head, "title").text = TITLE
    etree.SubElement(head, "dateCreated").text = format_datetime(now, usegmt=True)
    body = etree.SubElement(root, "body")
    groups: dict[str, Any] = {"": body}
    listed = _in_order(feeds)
    for feed in listed:
        if feed.category not in groups:
            name = clean(feed.category)
            groups[feed.category] = etree.SubElement(body, "outline", {"text": name})
        home_url = (homes or {}).get(feed.publisher, "")
        attributes = dict(_attributes(feed, home_url))
        etree.SubElement(groups[feed.category], "outline", attributes)
    etree.indent(root)
    out.write(etree.tostring(root, encoding="utf-8", xml_declaration=True))
    out.write(b"\n")
    return len(listed)


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
    for name, value in _settings(feed):
        if value:
            yield f"{_OURS}{name}", clean(value)


def _settings(feed: Feed) -> Iterator[tuple[str, str]]:
    """The settings of a feed by their names in the settings file; those at their default are empty."""
    hints = feed.hints
    yield "name", feed.name
    yield "publisher", feed.publisher
    yield "kind", feed.kind
    yield "body_selector", hints.body_selector
    yield "metadata_selectors", _table(hints.metadata_selectors)
    yield "json_ld", "" if hints.json_ld else "false"
    yield "language", hints.language
    yield "zone", hints.zone
    yield "field_map", _table(hints.field_map)
    threshold, window = hints.group_threshold, hints.group_window
    yield "group_threshold", f"{threshold:g}" if threshold is not None else ""
    yield "group_window", format_duration(window) if window is not None else ""
    yield "interval", format_duration(feed.interval) if feed.interval is not None else ""
    yield "mirrors", " ".join(feed.mirrors)
    yield "proxy", _without_user(feed.proxy)
    yield "region", feed.region
    yield "category", feed.category
    yield "role", feed.role if feed.role != "primary" else ""
    yield "enabled", "false" if feed.state == "paused" else ""


def _table(table: Mapping[str, str]) -> str:
    return json.dumps(dict(table), ensure_ascii=False, sort_keys=True) if table else ""


def _without_user(proxy: str) -> str:
    """The proxy's address without its user info; empty when it cannot be told where that ends."""
    try:
        parts = urlsplit(proxy)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return ""
    if not host or "@" in f"{parts.path}{parts.query}{parts.fragment}":
        return ""
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}:{port}" if port is not None else f"{parts.scheme}://{host}"
