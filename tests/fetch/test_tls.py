"""TLS with real certificates, and redirects between http and https, this origin and others."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from tests.fetch.conftest import MakeFetcher
from tests.fetch.tls import NAME, Authority, secure_server
from wireroom.errors import FetchError, SettingsError
from wireroom.model import Request, Validators
from wireroom.town import Running

HOME = f"https://{NAME}/"
TROUBLE = "http://trouble.test"


def ask(url: str, etag: str = "") -> Request:
    return Request(url=url, purpose="read", validators=Validators(etag=etag))


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


async def test_a_certificate_of_a_trusted_authority_is_trusted(
    authority: Authority, make_fetcher: MakeFetcher
) -> None:
    trust = {"plain": {"ca_file": str(authority.file)}}
    async with (
        secure_server(authority.good()) as place,
        make_fetcher(hosts={NAME: place}, strategy_options=trust) as fetch,
    ):
        assert b"Behind TLS" in (await fetch(ask(HOME))).body


@pytest.mark.parametrize(
    ("which", "why"),
    [("unknown", "verify failed"), ("expired", "expired"), ("of_another_name", "mismatch")],
)
async def test_any_other_is_tls_and_says_why(
    which: str, why: str, authority: Authority, make_fetcher: MakeFetcher
) -> None:
    context: ssl.SSLContext = getattr(authority, which)()
    trust = {"plain": {"ca_file": str(authority.file)}}
    async with (
        secure_server(context) as place,
        make_fetcher(hosts={NAME: place}, strategy_options=trust) as fetch,
    ):
        with pytest.raises(FetchError, match=f"TLS: .*{why}") as caught:
            await fetch(ask(HOME))
    assert caught.value.kind == "tls"
    assert not caught.value.permanent, "a certificate can be renewed"


async def test_nobody_is_trusted_unasked(authority: Authority, make_fetcher: MakeFetcher) -> None:
    async with (
        secure_server(authority.good()) as place,
        make_fetcher(hosts={NAME: place}) as fetch,
    ):
        with pytest.raises(FetchError, match="TLS") as caught:
            await fetch(ask(HOME))
    assert caught.value.kind == "tls"


async def test_a_missing_file_of_certificates_is_a_wrong_setting(
    make_fetcher: MakeFetcher, tmp_path: Path
) -> None:
    trust = {"plain": {"ca_file": str(tmp_path / "none.pem")}}
    async with make_fetcher(strategy_options=trust) as fetch:
        with pytest.raises(SettingsError, match=r"none\.pem"):
            await fetch(ask("http://courier.test/"))


async def test_http_to_https_to_http_each_origin_is_judged_and_none_learns_of_another(
    authority: Authority, town: Running, make_fetcher: MakeFetcher
) -> None:
    away = {"/in": "http://courier.test/about"}
    trust = {"plain": {"ca_file": str(authority.file)}}
    async with (
        secure_server(authority.good(), redirects=away) as place,
        make_fetcher(hosts={**town.hosts, NAME: place}, strategy_options=trust) as fetch,
    ):
        answer = await fetch(ask(f"{TROUBLE}/to?url=https://{NAME}/in", etag='"ours"'))
        behind = await fetch(ask(f"{TROUBLE}/to?url=https://{NAME}/end", etag='"ours"'))
    assert answer.final_url == "http://courier.test/about"
    assert [url.split("/")[0] for url in answer.hops] == ["http:", "https:", "http:"]
    assert not answer.moved
    assert town.log.requests_to("courier.test")[0].path == "/robots.txt"
    for name in (b"If-None-Match", b"Referer", b"Cookie", b"Authorization"):
        assert name not in behind.body
    for seen in town.log.requests_to("courier.test"):
        assert not {"If-None-Match", "Referer", "Cookie", "Authorization"} & set(seen.headers)


async def test_https_may_not_lead_inside(authority: Authority, make_fetcher: MakeFetcher) -> None:
    inside = {
        f"/{n}": url for n, url in enumerate(["http://127.0.0.1/", "//localhost/", "file:/x"])
    }
    trust = {"plain": {"ca_file": str(authority.file)}}
    async with (
        secure_server(authority.good(), redirects=inside) as place,
        make_fetcher(hosts={NAME: place}, strategy_options=trust) as fetch,
    ):
        for path in inside:
            with pytest.raises(FetchError) as caught:
                await fetch(ask(f"https://{NAME}{path}"))
            assert caught.value.kind == "private_address"
