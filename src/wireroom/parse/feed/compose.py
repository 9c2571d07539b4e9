"""The last step of every reader: texts, marks of identity and limits, the same for all formats."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields
from datetime import datetime
from hashlib import blake2b

from wireroom.model import Item
from wireroom.parse.feed.extras import Extra, keep
from wireroom.parse.feed.feed_context import MAX_CONTENT, MAX_GUID, MAX_SUMMARY, MAX_TITLE
from wireroom.parse.plain_text import clean, has_markup, line_of_html

# The control characters that XML lets pass, in UTF-8: C1 and noncharacters. DEL is looked for by itself.
_C1 = re.compile(rb"\xc2[\x80-\x9f]")
_NONCHARACTER = re.compile(rb"\xef(?:\xbf[\xbe\xbf]|\xb7[\x90-\xaf])")
_MARK_BYTES = 16  # an item without guid and link is known by 128 bits of what it says


_new = object.__new__
(
    _set_feed_url,
    _set_guid,
    _set_url,
    _set_title,
    _set_summary,
    _set_content_html,
    _set_authors,
    _set_tags,
    _set_published_at,
    _set_updated_at,
    _set_extra,
) = (getattr(Item, field.name).__set__ for field in fields(Item))


def item_of(
    feed_url: str,
    guid: str,
    url: str,
    title: str,
    summary: str,
    content_html: str,
    authors: tuple[str, ...],
    tags: tuple[str, ...],
    published_at: datetime | None,
    updated_at: datetime | None,
    extra: Extra,
) -> Item:
    """The item that says all this: `Item(...)` in a third of its time, for a feed has hundreds.

    A frozen dataclass looks up each of its fields by name while it is made; this fills its slots one by one.
    """
    item = _new(Item)
    _set_feed_url(item, feed_url)
    _set_guid(item, guid)
    _set_url(item, url)
    _set_title(item, title)
    _set_summary(item, summary)
    _set_content_html(item, content_html)
    _set_authors(item, authors)
    _set_tags(item, tags)
    _set_published_at(item, published_at)
    _set_updated_at(item, updated_at)
    _set_extra(item, extra)
    return item


def title_of(text: str) -> str:
    """A headline as one line of plain text."""
    return line_of_html(text, MAX_TITLE)


def summary_and_content(
    description: str, content: str, extra: Extra, *, is_clean: bool = False
) -> tuple[str, str]:
    """A plain summary and the markup: a description with markup of its own serves as both.

    Many feeds put the whole article into the description; nothing of it is lost that way.
    """
    if not content and (len(description) > MAX_SUMMARY or has_markup(description)):
        content = description
    summary = line_of_html(description, MAX_SUMMARY)
    if len(content) > MAX_CONTENT:
        keep(extra, "truncated", "content_html")
        content = content[:MAX_CONTENT]
    return summary, content if is_clean else _clean_markup(content)


def _clean_markup(markup: str) -> str:
    """Long texts without control characters: to search their bytes takes a quarter of the time."""
    if markup.isascii():
        return clean(markup) if "\x7f" in markup else markup
    return clean(markup) if is_dirty(markup.encode("utf-8", "replace")) else markup


def is_dirty(data: bytes) -> bool:
    """Whether there are control characters in this UTF-8 that XML lets pass, or noncharacters."""
    return (
        b"\x7f" in data
        or (b"\xc2" in data and _C1.search(data) is not None)
        or (b"\xef" in data and _NONCHARACTER.search(data) is not None)
    )


def guid_of(stated: str, url: str, texts: Iterable[str]) -> str:
    """What the item is known by: its own mark, else its address, else all it says."""
    if len(stated) <= MAX_GUID:
        guid = stated if stated.isprintable() else clean(stated).strip()
        if guid:  # nothing is left of one that is control characters alone
            return guid
    if url:
        return url
    digest = blake2b(digest_size=_MARK_BYTES)
    for text in (stated, *texts):
        digest.update(text.encode("utf-8", "replace") + b"\n")
    return digest.hexdigest()
