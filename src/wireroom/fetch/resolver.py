"""Asks DNS, off the event loop, and remembers the answer for a minute.

The answer is only material for the guard: what it returns has not been judged yet.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from threading import Thread

from wireroom.errors import UnreachableError
from wireroom.lru import LruCache

KEPT_FOR = 60.0  # seconds; shorter than any sensible change of address
MAX_NAMES = 20_000  # remembered; the longest unused is forgotten
MAX_ADDRESSES = 16  # of one name; CDNs give eight
ASKED_AT_ONCE = 32  # look-ups block a thread each; one slow server must not stop the others

Addresses = tuple[str, ...]


class Resolver:
    """A resolver with a short memory; each name is asked for once at a time."""

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(ASKED_AT_ONCE)
        self._known: LruCache[str, tuple[float, Addresses]] = LruCache(MAX_NAMES)
        self._asking: dict[str, asyncio.Task[Addresses]] = {}

    def known(self, host: str) -> Addresses | None:
        """The last answer for the host while it is fresh: the same object until it is asked anew."""
        known = self._known.get(host)
        if known is None or known[0] <= asyncio.get_running_loop().time():
            return None
        return known[1]

    async def resolve(self, host: str, *, url: str, deadline: float) -> Addresses:
        """Every address of the host; raises UnreachableError (dns)."""
        known = self.known(host)
        if known is not None:
            return known
        now = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(deadline):
                addresses = await asyncio.shield(self._ask(host))
        except TimeoutError as exc:
            raise UnreachableError(url, f"DNS did not answer for {host}", kind="dns") from exc
        except (OSError, UnicodeError) as exc:
            raise UnreachableError(url, f"{host}: {_describe(exc)}", kind="dns") from exc
        self._known[host] = (now + KEPT_FOR, addresses)
        return addresses

    async def close(self) -> None:
        """Waits for no answer any more; a look-up under way ends by itself."""
        asking = list(self._asking.values())
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    def _ask(self, host: str) -> asyncio.Task[Addresses]:
        asking = self._asking.get(host)
        if asking is None:
            asking = asyncio.create_task(self._look_up(host))
            self._asking[host] = asking
            asking.add_done_callback(lambda done: self._forget(host, done))
        return asking

    async def _look_up(self, host: str) -> Addresses:
        async with self._slots:
            return await _in_thread(lambda: _addresses(host))

    def _forget(self, host: str, done: asyncio.Task[Addresses]) -> None:
        self._asking.pop(host, None)
        if not done.cancelled():
            done.exception()  # looked at, so that nobody complains when all waiters have left


async def _in_thread(look_up: Callable[[], Addresses]) -> Addresses:
    """What `look` returns. The thread is a daemon: a silent DNS server must not delay our end."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Addresses] = loop.create_future()

    def work() -> None:
        try:
            found = look_up()
        except Exception as exc:  # noqa: BLE001 - handed over to whoever waits
            _hand_over(loop, answer, exc)
        else:
            _hand_over(loop, answer, found)

    Thread(target=work, name="dns", daemon=True).start()
    return await answer


def _hand_over(
    loop: asyncio.AbstractEventLoop,
    answer: asyncio.Future[Addresses],
    outcome: Addresses | Exception,
) -> None:
    def give() -> None:
        if answer.done():
            return
        if isinstance(outcome, Exception):
            answer.set_exception(outcome)
        else:
            answer.set_result(outcome)

    if not loop.is_closed():
        try:
            loop.call_soon_threadsafe(give)
        except RuntimeError:  # closed in this very moment: nobody waits any more
            return


def _addresses(host: str) -> Addresses:
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    addresses = dict.fromkeys(str(entry[4][0]) for entry in found)
    return tuple(addresses)[:MAX_ADDRESSES]


def _describe(exc: Exception) -> str:
    if isinstance(exc, socket.gaierror):
        return "DNS fails for now" if exc.errno == socket.EAI_AGAIN else "no such host"
    return " ".join(str(exc).split())[:100]
