"""Brings an input to the disk that cannot be read where it is: from a web server, part by part, or from stdin.

Everything goes through the fetcher: its guard, its rate limiter, and robots.txt of the server. A file that changes
while it is fetched is no file at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from wireroom.errors import DeliverError, FetchError
from wireroom.export.atomic_files import write_errors
from wireroom.fetch.client import Fetcher
from wireroom.fetch.decode import LONGEST_ANNOUNCED, PARTIAL_CONTENT, size_of_whole
from wireroom.fetch.fetch_options import options_from
from wireroom.model import Request, Response
from wireroom.private_files import open_new
from wireroom.settings.secrets import redact

if TYPE_CHECKING:
    from wireroom.settings import Settings

PART = (
    16_000_000  # bytes of one request: a gigabyte is some sixty, each a second after the one before
)
PIECE = 1_000_000  # bytes of a stream that are in memory at once
DEADLINE = timedelta(minutes=5)  # for each of them


def copy_stream(stream: BinaryIO, path: Path) -> str:
    """Brings what comes on a stream to the disk; gives its digest."""
    digest = blake2b(digest_size=16)
    with write_errors(path), _new_file(path) as out:
        while piece := stream.read(PIECE):
            digest.update(piece)
            out.write(piece)
    return digest.hexdigest()


def _new_file(path: Path) -> BinaryIO:
    """A new file in the place of what a killed process may have left there."""
    path.unlink(missing_ok=True)
    return open_new(path)


async def fetch_file(
    url: str, path: Path, settings: Settings, *, progress: Callable[[int, int], None]
) -> None:
    """Fetches a file of any size; DeliverError says why it cannot be had."""
    options = replace(options_from(settings), deadline=DEADLINE)
    with write_errors(path):
        try:
            async with Fetcher(options) as fetch:
                with _new_file(path) as out:
                    await _fetch_parts(url, out, fetch, progress)
        except FetchError as exc:
            later = "Run the same command again later: what is done is kept."
            advice = f" {exc.hint}" if exc.hint else ""
            message = f"{redact(url)} cannot be fetched: {exc.reason}.{advice}"
            raise DeliverError(message, hint=later) from exc


async def _fetch_parts(
    url: str, out: BinaryIO, fetch: Fetcher, progress: Callable[[int, int], None]
) -> None:
    done, whole, first = 0, None, None
    while whole is None or done < whole:
        part = (done, done + PART)
        answer = await fetch(Request(url=url, purpose="read", part=part, max_bytes=PART))
        first = first or answer
        size = size_of_whole(answer.headers)
        if answer.status != PARTIAL_CONTENT:  # a small file, or a server that knows no parts
            size = len(answer.body)
        if size is None or size > LONGEST_ANNOUNCED:
            raise DeliverError(
                f"{redact(url)}: its server does not say how large it is.",
                hint="Download it by other means and name the file.",
            )
        if (whole is not None and size != whole) or _stamp(answer) != _stamp(first):
            raise DeliverError(
                f"{redact(url)} changed while it was fetched.",
                hint="Run the same command again.",
            )
        whole = size
        out.write(answer.body)
        done += len(answer.body)
        progress(done, whole)


def _stamp(answer: Response) -> tuple[str, str]:
    return answer.validators.etag, answer.validators.last_modified
