"""A body that does not come in time: an error, or its beginning for whoever asked for that."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.fetch.raw import NAME, raw_server
from wireroom.errors import UnreachableError
from wireroom.fetch import Fetcher, FetchOptions
from wireroom.fetch.fetch_options import Manners
from wireroom.model import Request

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: 1000\r\n\r\n"
MOVED = b"HTTP/1.1 301 Moved\r\nLocation: /new\r\nContent-Length: 0\r\n\r\n"
SOON = timedelta(seconds=2)  # what is at hand is there long before, on a busy machine too
HASTY = Manners(gap=timedelta(), rest_after_burst=timedelta())


def asked(path: str, *, partial: bool = True) -> Request:
    return Request(url=f"http://{NAME}{path}", purpose="scout", deadline=SOON, partial=partial)


async def test_the_part_that_came_is_kept_and_marked_where_that_will_do() -> None:
    async with (
        raw_server({"/slow": HEAD + b"<rss>begun", "/dumb": HEAD}) as server,
        Fetcher(FetchOptions(hosts=server.hosts, manners=HASTY)) as fetch,
    ):
        answer = await fetch(asked("/slow"))
        assert (answer.body, answer.truncated) == (b"<rss>begun", True)
        with pytest.raises(UnreachableError, match="no answer in time"):
            await fetch(asked("/slow", partial=False))
        with pytest.raises(UnreachableError, match="no answer in time"):
            await fetch(asked("/dumb"))


async def test_a_redirect_that_is_not_to_be_followed_says_where_it_leads() -> None:
    async with (
        raw_server({"/old": MOVED}) as server,
        Fetcher(FetchOptions(hosts=server.hosts, manners=HASTY)) as fetch,
    ):
        answer = await fetch(Request(url=f"http://{NAME}/old", purpose="scout", follow=False))
        assert (answer.redirect_url, answer.moved) == (f"http://{NAME}/new", True)
        assert answer.hops == (f"http://{NAME}/old",)
        assert len(server.asked) == 2, "robots.txt, and no more than the one page"
