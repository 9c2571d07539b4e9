"""The archive: other people's WARC tools read it, and nothing secret is in it."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from wireroom.errors import DeliverError, MissingExtraError
from wireroom.fetch.warc import Archive
from wireroom.model import Response
from wireroom.ports import Hop

warcio = pytest.importorskip("warcio.archiveiterator", reason="warcio comes with the test extra")
pytest.importorskip("fastwarc", reason="fastwarc comes with the archive extra")

AT = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
URL = "http://courier.test/a?b=c"


def hop(*headers: tuple[str, str]) -> Hop:
    return Hop(
        url=URL,
        method="GET",
        headers=(("User-Agent", "wireroom/0"), *headers),
        addresses=("127.66.0.1",),
        port=80,
        max_bytes=1000,
        deadline=timedelta(seconds=1),
    )


def answer(body: bytes = b"<p>Hafen</p>", *headers: tuple[str, str]) -> Response:
    return Response(
        url=URL,
        final_url=URL,
        status=200,
        headers=(("content-type", "text/html"), *headers),
        body=body,
        fetched_at=AT,
    )


def records(path: Path) -> list[tuple[str, str, bytes, dict[str, str]]]:
    found = []
    with path.open("rb") as stream:
        for record in warcio.ArchiveIterator(stream, check_digests="raise"):
            headers = dict(record.rec_headers.headers)
            http = dict(record.http_headers.headers) if record.http_headers else {}
            body = record.content_stream().read()
            found.append((record.rec_type, headers.get("WARC-Target-URI", ""), body, http))
    return found


def test_a_hop_is_a_request_and_a_response_that_warcio_reads(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "day.warc.gz")
    archive.record(hop(), answer())
    archive.close()
    info, response, request = records(tmp_path / "day.warc.gz")
    assert info[0] == "warcinfo"
    assert (response[0], response[1], response[2]) == ("response", URL, b"<p>Hafen</p>")
    assert response[3]["content-type"] == "text/html"
    assert (request[0], request[1]) == ("request", URL)
    assert request[3]["User-Agent"] == "wireroom/0"


def test_every_record_is_a_member_of_its_own(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "day.warc.gz")
    for _ in range(3):
        archive.record(hop(), answer())
    archive.close()
    assert (tmp_path / "day.warc.gz").read_bytes().count(b"\x1f\x8b\x08") >= 7


def test_secrets_are_left_out(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "day.warc.gz")
    archive.record(
        hop(("Authorization", "Bearer hush"), ("Cookie", "id=hush")),
        answer(b"x", ("set-cookie", "id=hush"), ("www-authenticate", "hush")),
    )
    archive.close()
    assert b"hush" not in gzip.decompress((tmp_path / "day.warc.gz").read_bytes())


def test_a_decoded_body_has_headers_that_are_true(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "day.warc.gz")
    archive.record(hop(), answer(b"plain", ("content-encoding", "br"), ("content-length", "3")))
    archive.close()
    _, response, _ = records(tmp_path / "day.warc.gz")
    assert response[2] == b"plain"
    assert response[3]["Content-Length"] == "5"
    assert "content-encoding" not in response[3]


def test_a_header_cannot_forge_another(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "day.warc.gz")
    archive.record(hop(), answer(b"x", ("x-odd", "a\r\nX-Forged: yes")))
    archive.close()
    _, response, _ = records(tmp_path / "day.warc.gz")
    assert "X-Forged" not in response[3]


def test_files_are_rotated_by_size_and_never_overwritten(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "day.warc.gz", max_file=2000)
    for n in range(8):
        archive.record(hop(), answer(bytes(range(256)) * (n + 1)))
    archive.close()
    files = sorted(path.name for path in tmp_path.iterdir())
    assert {"day-00002.warc.gz", "day.warc.gz"} <= set(files)
    assert sum(len(records(tmp_path / name)) for name in files) == 8 * 2 + len(files)
    before = (tmp_path / "day.warc.gz").read_bytes()
    again = Archive(tmp_path / "day.warc.gz")
    again.record(hop(), answer())
    again.close()
    assert (tmp_path / "day.warc.gz").read_bytes() == before


def test_without_the_extra_it_says_so_before_anything_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wireroom.fetch.warc.find_spec", lambda _name: None)
    with pytest.raises(MissingExtraError, match=r"wireroom\[archive\]"):
        Archive(tmp_path / "day.warc.gz")


def test_an_unwritable_place_is_a_clear_error(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "missing" / "day.warc.gz")
    with pytest.raises(DeliverError, match="cannot be written"):
        archive.record(hop(), answer())
