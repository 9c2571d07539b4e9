"""Keeps everything that was fetched as WARC: a request and a response record per hop.

Each record is a gzip member of its own, so that any WARC tool can seek; files are rotated by size.
Bodies are kept decoded and the headers say so; cookies and credentials are left out. Needs the
`archive` extra.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from email.utils import format_datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from uuid import uuid4

from wireroom.errors import DeliverError, MissingExtraError
from wireroom.model import Response
from wireroom.ports import Hop
from wireroom.private_files import make_new
from wireroom.version import __version__

if TYPE_CHECKING:
    from fastwarc.stream_io import GzipWriter
    from fastwarc.warc import WarcRecord

log = logging.getLogger(__name__)

MAX_FILE = 1_000_000_000  # bytes of one file before the next is begun: what crawlers agree on
LEVEL = 6  # of gzip; 9 takes twice the time for one percent

# They identify a person or grant access, or no longer tell the truth about a decoded body.
SECRET = frozenset(
    {"authorization", "cookie", "proxy-authorization", "set-cookie", "www-authenticate"}
)
UNTRUE = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class Archive:
    """A WARC that is being written; close it to have its last record on disk."""

    def __init__(self, path: Path, *, max_file: int = MAX_FILE) -> None:
        if find_spec("fastwarc") is None:
            raise MissingExtraError("archive", "Writing WARC files")
        self._path = path
        self._max_file = max_file
        self._number = 0
        self._written = 0
        self._out: GzipWriter | None = None

    def record(self, hop: Hop, response: Response) -> None:
        """Adds what was sent and what came back."""
        response_id = f"<urn:uuid:{uuid4()}>"
        at = response.fetched_at
        address = hop.addresses[0] if hop.addresses else ""
        answer = self._make("response", hop.url, at, _response_bytes(response))
        answer.headers["WARC-Record-ID"] = response_id
        if address:
            answer.headers["WARC-IP-Address"] = address
        if response.truncated:
            answer.headers["WARC-Truncated"] = "length"
        question = self._make("request", hop.url, at, _request_bytes(hop))
        question.headers["WARC-Concurrent-To"] = response_id
        self._write(answer, question)

    def close(self) -> None:
        """Ends the file."""
        if self._out is not None:
            self._out.close()
            self._out = None

    # --- inside ---------------------------------------------------------------------------------

    def _make(self, kind: str, url: str, at: datetime, content: bytes) -> WarcRecord:
        from fastwarc.warc import WarcRecord, WarcRecordType

        record = WarcRecord()
        record.init_headers(record_type=getattr(WarcRecordType, kind))
        record.headers["WARC-Target-URI"] = url
        record.headers["WARC-Date"] = _stamp(at)
        record.headers["Content-Type"] = f"application/http; msgtype={kind}"
        record.set_bytes_content(content)
        return record

    def _write(self, *records: WarcRecord) -> None:
        """Writes what belongs together into one file."""
        try:
            if self._out is None or self._written >= self._max_file:
                self._out = self._begin()
            for record in records:
                record.write(self._out, checksum_data=True)
                self._out.finish()  # a member per record, or other readers see an endless one
            self._written = self._current().stat().st_size
        except OSError as exc:
            raise DeliverError(
                f"The archive {self._current()} cannot be written: {exc.strerror or exc}."
            ) from exc

    def _begin(self) -> GzipWriter:
        from fastwarc.stream_io import GzipWriter
        from fastwarc.warc import WarcRecord, WarcRecordType

        self.close()
        self._number += 1
        while not _is_made(self._current()):
            self._number += 1  # never over somebody's earlier archive
        out = GzipWriter(str(self._current()), compression_level=LEVEL)
        info = WarcRecord()
        info.init_headers(record_type=WarcRecordType.warcinfo)
        info.headers["WARC-Date"] = _stamp(datetime.now(UTC))
        info.headers["WARC-Filename"] = self._current().name
        info.headers["Content-Type"] = "application/warc-fields"
        info.set_bytes_content(
            f"software: wireroom/{__version__}\r\nformat: WARC File Format 1.1\r\n".encode()
        )
        info.write(out, checksum_data=True)
        out.finish()
        return out

    def _current(self) -> Path:
        """`name.warc.gz`, then `name-00002.warc.gz` and on."""
        name = self._path.name
        stem = name.removesuffix(".gz").removesuffix(".warc")
        part = "" if self._number <= 1 else f"-{self._number:05d}"
        return self._path.with_name(f"{stem}{part}.warc.gz")


def _is_made(path: Path) -> bool:
    """Whether there is a new file now that nobody else can read."""
    try:
        make_new(path)
    except FileExistsError:
        return False
    return True


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _request_bytes(hop: Hop) -> bytes:
    parts = urlsplit(hop.url)
    path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
    lines = [f"{hop.method} {path} HTTP/1.1", f"Host: {parts.netloc.rpartition('@')[2]}"]
    lines += [f"{name}: {value}" for name, value in hop.headers if name.lower() not in SECRET]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "replace")


def _response_bytes(response: Response) -> bytes:
    lines = [f"HTTP/1.1 {response.status}"]
    for name, value in response.headers:
        if name in SECRET:
            continue
        lines.append(f"{'X-Original-' if name in UNTRUE else ''}{name}: {_one_line(value)}")
    if not any(name == "date" for name, _ in response.headers):
        lines.append(f"Date: {format_datetime(response.fetched_at, usegmt=True)}")
    lines.append(f"Content-Length: {len(response.body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "replace") + response.body


def _one_line(value: str) -> str:
    return value.replace("\r", " ").replace("\n", " ")
