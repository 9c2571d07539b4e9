"""Files at well-known addresses: there, not there, or a page in their place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from wireroom.errors import GoneError, ParseError, StatusError
from wireroom.model import Evidence
from wireroom.ports import StepContext
from wireroom.signals.shared.documents import ask, origin_of

MAX_FILE = 1_000_000  # bytes of a file that a person wrote; larger ones are traps or mistakes

T = TypeVar("T")
Reader = Callable[[bytes, str, str], T]
"""Bytes, the address they came from, the media type the server claims."""


@dataclass(frozen=True, slots=True)
class Answered(Generic[T]):
    """What a well-known address gave: the file, or why there is none."""

    url: str
    file: T | None
    status: int
    why: str = ""
    truncated: bool = False

    def evidence(self, excerpt: str = "", *, line: int | None = None) -> Evidence:
        """Something read in it, or that it was looked for."""
        return Evidence(url=self.url, line=line, excerpt=excerpt or self.why, status=self.status)


async def well_known(context: StepContext, path: str, read: Reader[T]) -> Answered[T]:
    """The file at this path of the publisher's origin; raises FetchError when nobody could look."""
    url = f"{origin_of(context.publisher.home_url)}{path}"
    try:
        response = await ask(context, url, max_bytes=MAX_FILE, take_start=True)
    except StatusError as error:
        if isinstance(error, GoneError) or error.status in {400, 405, 406}:
            return Answered(url, None, error.status, "no such file")
        raise
    try:
        file = read(response.body, response.final_url, response.content_type)
    except ParseError as exc:
        return Answered(response.final_url, None, response.status, str(exc))
    return Answered(response.final_url, file, response.status, truncated=response.truncated)
