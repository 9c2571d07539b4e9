"""Asks DNS, off the event loop, and remembers the answer for a minute.

The answer is only material for the guard: what it returns has not been judged yet.
"""

from __future__ import annotations

import asyncio
import socket
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor

from wireroom.errors import UnreachableError

__all__ = ["Names"]

KEPT_FOR = 60.0  # seconds; shorter than any sensible change of address
MAX_NAMES = 20_000  # remembered; the longest unused is forgotten
MAX_ADDRESSES = 16  # of one name; CDNs give eight
ASKED_AT_ONCE = 32  # look-ups block a thread each; one slow server must not stop the others


class Names:
    """A resolver with a short memory; each name is asked for once at a time."""

    def __init__(self) -> None:
        self._threads: ThreadPoolExecutor | None = None
        self._known: OrderedDict[str, tuple[float, tuple[str, ...]]] = OrderedDict()
        self._asking: dict[str, asyncio.Future[tuple[str, ...]]] = {}

    async def resolve(self, host: str, *, url: str, deadline: float) -> tuple[str, ...]:
        """Every address of the host; raises UnreachableError (dns)."""
        now = asyncio.get_running_loop().time()
        known = self._known.get(host)
        if known is not None and known[0] > now:
            return known[1]
        try:
            async with asyncio.timeout(deadline):
                addresses = await asyncio.shield(self._ask(host))
        except TimeoutError as exc:
            raise UnreachableError(url, f"DNS did not answer for {host}", kind="dns") from exc
        except (OSError, UnicodeError) as exc:
            raise UnreachableError(url, f"{host}: {_told(exc)}", kind="dns") from exc
        self._known[host] = (now + KEPT_FOR, addresses)
        self._known.move_to_end(host)
        while len(self._known) > MAX_NAMES:
            self._known.popitem(last=False)
        return addresses

    def close(self) -> None:
        """Lets the threads go; a look-up under way ends by itself."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
            self._threads = None

    def _ask(self, host: str) -> asyncio.Future[tuple[str, ...]]:
        asking = self._asking.get(host)
        if asking is None:
            if self._threads is None:
                self._threads = ThreadPoolExecutor(ASKED_AT_ONCE, thread_name_prefix="dns")
            loop = asyncio.get_running_loop()
            asking = loop.run_in_executor(self._threads, _look_up, host)
            self._asking[host] = asking
            asking.add_done_callback(lambda done: self._forget(host, done))
        return asking

    def _forget(self, host: str, done: asyncio.Future[tuple[str, ...]]) -> None:
        self._asking.pop(host, None)
        if not done.cancelled():
            done.exception()  # looked at, so that nobody complains when all waiters have left


def _look_up(host: str) -> tuple[str, ...]:
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    addresses = dict.fromkeys(str(entry[4][0]) for entry in found)
    return tuple(addresses)[:MAX_ADDRESSES]


def _told(exc: Exception) -> str:
    return "no such host" if isinstance(exc, socket.gaierror) else " ".join(str(exc).split())[:100]
