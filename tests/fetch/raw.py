"""A server that says exactly the bytes it is given, for answers no HTTP library would write."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

NAME = "raw.test"
NO_ROBOTS = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
FLOOD = 4_000  # times an endless answer is repeated, where somebody reads it all
LAST_WORDS = 1.0  # seconds for what is still being said when the test has ended

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class RawServer:
    """Where it is, what was asked of it, and how much was said."""

    hosts: dict[str, str]
    asked: list[bytes] = field(default_factory=list)
    flooded: int = 0


@asynccontextmanager
async def raw_server(
    answers: Mapping[str, bytes], *, endless: Mapping[str, bytes] | None = None
) -> AsyncIterator[RawServer]:
    """Each path's bytes; after those of `endless`, more and more of what it says for the path."""
    server = RawServer({})

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                path = head.split()[1].decode()
                server.asked.append(head)
                writer.write(answers.get(path, NO_ROBOTS))
                more = (endless or {}).get(path, b"")
                for _ in range(FLOOD if more else 0):
                    writer.write(more)
                    server.flooded += len(more)
                    await writer.drain()
                await writer.drain()
                if b"Connection: close" in answers.get(path, b""):
                    break

    async with listening(serve) as where:
        server.hosts[NAME] = where
        yield server


@asynccontextmanager
async def listening(serve: Serve) -> AsyncIterator[str]:
    """Where it is served; whoever has left is let go before the end, so that no socket stays open."""
    served: set[asyncio.Task[None]] = set()

    async def serve_one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        served.add(task)
        try:
            await serve(reader, writer)
        finally:
            writer.close()

    server = await asyncio.start_server(serve_one, "127.0.0.1", 0)
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        if served:
            await asyncio.wait(served, timeout=LAST_WORDS)
