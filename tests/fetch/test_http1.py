"""What goes over the wire: exactly what was meant, once, and again only where a kept connection died."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.fetch.raw import NAME, listening, raw_server
from wireroom.errors import FetchError, UnreachableError
from wireroom.fetch import Fetcher, FetchOptions
from wireroom.fetch.strategies.plain import PlainHttp
from wireroom.model import Request, Response, Validators
from wireroom.ports import Hop

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def hop(where: str, **changes: Any) -> Hop:
    address, _, port = where.rpartition(":")
    plain = Hop(
        url=f"http://{NAME}/page?a=1",
        method="GET",
        headers=(("User-Agent", "wireroom/1"), ("Accept", "*/*")),
        addresses=(address,),
        port=int(port),
        max_bytes=1000,
        deadline=timedelta(seconds=5),
    )
    return replace(plain, **changes)


async def exchange(where: str, **changes: Any) -> Response:
    plain = PlainHttp()
    try:
        return await plain.hop(hop(where, **changes))
    finally:
        await plain.close()


async def test_exactly_what_is_given_is_sent() -> None:
    async with raw_server({"/page?a=1": OK}) as server:
        assert (await exchange(server.hosts[NAME])).body == b"ok"
    assert server.asked == [
        b"GET /page?a=1 HTTP/1.1\r\nHost: raw.test\r\nUser-Agent: wireroom/1\r\nAccept: */*\r\n\r\n"
    ]


async def test_what_is_sent_along_has_its_length() -> None:
    async with raw_server({"/page?a=1": OK}) as server:
        await exchange(server.hosts[NAME], method="POST", content=b"\r\n\r\n", headers=())
    assert server.asked[0] == (
        b"POST /page?a=1 HTTP/1.1\r\nHost: raw.test\r\nContent-Length: 4\r\n\r\n"
    )


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (f"http://{NAME}", b"GET / HTTP/1.1"),
        (f"http://{NAME}?q=a/b", b"GET /?q=a/b HTTP/1.1"),
        (f"http://{NAME}/a#part", b"GET /a HTTP/1.1"),
    ],
)
async def test_an_address_without_a_path_is_asked_at_its_root(url: str, expected: bytes) -> None:
    async with raw_server({"/": OK, "/?q=a/b": OK, "/a": OK}) as server:
        await exchange(server.hosts[NAME], url=url)
    assert server.asked[0].startswith(expected)


@pytest.mark.parametrize(
    "changes",
    [
        {"headers": (("Accept", "text/html\r\nX-Other: 1"),)},
        {"headers": (("If-None-Match", '"a"\n'),)},
        {"headers": (("If-None-Match", '"a\rb"'),)},
        {"headers": (("If-None-Match", '"a\0b"'),)},
        {"headers": (("X\r\nY", "1"),)},
        {"headers": (("If-None-Match", "\udc80"),)},
        {"url": f"http://{NAME}/a\r\nX-Other: 1"},
        {"url": f"http://{NAME}/a HTTP/1.1"},
        {"method": "GET /other HTTP/1.1\r\nX: "},
    ],
)
async def test_nothing_is_sent_that_would_be_read_as_two_things(changes: dict[str, Any]) -> None:
    async with raw_server({}) as server:
        with pytest.raises(FetchError) as caught:
            await exchange(server.hosts[NAME], **changes)
    assert caught.value.kind == "bad_response"
    assert server.asked == []


async def test_a_validator_with_a_line_break_reaches_nobody(options: FetchOptions) -> None:
    request = Request(
        url=f"http://{NAME}/", purpose="read", validators=Validators(etag='"a"\r\nX-Other: 1')
    )
    async with (
        raw_server({"/": OK}) as server,
        Fetcher(replace(options, hosts=server.hosts)) as fetch,
    ):
        with pytest.raises(FetchError):
            await fetch(request)
    assert not any(b"X-Other" in head for head in server.asked)


@asynccontextmanager
async def hanging_up(answers: int) -> AsyncIterator[tuple[str, list[int]]]:
    """A server that ends each connection, without a word, when it is asked once more than that."""
    asked: list[int] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(0)
        mine = len(asked) - 1
        with suppress(OSError, asyncio.IncompleteReadError):
            while True:
                await reader.readuntil(b"\r\n\r\n")
                asked[mine] += 1
                if asked[mine] > answers:
                    break
                writer.write(OK)

    async with listening(serve) as where:
        yield where, asked


async def test_a_kept_connection_that_has_died_is_replaced_once() -> None:
    async with hanging_up(answers=1) as (where, asked):
        plain = PlainHttp()
        for _ in range(3):
            assert (await plain.hop(hop(where))).body == b"ok"
        await plain.close()
    assert asked == [2, 2, 1]


async def test_what_is_no_mere_question_is_not_repeated() -> None:
    async with hanging_up(answers=1) as (where, asked):
        plain = PlainHttp()
        await plain.hop(hop(where))
        with pytest.raises(UnreachableError, match="closed the connection"):
            await plain.hop(hop(where, method="POST", content=b"x"))
        await plain.close()
    assert asked == [2]


async def test_a_server_that_hangs_up_on_a_new_connection_is_not_asked_again() -> None:
    async with hanging_up(answers=0) as (where, asked):
        with pytest.raises(UnreachableError, match="closed the connection"):
            await exchange(where)
    assert asked == [1]


async def test_one_connection_serves_one_page_after_the_other() -> None:
    async with hanging_up(answers=5) as (where, asked):
        plain = PlainHttp()
        for _ in range(5):
            await plain.hop(hop(where))
        await plain.close()
    assert asked == [5]


async def test_another_protocol_nobody_asked_for_is_an_answer_and_ends_the_connection() -> None:
    switch = b"HTTP/1.1 101 Switching\r\nUpgrade: tea\r\nConnection: upgrade\r\n\r\nsome tea"
    async with raw_server({"/page?a=1": switch}) as server:
        plain = PlainHttp()
        got = [(await plain.hop(hop(server.hosts[NAME]))).status for _ in range(2)]
        await plain.close()
    assert got == [101, 101]
