"""Through a proxy: the tunnel leads to the checked address, and its password is nobody's business."""

from __future__ import annotations

import logging
import socket
import ssl
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.fetch.conftest import MakeFetcher
from tests.fetch.proxies import Diary, http_connect, socks5
from tests.fetch.tls import NAME, Authority, secure_server
from wireroom.errors import FetchError, MissingExtraError, RefusedError
from wireroom.fetch.strategies.proxy import Proxy
from wireroom.model import Request
from wireroom.town import Running

pytest.importorskip("python_socks", reason="python-socks comes with the socks extra")

COURIER = "http://courier.test/"
MakeProxy = Callable[..., AbstractAsyncContextManager[Diary]]
KINDS = pytest.mark.parametrize(
    ("scheme", "make"), [("socks5", socks5), ("http", http_connect), ("socks5h", socks5)]
)


def ask(url: str, proxy: str = "") -> Request:
    return Request(url=url, purpose="read", proxy=proxy)


@KINDS
async def test_the_tunnel_leads_to_the_checked_address_for_robots_too(
    scheme: str, make: MakeProxy, town: Running, make_fetcher: MakeFetcher
) -> None:
    async with make() as diary, make_fetcher() as fetch:
        answer = await fetch(ask(COURIER, f"{scheme}://127.0.0.1:{diary.port}"))
    assert (answer.status, answer.strategy) == (200, "proxy")
    assert set(diary.tunnels) == {town.address("courier.test")}, "an address, never a name"
    assert [seen.path for seen in town.log.requests_to("courier.test")] == ["/robots.txt", "/"]


async def test_each_request_may_have_its_own_proxy_and_none_goes_without(
    town: Running, make_fetcher: MakeFetcher
) -> None:
    async with socks5() as first, http_connect() as second, make_fetcher() as fetch:
        for host, proxy in (
            ("courier.test", f"socks5://127.0.0.1:{first.port}"),
            ("phare.test", f"http://127.0.0.1:{second.port}"),
        ):
            await fetch(ask(f"http://{host}/", proxy))
    assert set(first.tunnels) == {town.address("courier.test")}
    assert set(second.tunnels) == {town.address("phare.test")}


async def test_a_default_proxy_serves_requests_that_name_none(
    town: Running, make_fetcher: MakeFetcher
) -> None:
    async with socks5() as diary:
        options = {"proxy": {"url": f"socks5://127.0.0.1:{diary.port}"}}
        async with make_fetcher(strategies=("proxy",), strategy_options=options) as fetch:
            await fetch(ask(COURIER))
    assert diary.tunnels


