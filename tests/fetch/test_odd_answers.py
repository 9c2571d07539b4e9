"""Answers no HTTP library would write: what counts in them is understood, what floods is cut."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.fetch.raw import NAME, raw_server
from wireroom.errors import FetchError, GoneError, RefusedError, ThrottledError, TooLargeError
from wireroom.fetch import Fetcher, FetchOptions, fetch_all
from wireroom.fetch.strategies.replay import Replay
from wireroom.model import Problem, Request, Response, Validators
from wireroom.ports import Hop

OK = b"HTTP/1.1 200 OK\r\n"
KNOWN = Validators(etag='"1"')
NEVER = b"Fri, 31 Dec 9999 23:59:59 -0800"


def ask(path: str, method: str = "GET") -> Request:
    assert method in {"GET", "HEAD"}
    return Request(
        url=f"http://{NAME}{path}", purpose="read", method="HEAD" if method == "HEAD" else "GET"
    )


STRATEGIES = ["plain", "impersonate"]
LATER = b"HTTP/1.1 429 Slow\r\nRetry-After: 120\r\nConnection: close\r\n"


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    "answer",
    [
        LATER + b"Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nslow",
        LATER + b"Content-Length: 400\r\n\r\nslow",
        LATER + b"Content-Type: image/png\r\n\r\nslow",
        LATER + b"Content-Length: 99000000\r\n\r\nslow",
    ],
    ids=["wrongly coded", "cut short", "a picture", "too large"],
)
async def test_a_429_asks_for_a_rest_however_broken_its_page(
    answer: bytes, strategy: str, options: FetchOptions
) -> None:
    async with raw_server({"/": answer}) as server:
        changed = replace(options, hosts=server.hosts, strategies=(strategy,))
        async with Fetcher(changed) as fetch:
            with pytest.raises(ThrottledError) as caught:
                await fetch(ask("/"))
            with pytest.raises(FetchError, match="the server asked for 120 s"):
                await fetch(ask("/next"))
    assert caught.value.retry_after == timedelta(minutes=2)
    assert not any(b"/next" in head for head in server.asked)


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_a_missing_picture_is_gone_and_a_redirect_of_any_type_is_followed(
    strategy: str, options: FetchOptions
) -> None:
    answers = {
        "/gone": b"HTTP/1.1 404 No\r\nContent-Type: image/png\r\nConnection: close\r\n\r\nx",
        "/moved": b"HTTP/1.1 302 F\r\nLocation: /here\r\nContent-Type: application/pdf\r\n"
        b"Connection: close\r\n\r\n",
        "/here": OK + b"Content-Length: 2\r\n\r\nok",
        "/same": b"HTTP/1.1 304 Same\r\nContent-Length: 99000000\r\nConnection: close\r\n\r\n",
    }
    async with raw_server(answers) as server:
        changed = replace(options, hosts=server.hosts, strategies=(strategy,))
        async with Fetcher(changed) as fetch:
            with pytest.raises(GoneError):
                await fetch(ask("/gone"))
            assert (await fetch(ask("/moved"))).body == b"ok"
            same = await fetch(replace(ask("/same"), validators=KNOWN))
    assert (same.status, same.body, same.truncated) == (304, b"", False)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    ("written", "asked"),
    [
        (b"/caf\xe9?q=\xfc%20x", "/caf%E9?q=%FC%20x"),
        ("/café".encode(), "/caf%C3%A9"),
        (b"/caf%E9", "/caf%E9"),
    ],
    ids=["Latin-1", "UTF-8", "escaped"],
)
async def test_a_redirect_is_followed_to_the_bytes_it_names(
    written: bytes, asked: str, strategy: str, options: FetchOptions
) -> None:
    answers = {
        "/": b"HTTP/1.1 302 F\r\nLocation: " + written + b"\r\nContent-Length: 0\r\n\r\n",
        asked: OK + b"Content-Length: 2\r\n\r\nok",
    }
    async with raw_server(answers) as server:
        changed = replace(options, hosts=server.hosts, strategies=(strategy,))
        async with Fetcher(changed) as fetch:
            page = await fetch(ask("/"))
    assert (page.body, page.final_url) == (b"ok", f"http://{NAME}{asked}")


async def test_a_redirect_to_a_host_in_no_encoding_is_refused(options: FetchOptions) -> None:
    moved = b"HTTP/1.1 302 F\r\nLocation: http://caf\xe9.test/\r\nContent-Length: 0\r\n\r\n"
    async with (
        raw_server({"/": moved}) as server,
        Fetcher(replace(options, hosts=server.hosts)) as fetch,
    ):
        with pytest.raises(RefusedError, match="hides where it leads"):
            await fetch(ask("/"))


@pytest.mark.parametrize(
    ("method", "answer"),
    [
        ("HEAD", OK + b"Content-Length: 5\r\n\r\nhello"),
        ("GET", b"HTTP/1.1 204 Nothing\r\nContent-Length: 5\r\n\r\nhello"),
        ("GET", b"HTTP/1.1 304 Same\r\nContent-Length: 5\r\n\r\nhello"),
    ],
)
async def test_a_body_where_none_may_be_is_cut(
    method: str, answer: bytes, options: FetchOptions
) -> None:
    async with (
        raw_server({"/": answer}) as server,
        Fetcher(replace(options, hosts=server.hosts)) as fetch,
    ):
        for _ in range(2):
            assert (await fetch(replace(ask("/", method), validators=KNOWN))).body == b""


@pytest.mark.parametrize(
    ("start", "more"),
    [
        (OK + b"Transfer-Encoding: chunked\r\n\r\n1;", b"a" * 65_536),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1;" + b"a" * 65_528 + b"\r\nx\r\n"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n", b"x: " + b"a" * 8000 + b"\r\n"),
        (b"", (b"HTTP/1.1 103 Early\r\nLink: " + b"a" * 16_000 + b"\r\n\r\n") * 4),
    ],
    ids=["one long extension", "an extension a chunk", "trailers", "long early answers"],
)
async def test_what_is_not_the_body_is_counted_too(
    start: bytes, more: bytes, options: FetchOptions
) -> None:
    async with (
        raw_server({"/": start}, endless={"/": more}) as server,
        Fetcher(replace(options, hosts=server.hosts, max_bytes=1_000_000)) as fetch,
    ):
        with pytest.raises(FetchError) as caught:
            await fetch(ask("/"))
    assert caught.value.kind in {"too_large", "bad_response"}
    assert isinstance(caught.value, TooLargeError) or "too early" in caught.value.reason
    assert server.flooded < 32_000_000  # with what the sockets hold


async def test_a_date_beyond_the_calendar_stops_nothing(options: FetchOptions) -> None:
    answers = {
        "/expires": OK + b"Expires: " + NEVER + b"\r\nContent-Length: 2\r\n\r\nok",
        "/later": b"HTTP/1.1 503 X\r\nRetry-After: " + NEVER + b"\r\nContent-Length: 0\r\n\r\n",
    }
    async with raw_server(answers) as server:
        changed = replace(options, hosts=server.hosts)
        got = [outcome async for outcome in fetch_all([ask("/expires"), ask("/later")], changed)]
    page, problem = got
    assert isinstance(page, Response)
    assert page.server_hints.expires_at is not None
    assert page.server_hints.expires_at.year == 9999
    assert isinstance(problem, Problem)
    assert problem.retry_after == timedelta(hours=24)


async def test_an_etag_that_cannot_be_sent_back_as_it_came_is_not_sent(
    options: FetchOptions,
) -> None:
    answer = OK + b'ETag: "caf\xe9"\r\nContent-Length: 2\r\n\r\nok'
    async with (
        raw_server({"/": answer}) as server,
        Fetcher(replace(options, hosts=server.hosts)) as fetch,
    ):
        assert (await fetch(ask("/"))).validators.etag == ""


async def test_leaving_a_request_says_nothing_about_its_host(options: FetchOptions) -> None:
    answers = {"/hang": b"", "/": OK + b"Content-Length: 2\r\n\r\nok"}
    async with raw_server(answers) as server:
        patience = options.manners.patience
        async with Fetcher(replace(options, hosts=server.hosts)) as fetch:
            for _ in range(patience):
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(0.1):
                        await fetch(ask("/hang"))
            assert (await fetch(ask("/"))).status == 200
    assert sum(b"/hang" in head for head in server.asked) == patience


async def test_neither_a_304_nor_a_head_hides_a_recorded_page() -> None:
    at = datetime(2026, 11, 15, tzinfo=UTC)
    page = Response(
        url=ask("/").url, final_url=ask("/").url, status=200, body=b"page", fetched_at=at
    )
    replay = Replay()
    replay.add([page, replace(page, status=304, body=b""), replace(page, body=b"")])
    hop = Hop(
        url=page.url,
        method="GET",
        headers=(),
        addresses=(),
        port=0,
        max_bytes=100,
        deadline=timedelta(),
    )
    found = await replay.hop(hop)
    assert (found.status, found.body) == (200, b"page")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b"HTTP/1.1 304 Not Modified\r\n\r\n", "though nothing was asked for"),
        (
            b"HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n",
            "several addresses at once",
        ),
    ],
    ids=["a 304 nobody asked for", "two ways at once"],
)
async def test_answers_that_make_no_sense_are_bad(
    answer: bytes, message: str, options: FetchOptions
) -> None:
    async with (
        raw_server({"/": answer}) as server,
        Fetcher(replace(options, hosts=server.hosts)) as fetch,
    ):
        with pytest.raises(FetchError, match=message) as caught:
            await fetch(ask("/"))
    assert caught.value.kind == "bad_response"


PART = b"HTTP/1.1 206 Partial\r\nContent-Range: bytes 0-3/99\r\nContent-Length: 4\r\n\r\nhalf"


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("status", [b"206 Partial", b"226 IM Used", b"200 OK"])
async def test_a_part_that_nobody_asked_for_is_no_page(
    status: bytes, strategy: str, options: FetchOptions
) -> None:
    async with raw_server({"/": PART.replace(b"206 Partial", status)}) as server:
        changed = replace(options, hosts=server.hosts, strategies=(strategy,))
        async with Fetcher(changed) as fetch:
            with pytest.raises(FetchError, match="a part of it") as caught:
                await fetch(ask("/"))
    assert (caught.value.kind, caught.value.permanent) == ("bad_response", False)


async def test_a_part_that_was_asked_for_is_given(options: FetchOptions) -> None:
    async with (
        raw_server({"/": PART}) as server,
        Fetcher(replace(options, hosts=server.hosts)) as fetch,
    ):
        found = await fetch(replace(ask("/"), part=(0, 4)))
    assert (found.status, found.body) == (206, b"half")


@pytest.mark.parametrize("part", [(0, 3), (1, 5), (4, 8)], ids=["longer", "earlier", "elsewhere"])
async def test_another_part_than_was_asked_for_is_none(
    part: tuple[int, int], options: FetchOptions
) -> None:
    async with (
        raw_server({"/": PART}) as server,
        Fetcher(replace(options, hosts=server.hosts)) as fetch,
    ):
        with pytest.raises(FetchError, match="a part of it"):
            await fetch(replace(ask("/"), part=part))


@pytest.mark.parametrize("whole", [b"0-3/4", b"0-3/*", b"nonsense"])
async def test_a_whole_that_names_its_range_is_a_page(whole: bytes, options: FetchOptions) -> None:
    answer = PART.replace(b"206 Partial", b"200 OK").replace(b"0-3/99", whole)
    async with (
        raw_server({"/": answer}) as server,
        Fetcher(replace(options, hosts=server.hosts)) as fetch,
    ):
        assert (await fetch(ask("/"))).body == b"half"


async def test_a_part_of_a_robots_txt_permits_nothing(options: FetchOptions) -> None:
    part = PART.replace(b"half", b"User")
    answers = {"/robots.txt": part, "/": OK + b"Content-Length: 2\r\n\r\nok"}
    async with (
        raw_server(answers) as server,
        Fetcher(replace(options, hosts=server.hosts)) as fetch,
    ):
        with pytest.raises(FetchError, match=r"robots\.txt could not be fetched \(a part of it"):
            await fetch(ask("/"))
    assert not any(head.startswith(b"GET / ") for head in server.asked)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("digits", [18, 19, 20, 40, 5000])
async def test_a_length_of_many_digits_is_refused_from_the_header(
    digits: int, strategy: str, options: FetchOptions
) -> None:
    head = OK + b"Content-Length: " + b"9" * digits + b"\r\n\r\n"
    async with raw_server({"/": head}, endless={"/": b"x" * 65_536}) as server:
        changed = replace(options, hosts=server.hosts, strategies=(strategy,))
        async with Fetcher(changed) as fetch:
            with pytest.raises(FetchError) as caught:
                await fetch(ask("/"))
    assert caught.value.kind in {"too_large", "bad_response"}
    if digits < 20:  # more than this is no length at all for those who read the head
        assert isinstance(caught.value, TooLargeError)
    assert server.flooded < 8_000_000, "less than the limit was sent before the end"


async def test_it_is_where_the_beginning_would_do(options: FetchOptions) -> None:
    head = OK + b"Content-Length: " + b"9" * 19 + b"\r\n\r\n"
    async with (
        raw_server({"/": head}) as server,
        Fetcher(replace(options, hosts=server.hosts)) as fetch,
    ):
        with pytest.raises(TooLargeError):
            await fetch(replace(ask("/"), take_start=True))
