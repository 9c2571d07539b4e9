"""The compressed parts of an archive: gzip members, zstd frames, or the plain bytes, one piece at a time.

Each record of a well-made archive is a part of its own. No piece is larger than some megabytes, whatever a part
would become, so a bomb is noticed while it opens; a part that is broken is left, and the next one found by its
first bytes.
"""

from __future__ import annotations

import zlib
from typing import Any, Protocol

GZIP = b"\x1f\x8b\x08"
ZSTD = b"\x28\xb5\x2f\xfd"
DICTIONARY = b"\x5d\x2a\x4d\x18"  # of a skippable frame that holds the dictionary of all others
_SKIPPABLE = b"\x2a\x4d\x18"  # behind a first byte of 0x50 to 0x5f

CHUNK = 131_072  # bytes read from the stream at once: a few pages
PIECE = 1_048_576  # bytes given at once
ZSTD_SLICE = 512  # bytes given to zstd at once: at most 170 blocks of 128 KB come of them
ZSTD_WINDOW = 2**27  # bytes of memory a frame may ask for: what the zstd program grants
MAX_DICTIONARY = 16_000_000  # bytes; real ones have a tenth of a megabyte


class ByteStream(Protocol):
    """Where the bytes come from."""

    def read(self, size: int, /) -> bytes:
        """At most so many bytes; none at the end."""
        ...


class DamagedPartError(Exception):
    """A compressed part cannot be opened any further; `at_end`: because the archive ends within it."""

    def __init__(self, message: str, *, at_end: bool = False) -> None:
        super().__init__(message)
        self.at_end = at_end


class ArchiveParts(Protocol):
    """The parts of an archive, one after the other."""

    offset: int
    """Where the present part begins."""
    is_whole: bool
    """Whether all of the archive is one part: then a place in it is counted in its own bytes."""

    @property
    def consumed(self) -> int:
        """Bytes of the stream that were used so far."""
        ...

    def open_next(self) -> bool:
        """Goes on to the part behind the present one; False at the end."""
        ...

    def piece(self) -> bytes:
        """The next bytes of the present part, none at its end; raises DamagedPartError."""
        ...

    def skip(self) -> bool:
        """Leaves the present part and finds the next one by its first bytes; False when there is none."""
        ...


