"""Undoes content codings while the bytes arrive: gzip, deflate, brotli, zstd, at most two layers.

A megabyte of brotli can be a gigabyte of zeros, so nothing here ever holds more than a small piece
of output: each decoder yields pieces, and whoever collects them counts. Knows no network.
"""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

from wireroom.errors import FetchError, TooLargeError
from wireroom.fetch.response_errors import header
from wireroom.ports import Hop

ACCEPT_ENCODING = "gzip, deflate, br, zstd"
MAX_CODINGS = 2  # some servers compress what a proxy compresses again; three layers are an attack
PIECE = 65_536  # output given at once; the most that is held per layer
ZSTD_SLICE = 256  # input given to zstd at once: 64 blocks of 128 KB is the most they can become
ZSTD_WINDOW = 8 * 1024 * 1024  # RFC 9659: the largest window a web client has to accept


class CodingError(ValueError):
    """The body is not in the coding it declares, or in one we do not know."""


class _Decoder(Protocol):
    def feed(self, data: bytes) -> Iterator[bytes]: ...
    def finish(self) -> None: ...


class Pipe:
    """Decoders one after another, the outermost coding first."""

    def __init__(self, decoders: list[_Decoder]) -> None:
        self._decoders = decoders

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The pieces this much input becomes; raises CodingError."""
        return self._through(data, 0)

    def finish(self) -> None:
        """Raises CodingError when the input ended too early."""
        for decoder in self._decoders:
            decoder.finish()

    def _through(self, data: bytes, layer: int) -> Iterator[bytes]:
        if layer == len(self._decoders):
            yield data
            return
        for piece in self._decoders[layer].feed(data):
            yield from self._through(piece, layer + 1)


def open_pipe(content_encoding: str) -> Pipe:
    """What undoes a Content-Encoding header; raises CodingError for unknown or too many codings."""
    names = [name.strip().lower() for name in content_encoding.split(",")]
    codings = [name for name in names if name not in {"", "identity"}]
    if len(codings) > MAX_CODINGS:
        raise CodingError(f"{len(codings)} codings on top of each other, at most {MAX_CODINGS}")
    unknown = [name for name in codings if name not in _DECODERS]
    if unknown:
        raise CodingError(f"unknown coding {unknown[0][:40]!r}")
    return Pipe([_DECODERS[name]() for name in reversed(codings)])


class _Zlib:
    """gzip (several members on end, as the format allows) and deflate, with or without a header."""

    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self._inner: zlib._Decompress | None = zlib.decompressobj(31) if gzip else None
        self._started = self._ended = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data and not (self._ended and not self._next_member(data)):
            inner = self._inner or self._open_deflate(data)
            self._started = True
            try:
                piece = inner.decompress(data, PIECE)
            except zlib.error as exc:
                raise CodingError(f"broken {'gzip' if self._gzip else 'deflate'}: {exc}") from exc
            if piece:
                yield piece
            self._ended = inner.eof
            data = inner.unused_data if inner.eof else inner.unconsumed_tail

    def finish(self) -> None:
        if self._started and not self._ended:
            raise CodingError("compressed body ended too early")

    def _open_deflate(self, data: bytes) -> zlib._Decompress:
        # RFC 9110 means zlib's wrapper, but raw deflate is as common; the low nibble tells.
        self._inner = zlib.decompressobj(15 if data[0] & 0x0F == 8 else -15)
        return self._inner

    def _next_member(self, data: bytes) -> bool:
        """Whether another gzip member follows; anything else after the end is padding."""
        if not self._gzip or data[:1] != b"\x1f":
            return False
        self._inner = zlib.decompressobj(31)
        self._ended = False
        return True


class _Brotli:
    def __init__(self) -> None:
        import brotli

        self._inner = brotli.Decompressor()
        self._error = brotli.error
        self._started = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._started = self._started or bool(data)
        while True:
            if self._inner.is_finished():
                return
            try:
                piece = self._inner.process(data, output_buffer_limit=PIECE)
            except self._error as exc:
                raise CodingError(f"broken brotli: {exc}") from exc
            if piece:
                yield piece
            data = b""
            if self._inner.can_accept_more_data():
                return

    def finish(self) -> None:
        if self._started and not self._inner.is_finished():
            raise CodingError("compressed body ended too early")


class _Zstd:
    def __init__(self) -> None:
        import zstandard

        self._make = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW).decompressobj
        self._error = zstandard.ZstdError
        self._inner = self._make()
        self._started = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        for start in range(0, len(data), ZSTD_SLICE):
            yield from self._slice(data[start : start + ZSTD_SLICE])

    def _slice(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._inner.eof:
                self._inner = self._make()
            self._started = True
            try:
                whole = self._inner.decompress(data)
            except self._error as exc:
                raise CodingError(f"broken zstd: {exc}") from exc
            yield from (whole[at : at + PIECE] for at in range(0, len(whole), PIECE))
            data = self._inner.unused_data if self._inner.eof else b""

    def finish(self) -> None:
        if self._started and not self._inner.eof:
            raise CodingError("compressed body ended too early")


_DECODERS: dict[str, Callable[[], _Decoder]] = {
    "gzip": lambda: _Zlib(gzip=True),
    "x-gzip": lambda: _Zlib(gzip=True),
    "deflate": lambda: _Zlib(gzip=False),
    "br": _Brotli,
    "zstd": _Zstd,
}


# Takes a body in as it arrives: undoes its codings, counts its bytes, stops at the limit.
#
# Every strategy that streams uses this, so that no strategy forgets a cap. Knows no HTTP library.

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


# Bytes of a document of which the beginning is taken; a head that promises more is a trap.
LONGEST_ANNOUNCED = 1 << 40
PARTIAL_CONTENT = 206
_RANGE = re.compile(r"bytes ++(\d{1,18})-(\d{1,18})/(\d{1,18}|\*)")


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
    most = LONGEST_ANNOUNCED if hop.take_start else hop.max_bytes
    if announced is not None and announced > most:
        raise TooLargeError(hop.url, "max_bytes", hop.max_bytes)
    is_large = announced is None or announced > SMALL_MEDIA
    if kind.startswith(_MEDIA) and is_large and not hop.of_file:
        raise FetchError(hop.url, f"{kind} is nothing we read", kind="bad_response", permanent=True)


def is_part(headers: Headers) -> bool:
    """Whether the answer calls itself a part of something, whatever its status is."""
    found = _RANGE.fullmatch(header(headers, "content-range").strip().lower())
    if found is None:
        return False
    first, last, whole = found.groups()
    return int(first) > 0 or (whole != "*" and int(last) + 1 < int(whole))


def holds_part(status: int, headers: Headers, part: tuple[int, int]) -> bool:
    """Whether the answer is what was asked for of a file: from its first byte on, and no more than that."""
    found = _RANGE.fullmatch(header(headers, "content-range").strip().lower())
    if status != PARTIAL_CONTENT or found is None:
        return False
    first, last = int(found[1]), int(found[2])
    return first == part[0] and first <= last < part[1]


def size_of_whole(headers: Headers) -> int | None:
    """How large the file is that an answer is a part of; None where it does not say."""
    found = _RANGE.fullmatch(header(headers, "content-range").strip().lower())
    return int(found[3]) if found is not None and found[3] != "*" else None


def spoils(error: Exception, status: int) -> bool:
    """Whether a body that cannot be read spoils the answer.

    A refusal, a redirect or a 304 has said all that counts in its head: a 429 asks for a rest,
    however broken the page is that comes with it.
    """
    return status < 300 or getattr(error, "limit", "") == "max_header_bytes"


async def collect(
    hop: Hop, headers: Headers, stream: BodyStream, *, until: float | None = None
) -> tuple[bytes, bool]:
    """The body, decoded, and whether it is only the beginning; never more than the limit.

    With `until`, a time of the loop's clock, what came before it is the beginning; nothing is a TimeoutError.
    """
    intake = Intake(hop, header(headers, "content-encoding"))
    while chunk := await _next_chunk(stream, until):
        if intake.take(chunk):
            return intake.start(), True
        if stream.at_eof():  # most pages come in one piece
            break
    if chunk is None:
        if not intake.size:
            raise TimeoutError
        return intake.start(), True
    return intake.whole(), False


async def _next_chunk(stream: BodyStream, until: float | None) -> bytes | None:
    """What comes next, empty at the end of the body; None when the time is over before."""
    if until is None:
        return await stream.readany()
    try:
        async with asyncio.timeout_at(until):
            return await stream.readany()
    except TimeoutError:
        return None


class Intake:
    """What has come in so far, counted before and after decoding."""

    def __init__(self, hop: Hop, content_encoding: str) -> None:
        self._hop = hop
        self.size = 0
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
        self.size += len(piece)
        if self.size <= self._hop.max_bytes:
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
