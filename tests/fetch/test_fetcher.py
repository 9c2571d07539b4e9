"""One fetch function for everything: guarded, polite, bounded, and it says why not."""

from __future__ import annotations

import socket
from datetime import timedelta
from time import monotonic
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.budget import cpu_within
from tests.fetch.conftest import MakeFetcher
from wireroom.errors import (
    BlockedError,
    ExhaustedError,
    FetchError,
    RefusedError,
    SettingsError,
    StatusError,
    TooLargeError,
    UnreachableError,
    WireroomError,
)
from wireroom.fetch.client import _NORMAL
from wireroom.fetch.fetch_options import FetchOptions, Manners
from wireroom.model import Purpose, Request, Validators
from wireroom.town import Running
from wireroom.urls import fetch_url

COURIER = "http://courier.test/"
TROUBLE = "http://trouble.test"


def ask(url: str, *, purpose: Purpose = "read", **more: Any) -> Request:
    return Request(url=url, purpose=purpose, **more)


# --- a good answer -----------------------------------------------------------------------------


async def test_a_page_comes_back_whole_and_decoded(make_fetcher: MakeFetcher) -> None:
    async with make_fetcher() as fetch:
        response = await fetch(ask(COURIER))
    assert response.status == 200
    assert b"</html>" in response.body
    assert (response.url, response.final_url, response.strategy) == (COURIER, COURIER, "plain")
    assert response.fetched_at.tzinfo is not None


async def test_we_say_who_we_are_and_keep_no_cookies(
    town: Running, make_fetcher: MakeFetcher
) -> None:
    async with make_fetcher(user_agent="wireroom/9 (+https://you.example/bot)") as fetch:
        await fetch(ask(f"{TROUBLE}/cookie/set"))
        checked = await fetch(ask(f"{TROUBLE}/cookie/check"))
    assert checked.body.strip() == b"no"
    for seen in town.log.requests_to("trouble.test"):
        assert seen.headers["User-Agent"] == "wireroom/9 (+https://you.example/bot)"
        assert "Cookie" not in seen.headers
        assert "Referer" not in seen.headers


async def test_head_asks_for_the_head_alone(town: Running, make_fetcher: MakeFetcher) -> None:
    async with make_fetcher() as fetch:
        response = await fetch(ask(COURIER, method="HEAD"))
    assert (response.status, response.body) == (200, b"")
    assert town.log.requests_to("courier.test")[-1].method == "HEAD"


async def test_validators_go_back_exactly_and_304_is_a_result(
    town: Running, make_fetcher: MakeFetcher
) -> None:
    from wireroom.fetch.response_errors import validators

    async with make_fetcher() as fetch:
        for path in ("/etag/strong", "/etag/weak", "/etag/odd", "/modified/odd"):
            first = await fetch(ask(f"{TROUBLE}{path}"))
            kept = validators(first.headers)
            assert kept != Validators(), path
            second = await fetch(ask(f"{TROUBLE}{path}", validators=kept))
            assert (second.status, second.body) == (304, b""), path
            sent = town.log.requests_to("trouble.test", path)[-1].headers
            assert sent.get("If-None-Match", "") == kept.etag
            assert sent.get("If-Modified-Since", "") == kept.last_modified


# --- why was I refused? ------------------------------------------------------------------------

REASONS = {
    "/hang": "timeout",
    "/hang-in-body": "timeout",
    "/drip": "timeout",
    "/drip-head": "timeout",
    "/status?code=500": "server_error",
    "/status?code=418": "bad_response",
    "/throttled": "throttled",
    "/throttled-silly": "throttled",
    "/gone": "gone",
    "/auth": "login",
    "/loop": "redirect_loop",
    "/loop-a": "redirect_loop",
    "/loop-growing": "redirect_loop",
    "/chain": "redirect_loop",
    "/to-private": "private_address",
    "/to-file": "private_address",
    "/to-script": "private_address",
    "/to-user": "private_address",
    "/to-nowhere": "bad_response",
    "/cut": "bad_response",
    "/cut-reset": "bad_response",
    "/cut-chunks": "bad_response",
    "/huge-chunk": "bad_response",
    "/endless": "too_large",
    "/endless-plain": "too_large",
    "/large": "too_large",
    "/large-promise": "too_large",
    "/bomb/gzip": "too_large",
    "/bomb/deflate": "too_large",
    "/bomb/zstd": "too_large",
    "/bomb/br": "too_large",
    "/bomb/gzip-gzip": "too_large",
    "/coded/five": "bad_response",
    "/coded/lie": "bad_response",
    "/coded/cut": "bad_response",
    "/coded/broken": "bad_response",
    "/coded/unknown": "bad_response",
    "/headers/many": "too_large",
    "/headers/huge": "too_large",
    "/headers/two-lengths": "bad_response",
    "/headers/both": "bad_response",
    "/headers/nonsense": "bad_response",
    "/headers/no-status": "bad_response",
    "/headers/status-line": "bad_response",
    "/headers/half": "connect",
    "/empty": "connect",
    "/reset": "connect",
}