class _Stream:
    """The bytes of the stream that were read and not used yet."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self.data = b""
        self.at = 0
        """Where `data` begins in the stream."""

    def fill(self, fewest: int = 1) -> bool:
        """Reads on until so many bytes are there; False where the stream ends before."""
        while len(self.data) < fewest:
            more = self._stream.read(CHUNK)
            if not more:
                return False
            self.data += more
        return True

    def drop(self, count: int) -> None:
        self.data = self.data[count:]
        self.at += count

    def keep(self, rest: bytes) -> None:
        """What is left of `data`, which something else has cut already."""
        self.at += len(self.data) - len(rest)
        self.data = rest

    def find(self, magic: bytes) -> bool:
        """Drops everything before the next place with these bytes; False when there is none."""
        while True:
            place = self.data.find(magic)
            if place >= 0:
                self.drop(place)
                return True
            self.drop(max(0, len(self.data) - len(magic) + 1))
            if not self.fill(len(magic)):
                return False


def open_parts(stream: ByteStream) -> ArchiveParts:
    """The parts of an archive, told by its first bytes."""
    source = _Stream(stream)
    source.fill(4)
    start = source.data[:4]
    if start.startswith(GZIP[:2]):
        return GzipParts(source)
    if start == ZSTD or (start[1:] == _SKIPPABLE and start[0] >> 4 == 5):
        return ZstdParts(source)
    return PlainParts(source)


class PlainParts:
    """Bytes that are not compressed: one part without an end."""

    is_whole = True
    offset = 0

    def __init__(self, source: _Stream) -> None:
        self._source = source
        self._is_open = False

    @property
    def consumed(self) -> int:
        """Bytes of the stream that were used so far."""
        return self._source.at

    def open_next(self) -> bool:
        """True once."""
        first, self._is_open = not self._is_open, True
        return first

    def piece(self) -> bytes:
        """What was read at once."""
        self._source.fill()
        piece = self._source.data
        self._source.drop(len(piece))
        return piece

    def skip(self) -> bool:
        """There is no other part."""
        return False


def _gzip_library() -> Any:
    """zlib, or zlib-ng where it is installed (extra `archive`): the same objects and limits in half the time."""
    try:
        from zlib_ng import zlib_ng
    except ImportError:
        return zlib
    return zlib_ng


class GzipParts:
    """Members of gzip."""

    is_whole = False

    def __init__(self, source: _Stream) -> None:
        library = _gzip_library()
        self._source = source
        self._error: type[Exception] = library.error
        self._make = library.decompressobj
        self._inner: Any = None
        self.offset = 0

    @property
    def consumed(self) -> int:
        """Bytes of the stream that were used so far."""
        return self._source.at

    def open_next(self) -> bool:
        """The member behind this one; padding of zeros between them is passed over."""
        source = self._source
        while source.fill() and source.data[:1] == b"\0":
            source.drop(len(source.data) - len(source.data.lstrip(b"\0")))
        if not source.data:
            return False
        self.offset = source.at
        self._inner = self._make(31)
        return True

    def piece(self) -> bytes:
        """Up to a megabyte of the member."""
        inner, source = self._inner, self._source
        while inner is not None:
            if not source.fill():
                raise DamagedPartError("the archive ends within it", at_end=True)
            try:
                piece: bytes = inner.decompress(source.data, PIECE)
            except self._error as exc:
                raise DamagedPartError(str(exc)) from exc
            if inner.eof:
                self._inner = None
                source.keep(inner.unused_data)
            else:
                source.keep(inner.unconsumed_tail)
            if piece:
                return piece
            inner = self._inner
        return b""

    def skip(self) -> bool:
        """The next member that begins behind where this one was left, or behind its own beginning."""
        self._inner = None
        if self._source.at <= self.offset:
            self._source.drop(1)
        return self._source.find(GZIP) and self.open_next()


class ZstdParts:
    """Frames of zstd, with the dictionary that stands before them where there is one."""

    is_whole = False

    def __init__(self, source: _Stream) -> None:
        import zstandard

        self._source = source
        self._error = zstandard.ZstdError
        self._make = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW).decompressobj
        self._inner: Any = None
        self.offset = 0

    @property
    def consumed(self) -> int:
        """Bytes of the stream that were used so far."""
        return self._source.at

    def open_next(self) -> bool:
        """The frame behind this one; frames that hold no records are passed over."""
        source = self._source
        while source.fill(8) and source.data[1:4] == _SKIPPABLE and source.data[0] >> 4 == 5:
            self._pass_over()
        if not source.data:
            return False
        self.offset = source.at
        self._inner = self._make()
        return True

    def piece(self) -> bytes:
        """What the next few hundred bytes of the frame become."""
        while self._inner is not None:
            if not self._source.fill():
                raise DamagedPartError("the archive ends within it", at_end=True)
            given = self._source.data[:ZSTD_SLICE]
            try:
                piece: bytes = self._inner.decompress(given)
            except self._error as exc:
                raise DamagedPartError(str(exc)) from exc
            unused = len(self._inner.unused_data) if self._inner.eof else 0
            self._source.drop(len(given) - unused)
            if self._inner.eof:
                self._inner = None
            if piece:
                return piece
        return b""

    def skip(self) -> bool:
        """The next frame that begins behind where this one was left, or behind its own beginning."""
        self._inner = None
        if self._source.at <= self.offset:
            self._source.drop(1)
        return self._source.find(ZSTD) and self.open_next()

    def _pass_over(self) -> None:
        source = self._source
        size = int.from_bytes(source.data[4:8], "little")
        is_dictionary = source.data[:4] == DICTIONARY
        source.drop(8)
        if is_dictionary and size <= MAX_DICTIONARY and source.fill(size):
            self._use_dictionary(source.data[:size])
        while size and source.fill():
            step = min(size, len(source.data))
            source.drop(step)
            size -= step

    def _use_dictionary(self, content: bytes) -> None:
        """Takes it for all frames that follow; it may be compressed itself."""
        import zstandard

        try:
            if content.startswith(ZSTD):
                reader = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW)
                with reader.stream_reader(content) as opened:
                    content = opened.read(MAX_DICTIONARY)
            known = zstandard.ZstdCompressionDict(content)
            self._make = zstandard.ZstdDecompressor(
                dict_data=known, max_window_size=ZSTD_WINDOW
            ).decompressobj
        except zstandard.ZstdError:
            return  # then no frame opens, and each says so
