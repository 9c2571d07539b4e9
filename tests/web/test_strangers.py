"""What strangers send: names of their own for where they come from, lines in headers, and streams that they leave open."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from time import monotonic, sleep
from urllib.parse import urlsplit

import pytest

from tests.web.serving import TOKEN, Pages, serving
from wireroom.app import App
from wireroom.web import live_events
from wireroom.web.guards import known_names
from wireroom.web.web_server import ServerOptions, serving_pages


@contextmanager
def behind(app: App, *proxies: str) -> Iterator[Pages]:
    """Pages that want a token and believe these proxies."""
    names = known_names("127.0.0.1", ())
    options = ServerOptions(token=TOKEN, names=names, proxies=proxies)
    with serving_pages(app, options) as address:
        yield Pages(address.rstrip("/"))


def guesses(pages: Pages) -> list[int]:
    """What six wrong tokens are answered, each as if from another address."""
    return [
        pages.post(
            "/login",
            {"Sec-Fetch-Site": "same-origin", "X-Forwarded-For": f"198.51.100.{number}"},
            token=f"wrong{number}",
        ).status
        for number in range(6)
    ]


def test_who_says_where_it_comes_from_is_believed_only_if_it_is_a_proxy_of_ours(
    web_app: App,
) -> None:
    with behind(web_app) as pages:
        answers = guesses(pages)
        assert answers[-1] == 429, "all of them came from here"
        assert 429 not in answers[:5]
    with behind(web_app, "127.0.0.1") as pages:
        assert 429 not in guesses(pages)


def test_a_line_in_what_is_typed_becomes_no_header(pages: Pages) -> None:
    bad = "phare.test\r\nSet-Cookie: a=b\r\n\r\n<script>"
    answers = [
        pages.post("/", address=bad),
        pages.post(f"/publishers/{'phare.test%0d%0aSet-Cookie:%20a=b'}", action="scout"),
        pages.ask("/search/export?form=csv%0d%0aSet-Cookie:%20a=b"),
        pages.ask("/login?next=%2F%0d%0aSet-Cookie:%20a=b"),
    ]
    for answer in answers:
        assert "set-cookie" not in answer.headers
        assert "\n" not in "".join(answer.headers.values())


def test_nothing_of_a_request_stands_in_the_log(
    web_app: App, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with serving(web_app, token=TOKEN) as pages:
        headers = {"Authorization": f"Bearer {TOKEN}", "Cookie": "secret-cookie=1"}
        assert pages.ask("/api/v1/search?q=secret-words", headers=headers).status == 200
        pages.ask("/api/v1/search?q=secret-words", headers={"Authorization": "Bearer secret-guess"})
    for secret in (TOKEN, "secret-cookie", "secret-words", "secret-guess"):
        assert secret not in caplog.text


def _open_stream(pages: Pages) -> tuple[HTTPConnection, int]:
    place = urlsplit(pages.url)
    connection = HTTPConnection(place.hostname or "", place.port or 0, timeout=60)
    connection.request("GET", "/live/publisher/alminaa.test")
    return connection, connection.getresponse().status


def test_so_many_streams_are_open_over_all_readers(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_events, "MAX_STREAMS", 2)
    opened = [_open_stream(pages) for _ in range(3)]
    assert [status for _, status in opened] == [200, 200, 429]
    for connection, _ in opened:
        connection.close()
    # Whoever goes away gives its place back.
    ends = monotonic() + 60
    while True:
        connection, status = _open_stream(pages)
        connection.close()
        if status == 200:
            return
        assert monotonic() < ends
        sleep(0.2)
