"""Kinds of columns and indexes, the same on every database; knows no table."""

from __future__ import annotations

from typing import Any

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
