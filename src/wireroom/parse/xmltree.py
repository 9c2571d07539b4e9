"""The one door for XML of strangers: bytes become a tree, and nothing else happens.

No DTD is read, no entity expanded, no address and no file opened, whatever the document asks for:
everything in front of the root element is cut away before the parser sees it. Encodings are judged by
`encoding`, never by the parser. Broken documents are mended where that is cheap (HTML entities, bare
ampersands, control characters) and otherwise read as far as they go; what was cut is said.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape
from html.entities import html5
from typing import Any, NamedTuple, TypeAlias

from lxml import etree

from wireroom.errors import UnknownFormatError
from wireroom.parse.encoding import Decoded, charset_of, declared_encoding, decode

MAX_PROLOG = 262_144  # bytes before the root element: declarations, licences, warnings of scripts
MAX_PROLOG_PARTS = 200  # comments and instructions in it; more are there to keep us busy
MAX_MARKS = 300_000  # tags, attributes and odd entities; each becomes up to 300 bytes of tree
MARKS_PIECE = 65_536  # how exactly a document with more of them is cut
UNMARKED_SIZE = 2_500_000  # a smaller body cannot hold so many marks that memory is in danger
MAX_NAMESPACES = (
    100  # declared in one tag; writing markup out takes their square, real tags have up to 30
)
MAX_ATTRIBUTES = 300  # of one element that are read together; lxml takes the square of their number
MAX_MENDED = 12_000_000  # bytes after mending; an entity grows to five bytes at most

Lift: TypeAlias = Callable[[bytes, int], tuple[bytes, dict[str, str]] | None]

_PLAIN_UTF8 = Decoded("", "utf-8", "utf-8")
_LIMIT = etree.ErrorTypes.ERR_RESOURCE_LIMIT
_CUT = etree.ErrorTypes.ERR_TAG_NOT_FINISHED  # the document ends before its elements do
_PREDEFINED = (b"&lt;", b"&gt;", b"&amp;", b"&quot;", b"&apos;", b"&#")
_CONTROLS = bytes({*range(32)} - {9, 10, 13}) + b"\x7f"
_DOCTYPE_END = re.compile(rb"\]\s*>")
_DECLARED = b"xmlns"
_TAG = re.compile(
    rb"<[A-Za-z_:\x80-\xff][^<]*+"
)  # and the text behind it: no value holds a bare `<`
_NAME_START = re.compile(rb"[A-Za-z_:\x80-\xff]")
_DOUBTFUL = re.compile(
    rb"&(?!(?:amp|lt|gt|quot|apos);)(?:#([0-9]{1,7}|[xX][0-9A-Fa-f]{1,6});|([A-Za-z][A-Za-z0-9]{1,31});)?"
    rb"|<(?![A-Za-z_:/!?\x80-\xff])"
)

_UNQUOTED = re.compile(  # the first attribute of a tag that has no quotes around its value
    rb"(<[A-Za-z_][\w:.-]{0,100}(?:\s+[\w:.-]{1,100}\s*=\s*\"[^\"<>]{0,2000}\")*\s+[\w:.-]{1,100}=)([^\s\"'<>=]{1,500})(?=[\s/>])"
)
_NAMESPACE = re.compile(r"\sxmlns(?::[\w.-]{1,100})?=\"[^\"]*\"")
_PREFIX = re.compile(r"(</?)[\w.-]{1,100}:(?=\w)")
_SELF_CLOSED = re.compile(
    r"<(?!(?:area|br|col|embed|hr|img|input|link|meta|source|wbr)\b)([\w.-]+)((?:\s[^<>]*)?)/>"
)


@dataclass(frozen=True, slots=True)
class Tree:
    """A document that could be read, at least in part."""

    root: Any
    source: bytes
    """What the parser saw: UTF-8 from the root element on."""
    decoded: Decoded
    """How it was decoded; its text is left out where it was UTF-8 anyway."""
    mended: bool
    """It was not well-formed."""
    cut: bool
    """Its end is missing, or a limit of ours left it out."""
    texts: dict[str, str] = field(default_factory=dict)
    """What was lifted out of it before it was parsed, by the mark that stands there instead."""


class _Parser(threading.local):
    """One parser a thread: making one costs a tenth of a small feed, sharing one mixes up errors."""

    def __init__(self) -> None:
        self.parser = etree.XMLParser(
            recover=True,
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            dtd_validation=False,
            huge_tree=False,
            collect_ids=False,
            remove_comments=True,
            remove_pis=True,
            encoding="utf-8",
        )


_OWN = _Parser()


def read_tree(body: bytes, *, content_type: str = "", lift: Lift | None = None) -> Tree:
    """The tree of a document; raises UnknownFormatError when there is no element in it.

    `lift` may take texts out of the source, for a reader who finds them again under their marks.
    """
    source, texts = _plain_source(body, content_type, lift)
    reading = _parse(source)
    if reading.errors or reading.root is None or not isinstance(reading.root.tag, str):
        return _read_with_care(body, content_type, reading)
    return Tree(reading.root, source, _PLAIN_UTF8, mended=False, cut=False, texts=texts)


def _plain_source(
    body: bytes, content_type: str, lift: Lift | None
) -> tuple[bytes, dict[str, str]]:
    """A document that is UTF-8, as nearly all are, and may be well-formed: the parser checks both."""
    if len(body) > UNMARKED_SIZE or body.find(b"\0", 0, MAX_PROLOG) >= 0:
        return b"", {}
    if not {charset_of(content_type), declared_encoding(body, kind="xml")} <= {"", "utf-8"}:
        return b"", {}  # it may be UTF-8 all the same, and that is to be told
    try:
        root = root_start(body)
    except UnknownFormatError:
        return b"", {}
    if _within_namespaces(body) is not body:
        return b"", {}
    return (lift(body, root) if lift else None) or (body[root:], {})


def _read_with_care(body: bytes, content_type: str, before: _XmlAttempt) -> Tree:
    """The tree of anything else; what was read `before` stands if nothing had to be decoded."""
    decoded = decode(body, content_type=content_type, kind="xml")
    data = _utf8(body, decoded)
    data = data[root_start(data) :]
    whole = _within_marks(data)
    source = _within_namespaces(whole)
    reading = before if before.source == source else _parse(source)
    if reading.errors and not reading.only_cut:
        reading = _parse_mended(reading, source)
    if reading.root is None or not isinstance(reading.root.tag, str):
        raise UnknownFormatError("XML without a readable element")
    cut = reading.gave_up or (bool(reading.errors) and _end_is_missing(reading))
    cut = cut or source is not whole
    return Tree(reading.root, reading.source, decoded, mended=bool(reading.errors), cut=cut)


def _utf8(body: bytes, decoded: Decoded) -> bytes:
    if decoded.encoding == "utf-8" and not decoded.lossy and decoded.source != "mostly utf-8":
        return body.removeprefix(b"\xef\xbb\xbf")
    return decoded.text.encode("utf-8", "replace")


# --- in front of the root ----------------------------------------------------------------------


def root_start(data: bytes) -> int:
    """Where the root element begins, behind declarations, comments, a DOCTYPE and stray text."""
    place = 0
    for _ in range(MAX_PROLOG_PARTS):
        place = data.find(b"<", place, place + MAX_PROLOG)
        if place < 0 or place > MAX_PROLOG:
            break
        if _NAME_START.match(data, place + 1):
            return place
        place = _part_end(data, place)
    raise UnknownFormatError("no XML element found")


def _part_end(data: bytes, place: int) -> int:
    limit = place + MAX_PROLOG
    if data.startswith(b"<!--", place):
        end = data.find(b"-->", place + 4, limit)
        return end + 3 if end >= 0 else place + 4
    end = data.find(b">", place, limit)
    if end < 0:
        raise UnknownFormatError("no XML element found: a declaration has no end")
    if data[place : place + 9].upper() == b"<!DOCTYPE" and b"[" in data[place:end]:
        subset = _DOCTYPE_END.search(data, place, limit)
        if subset is None:
            raise UnknownFormatError("the DOCTYPE has no end")
        return subset.end()
    return end + 1


def _within_marks(data: bytes) -> bytes:
    """The document up to so many tags, attributes and entities as memory allows."""
    if len(data) <= UNMARKED_SIZE:
        return data
    marks = 0
    for start, end, _ in _sections(data):
        marks += 1
        for piece in range(start, end, MARKS_PIECE):
            marks += _marks(data[piece : min(piece + MARKS_PIECE, end)])
            if marks > MAX_MARKS:
                return data[:piece]
    return data


def _within_namespaces(data: bytes) -> bytes:
    """The document itself, or one whose tags declare few namespaces: the others become attributes."""
    if data.count(_DECLARED) <= MAX_NAMESPACES:
        return data
    if all(tag[0].count(_DECLARED) <= MAX_NAMESPACES for tag in _TAG.finditer(data)):
        return data
    return _TAG.sub(_few_namespaces, data)


def _few_namespaces(tag: re.Match[bytes]) -> bytes:
    whole = tag[0]
    if whole.count(_DECLARED) <= MAX_NAMESPACES:
        return whole
    parts = whole.split(_DECLARED)
    kept = _DECLARED.join(parts[: MAX_NAMESPACES + 1])
    return b" x-".join((kept, *(part.lstrip(b":") for part in parts[MAX_NAMESPACES + 1 :])))


def _sections(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Where markup begins and ends, and where the CDATA section behind it ends, over and over."""
    place = 0
    while place < len(data):
        cdata = data.find(b"<![CDATA[", place)
        end = len(data) if cdata < 0 else cdata
        closed = data.find(b"]]>", end)
        behind = len(data) if closed < 0 else closed + 3
        yield place, end, behind
        place = behind


