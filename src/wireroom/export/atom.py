"""Export: an Atom 1.0 feed; every entry says in its `rights` what may be done with it.

Entries wait in a file until the feed's own date is known, which has to stand before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO

from wireroom.export.article_text import rights_line
from wireroom.model import Article, Removal
from wireroom.parse.plain_text import clean
from wireroom.ports import Format
from wireroom.urls import is_web_url
from wireroom.version import __version__

ATOM = "http://www.w3.org/2005/Atom"
TOMBSTONES = "http://purl.org/atompub/tombstones/1.0"
XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
NEVER = datetime(1970, 1, 1, tzinfo=UTC)  # when a feed without entries changed last
IN_MEMORY = 8_000_000  # bytes of entries that need no file
_TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")


def write(articles: Iterable[Article], out: BinaryIO) -> int:
    """Writes the feed; how many entries it has."""
    return write_removals(articles, (), out)


def write_removals(articles: Iterable[Article], removals: Iterable[Removal], out: BinaryIO) -> int:
    """Writes the feed, and a `deleted-entry` (RFC 6721) for each article that has to go; how many entries it has."""
    from lxml import etree

    count, newest = 0, NEVER
    with SpooledTemporaryFile(max_size=IN_MEMORY) as entries:
        for article in articles:
            newest = max(newest, _updated(article))
            entries.write(etree.tostring(_entry(article), encoding="utf-8"))
            entries.write(b"\n")
            count += 1
        for removal in removals:
            newest = max(newest, removal.removed_at)
            entries.write(etree.tostring(_deleted_entry(removal), encoding="utf-8"))
            entries.write(b"\n")
        entries.seek(0)
        out.write(_head(newest))
        copyfileobj(entries, out)
    out.write(b"</feed>\n")
    return count


def _head(updated: datetime) -> bytes:
    """Everything before the entries."""
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="{ATOM}">\n'
        "<id>urn:wireroom:articles</id>\n<title>Articles</title>\n"
        f"<updated>{_spelled(updated)}</updated>\n"
        f'<generator version="{__version__}">wireroom</generator>\n'
    ).encode()


def _entry(article: Article) -> Any:
    from lxml import etree

    entry = etree.Element("entry")
    if _TAG.fullmatch(article.language_tag or article.language):
        entry.set(XML_LANG, article.language_tag or article.language)
    _add(entry, "id", f"urn:wireroom:article:{_name(article.id)}")
    _add(entry, "title", article.title or article.url)
    _add(entry, "updated", _spelled(_updated(article)))
    if article.published_at is not None:
        _add(entry, "published", _spelled(article.published_at))
    for author in article.authors or (article.publisher or "unknown",):
        _add(etree.SubElement(entry, "author"), "name", author)
    _link(entry, "alternate", article.url)
    if article.receipt is not None:
        _link(entry, "license", article.receipt.licence_url)
    for tag in article.tags:
        etree.SubElement(entry, "category", term=clean(tag))
    if article.description:
        _add(entry, "summary", article.description)
    _add(entry, "rights", rights_line(article.receipt))
    _add(entry, "content", article.text)
    return entry


def _deleted_entry(removal: Removal) -> Any:
    from lxml import etree

    deleted = etree.Element(f"{{{TOMBSTONES}}}deleted-entry", nsmap={"at": TOMBSTONES})
    deleted.set("ref", f"urn:wireroom:article:{_name(removal.id)}")
    deleted.set("when", _spelled(removal.removed_at))
    comment = etree.SubElement(deleted, f"{{{TOMBSTONES}}}comment")
    comment.text = clean(f"{removal.cause}: {removal.reason}")
    if is_web_url(removal.url):
        etree.SubElement(deleted, "link", rel="alternate", href=clean(removal.url))
    return deleted


def _add(parent: Any, name: str, text: str) -> None:
    from lxml import etree

    etree.SubElement(parent, name).text = clean(text)


def _link(entry: Any, relation: str, url: str) -> None:
    """A link, unless the address is none of the web: a reader's click must not run a script."""
    from lxml import etree

    if is_web_url(url):
        etree.SubElement(entry, "link", rel=relation, href=clean(url))


def _name(article_id: str) -> str:
    """An id as a part of a URN, whatever stands in it."""
    from urllib.parse import quote

    return quote(article_id, safe="", errors="replace")


def _updated(article: Article) -> datetime:
    return article.modified_at or article.published_at or article.fetched_at


def _spelled(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


PLUG = Format(
    "atom",
    suffix=".atom",
    write=write,
    write_removals=write_removals,
    media_type="application/atom+xml",
)
