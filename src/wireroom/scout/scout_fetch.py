"""The fetch of one scout: what it may send and when, and what its steps share.

It is a `Fetch` that plans. Nothing is asked for twice: an address, a parsed page or anything else that several steps need
is made once and shared, also while it is still under way. Redirects are followed here, one request after the other: each
counts as it happens.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any, Final, TypeVar

from wireroom.errors import FetchError, RefusedError
from wireroom.model import NOT_REACHED, Request, Response
from wireroom.ports import Fetch, Step
from wireroom.scout.request_plan import MAX_REQUESTS, Ask, Lack, RequestPlan
from wireroom.urls import host_of, same_site

SCOUT_TIME: Final = timedelta(seconds=60)
"""Most scouts take a few seconds; with a Crawl-delay of 10 s it is enough for feed, sitemap, terms and one file."""
GRACE: Final = timedelta(seconds=10)
"""After the end, for what is under way: as long as one document may take (`signals.documents.DOCUMENT_TIME`)."""
MAX_REDIRECTS: Final = 5  # as in the fetch room
_SCOUTS = count(1)

Made = TypeVar("Made")


def no_gap(_host: str) -> timedelta:
    """Where nobody knows better, a scout may send several requests at a time."""
    return timedelta()


class ScoutFetch:
    """A `Fetch` for one scout; `close` it when the last step is done."""

    def __init__(
        self,
        fetch: Fetch,
        *,
        site: str = "",
        max_requests: int = MAX_REQUESTS,
        time: timedelta = SCOUT_TIME,
        gap_of: Callable[[str], timedelta] = no_gap,
    ) -> None:
        """`site` is an address of the publisher, `gap_of` says what must lie between two requests of a scout to a host."""
        self._fetch = fetch
        self._site = site
        self._scout_id = 0
        self._max = max_requests
        self._time = time
        self._gap_of = gap_of
        ends_at = asyncio.get_running_loop().time() + time.total_seconds()
        self._ends_at = ends_at
        self._plan = RequestPlan(ends_at=ends_at, left=max_requests, site=_host(site))
        self._turns: dict[Ask, asyncio.Future[None]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._made: dict[str, asyncio.Task[Any]] = {}

    @property
    def requests(self) -> int:
        """How many were sent, redirects included."""
        return self._max - max(0, self._plan.left)

    def read_robots_anew(self, anew: bool) -> None:
        """From now on the publisher's robots.txt is one that was asked for in this scout."""
        self._scout_id = (self._scout_id or next(_SCOUTS)) if anew else 0

    def is_at(self, url: str) -> None:
        """The publisher's front page is found here: what its steps are expected to ask for goes to this host."""
        self._plan.site = _host(url)

    def expect(self, step: Step) -> None:
        """Requests and time are kept for what the step says it asks for."""
        self._plan.expect(step.name, step.asks)

    def end_step(self, name: str) -> None:
        """The step is done."""
        self._plan.end_step(name)
        self._pump()

    async def __call__(self, request: Request) -> Response:
        """The answer, asked for once in the whole scout; raises FetchError."""
        if not request.follow:
            return await self._shared(request)
        hops: list[str] = []
        moved = True
        url = request.url
        while True:
            if url in hops or len(hops) > MAX_REDIRECTS:
                message = f"redirected {len(hops)} times, at last to {url}"
                raise FetchError(request.url, message, kind="redirect_loop", permanent=True)
            answer = await self._shared(replace(request, url=url, follow=False))
            hops += answer.hops or (url,)
            if not answer.redirect_url:
                break
            moved = moved and answer.moved
            url = answer.redirect_url
        if len(hops) == 1 or url == request.url:
            return answer
        return replace(answer, url=request.url, hops=tuple(hops), moved=moved)

    async def _shared(self, request: Request) -> Response:
        return await self.once(f"{request.method} {request.url}", lambda: self._ask(request))

    async def once(self, name: str, make: Callable[[], Awaitable[Made]]) -> Made:
        """What `make` gave the first time; a waiter that gives up takes nothing from the others.

        What was not reached may be asked for again, should it be more important then.
        """
        task = self._made.get(name)
        if task is not None and _is_unreached(task):
            _let_go(task.exception())
            task = None
        if task is None:
            task = self._made[name] = asyncio.ensure_future(_run(make))
        made: Made = await asyncio.shield(task)
        return made

    async def close(self) -> None:
        """Ends what nobody waits for any more."""
        if self._timer is not None:
            self._timer.cancel()
        tasks = list(self._made.values())
        self._made.clear()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)  # `gather` would keep the outcomes in a ring of its own
        for task in tasks:
            _let_go(None if task.cancelled() else task.exception())

    async def _ask(self, request: Request) -> Response:
        if self._scout_id and same_site(request.url, self._site):
            request = replace(request, scout_id=self._scout_id)
        if _is_robots(request.url):
            # Who fetches has it, or needs it before anything else of the host: it waits for no turn.
            if not self._plan.spend():
                raise self._refusal(request.url, "scout_requests")
            return await self._send(replace(request, follow=True))
        ask = await self._turn(request)
        loop = asyncio.get_running_loop()
        began, requests = loop.time(), 1
        try:
            response = await self._send(request)
            requests = max(1, len(response.hops))
            return response
        finally:
            now = loop.time()
            self._plan.answered(ask, now=now, took=now - began, requests=requests)
            self._pump()

    async def _send(self, request: Request) -> Response:
        try:
            async with asyncio.timeout_at(self._ends_at + GRACE.total_seconds()):
                return await self._fetch(request)
        except TimeoutError:
            raise self._refusal(request.url, "scout_time") from None

    async def _turn(self, request: Request) -> Ask:
        """Waits until the plan sends it; raises RefusedError where it does not."""
        ask = self._plan.put(_host(request.url), request.priority)
        turn = self._turns[ask] = asyncio.get_running_loop().create_future()
        self._pump()
        try:
            await turn
        except _LackError as lack:
            raise self._refusal(request.url, lack.of) from None
        except asyncio.CancelledError:
            self._plan.withdraw(ask)
            raise
        finally:
            self._turns.pop(ask, None)
        return ask

    def _pump(self) -> None:
        """Lets go whatever the plan sends or refuses now, and sets the timer for the next decision."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._turns:
            return
        loop = asyncio.get_running_loop()
        decision = self._plan.decide(loop.time(), lambda host: self._gap_of(host).total_seconds())
        for ask in decision.send:
            if not self._turns[ask].done():
                self._turns[ask].set_result(None)
        for ask, lack in decision.refuse:
            if not self._turns[ask].done():
                self._turns[ask].set_exception(_LackError(lack))
        self._timer = loop.call_at(decision.again_at, self._pump)

    def _refusal(self, url: str, lack: Lack) -> RefusedError:
        """Why it was not asked for, in words."""
        if lack == "scout_requests":
            message = f"not reached: the scout's {self._max} requests are spent"
        else:
            gap = self._gap_of(_host(url)).total_seconds()
            pause = f", with {gap:g} s between requests" if gap else ""
            message = f"not reached in the scout's {self._time.total_seconds():g} s{pause}"
        return RefusedError(url, message, kind=lack, permanent=False)


class _LackError(Exception):
    def __init__(self, of: Lack) -> None:
        super().__init__(of)
        self.of = of


def _host(url: str) -> str:
    try:
        return host_of(url)
    except ValueError:
        return ""  # who fetches says what is wrong with it


def _is_robots(url: str) -> bool:
    return url.endswith("/robots.txt") and url.count("/") == 3


def _is_unreached(task: asyncio.Task[Any]) -> bool:
    if not task.done() or task.cancelled():
        return False
    error = task.exception()
    return isinstance(error, RefusedError) and error.kind in NOT_REACHED


def _let_go(error: BaseException | None) -> None:
    """Frees what an error still holds: its frames know the pages of the scout, and the pages are large.

    They would go with the next full round of the garbage collector, which counts objects and not the
    megabytes of a parsed page: a list of publishers took twice the memory.
    """
    while error is not None:
        error.__traceback__ = None
        error = error.__cause__ or error.__context__


async def _run(make: Callable[[], Awaitable[Made]]) -> Made:
    return await make()
