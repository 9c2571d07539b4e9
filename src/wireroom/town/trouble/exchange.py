"""What a misbehaviour gets to work with: the request, its numbers, and the bare connection.

Knows aiohttp and nothing of the town. A misbehaviour is a function from `TroubleRequest` to a response;
one that wrote to the connection itself returns `exchange.done()`.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from aiohttp import web
from aiohttp.abc import AbstractStreamWriter

MAX_NUMBER = 2**31  # what a query may ask for; a test that wants more is mistaken


class _Done(web.StreamResponse):
    """Stands for an answer that went over the bare connection already."""

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        del request
        return None

    async def write_eof(self, data: bytes = b"") -> None:
        del data

    @property
    def keep_alive(self) -> bool | None:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class TroubleRequest:
    """One request for trouble."""

    request: web.BaseRequest
    times_before: int
    """How often this very target was asked for before."""
    now: datetime

    def number(self, name: str, default: int) -> int:
        """A number of the query."""
        text = self.request.query.get(name, "")
        return min(int(text), MAX_NUMBER) if text.isdecimal() else default

    def word(self, name: str, default: str) -> str:
        """A word of the query."""
        return self.request.query.get(name, default)

    async def send(self, data: bytes) -> None:
        """Writes bytes to the bare connection, waiting while the asker is slow."""
        await self.request.writer.write(data)

    async def send_head(self, *lines: str, status: str = "200 OK") -> None:
        """Writes a status line and header lines to the bare connection."""
        text = "\r\n".join((f"HTTP/1.1 {status}", *lines, "Connection: close", "", ""))
        await self.send(text.encode("latin-1"))

    def reset(self) -> web.StreamResponse:
        """Drops the connection without a farewell."""
        transport = self.request.transport
        if transport is not None:
            bare: socket.socket = transport.get_extra_info("socket")
            # Lingering for zero seconds makes the kernel send RST instead of FIN.
            bare.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            transport.abort()
        return self.done()

    def done(self) -> web.StreamResponse:
        """Says that everything was written; the connection closes."""
        return _Done()


Misbehave = Callable[[TroubleRequest], Awaitable[web.StreamResponse]]
M = TypeVar("M", bound=Misbehave)


@dataclass(frozen=True, slots=True)
class Trouble:
    """One row of the table: a path, what it does, and how."""

    path: str
    does: str
    run: Misbehave


def register(table: dict[str, Trouble], path: str, does: str) -> Callable[[M], M]:
    """Enters a function into a table of misbehaviours."""

    def enter(run: M) -> M:
        if path in table:
            raise ValueError(f"two misbehaviours at {path}")
        table[path] = Trouble(path, does, run)
        return run

    return enter
