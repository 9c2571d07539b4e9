"""What every item of one document shares: its address, its base, its language, its limits.

Turns what a document says into values that may be kept: addresses of the web, moments, clean text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from wireroom.dates import read_date
from wireroom.dates.standard import read_usual
from wireroom.parse.feed.fields import ElementNames, Fields
from wireroom.parse.plain_text import line_of_html
from wireroom.urls import host_of, is_web_url, resolve

MAX_ITEMS = (
    5_000  # of one document; archives of a whole blog have about so many, news feeds 10 to 500
)
MAX_TITLE = 1_000  # characters; a longer headline is a text in the wrong place
MAX_SUMMARY = 500  # characters of plain text: a long teaser; the whole stays in content_html
MAX_CONTENT = 2_000_000  # characters of markup: longer than any article, shorter than a trap
MAX_NAME = 300  # characters of an author's name, a tag, a language
MAX_GUID = 2_048  # characters: as long as the longest address
MAX_AUTHORS = 50  # of one item; large collaborations list more, and are not bylines
MAX_TAGS = 100  # of one item
MAX_WORDS = 5_000  # tags and names of one document that are remembered
MAX_EXTRAS = 100  # values of extensions, enclosures, links kept of one item
MAX_EXTRA_TEXT = 2_000  # characters of one such value

# Nearly all addresses in feeds: kept as they are without taking them apart.
PLAIN_ADDRESS = re.compile(
    r"https?://(?:[A-Za-z0-9-]{1,40}\.){1,5}[A-Za-z]{2,24}(?:/[!#-;=?-\[\]_a-z|~]{0,1700})?"
)
_BREAKS = str.maketrans("", "", "\t\r\n")
# Around the mark of a text that was lifted. Private use: no feed says this; one that does is left alone.
MARK, MARK_END = "\ue000", "\ue001"


@dataclass(slots=True)
class FeedContext:
    """One document being read."""

    feed_url: str
    base_url: str
    names: ElementNames
    language: str = ""
    zone: str = ""
    """The operator's, for dates that name none."""
    source: bytes = b""
    """The document, to see whether any element has an `xml:base` of its own."""
    texts: dict[str, str] = field(default_factory=dict)
    """Long texts that were lifted out of the document, by the marks that stand in their place."""
    has_attributes: bool = False
    """Whether items say things in attributes of their own, as in RDF and CDF."""
    authors: tuple[str, ...] = ()
    """Those of the feed, for items of Atom that name none."""
    _moments: dict[str, datetime | None] = field(default_factory=dict)
    _zones: dict[str, str] = field(default_factory=dict)
    """Of dates as they were written that have no offset: where their zone comes from."""
    people: dict[str, str] = field(default_factory=dict)
    """Names as they were written, to what they are; a feed has few authors and names them often."""
    _words: dict[str, str] = field(default_factory=dict)
    _bases: bool | None = None

    def url(self, href: str | None, element: Any = None) -> str:
        """The address of the web that a link leads to, or empty."""
        if not href:
            return ""
        href = href.strip()
        return href if PLAIN_ADDRESS.fullmatch(href) else web_address(href, self._base(element))

    def is_lifted(self, text: str) -> bool:
        """Whether this is the mark of a text, which is clean then; a long text is not hashed for it."""
        return text.startswith(MARK) and text in self.texts

    def whole(self, text: str) -> str:
        """The text itself, or the one that it is the mark of."""
        return self.texts[text].strip() if self.is_lifted(text) else text

    def moment(self, text: str | None) -> datetime | None:
        """The instant a date stands for, or None when it says none."""
        if not text:
            return None
        moment = self._moments.get(text)
        if moment is None and text not in self._moments:
            moment = self._moments[text] = self._read_moment(text)
        return moment

    def _read_moment(self, text: str) -> datetime | None:
        usual = read_usual(text.strip())
        if usual is not None:
            return usual
        moment = read_date(text, zone=self.zone, language=self.language)
        if moment is None:
            return None
        if moment.zone_from != "offset":
            self._zones[text] = moment.zone_from
        return moment.at

    def zone_of(self, text: str) -> str:
        """Where the zone of a date that was read comes from, unless it is written as an offset; then empty."""
        return self._zones.get(text, "")

    def first_moment(self, fields: Fields, names: tuple[str, ...]) -> datetime | None:
        """The first date among these that can be read: a broken one must not hide a good one."""
        for name in names:
            if name in fields:
                for element in fields[name]:
                    moment = self.moment(element.text)
                    if moment is not None:
                        return moment
        return None

    def first_zone(self, fields: Fields, names: tuple[str, ...]) -> str:
        """The `zone_of` of what `first_moment` finds; hardly any feed has dates without an offset."""
        if not self._zones:
            return ""
        texts = (element.text for name in names for element in fields.get(name, ()))
        return next((self.zone_of(text) for text in texts if self.moment(text) is not None), "")

    def word(self, text: str) -> str:
        """A tag or the like as one plain line; feeds repeat a few of them on every item."""
        found = self._words.get(text)
        if found is None:
            found = line_of_html(text, MAX_NAME)
            if len(self._words) < MAX_WORDS and len(text) <= MAX_NAME:
                self._words[text] = found
        return found

    def _has_bases(self) -> bool:
        if self._bases is None:  # asked once, and only when some link is relative
            self._bases = b"xml:base" in self.source
        return self._bases

    def _base(self, element: Any) -> str:
        if element is None or not self._has_bases():
            return self.base_url
        try:
            own = element.base
        except (ValueError, UnicodeError):
            own = None
        return web_address(own or "", self.base_url) or self.base_url


def web_address(href: str, base_url: str) -> str:
    """An http or https address as published, or the one a relative link leads to; else empty."""
    href = href.strip()
    if PLAIN_ADDRESS.fullmatch(href):
        return href
    href = href.translate(_BREAKS)
    if not href:
        return ""
    if href[:4].lower() == "http" and is_web_url(href):
        return href
    try:
        found = resolve(base_url, _with_scheme(href, base_url)) if base_url else href
    except ValueError:
        return ""
    return found if is_web_url(found) else ""


def _with_scheme(href: str, base_url: str) -> str:
    """Some feeds write `courier.test/story` and mean the host, not a folder of that name."""
    host = host_of(base_url)
    return f"//{href}" if href.partition("/")[0].lower() in {host, f"www.{host}"} else href
