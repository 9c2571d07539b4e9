"""The one fetch function of the whole program: every request is made here, hop by hop.

guard (may this address be asked?) → robots.txt (may we?) → rate limiter (is the host due?) → strategy (one hop)
→ redirect (all of that again) → judgement (an answer, or why not). Knows nothing of what bytes mean.
"""

from __future__ import annotations

import asyncio
import logging
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Self

from wireroom.errors import (
    ExhaustedError,
    FetchError,
    RefusedError,
    StatusError,
    UnreachableError,
)
from wireroom.fetch.connectivity import Connectivity, has_answer, has_no_names, is_our_side
from wireroom.fetch.decode import ACCEPT_ENCODING, holds_part, is_part
from wireroom.fetch.fetch_options import (
    MAX_PAGE,
    MAX_REDIRECTS,
    MAX_ROBOTS,
    FetchOptions,
    user_agent,
)
from wireroom.fetch.host_schedule import Ending
from wireroom.fetch.limiter import RateLimiter
from wireroom.fetch.resolver import Endpoint, Endpoints, Resolver
from wireroom.fetch.response_errors import HINTS, judge, retry_after, server_hints, validators
from wireroom.fetch.robots_cache import RobotsCache
from wireroom.fetch.strategy_pool import StrategyPool
from wireroom.fetch.warc import Archive
from wireroom.model import Request, Response, Validators
from wireroom.ports import Hop, RobotsStore
from wireroom.urls import fetch_url, host_of, resolve