def _marks(piece: bytes) -> int:
    entities = piece.count(b"&") - sum(piece.count(known) for known in _PREDEFINED)
    return piece.count(b"<") + piece.count(b'="') + piece.count(b"='") + entities


# --- parsing and mending -----------------------------------------------------------------------


class _XmlAttempt(NamedTuple):
    root: Any
    source: bytes
    errors: int
    gave_up: bool
    """The parser's own limits (depth, length of a text) stopped it."""
    only_cut: bool = False
    """Nothing is wrong with it but that its end is missing: there is nothing to mend."""


def _parse(data: bytes) -> _XmlAttempt:
    parser = _OWN.parser
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return _XmlAttempt(None, data, 1, gave_up=False)
    log = parser.error_log
    kinds = [error.type for error in log]
    return _XmlAttempt(root, data, len(kinds), _LIMIT in kinds, only_cut=kinds == [_CUT])


def _parse_mended(reading: _XmlAttempt, data: bytes) -> _XmlAttempt:
    """The best reading: as it stands, without control characters, or with everything mended."""
    for mend in (_without_controls, _mend):
        mended = mend(data)
        if mended == reading.source or len(mended) > MAX_MENDED:
            continue
        better = _parse(mended)
        if better.root is not None:
            reading = better._replace(errors=max(1, better.errors))
            if not better.errors:
                break
    return reading


