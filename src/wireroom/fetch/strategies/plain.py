"""Fetch by plain HTTP, under our own name: the default strategy, on aiohttp.

Connects only to the addresses the guard has checked: names are never resolved here. One hop, no
redirects, no cookies, no proxy from the environment. The option `ca_file` adds certificates to trust.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections import OrderedDict
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.http_exceptions import HttpProcessingError, LineTooLong

from wireroom.errors import FetchError, SettingsError, TooLargeError, UnreachableError
from wireroom.fetch.decode import MAX_HEADER_FIELDS, check_headers, collect, spoils
from wireroom.fetch.http1 import (
    FRAMING,
    MAX_EARLY,
    MAX_FIELD,
    NO_BODY,
    ConnectionPool,
    EarlyFloodError,
    Incoming,
    WireFloodError,
)
from wireroom.fetch.response_errors import name_of, value_of
from wireroom.lru import LruCache
from wireroom.model import Response
from wireroom.ports import Hop, StrategyPlug

KEEP_ALIVE = 15.0  # seconds an idle connection stays open: a scout's next request comes sooner
MAX_IDLE = 600  # connections kept open at once; with those in use below the usual 1,024 files
CUT_AT = 0.9  # of the deadline, after which the part of a body that came is taken where it will do
FOREIGN = (aiohttp.ClientError, HttpProcessingError, OSError, ValueError)
"""What the library raises; TimeoutError and ssl.SSLError are OSErrors."""


class PlainHttp:
    """A pool of connections to checked addresses."""

    name = "plain"

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        self._trust = _trusting((options or {}).get("ca_file", ""))
        self._pins = Pins()
        self._idle: OrderedDict[str, float] = OrderedDict()
        self._pool: ConnectionPool | None = None

    async def hop(self, hop: Hop) -> Response:
        """The server's answer, decoded and within limits."""
        started = monotonic()
        try:
            async with asyncio.timeout(hop.deadline.total_seconds()):
                return await self._exchange(hop, started)
        except FOREIGN as exc:
            raise _translated(hop.url, exc) from exc

    async def close(self) -> None:
        """Closes every connection."""
        if self._pool is not None:
            await self._pool.close()
            self._pool = None

    async def _exchange(self, hop: Hop, started: float) -> Response:
        until = _until(hop)
        pool = self._pool or self._open()
        origin = pool.origin(hop.url)
        self._pins.pin(origin.host, hop.addresses, hop.port)
        answer = await pool.ask(hop, origin)
        keep = False
        try:
            headers = _headers(answer)
            body, truncated = await _body(hop, answer, headers, until)
            keep = not truncated and self._may_idle(origin.host)
        finally:
            answer.connection.release() if keep else answer.connection.close()
        return Response(
            url=hop.url,
            final_url=hop.url,
            status=answer.status,
            headers=headers,
            body=body,
            truncated=truncated,
            fetched_at=datetime.now(UTC),
            elapsed=timedelta(seconds=monotonic() - started),
            strategy=self.name,
        )

    def _connector(self) -> aiohttp.TCPConnector:
        return aiohttp.TCPConnector(
            resolver=self._pins,
            use_dns_cache=False,
            limit=0,  # the rate limiter limits
            keepalive_timeout=KEEP_ALIVE,
            socket_factory=self._pins.open_socket,
            ssl=self._trust,
        )

    def _open(self) -> ConnectionPool:
        self._pool = ConnectionPool(self._connector())
        return self._pool

    def _may_idle(self, host: str) -> bool:
        """Whether the connection may stay open; many hosts in a row must not eat all sockets."""
        now = monotonic()
        while self._idle and next(iter(self._idle.values())) < now - KEEP_ALIVE:
            self._idle.popitem(last=False)
        if host not in self._idle and len(self._idle) >= MAX_IDLE:
            return False
        self._idle[host] = now
        self._idle.move_to_end(host)
        return True


