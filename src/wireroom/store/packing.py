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
from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Computed,
    Index,
    Integer,
    MetaData,
    Text,
    TextClause,
)
from sqlalchemy.types import TypeEngine

T = TypeVar("T")

LONGEST_KEY = (
    500  # bytes; PostgreSQL refuses index rows above 2,704, and a guid may be a whole page
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
DAY = 86_400_000_000
"""A day, in microseconds."""
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
    """The value as JSON text; dataclasses become objects."""
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


# Kinds of columns and indexes, the same on every database; knows no table.

metadata = MetaData(
    naming_convention={
        "ix": "%(table_name)s_by_%(column_0_N_name)s",
        "uq": "%(table_name)s_once_%(column_0_N_name)s",
        "fk": "%(table_name)s_of_%(column_0_name)s",
        "pk": "%(table_name)s_key",
    }
)

# PostgreSQL would sort by the server's locale; "C" is what SQLite does: by code point.
_WORDS: TypeEngine[str] = Text().with_variant(Text(collation="C"), "postgresql")
NUMBER: TypeEngine[int] = BigInteger().with_variant(Integer(), "sqlite")
"""SQLite numbers rows by itself only where the type reads INTEGER."""


def words(name: str, *more: Any, **options: Any) -> Column[Any]:
    """Text, which is never NULL unless that is said."""
    return Column(name, _WORDS, *more, nullable=options.pop("nullable", False), **options)


def document(name: str) -> Column[Any]:
    """JSON text, see packing."""
    return Column(name, _WORDS, nullable=False)


def time(name: str, *, nullable: bool = True) -> Column[Any]:
    """A time or a duration, in microseconds."""
    return Column(name, BigInteger, nullable=nullable)


def count(name: str) -> Column[Any]:
    """How many."""
    return Column(name, Integer, nullable=False)


def row_number() -> Column[Any]:
    """The number that the database gives a row."""
    return Column("id", NUMBER, primary_key=True, autoincrement=True)


def ready_after(after: str) -> Computed:
    """When a host can be given out: not before its work is due, not before its lease is over."""
    return Computed(
        f"CASE WHEN {after} IS NULL THEN NULL"
        f" WHEN {after} > lease_until THEN {after} ELSE lease_until END",
        persisted=True,
    )


def index_some(name: str, *columns: Column[Any], where: ColumnElement[bool] | TextClause) -> None:
    """Adds an index of the rows for which `where` holds, and no others."""
    Index(name, *columns, sqlite_where=where, postgresql_where=where)
