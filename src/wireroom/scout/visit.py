"""One scout from the address to the dossier: find the site, run the steps, put together what they found.

Hands back progress as it happens and the dossier at the end; keeps nothing itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, TypeVar
from urllib.parse import urlsplit

from wireroom.errors import FetchError, RefusedError
from wireroom.model import Dossier, Finding, Publisher, Request, Response
from wireroom.ports import Advise, Fetch, Step, StepContext
from wireroom.scout.address import Address
from wireroom.scout.dossier import make_dossier
from wireroom.scout.runner import Progress, run_steps
from wireroom.signals import all_steps
from wireroom.signals.shared import home_page, origin_of, page_at
from wireroom.urls import publisher_domain, same_site

FRESH_FOR = timedelta(hours=24)  # robots.txt itself is believed for a day (RFC 9309)

# The server was not even there: another spelling of the address may be, and if none is, nothing is.
_NOT_THERE = frozenset({"dns", "connect", "tls"})
# Whatever else is asked of the host would end the same way.
_HOPELESS = frozenset({"dns", "connect", "tls", "private_address"})


class ElsewhereError(Exception):
    """The page in question stands on another host: whose rights hold for it is to be asked there."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url


@dataclass(frozen=True, slots=True)
class _Arrival:
    """Where the publisher lives, and which page of it is in question."""

    home_url: str
    url: str


async def scout_site(
    address: Address,
    fetch: Fetch,
    *,
    now: datetime,
    last: Dossier | None = None,
    fresh_for: timedelta = FRESH_FOR,
    steps: Mapping[str, Step] | None = None,
    offline: bool = False,
    advise: Advise | None = None,
) -> AsyncGenerator[Progress | Dossier, None]:
    """Progress of every step, then the dossier; raises FetchError when there is nobody at the address.

    Raises ElsewhereError when the page in question leads to another host. What `last` holds is reused while it is fresh, except for findings about another page.
    """
    steps = all_steps() if steps is None else steps
    own = ScoutFetch(fetch)
    try:
        publisher = _known(address, last, now)
        context = _context(publisher, address.candidates[0], own, now, offline=offline)
        context = replace(context, advise=advise)
        kept = _fresh(steps, last, now - fresh_for)
        arrival = _remembered(address, last) if kept else None
        if arrival is None:
            arrival = await _arrive(address, context)
        publisher = replace(publisher, home_url=arrival.home_url)
        context = replace(context, publisher=publisher, url=arrival.url)
        if not _knows_page(arrival.url, steps, kept):
            arrival = await _followed(arrival, context)
            context = replace(context, url=arrival.url)
        kept = _about(arrival.url, steps, kept)
        before = {found.step: found for found in last.findings} if last else {}
        found = dict[str, Finding]()
        async with aclosing(run_steps(steps, context, kept=kept, before=before)) as running:
            async for progress in running:
                if progress.finding is not None:
                    found[progress.step] = progress.finding
                yield progress
        yield make_dossier(publisher, found, url=arrival.url, now=now)
    finally:
        await own.close()


def _known(address: Address, last: Dossier | None, now: datetime) -> Publisher:
    if last is not None:
        return last.publisher
    return Publisher(domain=address.domain, name=address.domain, added_at=now)


def _context(
    publisher: Publisher, url: str, fetch: ScoutFetch, now: datetime, *, offline: bool
) -> StepContext:
    return StepContext(
        publisher=publisher,
        url=url,
        fetch=fetch,
        once=fetch.once,
        findings={},
        now=now,
        offline=offline,
    )


def _fresh(steps: Mapping[str, Step], last: Dossier | None, oldest: datetime) -> dict[str, Finding]:
    """What need not be asked again; what could not be looked at is tried anew."""
    if last is None:
        return {}
    return {
        found.step: found
        for found in last.findings
        if found.step in steps
        and found.found_at > oldest
        and found.outcome not in {"failed", "skipped"}
    }


def _about(url: str, steps: Mapping[str, Step], kept: Mapping[str, Finding]) -> dict[str, Finding]:
    """The findings that hold for this page: all about the publisher, and those about this very page."""
    return {
        name: found
        for name, found in kept.items()
        if steps[name].about == "publisher" or found.facts.get("page_url") == url
    }


