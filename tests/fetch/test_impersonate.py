"""With a browser's handshake: as bounded, as pinned and as honest as plain HTTP."""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
from datetime import timedelta
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from tests.fetch.conftest import MakeFetcher
from tests.fetch.tls import NAME, Authority, secure_server
from wireroom.errors import FetchError, MissingExtraError, RefusedError, SettingsError
from wireroom.fetch.client import Fetcher
from wireroom.fetch.response_errors import validators
from wireroom.fetch.strategies.impersonate import Impersonate
from wireroom.model import Request
from wireroom.ports import Hop
from wireroom.town import Running

pytest.importorskip("curl_cffi", reason="curl_cffi comes with the impersonate extra")

COURIER = "http://courier.test/"
TROUBLE = "http://trouble.test"


def ask(url: str, **more: Any) -> Request:
    return Request(url=url, purpose="read", **more)


@pytest.fixture
def make(make_fetcher: MakeFetcher) -> MakeFetcher:
    def made(options: dict[str, str] | None = None, **changes: Any) -> Fetcher:
        return make_fetcher(
            strategies=("impersonate",), strategy_options={"impersonate": options or {}}, **changes
        )

    return made


async def test_a_page_comes_by_our_own_name(town: Running, make: MakeFetcher) -> None:
    async with make(user_agent="wireroom/9 (+https://you.example/bot)") as fetch:
        answer = await fetch(ask(COURIER))
    assert (answer.status, answer.strategy) == (200, "impersonate")
    assert b"</html>" in answer.body
    for seen in town.log.requests_to("courier.test"):
        assert seen.headers["User-Agent"] == "wireroom/9 (+https://you.example/bot)"
        assert seen.headers["Host"] == "courier.test"
        assert "Cookie" not in seen.headers


async def test_the_browsers_name_is_the_operators_choice(make: MakeFetcher) -> None:
    async with make({"name": "browser", "browser": "firefox"}) as fetch:
        seen = json.loads((await fetch(ask(f"{TROUBLE}/echo"))).body)
    agent = dict(seen["headers"])["User-Agent"]
    assert "Firefox" in agent
    assert "wireroom" not in agent


async def test_an_unknown_browser_is_reported(make: MakeFetcher) -> None:
    async with make({"browser": "netscape"}) as fetch:
        with pytest.raises(SettingsError, match="netscape"):
            await fetch(ask(COURIER))


async def test_validators_and_head_work(town: Running, make: MakeFetcher) -> None:
    async with make() as fetch:
        first = await fetch(ask(f"{TROUBLE}/etag/weak"))
        assert first.validators == validators(first.headers)
        again = await fetch(ask(f"{TROUBLE}/etag/weak", validators=first.validators))
        head = await fetch(ask(COURIER, method="HEAD"))
    assert (again.status, again.body) == (304, b"")
    assert (head.status, head.body) == (200, b"")
    assert town.log.requests_to("courier.test")[-1].method == "HEAD"


REASONS = {
    "/hang": "timeout",
    "/drip-head": "timeout",
    "/to-private": "private_address",
    "/cut": "bad_response",
    "/cut-chunks": "bad_response",
    "/endless": "too_large",
    "/large": "too_large",
    "/large-promise": "too_large",
    "/bomb/gzip": "too_large",
    "/bomb/br": "too_large",
    "/bomb/zstd": "too_large",
    "/bomb/gzip-gzip": "too_large",
    "/coded/five": "bad_response",
    "/coded/cut": "bad_response",
    "/headers/many": "too_large",
    "/headers/huge": "too_large",
    "/headers/early?n=100000": "too_large",
    "/headers/no-status": "bad_response",
    "/empty": "connect",
    "/reset": "connect",
    "/loop": "redirect_loop",
}


@pytest.mark.parametrize("path", REASONS)
async def test_every_trouble_has_its_word(path: str, make: MakeFetcher) -> None:
    deadline = timedelta(seconds=1.5 if REASONS[path] == "timeout" else 30)
    started = monotonic()
    async with make(deadline=deadline) as fetch:
        with pytest.raises(FetchError) as caught:
            await fetch(ask(f"{TROUBLE}{path}"))
    assert caught.value.kind == REASONS[path], str(caught.value)
    assert monotonic() - started < deadline.total_seconds() + 10


@pytest.mark.parametrize("path", ["/coded", "/coded/raw-deflate", "/moved", "/headers/early?n=20"])
async def test_what_can_be_read_is_read(path: str, make: MakeFetcher) -> None:
    async with make() as fetch:
        assert (await fetch(ask(f"{TROUBLE}{path}"))).body


async def test_the_beginning_of_something_endless_can_be_had(make: MakeFetcher) -> None:
    async with make() as fetch:
        start = await fetch(ask(f"{TROUBLE}/endless", max_bytes=5000, take_start=True))
    assert (len(start.body), start.truncated) == (5000, True)


async def test_nothing_but_the_checked_address_is_connected_to(town: Running) -> None:
    """The name means nothing to DNS: without the pin there would be no connection at all."""
    address, port = town.address("courier.test")
    strategy = Impersonate()
    try:
        answer = await strategy.hop(_hop("http://pinned.example/", address, port))
        assert answer.status in {200, 404, 421}
        with pytest.raises(FetchError):
            await strategy.hop(_hop(f"http://{address}:{port}/", "127.66.99.99", port))
    finally:
        await strategy.close()


async def test_an_answer_from_elsewhere_is_thrown_away(town: Running) -> None:
    address, port = town.address("courier.test")
    strategy = Impersonate()
    try:
        with pytest.raises(RefusedError, match="not checked"):
            await strategy.hop(_hop(f"http://{address}:{port}/", "192.0.2.7", port))
    finally:
        await strategy.close()


async def test_no_proxy_of_the_environment_is_used(
    make: MakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with make() as fetch:
        assert (await fetch(ask(COURIER))).status == 200


@pytest.mark.parametrize("which", ["good", "unknown", "expired", "of_another_name"])
async def test_certificates_are_checked(which: str, tmp_path: Path, make: MakeFetcher) -> None:
    authority = Authority(tmp_path)
    context: ssl.SSLContext = getattr(authority, which)()
    async with (
        secure_server(context) as place,
        make({"ca_file": str(authority.file)}, hosts={NAME: place}) as fetch,
    ):
        if which == "good":
            assert b"Behind TLS" in (await fetch(ask(f"https://{NAME}/"))).body
            return
        with pytest.raises(FetchError) as caught:
            await fetch(ask(f"https://{NAME}/"))
    assert caught.value.kind == "tls"


async def test_leaving_early_leaves_nothing_behind(make: MakeFetcher) -> None:
    async with make() as fetch:
        await fetch(ask(f"{TROUBLE}/"))
        hanging = asyncio.create_task(fetch(ask(f"{TROUBLE}/hang")))
        await asyncio.sleep(0.2)
        hanging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging
        assert (await fetch(ask(f"{TROUBLE}/echo"))).status == 200
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_without_the_extra_it_says_what_to_install(
    make: MakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "curl_cffi", None)
    async with make() as fetch:
        with pytest.raises(MissingExtraError, match=r"wireroom\[impersonate\]"):
            await fetch(ask(COURIER))


def _hop(url: str, address: str, port: int) -> Hop:
    return Hop(
        url=url,
        method="GET",
        headers=(("User-Agent", "wireroom/0"),),
        addresses=(address,),
        port=port,
        max_bytes=1_000_000,
        deadline=timedelta(seconds=2),
    )
