"""The entries of an XML sitemap, piece by piece, from well-formed XML and from the wreck of it.

Local names decide, so that any prefix and any spelling of the namespace will do. No tree is built; a
DTD cannot be seen, for everything in front of the root is cut away. Blocks of entries written in the
usual way are read by `sitemap_plain`, and all that stands between them by a parser. A document that is
not well-formed is scanned on from the place where the parser stopped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import unescape
from itertools import chain, pairwise
from typing import Any
from xml.parsers import expat

from wireroom.errors import UnknownFormatError
from wireroom.parse.plain_text import line
from wireroom.parse.sitemap.byte_stream import SitemapStream
from wireroom.parse.sitemap.plain_sitemap import MAX_DATE, PlainReader, RawEntry, plain_reader
from wireroom.parse.xmltree import MAX_PROLOG, root_start

MAX_MARKS = 2_500_000  # tags of one document: 50,000 entries with forty languages each
MAX_TITLE = 1_000  # characters of a title or a name that are kept
MAX_BLOCK = 65_536  # bytes of one entry that the scan looks at
MAX_OPEN = 10_000  # elements open at once; a sitemap has five
MAX_OPEN_IN_CHUNK = 50  # up to so many, self-closing tags need not be told apart
MAX_TOKEN = 262_144  # bytes of one tag or comment; the parser begins it anew with every chunk
MAX_ROLES = 1_000  # distinct element names that are remembered
MAX_PIECES = 16  # of a text that runs on over chunks, up to 8 KB each
MAX_WAITING = 131_072  # bytes without the end of an entry that wait for one

_NEWS = "schemas/sitemap-news"
_NEWS_FIELDS = ("name", "language", "publication_date", "title")
_ENTRY_START = re.compile(rb"<(?:[\w.-]{1,50}:)?(?:url|sitemap)(?=[\s>])")
_VALUE = re.compile(
    rb"<([\w.-]{1,50}:)?(loc|lastmod|name|language|publication_date|title|news)(?:\s[^<>]{0,500})?>"
    rb"\s*(?:<!\[CDATA\[([^\]]{0,4096})|([^<]{0,4096}))"
)


@dataclass(slots=True)
class SitemapFacts:
    """What is learnt of a document besides its entries."""

    news_declared: bool = False
    cut: bool = False
    broken: bool = False


class _LimitError(Exception):
    """A limit was reached; what was found so far stands."""


def read_entries(stream: SitemapStream, found: SitemapFacts) -> Iterator[list[RawEntry]]:
    """The entries in the order of the document, in batches; `found` is filled on the way."""
    chunks = _from_root(stream.chunks(), found)
    first = next(chunks)
    plain = plain_reader(first)
    pieces = chain([first], chunks) if plain is None else _blocks(first, chunks, plain)
    reader = _EntryParser()
    try:
        yield from _entries(pieces, reader, plain, found)
    finally:
        reader.close()


def _blocks(first: bytes, chunks: Iterator[bytes], plain: PlainReader) -> Iterator[bytes]:
    """The same bytes cut anew: the root's tag alone, then blocks that end where an entry ends.

    The last block keeps the document's end, so that a scan, if there must be one, has both.
    """
    place = first.find(b">") + 1
    yield first[:place]
    block = rest = b""
    for chunk in chain([first[place:]], chunks):
        rest += chunk
        end = plain.end(rest) or (len(rest) if len(rest) > MAX_WAITING else 0)
        if end:
            if block:
                yield block
            block, rest = rest[:end], rest[end:]
    yield block + rest


def _entries(
    pieces: Iterator[bytes], reader: _EntryParser, plain: PlainReader | None, found: SitemapFacts
) -> Iterator[list[RawEntry]]:
    previous = b""
    marks = 0
    for piece in pieces:
        tags = piece.count(b"<")
        marks += tags
        batch = plain.read(piece) if plain is not None else None
        if batch is not None:
            previous = b""  # whatever the parser has seen before, no entry is left open
            yield batch
        else:
            try:
                yield reader.feed(piece, tags)
            except expat.ExpatError:
                found.broken = True
                yield reader.complete
                yield from _scan(chain([previous + piece], pieces), found, reader.recent())
                return
            except _LimitError:
                found.cut = True
                yield reader.complete
                return
            if plain is not None and not reader.is_between_entries(piece, plain.closing):
                plain = None
            previous = piece
        if marks > MAX_MARKS:
            found.cut = True
            return
    found.cut = not reader.finished


def _from_root(chunks: Iterator[bytes], found: SitemapFacts) -> Iterator[bytes]:
    """The chunks from the root element on."""
    head = b""
    for chunk in chunks:
        head += chunk
        try:
            start = root_start(head)
        except UnknownFormatError:
            if len(head) > 2 * MAX_PROLOG:
                raise
            continue
        found.news_declared = _NEWS.encode() in head[start : head.find(b">", start) + 1]
        yield head[start:]
        break
    else:
        raise UnknownFormatError("no XML element found")
    yield from chunks


class _EntryParser:
    """A parser that remembers one entry at a time."""

    def __init__(self) -> None:
        self._parser = expat.ParserCreate("utf-8", " ")
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = _refuse
        self._parser.EntityDeclHandler = _refuse
        self._open = self._fed = self._ended = self._level = 0
        self._done: list[RawEntry] = []
        self._roles: dict[str, str] = {}
        self._text: list[str] = []
        self._parser.CharacterDataHandler = self._text.append
        self._parser.EndElementHandler = self._at_end()
        self._before: list[RawEntry] = []
        self.finished = False
        """Whether the root element was closed."""

    def close(self) -> None:
        """Lets go of the handlers, which refer to the parser that refers to them."""
        self._parser.EndElementHandler = None
        self._parser.CharacterDataHandler = None

    @property
    def complete(self) -> list[RawEntry]:
        """What the chunk gave in which the parser stopped."""
        return self._done.copy()

    def is_between_entries(self, chunk: bytes, closing: bytes) -> bool:
        """Whether nothing but the root is open behind the last chunk.

        An end that the parser did not take for one stands in a comment; a tag too many may be a wound.
        """
        opened = chunk.count(b"<") - 2 * chunk.count(b"</") - chunk.count(b"/>")
        self._level += opened - chunk.count(b"<!") - chunk.count(b"<?")
        is_whole = chunk.endswith(closing) or self._fed == len(chunk)  # the first is the root's tag
        ended = self._ended == chunk.count(closing)
        return is_whole and ended and self._level == 1 and not self.finished

    def recent(self) -> set[str]:
        """Addresses of the last two chunks: a scan that takes over must not give them twice."""
        return {entry[0] for entry in (*self._before, *self._done)}

    def feed(self, chunk: bytes, tags: int) -> list[RawEntry]:
        """The entries that are complete with this chunk, in which so many tags begin.

        When the parser stops within the chunk, `complete` has those before that place.
        """
        self._before = self._done.copy()
        self._done.clear()
        self._ended = 0
        self._watch_depth(chunk, tags)
        try:
            self._parser.Parse(chunk, False)
        except expat.ExpatError:
            if not self.finished:  # junk behind the end of the root does no harm
                raise
            return self.complete
        self._fed += len(chunk)
        if self._fed - self._parser.CurrentByteIndex > MAX_TOKEN:
            raise _LimitError
        del self._text[MAX_PIECES:]
        return self.complete

    def _watch_depth(self, chunk: bytes, tags: int) -> None:
        """Every open element costs the parser memory; a chunk of whole entries leaves none open."""
        opened = tags - 2 * chunk.count(b"</")
        if opened > MAX_OPEN_IN_CHUNK:
            opened -= chunk.count(b"/>") + chunk.count(b"<!")
        self._open += opened
        if self._open > MAX_OPEN:
            raise _LimitError

    def _at_end(self) -> Callable[[str], None]:
        """What happens at each end tag: values are kept, an entry's end makes an entry of them.

        A closure over plain variables and no handler for start tags: that is half the time. The text
        in front of an end tag is what stood since the last one, white space around the value included.
        """
        fields: dict[str, str] = {}
        text, done, role_of = self._text, self._done, self._roles.get

        def end(name: str) -> None:
            role = role_of(name)
            if role is None:
                role = self._learn(name)
            if not role:
                pass  # somebody else's element
            elif role == _ENTRY:
                self._ended += 1
                if address := fields.get("loc"):
                    news = _news(fields) if _NEWS_USED in fields else None
                    done.append((address, fields.get("lastmod", "")[:MAX_DATE], news))
                fields.clear()
            elif role == _ROOT:
                self.finished = True
            else:
                fields[role] = "".join(text).strip()
            text.clear()

        return end

    def _learn(self, name: str) -> str:
        role = _role(name)
        if len(self._roles) < MAX_ROLES:
            self._roles[name] = role
        return role


_ROOT, _ENTRY, _NEWS_USED = "root", "entry", "news"
_ROLES = {
    "urlset": _ROOT,
    "sitemapindex": _ROOT,
    "url": _ENTRY,
    "sitemap": _ENTRY,
    "loc": "loc",
    "lastmod": "lastmod",
}
_NEWS_ROLES = {"news": _NEWS_USED, **{name: name for name in _NEWS_FIELDS}}
_SIDE_NAMESPACES = ("/sitemap-image/1.1", "/sitemap-video/1.1", "/xhtml")


def _role(name: str) -> str:
    """What an element is to us, by namespace and local name; empty for what is passed over."""
    namespace, _, local = name.lower().rpartition(" ")
    if _NEWS in namespace:
        return _NEWS_ROLES.get(local, "")
    return "" if namespace.endswith(_SIDE_NAMESPACES) else _ROLES.get(local, "")


def _refuse(*_: Any) -> None:
    raise _LimitError


def _news(fields: dict[str, str]) -> tuple[str, ...]:
    return tuple(line(fields.get(name, ""), MAX_TITLE) for name in _NEWS_FIELDS)


# --- the wreck of it -----------------------------------------------------------------------------


def _scan(
    chunks: Iterator[bytes], found: SitemapFacts, known: set[str]
) -> Iterator[list[RawEntry]]:
    """Entries by the look of their tags, those already `known` left out."""
    rest = b""
    ended = False
    for chunk in chunks:
        rest += chunk
        starts = [match.start() for match in _ENTRY_START.finditer(rest)]
        for start, end in pairwise(starts):
            yield list(_scanned(rest[start:end], known))
        rest = rest[starts[-1] :] if starts else rest[-MAX_BLOCK:]
        rest = rest[:MAX_BLOCK] + rest[MAX_BLOCK:][-100:]
        ended = b"</urlset" in rest or b"</sitemapindex" in rest or b":urlset" in rest[-100:]
    yield list(_scanned(rest, known))
    found.cut = not ended


def _scanned(block: bytes, known: set[str]) -> Iterator[RawEntry]:
    fields: dict[str, str] = {}
    has_news = False
    for match in _VALUE.finditer(block[:MAX_BLOCK]):
        prefix, name, cdata, text = match.groups()
        if prefix in {b"image:", b"video:"}:
            continue
        has_news = has_news or name == b"news"
        value = (cdata if cdata is not None else text).decode("utf-8", "replace").strip()
        fields.setdefault(name.decode(), value if cdata is not None else unescape(value))
    address = fields.get("loc", "")
    if address and address not in known:
        yield address, fields.get("lastmod", "")[:MAX_DATE], _news(fields) if has_news else None
