"""Undoes content codings while the bytes arrive: gzip, deflate, brotli, zstd, at most two layers.

A megabyte of brotli can be a gigabyte of zeros, so nothing here ever holds more than a small piece
of output: each decoder yields pieces, and whoever collects them counts. Knows no network.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

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
