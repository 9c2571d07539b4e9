"""Serves the town on loopback: one address (or port) a publisher, one event loop for all.

The only part of the town with sockets. `serve_town` for those who have an event loop,
`running_town` for those who do not.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import partial

from aiohttp import web
from multidict import CIMultiDict

from wireroom.town.answer_cache import AnswerCache, Ready
from wireroom.town.declaration import TownPublisher
from wireroom.town.loopback import Spread, bind_places
from wireroom.town.press import TROUBLE_HOST
from wireroom.town.request_log import MAX_SEEN, LoggedRequest, RequestLog
from wireroom.town.town_config import config_text
from wireroom.town.trouble import TroubleMaker
from wireroom.town.world import Town

START_TIMEOUT = timedelta(seconds=60)  # for a thread to bind its sockets; a large town takes two
STOP_TIMEOUT = timedelta(seconds=0.3)  # for requests under way, many of which hang on purpose
KEEP_ALIVE = timedelta(seconds=75)


class Running:
    """A town that is being served: where everybody is, and what was asked."""

    def __init__(
        self, town: Town, *, hosts: Mapping[str, str], latency: timedelta, log_size: int
    ) -> None:
        self.town = town
        self.hosts = dict(hosts)
        self.port = int(next(iter(self.hosts.values())).rpartition(":")[2])
        self.log = RequestLog(log_size)
        self.latency = latency
        self._stopping = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._answers = AnswerCache(town)
        self._trouble = TroubleMaker(town)

    def settings_toml(self, *, feeds: bool = True) -> str:
        """A `wireroom.toml` that finds this town, and (on wish) follows its main feeds."""
        return config_text(self.town, self.hosts, feeds=feeds)

    def address(self, host: str) -> tuple[str, int]:
        """Where to connect for this publisher."""
        address, _, port = self.hosts[host].rpartition(":")
        return address, int(port)

    def forget(self) -> None:
        """Forgets requests, and how often trouble was asked for: a fresh start between tests."""
        self.log.clear()
        self._trouble.forget()

    def stop(self) -> None:
        """Asks the town to end; may be called from any thread."""
        self._loop.call_soon_threadsafe(self._stopping.set)

    async def stopped(self) -> None:
        """Waits until somebody calls `stop`."""
        await self._stopping.wait()

    async def answer(
        self, publisher: TownPublisher, request: web.BaseRequest
    ) -> web.StreamResponse:
        """One request, from its arrival to its answer."""
        host = publisher.host
        in_flight = self.log.arrive(host)
        try:
            self._note(host, request, in_flight)
            if self.latency:
                await asyncio.sleep(self.latency.total_seconds())
            elsewhere = self._not_here(publisher, request)
            if elsewhere is not None:
                return elsewhere
            if host == TROUBLE_HOST:
                return await self._trouble.answer(request)
            return self._ordinary(publisher, request)
        finally:
            self.log.leave(host)

    def _note(self, host: str, request: web.BaseRequest, in_flight: int) -> None:
        path, _, query = request.raw_path.partition("?")
        self.log.add(
            LoggedRequest(
                at=time.monotonic(),
                host=host,
                method=request.method,
                path=path,
                query=query,
                headers=request.headers,
                in_flight=in_flight,
            )
        )

    def _not_here(self, publisher: TownPublisher, request: web.BaseRequest) -> web.Response | None:
        """What a request gets that was meant for another name."""
        name = request.headers.get("Host", "").rpartition(":")[0] or request.headers.get("Host", "")
        if name in (publisher.host, self.hosts[publisher.host].rpartition(":")[0]):
            return None
        if name == f"www.{publisher.host}":
            target = f"http://{publisher.host}{request.raw_path}"
            return web.Response(status=301, headers={"Location": target})
        return web.Response(status=421, text=f"{name} does not live here.\n")

    def _ordinary(self, publisher: TownPublisher, request: web.BaseRequest) -> web.Response:
        if request.method not in ("GET", "HEAD"):
            return web.Response(status=405, headers={"Allow": "GET, HEAD"})
        if request.method == "HEAD" and not publisher.behaviour.head_allowed:
            return web.Response(status=405, headers={"Allow": "GET"})
        ready = self._answers.take(publisher.host, request.raw_path)
        if ready.answer.status == 200 and _is_known(ready, request.headers):
            return web.Response(status=304, headers=_validators(ready))
        if ready.compressible and "gzip" in request.headers.get("Accept-Encoding", ""):
            headers = ready.headers.copy()
            headers["Content-Encoding"] = "gzip"
            headers["Vary"] = "Accept-Encoding"
            body = self._answers.compressed(ready)
            return web.Response(status=ready.answer.status, headers=headers, body=body)
        return web.Response(
            status=ready.answer.status, headers=ready.headers, body=ready.answer.body
        )


def _validators(ready: Ready) -> CIMultiDict[str]:
    kept = ("ETag", "Last-Modified", "Cache-Control", "Server")
    return CIMultiDict((name, ready.headers[name]) for name in kept if name in ready.headers)


def _is_known(ready: Ready, headers: Mapping[str, str]) -> bool:
    """Whether the asker holds this answer already; an entity tag goes before a date."""
    tags = headers.get("If-None-Match")
    if tags is not None:
        mine = ready.answer.etag.removeprefix("W/")
        return bool(mine) and any(
            tag.strip().removeprefix("W/") in (mine, "*") for tag in tags.split(",")
        )
    since = _http_date(headers.get("If-Modified-Since", ""))
    modified_at = ready.answer.last_modified_at
    return since is not None and modified_at is not None and modified_at <= since


def _http_date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text) if text else None
    except ValueError:
        return None
    return moment if moment is not None and moment.tzinfo else None


@asynccontextmanager
async def serve_town(
    town: Town,
    *,
    port: int = 0,
    latency: timedelta = timedelta(),
    spread: Spread = "auto",
    log_size: int = MAX_SEEN,
) -> AsyncIterator[Running]:
    """The town, served until the block is left; port 0 finds a free one."""
    publishers = list(town.publishers.values())
    sockets = bind_places(len(publishers), port=port, spread=spread)
    hosts = {
        publisher.host: "{}:{}".format(*bound.getsockname())
        for publisher, bound in zip(publishers, sockets, strict=True)
    }
    running = Running(town, hosts=hosts, latency=latency, log_size=log_size)
    loop = asyncio.get_running_loop()
    servers: list[tuple[web.Server, asyncio.Server]] = []
    try:
        for publisher, bound in zip(publishers, sockets, strict=True):
            server = web.Server(
                partial(running.answer, publisher),
                access_log=None,
                handler_cancellation=True,
                keepalive_timeout=KEEP_ALIVE.total_seconds(),
            )
            servers.append((server, await loop.create_server(server, sock=bound)))
        yield running
    finally:
        await _close(servers)
        for bound in sockets:
            bound.close()


async def _close(servers: list[tuple[web.Server, asyncio.Server]]) -> None:
    for _, listening in servers:
        listening.close()
    await asyncio.gather(*(server.shutdown(STOP_TIMEOUT.total_seconds()) for server, _ in servers))


@contextmanager
def running_town(
    town: Town,
    *,
    port: int = 0,
    latency: timedelta = timedelta(),
    spread: Spread = "auto",
    log_size: int = MAX_SEEN,
) -> Iterator[Running]:
    """As `serve_town`, in a thread with an event loop of its own: for tests without one."""
    started: Future[Running] = Future()

    async def serve() -> None:
        async with serve_town(
            town, port=port, latency=latency, spread=spread, log_size=log_size
        ) as running:
            started.set_result(running)
            await running.stopped()

    def run() -> None:
        try:
            asyncio.run(serve())
        except Exception as exc:
            if started.done():
                raise
            started.set_exception(exc)

    thread = threading.Thread(target=run, name="town", daemon=True)
    thread.start()
    running = started.result(START_TIMEOUT.total_seconds())
    try:
        yield running
    finally:
        running.stop()
        thread.join()
