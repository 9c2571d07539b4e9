"""Sitemaps as nearly all of them are written, read block by block with one pattern.

A block of whole entries that the pattern covers without a gap is well-formed as it stands, and nothing
in it can change what follows: the parser need not see it, and two thirds of the time are saved.
Whatever the pattern does not know (comments, CDATA, odd references, other prefixes, news) is no
block for it, and is left to `sitemap_xml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from html import unescape
from itertools import repeat
from typing import Final, TypeAlias

RawEntry: TypeAlias = "tuple[str, str, tuple[str, ...] | None]"
"""Address, lastmod, and name, language, date and title of the news element."""

MAX_DATE: Final = 100  # characters of a date; the longest real ones have 32

_ROOT: Final = re.compile(rb"<(urlset|sitemapindex)((?:\s+[\w:.-]+\s*=\s*(?:\"[^\"<>&]*+\"|'[^'<>&]*+'))*+)\s*+>")  # fmt: skip
_ATTRIBUTE: Final = re.compile(rb"(?<![\w:.-])([\w:.-]++)\s*+=\s*+[\"']([^\"']*+)")
_ENTRY_OF: Final = {b"urlset": "url", b"sitemapindex": "sitemap"}

_BLANK: Final = r"[ \t\r\n]*+"
_TEXT: Final = r"[^<&\x00-\x1f]*+(?:&(?:amp|lt|gt|quot|apos);[^<&\x00-\x1f]*+)*+"
_DATE: Final = rf"[^<&\x00-\x20]{{1,{MAX_DATE}}}+"
_VALUES: Final = r"(?:[ \t\r\n]++[\w:.-]++=\"[^\"<&\x00-\x1f]*+\")*+"


def _leaf(name: str) -> str:
    return rf"<{name}>{_BLANK}{_TEXT}{_BLANK}</{name}>"


_IMAGE: Final = "|".join(
    _leaf(f"image:{name}") for name in ("loc", "title", "caption", "license", "geo_location")
)
# What may stand in an entry besides its address and date, by the prefix it needs.
_OTHERS: Final = {
    "": f"{_leaf('changefreq')}|{_leaf('priority')}",
    "xhtml": rf"<xhtml:link{_VALUES}{_BLANK}/>",
    "image": rf"<image:image>{_BLANK}(?:(?:{_IMAGE}){_BLANK})*+</image:image>",
}
# What a prefix must mean, so that nothing under it could be an address of the entry.
_MEANING: Final = {
    b"xmlns:xhtml": (b"http://www.w3.org/1999/xhtml", "xhtml"),
    b"xmlns:image": (b"http://www.google.com/schemas/sitemap-image/1.1", "image"),
}
_NEVER: Final = ("]]>", "\ufffe", "\uffff")  # not allowed in the text of an XML document


class PlainReader:
    """Reads the blocks of one document that need no parser."""

    def __init__(self, name: str, prefixes: tuple[str, ...]) -> None:
        self.closing = f"</{name}>".encode()
        self._split: Callable[[str], list[str]] = _pattern(name, prefixes).split

    def end(self, data: bytes) -> int:
        """Where the last whole entry ends; 0 where none does."""
        return data.rfind(self.closing) + len(self.closing) if self.closing in data else 0

    def read(self, block: bytes) -> list[RawEntry] | None:
        """The entries of a block that consists of nothing else, or None."""
        try:
            text = block.decode()
        except UnicodeDecodeError:
            return None
        first, *found = self._split(text)
        if not found or first.strip(" \t\r\n") or any(found[2::3]):
            return None
        if any(sign in text for sign in _NEVER):
            return None
        addresses = found[0::3]
        if "&" in text:
            addresses = [unescape(address) if "&" in address else address for address in addresses]
        return list(zip(addresses, (date or "" for date in found[1::3]), repeat(None)))


def plain_reader(root: bytes) -> PlainReader | None:
    """A reader for the document that begins with this root element, if its names mean the usual."""
    found = _ROOT.match(root)
    if found is None:
        return None
    prefixes = [""]
    for name, value in _ATTRIBUTE.findall(found[2]):
        if name == b"xmlns" and not _is_usual(value):
            return None
        meaning, prefix = _MEANING.get(name, (b"", ""))
        if prefix and value == meaning:
            prefixes.append(prefix)
    return PlainReader(_ENTRY_OF[found[1]], tuple(sorted(prefixes)))


def _is_usual(namespace: bytes) -> bool:
    """Whether a namespace is that of sitemaps, in any of its spellings."""
    return re.fullmatch(rb"https?://[\w./-]+/schemas/sitemap/[\d.]+/?", namespace) is not None


@lru_cache(maxsize=16)  # two kinds of documents, four sets of prefixes
def _pattern(name: str, prefixes: tuple[str, ...]) -> re.Pattern[str]:
    others = "|".join(_OTHERS[prefix] for prefix in prefixes)
    return re.compile(
        rf"<{name}>{_BLANK}(?:(?:{others}){_BLANK})*+<loc>{_BLANK}({_TEXT}){_BLANK}</loc>{_BLANK}"
        rf"(?:(?:{others}){_BLANK})*+(?:<lastmod>{_BLANK}({_DATE}){_BLANK}</lastmod>{_BLANK})?+"
        rf"(?:(?:{others}){_BLANK})*+</{name}>{_BLANK}"
    )
