"""Lets requests through the gate as their turn comes: the gate's rules on a running event loop.

One doorman serves every request of the process, whatever its purpose. It wakes by one timer for
the next host that comes due and holds no task of its own.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from datetime import timedelta

from wireroom.errors import FetchError
from wireroom.fetch.gate import Ending, Gate, Rest, Turn
from wireroom.fetch.manners import Manners
from wireroom.model import Purpose

__all__ = ["Doorman", "Pass"]

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Pass:
    """One request's leave to ask its host; whoever holds it says how it ended."""

    host: str
    waited: timedelta
    reason: str
    ending: Ending = "unsent"
    retry_after: timedelta | None = None


_Waiter = asyncio.Future[Turn["_Waiter"]]


class Doorman:
    """The gate, with a clock and a limit over all hosts."""

    def __init__(self, manners: Manners) -> None:
        self._gate: Gate[_Waiter] = Gate(manners, is_live=lambda waiter: not waiter.done())
        self._free = manners.concurrency
        self._paused = False
        self._timer: asyncio.TimerHandle | None = None

    def turn(self, url: str, *, host: str, purpose: Purpose, address: str = "") -> _Turnstile:
        """Waits for the host's turn; raises FetchError at once when the host rests too long."""
        return _Turnstile(self, url, host, purpose, address)

    def slow_down(self, host: str, delay: timedelta) -> None:
        """Takes the Crawl-delay of a host's robots.txt as its gap."""
        self._gate.slow_down(host, delay, now=self._now())
        self._pump()

    def forgive(self) -> None:
        """Forgets failed connections: they were our own network's fault."""
        self._gate.forgive(now=self._now())
        self._pump()

    def pause(self, paused: bool) -> None:
        """Gives out no turn while paused; what is under way goes on."""
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

    async def wait(self, url: str, host: str, purpose: Purpose, address: str) -> Turn[_Waiter]:
        """The turn, once it has come; whoever gets it ends it."""
        waiter: _Waiter = asyncio.get_running_loop().create_future()
        rest = self._gate.put(waiter, host=host, purpose=purpose, now=self._now(), address=address)
        if rest is not None:
            raise _resting(url, host, rest)
        self._pump()
        try:
            return await waiter
        except _ShedError as shed:
            raise _resting(url, host, shed.rest) from None
        except asyncio.CancelledError:
            # The turn may have been given in the same moment: hand it back unused.
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self.end(waiter.result(), Pass(host, timedelta(), ""))
            raise

    def end(self, turn: Turn[_Waiter], leave: Pass) -> None:
        """Gives a turn back, with what is known of how it went."""
        self._free += 1
        shed = self._gate.done(
            turn, now=self._now(), ending=leave.ending, retry_after=leave.retry_after
        )
        for waiter, rest in shed:
            waiter.set_exception(_ShedError(rest))
        self._pump()

    def _pump(self) -> None:
        """Gives out every turn that is due, then sets the timer for the next."""
        if self._paused:
            return
        now = self._now()
        while self._free > 0 and (turn := self._gate.take(now)) is not None:
            self._free -= 1
            turn.item.set_result(turn)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        wait = self._gate.wait(now) if self._free > 0 else None
        if wait is not None:
            self._timer = asyncio.get_running_loop().call_later(wait, self._pump)


class _Turnstile:
    """`async with` around one turn; a class, for a generator would cost every page some time."""

    __slots__ = ("_asked", "_doorman", "_leave", "_turn")

    def __init__(
        self, doorman: Doorman, url: str, host: str, purpose: Purpose, address: str
    ) -> None:
        self._doorman = doorman
        self._asked = (url, host, purpose, address)

    async def __aenter__(self) -> Pass:
        self._turn = turn = await self._doorman.wait(*self._asked)
        self._leave = Pass(turn.host, turn.waited, turn.reason)
        if turn.reason:
            told = {"seconds": turn.waited.total_seconds(), "why": turn.reason}
            log.debug("waited", extra={"url": self._asked[0], **told})
        return self._leave

    async def __aexit__(self, *_exc: object) -> None:
        self._doorman.end(self._turn, self._leave)


class _ShedError(Exception):
    def __init__(self, rest: Rest) -> None:
        super().__init__(rest.reason)
        self.rest = rest


def _resting(url: str, host: str, rest: Rest) -> FetchError:
    seconds = rest.wait.total_seconds()
    return FetchError(
        url,
        f"{host} rests for {seconds:.0f} s: {rest.reason}",
        kind=rest.kind,
        retry_after=rest.wait,
    )
