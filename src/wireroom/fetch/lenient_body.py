"""Reads an answer whose body is longer than its Content-Length, as browsers do: the rest is cut.

aiohttp hands everything that arrives together to its parser, which takes surplus bytes for a broken
second answer and throws the whole away. Here they are cut off before the parser sees them, and
the connection is not used again, since nobody knows what those bytes were. The bytes that frame a
body are counted as well: between two chunks a server may write whatever it likes.
"""

from __future__ import annotations

import asyncio
import re
from typing import Any

from aiohttp.client_proto import ResponseHandler

MAX_EARLY = 1000  # answers of 1xx before the real one; honest servers send one or two
FRAMING = 1_000_000  # bytes that are not the body: all heads, and what stands between its chunks

_END_OF_HEAD = b"\r\n\r\n"
_FINAL = (b"HTTP/1.1 2", b"HTTP/1.1 3", b"HTTP/1.1 4", b"HTTP/1.1 5")
NO_BODY = frozenset({204, 304})
_WITHOUT_BODY = (b"HTTP/1.1 204", b"HTTP/1.1 304")
_FRAMING = re.compile(
    rb"\r\n(?:content-length:[ \t]*([0-9]{1,18})(?=\r\n)|transfer-encoding:[ \t]*(chunked)(?=\r\n)"
    rb"|content-length|transfer-encoding)",
    re.IGNORECASE,
)
"""Every header that says how long a body is; with the length or `chunked` where it is written plainly."""


class EarlyFloodError(ValueError):
    """The server says "wait" again and again."""


class WireFloodError(ValueError):
    """More came over the wire than the body may have, though it is not in the body."""


class LenientHandler(ResponseHandler):
    """A connection that knows how much of the announced body is still to come."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self.exchanges = 0
        """How many there were on this connection, the present one included."""
        self._in_head = True
        self._early = 0
        self._wire_left = FRAMING
        self._left: int | None = None
        """Bytes of the announced body still to come; None when no length was announced."""

    def set_response_params(self, **params: Any) -> None:
        """A new exchange begins: its length is not known yet."""
        self._in_head, self._left, self._early = True, None, 0
        self._wire_left = FRAMING
        self.exchanges += 1
        super().set_response_params(**params)

    def expect(self, size: int) -> None:
        """A body of so many bytes may come."""
        self._wire_left += size

    def feed_data(self, data: Any, size: int = 0) -> None:
        """A head was read; unless it only says "wait", the length of the body is known now."""
        message, _ = data
        if message.code >= 200:
            self._in_head, self._left = False, self._announced(message)
        else:
            self._early += 1
        if self._early > MAX_EARLY:
            self._give_up(EarlyFloodError())
            return
        super().feed_data(data, size)

    def data_received(self, data: bytes) -> None:
        """Bytes arrived; those beyond the announced body are dropped."""
        self._wire_left -= len(data)
        if self._wire_left < 0:
            self._give_up(WireFloodError())
            return
        if self._may_have_body() and (body := _harmless(data)) >= 0:
            super().data_received(data)
            if self._left is not None:
                self._left -= body
            return
        while self._in_head and self._parser is not None:
            end = data.find(_END_OF_HEAD) + len(_END_OF_HEAD)
            if not len(_END_OF_HEAD) <= end < len(data):
                break
            super().data_received(data[:end])
            data = data[end:]
        if self._left is None:
            super().data_received(data)
            return
        surplus = len(data) - self._left
        if surplus > 0:
            data = data[: self._left]
        self._left -= len(data)
        if data:
            super().data_received(data)
        if surplus > 0 and self.transport is not None:
            self.transport.close()

    def _may_have_body(self) -> bool:
        return self._in_head and self._parser is not None and not self._skip_payload

    def _give_up(self, error: ValueError) -> None:
        payload = self._payload
        if self.transport is not None:
            self.transport.close()
        self.set_exception(error)
        if payload is not None:
            payload.set_exception(error)
            self._payload = None  # or the end of the connection takes the reason's place

    def _announced(self, message: Any) -> int | None:
        if self._skip_payload or message.code in NO_BODY:
            return 0
        if message.chunked:
            return None
        length = message.headers.get("Content-Length", "")
        return int(length) if length.isascii() and length.isdigit() else None


def _harmless(data: bytes) -> int:
    """The bytes of body that came with a head, where they are beyond doubt no more than announced.

    -1 for everything else: that is handed to the parser head first, which costs a copy of it, and
    with pages of 100 KB a fifth of everything a page costs.
    """
    head = data.find(_END_OF_HEAD) if data.startswith(_FINAL) else -1
    if head < 0 or data.startswith(_WITHOUT_BODY):
        return -1
    body = len(data) - head - len(_END_OF_HEAD)
    framing: list[tuple[bytes, bytes]] = _FRAMING.findall(data, 0, head + 2)
    if len(framing) != 1:
        return -1
    length, chunked = framing[0]
    return body if chunked or (length and body <= int(length)) else -1
