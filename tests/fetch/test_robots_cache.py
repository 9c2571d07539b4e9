"""A robots.txt that is blocked or challenged: what it means, and when it is asked for again."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.fetch.raw import NAME, raw_server
from wireroom.errors import FetchError
from wireroom.fetch import Fetcher, FetchOptions
from wireroom.fetch.robots_cache import HELD_FOR, KEPT_FOR
from wireroom.model import Request

PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
MARK = b"\r\ncf-mitigated: challenge\r\nServer: cloudflare"
WALL = b"\r\nContent-Length: 2\r\n\r\nno"
ORIGIN = f"http://{NAME}"


@pytest.mark.parametrize(
    ("answer", "state", "again"),
    [
        (b"HTTP/1.1 403 No" + WALL, "absent", KEPT_FOR),
        (b"HTTP/1.1 403 No" + MARK + WALL, "absent", KEPT_FOR),
        (b"HTTP/1.1 401 No" + WALL, "absent", KEPT_FOR),
        (b"HTTP/1.1 402 Pay" + WALL, "absent", KEPT_FOR),
        (b"HTTP/1.1 200 OK" + MARK + WALL, "unreachable", HELD_FOR),
        (b"HTTP/1.1 503 Later" + MARK + WALL, "unreachable", HELD_FOR),
        (b"HTTP/1.1 429 Later" + MARK + WALL, "unreachable", HELD_FOR),
        (b"HTTP/1.1 429 Later\r\nRetry-After: 1800" + WALL, "unreachable", 1800.0),
    ],
    ids=[
        "blocked",
        "challenged with 403",
        "a login",
        "a price",
        "challenged with 200",
        "challenged with 503",
        "challenged with 429",
        "later",
    ],
)
async def test_a_robots_behind_a_wall(
    answer: bytes, state: str, again: float, options: FetchOptions
) -> None:
    request = Request(url=f"{ORIGIN}/page", purpose="read")
    async with (
        raw_server({"/robots.txt": answer, "/page": PAGE}) as server,
        Fetcher(replace(options, hosts=server.hosts)) as fetch,
    ):
        for _ in range(2):
            if state == "absent":
                assert (await fetch(request)).body == b"ok"
                continue
            with pytest.raises(FetchError, match=r"robots\.txt could not be fetched") as held:
                await fetch(request)
            assert not held.value.permanent
            assert held.value.retry_after is not None
            assert held.value.retry_after.total_seconds() == pytest.approx(again, abs=5)
        entry = fetch._robots.known(ORIGIN, by="plain")
        left = entry.until - asyncio.get_running_loop().time() if entry else 0.0
    assert entry is not None
    assert entry.state == state
    assert left == pytest.approx(again, abs=5)
    asked = [head.split()[1] for head in server.asked]
    assert asked.count(b"/robots.txt") == 1
    assert asked.count(b"/page") == (2 if state == "absent" else 0)
