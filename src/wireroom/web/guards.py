"""Who may come in, and with what: each rule is one small middleware that knows HTTP and no page.

Outermost first: every answer gets its headers; the Host must be ours; a body is bounded in size and time; what changes
something must come from our own pages; whoever has no session is sent to the login.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse

from wireroom.web.web_problems import plain_problem

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from wireroom.web.login import Sessions

MAX_HEAD = 64 << 10  # bytes of the head of a request
MAX_BODY = 1_000_000  # bytes of a form or of JSON; nothing that a person types is longer
MAX_UPLOAD = 5_000_000  # bytes of a list of publishers
BODY_TIME = 30.0  # seconds in which a body has to arrive
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
OWN_SITES: Final = frozenset({"same-origin", "none"})
LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "[::1]")
OPEN_PATHS: Final = ("/login", "/static/", "/healthz", "/readyz")
"""What is shown without a login: nothing of it says anything about what is held."""

CONTENT_SECURITY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class SafeHeaders:
    """Puts the headers on every answer that does not bring its own."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if not headers["X-Frame-Options"]:  # a snapshot is shown inside our own page
                    del headers["X-Frame-Options"]
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)


class KnownHost:
    """Refuses a Host header that is not ours: a stranger's name may be pointed at this very machine."""

    def __init__(self, app: ASGIApp, *, names: Collection[str]) -> None:
        self._app = app
        self._names = frozenset(map(str.lower, names))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, or refuses it."""
        if scope["type"] == "http":
            host = host_name(Headers(scope=scope).get("host", ""))
            if host not in self._names:
                answer = plain_problem(scope, 421, "This server is not known by that name.")
                await answer(scope, receive, send)
                return
        await self._app(scope, receive, send)


class BoundedRequest:
    """Bounds what is sent to us: the size of head and body, and how long the body may take."""

    def __init__(self, app: ASGIApp, *, uploads: Collection[str]) -> None:
        """`uploads` are the paths that take a file."""
        self._app = app
        self._uploads = frozenset(uploads)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, or refuses it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEAD:
            await plain_problem(scope, 431, "The head is too long.")(scope, receive, send)
            return
        if scope["method"] in SAFE_METHODS:
            await self._app(scope, receive, send)
            return
        most = MAX_UPLOAD + MAX_BODY if scope["path"] in self._uploads else MAX_BODY
        try:
            async with asyncio.timeout(BODY_TIME):
                body = await _whole_body(receive, most)
        except TimeoutError:
            await plain_problem(scope, 408, "The request took too long.")(scope, receive, send)
            return
        if body is None:
            message = f"That is more than {most // 1_000_000} MB."
            await plain_problem(scope, 413, message)(scope, receive, send)
            return
        await self._app(scope, _given(body, receive), send)


async def _whole_body(receive: Receive, most: int) -> bytes | None:
    """The body; None for one that is too long."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b"".join(parts)
        part = message.get("body", b"")
        size += len(part)
        if size > most:
            return None
        parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts)


def _given(body: bytes, receive: Receive) -> Receive:
    """Gives the body that was read already, then whatever comes."""
    is_given = False

    async def again() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


class OwnPagesOnly:
    """Refuses a change that another site had a browser send (CSRF).

    A browser says whence a request comes; a program that says nothing has no session of a browser to abuse.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, or refuses it."""
        if scope["type"] == "http" and scope["method"] not in SAFE_METHODS:
            problem = foreign_request(Headers(scope=scope))
            if problem:
                await plain_problem(scope, 403, problem)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def foreign_request(headers: Headers) -> str:
    """Why this change is not taken; empty where it is."""
    site = headers.get("sec-fetch-site")
    if (
        site is not None
    ):  # a browser of today; Origin is "null" there, for pages of ours name no referrer
        return "" if site in OWN_SITES else "This form was sent by another site."
    origin = headers.get("origin")
    if origin is not None:
        is_own = urlsplit(origin).netloc.lower() == headers.get("host", "").lower()
        return "" if is_own else "This form was sent by another site."
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if "cookie" in headers and kind != "application/json":
        return "A browser that does not say whence a form comes cannot be told from an abused one."
    return ""


class SignedIn:
    """Sends whoever has no session and no token to the login; the API is told 401."""

    def __init__(self, app: ASGIApp, *, sessions: Sessions) -> None:
        self._app = app
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, or asks for a login."""
        if scope["type"] != "http" or self._is_free(scope):
            await self._app(scope, receive, send)
            return
        headers, address = Headers(scope=scope), _address(scope)
        sends_token = has_token(headers)
        if sends_token and self._sessions.must_wait(address):
            answer = plain_problem(
                scope, 429, "Too many wrong tokens within a minute: wait a minute."
            )
            answer.headers["Retry-After"] = "60"
            await answer(scope, receive, send)
            return
        if self._sessions.admits(headers, address):
            await self._app(scope, receive, send)
            return
        if (
            scope["method"] in SAFE_METHODS
            and not scope["path"].startswith("/api/")
            and not sends_token
        ):
            here = quote(scope["path"], safe="/")
            if scope["query_string"]:
                here += "?" + scope["query_string"].decode("latin-1")
            to_login = RedirectResponse(f"/login?next={quote(here, safe='')}", status_code=303)
            await to_login(scope, receive, send)
            return
        answer = plain_problem(scope, 401, "A token is needed.")
        answer.headers["WWW-Authenticate"] = "Bearer"
        await answer(scope, receive, send)

    def _is_free(self, scope: Scope) -> bool:
        return not self._sessions.needed or is_open(scope["path"])


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else ""


def has_token(headers: Headers) -> bool:
    """Whether a request brings a token, right or wrong."""
    return headers.get("authorization", "").partition(" ")[0].lower() == "bearer"


def is_open(path: str) -> bool:
    """Whether a path is shown to everybody."""
    return any(
        path.startswith(open_path) if open_path.endswith("/") else path == open_path
        for open_path in OPEN_PATHS
    )


def host_name(header: str) -> str:
    """The name in a Host header, without its port."""
    text = header.strip().lower()
    if text.startswith("["):
        return text.partition("]")[0] + "]"
    return text.partition(":")[0]


def known_names(bound: str, others: Iterable[str]) -> frozenset[str]:
    """The names by which the server may be asked: where it listens, this machine, and those that are set."""
    own = f"[{bound}]" if ":" in bound else bound
    return frozenset({*LOOPBACK_NAMES, own.lower(), *map(str.lower, others)})


def is_loopback(host: str) -> bool:
    """Whether only this machine can come in there."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"
