"""The server: the guards, every page of the room and of other packages, and uvicorn around them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from socket import IPPROTO_TCP, TCP_NODELAY, socket
from threading import Thread
from typing import TYPE_CHECKING, Any, Final

import uvicorn
from anyio import to_thread
from fastapi import APIRouter, FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from wireroom.dates.reader_clock import ReaderClock
from wireroom.ports import WebPage
from wireroom.registry import plugs
from wireroom.version import __version__
from wireroom.web.api_document import api_document
from wireroom.web.background_jobs import BackgroundJobs
from wireroom.web.count_cache import CountCache
from wireroom.web.guards import (
    MAX_HEAD,
    BoundedRequest,
    KnownHost,
    OwnPagesOnly,
    SafeHeaders,
    SignedIn,
)
from wireroom.web.live_events import EventTailer
from wireroom.web.login import Sessions
from wireroom.web.rendering import Renderer
from wireroom.web.run_control import RunControl
from wireroom.web.web_context import WebContext
from wireroom.web.web_problems import add_problem_answers

if TYPE_CHECKING:
    from types import FrameType

    from starlette.types import ASGIApp, Receive, Scope, Send

    from wireroom.app import App

API: Final = "/api/v1"
UPLOADS: Final = ("/", f"{API}/submissions")  # paths that take a list
THREADS = 3  # requests at once: Python runs one at a time, and more of them wait for one another
HEAD_TIME = 20.0  # seconds in which a connection has to send the head of its first request
MAX_CONNECTIONS = 500
BACKLOG = 256  # connections that wait to be taken
STARTING = 0.01  # seconds between two looks whether the server is there
GRACE = 5  # seconds for answers under way when the server stops


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """Where to listen, and who may come in."""

    host: str = "127.0.0.1"
    port: int = 0
    token: str = ""
    names: frozenset[str] = frozenset()
    """Names by which the server may be asked."""
    proxies: tuple[str, ...] = ()
    """Addresses whose X-Forwarded-For is believed."""
    can_run: bool = False


def make_web(app: App, options: ServerOptions) -> FastAPI:
    """Pages and API on an app; whoever asked for it closes the app."""
    pages = plugs("web.pages", WebPage)
    context = WebContext(
        app=app,
        clock=ReaderClock(app.settings.display.reader_zone()),
        pages=pages,
        renderer=Renderer(pages.values(), clock=app.clock, has_login=bool(options.token)),
        sessions=Sessions(options.token),
        jobs=BackgroundJobs(app),
        tailer=EventTailer(app),
        run=RunControl(app, allowed=options.can_run),
        counts=CountCache(),
    )

    @asynccontextmanager
    async def life(_web: FastAPI) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = THREADS
        async with context.tailer.running():
            yield
        await asyncio.to_thread(context.jobs.close)
        await asyncio.to_thread(context.run.stop, wait=10.0)

    web = FastAPI(
        title="wireroom",
        version=__version__,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=life,
    )
    web.state.web = context
    web.openapi = lambda: api_document(web, needs_token=bool(options.token))  # type: ignore[method-assign]
    _add_pages(web, pages.values())
    add_problem_answers(web)
    # Starlette puts the one that is added last outermost.
    web.add_middleware(SignedIn, sessions=context.sessions)
    web.add_middleware(OwnPagesOnly)
    web.add_middleware(BoundedRequest, uploads=UPLOADS)
    web.add_middleware(KnownHost, names=options.names)
    web.add_middleware(HeadAsGet)
    return web


def _add_pages(web: FastAPI, pages: Iterable[WebPage]) -> None:
    api = APIRouter(prefix=API)
    for page in pages:
        web.include_router(page.router, include_in_schema=False)
        if page.api is not None:
            api.include_router(page.api)
    web.include_router(api)


class HeadAsGet:
    """Answers HEAD as GET, whose body the server leaves out: those who look whether it is there ask so."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on."""
        if scope["type"] == "http" and scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}
        await self._app(scope, receive, send)


class _PatientProtocol(H11Protocol):
    """Closes a connection that sends nothing, or too slowly."""

    def connection_made(self, transport: Any) -> None:  # as uvicorn declares it
        super().connection_made(transport)
        self.loop.call_later(HEAD_TIME, self._close_if_silent)

    def _close_if_silent(self) -> None:
        transport: Any = (
            self.transport
        )  # declared as never missing, and missing until a request has come
        is_silent: Any = self.cycle is None
        if is_silent and not transport.is_closing():
            transport.close()


class WebServer(uvicorn.Server):
    """uvicorn that ends live streams as soon as it is told to stop: it would wait for them."""

    def __init__(self, web: FastAPI, options: ServerOptions) -> None:
        config = uvicorn.Config(
            SafeHeaders(
                web
            ),  # outside of everything: an answer to a fault of ours has them as well
            host=options.host,
            port=options.port,
            http=_PatientProtocol,
            ws="none",
            log_level="warning",
            access_log=False,  # addresses of pages have what people search for
            server_header=False,
            proxy_headers=bool(options.proxies),
            forwarded_allow_ips=list(options.proxies),
            limit_concurrency=MAX_CONNECTIONS,
            h11_max_incomplete_event_size=MAX_HEAD,
            timeout_graceful_shutdown=GRACE,
        )
        super().__init__(config)
        self._web: WebContext = web.state.web

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """SIGTERM or Ctrl-C."""
        super().handle_exit(sig, frame)
        asyncio.get_running_loop().create_task(self._web.tailer.end())

    @property
    def web(self) -> WebContext:
        """What its pages share."""
        return self._web

    def bind(self) -> socket:
        """The socket it listens on: whoever is told its address may come at once, and waits until all is ready."""
        listening = self.config.bind_socket()
        # Head and body are two writes: without this the body waits for the other side's belated word that the head came.
        listening.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
        listening.listen(BACKLOG)
        return listening


@contextmanager
def serving_pages(app: App, options: ServerOptions) -> Iterator[str]:
    """The pages in a thread of their own, for whoever does something else meanwhile; gives their address."""
    server = WebServer(make_web(app, options), options)
    listening = server.bind()
    thread = Thread(target=server.run, kwargs={"sockets": [listening]}, name="pages", daemon=True)
    thread.start()
    try:
        while not server.started and thread.is_alive():
            thread.join(STARTING)
        yield f"http://{options.host}:{listening.getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join(2 * GRACE)
        listening.close()
