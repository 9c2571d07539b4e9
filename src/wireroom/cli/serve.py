"""`wireroom serve`: the pages and the API, until it is told to stop."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from wireroom.cli.exits import OK
from wireroom.cli.session import Json, Session
from wireroom.errors import MissingExtraError, SettingsError
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.settings import Settings
    from wireroom.web.web_server import ServerOptions

Host = Annotated[
    str, typer.Option("--host", metavar="ADDRESS", help="Where to listen; else as web.host says.")
]
Port = Annotated[
    int | None, typer.Option("--port", min=0, max=65535, help="0 finds a free one (web.port).")
]
WithRun = Annotated[bool, typer.Option("--run", help="Run as well, as `wireroom run` does.")]
OpenBrowser = Annotated[bool, typer.Option("--open", help="Open the pages in a browser.")]
NoLogin = Annotated[
    bool,
    typer.Option("--let-everybody-in", help="Listen on a public address without a token."),
]
NewToken = Annotated[
    bool, typer.Option("--new-token", help="Print a new token and its hash, and end.")
]


def serve(
    session: Session,
    host: Host = "",
    port: Port = None,
    run: WithRun = False,
    open_browser: OpenBrowser = False,
    let_everybody_in: NoLogin = False,
    new_token: NewToken = False,
    json: Json = False,
) -> int:
    """Open the pages and the API in a browser.

    They listen on this machine alone; on any other address a token is wanted (web.token). Ctrl-C and SIGTERM end it.
    """
    if new_token:
        return _show_new_token(session, json=json)
    try:
        from wireroom.web.web_server import WebServer, make_web
    except ModuleNotFoundError as exc:
        raise MissingExtraError("web", "`wireroom serve`") from exc
    settings = session.load().settings
    options = _options(settings, host=host, port=port, run=run, is_open=let_everybody_in)
    with session.app() as app:
        web = make_web(app, options)
        server = WebServer(web, options)
        listening = server.bind()
        address = _address(options.host, listening.getsockname()[1])
        if json:
            session.streams.json({"url": address})
        else:
            session.streams.line(f"The pages are at {address}")
        session.streams.flush()
        session.streams.note("They are open until you press Ctrl-C.")
        if run:
            server.web.run.start()
        if open_browser:
            import webbrowser

            webbrowser.open(address)
        with _sigterm_ends_well():
            server.run(sockets=[listening])
    return OK


@contextmanager
def _sigterm_ends_well() -> Iterator[None]:
    """The server stops by SIGTERM and sends it to the process again, which would die of it instead of ending with 0."""
    before = signal.signal(signal.SIGTERM, lambda _number, _frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _options(
    settings: Settings, *, host: str, port: int | None, run: bool, is_open: bool
) -> ServerOptions:
    from wireroom.web.guards import is_loopback, known_names
    from wireroom.web.web_server import ServerOptions

    bound = host or settings.web.host
    if not (is_loopback(bound) or settings.web.token or is_open):
        raise SettingsError(
            [f"{bound} can be reached from elsewhere, and no token is set"],
            hint="Make one with: wireroom serve --new-token",
        )
    return ServerOptions(
        host=bound,
        port=settings.web.port if port is None else port,
        token=settings.web.token,
        names=known_names(bound, settings.web.names),
        proxies=settings.web.proxies,
        can_run=run,
    )


def _show_new_token(session: Session, *, json: bool) -> int:
    from hashlib import sha256
    from secrets import token_urlsafe

    token = token_urlsafe(32)
    kept = f"sha256:{sha256(token.encode()).hexdigest()}"
    if json:
        session.streams.json({"token": token, "kept": kept})
        return OK
    session.streams.line(token)
    session.streams.note(
        f'Keep it. In a settings file of your own write its hash: web.token = "{kept}"'
    )
    return OK


def _address(host: str, port: int) -> str:
    name = f"[{host}]" if ":" in host else host
    return f"http://{'127.0.0.1' if host in {'0.0.0.0', '::'} else name}:{port}/"  # noqa: S104 - shown, not bound


PLUG = Command("serve", serve, order=12)
