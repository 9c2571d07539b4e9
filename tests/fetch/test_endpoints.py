"""Endpoints are remembered: what it said of an origin holds for its pages, and not a moment longer."""

from __future__ import annotations

from datetime import timedelta

import pytest

from wireroom.errors import RefusedError
from wireroom.fetch import resolver as resolver_module
from wireroom.fetch.fetch_options import FetchOptions
from wireroom.fetch.http1 import _harmless
from wireroom.fetch.resolver import Endpoint, Endpoints, Resolver

LEFT = timedelta(seconds=5)
PUBLIC = ("93.184.215.14",)


async def _found(endpoints: Endpoints, url: str, *, pins: bool = True) -> Endpoint:
    endpoint, _ = await endpoints.find(url, LEFT, pins=pins)
    return endpoint


async def test_pages_of_one_origin_are_judged_once() -> None:
    endpoints = Endpoints(FetchOptions(hosts={"courier.test": "127.66.0.1:8080"}), Resolver())
    assert endpoints.known("http://courier.test/a") is None
    endpoint = await _found(endpoints, "http://courier.test/a")
    assert (endpoint.addresses, endpoint.port) == (("127.66.0.1",), 8080)
    assert endpoints.known("http://courier.test/b?c=1") is endpoint
    for other in (
        "https://courier.test/a",
        "http://courier.test:81/a",
        "http://www.courier.test/a",
        "http://courier.testx",
        "http://u@courier.test/a",
        "http://courier.test?/a",
    ):
        assert endpoints.known(other) is None, other


@pytest.mark.parametrize("tail", ["a b", "a\\b", "a\u200bb", "a\tb", "a" * 9000])
async def test_what_is_wrong_with_one_page_is_seen_on_every_page(tail: str) -> None:
    endpoints = Endpoints(FetchOptions(hosts={"courier.test": "127.66.0.1:8080"}), Resolver())
    await _found(endpoints, "http://courier.test/")
    with pytest.raises(RefusedError):
        endpoints.known(f"http://courier.test/{tail}")


async def test_a_host_that_is_no_longer_pinned_is_judged_anew() -> None:
    hosts = {"courier.test": "127.66.0.1:8080"}
    endpoints = Endpoints(FetchOptions(hosts=hosts), Resolver())
    await _found(endpoints, "http://courier.test/")
    hosts["courier.test"] = "127.66.0.2:8080"
    assert endpoints.known("http://courier.test/") is None
    assert (await _found(endpoints, "http://courier.test/")).addresses == ("127.66.0.2",)


async def test_a_name_that_leads_inward_with_its_next_answer_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = [PUBLIC, ("10.0.0.7",)]
    monkeypatch.setattr(resolver_module, "_addresses", lambda _host: answers.pop(0))
    asked = Resolver()
    endpoints = Endpoints(FetchOptions(), asked)
    endpoint = await _found(endpoints, "http://courier.example/a")
    assert endpoints.known("http://courier.example/b") is endpoint
    monkeypatch.setattr(resolver_module, "KEPT_FOR", -1.0)
    asked._known.clear()
    assert endpoints.known("http://courier.example/c") is None
    with pytest.raises(RefusedError, match=r"10\.0\.0\.7"):
        await _found(endpoints, "http://courier.example/c")
    assert endpoints.known("http://courier.example/d") is None
    await asked.close()


async def test_a_strategy_that_resolves_by_itself_gets_listed_hosts_alone() -> None:
    options = FetchOptions(hosts={"a.test": "127.66.0.1:1", "b.test": "127.66.0.1:1"})
    endpoints = Endpoints(options, Resolver())
    with pytest.raises(RefusedError, match=r"fetch\.unpinned"):
        await _found(endpoints, "http://a.test/", pins=False)


async def test_the_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wireroom.fetch.resolver.MAX_ORIGINS", 3)
    hosts = {f"h{n}.test": "127.66.0.1:80" for n in range(5)}
    endpoints = Endpoints(FetchOptions(hosts=hosts), Resolver())
    for host in hosts:
        await _found(endpoints, f"http://{host}/")
    known = [host for host in hosts if endpoints.known(f"http://{host}/") is not None]
    assert known == ["h2.test", "h3.test", "h4.test"]


HEAD = b"HTTP/1.1 200 OK\r\nServer: a\r\n%s\r\n\r\n"


@pytest.mark.parametrize(
    ("data", "body"),
    [
        (HEAD % b"Content-Length: 5" + b"12345", 5),
        (HEAD % b"content-length:5" + b"123", 3),
        (HEAD % b"Transfer-Encoding: chunked" + b"3\r\nabc", 6),
        (HEAD % b"Content-Length: 5" + b"123456", -1),
        (HEAD % b"Content-Length: 5\r\nContent-Length: 9" + b"1234", -1),
        (HEAD % b"Content-Length: 5\r\nTransfer-Encoding: chunked" + b"1234", -1),
        (HEAD % b"Transfer-Encoding: gzip, chunked" + b"1234", -1),
        (HEAD % b"Content-Length: 5, 5" + b"1234", -1),
        (HEAD % b"Content-Length : 5" + b"1234", -1),
        (HEAD % b"Date: x" + b"1234", -1),
        (b"HTTP/1.1 103 Early Hints\r\nContent-Length: 5\r\n\r\n", -1),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", -1),
        (b"12345", -1),
    ],
)
def test_only_a_body_that_is_plainly_not_too_long_goes_the_short_way(
    data: bytes, body: int
) -> None:
    assert _harmless(data) == body
