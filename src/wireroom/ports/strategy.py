"""The shapes of outgoing traffic: Fetch, and the strategies behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from wireroom.model import Request, Response


class Fetch(Protocol):
    """Asks for one address, with all manners; a `dict` lookup is a perfectly good one in a test."""

    async def __call__(self, request: Request) -> Response:
        """The answer to the request; raises FetchError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop:
    """One request to one server, already judged: what to send, to which address, how much to take."""

    url: str
    method: str
    headers: tuple[tuple[str, str], ...]
    addresses: tuple[str, ...]
    """Checked by the guard; no other may be connected to."""
    port: int
    max_bytes: int
    deadline: timedelta
    take_start: bool = False
    """Whether the beginning of a larger body will do."""
    proxy: str = ""
    content: bytes = b""
    """What is sent along; nothing but a call to a service has any."""


class Strategy(Protocol):
    """Makes one hop: no redirects, no retries, no judgement of the answer."""

    async def hop(self, hop: Hop) -> Response:
        """The server's answer, decoded and within limits; raises FetchError."""
        ...

    async def close(self) -> None:
        """Closes its connections."""
        ...


@dataclass(frozen=True, slots=True)
class StrategyPlug:
    """A fetch strategy, chosen by name."""

    name: str
    open: Callable[[Mapping[str, str]], Strategy]
    """Takes the operator's options for it: names and values, as the settings give them."""
    extra: str = ""
    """The extra that has to be installed for it, if any."""
    pins: bool = True
    """Whether it connects to the checked address; if not, the operator must list each host."""
    proxied: bool = False
    """Whether it goes by way of the request's proxy; others never see a request that has one."""
    offline: bool = False
    """Whether it sends nothing at all, so that there is nothing to guard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsFile:
    """What an origin's robots.txt was when it was asked for; `body` is empty where there is none."""

    origin: str
    found: bool
    body: bytes = b""
    reason: str = ""
    asked_at: datetime


class RobotsStore(Protocol):
    """Where robots.txt files are kept from one process to the next, so that a day is a day."""

    def robots_file(self, origin: str) -> RobotsFile | None:
        """What is kept of the origin."""
        ...

    def save_robots_file(self, file: RobotsFile) -> None:
        """Keeps it in the place of what was kept."""
        ...
