"""By a paid service: only for listed hosts, within our limits, and its key is told to it alone."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from tests.fetch.conftest import MakeFetcher
from tests.fetch.service import Service, serving
from wireroom.errors import ExhaustedError, FetchError, RefusedError, SettingsError
from wireroom.fetch.client import Fetcher
from wireroom.model import Request
from wireroom.town import Running

KEY = "hush-hush"
COURIER = "http://courier.test/"
TROUBLE = "http://trouble.test"
LISTED = ("courier.test", "trouble.test", "gate.test")


def ask(url: str, **more: Any) -> Request:
    return Request(url=url, purpose="read", **more)


@pytest.fixture
async def service(town: Running) -> AsyncIterator[Service]:
    async with serving(town.hosts, KEY) as running:
        yield running


@pytest.fixture
def make(make_fetcher: MakeFetcher, service: Service) -> MakeFetcher:
    def made(*, key: str = KEY, url: str = "", address: str = "", **changes: Any) -> Fetcher:
        options = {
            "url": url or "http://fetching.test/v1/extract",
            "api_key": key,
            "address": address or service.place,
        }
        given = {"strategies": ("api",), "unpinned": LISTED, **changes}
        return make_fetcher(strategy_options={"api": options}, **given)

    return made


async def test_a_page_comes_with_its_own_status_headers_and_bytes(
    make: MakeFetcher, service: Service, town: Running
) -> None:
    async with make() as fetch:
        answer = await fetch(ask(COURIER))
        old = await fetch(ask(f"{TROUBLE}/etag/strong"))
        again = await fetch(ask(f"{TROUBLE}/etag/strong", validators=old.validators))
    assert (answer.status, answer.strategy, answer.final_url) == (200, "api", COURIER)
    assert b"</html>" in answer.body
    assert ("content-type", "text/html; charset=utf-8") in answer.headers
    assert (again.status, again.body) == (304, b"")
    assert service.calls[0]["url"] == "http://courier.test/robots.txt", "robots.txt is obeyed"
    assert all(call["followRedirect"] is False for call in service.calls)
    assert all("Authorization" not in seen.headers for seen in town.log)


async def test_redirects_are_ours_to_follow_and_to_judge(
    make: MakeFetcher, service: Service
) -> None:
    async with make() as fetch:
        moved = await fetch(ask(f"{TROUBLE}/moved"))
        with pytest.raises(RefusedError):
            await fetch(ask(f"{TROUBLE}/to-private"))
    assert moved.moved
    assert not any("127.0.0.1" in call["url"] for call in service.calls)


async def test_a_host_that_is_not_listed_is_refused(make: MakeFetcher, service: Service) -> None:
    async with make(unpinned=("trouble.test",)) as fetch:
        with pytest.raises(RefusedError, match=r"fetch\.unpinned"):
            await fetch(ask(COURIER))
        with pytest.raises(RefusedError, match=r"fetch\.unpinned"):
            await fetch(ask(f"{TROUBLE}/away"))
    assert not any("courier" in call["url"] for call in service.calls)


async def test_a_private_place_stays_refused_though_its_name_is_listed(
    make: MakeFetcher, service: Service
) -> None:
    async with make(unpinned=("localhost", "127.0.0.1")) as fetch:
        for url in ("http://localhost/", "http://127.0.0.1/"):
            with pytest.raises(RefusedError):
                await fetch(ask(url))
    assert service.calls == []


async def test_gone_is_gone_and_a_wrong_status_is_no_page(make: MakeFetcher) -> None:
    async with make() as fetch:
        with pytest.raises(FetchError) as caught:
            await fetch(ask(f"{TROUBLE}/gone"))
    assert caught.value.kind == "gone"


def _page(body: bytes, **more: Any) -> web.Response:
    answer = {"statusCode": 200, "httpResponseBody": base64.b64encode(body).decode(), **more}
    return web.Response(body=json.dumps(answer).encode())


FAULTS: dict[str, tuple[web.Response, str]] = {
    "rate": (web.Response(status=429, headers={"Retry-After": "7"}), "throttled"),
    "busy": (web.Response(status=503), "throttled"),
    "banned": (web.Response(status=520, body=b'{"title": "Website Ban"}'), "blocked_waf"),
    "its own error": (web.Response(status=500, body=b"<html>"), "connect"),
    "moved": (web.Response(status=302, headers={"Location": "http://10.0.0.1/"}), "connect"),
    "no json": (web.Response(body=b"<html>"), "bad_response"),
    "deep json": (web.Response(body=b"[" * 100_000), "bad_response"),
    "no status": (web.Response(body=b'{"httpResponseBody": "aGk="}'), "bad_response"),
    "odd status": (web.Response(body=b'{"statusCode": 7}'), "bad_response"),
    "no base64": (
        web.Response(body=b'{"statusCode": 200, "httpResponseBody": "~~~"}'),
        "bad_response",
    ),
    "too large": (_page(b"x" * 200_001), "too_large"),
    "far too large": (_page(b"x" * 2_000_000), "too_large"),
    "list": (web.Response(body=b"[1, 2]"), "bad_response"),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_every_fault_of_the_service_has_its_word(
    fault: str, make: MakeFetcher, service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with make() as fetch:
        await fetch(ask(COURIER))
        service.answer, kind = FAULTS[fault]
        with pytest.raises(FetchError) as caught:
            await fetch(ask(f"{COURIER}a", max_bytes=200_000))
    assert caught.value.kind == kind, str(caught.value)
    assert caught.value.url == f"{COURIER}a"
    assert KEY not in str(caught.value) + caplog.text


async def test_the_beginning_will_do_where_the_request_says_so(
    make: MakeFetcher, service: Service
) -> None:
    async with make() as fetch:
        await fetch(ask(COURIER))
        service.answer = _page(b"x" * 9000)
        start = await fetch(ask(f"{COURIER}a", max_bytes=5000, take_start=True))
    assert (len(start.body), start.truncated) == (5000, True)


async def test_a_wrong_key_is_reported_without_the_key(make: MakeFetcher) -> None:
    async with make(key="wrong-hush") as fetch:
        with pytest.raises(FetchError, match="Authentication Key Not Found") as caught:
            await fetch(ask(COURIER))
    assert caught.value.permanent
    assert "hush" not in str(caught.value)


async def test_a_service_that_is_down_is_not_held_against_the_publisher(
    make: MakeFetcher,
) -> None:
    async with make(address="127.0.0.1:9", strategies=("api", "plain")) as fetch:
        for _ in range(5):
            answer = await fetch(ask(COURIER))
            assert answer.strategy == "plain"


async def test_the_services_own_address_passes_the_guard(make_fetcher: MakeFetcher) -> None:
    for url in ("http://127.0.0.1/v1", "http://169.254.169.254/", "ftp://fetching.test/"):
        options = {"api": {"url": url, "api_key": KEY}}
        async with make_fetcher(
            strategies=("api",), unpinned=LISTED, strategy_options=options
        ) as fetch:
            with pytest.raises(FetchError, match="the fetch service: ") as caught:
                await fetch(ask(COURIER))
        assert caught.value.permanent


async def test_without_address_or_key_it_says_what_to_set(make_fetcher: MakeFetcher) -> None:
    async with make_fetcher(strategies=("api",), unpinned=LISTED) as fetch:
        with pytest.raises(SettingsError, match=r"strategy_options\.api\.api_key is not set"):
            await fetch(ask(COURIER))


async def test_it_is_asked_only_after_the_plain_strategy_failed(
    make: MakeFetcher, service: Service
) -> None:
    async with make(strategies=("plain", "api")) as fetch:
        await fetch(ask(COURIER))
        assert service.calls == []
        with pytest.raises(ExhaustedError) as caught:
            await fetch(ask("http://gate.test/"))
    assert service.calls
    assert set(caught.value.reasons) == {"plain", "api"}


async def test_the_key_is_not_sent_over_plain_http_to_another_machine(make: MakeFetcher) -> None:
    async with make(address="192.0.2.7:80") as fetch:
        with pytest.raises(FetchError, match="a key is not sent over plain http") as caught:
            await fetch(ask(COURIER))
    assert caught.value.permanent
    assert KEY not in str(caught.value)
