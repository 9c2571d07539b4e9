"""What a body is: a page, a feed, a sitemap, JSON, an archive, nothing at all.

Pure: a bounded look at the first bytes. The body decides; the Content-Type header is a hint that
settles only what the bytes leave open. Whether the body is also *well-formed* is for its reader to say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from wireroom.parse.encoding import decode

KindName = Literal[
    "html",
    "rss",
    "atom",
    "rdf",
    "cdf",
    "json_feed",
    "json",
    "sitemap",
    "sitemap_index",
    "text_sitemap",
    "robots",
    "opml",
    "xml",
    "text",
    "pdf",
    "image",
    "audio_video",
    "gzip",
    "zip",
    "binary",
    "empty",
]
FEED_KINDS: frozenset[KindName] = frozenset({"rss", "atom", "rdf", "cdf", "json_feed"})
SITEMAP_KINDS: frozenset[KindName] = frozenset({"sitemap", "sitemap_index", "text_sitemap"})

MAX_LOOK = 8192  # past any prolog, licence comment and PHP warning seen in front of a root element
MAX_TAIL = 1024  # JSON has no order: a feed's version may be its last member
MAX_LINES = 20  # so many addresses, one a line, make a text sitemap
CONTROL_SHARE = 0.02  # more control characters than this is no text

_WHITE = " \t\r\n\f\ufeff"
_MAGIC: tuple[tuple[bytes, KindName, str], ...] = (
    (b"\x1f\x8b", "gzip", "gzip"),
    (b"PK\x03\x04", "zip", "zip"),
    (b"%PDF-", "pdf", "PDF"),
    (b"\x89PNG\r\n", "image", "PNG"),
    (b"\xff\xd8\xff", "image", "JPEG"),
    (b"GIF8", "image", "GIF"),
    (b"\x00\x00\x01\x00", "image", "icon"),
    (b"ID3", "audio_video", "MP3"),
    (b"OggS", "audio_video", "Ogg"),
    (b"BZh", "binary", "bzip2"),
    (b"\xfd7zXZ\x00", "binary", "xz"),
    (b"\x28\xb5\x2f\xfd", "binary", "zstd"),
)
_ROOTS: dict[str, KindName] = {
    "rss": "rss",
    "feed": "atom",
    "urlset": "sitemap",
    "sitemapindex": "sitemap_index",
    "html": "html",
    "opml": "opml",
}
_HTML_TAG = re.compile(
    "a|article|aside|audio|b|base|big|blockquote|body|br|button|center|details|div|dl|em|fieldset|figure|font|footer"
    "|form|frameset|h[1-6]|head|header|hgroup|hr|i|iframe|img|input|link|main|meta|nav|noscript|ol|p|picture|pre"
    "|script|section|select|small|span|strong|style|table|template|title|tt|u|ul|video"
)
_PROLOG = re.compile(r"<\?.*?\?>|<!--.*?-->|<![^\[<>]*(?:\[.*?\]\s*)?>|\s+|\ufeff", re.DOTALL)
_ELEMENT = re.compile(r"<(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)([^<>]*)")
_KNOWN_ROOT = re.compile(
    r"<(?:!doctype\s+html|html|(?:[\w-]+:)?(?:rss|feed|rdf|urlset|sitemapindex)(?=\s[^<>]*(?:xmlns|version)))\b",
    re.IGNORECASE,
)
_JSON_START = re.compile(r"\{\s*(?:\"|\}|$)|\[\s*(?:[\[{\"\]\d-]|true|false|null|$)")
_JSON_FEED = re.compile(r"\"version\"\s*:\s*\"https?:\\?/\\?/(?:www\.)?jsonfeed\.org\\?/version")
_ADDRESS_LINE = re.compile(r"https?://[^\s<>\"]{3,2048}")
_ROBOTS_LINE = re.compile(
    r"^[ \t]*(?:user-?agent|disallow|allow|sitemap|crawl-delay)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


@dataclass(frozen=True, slots=True)
class BodyKind:
    """What a body is, and by what it was known."""

    name: KindName
    why: str


def kind_of(body: bytes, content_type: str = "") -> BodyKind:
    """What these bytes are; never raises and never looks at more than a few kilobytes."""
    found = _by_magic(body)
    if found is not None:
        return found
    text = _opening(body)
    if not text:
        return BodyKind("empty", "no bytes" if not body else "white space only")
    media_type = content_type.partition(";")[0].strip().lower()
    if text[0] in "{[" and _JSON_START.match(text):
        return _json_kind(text, body)
    if text[0] == "<":
        return _markup_kind(text, media_type)
    return _after_text(text) or _text_kind(text, media_type)


def _by_magic(body: bytes) -> BodyKind | None:
    for magic, name, label in _MAGIC:
        if body.startswith(magic):
            return BodyKind(name, f"{label} magic bytes")
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        return BodyKind("image", "WebP magic bytes")
    if body[4:8] == b"ftyp":
        brand = "image" if body[8:12] in {b"avif", b"heic", b"mif1"} else "audio_video"
        return BodyKind("image" if brand == "image" else "audio_video", "ISO media magic bytes")
    return None


def _opening(body: bytes) -> str:
    """The beginning as text; markup is ASCII, so that only UTF-16 and UTF-32 need decoding."""
    head = body[:MAX_LOOK]
    if not head.strip(b" \t\r\n\f\xef\xbb\xbf") and len(body) > MAX_LOOK:
        head = body.lstrip(b" \t\r\n\f")[:MAX_LOOK]
    wide = b"\0" in head or head[:2] in {b"\xff\xfe", b"\xfe\xff"}
    text = decode(head).text if wide else head.decode("latin-1").removeprefix("\xef\xbb\xbf")
    return text.lstrip(_WHITE)


def _json_kind(text: str, body: bytes) -> BodyKind:
    tail = body[-MAX_TAIL:].decode("latin-1")
    if text[0] == "{" and (_JSON_FEED.search(text) or _JSON_FEED.search(tail)):
        return BodyKind("json_feed", "JSON with a jsonfeed.org version")
    return BodyKind("json", f"begins with {text[0]}")


def _markup_kind(text: str, media_type: str) -> BodyKind:
    place = 0
    while (skipped := _PROLOG.match(text, place)) and skipped.end() > place:
        place = skipped.end()
    root = _ELEMENT.match(text, place)
    if root is None:
        return _after_text(text) or _unclear_markup(text, media_type)
    local = root[1].lower()
    if local in _ROOTS:
        return BodyKind(_ROOTS[local], f"root element <{root[1]}>")
    if local == "rdf":
        return _rdf_kind(text)
    if local == "channel":
        is_cdf = re.search(r"\bhref\s*=", root[2], re.IGNORECASE) or "/cdf" in text.lower()
        return BodyKind("cdf" if is_cdf else "rss", "root element <channel>")
    if _HTML_TAG.fullmatch(local):
        return BodyKind("html", f"begins with <{root[1]}>")
    return _unclear_markup(text, media_type)


def _rdf_kind(text: str) -> BodyKind:
    lowered = text.lower()
    if "/rss/1.0" in lowered or "rdf/simple/0.9" in lowered or "<channel" in lowered:
        return BodyKind("rdf", "root element <rdf:RDF> with a channel")
    return BodyKind("xml", "root element <rdf:RDF> without a channel")


def _unclear_markup(text: str, media_type: str) -> BodyKind:
    if text[:5].lower() == "<?xml":
        return BodyKind("xml", "XML declaration")
    if text[:9].lower() == "<!doctype" or "html" in media_type:
        return BodyKind("html", "DOCTYPE" if text[:2] == "<!" else "markup, by its header")
    return BodyKind("xml", "markup of an unknown vocabulary")


def _after_text(text: str) -> BodyKind | None:
    """A document behind a stray text, such as the warning of a script that made it."""
    found = _KNOWN_ROOT.search(text)
    if found is None:
        return None
    if "html" in found[0].lower():
        return BodyKind("html", "text, then <html>")
    behind = _markup_kind(text[found.start() :], "")
    return BodyKind(behind.name, f"text, then {behind.why}")


def _text_kind(text: str, media_type: str) -> BodyKind:
    if len(_CONTROL.findall(text)) > CONTROL_SHARE * len(text):
        return BodyKind("binary", "control characters")
    lines = [line.strip() for line in text.split("\n")][: MAX_LINES + 1]
    whole = [line for line in (lines if len(text) < MAX_LOOK else lines[:-1]) if line]
    if whole and all(_ADDRESS_LINE.fullmatch(line) for line in whole):
        return BodyKind("text_sitemap", "one address a line")
    if _ROBOTS_LINE.search(text):
        return BodyKind("robots", "rules of robots.txt")
    if "html" in media_type and re.search(r"</?[a-z]{1,10}[ >/]", text, re.IGNORECASE):
        return BodyKind("html", "tags within text, by its header")
    return BodyKind("text", "plain text")
