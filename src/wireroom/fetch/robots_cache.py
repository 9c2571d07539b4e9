"""What each origin's robots.txt says to us, asked once a day and remembered.

An origin is scheme, host and port: rules of `https://a.test` say nothing about `http://a.test`. A scout that reads
robots.txt anew replaces what is remembered, here and, by way of the store, in every other process.
RFC 9309: no such file (4xx) allows everything; a server that fails (5xx, no answer) holds everything
until it answers again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Literal

from wireroom.errors import FetchError, RefusedError, UnreachableError
from wireroom.fetch.connectivity import is_our_side
from wireroom.lru import LruCache
from wireroom.model import ProblemKind, Response
from wireroom.parse.robots import Robots, opens_host, read_robots
from wireroom.ports import RobotsFile, RobotsStore
from wireroom.version import TOKEN

log = logging.getLogger(__name__)

KEPT_FOR = 24 * 3600.0  # seconds; RFC 9309 2.4
HELD_FOR = 600.0  # seconds until a server whose robots.txt fails is asked for it again
DOWN_FOR = 60.0  # seconds until a host that could not be reached is tried again; it may be our side
COMPARED_EVERY = 10.0  # seconds after which the store is asked whether another process knows better
MAX_ORIGINS = 20_000  # remembered; the longest unused is forgotten and asked for anew
MAX_ANSWERS = (
    200  # robots.txt kept as they came, for a scout that wants to read them; each up to 0.5 MB
)

_NO_ANSWER = frozenset({"dns", "connect", "tls", "timeout"})

RobotsState = Literal["found", "absent", "unreachable"]
Ask = Callable[[str], Awaitable[Response]]
"""Asks for a robots.txt by the strategy that the page itself will be asked by."""


@dataclass(frozen=True, slots=True)
class RobotsEntry:
    """One origin's answer: its rules, or why there are none."""

    state: RobotsState
    robots: Robots
    reason: str
    until: float
    kind: ProblemKind = "robots"
    """Why it could not be fetched: a host that is down is down, whatever we asked it for."""
    by: str = ""
    """The strategy it was asked by: what one cannot reach, another may."""
    scout_id: int = 0
    """The scout in which it was asked for."""
    asked_at: datetime | None = None
    compared: float = 0.0
    """When the store was last asked for a later one."""


