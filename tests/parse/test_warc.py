"""Reading WARC: every compression, and what strangers may have done to a record."""

from __future__ import annotations

import gzip
import io
import sys
import tracemalloc
import zlib
from pathlib import Path
from random import Random

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tests.warcs import Compression, answer, packed, page, record, story_records
from wireroom.parse.warc import BadRecord, Record, WarcReader, read_http
from wireroom.parse.warc.http_answer import without_chunks
from wireroom.parse.warc.members import _gzip_library

COMPRESSIONS: tuple[Compression, ...] = ("gz", "zst", "plain")
TOWNS = [f"Town{number}" for number in range(5)]


def read(body: bytes) -> list[Record | BadRecord]:
    return list(WarcReader(io.BytesIO(body)))


def urls(found: list[Record | BadRecord]) -> list[str]:
    return [each.head.url for each in found if isinstance(each, Record)]


def reasons(found: list[Record | BadRecord]) -> list[str]:
    return [each.reason for each in found if isinstance(each, BadRecord)]


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_records_come_in_order_and_whole(compression: Compression) -> None:
    records = story_records(TOWNS)
    found = read(packed(records, compression))
    assert len(found) == len(records)
    assert not reasons(found)
    answers = [
        read_http(each.block)
        for each in found
        if isinstance(each, Record) and each.head.kind == "response"
    ]
    assert [each.body for each in answers if each] == [page(town) for town in TOWNS]


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_an_offset_leads_to_its_record(compression: Compression) -> None:
    body = packed(story_records(TOWNS), compression)
    for each in read(body):
        assert isinstance(each, Record)
        again = read(body[each.head.offset :])[0]
        assert isinstance(again, Record)
        assert again.block == each.block


def test_offsets_and_blocks_are_those_that_other_readers_find(tmp_path: Path) -> None:
    from fastwarc.warc import ArchiveIterator as FastIterator
    from warcio.archiveiterator import ArchiveIterator

    path = tmp_path / "a.warc.gz"
    path.write_bytes(packed(story_records(TOWNS)))
    ours = [
        (each.head.offset, each.head.url, each.block)
        for each in read(path.read_bytes())
        if isinstance(each, Record)
    ]
    with path.open("rb") as stream:
        fast = [
            (each.stream_pos, each.headers.get("WARC-Target-URI", ""), each.reader.read())
            for each in FastIterator(stream, parse_http=False)
        ]
    assert ours == fast
    with path.open("rb") as stream:
        slow = [each.rec_headers["WARC-Target-URI"] or "" for each in ArchiveIterator(stream)]
    assert [url for _, url, _ in ours] == slow


def test_what_we_write_ourselves_is_read(tmp_path: Path) -> None:
    from datetime import UTC, datetime

    from wireroom.fetch.warc import Archive
    from wireroom.model import Response
    from wireroom.ports import Hop

    archive = Archive(tmp_path / "own.warc.gz")
    from datetime import timedelta

    hop = Hop(
        url="https://courier.example/a",
        method="GET",
        headers=(),
        addresses=("192.0.2.1",),
        port=443,
        max_bytes=1,
        deadline=timedelta(seconds=1),
    )
    now = datetime(2026, 1, 2, tzinfo=UTC)
    archive.record(
        hop, Response(url=hop.url, final_url=hop.url, status=200, body=b"<p>Hi", fetched_at=now)
    )
    archive.close()
    kinds = [
        each.head.kind
        for each in read((tmp_path / "own.warc.gz").read_bytes())
        if isinstance(each, Record)
    ]
    assert kinds == ["warcinfo", "response", "request"]


def test_an_archive_compressed_as_a_whole_or_cut_anywhere_is_read() -> None:
    whole = b"".join(story_records(TOWNS))
    in_pieces = b"".join(gzip.compress(whole[at : at + 700]) for at in range(0, len(whole), 700))
    expected = urls(read(whole))
    assert urls(read(gzip.compress(whole))) == expected
    assert urls(read(in_pieces)) == expected


def test_a_zstd_dictionary_before_the_frames_is_used() -> None:
    records = story_records([f"Town{number}" for number in range(60)])
    known = zstandard.train_dictionary(2_000, list(records))
    frames = zstandard.ZstdCompressor(dict_data=known)
    for content in (known.as_bytes(), zstandard.compress(known.as_bytes())):
        head = b"\x5d\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content
        body = head + b"".join(map(frames.compress, records))
        assert urls(read(body)) == urls(read(b"".join(records)))


@pytest.mark.parametrize("compression", ["gz", "zst"])
def test_a_damaged_record_costs_itself_alone(compression: Compression) -> None:
    records = story_records(TOWNS)
    parts = [packed([each], compression) for each in records]
    half = len(parts[4]) // 2
    # A frame of zstd has no checksum as a rule: of that, a part is missing.
    parts[4] = (
        parts[4][:half] + (b"\xff\0\xff\0" if compression == "gz" else b"") + parts[4][half + 4 :]
    )
    found = read(b"".join(parts))
    assert set(reasons(found)) <= {"damaged", "cut_short", "bad_length", "no_record"}
    assert reasons(found)
    assert len(urls(found)) == len(records) - 1


