"""Where an address is asked: what the guard said of its origin, remembered while that holds.

The guard's verdict on scheme, host and port is the same for every page of an origin, so it is given
once; what can differ from page to page is looked at on every hop. A verdict on addresses that came
from DNS ends with that answer: with the next one the guard is asked anew.
"""

from __future__ import annotations

from datetime import timedelta
from time import monotonic
from typing import NamedTuple

from wireroom.errors import RefusedError
from wireroom.fetch.fetch_options import FetchOptions
from wireroom.fetch.guard import judge_answer, judge_form, refuse_odd
from wireroom.fetch.resolver import Resolver
from wireroom.lru import LruCache

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