@pytest.mark.parametrize("path", REASONS)
async def test_every_trouble_has_its_word(path: str, make_fetcher: MakeFetcher) -> None:
    deadline = timedelta(seconds=1.5 if REASONS[path] == "timeout" else 30)
    started = monotonic()
    async with make_fetcher(deadline=deadline) as fetch:
        with pytest.raises(FetchError) as caught:
            await fetch(ask(f"{TROUBLE}{path}"))
    assert caught.value.kind == REASONS[path], str(caught.value)
    assert monotonic() - started < deadline.total_seconds() + 10, "one total deadline"
    if REASONS[path] == "timeout":
        assert caught.value.in_flight > deadline / 2, "an answer was waited for"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/coded", b"A page of hones"),
        ("/coded/raw-deflate", b"A page of hones"),
        ("/long", b".........."),
        ("/headers/early", b"ok"),
        ("/moved", b"The end of the chain"),
        ("/chain?n=5", b"The end of the chain"),
        ("/empty-body", b""),
    ],
)
async def test_what_can_be_read_is_read(path: str, body: bytes, make_fetcher: MakeFetcher) -> None:
    async with make_fetcher() as fetch:
        assert body in (await fetch(ask(f"{TROUBLE}{path}"))).body


async def test_a_body_longer_than_promised_is_cut_there(make_fetcher: MakeFetcher) -> None:
    async with make_fetcher() as fetch:
        for _ in range(3):
            assert len((await fetch(ask(f"{TROUBLE}/long"))).body) == 10


async def test_a_challenge_names_its_maker(make_fetcher: MakeFetcher) -> None:
    async with make_fetcher() as fetch:
        with pytest.raises(BlockedError, match="Cloudflare") as caught:
            await fetch(ask("http://gate.test/"))
    assert caught.value.kind == "challenge"


async def test_too_large_names_the_limit_and_the_beginning_can_be_had(
    make_fetcher: MakeFetcher,
) -> None:
    async with make_fetcher() as fetch:
        with pytest.raises(TooLargeError, match="max_bytes = 5,000"):
            await fetch(ask(f"{TROUBLE}/endless", max_bytes=5000))
        start = await fetch(ask(f"{TROUBLE}/endless", max_bytes=5000, take_start=True))
    assert (len(start.body), start.truncated) == (5000, True)


async def test_a_picture_is_not_read(make_fetcher: MakeFetcher) -> None:
    from wireroom.fetch.decode import check_headers
    from wireroom.ports import Hop

    hop = Hop(
        url=COURIER,
        method="GET",
        headers=(),
        addresses=(),
        port=80,
        max_bytes=10_000_000,
        deadline=timedelta(seconds=1),
    )
    with pytest.raises(FetchError, match="video/mp4"):
        check_headers(hop, (("content-type", "video/mp4"), ("content-length", "5000000")))
    check_headers(hop, (("content-type", "image/x-icon"), ("content-length", "500")))


# --- the guard ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://localhost/",
        "http://[::1]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://2130706433/",
        "http://user:secret@courier.test/",
        "ftp://courier.test/",
        "file:///etc/passwd",
        "http://courier.test:22/",
        "http://courier.test./",
        "http://courier.test。/",
        "http:\\\\courier.test\\",
        "http://courier%2etest/",
        "not a url",
        "",
    ],
)
async def test_what_the_guard_forbids_is_never_asked(
    url: str, town: Running, make_fetcher: MakeFetcher
) -> None:
    async with make_fetcher() as fetch:
        with pytest.raises(RefusedError) as caught:
            await fetch(ask(url))
    assert caught.value.permanent
    assert "secret" not in str(caught.value)
    assert town.log.count() == 0


