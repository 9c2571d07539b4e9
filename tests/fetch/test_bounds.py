"""However much is sent, in whatever coding and pieces: never more than was asked for."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tests.fetch.conftest import MakeFetcher
from wireroom.errors import FetchError, TooLargeError
from wireroom.fetch.decode import check_headers, collect
from wireroom.model import Request
from wireroom.ports import Hop

TROUBLE = "http://trouble.test"
CODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}
bodies = st.one_of(
    st.binary(max_size=3000), st.integers(0, 300_000).map(lambda size: b"wire" * (size // 4))
)


def hop(max_bytes: int, *, take_start: bool = False) -> Hop:
    return Hop(
        url="http://courier.test/",
        method="GET",
        headers=(),
        addresses=(),
        port=80,
        max_bytes=max_bytes,
        deadline=timedelta(seconds=1),
        take_start=take_start,
    )


class Pieces:
    """A body that comes so many bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self.left, self.size = data, size

    async def readany(self) -> bytes:
        piece, self.left = self.left[: self.size], self.left[self.size :]
        return piece

    def at_eof(self) -> bool:
        return not self.left


@given(
    body=bodies,
    codings=st.lists(st.sampled_from(sorted(CODERS)), max_size=2),
    size=st.integers(1, 100_000).map(lambda size: size if size > 50 else size * 50),
    max_bytes=st.integers(1, 200_000),
    take_start=st.booleans(),
)
def test_never_more_than_the_limit_and_never_less_than_there_is(
    body: bytes, codings: list[str], size: int, max_bytes: int, take_start: bool
) -> None:
    sent = body
    for coding in codings:
        sent = CODERS[coding](sent)
    headers = (("content-encoding", ", ".join(codings)),)
    asked = hop(max_bytes, take_start=take_start)
    try:
        got, truncated = asyncio.run(collect(asked, headers, Pieces(sent, size)))
    except TooLargeError:
        assert not take_start
        assert max(len(body), len(sent)) > max_bytes
        return
    assert len(got) <= max_bytes
    assert got == body[:max_bytes]
    assert truncated == (len(body) > max_bytes)
    assert take_start or not truncated


@given(
    lengths=st.lists(st.text("0123456789abc-+ ", max_size=25), max_size=2),
    kind=st.sampled_from(["text/html", "image/png", "", "video/mp4; x=y", "APPLICATION/PDF"]),
)
def test_odd_headers_raise_nothing_but_fetch_errors(lengths: list[str], kind: str) -> None:
    headers = (*(("content-length", length) for length in lengths), ("content-type", kind))
    kinds = set()
    try:
        check_headers(hop(1000), headers)
    except FetchError as error:
        kinds.add(error.kind)
    assert kinds <= {"too_large", "bad_response"}


@pytest.mark.parametrize(
    "path",
    ["/endless", "/endless-plain", "/large?mb=3", "/bomb/gzip?mb=64", "/bomb/br?mb=64", "/coded"],
)
@pytest.mark.parametrize("limit", [1, 1000, 65_536])
async def test_so_it_is_over_the_wire(path: str, limit: int, make_fetcher: MakeFetcher) -> None:
    async with make_fetcher() as fetch:
        request: dict[str, Any] = {"url": f"{TROUBLE}{path}", "purpose": "read"}
        start = await fetch(Request(**request, max_bytes=limit, take_start=True))
        assert len(start.body) <= limit
        assert start.truncated == (
            path != "/coded" or (limit < 65_536 and len(start.body) == limit)
        )


@pytest.mark.parametrize("path", ["/headers/many", "/headers/huge", "/headers/early?n=5000"])
async def test_a_flood_of_headers_is_cut_and_says_which_limit(
    path: str, make_fetcher: MakeFetcher
) -> None:
    async with make_fetcher() as fetch:
        with pytest.raises(TooLargeError, match=r"larger than max_(header|early)\w* = ") as caught:
            await fetch(Request(url=f"{TROUBLE}{path}", purpose="read"))
    assert caught.value.permanent


async def test_a_large_document_nobody_reads_is_not_read(make_fetcher: MakeFetcher) -> None:
    for kind in ("video/mp4", "image/jpeg", "application/pdf", "application/zip"):
        with pytest.raises(FetchError, match=kind) as caught:
            check_headers(hop(10_000_000), (("content-type", kind), ("content-length", "5000000")))
        assert caught.value.kind == "bad_response"
    check_headers(hop(10_000_000), (("content-type", "image/x-icon"), ("content-length", "500")))


@pytest.mark.parametrize("length", ["9" * 18, "9" * 19, "9" * 5000, "0" * 30 + "1001"])
def test_a_length_is_a_number_however_many_digits_it_has(length: str) -> None:
    with pytest.raises(TooLargeError):
        check_headers(hop(1000), (("content-length", length),))
    check_headers(hop(1000), (("content-length", "0" * 30 + "1000"),))
