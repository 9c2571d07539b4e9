"""Two tiny proxies on loopback that keep a diary: SOCKS5 (RFC 1928, 1929) and HTTP CONNECT."""

from __future__ import annotations

import asyncio
import base64
import ipaddress
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass
class Diary:
    """What a proxy was asked for."""

    port: int = 0
    tunnels: list[tuple[str, int]] = field(default_factory=list)
    """Where tunnels were asked to; a name shows up as a name."""
    logins: list[str] = field(default_factory=list)


@asynccontextmanager
async def socks5(login: str = "", *, to: tuple[str, int] | None = None) -> AsyncIterator[Diary]:
    """A SOCKS5 proxy; with `login` ("user:password") it lets nobody else through, all tunnels lead `to` a place."""
    diary = Diary()

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        _, count = await reader.readexactly(2)
        methods = await reader.readexactly(count)
        wanted = 2 if login else 0
        if wanted not in methods:
            writer.write(b"\x05\xff")
            return False
        writer.write(bytes([5, wanted]))
        return not login or await check_login(reader, writer)

    async def check_login(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        await reader.readexactly(1)
        user = await reader.readexactly((await reader.readexactly(1))[0])
        word = await reader.readexactly((await reader.readexactly(1))[0])
        diary.logins.append(f"{user.decode()}:{word.decode()}")
        good = diary.logins[-1] == login
        writer.write(bytes([1, not good]))
        return good

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not await greet(reader, writer):
            return
        _, _, _, kind = await reader.readexactly(4)
        if kind == 3:
            host = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
        else:
            host = str(ipaddress.ip_address(await reader.readexactly(4 if kind == 1 else 16)))
        port = int.from_bytes(await reader.readexactly(2), "big")
        diary.tunnels.append((host, port))
        try:
            there = await asyncio.open_connection(*(to or (host, port)))
        except OSError:
            writer.write(b"\x05\x05\x00\x01" + bytes(6))
            return
        writer.write(b"\x05\x00\x00\x01" + bytes(6))
        await _join((reader, writer), there)

    async with _serving(serve, diary):
        yield diary


@asynccontextmanager
async def http_connect(login: str = "") -> AsyncIterator[Diary]:
    """An HTTP proxy that knows CONNECT alone."""
    diary = Diary()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        method, target, _ = head.split(" ", 2)
        host, _, port = target.rpartition(":")
        diary.tunnels.append((host.strip("[]"), int(port)))
        if login:
            word = head.partition("Basic ")[2].partition("\r\n")[0]
            diary.logins.append(base64.b64decode(word).decode())
            if diary.logins[-1] != login:
                writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
                return
        assert method == "CONNECT"
        try:
            there = await asyncio.open_connection(host.strip("[]"), int(port))
        except OSError:
            writer.write(b"HTTP/1.1 502 Bad Gateway\r\n\r\n")
            return
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await _join((reader, writer), there)

    async with _serving(serve, diary):
        yield diary


@asynccontextmanager
async def _serving(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]], diary: Diary
) -> AsyncIterator[None]:
    tasks: set[asyncio.Task[None]] = set()

    async def serve_one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                await serve(reader, writer)
                await writer.drain()
        finally:
            writer.close()
            tasks.discard(task)

    server = await asyncio.start_server(serve_one, "127.0.0.1", 0)
    diary.port = server.sockets[0].getsockname()[1]
    try:
        yield
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _join(streams: Streams, other: Streams) -> None:
    """Passes bytes both ways until both sides have ended."""
    try:
        await asyncio.gather(_pass(streams[0], other[1]), _pass(other[0], streams[1]))
    finally:
        other[1].close()


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while piece := await reader.read(65_536):
            writer.write(piece)
            await writer.drain()
        writer.close()