async def test_a_name_that_leads_inside_is_refused(
    make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", _answers("10.0.0.7"))
    async with make_fetcher() as fetch:
        with pytest.raises(RefusedError, match=r"10\.0\.0\.7"):
            await fetch(ask("http://rebound.example/"))


async def test_a_name_that_changes_its_answer_gains_nothing(
    town: Running, make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first answer is public, the second is the town: only the first is ever connected to."""
    address, port = town.address("courier.test")
    answers = iter(["203.0.113.9", address, address])
    tried: list[Any] = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_a, **_k: _info(next(answers)))
    monkeypatch.setattr("wireroom.fetch.guard.judge_address", lambda _address: "")

    def refuse(_pins: Any, info: Any) -> socket.socket:
        tried.append(info)
        raise OSError(111, "refused")

    monkeypatch.setattr("wireroom.fetch.strategies.plain.Pins.open_socket", refuse)
    async with make_fetcher(ports=(80, port)) as fetch:
        with pytest.raises(UnreachableError):
            await fetch(ask(f"http://rebound.example:{port}/"))
    assert {info[4][0] for info in tried} == {"203.0.113.9"}
    assert town.log.count("courier.test") == 0


async def test_a_name_unknown_to_dns_is_reported(
    make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_args: Any, **_kwargs: Any) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    async with make_fetcher() as fetch:
        with pytest.raises(FetchError) as caught:
            await fetch(ask("http://nowhere.example/"))
    assert caught.value.kind == "dns"
    assert not caught.value.permanent


async def test_https_where_only_http_is_spoken_is_tls(make_fetcher: MakeFetcher) -> None:
    async with make_fetcher() as fetch:
        with pytest.raises(FetchError) as caught:
            await fetch(ask("https://courier.test/"))
    assert caught.value.kind == "tls"


async def test_a_closed_port_is_connect(town: Running, make_fetcher: MakeFetcher) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        free = held.getsockname()[1]
    async with make_fetcher(hosts={"dead.test": f"127.0.0.1:{free}"}) as fetch:
        with pytest.raises(FetchError) as caught:
            await fetch(ask("http://dead.test/"))
    assert caught.value.kind == "connect"


# --- redirects ---------------------------------------------------------------------------------


async def test_a_page_that_moved_for_good_says_so(make_fetcher: MakeFetcher) -> None:
    async with make_fetcher() as fetch:
        moved = await fetch(ask(f"{TROUBLE}/moved"))
        for_now = await fetch(ask(f"{TROUBLE}/to?url=/chain?n=1"))
    assert moved.moved
    assert moved.url == f"{TROUBLE}/moved"
    assert moved.final_url != moved.url
    assert moved.hops[0] == moved.url
    assert (len(for_now.hops), for_now.moved) == (3, False)


async def test_validators_do_not_cross_an_origin(town: Running, make_fetcher: MakeFetcher) -> None:
    async with make_fetcher() as fetch:
        away = await fetch(ask(f"{TROUBLE}/away", validators=Validators(etag='"ours"')))
    assert "trouble.test" not in away.final_url
    first = town.log.requests_to("trouble.test", "/away")[0]
    assert first.headers["If-None-Match"] == '"ours"'
    others = [seen for seen in town.log if seen.host != "trouble.test"]
    assert others
    assert all("If-None-Match" not in seen.headers for seen in others)


async def test_a_redirect_asks_the_new_hosts_robots_first(
    town: Running, make_fetcher: MakeFetcher
) -> None:
    async with make_fetcher() as fetch:
        away = await fetch(ask(f"{TROUBLE}/away"))
    host = away.final_url.split("/")[2]
    assert town.log.requests_to(host)[0].path == "/robots.txt"


# --- strategies --------------------------------------------------------------------------------


async def test_an_unknown_strategy_is_named_with_its_place_and_those_there_are(
    make_fetcher: MakeFetcher,
) -> None:
    async with make_fetcher(strategies=("magic", "plain")) as fetch:
        with pytest.raises(SettingsError, match=r"fetch\.strategies\[0\] = 'magic'") as caught:
            await fetch(ask(COURIER))
    assert "plain" in caught.value.hint
    async with make_fetcher() as fetch:
        with pytest.raises(WireroomError, match=r"Request\.strategies asks for 'magic'") as asked:
            await fetch(ask(COURIER, strategies=("magic",)))
    assert "plain" in asked.value.hint


async def test_strategies_are_tried_in_order_and_each_reason_is_kept(
    make_fetcher: MakeFetcher,
) -> None:
    async with make_fetcher(strategies=("plain", "replay")) as fetch:
        with pytest.raises(ExhaustedError) as caught:
            await fetch(ask("http://gate.test/"))
    assert set(caught.value.reasons) == {"plain", "replay"}
    assert "challenge" in str(caught.value)
    assert "not among the recordings" in str(caught.value)


async def test_what_another_strategy_cannot_change_is_not_tried_with_another(
    make_fetcher: MakeFetcher,
) -> None:
    async with make_fetcher(strategies=("plain", "replay")) as fetch:
        with pytest.raises(FetchError) as caught:
            await fetch(ask(f"{TROUBLE}/gone"))
    assert caught.value.kind == "gone"


async def test_the_strategy_that_worked_is_tried_first_next_time(
    town: Running, make_fetcher: MakeFetcher, tmp_path: Any
) -> None:
    from wireroom.fetch.warc import Archive

    archive = Archive(tmp_path / "day.warc.gz")
    async with make_fetcher(archive=archive) as fetch:
        await fetch(ask("http://courier.test/"))
    archive.close()
    recorded = {"replay": {"path": str(tmp_path / "day.warc.gz")}}
    hosts = {"courier.test": "127.0.0.1:9"}
    async with make_fetcher(
        hosts=hosts, strategies=("plain", "replay"), strategy_options=recorded
    ) as fetch:
        town.log.clear()
        for _ in range(2):
            again = await fetch(ask("http://courier.test/"))
            assert again.strategy == "replay"
            assert b"</html>" in again.body
        assert fetch._strategies.order(ask("http://courier.test/x"))[0] == "replay"
    assert town.log.count() == 0


def _answers(address: str) -> Any:
    return lambda *_args, **_kwargs: _info(address)


def _info(address: str) -> list[Any]:
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0))]


def test_the_default_manners_are_the_ones_we_promise() -> None:
    manners = FetchOptions().manners
    assert manners == Manners()
    assert manners.gap == timedelta(seconds=1)
    assert (manners.burst, manners.burst_in_flight, manners.per_address) == (30, 4, 8)


@pytest.mark.parametrize("url", ["http://xn--mnchen-3ya.test/", "http://münchen.test/"])
async def test_an_international_name_is_reached(
    url: str, town: Running, make_fetcher: MakeFetcher
) -> None:
    address, port = town.address("trouble.test")
    async with make_fetcher(hosts={"xn--mnchen-3ya.test": f"{address}:{port}"}) as fetch:
        with pytest.raises(StatusError) as caught:
            await fetch(ask(url))
    assert caught.value.status == 421, "the town knows no such publisher, but it was asked"


words = st.text(st.sampled_from("abz09-_.AZ"), min_size=1, max_size=8)
addresses = st.builds(
    lambda scheme, labels, path, query: f"{scheme}://{'.'.join(labels)}/{'/'.join(path)}{query}",
    st.sampled_from(["http", "https"]),
    st.lists(words.map(str.lower), min_size=1, max_size=3).map(lambda labels: [*labels, "test"]),
    st.lists(words, max_size=4),
    st.one_of(st.just(""), words.map(lambda word: f"?{word}=1&b")),
)


@given(url=addresses)
def test_an_address_taken_for_normal_is_normal(url: str) -> None:
    normal = _NORMAL.fullmatch(url) is not None
    assert not normal or fetch_url(url) == url


def test_looking_whether_an_address_is_normal_takes_no_time() -> None:
    with cpu_within(2):
        for part in ("a-", "a.", "/a", "a", "-", "."):
            assert not _NORMAL.fullmatch(f"http://courier.test/{part * 50_000}!")
            assert not _NORMAL.fullmatch(f"http://{part * 50_000}!")


# --- terms that the operator has agreed ------------------------------------------------------------


async def test_of_a_host_with_agreed_terms_robots_txt_is_not_asked(
    town: Running, make_fetcher: MakeFetcher
) -> None:
    """Of that very host: not of one below it, and not of one it leads to."""
    barred = "http://faro.test/pf/inner"
    async with make_fetcher() as fetch:
        with pytest.raises(RefusedError, match=r"robots\.txt"):
            await fetch(ask(barred))
    town.forget()
    async with make_fetcher(agreed=("faro.test",)) as fetch:
        with pytest.raises(StatusError):  # it was asked for, and is not there
            await fetch(ask(barred))
        await fetch(ask(COURIER))
    assert not town.log.requests_to("faro.test", "/robots.txt")
    assert town.log.requests_to("courier.test", "/robots.txt")
    async with make_fetcher(agreed=("test", "www.faro.test", "aro.test")) as fetch:
        with pytest.raises(RefusedError, match=r"robots\.txt"):
            await fetch(ask(barred))


async def test_where_a_host_with_agreed_terms_leads_robots_txt_is_asked(
    town: Running, make_fetcher: MakeFetcher
) -> None:
    async with make_fetcher(agreed=("trouble.test",)) as fetch:
        with pytest.raises(RefusedError, match=r"http://faro\.test/robots\.txt"):
            await fetch(ask(f"{TROUBLE}/to?url=http://faro.test/pf/inner"))
