"""One exchange of HTTP/1.1 over a pool of connections: a head out, a head in, and a body to be read.

aiohttp opens, keeps and closes the connections and parses what comes; what goes out is written here.
Its own session makes a request, a response, cookies, redirects and timers for each page, which we
have no use for and which took a third of all the time a page cost. Knows no limit but that of heads.
"""

from __future__ import annotations

import asyncio
import re
from functools import partial
from typing import Any, NamedTuple, cast

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.http import RawResponseMessage
from aiohttp.streams import StreamReader
from yarl import URL

from wireroom.fetch.decode import MAX_HEADER_FIELDS
from wireroom.lru import LruCache
from wireroom.ports import Hop

MAX_FIELD = 16_384  # bytes of one header field; cookies and security policies are the longest
MAX_ORIGINS = 10_000  # origins remembered; the longest unused is forgotten and made anew
AFTER_SCHEME = len("https://")  # nothing of a path stands before this, or there is no host at all
EARLY = range(100, 200)  # "wait", sent before the answer
SWITCHED = 101  # nobody asked for another protocol: a server that switches sends no answer any more
REPEATABLE = frozenset({"GET", "HEAD"})  # asked twice, they do no harm

_PATH = re.compile("[/?#]")
_NO_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=None)  # the hop has a deadline
_READING: dict[str, Any] = {
    "read_until_eof": True,
    "auto_decompress": False,
    "max_line_size": MAX_FIELD,
    "max_field_size": MAX_FIELD,
    "max_headers": MAX_HEADER_FIELDS,
}


class Origin(NamedTuple):
    """What is the same for every page of an origin."""

    host: str
    start: int
    """Where the path begins in its addresses."""
    host_line: str
    asked: aiohttp.ClientRequest
    """By this the pool knows which connections lead there."""


class Incoming(NamedTuple):
    """An answer whose head is here; the connection is to be released or closed by who has it."""

    status: int
    raw_headers: tuple[tuple[bytes, bytes], ...]
    body: StreamReader
    connection: Connection
    protocol: LenientHandler


class ConnectionPool:
    """Connections by origin, and the exchanges over them."""

    def __init__(self, connector: aiohttp.TCPConnector) -> None:
        # aiohttp has no public way to cut a body that is longer than its Content-Length.
        factory = partial(LenientHandler, asyncio.get_running_loop())
        connector._factory = cast("partial[ResponseHandler]", factory)  # noqa: SLF001
        self._connector = connector
        self._origins: LruCache[str, Origin] = LruCache(MAX_ORIGINS)

    def origin(self, url: str) -> Origin:
        """The origin that the address belongs to; raises ValueError for no address."""
        path = _PATH.search(url, AFTER_SCHEME)
        start = url[: path.start()] if path else url
        known = self._origins.get(start)
        if known is None:
            known = self._origins[start] = _origin(start)
        return known

    async def ask(self, hop: Hop, origin: Origin) -> Incoming:
        """The head of the answer. A kept connection may have ended meanwhile: then a new one is taken."""
        head = _request_bytes(hop, origin)
        while True:
            connection = await self._connector.connect(origin.asked, [], _NO_TIMEOUT)
            protocol = cast("LenientHandler", connection.protocol)
            kept = protocol.exchanges > 0
            try:
                return await _exchange(hop, head, connection, protocol)
            except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError):
                connection.close()
                if not kept or hop.method not in REPEATABLE:
                    raise
            except BaseException:
                connection.close()
                raise

    async def close(self) -> None:
        """Closes every connection."""
        await self._connector.close()


async def _exchange(
    hop: Hop, head: bytes, connection: Connection, protocol: LenientHandler
) -> Incoming:
    transport = protocol.transport
    if transport is None or transport.is_closing():
        raise aiohttp.ServerDisconnectedError
    protocol.set_response_params(skip_payload=hop.method == "HEAD", **_READING)
    transport.write(head)
    while True:
        message: RawResponseMessage
        message, body = await protocol.read()
        if message.code not in EARLY or message.code == SWITCHED:
            return Incoming(message.code, message.raw_headers, body, connection, protocol)


def _origin(start: str) -> Origin:
    url = URL(f"{start}/", encoded=True)
    host, authority = url.raw_host, url.host_port_subcomponent
    if not host or not authority:
        raise ValueError("an address without a host")
    return Origin(host, len(start), f"Host: {authority}", aiohttp.ClientRequest("GET", url))


def _request_bytes(hop: Hop, origin: Origin) -> bytes:
    """What is sent: exactly the headers we are given, the host, and the length of what follows."""
    target = hop.url[origin.start :].partition("#")[0]
    if not target.startswith("/"):
        target = f"/{target}"
    lines = [f"{hop.method} {target} HTTP/1.1", origin.host_line]
    lines += [f"{name}: {value}" for name, value in hop.headers]
    if hop.content:
        lines.append(f"Content-Length: {len(hop.content)}")
    head = "\r\n".join(lines)
    breaks = len(lines) - 1
    if head.count("\n") != breaks or head.count("\r") != breaks or "\0" in head or " " in target:
        raise ValueError("a header or an address that would break the request apart")
    return f"{head}\r\n\r\n".encode() + hop.content


# Reads an answer whose body is longer than its Content-Length, as browsers do: the rest is cut.
#
# aiohttp hands everything that arrives together to its parser, which takes surplus bytes for a broken
# second answer and throws the whole away. Here they are cut off before the parser sees them, and
# the connection is not used again, since nobody knows what those bytes were. The bytes that frame a
# body are counted as well: between two chunks a server may write whatever it likes.

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
