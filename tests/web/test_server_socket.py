"""The socket the server listens on."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from socket import IPPROTO_TCP, TCP_NODELAY, create_connection

from wireroom.app import open_app
from wireroom.web.web_server import ServerOptions, WebServer, make_web


def test_an_answer_does_not_wait_for_the_other_side_between_head_and_body(tmp_path: Path) -> None:
    options = ServerOptions()
    with (
        open_app(f"sqlite:///{tmp_path}/w.db") as app,
        closing(WebServer(make_web(app, options), options).bind()) as listening,
        closing(create_connection(listening.getsockname())),
        closing(listening.accept()[0]) as taken,
    ):
        assert taken.getsockopt(IPPROTO_TCP, TCP_NODELAY)
