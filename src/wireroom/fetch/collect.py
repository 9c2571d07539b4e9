"""Takes a body in as it arrives: undoes its codings, counts its bytes, stops at the limit.

Every strategy that streams uses this, so that no way of fetching forgets a cap. Knows no HTTP library.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterator
from contextlib import contextmanager

from wireroom.errors import FetchError, TooLargeError
from wireroom.fetch.decode import CodingError, open_pipe
from wireroom.fetch.hints import header
from wireroom.ports import Hop

__all__ = ["MAX_HEADER_BYTES", "MAX_HEADER_FIELDS", "Intake", "check_headers", "collect"]

MAX_HEADER_BYTES = 65_536  # of all header fields together; real answers have a tenth of that
MAX_HEADER_FIELDS = 100  # real answers have thirty
SMALL_MEDIA = 262_144  # bytes of such a thing that are read anyway: icons, mislabelled pages

# What no room of ours reads; archives of sitemaps come as gzip or octet-stream.
_MEDIA = ("image/", "audio/", "video/", "font/", "application/pdf", "application/zip")

Headers = tuple[tuple[str, str], ...]


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


async def collect(hop: Hop, headers: Headers, chunks: AsyncIterable[bytes]) -> tuple[bytes, bool]:
    """The body, decoded, and whether it is only the beginning; never more than the limit."""
    intake = Intake(hop, header(headers, "content-encoding"))
    async for chunk in chunks:
        if intake.take(chunk):
            return intake.start(), True
    return intake.whole(), False


class Intake:
    """What has come in so far, counted before and after decoding."""

    def __init__(self, hop: Hop, content_encoding: str) -> None:
        self._hop = hop
        self._wire = self._size = 0
        self._pieces: list[bytes] = []
        with self._coded():
            self._pipe = open_pipe(content_encoding)

    def take(self, chunk: bytes) -> bool:
        """Decodes a chunk; True when the limit is reached and the beginning will do."""
        self._wire += len(chunk)
        if self._wire > self._hop.max_bytes and not self._hop.take_start:
            raise TooLargeError(self._hop.url, "max_bytes", self._hop.max_bytes)
        with self._coded():
            for piece in self._pipe.feed(chunk):
                self._pieces.append(piece)
                self._size += len(piece)
                if self._size > self._hop.max_bytes:
                    return self._full()
        return False

    def start(self) -> bytes:
        """The beginning, exactly as long as the limit."""
        return b"".join(self._pieces)[: self._hop.max_bytes]

    def whole(self) -> bytes:
        """Everything, when it is complete; half a page is a failure."""
        with self._coded():
            self._pipe.finish()
        return self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)

    def _full(self) -> bool:
        if not self._hop.take_start:
            raise TooLargeError(self._hop.url, "max_bytes (decoded)", self._hop.max_bytes)
        return True

    @contextmanager
    def _coded(self) -> Iterator[None]:
        try:
            yield
        except CodingError as exc:
            raise FetchError(self._hop.url, str(exc), kind="bad_response") from exc


def _number(value: str) -> int | None:
    return int(value) if value.isascii() and value.isdigit() and len(value) < 19 else None
