"""Answers from recordings, without any traffic: for tests, and to read pages again.

Recordings are the responses of a WARC (option `path`) or those handed over in Python. What was not
recorded is unreachable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from wireroom.errors import FetchError, MissingExtraError, TooLargeError, UnreachableError
from wireroom.model import Response
from wireroom.ports import Hop, StrategyPlug
from wireroom.urls import identity_key


class Replay:
    """Recorded responses by their address; the last recording with a body of its own counts."""

    name = "replay"

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        self._recorded: dict[str, Response] = {}
        path = (options or {}).get("path", "")
        if path:
            self.add(read_warc(Path(path)))

    def add(self, responses: Iterable[Response]) -> None:
        """Adds recordings."""
        for response in responses:
            key = identity_key(response.url)
            if response.body or key not in self._recorded:  # neither a 304 nor a HEAD hides a page
                self._recorded[key] = response

    async def hop(self, hop: Hop) -> Response:
        """The recorded answer, cut and refused as a live one would be."""
        found = self._recorded.get(identity_key(hop.url))
        if found is None:
            raise UnreachableError(
                hop.url, "not among the recordings", kind="connect", permanent=True
            )
        if len(found.body) > hop.max_bytes and not hop.take_start:
            raise TooLargeError(hop.url, "max_bytes (decoded)", hop.max_bytes)
        return replace(
            found,
            url=hop.url,
            final_url=hop.url,
            body=b"" if hop.method == "HEAD" else found.body[: hop.max_bytes],
            truncated=len(found.body) > hop.max_bytes,
            strategy=self.name,
        )

    async def close(self) -> None:
        """Nothing is open."""


def read_warc(path: Path) -> Iterator[Response]:
    """The responses of a WARC, ours or another tool's, one by one."""
    try:
        from fastwarc.stream_io import FastWARCError
        from fastwarc.warc import ArchiveIterator, WarcRecordType
    except ImportError as exc:
        raise MissingExtraError("archive", "Reading WARC files") from exc
    try:
        for record in ArchiveIterator(str(path), record_types=WarcRecordType.response):
            url = record.headers.get("WARC-Target-URI") or ""
            if not record.is_http or not url:
                continue
            record.parse_http()
            yield Response(
                url=url,
                final_url=url,
                status=_status(record.http_headers.status_code),
                headers=tuple((name.lower(), value) for name, value in record.http_headers.items()),
                body=record.reader.read(),
                fetched_at=record.record_date,
                strategy="replay",
            )
    except (OSError, FastWARCError) as exc:
        message = " ".join(str(exc).split())[:200]
        raise FetchError(str(path), f"cannot be read as WARC: {message}", permanent=True) from exc


def _status(code: object) -> int:
    return int(code) if isinstance(code, (int, str)) and str(code).isdigit() else 0


PLUG = StrategyPlug("replay", open=Replay, offline=True)
