"""A host held while it is asked, for whoever asks beside a run: a scout's visit, a walk over sitemaps.

The lease is on the host, and one process holds it at a time: so manners hold over all processes of a database.
Who has to wait too long is told why, and for how long it may be.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from wireroom.app.visit_log import NEVER, StoreExecutor, call_directly
from wireroom.errors import FetchError
from wireroom.model import Request, Response
from wireroom.poll.rate_text import duration_words
from wireroom.ports import Fetch
from wireroom.urls import host_of

if TYPE_CHECKING:
    from wireroom.app.application import App

LEASE = timedelta(minutes=2)  # renewed on the way; a dead process's host comes back then
LOOK_AGAIN = 0.2  # seconds between two looks whether another process is done with a host
WORTH_WAITING = timedelta(
    seconds=65
)  # the longest Crawl-delay, and what a run has in hand as a rule
SCOUT = "scout"  # how the holder of a visit is called: it ends, and what it finds is shared


class HostLease:
    """A `Fetch` that holds its host: taken before the first request, given back at the end.

    Without a holder somebody else does that.
    """

    def __init__(
        self, app: App, fetch: Fetch, host: str, holder: str, through: StoreExecutor = call_directly
    ) -> None:
        self._app = app
        self._fetch = fetch
        self._host = host
        self._holder = holder
        self._through = through
        self._held = False
        self._renew_at = NEVER
        self._waited_from = 0.0

    async def __call__(self, request: Request) -> Response:
        """The answer, once the host is ours; FetchError when it will not be soon."""
        while not await self.take():
            await self.wait()
        return await self._fetch(request)

    async def take(self) -> bool:
        """Whether the host is ours now; a lease that is half over is renewed."""
        if not self._holder:
            return True
        now = self._app.clock()
        if not self._held or now >= self._renew_at:
            taking = partial(self._app.store.take_host, self._host, lease=LEASE)
            self._held = await self._through(lambda: taking(holder=self._holder, now=now))
            self._renew_at = now + LEASE / 2
        if self._held:
            self._waited_from = 0.0
        return self._held

    async def wait(self) -> None:
        """A moment, after which it may be free; FetchError when that is not to be expected soon."""
        self._waited_from = self._waited_from or monotonic()
        now = self._app.clock()
        holder, left = await self._through(lambda: self._app.store.host_lease(self._host, now=now))
        if not holder:
            refuse_long_rest(self._host, left, most=WORTH_WAITING)
        elif not holder.startswith(SCOUT):
            self._refuse_long_work()
        await asyncio.sleep(LOOK_AGAIN)

    def _refuse_long_work(self) -> None:
        if monotonic() - self._waited_from > WORTH_WAITING.total_seconds():
            raise FetchError(
                f"http://{self._host}/",
                "another process on this database is at work there, and has been for a minute",
                kind="throttled",
                hint="Try again when its `wireroom run` is done there.",
            )

    async def give_back(self, rest: timedelta) -> None:
        """Lets others have the host, after a rest."""
        if self._held:
            giving = partial(self._app.store.release, hosts=[self._host], rest=rest)
            now = self._app.clock()
            await self._through(lambda: giving(holder=self._holder, now=now))
            self._held = False


class LeasedFetch:
    """A `Fetch` that holds every host it asks, from the first request until `give_back`."""

    def __init__(
        self, app: App, fetch: Fetch, holder: str, *, rest_of: Callable[[str], timedelta] | None
    ) -> None:
        """`rest_of` says how long a host is to be left alone afterwards."""
        self._app = app
        self._fetch = fetch
        self._holder = holder
        self._rest_of = rest_of
        self._leases: dict[str, HostLease] = {}

    async def __call__(self, request: Request) -> Response:
        """The answer, once the host of the request is ours."""
        host = host_of(request.url)
        if host not in self._leases:
            self._leases[host] = HostLease(self._app, self._fetch, host, self._holder)
        return await self._leases[host](request)

    async def give_back(self) -> None:
        """Lets others have all hosts that were asked."""
        for host, lease in self._leases.items():
            await lease.give_back(self._rest_of(host) if self._rest_of is not None else timedelta())
        self._leases.clear()


def refuse_long_rest(host: str, rest: timedelta, *, most: timedelta) -> None:
    """Raises FetchError where a host rests for longer than it is worth waiting for."""
    if rest > most:
        raise FetchError(
            f"http://{host}/",
            f"its server asked to be left alone for another {duration_words(rest)}",
            kind="throttled",
            retry_after=rest,
            hint="Try again then.",
        )
