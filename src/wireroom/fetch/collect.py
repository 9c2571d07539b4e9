"""Takes a body in as it arrives: undoes its codings, counts its bytes, stops at the limit.

Every strategy that streams uses this, so that no strategy forgets a cap. Knows no HTTP library.
"""

from __future__ import annotations

from typing import Protocol

from wireroom.errors import FetchError, TooLargeError
from wireroom.fetch.decode import CodingError, Pipe, open_pipe
from wireroom.fetch.server_hints import header
from wireroom.ports import Hop

MAX_HEADER_BYTES = 65_536  # of all header fields together; real answers have a tenth of that
MAX_HEADER_FIELDS = 100  # real answers have thirty
SMALL_MEDIA = 262_144  # bytes of such a thing that are read anyway: icons, mislabelled pages

MOST_DIGITS = 100  # of a length that are looked at; the limits have ten

SLACK = 1_000_000  # bytes on the wire beyond the limit, where the beginning will do: coded nothing

# What no room of ours reads; archives of sitemaps come as gzip or octet-stream.
_MEDIA = ("image/", "audio/", "video/", "font/", "application/pdf", "application/zip")

Headers = tuple[tuple[str, str], ...]


class BodyStream(Protocol):
    """A body that arrives."""

    async def readany(self) -> bytes:
        """What has come, as soon as there is something; nothing at the end."""
        ...

    def at_eof(self) -> bool:
        """Whether all of it was read."""
        ...


def check_headers(hop: Hop, headers: Headers) -> None:
    """Raises when the headers alone say that this answer is not for us."""
    size, kind, length = 0, "", ""
    for name, value in headers:
        size += len(name) + len(value)
        if name == "content-type":
            kind = kind or value.partition(";")[0].strip().lower()
        elif name == "content-length":
            length = length or value
    if size > MAX_HEADER_BYTES:
        raise TooLargeError(hop.url, "max_header_bytes", MAX_HEADER_BYTES)
    if hop.method == "HEAD":
        return
    announced = _number(length)
    if announced is not None and announced > hop.max_bytes and not hop.take_start:
        raise TooLargeError(hop.url, "max_bytes", hop.max_bytes)
    if kind.startswith(_MEDIA) and (announced is None or announced > SMALL_MEDIA):
        raise FetchError(hop.url, f"{kind} is nothing we read", kind="bad_response", permanent=True)


def spoils(error: Exception, status: int) -> bool:
    """Whether a body that cannot be read spoils the answer.

    A refusal, a redirect or a 304 has said all that counts in its head: a 429 asks for a rest,
    however broken the page is that comes with it.
    """
    return status < 300 or getattr(error, "limit", "") == "max_header_bytes"


async def collect(hop: Hop, headers: Headers, stream: BodyStream) -> tuple[bytes, bool]:
    """The body, decoded, and whether it is only the beginning; never more than the limit."""
    intake = Intake(hop, header(headers, "content-encoding"))
    while chunk := await stream.readany():
        if intake.take(chunk):
            return intake.start(), True
        if stream.at_eof():  # most pages come in one piece
            break
    return intake.whole(), False


class Intake:
    """What has come in so far, counted before and after decoding."""

    def __init__(self, hop: Hop, content_encoding: str) -> None:
        self._hop = hop
        self._size = 0
        self._wire_left = hop.max_bytes + (SLACK if hop.take_start else 0)
        self._pieces: list[bytes] = []
        self._pipe: Pipe | None = None
        if content_encoding:
            try:
                self._pipe = open_pipe(content_encoding)
            except CodingError as exc:
                raise self._miscoded(exc) from exc

    def take(self, chunk: bytes) -> bool:
        """Decodes a chunk; True when the limit is reached and the beginning will do."""
        if self._pipe is None:
            return self._keep(chunk)
        self._wire_left -= len(chunk)
        if self._wire_left < 0:
            raise TooLargeError(self._hop.url, "max_bytes", self._hop.max_bytes)
        try:
            return any(map(self._keep, self._pipe.feed(chunk)))
        except CodingError as exc:
            raise self._miscoded(exc) from exc

    def start(self) -> bytes:
        """The beginning, exactly as long as the limit."""
        return b"".join(self._pieces)[: self._hop.max_bytes]

    def whole(self) -> bytes:
        """Everything, when it is complete; half a page is a failure."""
        if self._pipe is not None:
            try:
                self._pipe.finish()
            except CodingError as exc:
                raise self._miscoded(exc) from exc
        return self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)

    def _keep(self, piece: bytes) -> bool:
        """Keeps a decoded piece; True when that is more than was wanted."""
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size <= self._hop.max_bytes:
            return False
        if not self._hop.take_start:
            limit = "max_bytes" if self._pipe is None else "max_bytes (decoded)"
            raise TooLargeError(self._hop.url, limit, self._hop.max_bytes)
        return True

    def _miscoded(self, exc: CodingError) -> FetchError:
        return FetchError(self._hop.url, str(exc), kind="bad_response")


def _number(value: str) -> int | None:
    """The number that stands there; however many digits it has, it is one."""
    is_number = value.isascii() and value.isdigit()
    return int(value.lstrip("0")[:MOST_DIGITS] or 0) if is_number else None
