"""Codings are undone in small pieces, whole or not at all."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from contextlib import suppress

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from wireroom.fetch.decode import MAX_CODINGS, PIECE, CodingError, open_pipe

TEXT = "Der Hafenmeister schweigt. 港の主任は黙っている。".encode() * 400


def _raw_deflate(data: bytes) -> bytes:
    squeeze = zlib.compressobj(wbits=-15)
    return squeeze.compress(data) + squeeze.flush()


ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}


def undo(encoding: str, data: bytes, *, step: int = 1000) -> bytes:
    pipe = open_pipe(encoding)
    out = b"".join(
        piece for at in range(0, len(data), step) for piece in pipe.feed(data[at : at + step])
    )
    pipe.finish()
    return out


@pytest.mark.parametrize("encoding", ENCODERS)
@pytest.mark.parametrize("step", [1, 7, 1000, 10**6])
def test_a_body_comes_out_as_it_went_in(encoding: str, step: int) -> None:
    assert undo(encoding, ENCODERS[encoding](TEXT), step=step) == TEXT


def test_deflate_without_its_header_is_understood() -> None:
    assert undo("deflate", _raw_deflate(TEXT)) == TEXT


def test_two_layers_are_undone_from_the_outside_in() -> None:
    assert undo("gzip, br", brotli.compress(gzip.compress(TEXT))) == TEXT


def test_identity_and_nothing_change_nothing() -> None:
    assert undo("", TEXT) == TEXT
    assert undo("identity", TEXT) == TEXT
    assert undo(" GZIP ", gzip.compress(TEXT)) == TEXT


def test_more_layers_than_allowed_are_refused() -> None:
    with pytest.raises(CodingError, match=str(MAX_CODINGS)):
        open_pipe("gzip, gzip, gzip")


def test_an_unknown_coding_is_refused_by_name() -> None:
    with pytest.raises(CodingError, match="compress"):
        open_pipe("compress")


@pytest.mark.parametrize("encoding", ENCODERS)
def test_half_a_body_is_a_failure(encoding: str) -> None:
    whole = ENCODERS[encoding](TEXT)
    with pytest.raises(CodingError):
        undo(encoding, whole[: len(whole) // 2])


@pytest.mark.parametrize("encoding", ENCODERS)
def test_an_empty_body_needs_no_coding(encoding: str) -> None:
    assert undo(encoding, b"") == b""


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd"])
def test_what_is_not_coded_at_all_is_a_failure(encoding: str) -> None:
    with pytest.raises(CodingError):
        undo(encoding, b"<html>plain</html>" * 10)


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_several_members_on_end_are_one_body(encoding: str) -> None:
    encode = ENCODERS[encoding]
    assert undo(encoding, encode(b"one ") + encode(b"two"), step=5) == b"one two"


def test_padding_behind_gzip_is_ignored() -> None:
    assert undo("gzip", gzip.compress(TEXT) + b"\0" * 100) == TEXT


@pytest.mark.long
@pytest.mark.parametrize("encoding", ENCODERS)
def test_a_bomb_is_passed_on_in_small_pieces(encoding: str) -> None:
    bomb = ENCODERS[encoding](bytes(20_000_000))
    total = 0
    for piece in open_pipe(encoding).feed(bomb):
        assert len(piece) <= 2 * PIECE  # brotli rounds its buffer up
        total += len(piece)
        if total > 1_000_000:
            break
    assert total > 1_000_000


@given(
    encoding=st.sampled_from(["gzip", "deflate", "br", "zstd", "gzip, br", "zstd, deflate"]),
    data=st.binary(max_size=400),
    step=st.integers(1, 50),
)
def test_hostile_bytes_raise_nothing_but_coding_errors(
    encoding: str, data: bytes, step: int
) -> None:
    with suppress(CodingError):
        assert isinstance(undo(encoding, data, step=step), bytes)
