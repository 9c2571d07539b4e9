"""Inputs from elsewhere: from a web server through the fetcher, and from S3; both on loopback."""

from __future__ import annotations

import asyncio
import io
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.app.archive.conftest import NOW, rows, titles
from tests.cli.inline import InlineEngine
from tests.warcs import packed, story_records
from wireroom.app import App
from wireroom.app.archive import ArchiveRequest, ArchiveSummary
from wireroom.app.archive.archive_files import archive_inputs
from wireroom.app.archive.archive_inputs import find_inputs
from wireroom.errors import DeliverError
from wireroom.settings import Settings

TOWNS = ["Aldersea", "Brightwell", "Caldmouth"]


@dataclass
class Files:
    """What a server has, and what it was asked for."""

    bodies: dict[str, bytes]
    knows_parts: bool = True
    changes: bool = False
    asked: list[tuple[str, str]] = field(default_factory=list)
    port: int = 0

    def address(self, name: str) -> str:
        return f"http://files.example:{self.port}/{name}"


@contextmanager
def serving(files: Files) -> Iterator[Files]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range", "")
            files.asked.append((self.path, wanted))
            body = files.bodies.get(self.path.lstrip("/"))
            if body is None:
                self.send_error(404)
                return
            found = re.fullmatch(r"bytes=(\d+)-(\d+)", wanted)
            if found and files.knows_parts:
                first, last = int(found[1]), min(int(found[2]), len(body) - 1)
                self.send_response(206)
                self.send_header("Content-Range", f"bytes {first}-{last}/{len(body)}")
                body = body[first : last + 1]
            else:
                self.send_response(200)
            tag = len(files.asked) if files.changes else 1
            self.send_header("ETag", f'"{tag}"')
            kind = "application/zip" if self.path.endswith("wacz") else "application/gzip"
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: Any) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    files.port = server.server_address[1]
    try:
        yield files
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def settings_for(files: Files) -> Settings:
    host = f"files.example:{files.port}"
    return Settings.model_validate(
        {
            "hosts": {"files.example": f"127.0.0.1:{files.port}"},
            "fetch": {"allow_private": [host], "delay": "0s"},
        }
    )


def archive(app: App, files: Files, place: str, out: Path) -> ArchiveSummary:
    own = App(app.store, clock=lambda: NOW, settings=settings_for(files))
    request = ArchiveRequest(inputs=(place,), output=out)
    return asyncio.run(archive_inputs(own, request, InlineEngine()))


