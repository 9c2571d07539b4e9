"""Which encoding a body is in, and its text.

Pure: bytes and a header come in, text and the reason come out; it never raises. The order:

1. a byte order mark;
2. zeros where UTF-16 or UTF-32 has them; the escapes of ISO-2022-JP;
3. the body is UTF-8 and long enough that this is no accident;
4. the HTTP header's charset, when the body decodes strictly under it;
5. UTF-8, strictly;
6. what the document says of itself (`<meta charset>`, the XML declaration), under the same test;
7. mostly UTF-8, by its letters or by its lines: UTF-8; pasted lines of another encoding are read in
   it, other broken bytes replaced and said to be;
8. statistics over a bounded sample;
9. windows-1252, which reads anything.

The header and the document are hints: where one names a single-byte encoding, "decodes strictly" says
nothing, so the statistics may overrule the usual wrong default (`iso-8859-1` on a Cyrillic page).
"""

from __future__ import annotations

import codecs
import re
import string
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from wireroom.parse.labels import MULTI_BYTE, decode_as, known_label

Source = Literal[
    "bom",
    "header",
    "utf-8",
    "declared",
    "zeros",
    "escapes",
    "mostly utf-8",
    "statistics",
    "default",
]
TextKind = Literal["html", "xml", "json", "text"]

