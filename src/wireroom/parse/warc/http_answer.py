"""The answer of a server as a record holds it: status, headers, body as it was sent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

MAX_HTTP_HEAD: Final = 65_536  # bytes, as a fetcher takes
MAX_FIELDS: Final = 100  # real answers have thirty
_STATUS: Final = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})(?!\d)")
_CHUNK_SIZE: Final = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]{0,1024})?\r?\n")


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What a server answered; header names are lower case, repeats are kept."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    """As it was sent: perhaps in chunks, perhaps compressed."""

    def header(self, name: str) -> str:
        """The first header of this name; empty where there is none."""
        return next((value for known, value in self.headers if known == name), "")


def read_http(block: bytes) -> HttpAnswer | None:
    """The answer in the block of a response record; None where there is none."""
    status = _STATUS.match(block)
    if status is None:
        return None
    end = block.find(b"\r\n\r\n", 0, MAX_HTTP_HEAD)
    bare = block.find(b"\n\n", 0, MAX_HTTP_HEAD if end < 0 else end)
    end, gap = (bare, 2) if bare >= 0 else (end, 4)
    if end < 0:
        return None
    headers: list[tuple[str, str]] = []
    for line in block[:end].decode("utf-8", "replace").split("\n")[1:]:
        name, sign, value = line.partition(":")
        if line[:1] in {" ", "\t"} and headers:  # folded, as long ago
            headers[-1] = (headers[-1][0], f"{headers[-1][1]} {line.strip()}")
        elif sign:
            headers.append((name.strip().lower(), value.strip()))
        if len(headers) > MAX_FIELDS:
            return None
    return HttpAnswer(int(status[1]), tuple(headers), block[end + gap :])


def without_chunks(body: bytes) -> bytes:
    """The body whose chunks were kept as they came; as it is where it is in no chunks.

    Many archives have undone them and left the header.
    """
    pieces: list[bytes] = []
    at = 0
    while found := _CHUNK_SIZE.match(body, at):
        size = int(found[1], 16)
        if size == 0:
            return b"".join(pieces)
        pieces.append(body[found.end() : found.end() + size])
        at = found.end() + size
        at += 2 if body[at : at + 2] == b"\r\n" else 1 if body[at : at + 1] == b"\n" else 0
    return b"".join(pieces) if pieces and at >= len(body) else body
