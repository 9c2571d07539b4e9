"""Answers that were written already: a small cache, bounded in bytes.

Knows answers and their age, nothing of sockets.
"""

from __future__ import annotations

import gzip
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime

from multidict import CIMultiDict

from wireroom.town.answers import Answer, answer
from wireroom.town.world import Town

MAX_BYTES = 32 * 2**20  # of bodies: some 4,000 pages, a tenth of what the large town may take
MIN_TO_COMPRESS = 512  # below that gzip makes a body longer
DEFAULT_SERVER = "nginx"
ALREADY_SMALL = ("image/", "application/x-gzip")


@dataclass(slots=True)
class Ready:
    """An answer with everything that can be prepared once."""

    answer: Answer
    written_at: datetime
    headers: CIMultiDict[str]
    last_modified: str
    compressible: bool
    compressed: bytes = b""

    @property
    def size(self) -> int:
        """What it takes in the cache; the compressed form is a small part more."""
        return len(self.answer.body)


class AnswerCache:
    """Gives the answer to a target as it stands at the town's present moment."""

    def __init__(self, town: Town, *, max_bytes: int = MAX_BYTES) -> None:
        self._town = town
        self._max_bytes = max_bytes
        self._kept: OrderedDict[tuple[str, str], Ready] = OrderedDict()
        self.size = 0

    def take(self, host: str, target: str) -> Ready:
        """The answer, written anew only when the town's clock has moved."""
        key, now = (host, target), self._town.clock.now()
        ready = self._kept.get(key)
        if ready is not None and ready.written_at == now:
            self._kept.move_to_end(key)
            return ready
        if ready is not None:
            self._drop(key)
        ready = _prepare(answer(self._town, host, target), now)
        self._keep(key, ready)
        return ready

    def compressed(self, ready: Ready) -> bytes:
        """The body as gzip, made when first wanted."""
        if not ready.compressed:
            ready.compressed = gzip.compress(ready.answer.body, compresslevel=1, mtime=0)
        return ready.compressed

    def _keep(self, key: tuple[str, str], ready: Ready) -> None:
        self._kept[key] = ready
        self.size += ready.size
        while self.size > self._max_bytes and self._kept:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: tuple[str, str]) -> None:
        self.size -= self._kept.pop(key).size


def _prepare(made: Answer, now: datetime) -> Ready:
    headers = CIMultiDict(made.headers)
    headers.setdefault("Server", DEFAULT_SERVER)
    stamp = format_datetime(made.last_modified_at, usegmt=True) if made.last_modified_at else ""
    if made.etag and made.status == 200:
        headers["ETag"] = made.etag
    if stamp and made.status == 200:
        headers["Last-Modified"] = stamp
    kind = headers.get("Content-Type", "")
    compressible = len(made.body) >= MIN_TO_COMPRESS and not kind.startswith(ALREADY_SMALL)
    return Ready(
        answer=made,
        written_at=now,
        headers=headers,
        last_modified=stamp,
        compressible=compressible,
    )