def _knows_page(url: str, steps: Mapping[str, Step], kept: Mapping[str, Finding]) -> bool:
    """Whether all that is asked about the page itself is known."""
    wanted = {name for name, step in steps.items() if step.about == "page"}
    return wanted <= _about(url, steps, kept).keys()


async def _followed(arrival: _Arrival, context: StepContext) -> _Arrival:
    """Where the page in question is in the end: that page is judged. One that cannot be read stays as it was named."""
    if arrival.url == arrival.home_url:
        return arrival
    try:
        page = await page_at(context, arrival.url)
    except FetchError:
        return arrival
    if publisher_domain(page.url) != publisher_domain(arrival.url):
        raise ElsewhereError(page.url)
    return replace(arrival, url=page.url)


def _remembered(address: Address, last: Dossier | None) -> _Arrival | None:
    """Where we were led the last time; nobody has to be asked for that again."""
    home = last.publisher.home_url if last else ""
    if not home:
        return None
    wanted = address.candidates[0]
    if _is_root(wanted):
        return _Arrival(home, home)
    if len(address.candidates) > 1:
        wanted = wanted.replace("https://", f"{urlsplit(home).scheme}://", 1)
    return _Arrival(home, wanted)


async def _arrive(address: Address, context: StepContext) -> _Arrival:
    """Where the homepage is found; raises FetchError when there is no server at all."""
    failure: FetchError | None = None
    for candidate in address.candidates:
        root = f"{origin_of(candidate)}/"
        at_root = replace(context, publisher=replace(context.publisher, home_url=root), url=root)
        try:
            page = await home_page(at_root)
        except FetchError as error:
            failure = failure or error
            if error.kind in _NOT_THERE:
                continue
            if error.kind in _HOPELESS:
                raise
            return _Arrival(root, candidate)
        home = page.url if same_site(page.url, root) else root
        return _Arrival(home, home if _is_root(candidate) else candidate)
    if failure is None:
        raise AssertionError("an address has at least one spelling")
    raise failure


def _is_root(url: str) -> bool:
    parts = urlsplit(url)
    return parts.path in {"", "/"} and not parts.query


# The fetch of one scout: what it may send, and what its steps share.
#
# It is a `Fetch` that counts. Nothing is asked for twice: an address, a parsed page or anything else
# that several steps need is made once and shared, also while it is still under way.

MAX_REQUESTS = 30  # the burst that manners allow a scout; a card needs about 20

Made = TypeVar("Made")


class ScoutFetch:
    """A `Fetch` for one scout; `close` it when the last step is done."""

    def __init__(self, fetch: Fetch, *, max_requests: int = MAX_REQUESTS) -> None:
        self._fetch = fetch
        self._left = max_requests
        self._max = max_requests
        self._made: dict[str, asyncio.Task[Any]] = {}

    @property
    def requests(self) -> int:
        """How many were sent, redirects included."""
        return self._max - self._left

    async def __call__(self, request: Request) -> Response:
        """The answer, asked for once in the whole scout; raises FetchError."""
        return await self.once(f"{request.method} {request.url}", lambda: self._ask(request))

    async def once(self, name: str, make: Callable[[], Awaitable[Made]]) -> Made:
        """What `make` gave the first time; a waiter that gives up takes nothing from the others."""
        task = self._made.get(name)
        if task is None:
            task = self._made[name] = asyncio.ensure_future(_run(make))
        made: Made = await asyncio.shield(task)
        return made

    async def close(self) -> None:
        """Ends what nobody waits for any more."""
        tasks = list(self._made.values())
        self._made.clear()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)  # `gather` would keep the outcomes in a ring of its own
        for task in tasks:
            _let_go(None if task.cancelled() else task.exception())

    async def _ask(self, request: Request) -> Response:
        if self._left <= 0:
            message = f"the scout's {self._max} requests are spent"
            raise RefusedError(request.url, message, kind="robots", permanent=False)
        self._left -= 1
        response = await self._fetch(request)
        self._left -= max(0, len(response.hops) - 1)
        return response


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
