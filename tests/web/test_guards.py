"""Who may come in, and with what."""

from __future__ import annotations

import re
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from importlib.resources import files
from urllib.parse import quote, urlsplit

import pytest
from starlette.datastructures import Headers

from tests.web.browser import addresses
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
        policy = dict(
            part.split(maxsplit=1) for part in headers["content-security-policy"].split("; ")
        )
        assert policy == {
            "default-src": "'none'",
            "script-src": "'self'",
            "style-src": "'self'",
            "img-src": "'self'",
            "connect-src": "'self'",
            "form-action": "'self'",
            "frame-src": "'self'",
            "frame-ancestors": "'none'",
            "base-uri": "'none'",
        }
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-frame-options"] == "DENY"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert not {"server", "set-cookie", "x-powered-by"} & set(headers)
    assert pages.ask("/").headers["cache-control"] == "no-store"


def test_no_page_has_a_script_or_style_of_its_own() -> None:
    """What lies in templates: text is never declared safe, and nothing stands between tags that a browser would run."""
    templates = sorted((files("wireroom.web") / "templates").iterdir(), key=str)
    assert len(templates) > 15
    for template in templates:
        text = template.read_text(encoding="utf-8")
        assert not re.search(r"\|\s*safe\b|autoescape|srcdoc|javascript:", text), template
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=", text), template
        scripts = re.findall(r"<script[^>]*>.*?</script>", text, re.DOTALL)
        assert all(re.fullmatch(r"<script [^>]*src=[^>]*></script>", script) for script in scripts)


@pytest.mark.long
def test_nothing_is_asked_for_when_it_is_loaded() -> None:
    program = """
import socket, sys

def refuse(*_arguments, **_options):
    raise AssertionError("asked for something")

socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refuse
from wireroom.ports import WebPage
from wireroom.registry import plugs
import wireroom.web.web_server
sys.exit(0 if len(plugs("web.pages", WebPage)) > 12 else 1)
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


def test_links_to_others_tell_them_nothing(shared_pages: Pages, shared_app: App) -> None:
    article = next(shared_app.articles())
    feed = next(stats.feed for stats in shared_app.feeds())
    links = []
    for path in (f"/articles/{article.id}", f"/feeds/{quote(feed.url, safe='')}"):
        page = shared_pages.ask(path).text
        links += re.findall(r'<a ([^>]*href="https?://[^>]*)>', page)
        assert not re.search(r'(?:src|action)="(?:https?:)?//', page)
    assert len(links) >= 2
    assert all('rel="noopener noreferrer nofollow"' in link for link in links)


def test_looking_changes_nothing(shared_pages: Pages, shared_app: App) -> None:
    """Whatever is asked for by GET, with the words of a form too: what changes something is a POST."""
    path = shared_app.settings.database_url.removeprefix("sqlite:///")

    def held() -> list[str]:
        with closing(sqlite3.connect(path)) as connection:
            return list(connection.iterdump())

    before = held()
    places = [*addresses(shared_app).values(), "/login", "/healthz", "/readyz", "/metrics"]
    calls = ("publishers", "feeds", "search?q=harbour", "run", "run/control", "status", "jobs")
    places += [f"/api/v1/{call}" for call in calls]
    places += ["/api/v1/purge?publisher=courier.test", "/api/v1/export/report?for=search"]
    for place in places:
        joint = "&" if "?" in place else "?"
        assert shared_pages.ask(place).status in {200, 404}, place
        for action in ("pause", "scout"):
            wanted = {400} if place.startswith(("/api/", "/trial")) else {200, 404}
            asked = f"{place}{joint}action={action}"
            assert shared_pages.ask(asked).status in wanted, asked
    for place in ("/logout", "/api/v1/retry", "/api/v1/run/start", "/jobs/x/resume"):
        assert shared_pages.ask(place).status in {404, 405}, place
    assert held() == before


def test_a_fault_of_ours_is_a_page_with_headers_and_no_traceback(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wireroom.web.pages.feeds.feed_list", None)
    answer = pages.ask("/feeds")
    assert answer.status == 500
    assert "TypeError" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert pages.ask("/api/v1/feeds").data["status"] == 500


@pytest.mark.parametrize("host", ["rebound.example", "127.0.0.1.rebound.example", "[::2]", ""])
def test_a_host_that_is_not_ours_is_refused(pages: Pages, host: str) -> None:
    for path in ("/", "/api/v1/feeds", "/static/wireroom.css", "/live/run/all"):
        answer = pages.ask(path, headers={"Host": host})
        assert answer.status == 421
        assert "courier" not in answer.text
    answer = pages.ask("/", headers={"Host": "localhost:8420"})
    assert answer.status == 200


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


def test_a_body_that_comes_too_slowly_is_refused(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wireroom.web.guards.BODY_TIME", 0.05)
    place = urlsplit(pages.url)
    head = "POST /login HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\nContent-Length: 100\r\n\r\n"
    with socket.create_connection((place.hostname, place.port), timeout=30) as slow:
        slow.sendall(head.encode() + b"token=")
        assert slow.recv(100).startswith(b"HTTP/1.1 408 ")


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


def test_hashes_are_compared_in_constant_time_and_nothing_else_decides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[tuple[bytes, bytes]] = []
    answer = True

    def compare(first: bytes, second: bytes) -> bool:
        compared.append((first, second))
        return answer

    monkeypatch.setattr("wireroom.web.login.compare_digest", compare)
    sessions = Sessions(TOKEN)
    digests = {text: sha256(text.encode()).digest() for text in (TOKEN, "wrong", "")}
    assert sessions.open("wrong", "somebody"), "the comparison was told to say yes"
    assert sessions.admits(Headers({"authorization": "Bearer wrong"}), "somebody")
    answer = False
    for token in (TOKEN, ""):
        assert not sessions.open(token, "somebody")
        assert not sessions.admits(Headers({"authorization": f"Bearer {token}"}), "somebody")
    asked = ["wrong", "wrong", TOKEN, TOKEN, "", ""]
    assert compared == [(digests[text], digests[TOKEN]) for text in asked]


def test_neither_token_nor_session_is_kept_as_it_is() -> None:
    sessions = Sessions(TOKEN)
    name = sessions.open(TOKEN, "somebody")
    assert len(name) > 40
    assert name != sessions.open(TOKEN, "somebody")
    kept = repr(vars(sessions))
    assert TOKEN not in kept
    assert name not in kept
    assert {len(digest) for digest in sessions._ends} == {32}


def test_sessions_end() -> None:
    now = 0.0
    sessions = Sessions(TOKEN, clock=lambda: now)
    name = sessions.open(TOKEN, "somebody")
    assert sessions._is_open(name)
    now = 13 * 3600.0
    assert not sessions._is_open(name)


def test_a_hash_of_the_token_will_do() -> None:
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
    usual = _options(Settings(), host="", port=None, run=False, is_open=False)
    assert (usual.host, usual.token, usual.proxies) == ("127.0.0.1", "", ())


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
