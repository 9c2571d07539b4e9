"""A WARC of real weight: the development pages, repeated, each time with other words in its paragraphs.

No two records are alike, so nothing that knows texts or addresses again saves work. Packing takes as long as parsing
does: it is spread over the cores.
"""

from __future__ import annotations

import os
import zlib
from base64 import b32encode
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from hashlib import sha1
from pathlib import Path
from typing import NamedTuple

from wcxb import samples

LEVEL = 6  # of compression, as crawlers have it


class Page(NamedTuple):
    """A page and where it stood."""

    url: str
    body: bytes


def real_pages(most: int) -> list[Page]:
    """The development pages, of all kinds."""
    return [
        Page(sample.url if sample.url.startswith("http") else _address(sample.id), sample.body())
        for sample in samples()[:most]
    ]


def _address(name: str) -> str:
    return f"https://page.example/{name}"


def write_archive(path: Path, pages: list[Page], count: int) -> int:
    """So many pages as a WARC, each a gzip member; gives its bytes."""
    with path.open("wb") as out:
        if count < 100:  # a pool takes longer to start
            out.writelines(map(partial(_member, pages), range(count)))
        else:
            with ProcessPoolExecutor(os.cpu_count(), initializer=_keep, initargs=(pages,)) as pool:
                out.writelines(pool.map(_kept_member, range(count), chunksize=50))
    return path.stat().st_size


_kept: list[Page] = []


def _keep(pages: Iterable[Page]) -> None:
    _kept.extend(pages)


def _kept_member(number: int) -> bytes:
    return _member(_kept, number)


def _member(pages: list[Page], number: int) -> bytes:
    """One record, compressed."""
    page = pages[number % len(pages)]
    body = page.body.replace(b"</p>", b" Edition %d of this page.</p>" % number)
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
    block = head.encode() + body
    mark = "&" if "?" in page.url else "?"
    fields = (
        "WARC/1.0\r\nWARC-Type: response\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012d}>\r\n"
        f"WARC-Date: 2026-03-04T{number // 3600 % 24:02d}:{number // 60 % 60:02d}:00Z\r\n"
        f"WARC-Target-URI: {page.url}{mark}again={number}\r\n"
        # Fundus reads no record without it
        f"WARC-Block-Digest: sha1:{b32encode(sha1(block).digest()).decode()}\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    packer = zlib.compressobj(LEVEL, wbits=31)
    return packer.compress(fields.encode() + block + b"\r\n\r\n") + packer.flush()
