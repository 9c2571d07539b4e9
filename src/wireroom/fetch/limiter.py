"""The rate limiter: gives out permits as hosts come due, on a running event loop.

One limiter serves every request of the process, whatever its purpose. It wakes by one timer for
the next host that comes due and holds no task of its own.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta

from wireroom.errors import FetchError
from wireroom.fetch.fetch_options import Manners
from wireroom.fetch.host_schedule import Cooldown, Ending, HostSchedule, Permit
from wireroom.model import Purpose

log = logging.getLogger(__name__)


_Waiter = asyncio.Future[Permit["_Waiter"]]
HostPermit = Permit[_Waiter]
"""One request's permit to ask its host; to be given back with `RateLimiter.release`."""


class RateLimiter:
    """The host schedule with a clock and a limit over all hosts."""

    def __init__(self, manners: Manners) -> None:
        self._schedule: HostSchedule[_Waiter] = HostSchedule(
            manners, is_live=lambda waiter: not waiter.done()
        )
        self._free = manners.concurrency
        self._paused = False
        self._timer: asyncio.TimerHandle | None = None

    async def acquire(
        self, url: str, *, host: str, purpose: Purpose, address: str = ""
    ) -> HostPermit:
        """A permit, once the host is due; raises FetchError at once when it rests too long."""
        loop = asyncio.get_running_loop()
        waiter: _Waiter = loop.create_future()
        cooldown = self._schedule.put(
            waiter, host=host, purpose=purpose, now=loop.time(), address=address
        )
        if cooldown is not None:
            raise _cooling_down(url, host, cooldown)
        self._pump()
        try:
            permit = await waiter
        except _ShedError as shed:
            raise _cooling_down(url, host, shed.cooldown) from None
        except asyncio.CancelledError:
            # The permit may have been given in the same moment: return it unused.
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self.release(waiter.result(), ending="unsent")
            raise
        if permit.reason and log.isEnabledFor(logging.DEBUG):
            details = {"url": url, "seconds": permit.waited.total_seconds(), "why": permit.reason}
            log.debug("waited", extra=details)
        return permit

    def release(
        self, permit: HostPermit, *, ending: Ending, retry_after: timedelta | None = None
    ) -> None:
        """Returns a permit, with what is known of how the request went."""
        self._free += 1
        shed = self._schedule.done(permit, now=self._now(), ending=ending, retry_after=retry_after)
        for waiter, cooldown in shed:
            waiter.set_exception(_ShedError(cooldown))
        self._pump()

    def slow_down(self, host: str, delay: timedelta) -> None:
        """Takes the Crawl-delay of a host's robots.txt as its gap."""
        self._schedule.slow_down(host, delay, now=self._now())
        self._pump()

    def pace(self, host: str) -> str:
        """Why the host is asked more slowly than others; empty when it is not."""
        return self._schedule.pace(host)

    def rest_of(self, host: str) -> timedelta:
        """For how long the host is to be left alone from now on."""
        return self._schedule.rest_of(host, now=self._now())

    def gap_of(self, host: str) -> timedelta:
        """What lies between two requests to this host."""
        return self._schedule.gap_of(host)

    def scout_gap_of(self, host: str) -> timedelta:
        """What lies between two requests of a scout to this host."""
        return self._schedule.scout_gap_of(host, now=self._now())

    def forgive(self) -> None:
        """Forgets failed connections: they were our own network's fault."""
        self._schedule.forgive(now=self._now())
        self._pump()

    def pause(self, paused: bool) -> None:
        """Gives out no permit while paused; what is under way goes on."""
        self._paused = paused
        if not paused:
            self._pump()

    def close(self) -> None:
        """Stops the timer; requests still waiting are their callers' to cancel."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # --- inside ---------------------------------------------------------------------------------

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()

    def _pump(self) -> None:
        """Gives out every permit that is due, then sets the timer for the next."""
        if self._paused or self._free <= 0:
            return
        now = self._now()
        while self._free > 0 and (permit := self._schedule.take(now)) is not None:
            self._free -= 1
            permit.item.set_result(permit)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        wait = self._schedule.wait(now) if self._free > 0 else None
        if wait is not None:
            self._timer = asyncio.get_running_loop().call_later(wait, self._pump)


class _ShedError(Exception):
    def __init__(self, cooldown: Cooldown) -> None:
        super().__init__(cooldown.reason)
        self.cooldown = cooldown


def _cooling_down(url: str, host: str, cooldown: Cooldown) -> FetchError:
    seconds = cooldown.wait.total_seconds()
    return FetchError(
        url,
        f"{host} rests for {seconds:.0f} s: {cooldown.reason}",
        kind=cooldown.kind,
        retry_after=cooldown.wait,
    )
