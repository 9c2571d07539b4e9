"""robots.txt bytes to lines: cut to size, without a mark before them, whatever their line ends.

Works on bytes and never decodes before splitting: a stray byte in a comment must not cost a rule.
Says what is no robots.txt at all. Knows nothing of what the lines mean.
"""

from __future__ import annotations

import re
from typing import Literal

MAX_BYTES = 500 * 1024  # RFC 9309 asks for at least this much; Google stops here as well
MAX_LINE_BYTES = 2083 * 8 - 1  # Google's buffer: eight of the longest addresses of old browsers
_SAMPLE_BYTES = 8 * 1024  # enough to tell text from a picture or an archive
_CONTROL_SHARE = 20  # one control byte in 20 is no text; random bytes have one in 9

_BOM = b"\xef\xbb\xbf"
_CONTROLS = bytes(set(range(0x20)) - set(b"\t\n\v\f\r")) + b"\x7f"
_AFTER_NUL = re.compile(rb"\x00[^\r\n]*")
_PAGE_STARTS = (
    *(b"<!doctype", b"<html", b"<head", b"<body"),
    *(b"<meta", b"<title", b"<script", b"<?xml"),
)


def cut_to_size(body: bytes) -> tuple[bytes, bool]:
    """At most `MAX_BYTES`, and whether more was there.

    Half a line at the end could be a far wider rule than the whole one, so it goes as well.
    """
    if len(body) <= MAX_BYTES:
        return body, False
    head = body[:MAX_BYTES]
    if body[MAX_BYTES : MAX_BYTES + 1] in {b"\r", b"\n"}:
        return head, True
    end = max(head.rfind(b"\n"), head.rfind(b"\r"))
    return (head[: end + 1] if end >= 0 else head), True


def without_bom(body: bytes) -> bytes:
    """The bytes without a byte order mark, or the half of one that some editors leave behind."""
    for length in (3, 2, 1):
        if body.startswith(_BOM[:length]):
            return body[length:]
    return body


def foreign(text: bytes) -> Literal["html", "binary"] | None:
    """What the bytes are instead of a robots.txt, by how they begin; None for text."""
    sample = text[:_SAMPLE_BYTES]
    start = sample.lstrip()
    while start.startswith(b"<!--") and b"-->" in start:
        start = start.partition(b"-->")[2].lstrip()
    if start[:16].lower().startswith(_PAGE_STARTS):
        return "html"
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    return "binary" if controls * _CONTROL_SHARE > len(sample) else None


def without_nul(text: bytes) -> bytes:
    """The text as a reader of C strings sees it: a NUL byte ends its line."""
    return _AFTER_NUL.sub(b"", text)


def split_lines(text: bytes) -> list[bytes]:
    """The lines, whichever of the three line ends they have; a mixture too."""
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return text.split(b"\n")


def key_and_value(text: bytes) -> tuple[bytes, bytes, bool]:
    """Key in lower case, value, and whether a colon stood between them; no key when unreadable."""
    key, colon, value = text.partition(b":")
    if colon:
        return key.strip().lower(), value.strip(), True
    # People forget the colon. Two words then are key and value, three are prose.
    words = [word for word in text.replace(b"\t", b" ").split(b" ") if word]
    if len(words) != 2:
        return b"", b"", False
    return words[0].strip().lower(), words[1].strip(), False
