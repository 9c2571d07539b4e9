"""Values to columns and back: times, durations, and the documents kept as JSON text.

Pure. A time is whole microseconds since 1970 in UTC, so that every database sorts, compares and
returns it exactly alike; a document is JSON. Must not know a table.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

LONGEST_KEY = (
    500  # bytes; PostgreSQL refuses index rows above 2,704, and a guid may be a whole page
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_encoder = msgspec.json.Encoder(enc_hook=dict)  # facts with a type become plain here


def as_micros(at: datetime) -> int:
    """The time as microseconds since 1970; a time without a zone is a mistake and raises TypeError."""
    return (at - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """The time, in UTC."""
    return _EPOCH + timedelta(microseconds=micros)


def maybe_micros(at: datetime | None) -> int | None:
    """As `as_micros`, and None for None."""
    return None if at is None else as_micros(at)


def maybe_time(micros: int | None) -> datetime | None:
    """As `from_micros`, and None for None."""
    return None if micros is None else from_micros(micros)


def as_span(span: timedelta) -> int:
    """The duration as microseconds."""
    return span // _MICROSECOND


def from_span(micros: int) -> timedelta:
    """The duration."""
    return timedelta(microseconds=micros)


def maybe_span(span: timedelta | None) -> int | None:
    """As `as_span`, and None for None."""
    return None if span is None else as_span(span)


def as_document(value: Any) -> str:
    """The value as JSON text; nouns become objects."""
    return _encoder.encode(value).decode()


@lru_cache(maxsize=64)
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def from_document(document: str, kind: Any) -> Any:
    """The value of this type that was packed into the document."""
    return _decoder(kind).decode(document)


def as_bytes(header: str) -> bytes:
    """A header value exactly as the server sent it, whatever bytes it holds."""
    return header.encode("utf-8", "surrogatepass")


def from_bytes(packed: bytes) -> str:
    """The header value that was packed."""
    return bytes(packed).decode("utf-8", "surrogatepass")


def bounded_key(text: str) -> str:
    """The text itself, or what stands for it where it is too long for an index."""
    packed = text.encode()
    if len(packed) <= LONGEST_KEY:
        return text
    return f"blake2b:{blake2b(packed, digest_size=20).hexdigest()}"
