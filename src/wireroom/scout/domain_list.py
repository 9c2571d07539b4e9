"""A file of the domains in an index, asked instead of the index: one domain a line, plain or gzip.

Behind the domain may stand the count of its pages and the newest month (YYYY-MM), with blanks or tabs between.
The file is read once in a process and kept as it is: a table of ten million names would take ten times its
memory, and a publisher is looked up once in a scout.
"""

from __future__ import annotations

import asyncio
import gzip
import re
import zlib
from functools import lru_cache
from pathlib import Path
from threading import Lock

from wireroom.errors import ParseError
from wireroom.ports import ListedDomain

MAX_LIST = 200_000_000  # bytes, unpacked: some ten million domains; it is held in memory
MAX_LINE = 500  # bytes that are looked at; a domain has at most 253
MAX_DIGITS = 15  # of a count; more is no count
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_MONTH = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])")
_reading = Lock()  # publishers are scouted side by side, and the first of them reads


class DomainList:
    """A `CrawlList` on a file."""

    def __init__(self, path: str) -> None:
        self._path = path

    @property
    def name(self) -> str:
        """The name of the file, without its folder: cards are shown to others."""
        return Path(self._path).name

    async def find(self, domain: str) -> ListedDomain | None:
        """The line of the domain; None when there is none. Raises ParseError."""
        return await asyncio.to_thread(self._find, domain)

    def _find(self, domain: str) -> ListedDomain | None:
        with _reading:
            lines = _lines(self._path)
        return _listed(lines, domain.lower().encode("utf-8", "replace"))


@lru_cache(maxsize=1)
def _lines(path: str) -> bytes:
    """Every line with a line break before it and behind it, in lower case."""
    try:
        body = _body(Path(path))
    except (OSError, EOFError, ValueError, zlib.error) as exc:
        reason = exc.strerror if isinstance(exc, OSError) and exc.strerror else str(exc)
        # Without the folder: what a finding says is shown to others.
        message = f"scout.common_crawl_list: {Path(path).name} cannot be read: {reason}"
        raise ParseError(message) from exc
    return b"\n" + body.removeprefix(_BOM).lower() + b"\n"


def _body(path: Path) -> bytes:
    if path.exists() and not path.is_file():
        raise ValueError("it is no file")  # a pipe or a device may never end
    with path.open("rb") as file:
        is_packed = file.read(len(_GZIP)) == _GZIP
        file.seek(0)
        if is_packed:
            with gzip.open(file) as unpacked:
                body = unpacked.read(MAX_LIST + 1)
        else:
            body = file.read(MAX_LIST + 1)
    if len(body) > MAX_LIST:
        raise ValueError(f"it is larger than {MAX_LIST // 1_000_000} MB")
    return body


def _listed(lines: bytes, domain: bytes) -> ListedDomain | None:
    wanted = b"\n" + domain
    at = lines.find(wanted) if domain else -1
    while at >= 0:
        end = at + len(wanted)
        if lines[end : end + 1] in (b" ", b"\t", b"\r", b"\n"):
            return _entry(lines, at + 1)
        at = lines.find(wanted, end)
    return None


def _entry(lines: bytes, start: int) -> ListedDomain:
    end = min(lines.find(b"\n", start), start + MAX_LINE)
    words = lines[start:end].decode("utf-8", "replace").split()
    counts = (word for word in words[1:] if word.isdecimal() and len(word) <= MAX_DIGITS)
    months = (word for word in words[1:] if _MONTH.fullmatch(word))
    return ListedDomain(
        line=lines.count(b"\n", 0, start),
        text=" ".join(words),
        pages=next(map(int, counts), None),
        latest=next(months, ""),
    )
