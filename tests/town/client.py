"""A client of bare sockets: sees exactly what the town sends, well-formed or not."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass

from wireroom.town import Running

TIMEOUT = 10.0
MAX_RECEIVED = 4 * 2**20  # enough for every page; a flood is cut here


@dataclass(frozen=True)
class Raw:
    """The bytes that came, and how the connection ended."""

    data: bytes
    ended: str
    """closed, reset, timeout or enough."""


@dataclass(frozen=True)
class Reply:
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    ended: str

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key == name.lower()), "")

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key == name.lower()]

    @property
    def text(self) -> str:
        return self.body.decode()


def exchange(
    running: Running,
    host: str,
    target: str,
    *,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    timeout: float = TIMEOUT,
    most: int = MAX_RECEIVED,
) -> Raw:
    """One request on a connection of its own; everything that came back, as it came."""
    fields = {"Host": host, "Connection": "close", **(headers or {})}
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {fields[name]}" for name in fields)]
    received = bytearray()
    with socket.create_connection(running.address(host), timeout=timeout) as link:
        link.sendall("\r\n".join([*lines, "", ""]).encode())
        try:
            while len(received) < most:
                piece = link.recv(2**16)
                if not piece:
                    return Raw(bytes(received), "closed")
                received += piece
        except ConnectionResetError:
            return Raw(bytes(received), "reset")
        except TimeoutError:
            return Raw(bytes(received), "timeout")
    return Raw(bytes(received), "enough")


def ask(
    running: Running,
    host: str,
    target: str = "/",
    *,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """One request; its answer taken apart, the body left as it was sent."""
    raw = exchange(running, host, target, method=method, headers=headers)
    head, _, body = raw.data.partition(b"\r\n\r\n")
    status_line, *lines = head.decode("latin-1").split("\r\n")
    fields = (line.partition(":") for line in lines)
    return Reply(
        status=int(status_line.split(" ")[1]),
        headers=tuple((name.lower(), value.strip()) for name, _, value in fields),
        body=body,
        ended=raw.ended,
    )