def test_gzip_is_read_alike_with_and_without_zlib_ng(monkeypatch: pytest.MonkeyPatch) -> None:
    body, chance = packed(story_records(TOWNS), "gz"), Random(7)
    damaged = []
    for _ in range(40):
        place = chance.randrange(len(body))
        damaged.append(body[:place] + chance.randbytes(chance.randrange(4)) + body[place + 2 :])

    def seen() -> list[tuple[list[str], list[str]]]:
        return [(reasons(found), urls(found)) for found in map(read, [body, *damaged])]

    assert _gzip_library() is not zlib
    fast = seen()
    monkeypatch.setitem(sys.modules, "zlib_ng", None)
    assert _gzip_library() is zlib
    assert seen() == fast
    assert any(found for found, _ in fast)


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_an_archive_that_ends_early_says_so(compression: Compression) -> None:
    records = story_records(TOWNS)
    body = packed(records, compression)
    found = read(body[: len(body) - 200])
    assert reasons(found) == ["cut_short"]
    assert len(urls(found)) == len(records) - 1


@pytest.mark.parametrize("length", ["-1", "", "12a", "9" * 30, "0x10"])
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_a_length_that_is_none_costs_its_record_alone(
    compression: Compression, length: str
) -> None:
    good = story_records(TOWNS)
    bad = record("https://liar.example/", answer(page("Liar")), length=length)
    found = read(packed([*good[:3], bad, *good[3:]], compression))
    assert reasons(found) == ["bad_length"]
    assert len(urls(found)) == len(good)


@pytest.mark.parametrize("compression", ["gz", "zst"])
@pytest.mark.parametrize("difference", [-50, 50, 10**9])
def test_a_length_that_lies_is_found_out(compression: Compression, difference: int) -> None:
    good, block = story_records(TOWNS), answer(page("Liar"))
    bad = record("https://liar.example/", block, length=len(block) + difference)
    found = read(packed([*good[:3], bad, *good[3:]], compression))
    assert reasons(found) == ["bad_length" if difference < 0 else "cut_short"]
    assert urls(found) == urls(read(packed(good)))


def test_a_bomb_is_left_after_some_megabytes_and_the_next_record_is_read() -> None:
    packer = zlib.compressobj(9, wbits=31)
    zeros = bytes(2**20)
    size = 600 * 2**20
    head = record("https://bomb.example/", b"", length=size)[:-4]
    bomb = (
        packer.compress(head)
        + b"".join(packer.compress(zeros) for _ in range(600))
        + packer.flush()
    )
    after = story_records(["Town"])
    tracemalloc.start()
    found = read(bomb + packed(after))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert reasons(found)[0] == "too_long"
    assert urls(found) == urls(read(packed(after)))
    assert peak < 20 * 2**20


def test_a_record_longer_than_is_read_is_named_and_passed_over() -> None:
    long = record("https://long.example/", answer(b"x" * 20_000))
    good = story_records(["Town"])
    found = list(WarcReader(io.BytesIO(packed([long, *good])), max_block=10_000))
    assert reasons(found) == ["too_long"]
    assert len(urls(found)) == len(good)


def test_a_header_without_an_end_is_no_record() -> None:
    endless = b"WARC/1.0\r\n" + b"X-Field: y\r\n" * 10_000
    good = story_records(["Town"])
    for compression in COMPRESSIONS:
        found = read(packed([endless, *good], compression))
        assert reasons(found) == ["bad_header"], compression
        assert len(urls(found)) >= len(good) - 1


def test_blank_lines_without_an_end_are_no_record() -> None:
    found = read(packed([b"\r\n" * 100_000, *story_records(["Town"])]))
    assert reasons(found) == ["no_record"]
    assert len(urls(found)) == 3


def test_only_wanted_blocks_are_kept() -> None:
    body = packed(story_records(TOWNS))
    reader = WarcReader(io.BytesIO(body), lambda head: head.kind == "response")
    assert len(list(reader)) == len(TOWNS)
    assert reader.records == 1 + 2 * len(TOWNS)
    assert reader.consumed == len(body)


@given(st.binary(max_size=3_000))
def test_whatever_the_bytes_are_reading_ends(body: bytes) -> None:
    for start in (
        b"",
        b"WARC/1.0\r\n",
        b"\x1f\x8b\x08\x00",
        b"\x28\xb5\x2f\xfd",
        b"\x5d\x2a\x4d\x18",
    ):
        assert len(read(start + body)) <= len(body) + 10


@given(st.data())
def test_a_changed_byte_never_stops_the_reader(data: st.DataObject) -> None:
    body = bytearray(
        packed(story_records(["One", "Two"]), data.draw(st.sampled_from(COMPRESSIONS)))
    )
    place = data.draw(st.integers(0, len(body) - 1))
    body[place] = data.draw(st.integers(0, 255))
    assert len(read(bytes(body))) >= 1


def test_chunks_are_undone_where_there_are_any() -> None:
    chunked = b"4\r\nWiki\r\n5;x=y\r\npedia\r\n0\r\n\r\n"
    assert without_chunks(chunked) == b"Wikipedia"
    assert without_chunks(b"<html>as it is</html>") == b"<html>as it is</html>"
    assert without_chunks(b"FFFFFFFF\r\nshort") == b"short"


@pytest.mark.parametrize("block", [b"", b"hello", b"HTTP/1.1 200", b"HTTP/1.1 2000 OK\r\n\r\n"])
def test_what_is_no_answer_is_none(block: bytes) -> None:
    assert read_http(block) is None


def test_headers_may_be_folded_and_end_without_carriage_returns() -> None:
    found = read_http(b"HTTP/1.0 404 No\nA: b\n  c\nD: e\n\nbody\r\n\r\nmore")
    assert found is not None
    assert (found.status, found.headers) == (404, (("a", "b c"), ("d", "e")))
    assert found.body == b"body\r\n\r\nmore"