class Pins(AbstractResolver):
    """The checked addresses of each host; whatever is not pinned cannot be connected to."""

    MAX_HOSTS = 10_000  # remembered pins; each hop pins anew, so forgetting costs nothing

    def __init__(self) -> None:
        self._pins: LruCache[str, tuple[tuple[str, ...], int]] = LruCache(self.MAX_HOSTS)
        self._allowed: LruCache[tuple[str, int], bool] = LruCache(self.MAX_HOSTS)

    def pin(self, host: str, addresses: tuple[str, ...], port: int) -> None:
        """Lets the host be reached at these addresses and this port, and nowhere else."""
        if self._pins.get(host) != (addresses, port):
            self._pins[host] = (addresses, port)
        for address in addresses:
            self._allowed[address, port] = True

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The pinned addresses; aiohttp's own idea of the port gives way to ours."""
        addresses, pinned_port = self._pins.get(host) or ((), port)
        if not addresses:
            raise OSError(None, f"{host} has not been checked")
        return [
            ResolveResult(
                hostname=host, host=address, port=pinned_port, family=family, proto=0, flags=0
            )
            for address in addresses
        ]

    def open_socket(self, info: tuple[Any, ...]) -> socket.socket:
        """A socket for a checked address; the last look before anything leaves the machine."""
        family, kind, proto, _, where = info
        if (where[0], where[1]) not in self._allowed:
            raise OSError(None, f"{where[0]} port {where[1]} has not been checked")
        return socket.socket(family, kind, proto)

    async def close(self) -> None:
        """Forgets the pins."""
        self._pins.clear()


def _trusting(ca_file: str) -> ssl.SSLContext | bool:
    """The usual trust; with `ca_file`, in those certificates as well."""
    if not ca_file:
        return True
    context = ssl.create_default_context()
    try:
        context.load_verify_locations(ca_file)
    except OSError as exc:
        raise SettingsError([f"ca_file {ca_file!r} cannot be read: {exc.strerror}."]) from exc
    return context


def _until(hop: Hop) -> float | None:
    """When the body is cut, where a part of it will do."""
    if not hop.partial:
        return None
    return asyncio.get_running_loop().time() + CUT_AT * hop.deadline.total_seconds()


async def _body(
    hop: Hop, answer: Incoming, headers: tuple[tuple[str, str], ...], until: float | None
) -> tuple[bytes, bool]:
    """The body, decoded and within limits, and whether it is less than was sent."""
    try:
        check_headers(hop, headers)
        if hop.method == "HEAD":
            return b"", False
        answer.protocol.expect(hop.max_bytes)
        return await collect(hop, headers, answer.body, until=until)
    except (FetchError, aiohttp.ClientPayloadError) as error:
        if spoils(error, answer.status):
            raise
        return b"", answer.status not in NO_BODY


def _headers(answer: Incoming) -> tuple[tuple[str, str], ...]:
    return tuple(
        [(name := name_of(raw), value_of(name, value)) for raw, value in answer.raw_headers]
    )


def _translated(url: str, exc: Exception) -> FetchError:
    """A foreign error as ours, with the word of the vocabulary that fits."""
    if isinstance(exc, TimeoutError):
        return UnreachableError(url, "no answer in time", kind="timeout")
    if isinstance(exc, (aiohttp.ClientConnectorCertificateError, aiohttp.ClientConnectorSSLError)):
        return UnreachableError(url, f"TLS: {_describe(exc)}", kind="tls")
    if isinstance(exc, aiohttp.ClientConnectorError):
        return UnreachableError(url, f"could not connect: {_describe(exc)}", kind="connect")
    if isinstance(exc, aiohttp.ServerDisconnectedError):
        return UnreachableError(url, "the server closed the connection", kind="connect")
    if isinstance(exc, OSError):
        return UnreachableError(url, f"connection lost: {_describe(exc)}", kind="connect")
    if isinstance(exc, aiohttp.ClientPayloadError):
        return FetchError(url, "the body ended too early", kind="bad_response")
    return _not_understood(url, exc)


def _not_understood(url: str, exc: Exception) -> FetchError:
    message = _describe(exc)
    if isinstance(exc, EarlyFloodError):
        return TooLargeError(url, "max_early", MAX_EARLY, unit="answers of 1xx")
    if isinstance(exc, WireFloodError):
        return TooLargeError(url, "max_framing", FRAMING)
    if "Too many headers" in message:
        return TooLargeError(url, "max_header_fields", MAX_HEADER_FIELDS, unit="fields")
    if isinstance(exc.__cause__, LineTooLong):
        return TooLargeError(url, "max_header_field", MAX_FIELD)
    return FetchError(url, f"not understood: {message}", kind="bad_response")


def _describe(exc: Exception) -> str:
    """One line of a foreign message, without what a server put into it beyond reason."""
    if isinstance(exc, HttpProcessingError):
        return " ".join(exc.message.split())[:200]
    cause = exc.os_error if isinstance(exc, aiohttp.ClientConnectorError) else exc
    message = cause.strerror if isinstance(cause, OSError) and cause.strerror else str(cause)
    return " ".join(message.split())[:200] or type(exc).__name__


PLUG = StrategyPlug("plain", open=PlainHttp)