async def test_robots_txt_is_asked_by_the_strategy_that_reaches_the_host(
    town: Running, make_fetcher: MakeFetcher
) -> None:
    """Nobody listens at its address for us; behind the proxy there is a way."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    async with socks5(to=town.address("courier.test")) as diary:
        changes: dict[str, Any] = {
            "hosts": {"courier.test": f"127.0.0.1:{port}"},
            "strategies": ("plain", "proxy"),
            "strategy_options": {"proxy": {"url": f"socks5://127.0.0.1:{diary.port}"}},
        }
        async with make_fetcher(**changes) as fetch:
            answer = await fetch(ask(COURIER))
            again = await fetch(ask(COURIER))
    assert (answer.status, answer.strategy) == (200, "proxy")
    assert again.strategy == "proxy"
    asked = [seen.path for seen in town.log.requests_to("courier.test")]
    assert asked.count("/robots.txt") == 1
    assert asked[0] == "/robots.txt"


async def test_no_proxy_at_all_is_reported(make_fetcher: MakeFetcher) -> None:
    async with make_fetcher(strategies=("proxy",)) as fetch:
        with pytest.raises(FetchError, match="no proxy is set"):
            await fetch(ask(COURIER))


@KINDS
async def test_the_password_goes_to_the_proxy(
    scheme: str, make: MakeProxy, town: Running, make_fetcher: MakeFetcher
) -> None:
    async with make("desk:h%sh") as diary, make_fetcher() as fetch:
        await fetch(ask(COURIER, f"{scheme}://desk:h%25sh@127.0.0.1:{diary.port}"))
    assert set(diary.logins) == {"desk:h%sh"}
    for seen in town.log:
        assert "Proxy-Authorization" not in seen.headers
        assert "Authorization" not in seen.headers


def _everything_shown(error: BaseException | None, caplog: pytest.LogCaptureFixture) -> str:
    """Everything a person or a log could be shown of an error, its causes included."""
    texts = [str(record.__dict__) for record in caplog.records]
    while error is not None:
        texts.append(f"{error} {error.args}")
        error = error.__cause__ or error.__context__
    return "\n".join(texts)


@pytest.mark.parametrize(
    "proxy",
    [
        "socks5://desk:hush@127.0.0.1:{dead}",
        "http://desk:hush@127.0.0.1:{dead}",
        "socks5://desk:hush@127.0.0.1:{live}",
        "ftp://desk:hush@127.0.0.1:{live}",
        "socks5://desk:hush@127.0.0.1:hush",
        "socks5://desk:hush@",
        "hush",
    ],
)
async def test_whatever_is_wrong_with_a_proxy_its_password_is_not_shown(
    proxy: str, town: Running, make_fetcher: MakeFetcher, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with socks5("desk:another") as diary, make_fetcher() as fetch:
        with pytest.raises(FetchError) as caught:
            await fetch(ask(COURIER, proxy.format(dead=_free_port(), live=diary.port)))
    assert caught.value.kind == "connect"
    assert "prox" in str(caught.value)
    assert "hush" not in _everything_shown(caught.value, caplog)
    assert town.log.count() == 0, "never without the proxy"


async def test_a_proxy_that_cannot_reach_the_server_is_connect(make_fetcher: MakeFetcher) -> None:
    hosts = {"dead.test": f"127.0.0.1:{_free_port()}"}
    for make in (socks5, http_connect):
        async with make() as diary, make_fetcher(hosts=hosts) as fetch:
            scheme = "socks5" if make is socks5 else "http"
            with pytest.raises(FetchError, match="no tunnel") as caught:
                await fetch(ask("http://dead.test/", f"{scheme}://127.0.0.1:{diary.port}"))
        assert caught.value.kind == "connect"


async def test_a_proxy_that_says_nothing_ends_at_the_deadline(make_fetcher: MakeFetcher) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        proxy = f"socks5://127.0.0.1:{silent.getsockname()[1]}"
        async with make_fetcher(deadline=timedelta(seconds=0.5)) as fetch:
            with pytest.raises(FetchError) as caught:
                await fetch(ask(COURIER, proxy))
    assert caught.value.kind == "timeout"


async def test_the_guard_judges_before_any_proxy_is_asked(make_fetcher: MakeFetcher) -> None:
    async with socks5() as diary, make_fetcher() as fetch:
        with pytest.raises(RefusedError):
            await fetch(ask("http://127.0.0.1/", f"socks5://127.0.0.1:{diary.port}"))
        with pytest.raises(RefusedError):
            await fetch(ask("http://trouble.test/to-private", f"socks5://127.0.0.1:{diary.port}"))
    assert {port for _, port in diary.tunnels} != {80}


@pytest.mark.parametrize("which", ["good", "unknown", "of_another_name"])
async def test_tls_is_checked_behind_the_proxy(
    which: str, tmp_path: Path, make_fetcher: MakeFetcher
) -> None:
    authority = Authority(tmp_path)
    context: ssl.SSLContext = getattr(authority, which)()
    options = {"proxy": {"ca_file": str(authority.file)}}
    async with (
        socks5() as diary,
        secure_server(context) as place,
        make_fetcher(hosts={NAME: place}, strategy_options=options) as fetch,
    ):
        request = ask(f"https://{NAME}/", f"socks5://127.0.0.1:{diary.port}")
        if which == "good":
            assert b"Behind TLS" in (await fetch(request)).body
            return
        with pytest.raises(FetchError, match="TLS") as caught:
            await fetch(request)
    assert caught.value.kind == "tls"


async def test_without_the_extra_it_says_what_to_install(
    make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(_options: Any) -> Proxy:
        raise ImportError("python_socks")

    async with make_fetcher() as fetch:
        plug = fetch._strategies.plug("proxy")
        monkeypatch.setitem(
            fetch._strategies._plugs,
            "proxy",
            type(plug)(plug.name, missing, plug.extra, proxied=True),
        )
        with pytest.raises(MissingExtraError, match=r"wireroom\[socks\]"):
            await fetch(ask(COURIER, "socks5://127.0.0.1:1"))


def _free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])
