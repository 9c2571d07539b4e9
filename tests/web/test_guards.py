"""Who may come in, and with what."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.web.serving import OWN, TOKEN, Pages, serving
from wireroom.app import App
from wireroom.errors import SettingsError
from wireroom.web.guards import MAX_BODY, is_loopback
from wireroom.web.login import FAILURES, Sessions, safe_next
from wireroom.web.web_server import ServerOptions


@pytest.fixture
def locked(web_app: App) -> Iterator[Pages]:
    with serving(web_app, token=TOKEN) as served:
        yield served


def test_every_answer_has_its_headers(pages: Pages) -> None:
    for path in ("/", "/nowhere", "/static/wireroom.css", "/api/v1/openapi.json"):
        headers = pages.ask(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-frame-options"] == "DENY"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert "server" not in headers
    assert pages.ask("/").headers["cache-control"] == "no-store"


def test_a_fault_of_ours_is_a_page_with_headers_and_no_traceback(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wireroom.web.pages.feeds.feed_list", None)
    answer = pages.ask("/feeds")
    assert answer.status == 500
    assert "TypeError" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert pages.ask("/api/v1/feeds").data["status"] == 500


def test_a_host_that_is_not_ours_is_refused(pages: Pages) -> None:
    answer = pages.ask("/", headers={"Host": "rebound.example"})
    assert answer.status == 421
    assert "courier" not in answer.text


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Cookie": "wireroom_session=x"},
    ],
)
def test_a_form_of_another_site_is_refused(pages: Pages, headers: dict[str, str]) -> None:
    answer = pages.post("/publishers/courier.test", headers=headers, action="scout")
    assert answer.status == 403


def test_a_form_of_our_own_is_taken_and_leads_to_a_page(pages: Pages) -> None:
    answer = pages.post("/", address="courier.test")
    assert (answer.status, answer.headers["location"]) == (303, "/publishers/courier.test")


def test_a_body_that_is_too_long_is_refused(pages: Pages) -> None:
    answer = pages.ask("/login", method="POST", body=b"x" * (MAX_BODY + 1), headers=OWN)
    assert answer.status == 413


def test_a_head_that_is_too_long_is_refused(pages: Pages) -> None:
    assert pages.ask("/", headers={"X-Long": "x" * 100_000}).status == 431


def test_a_connection_that_sends_nothing_is_closed(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wireroom.web.web_server.HEAD_TIME", 0.05)
    place = urlsplit(pages.url)
    with socket.create_connection((place.hostname, place.port), timeout=30) as silent:
        silent.sendall(b"GET / HTTP/1.1\r\nHost: ")
        assert silent.recv(100) == b""


@pytest.mark.parametrize("path", ["/", "/publishers/courier.test", "/live/publisher/courier.test"])
def test_without_a_session_one_is_sent_to_the_login(locked: Pages, path: str) -> None:
    answer = locked.ask(path)
    assert answer.status == 303
    assert answer.headers["location"].startswith("/login?next=%2F")
    assert "courier" not in answer.text.replace(path, "")


def test_the_api_wants_the_token(locked: Pages) -> None:
    answer = locked.ask("/api/v1/openapi.json")
    assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert answer.headers["content-type"] == "application/problem+json"
    given = {"Authorization": f"Bearer {TOKEN}"}
    assert locked.ask("/api/v1/openapi.json", headers=given).status == 200
    wrong = {"Authorization": "Bearer another"}
    assert locked.ask("/api/v1/openapi.json", headers=wrong).status == 401


def test_the_token_is_exchanged_for_a_session(locked: Pages) -> None:
    answer = locked.post("/login", token=TOKEN, next="/publishers/courier.test")
    assert (answer.status, answer.headers["location"]) == (303, "/publishers/courier.test")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKEN not in cookie
    session = {"Cookie": cookie.partition(";")[0]}
    assert locked.ask("/", headers=session).status == 200
    assert locked.post("/logout", headers={**OWN, **session}).status == 303
    assert locked.ask("/", headers=session).status == 303


def test_five_wrong_tokens_and_one_waits(locked: Pages) -> None:
    statuses = [locked.post("/login", token=f"wrong-{n}").status for n in range(FAILURES)]
    assert statuses == [401] * FAILURES
    assert locked.post("/login", token=TOKEN).status == 429


def test_sessions_end() -> None:
    now = 0.0
    sessions = Sessions(TOKEN, clock=lambda: now)
    name = sessions.open(TOKEN, "somebody")
    assert sessions._is_open(name)
    now = 13 * 3600.0
    assert not sessions._is_open(name)


def test_a_hash_of_the_token_will_do() -> None:
    from hashlib import sha256

    kept = f"sha256:{sha256(TOKEN.encode()).hexdigest()}"
    assert Sessions(kept).open(TOKEN, "somebody")
    assert not Sessions(kept).open(kept, "somebody")


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("/search?q=a", "/search?q=a"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("https://evil.example", "/"),
        ("\t//evil.example", "/"),
        ("/\t/evil.example", "/"),
        ("", "/"),
    ],
)
def test_after_the_login_one_stays_here(text: str, path: str) -> None:
    assert safe_next(text) == path


def test_an_address_of_our_own_network_is_refused_and_tells_nothing(pages: Pages) -> None:
    answer = pages.post("/", address="http://127.0.0.1:22/")
    assert answer.status in {303, 400, 403}
    assert (
        "22"
        not in pages.ask("/publishers/127.0.0.1").text.partition("<main")[2].partition("</main")[0]
    )


@pytest.mark.parametrize(
    ("host", "inside"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("192.0.2.1", False),
    ],
)
def test_what_is_loopback(host: str, inside: bool) -> None:
    assert is_loopback(host) is inside


def test_a_public_address_needs_a_token() -> None:
    from wireroom.cli.serve import _options
    from wireroom.settings import Settings

    with pytest.raises(SettingsError, match="no token is set"):
        _options(Settings(), host="0.0.0.0", port=None, run=False, is_open=False)
    opened = _options(Settings(), host="0.0.0.0", port=None, run=False, is_open=True)
    assert isinstance(opened, ServerOptions)


def test_one_reader_starts_so_many_scouts_a_minute(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wireroom.web.background_jobs.PER_MINUTE", 2)
    assert [pages.post("/", address=f"n{n}.invalid").status for n in range(3)] == [303, 303, 429]
    assert pages.post("/", address="n0.invalid").status in {303, 429}


def test_so_much_waits_at_most(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wireroom.web.background_jobs.MAX_WAITING", 0)
    answer = pages.post("/", address="phare.test")
    assert (answer.status, answer.headers["retry-after"]) == (429, "60")