@pytest.mark.parametrize("part", [1_000, 16_000_000])
def test_a_file_is_fetched_part_by_part_and_read(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    monkeypatch.setattr("wireroom.app.archive.bring_input.PART", part)
    body = packed(story_records(TOWNS))
    with serving(Files({"a/b.warc.gz": body})) as files:
        summary = archive(app, files, files.address("a/b.warc.gz"), tmp_path / "out")
    assert summary.failed == {}
    assert titles(tmp_path / "out") == TOWNS
    (row, *_) = rows(tmp_path / "out")
    assert row["warc_file"] == files.address("a/b.warc.gz")
    assert files.asked[0] == ("/robots.txt", "")
    parts = [wanted for path, wanted in files.asked if path != "/robots.txt"]
    assert len(parts) == -(-len(body) // part)
    assert not list((tmp_path / "out" / "_manifest").glob("*.input"))


def packed_wacz(*towns: str) -> bytes:
    """A WACZ larger than one read of it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive_file:
        archive_file.writestr("archive/a.warc.gz", packed(story_records(towns)))
        archive_file.writestr("pad", bytes(300_000))
    return out.getvalue()


def test_a_wacz_is_fetched_whatever_the_server_calls_it(app: App, tmp_path: Path) -> None:
    with serving(Files({"a.wacz": packed_wacz(*TOWNS)})) as files:
        archive(app, files, files.address("a.wacz"), tmp_path / "out")
    assert titles(tmp_path / "out") == TOWNS


def test_a_server_that_knows_no_parts_gives_a_small_file(app: App, tmp_path: Path) -> None:
    with serving(Files({"a.warc.gz": packed(story_records(TOWNS))}, knows_parts=False)) as files:
        archive(app, files, files.address("a.warc.gz"), tmp_path / "out")
    assert titles(tmp_path / "out") == TOWNS


def test_robots_txt_and_the_guard_hold_for_archives(app: App, tmp_path: Path) -> None:
    rules = b"User-agent: *\nDisallow: /closed\n"
    body = packed(story_records(TOWNS))
    with serving(Files({"robots.txt": rules, "closed/a.warc.gz": body})) as files:
        barred = archive(app, files, files.address("closed/a.warc.gz"), tmp_path / "out")
        private = f"http://127.0.0.1:{files.port}/closed/a.warc.gz"
        guarded = archive(app, files, private, tmp_path / "out")
    assert "robots.txt" in str(barred.failed)
    assert "fetch.allow_private" in guarded.failed[private]
    assert [path for path, _ in files.asked] == ["/robots.txt"]


def test_a_file_that_changes_or_is_missing_is_not_read(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wireroom.app.archive.bring_input.PART", 1_000)
    with serving(Files({"a.warc.gz": packed(story_records(TOWNS))}, changes=True)) as files:
        changed = archive(app, files, files.address("a.warc.gz"), tmp_path / "out")
        missing = archive(app, files, files.address("b.warc.gz"), tmp_path / "out")
    assert "changed while it was fetched" in str(changed.failed)
    assert "cannot be fetched" in str(missing.failed)
    assert not list((tmp_path / "out").glob("day=*"))


# --- S3 -----------------------------------------------------------------------------------------------


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A bucket of moto's server; gives what stands behind an address to reach it."""
    import boto3
    from moto.server import ThreadedMotoServer

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    server = ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    client = boto3.client("s3", endpoint_url=f"http://{host}:{port}", region_name="us-east-1")
    client.create_bucket(Bucket="crawl")
    for number in range(2):
        body = packed(story_records([f"Town{number}"], f"host{number}.example"))
        client.put_object(Bucket="crawl", Key=f"2026/{number}.warc.gz", Body=body)
    client.put_object(Bucket="crawl", Key="2026/readme.txt", Body=b"hello")
    client.put_object(Bucket="crawl", Key="2025/a.wacz", Body=packed_wacz("Town2"))
    try:
        yield f"?endpoint_override={host}:{port}&scheme=http&region=us-east-1"
    finally:
        server.stop()


@pytest.mark.long
def test_objects_and_prefixes_of_s3_are_read(app: App, tmp_path: Path, bucket: str) -> None:
    request = ArchiveRequest(
        inputs=(f"s3://crawl/2026/1.warc.gz{bucket}", f"s3://crawl/2026/{bucket}"),
        output=tmp_path / "out",
    )
    summary = asyncio.run(archive_inputs(app, request, InlineEngine()))
    assert summary.inputs == 2
    found = rows(tmp_path / "out")
    assert sorted(row["title"].split()[0] for row in found) == ["Town0", "Town1"]
    assert {row["warc_file"] for row in found} == {f"s3://crawl/2026/{n}.warc.gz" for n in range(2)}
    again = asyncio.run(archive_inputs(app, request, InlineEngine()))
    assert again.done_before == 2
    zipped = ArchiveRequest(inputs=(f"s3://crawl/2025/a.wacz{bucket}",), output=tmp_path / "wacz")
    asyncio.run(archive_inputs(app, zipped, InlineEngine()))
    assert titles(tmp_path / "wacz") == ["Town2"]
    with pytest.raises(DeliverError, match="is not there"):
        find_inputs([f"s3://crawl/2026/none.warc.gz{bucket}"])
    with pytest.raises(DeliverError, match="cannot be read"):
        find_inputs([f"s3://nothing/2026/{bucket}"])
