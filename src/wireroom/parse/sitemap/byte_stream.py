"""The bytes of a sitemap as a stream: unpacked when they are gzip, in UTF-8, never more than the cap."""

from __future__ import annotations

import codecs
import io
import zlib
from collections.abc import Iterator
from itertools import chain

from wireroom.parse.encoding import decode
from wireroom.parse.labels import codec_name

MAX_BYTES = 50_000_000  # unpacked: what the protocol allows in one file
CHUNK = 65_536
MAX_LAYERS = 2  # of gzip: a packed file that its server packed again
_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 31  # zlib's word for "with a gzip header"


class SitemapStream:
    """Reads once, from beginning to end or as far as somebody asks."""

    def __init__(self, body: object) -> None:
        source = io.BytesIO(body) if isinstance(body, bytes | bytearray | memoryview) else body
        self.cut = False
        """The end was not reached: the cap, or packed bytes that break off."""
        self._chunks: Iterator[bytes] = self._capped(self._unpacked(_read(source)))
        self._ahead: list[bytes] = []

    def close(self) -> None:
        """Lets go of the source: a stream that was not read to its end refers to itself."""
        self._chunks = iter(())
        self._ahead = []

    def head(self) -> bytes:
        """The first bytes, unpacked, without using them up."""
        found = self._ahead
        while sum(map(len, found)) < CHUNK:
            chunk = next(self._chunks, b"")
            if not chunk:
                break
            found.append(chunk)
        return b"".join(found)

    def chunks(self) -> Iterator[bytes]:
        """The bytes, from the beginning, as UTF-8."""
        head = self.head()
        self._ahead = []
        encoding = decode(head, kind="xml").encoding if head else "utf-8"
        pieces = chain([head], self._chunks)
        if encoding == "utf-8":
            yield from pieces
            return
        decoder = codecs.getincrementaldecoder(codec_name(encoding))("replace")
        for piece in pieces:
            yield decoder.decode(piece).encode("utf-8", "replace")

    def whole(self, limit: int) -> bytes:
        """The bytes as they are, at most so many."""
        found, size = [], 0
        for chunk in chain([self.head()], self._chunks):
            found.append(chunk)
            size += len(chunk)
            if size > limit:
                self.cut = True
                break
        return b"".join(found)[:limit]

    def _capped(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        size = 0
        for chunk in chunks:
            size += len(chunk)
            if size > MAX_BYTES:
                self.cut = True
                yield chunk[: MAX_BYTES - size]
                return
            yield chunk

    def _unpacked(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        for _ in range(MAX_LAYERS):
            first = next(chunks, b"")
            while 0 < len(first) < len(_GZIP) and (more := next(chunks, b"")):
                first += more
            chunks = chain([first], chunks)
            if not first.startswith(_GZIP):
                break
            chunks = self._gunzip(chunks)
        return chunks

    def _gunzip(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """The unpacked bytes in pieces of bounded size; several members follow one another."""
        unpacker = zlib.decompressobj(_GZIP_WINDOW)
        try:
            for chunk in chunks:
                packed = chunk
                while packed:
                    if unpacker.eof:
                        if not packed.startswith(_GZIP):
                            return  # padding behind the last member
                        unpacker = zlib.decompressobj(_GZIP_WINDOW)
                    yield unpacker.decompress(packed, CHUNK)
                    packed = unpacker.unconsumed_tail or unpacker.unused_data
        except zlib.error:
            self.cut = True
        self.cut = self.cut or not unpacker.eof


def _read(source: object) -> Iterator[bytes]:
    read = getattr(source, "read", None)
    if read is None:
        raise TypeError("a sitemap is read from bytes or from something with read()")
    while chunk := read(CHUNK):
        yield bytes(chunk)
