"""Asks DNS, off the event loop, and remembers the answer for a minute.

The answer is only material for the guard: what it returns has not been judged yet.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from datetime import timedelta
from threading import Thread
from time import monotonic
from typing import NamedTuple

from wireroom.errors import RefusedError, UnreachableError
from wireroom.fetch.fetch_options import FetchOptions
from wireroom.fetch.guard import judge_answer, judge_form, refuse_odd
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


# Where an address is asked: what the guard said of its origin, remembered while that holds.
#
# The guard's verdict on scheme, host and port is the same for every page of an origin, so it is given
# once; what can differ from page to page is looked at on every hop. A verdict on addresses that came
# from DNS ends with that answer: with the next one the guard is asked anew.

MAX_ORIGINS = 20_000  # remembered; the longest known is forgotten and judged anew
_AUTHORITY = len("https://")  # the path begins after this, or there is no host at all


class Endpoint(NamedTuple):
    """An origin that may be asked, at exactly these addresses."""

    origin: str
    host: str
    authority: str
    """The host, with `:port` only where it is not the scheme's own."""
    addresses: tuple[str, ...]
    port: int
    answer: tuple[str, ...]
    """What DNS said, by which it was judged; empty where DNS was not asked."""
    pinned: str
    """What `hosts` said of it; empty where it says nothing."""


class Endpoints:
    """The guard with a memory, for the settings of one process."""

    def __init__(self, options: FetchOptions, resolver: Resolver) -> None:
        self._options = options
        self._resolver = resolver
        self._known: LruCache[str, Endpoint] = LruCache(MAX_ORIGINS)

    def known(self, url: str) -> Endpoint | None:
        """The endpoint of this address, if its origin was judged and that still holds."""
        refuse_odd(url)
        endpoint = self._known.get(_upto_path(url))
        if endpoint is None or self._options.hosts.get(endpoint.host, "") != endpoint.pinned:
            return None
        if not endpoint.answer or self._resolver.known(endpoint.host) is endpoint.answer:
            return endpoint
        return None

    async def find(self, url: str, left: timedelta, *, pins: bool) -> tuple[Endpoint, timedelta]:
        """Where to connect, and the time it took to find out; raises RefusedError."""
        started = monotonic()
        options = self._options
        target = judge_form(
            url, allow_private=options.allow_private, hosts=options.hosts, ports=options.ports
        )
        self.refuse_unpinned(url, target.host, pins=pins)
        answer: tuple[str, ...] = ()
        if not target.addresses:
            answer = await self._resolver.resolve(
                target.host, url=url, deadline=left.total_seconds()
            )
        checked = judge_answer(target, target.addresses or answer)
        endpoint = Endpoint(
            checked.origin,
            checked.host,
            checked.authority,
            checked.addresses,
            checked.port,
            answer,
            options.hosts.get(checked.host, ""),
        )
        if start := _upto_path(url):
            self._known[start] = endpoint
        return endpoint, timedelta(seconds=monotonic() - started)

    def refuse_unpinned(self, url: str, host: str, *, pins: bool) -> None:
        """Refuses a host to a strategy that resolves names by itself, unless the operator lists it."""
        if not pins and host not in self._options.unpinned:
            message = "the strategy would resolve the name by itself"
            raise RefusedError(url, message, hint=f"List {host!r} in fetch.unpinned.")


def _upto_path(url: str) -> str:
    """The address as written up to its path: what the guard's verdict depends on; empty without one."""
    end = url.find("/", _AUTHORITY)
    return url[:end] if end > 0 else ""