MAX_DECLARATION = 4096  # browsers look at 1,024 bytes; real pages push the meta tag further down
MAX_SAMPLE = 65_536  # what the statistics see: more changes no answer and costs 50 ns a byte
READABLE = 0.95  # of the characters, for a header that names UTF-16 to be believed
MAX_ZERO_LOOK = 1024  # enough to see a pattern of zeros
MAX_LINES = 50_000  # looked at one by one; a page of more is not written by hand, and takes 0.1 s
UTF8_BY_ACCIDENT = 8  # a legacy text of more letters than this passes for UTF-8 once in a million
BROKEN_SHARE = 0.02  # a declared encoding may break on so many of its letters and still be right
SURE_ENOUGH = 0.65  # what statistics must claim to overrule a declaration; they give GBK 0.7

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32be"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16be"),
)
_CHARSET = re.compile(r"charset\s*+=\s*+(?:[\"']\s*+)?([\w.:+-]{1,40})", re.IGNORECASE)
_XML_DECLARATION = re.compile(
    rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']\s*([\w.:+-]{1,40})", re.IGNORECASE
)
_META = re.compile(rb"<meta\b([^>]{0,500})", re.IGNORECASE)
_META_CHARSET = re.compile(rb"charset\s*+=\s*+(?:[\"']\s*+)?([\w.:+-]{1,40})", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_JAPANESE_ESCAPE = re.compile(rb"\x1b(?:\$[@B]|\(J)")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")
# Letters of windows-1252 but for Â and Ã, with a letter of ASCII on one side at least and no other broken byte.
_LATIN_LETTER = re.compile(
    "(?:(?<=[A-Za-z])|(?=.[A-Za-z]))(?<![\udc80-\udcff])[\udcc0\udcc1\udcc4-\udcd6\udcd8-\udcf6\udcf8-\udcff](?![\udc80-\udcff])"
)
_SEGMENT = re.compile(rb"[^<>\n]*[\x80-\xff][^<>\n]*")
_CONTINUED = re.compile(rb"[\xc2-\xf4][\x80-\xbf]")
# Letters of windows-1252, its quotation marks, dashes, ellipsis and euro.
_LATIN_BYTES = bytes((*range(0xC0, 0xD7), *range(0xD8, 0xF7), *range(0xF8, 0x100))) + (
    b"\x80\x82\x84\x85\x91\x92\x93\x94\x96\x97\xa0\xab\xbb"
)
_ASCII_LETTERS = string.ascii_letters.encode()
_HIGH_BYTES = bytes(range(0x80, 0x100))
_HIGH = re.compile(rb"[\x80-\xff]")
_HIGH_RUN = re.compile(rb"[\x80-\xff][\x40-\xff]?[\x80-\xff]{2,}")
_TAG = re.compile(rb"<[^<>]{0,1000}>")
# What the statistics call by names that are no labels of the web.
_DETECTOR_NAMES = {"cp949": "euc-kr", "uhc": "euc-kr", "johab": "", "utf-8-sig": "utf-8"}


@dataclass(frozen=True, slots=True)
class Decoded:
    """A body's text, and how it was come by."""

    text: str
    encoding: str
    source: Source
    fallback: bool = False
    """A declaration was not followed because it did not hold, or nothing was known at all."""
    lossy: bool = False
    """Some bytes could not be read; U+FFFD stands in their place."""


def decode(body: bytes, *, content_type: str = "", kind: TextKind = "html") -> Decoded:
    """The text of a body under the encoding it is really in."""
    header = charset_of(content_type)
    found = _by_mark(body) or _by_zeros(body) or _by_escapes(body)
    if found is not None:
        return replace(
            found, fallback=_overrules(found, header, declared_encoding(body, kind=kind))
        )
    utf8 = _strictly(body, "utf-8")
    wide = _by_wide_header(body, header, utf8)
    if wide is not None:
        return wide
    if utf8 is not None:
        return _as_utf8(body, utf8, header, declared_encoding(body, kind=kind))
    return _as_legacy(body, header, declared_encoding(body, kind=kind))


def charset_of(content_type: str) -> str:
    """The encoding a Content-Type header names, or empty when it names none we know."""
    match = _CHARSET.search(content_type[:500])
    return known_label(match[1]) if match else ""


def declared_encoding(body: bytes, *, kind: TextKind = "html") -> str:
    """The encoding a document declares for itself; UTF-16 there means UTF-8, as browsers have it."""
    head = body[:MAX_DECLARATION]
    match = _XML_DECLARATION.search(head) if kind in {"html", "xml"} else None
    if match is None and kind == "html":
        match = _meta_charset(head)
    name = known_label(match[1].decode("ascii", "replace")) if match else ""
    return "utf-8" if name.startswith("utf-16") else name


def _meta_charset(head: bytes) -> re.Match[bytes] | None:
    for tag in _META.finditer(_COMMENT.sub(b"", head)):
        if match := _META_CHARSET.search(tag[1]):
            return match
    return None


def _overrules(found: Decoded, header: str, declared: str) -> bool:
    """Whether a sure sign says something else than header or document; the order of UTF-16 is a detail."""
    family = found.encoding[:6]
    if family in ("utf-16", "utf-32"):  # a document in it that can be read byte by byte is in none
        declared = ""
    elif found.text.isascii():
        return False
    return any(name and name[:6] != family for name in (header, declared))


# --- sure signs --------------------------------------------------------------------------------


def _by_mark(body: bytes) -> Decoded | None:
    for bom, name in _BOMS:
        if body.startswith(bom):
            return _decoded(body[len(bom) :], name, "bom")
    return None


def _by_zeros(body: bytes) -> Decoded | None:
    """UTF-16 and UTF-32 without a mark: Latin letters and markup leave zeros at fixed places."""
    head = body[: min(MAX_ZERO_LOOK, len(body) // 4 * 4)]
    if b"\0" not in head:
        return None
    zeros = [head[place::4].count(0) / (len(head) / 4) for place in range(4)]
    for name, often, never in (
        ("utf-32le", (1, 2, 3), (0,)),
        ("utf-32be", (0, 1, 2), (3,)),
        ("utf-16le", (1, 3), (0, 2)),
        ("utf-16be", (0, 2), (1, 3)),
    ):
        if all(zeros[n] > 0.3 for n in often) and all(zeros[n] < 0.05 for n in never):
            return _decoded(body, name, "zeros")
    return None


def _by_escapes(body: bytes) -> Decoded | None:
    if b"\x1b" not in body or not _JAPANESE_ESCAPE.search(body):
        return None
    text = _strictly(body, "iso-2022-jp")
    return None if text is None else Decoded(text, "iso-2022-jp", "escapes")


def _by_wide_header(body: bytes, header: str, utf8: str | None) -> Decoded | None:
    """UTF-16 that a header names, where no zeros show it: Cyrillic and Greek leave control characters instead.

    A page that is UTF-8 after all has none of these. The label without an order means little-endian, and is wrong at times.
    """
    if not header.startswith("utf-16") or (utf8 is not None and not _CONTROLS.search(utf8)):
        return None
    for name in (header, "utf-16be" if header != "utf-16be" else "utf-16le"):
        text = _strictly(body[: len(body) // 2 * 2], name)
        if text is not None and _readable(text) > READABLE:
            return Decoded(text, name, "header", fallback=name != header)
    return None


def _readable(text: str) -> float:
    """The share of blanks, letters of the usual scripts and signs among the first characters."""
    start = text[:MAX_ZERO_LOOK]
    good = sum(c.isprintable() or c.isspace() for c in start if c < "\ua000" or c >= "\uac00")
    blanks = sum(c in " \n<>。，、" for c in start)
    return good / max(1, len(start)) if blanks else 0.0


def _as_utf8(body: bytes, text: str, header: str, declared: str) -> Decoded:
    if header in MULTI_BYTE and 0 < _letters_beyond_ascii(text) < UTF8_BY_ACCIDENT:
        claimed = _strictly(body, header)
        if claimed is not None:
            return Decoded(claimed, header, "header")
    source: Source = "header" if header == "utf-8" else "utf-8"
    overruled = not text.isascii() and not {header, declared} <= {"", "utf-8"}
    return Decoded(text, "utf-8", source, fallback=overruled)


# --- legacy encodings and broken text ----------------------------------------------------------


def _as_legacy(body: bytes, header: str, declared: str) -> Decoded:
    guess = _Guess(body)
    claims: list[tuple[str, Source]] = [(header, "header"), (declared, "declared")]
    if header == "windows-1252" and declared and guess.answer[0] == declared:
        claims.reverse()  # many servers stamp iso-8859-1 on everything they send
    for name, source in claims:
        if name and name != "utf-8" and not guess.overrules(name):
            text = _nearly(body, name)
            if text is not None:
                refused = source == "declared" and header not in {"", name}
                return Decoded(text, name, source, fallback=refused, lossy="\ufffd" in text)
    declared_utf8 = "utf-8" in {header, declared}
    broken = (
        _by_segments(body, declared_utf8=declared_utf8)
        or _mostly_utf8(body)
        or _by_lines(body, declared_utf8=declared_utf8)
    )
    if broken is not None:
        return broken
    return _guessed(body, guess, fallback=bool(header or declared))


class _Guess:
    """What the statistics say, asked at most once."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._answer: tuple[str, float] | None = None

    @property
    def answer(self) -> tuple[str, float]:
        """An encoding of our table, or empty, and how sure the detector is."""
        if self._answer is None:
            self._answer = _detect(_sample(self._body))
        return self._answer

    def overrules(self, claimed: str) -> bool:
        """Whether a Latin encoding is claimed for a text that is plainly in another script."""
        if claimed in MULTI_BYTE or not claimed.endswith(("-1252", "-15", "-1250", "-2")):
            return False
        if not _another_script(_sample(self._body)):
            return False
        name, confidence = self.answer
        return bool(name) and name != claimed and confidence >= SURE_ENOUGH


def _guessed(body: bytes, guess: _Guess, *, fallback: bool) -> Decoded:
    name, _ = guess.answer
    if name and name != "utf-8":
        text = _nearly(body, name)
        if text is not None:
            return Decoded(text, name, "statistics", fallback=fallback, lossy="\ufffd" in text)
    return Decoded(decode_as(body, "windows-1252", strict=False), "windows-1252", "default", True)


def _detect(sample: bytes) -> tuple[str, float]:
    import cchardet

    found = cchardet.detect(sample)
    label = (found["encoding"] or "").lower()
    return known_label(_DETECTOR_NAMES.get(label, label)), found["confidence"] or 0.0


def _sample(body: bytes) -> bytes:
    """A bounded piece that begins shortly before the first byte beyond ASCII, markup left out."""
    first = _HIGH.search(body)
    start = max(0, first.start() - 200) if first else 0
    piece = body[start : start + MAX_SAMPLE]
    return _TAG.sub(b" ", piece) or piece


def _another_script(sample: bytes) -> bool:
    """Latin text has its accents one by one; other scripts have long rows of high bytes."""
    high = len(_HIGH.findall(sample))
    in_runs = sum(len(run) for run in _HIGH_RUN.findall(sample))
    return high > UTF8_BY_ACCIDENT and in_runs > high / 2


def _mostly_utf8(body: bytes) -> Decoded | None:
    text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    if _letters_beyond_ascii(text) - broken <= 2 * broken:
        return None
    rescued = _rescue_lines(body)
    text = _with_latin_letters(body) if rescued is None else rescued
    return Decoded(text, "utf-8", "mostly utf-8", fallback=True, lossy="\ufffd" in text)


def _with_latin_letters(body: bytes) -> str:
    """The text with paragraphs and single letters of windows-1252 that were pasted into it; other broken bytes are replaced.

    Elsewhere two in a row, or the first half of a letter in UTF-8, are what is left of something else.
    """
    body = _SEGMENT.sub(_latin_segment, body)
    text = body.decode("utf-8", "surrogateescape")
    text = _LATIN_LETTER.sub(lambda lone: bytes([ord(lone[0]) - 0xDC00]).decode("cp1252"), text)
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _by_segments(body: bytes, *, declared_utf8: bool) -> Decoded | None:
    """A page in UTF-8 that can be read whole once paragraphs in windows-1252 are read as such."""
    # No more are counted than are needed: a list of all letters of a long page would fill the memory.
    good = sum(1 for _ in islice(_CONTINUED.finditer(body), UTF8_BY_ACCIDENT + 1))
    if not good or not (declared_utf8 or good > UTF8_BY_ACCIDENT):
        return None
    text = _strictly(_SEGMENT.sub(_latin_segment, body), "utf-8")
    return None if text is None else Decoded(text, "utf-8", "mostly utf-8", fallback=True)


def _latin_segment(segment: re.Match[bytes]) -> bytes:
    """A piece between two tags in UTF-8, where it is plainly windows-1252: no letter of UTF-8, few accents, no half of one."""
    piece = segment[0]
    if _strictly(piece, "utf-8") is not None or _CONTINUED.search(piece):
        return piece
    accents = _count(piece, _HIGH_BYTES)
    if accents != _count(piece, _LATIN_BYTES) or 3 * accents > _count(piece, _ASCII_LETTERS):
        return piece
    return piece.decode("cp1252").encode("utf-8")


def _count(piece: bytes, wanted: bytes) -> int:
    """How many of its bytes are among those wanted."""
    return len(piece) - len(piece.translate(None, wanted))


def _by_lines(body: bytes, *, declared_utf8: bool) -> Decoded | None:
    """A page of few letters beyond ASCII in which one long paragraph is of another encoding.

    By letters the paragraph would win; by lines the page is UTF-8, and both can be read. Two letters of
    GBK may look like UTF-8 by accident: unless the page is `told` to be UTF-8, it takes more of them.
    """
    if body.count(b"\n") > MAX_LINES:
        return None
    texts = [_strictly(line, "utf-8") for line in body.split(b"\n")]
    foreign = sum(text is None for text in texts)
    letters = [count for text in texts if text and (count := _letters_beyond_ascii(text))]
    if len(letters) < foreign or not (declared_utf8 or sum(letters) > UTF8_BY_ACCIDENT):
        return None
    rescued = _rescue_lines(body)
    return None if rescued is None else Decoded(rescued, "utf-8", "mostly utf-8", fallback=True)


def _rescue_lines(body: bytes) -> str | None:
    """The text when whole lines of another encoding were pasted into a UTF-8 page; else None."""
    if body.count(b"\n") > MAX_LINES:
        return None
    lines = body.split(b"\n")
    foreign = [line for line in lines if _strictly(line, "utf-8") is None]
    name, _ = _detect(_sample(b"\n".join(foreign)))
    if name not in MULTI_BYTE or any(_strictly(line, name) is None for line in foreign):
        return None
    texts = (_strictly(line, "utf-8") for line in lines)
    return "\n".join(
        text if text is not None else decode_as(line, name, strict=True)
        for text, line in zip(texts, lines, strict=True)
    )


# --- decoding ----------------------------------------------------------------------------------


def _strictly(body: bytes, name: str) -> str | None:
    try:
        return decode_as(body, name, strict=True)
    except UnicodeDecodeError:
        return None


def _nearly(body: bytes, name: str) -> str | None:
    """The text when all, or all but very few, of the letters can be read."""
    text = _strictly(body, name)
    if text is not None:
        return text
    text = decode_as(body, name, strict=False)
    broken = text.count("\ufffd")
    return text if broken <= max(1, BROKEN_SHARE * _letters_beyond_ascii(text)) else None


def _decoded(body: bytes, name: str, source: Source) -> Decoded:
    text = decode_as(body, name, strict=False)
    return Decoded(text, name, source, lossy="\ufffd" in text)


def _letters_beyond_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))