log = logging.getLogger(__name__)

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
NOTHING_KNOWN = Validators()
REDIRECTS = frozenset({301, 302, 303, 307, 308})
PERMANENT = frozenset({301, 308})
LATER = frozenset({429, 503})
PARTIAL = frozenset({206, 226})  # a range, and what was changed since
_ABSOLUTE = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?[/\\]{2,}([^/?#]*)")
# Addresses that are beyond doubt in normal form already, as most are; the rest is looked at closely.
_NORMAL = re.compile(
    r"https?://(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z]{2,20}"
    r"(?:/(?:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)?)(?:/[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*){0,20}/?"
    r"(?:\?[A-Za-z0-9_=&.-]{1,500})?"
)
_DOTS = (".", "。", "．", "｡")
NO_IPV6 = "it has only IPv6 addresses, and this machine has no IPv6 route"
# What another strategy may change; a refusal of ours or a missing page stays what it is.
WORTH_ANOTHER = frozenset({"blocked_waf", "challenge", "connect", "tls", "timeout"})


@dataclass(slots=True)
class _Attempt:
    """One request by one strategy, and the time it has left."""

    request: Request
    strategy: str
    left: timedelta
    ask_robots: bool = True

    def spend(self, spent: timedelta) -> None:
        """Takes time off the total; raises when there is none left."""
        self.left -= spent
        if self.left <= timedelta():
            raise UnreachableError(self.request.url, "no answer in time", kind="timeout")


class Fetcher:
    """A `Fetch` with all manners; use it as an async context manager, one per process."""

    def __init__(
        self,
        options: FetchOptions | None = None,
        *,
        archive: Archive | None = None,
        robots_store: RobotsStore | None = None,
    ) -> None:
        self._options = options or FetchOptions()
        self._archive = archive
        self._usual = (
            ("User-Agent", self._options.user_agent or user_agent()),
            ("Accept", ACCEPT),
            ("Accept-Encoding", ACCEPT_ENCODING),
        )
        self._resolver = Resolver()
        self._endpoints = Endpoints(self._options, self._resolver)
        self._limiter = RateLimiter(self._options.manners)
        self._connectivity = Connectivity()
        self._robots = RobotsCache(slow_down=self._limiter.slow_down, store=robots_store)
        self._strategies = StrategyPool(self._options)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self.close()

    async def __call__(self, request: Request) -> Response:
        """The answer to the request; raises FetchError with the reason."""
        order = self._strategies.order(request)
        failed: dict[str, FetchError] = {}
        for name in order:
            try:
                left = min(request.deadline or self._options.deadline, self._options.deadline)
                response = await self._follow(_Attempt(request, name, left))
            except FetchError as error:
                log.info(
                    "refused",
                    extra={"url": request.url, "kind": error.kind, "why": error.reason, "by": name},
                )
                if len(order) == 1 or error.kind not in WORTH_ANOTHER:
                    raise
                failed[name] = error
                continue
            self._strategies.remember(request, name)
            return response
        raise ExhaustedError(request.url, failed)

    def is_cut_off(self, error: FetchError) -> bool:
        """Whether a request failed because this machine has no network: then nobody else is to blame."""
        no_answer = error.kind in {"dns", "connect", "timeout", "tls"}
        if error.kind == "timeout" and self._connectivity.was_cut_within(self._options.deadline):
            return (
                True  # it was under way when the network was cut, and waited for an answer in vain
            )
        if has_no_names(error) and self._connectivity.is_mute():
            return True
        return is_our_side(error) or (no_answer and self._connectivity.is_cut)

    def pace(self, host: str) -> str:
        """Why the host is asked more slowly than others, such as its Crawl-delay; empty when it is not."""
        return self._limiter.pace(host)

    def rest_of(self, host: str) -> timedelta:
        """For how long the host is to be left alone from now on: our gap, its Crawl-delay or Retry-After."""
        return self._limiter.rest_of(host)

    def gap_of(self, host: str) -> timedelta:
        """What lies between two requests to this host: its Crawl-delay, if it has one, else our own gap."""
        return self._limiter.gap_of(host)

    def scout_gap_of(self, host: str) -> timedelta:
        """The same for requests of a scout: nothing while it may send several at a time."""
        return self._limiter.scout_gap_of(host)

    def pause(self, paused: bool) -> None:
        """Sends nothing more while paused: whoever reads the answers has to catch up."""
        self._limiter.pause(paused)

    async def close(self) -> None:
        """Ends every connection, look-up and timer."""
        await self._robots.close()
        self._limiter.close()
        await self._resolver.close()
        await self._strategies.close()

    # --- hop by hop -----------------------------------------------------------------------------

    async def _follow(self, attempt: _Attempt) -> Response:
        """Follows redirects, each judged like a new request; raises for anything but an answer."""
        asked = attempt.request.url
        url = _sendable(asked)
        if _reads_robots(attempt, url) and not self._strategies.plug(attempt.strategy).offline:
            return await self._read_robots(attempt, url)
        hops: list[str] = []
        permanent = True
        while True:
            if url in hops or len(hops) > MAX_REDIRECTS:
                message = f"redirected {len(hops)} times, at last to {url}"
                raise FetchError(asked, message, kind="redirect_loop", permanent=True)
            hops.append(url)
            answer = await self._hop(attempt, url)
            target = _location(asked, answer) if answer.status in REDIRECTS else ""
            if not target:
                break
            attempt.spend(answer.elapsed)
            permanent = permanent and answer.status in PERMANENT
            url = _target(asked, url, target)
            if not attempt.request.follow:
                led = _whole(answer, asked, tuple(hops), moved=permanent)
                return replace(led, redirect_url=url)
            log.debug("redirected", extra={"url": hops[-1], "status": answer.status, "to": url})
        whole = _whole(answer, asked, tuple(hops), moved=permanent and len(hops) > 1)
        if answer.status == 304 and attempt.request.validators == NOTHING_KNOWN:
            # Nobody asked "has it changed?": there is no page of ours that this could stand for.
            raise FetchError(
                asked, "not modified, though nothing was asked for", kind="bad_response"
            )
        part = attempt.request.part
        if part is not None and holds_part(answer.status, answer.headers, part):
            return whole  # bytes of a file: no page, and so no wall
        if answer.status in PARTIAL or is_part(answer.headers):
            # What this is a part of, and where it ends, nobody knows.
            raise FetchError(asked, "a part of it, though all was asked for", kind="bad_response")
        error = judge(whole, now=answer.fetched_at)
        if isinstance(error, StatusError):
            error.headers = whole.headers
        if error is not None:
            error.in_flight = whole.elapsed
            raise error
        return whole

    async def _hop(self, attempt: _Attempt, url: str) -> Response:
        plug = self._strategies.plug(attempt.strategy)
        if plug.offline:
            return await self._strategies.strategy(attempt.strategy).hop(
                _offline(attempt.request, url)
            )
        endpoint = await self._endpoint(attempt, url, pins=plug.pins)
        if endpoint.host in self._options.agreed:
            log.debug("agreed", extra={"origin": endpoint.origin})
        elif attempt.ask_robots:
            await self._obey_robots(attempt, url, endpoint)
        hop = self._make_hop(attempt.request, url, endpoint, attempt.left)
        answer = await self._send(attempt, hop, endpoint)
        if self._archive is not None:
            self._archive.record(hop, answer)
        return answer

    async def _obey_robots(self, attempt: _Attempt, url: str, endpoint: Endpoint) -> None:
        """Raises where robots.txt does not let us ask; asks for it first if it is not known."""
        by, scout_id = _asked_by(attempt), attempt.request.scout_id
        rules = self._robots.known(endpoint.origin, by=by, scout_id=scout_id)
        if rules is None:
            ask = partial(self._ask_robots, attempt)
            rules = await self._robots.entry(
                endpoint.origin, host=endpoint.authority, by=by, ask=ask, scout_id=scout_id
            )
        self._robots.judge(url, rules, origin=endpoint.origin)

    async def _endpoint(self, attempt: _Attempt, url: str, *, pins: bool) -> Endpoint:
        """Where to connect; raises RefusedError when the guard forbids it."""
        endpoint = self._endpoints.known(url)
        if endpoint is None:
            try:
                endpoint, took = await self._endpoints.find(url, attempt.left, pins=pins)
            except UnreachableError as error:
                if has_no_names(error):
                    self._connectivity.failed(host_of(url))
                raise
            attempt.spend(took)
        elif not pins:
            self._endpoints.refuse_unpinned(url, endpoint.host, pins=pins)
        return endpoint

    async def _send(self, attempt: _Attempt, hop: Hop, endpoint: Endpoint) -> Response:
        """Waits for a permit, asks, and tells the rate limiter how it went."""
        strategy = self._strategies.strategy(attempt.strategy)
        permit = await self._limiter.acquire(
            hop.url,
            host=endpoint.authority,
            purpose=attempt.request.purpose,
            address=endpoint.addresses[0],
        )
        ending: Ending = "left"
        wait: timedelta | None = None
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            answer = await strategy.hop(hop)
            ending = "answered"
            if self._connectivity.answered():
                self._forgive()
            if answer.status in LATER:
                ending = "throttled"
                wait = retry_after(answer.headers, now=datetime.now(UTC))
            return answer
        except FetchError as error:
            if is_our_side(error) and _is_ipv6(endpoint) and not self._connectivity.is_cut:
                ending = "unreachable"
                raise UnreachableError(hop.url, NO_IPV6, kind="connect") from None
            ending = self._ending(error, endpoint.authority)
            error.in_flight = timedelta(seconds=loop.time() - began)
            raise
        finally:
            self._limiter.release(permit, ending=ending, retry_after=wait)

    def _ending(self, error: FetchError, host: str) -> Ending:
        """What a failed hop says about the host: nothing, when it is our own network that is cut."""
        if not isinstance(error, UnreachableError):
            return "answered"
        if has_answer(error):
            self._connectivity.note_answer()
        else:
            self._connectivity.failed(host, no_network=is_our_side(error))
        return "unsent" if self._connectivity.is_cut or is_our_side(error) else "unreachable"

    def _forgive(self) -> None:
        log.warning("network is back", extra={"why": "no host at all had answered for a while"})
        self._limiter.forgive()
        self._robots.forgive()

    def _make_hop(self, request: Request, url: str, endpoint: Endpoint, left: timedelta) -> Hop:
        conditional = request.validators != NOTHING_KNOWN
        at_home = conditional and _sendable(request.url).startswith(f"{endpoint.origin}/")
        return Hop(
            url=url,
            method=request.method,
            headers=self._headers(request, at_home=at_home),
            addresses=endpoint.addresses,
            port=endpoint.port,
            max_bytes=request.max_bytes or self._options.max_bytes,
            deadline=left,
            take_start=request.take_start,
            partial=request.partial,
            of_file=request.part is not None,
            proxy=request.proxy,
        )

    def _headers(self, request: Request, *, at_home: bool) -> tuple[tuple[str, str], ...]:
        """What is sent; validators only to the origin that gave them."""
        if not (at_home or request.accept or request.part):
            return self._usual
        sent = [*self._usual]
        if request.part is not None:  # a part of what is compressed on the way would be of no use
            first, end = request.part
            sent[2:] = [("Accept-Encoding", "identity"), ("Range", f"bytes={first}-{end - 1}")]
        if request.accept:
            sent[1] = ("Accept", request.accept)
        if at_home and request.validators.etag:
            sent.append(("If-None-Match", request.validators.etag))
        if at_home and request.validators.last_modified:
            sent.append(("If-Modified-Since", request.validators.last_modified))
        return tuple(sent)

    async def _read_robots(self, attempt: _Attempt, url: str) -> Response:
        """The robots.txt a scout wants to read is the one that says what the scout may do: one request."""
        endpoint = await self._endpoint(
            attempt, url, pins=self._strategies.plug(attempt.strategy).pins
        )
        ask = partial(self._ask_robots, attempt)
        by, scout_id = _asked_by(attempt), attempt.request.scout_id
        return await self._robots.answer(
            endpoint.origin, host=endpoint.authority, by=by, ask=ask, scout_id=scout_id
        )

    async def _ask_robots(self, attempt: _Attempt, url: str) -> Response:
        """Asks by the page's strategy: a page that needs a proxy needs it for this as well."""
        request = Request(
            url=url,
            purpose=attempt.request.purpose,
            max_bytes=MAX_ROBOTS,
            take_start=True,
            proxy=attempt.request.proxy,
        )
        left = self._options.deadline
        return await self._follow(_Attempt(request, attempt.strategy, left, ask_robots=False))


def _asked_by(attempt: _Attempt) -> str:
    """The strategy, with its proxy: what cannot be reached by one may be by the other."""
    return f"{attempt.strategy} {attempt.request.proxy}".rstrip()


def _reads_robots(attempt: _Attempt, url: str) -> bool:
    request = attempt.request
    if not attempt.ask_robots or request.purpose != "scout" or request.method != "GET":
        return False
    return url.endswith("/robots.txt") and url.count("/") == 3


def _whole(answer: Response, asked: str, hops: tuple[str, ...], *, moved: bool) -> Response:
    """The last hop's answer as the answer to what was asked; `replace` takes twice the time."""
    # The few headers that say something about coming back, picked out once.
    kept = tuple([pair for pair in answer.headers if pair[0] in HINTS])
    return Response(
        url=asked,
        final_url=hops[-1],
        status=answer.status,
        headers=answer.headers,
        body=answer.body,
        fetched_at=answer.fetched_at,
        elapsed=answer.elapsed,
        strategy=answer.strategy,
        hops=hops,
        moved=moved,
        truncated=answer.truncated,
        validators=validators(kept),
        server_hints=server_hints(kept, now=answer.fetched_at),
    )


def _offline(request: Request, url: str) -> Hop:
    """A hop to nowhere, for a strategy that sends nothing."""
    return Hop(
        url=url,
        method=request.method,
        headers=(),
        addresses=(),
        port=0,
        max_bytes=request.max_bytes or MAX_PAGE,
        deadline=timedelta(),
        take_start=request.take_start,
    )


def _sendable(url: str) -> str:
    """The address as it will be sent, unless it hides where it leads."""
    if _NORMAL.fullmatch(url):
        return url
    _refuse_disguise(url, url)
    try:
        return fetch_url(url)
    except ValueError as exc:
        raise RefusedError(url[:200], str(exc)) from exc


def _refuse_disguise(asked: str, written: str) -> None:
    """Refuses hosts that normalising would make presentable: the guard is to see what was written."""
    absolute = _ABSOLUTE.match(written.strip())
    if absolute is None:
        return
    if "\\" in absolute[0] or absolute[1].partition(":")[0].endswith(_DOTS) or "%" in absolute[1]:
        raise RefusedError(asked[:200], "host written in a way that hides where it leads")


def _location(asked: str, answer: Response) -> str:
    """Where the answer redirects to; two different addresses are no answer."""
    targets = {value for name, value in answer.headers if name == "location"}
    if len(targets) > 1:
        raise FetchError(asked, "redirected to several addresses at once", kind="bad_response")
    return next(iter(targets), "")


def _target(asked: str, base: str, target: str) -> str:
    """Where a redirect leads, as it will be sent; the guard judges it next."""
    _refuse_disguise(asked, target)
    try:
        return fetch_url(resolve(base, target))
    except ValueError as exc:
        message = f"redirected to something that is no web address ({target[:80]!r})"
        raise RefusedError(asked, message) from exc


def _is_ipv6(endpoint: Endpoint) -> bool:
    return all(":" in address for address in endpoint.addresses)
