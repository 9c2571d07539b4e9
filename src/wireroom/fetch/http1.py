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

from wireroom.fetch.collect import MAX_HEADER_FIELDS
from wireroom.fetch.lenient_body import LenientHandler
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
