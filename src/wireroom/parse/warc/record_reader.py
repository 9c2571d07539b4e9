"""Records of a WARC: where each begins, what its header says, and its block within limits.

What is no record is given as well, with its place and the reason from a fixed vocabulary: a broken record is never
silently passed over, and costs nothing but itself where the archive is compressed record by record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from wireroom.parse.warc.members import ByteStream, DamagedPartError, open_parts

MAX_HEAD: Final = 65_536  # bytes of a record's header; real ones have some hundred
MAX_BLOCK: Final = 11_000_000  # bytes of a block that are kept: a page of 10 MB with its header
LONGEST_SKIPPED: Final = 64 * 2**20  # bytes of a block that are opened in any case
LARGEST_RATIO: Final = (
    100  # of a longer block to what it takes compressed; text has 10, a bomb 1,000
)
MOST_DIGITS: Final = 15  # of a length
MAX_BLANK: Final = 1_024  # bytes of empty lines between two records; the standard has four

BadReason = Literal["damaged", "cut_short", "no_record", "bad_header", "bad_length", "too_long"]
"""damaged: cannot be decompressed; cut_short: ends before its length; no_record: something else stands there;
bad_header: no header of a record; bad_length: no length, or one that is not true; too_long: more than is read."""

_START: Final = b"WARC/"
_BLANK: Final = b"\r\n"


@dataclass(frozen=True, slots=True)
class RecordHead:
    """The header of a record; names are lower case."""

    offset: int
    """Where its compressed part begins, or the record itself in an archive that is not compressed."""
    fields: Mapping[str, str]
    length: int
    """Bytes of its block."""

    @property
    def kind(self) -> str:
        """Such as `response`, `request`, `warcinfo`."""
        return self.fields.get("warc-type", "").lower()

    @property
    def url(self) -> str:
        """What it is a record of; some writers set it in angle brackets."""
        return self.fields.get("warc-target-uri", "").strip("<>")


@dataclass(frozen=True, slots=True)
class Record:
    """A record whose block was wanted."""

    head: RecordHead
    block: bytes


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A place where no record could be read, and why."""

    offset: int
    reason: BadReason
    detail: str = ""


class _BadPlaceError(Exception):
    def __init__(
        self,
        reason: BadReason,
        detail: str = "",
        go_on: Literal["search", "here", "next part"] = "search",
    ) -> None:
        super().__init__(reason)
        self.reason: BadReason = reason
        self.detail = detail
        self.go_on = go_on