def _without_controls(data: bytes) -> bytes:
    return data.translate(None, _CONTROLS)


def _mend(data: bytes) -> bytes:
    """No control characters, no HTML entities, no bare `&`, `<` and values; CDATA stays as it is."""
    data = _without_controls(data)
    mended: list[bytes] = []
    for start, end, behind in _sections(data):
        markup = _DOUBTFUL.sub(_mended, data[start:end])
        mended += (_UNQUOTED.sub(rb'\1"\2"', markup), data[end:behind])
    return b"".join(mended)


def _mended(match: re.Match[bytes]) -> bytes:
    number, name = match.groups()
    if number is not None:
        return _mended_number(match[0], number)
    if name is not None:
        char = html5.get(name.decode("ascii") + ";")
        return char.encode() if char else b"&amp;" + match[0][1:]
    return b"&lt;" if match[0] == b"<" else b"&amp;"


def _mended_number(whole: bytes, number: bytes) -> bytes:
    code = int(number[1:], 16) if number[:1] in b"xX" else int(number)
    if code in {9, 10, 13} or 32 <= code < 127 or 160 <= code < 0xD800 or 0xE000 <= code < 0xFFFE:
        return whole
    if 128 <= code < 160:  # meant as windows-1252, as browsers take it
        return bytes([code]).decode("cp1252", "ignore").encode()
    return whole if 0x10000 <= code <= 0x10FFFF else b""


# --- what was cut, and what is inside ----------------------------------------------------------


def _end_is_missing(reading: _XmlAttempt) -> bool:
    return len(reading.root) > 0 and b"</" + _written_name(reading.root) not in reading.source


def is_open(element: Any, source: bytes) -> bool:
    """Whether the last element of this name in a cut document was still being written."""
    name = _written_name(element)
    begins = list(re.finditer(rb"<" + re.escape(name) + rb"[\s>/]", source[-MAX_PROLOG:]))
    last = begins[-1].start() if begins else -1
    return source[-MAX_PROLOG:].rfind(b"</" + name) < last or not begins


def _written_name(element: Any) -> bytes:
    local = element.tag.rpartition("}")[2]
    return (f"{element.prefix}:{local}" if element.prefix else local).encode("utf-8", "replace")


def element_text(element: Any) -> str:
    """All text of an element, markup inside it left out."""
    if not len(element):
        return element.text or ""
    return "".join(element.itertext())


def first_attributes(element: Any, most: int) -> list[tuple[str, str]]:
    """So many attributes of an element, by name; one that has more is not read to its end."""
    names: list[str] = element.keys()
    if len(names) <= most:
        return list(element.items())
    return [(name, element.get(name) or "") for name in names[:most]]


def inner_markup(element: Any) -> str:
    """What stands inside an element as HTML: namespaces left out, empty elements closed."""
    if not len(element):
        return escape(element.text or "", quote=False)
    # All at once: written child by child, each would declare every namespace anew.
    whole = etree.tostring(element, encoding="unicode", with_tail=False)
    inside = whole[whole.index(">") + 1 : whole.rindex("<")]  # a value holds `>` as an entity
    markup = _NAMESPACE.sub("", inside)
    if element.prefix or any(child.prefix for child in element):
        markup = _PREFIX.sub(r"\1", markup)
    return _SELF_CLOSED.sub(r"<\1\2></\1>", markup)