class RobotsCache:
    """Answers "may we?" for any address; asks each origin at most once at a time."""

    def __init__(
        self, *, slow_down: Callable[[str, timedelta], None], store: RobotsStore | None = None
    ) -> None:
        self._slow_down = slow_down
        self._store = store
        self._entries: LruCache[str, RobotsEntry] = LruCache(MAX_ORIGINS)
        self._answers: LruCache[str, Response | FetchError] = LruCache(MAX_ANSWERS)
        self._asking: set[asyncio.Task[RobotsEntry]] = set()
        self._waiting: dict[str, list[asyncio.Future[RobotsEntry]]] = {}

    @staticmethod
    def judge(url: str, entry: RobotsEntry, *, origin: str) -> None:
        """Raises RefusedError when we may not ask for the address, FetchError when we must wait."""
        if entry.state == "unreachable":
            wait = timedelta(seconds=max(1.0, entry.until - _now()))
            message = (
                f"robots.txt could not be fetched ({entry.reason}); the host waits until it can"
            )
            kind_of_error = UnreachableError if entry.kind in _NO_ANSWER else FetchError
            raise kind_of_error(url, message, kind=entry.kind, retry_after=wait)
        if not entry.robots.allows(TOKEN, url):
            decision = entry.robots.decide(TOKEN, url)
            message = f"line {decision.line} of {origin}/robots.txt: {decision.rule}"
            raise RefusedError(url, f"disallowed by {message}", kind="robots")

    def known(self, origin: str, *, by: str, scout_id: int = 0) -> RobotsEntry | None:
        """What the origin said, while that holds; that it said nothing holds for the strategy it was asked by.

        In a scout only what it was asked in that scout.
        """
        known, now = self._entries.get(origin), _now()
        if known is None or known.until <= now or not _serves(known, by):
            return None
        if known.state == "unreachable":
            return known  # a host that waits is left alone, whoever asks
        if scout_id:
            # Asked in this scout: no other process knows better, and each request costs a Crawl-delay.
            return known if known.scout_id == scout_id else None
        if self._store is not None and now - known.compared > COMPARED_EVERY:
            return None
        return known

    async def entry(
        self, origin: str, *, host: str, by: str, ask: Ask, scout_id: int = 0
    ) -> RobotsEntry:
        """What is known of the origin, asked now by this strategy if it is not."""
        while True:
            known = self.known(origin, by=by, scout_id=scout_id)
            if known is not None:
                return known
            entry = await self._asked(origin, host, by, ask, scout_id)
            is_own = not scout_id or entry.scout_id == scout_id or entry.state == "unreachable"
            if is_own and _serves(entry, by):
                return entry  # else somebody else was asking, in vain or took what the store had

    async def _asked(
        self, origin: str, host: str, by: str, ask: Ask, scout_id: int, *, anew: bool = False
    ) -> RobotsEntry:
        """The answer to a request that is under way, or begins now."""
        if origin not in self._waiting:
            self._waiting[origin] = []
            task = asyncio.create_task(
                self._learn(origin, host, by, ask, scout_id, anew=anew or bool(scout_id))
            )
            self._asking.add(task)
            task.add_done_callback(partial(self._answer, origin))
        # A future for each: one waiter's cancellation must not take the answer from the others.
        waiter: asyncio.Future[RobotsEntry] = asyncio.get_running_loop().create_future()
        self._waiting[origin].append(waiter)
        return await waiter

    async def answer(
        self, origin: str, *, host: str, by: str, ask: Ask, scout_id: int = 0
    ) -> Response:
        """The robots.txt itself, for callers that read it: asked for once, whoever needs it first.

        Raises what asking for it raised.
        """
        await self.entry(origin, host=host, by=by, ask=ask, scout_id=scout_id)
        if self._answers.get(origin) is None:
            # The rules came from the store; what the origin answers now is obeyed.
            await self._asked(origin, host, by, ask, scout_id, anew=True)
        kept = self._answers.get(origin)
        if kept is None:
            return await ask(f"{origin}/robots.txt")
        if isinstance(kept, FetchError):
            raise kept
        return kept

    def forgive(self) -> None:
        """Forgets origins that could not be reached: it was our own network's fault."""
        for origin in [o for o, entry in self._entries.items() if entry.kind in _NO_ANSWER]:
            self._entries.pop(origin)
            self._answers.pop(origin)

    async def close(self) -> None:
        """Ends what is still being asked."""
        tasks = list(self._asking)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _answer(self, origin: str, asked: asyncio.Task[RobotsEntry]) -> None:
        self._asking.discard(asked)
        error = None if asked.cancelled() else asked.exception()
        for waiter in self._waiting.pop(origin):
            if waiter.done():
                continue
            if asked.cancelled():
                waiter.cancel()
            elif error is not None:
                waiter.set_exception(error)
            else:
                waiter.set_result(asked.result())

    async def _learn(
        self, origin: str, host: str, by: str, ask: Ask, scout_id: int, *, anew: bool
    ) -> RobotsEntry:
        entry = None if anew else self._latest(origin)
        if entry is None:
            asked = await _read_rules(origin, partial(self._ask_and_keep, origin, ask))
            now = datetime.now(UTC)
            entry = replace(asked, by=by, scout_id=scout_id, asked_at=now, compared=_now())
            self._to_store(origin, entry)
        log.debug("robots", extra={"origin": origin, "state": entry.state, "why": entry.reason})
        delay = entry.robots.crawl_delay(TOKEN)
        if delay is not None:
            self._slow_down(host, delay)
        self._entries[origin] = entry
        return entry

    def _latest(self, origin: str) -> RobotsEntry | None:
        """What we were told less than a day ago, or another process later than we."""
        held = self._entries.get(origin)
        if held is not None and (held.until <= _now() or held.state == "unreachable"):
            held = None
        file = self._store.robots_file(origin) if self._store is not None else None
        if held is not None and (file is None or not _is_later(file, held)):
            return replace(held, compared=_now())
        entry = None if file is None else _from_file(file)
        if entry is not None:
            self._answers.pop(origin)  # not what these rules were read from
        return entry

    def _to_store(self, origin: str, entry: RobotsEntry) -> None:
        """Keeps what holds for a day; that a server failed holds for minutes, and is asked anew."""
        if self._store is None or entry.state == "unreachable":
            return
        kept = self._answers.get(origin)
        body = kept.body if isinstance(kept, Response) else b""
        self._store.save_robots_file(
            RobotsFile(
                origin=origin,
                found=entry.state == "found",
                body=body,
                reason=entry.reason,
                asked_at=entry.asked_at or datetime.now(UTC),
            )
        )

    async def _ask_and_keep(self, origin: str, ask: Ask, url: str) -> Response:
        try:
            response = await ask(url)
        except FetchError as error:
            self._answers[origin] = error
            raise
        self._answers[origin] = response
        return response


def _serves(entry: RobotsEntry, by: str) -> bool:
    return entry.state != "unreachable" or entry.by == by


def _is_later(file: RobotsFile, entry: RobotsEntry) -> bool:
    """Whether the file is the later one; a time that is still to come was noted before the clock was set back."""
    at = entry.asked_at
    return at is not None and (file.asked_at > at or at > datetime.now(UTC))


def _from_file(file: RobotsFile) -> RobotsEntry | None:
    age = (datetime.now(UTC) - file.asked_at).total_seconds()
    if not 0 <= age < KEPT_FOR:  # too old, or from a clock that was set back since
        return None
    state: RobotsState = "found" if file.found else "absent"
    until = _now() + KEPT_FOR - age
    rules = read_robots(file.body)
    return RobotsEntry(state, rules, file.reason, until, asked_at=file.asked_at, compared=_now())


async def _read_rules(origin: str, ask: Ask) -> RobotsEntry:
    try:
        response = await ask(f"{origin}/robots.txt")
    except FetchError as error:
        # No connection, though the host itself was never tried: its proxy or its service is down.
        if error.kind == "connect" and not isinstance(error, UnreachableError):
            raise
        if is_our_side(error):
            raise
        return _without(error)
    robots = read_robots(response.body)
    state: RobotsState = "found" if robots.found else "absent"
    return RobotsEntry(state, robots, robots.state, _now() + KEPT_FOR)


def _without(error: FetchError) -> RobotsEntry:
    """What holds when there is no robots.txt to read; only a clear "no such file" opens the host."""
    nothing = read_robots(b"")
    if opens_host(error):
        return RobotsEntry("absent", nothing, error.reason, _now() + KEPT_FOR)
    if error.kind == "throttled":
        wait = HELD_FOR if error.retry_after is None else error.retry_after.total_seconds()
        return RobotsEntry("unreachable", nothing, error.reason, _now() + wait, "throttled")
    if isinstance(error, UnreachableError):
        return RobotsEntry("unreachable", nothing, error.reason, _now() + DOWN_FOR, error.kind)
    return RobotsEntry("unreachable", nothing, error.reason, _now() + HELD_FOR)


def _now() -> float:
    return asyncio.get_running_loop().time()