class WarcReader:
    """The records of one archive, in order; iterate once.

    Only blocks of records that `wanted` says yes to are kept; it sees the header alone.
    """

    def __init__(
        self,
        stream: ByteStream,
        wanted: Callable[[RecordHead], bool] = lambda _head: True,
        *,
        max_block: int = MAX_BLOCK,
    ) -> None:
        self._parts = open_parts(stream)
        self._wanted = wanted
        self._max_block = max_block
        self._data = b""
        self._at = 0
        self._passed = 0  # bytes of the present part that lie before `_data`
        self._part_offset = 0
        self._ahead: bytes | DamagedPartError | None = None  # how the next part begins
        self.records = 0
        """Records whose header could be read."""

    @property
    def consumed(self) -> int:
        """Bytes of the stream that were used so far."""
        return self._parts.consumed

    def __iter__(self) -> Iterator[Record | BadRecord]:
        while True:
            offset = self._part_offset
            try:
                if not self._find_start():
                    return
                offset = self._offset()
                record = self._record(offset)
            except _BadPlaceError as bad:
                yield BadRecord(offset, bad.reason, bad.detail)
                if not self._go_on(bad.go_on):
                    return
                continue
            except DamagedPartError as exc:
                reason: BadReason = "cut_short" if exc.at_end else "damaged"
                yield BadRecord(self._part_offset, reason, str(exc))
                if not self._skip_part():
                    return
                continue
            if record is not None:
                yield record

    # --- one record -------------------------------------------------------------------------------

    def _record(self, offset: int) -> Record | BadRecord | None:
        """The record that begins here, if it is wanted; what lies behind it is looked at, too."""
        head = self._head(offset)
        self.records += 1
        wanted = self._wanted(head)
        if not wanted or head.length > self._max_block:
            self._skip_block(head.length)
            self._check_end(head)
            return BadRecord(offset, "too_long", f"{head.length:,} bytes") if wanted else None
        block = self._take(head.length)
        self._check_end(head)
        return Record(head, block)

    def _head(self, offset: int) -> RecordHead:
        if not self._has(len(_START)) or not self._data.startswith(_START, self._at):
            raise _BadPlaceError("no_record", repr(self._data[self._at : self._at + 20]))
        end, gap = self._end_of_head()
        text = self._data[self._at : end].decode("utf-8", "replace")
        self._at = end + gap
        fields: dict[str, str] = {}
        for line in text.split("\n")[1:]:
            name, sign, value = line.partition(":")
            if not sign:
                raise _BadPlaceError("bad_header", line[:60])
            fields.setdefault(name.strip().lower(), value.strip())
        return RecordHead(offset, fields, _length(fields.get("content-length", "")))

    def _end_of_head(self) -> tuple[int, int]:
        """Where the header ends, and how many bytes its empty line has."""
        while True:
            end = self._data.find(b"\r\n\r\n", self._at, self._at + MAX_HEAD)
            bare = self._data.find(b"\n\n", self._at, self._at + MAX_HEAD if end < 0 else end)
            if bare >= 0:
                return bare, 2
            if end >= 0:
                return end, 4
            if len(self._data) - self._at >= MAX_HEAD:
                raise _BadPlaceError("bad_header", f"longer than {MAX_HEAD:,} bytes")
            if not self._more():
                raise _BadPlaceError("cut_short", "ends within its header")

    def _take(self, length: int) -> bytes:
        """So many bytes from here on."""
        have = len(self._data) - self._at
        if have >= length:
            block = self._data[self._at : self._at + length]
            self._at += length
            return block
        pieces = [self._data[self._at :]]
        self._forget()
        while have < length:
            self._next_piece()
            pieces.append(self._data[: length - have])
            self._at = len(pieces[-1])
            have += self._at
        return b"".join(pieces)

    def _skip_block(self, length: int) -> None:
        """Passes over a block; one that grows out of proportion is a bomb, and is left where it is."""
        began = self._parts.consumed
        left = length - (len(self._data) - self._at)
        if left <= 0:
            self._at += length
            return
        self._forget()
        while left > 0:
            self._next_piece()
            left -= len(self._data)
            opened = length - left
            used = self._parts.consumed - began
            if opened > LONGEST_SKIPPED and opened > LARGEST_RATIO * used:
                message = f"{length:,} bytes that are hardly any compressed"
                raise _BadPlaceError("too_long", message, "next part")
        self._at = len(self._data) + left

    def _next_piece(self) -> None:
        """Goes on within a block; where a part ends in it, the next one must not begin with a record."""
        self._forget()
        if not self._more():
            what = "the archive ends" if self._ahead is None else "another record begins"
            raise _BadPlaceError("cut_short", f"{what} within it", "here")

    def _check_end(self, head: RecordHead) -> None:
        """A record is followed by empty lines and another one; if not, its length is not true."""
        if not self._skip_blank() or self._data.startswith(_START, self._at):
            return
        if not self._has(len(_START)) or not self._data.startswith(_START, self._at):
            raise _BadPlaceError("bad_length", f"{head.length:,} bytes, and more stands behind it")

    # --- the bytes of the present part ------------------------------------------------------------

    def _offset(self) -> int:
        return self._passed + self._at if self._parts.is_whole else self._part_offset

    def _find_start(self) -> bool:
        """Passes over empty lines, and over the end of parts; False at the end of the archive."""
        while not self._skip_blank():
            if not self._open_part():
                return False
        return True

    def _skip_blank(self) -> bool:
        """Passes over empty lines; False at the end of the part."""
        skipped = 0
        while True:
            if self._at >= len(self._data) and not self._more():
                return False
            if self._data[self._at] not in _BLANK:
                return True
            self._at += 1
            skipped += 1
            if skipped > MAX_BLANK:
                raise _BadPlaceError("no_record", "empty lines without an end")

    def _has(self, count: int) -> bool:
        while len(self._data) - self._at < count:
            if not self._more():
                return False
        return True

    def _more(self) -> bool:
        """Adds the next piece to what is there; False at the end of a part behind which a record begins."""
        piece = self._parts.piece() if self._ahead is None else b""
        if not piece:
            self._look_ahead()
            if not isinstance(self._ahead, bytes) or self._ahead.startswith(_START):
                return False
            piece, self._ahead = self._ahead, None  # not every archive is cut at its records
            self._part_offset = self._parts.offset
        self._passed += self._at
        self._data = self._data[self._at :] + piece if self._at < len(self._data) else piece
        self._at = 0
        return True

    def _look_ahead(self) -> None:
        """Opens the next part, if it is not open already; what is wrong with it is that part's own fault."""
        try:
            while self._ahead is None and self._parts.open_next():
                self._ahead = self._parts.piece() or None
        except DamagedPartError as exc:
            self._ahead = exc

    def _forget(self) -> None:
        self._passed += len(self._data)
        self._data, self._at = b"", 0

    def _open_part(self) -> bool:
        """Goes on with the next part; False at the end of the archive. Raises DamagedPartError."""
        self._look_ahead()
        ahead, self._ahead = self._ahead, None
        self._data, self._at, self._passed = b"", 0, 0
        if ahead is None:
            return False
        self._part_offset = self._parts.offset
        if isinstance(ahead, DamagedPartError):
            raise ahead
        self._data = ahead
        return True

    def _skip_part(self) -> bool:
        """Leaves the present part wherever it is; False when no other begins behind it."""
        self._data, self._at, self._passed = b"", 0, 0
        if self._ahead is not None:
            return True
        if not self._parts.skip():
            return False
        try:
            self._ahead = self._parts.piece() or None
        except DamagedPartError as exc:
            self._ahead = exc
        return True

    def _go_on(self, where: Literal["search", "here", "next part"]) -> bool:
        """Goes on behind a place that holds no record; False when nothing is left."""
        if where == "here":
            return True
        try:
            if where == "search" and self._find_record():
                return True
        except DamagedPartError:
            return self._skip_part()  # it is known of this part already that it is bad
        return self._skip_part()

    def _find_record(self) -> bool:
        """Searches the rest of the present part for the next record; False when there is none."""
        self._at = min(self._at + 1, len(self._data))
        searched = 0
        while searched <= LONGEST_SKIPPED or self._parts.is_whole:
            place = self._data.find(b"\n" + _START, self._at)
            if place >= 0:
                self._at = place + 1
                return True
            end = max(self._at, len(self._data) - len(_START))
            searched += end - self._at
            self._at = end
            if not self._more():
                return False
        return False


def _length(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS):
        raise _BadPlaceError("bad_length", f"Content-Length: {text[:40]!r}")
    return int(text)
