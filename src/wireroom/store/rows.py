"""Rows in and out, the way every database here understands it: upserts, long lists, locks.

Knows SQLAlchemy, no table and no type of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias, TypeVar

from sqlalchemy import (
    JSON,
    BindParameter,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Dialect,
    LargeBinary,
    RowMapping,
    Select,
    Table,
    Text,
    bindparam,
    cast,
    collate,
    column,
    func,
    select,
)
from sqlalchemy.dialects import postgresql, registry, sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.sql.operators import OperatorType
from sqlalchemy.types import TypeDecorator, TypeEngine

from wireroom.store.packing import as_document

if TYPE_CHECKING:
    import psycopg

T = TypeVar("T")
Row: TypeAlias = dict[str, Any]
Fresh: TypeAlias = Any
"""The columns of the row that is being saved, by name."""
Changes: TypeAlias = Callable[[Fresh], Mapping[str, Any]]
Insert: TypeAlias = sqlite.Insert | postgresql.Insert

LONGEST_LIST = (
    500  # values in one `IN (…)`: far below any database's limit, long enough to be quick
)


# Putting a statement together takes longer than a database takes to do what it says, so each is
# written once: here for every table, in other modules as a constant.
WRITTEN = 256  # statements kept in each of the caches below; there are some dozens
_DIALECTS: dict[str, Dialect] = {
    "sqlite": registry.load("sqlite")(),
    "postgresql": registry.load("postgresql.psycopg")(),
}


# Rows in one statement on SQLite. Python's lock is given away and asked for again with every
# statement: with one for each row, the writer would wait for whoever else is at work, row by row.
ROWS_AT_ONCE = 50
FEWER_AT_ONCE = 10


def is_postgres(conn: Connection) -> bool:
    """Whether several writers can be at work at once, so that rows have to be locked."""
    return conn.dialect.name == "postgresql"


def chunks(values: Iterable[T], size: int = LONGEST_LIST) -> Iterator[list[T]]:
    """The values in lists of at most `size`."""
    rest = iter(values)
    while part := list(islice(rest, size)):
        yield part


def for_update(query: Select[Any], *, skip_locked: bool = False) -> Select[Any]:
    """The query, locking what it finds where others could change it before we do: not on SQLite."""
    return query.with_for_update(skip_locked=skip_locked)


def listed(name: str) -> BindParameter[Any]:
    """A list in a statement that is written once: `column.in_(listed("ids"))`."""
    return bindparam(name, expanding=True)


class _List(TypeDecorator[Sequence[Any]]):
    """A list as one value: an array, or JSON text where there are none."""

    impl = Text
    cache_ok = True

    def __init__(self, of: TypeEngine[Any]) -> None:
        super().__init__()
        self.of = of

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """The type there."""
        return postgresql.ARRAY(self.of) if dialect.name == "postgresql" else Text()

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """The list as the driver takes it."""
        return value if dialect.name == "postgresql" else as_document(value)


class _Among(FunctionElement[bool]):
    """Whether a column is one of the values of a list."""

    type = Boolean()
    inherit_cache = True

    def self_group(self, against: OperatorType | None = None) -> Self:  # noqa: ARG002 - as SQLAlchemy asks
        """Itself: "… = 1" would keep SQLite from its indexes."""
        return self


@compiles(_Among, "sqlite")
def _among_on_sqlite(element: _Among, compiler: SQLCompiler, **options: Any) -> str:
    held, values = (compiler.process(part, **options) for part in element.clauses)
    return f"{held} IN (SELECT value FROM json_each({values}))"  # noqa: S608 - names of our own


@compiles(_Among, "postgresql")
def _among_on_postgres(element: _Among, compiler: SQLCompiler, **options: Any) -> str:
    held, values = (compiler.process(part, **options) for part in element.clauses)
    return f"{held} = ANY ({values})"


def among(column: Column[Any], name: str) -> ColumnElement[bool]:
    """The same for statements that saving and taking are made of: the list travels as one value, which is written sooner."""
    return _Among(column, bindparam(name, type_=_List(column.type)))


def upsert(
    conn: Connection,
    table: Table,
    rows: Sequence[Row],
    *,
    keys: Sequence[str],
    changes: Changes | None = None,
) -> None:
    """Adds the rows; one whose keys are held replaces what is held, unless `changes` says otherwise.

    `changes` is given the columns of the new row and names those that become something else.
    """
    if rows:
        written = _upserting(conn.dialect.name, table, tuple(rows[0]), tuple(keys), changes)
        _execute(conn, written, rows, keys)


def add_missing(
    conn: Connection, table: Table, rows: Sequence[Row], *, keys: Sequence[str]
) -> None:
    """Adds the rows whose keys are not held yet and leaves the others alone."""
    if rows:
        written = _adding(conn.dialect.name, table, tuple(rows[0]), tuple(keys))
        _execute(conn, written, rows, keys)


def not_held(conn: Connection, column: Column[str], values: Sequence[str]) -> list[str]:
    """Those of the values that no row has, in the same order; spares most additions, which are known."""
    held: set[str] = set()
    for part in chunks(values):
        held.update(conn.execute(_holding(column), {"values": part}).scalars())
    return [value for value in values if value not in held]


def matching(
    conn: Connection,
    query: Select[Any],
    columns: tuple[Column[str], Column[str]],
    pairs: Iterable[tuple[str, str]],
) -> Iterator[RowMapping]:
    """Rows of the query, a constant, whose two columns are one of the pairs.

    The pairs travel as one JSON text: SQLite walks the whole table for `(a, b) IN (VALUES …)`.
    """
    found = _matching(conn.dialect.name, query, columns)
    for part in chunks(pairs):
        yield from conn.execute(found, {"pairs": as_document(part)}).mappings()


class _Written(NamedTuple):
    """An addition of rows as its driver takes it."""

    statement: str
    names: tuple[str, ...] | None
    """The values of a row, in order; None where they go by name."""
    of_many: str
    """The same for many rows at once, which it takes as one JSON text; empty where there is no such way."""


def _execute(
    conn: Connection, written: _Written, rows: Sequence[Row], keys: Sequence[str] = ()
) -> None:
    """Hands rows to the driver as they are: their values are plain, there is nothing to convert."""
    names = written.names
    if names is not None:
        for part in sized(rows):
            values = [row[name] for row in part for name in names]
            conn.exec_driver_sql(_for_many(written.statement, len(names), len(part)), tuple(values))
    elif written.of_many and len(rows) >= FEWER_AT_ONCE and _are_different(rows, keys):
        for part in chunks(rows):
            conn.exec_driver_sql(written.of_many, {"rows": as_document(part)})
    else:
        conn.exec_driver_sql(written.statement, list(rows))


def _are_different(rows: Sequence[Row], keys: Sequence[str]) -> bool:
    """Whether each row has other keys: one statement does not change a row twice."""
    return len({tuple([row[key] for key in keys]) for row in rows}) == len(rows)


def sized(rows: Iterable[T]) -> Iterator[list[T]]:
    """The rows in order, in parts of few different sizes, so that there are few statements to prepare."""
    for part in chunks(rows, ROWS_AT_ONCE):
        if len(part) == ROWS_AT_ONCE:
            yield part
        else:
            tens = len(part) - len(part) % FEWER_AT_ONCE
            yield from chunks(part[:tens], FEWER_AT_ONCE)
            yield from chunks(part[tens:], 1)


@lru_cache(maxsize=WRITTEN)
def _for_many(statement: str, columns: int, rows: int) -> str:
    """The statement for one row, for so many."""
    places = values_of(columns, 1)
    return statement.replace(f"VALUES {places}", f"VALUES {values_of(columns, rows)}", 1)


def values_of(columns: int, rows: int) -> str:
    """The places of the values of so many rows, as SQLite wants them."""
    return ", ".join([f"({', '.join('?' * columns)})"] * rows)


@lru_cache(maxsize=WRITTEN)
def _upserting(
    dialect: str,
    table: Table,
    columns: tuple[str, ...],
    keys: tuple[str, ...],
    changes: Changes | None,
) -> _Written:
    def on_conflict(insert: Insert) -> Insert:
        fresh = insert.excluded
        new = {name: fresh[name] for name in columns if name not in keys}
        if changes is not None:
            new.update(changes(fresh))
        return insert.on_conflict_do_update(index_elements=list(keys), set_=new)

    return _write(dialect, table, columns, on_conflict)


@lru_cache(maxsize=WRITTEN)
def _adding(
    dialect: str, table: Table, columns: tuple[str, ...], keys: tuple[str, ...]
) -> _Written:
    def on_conflict(insert: Insert) -> Insert:
        return insert.on_conflict_do_nothing(index_elements=list(keys))

    return _write(dialect, table, columns, on_conflict)


def _write(
    dialect: str, table: Table, columns: Sequence[str], on_conflict: Callable[[Insert], Insert]
) -> _Written:
    if dialect == "sqlite":
        compiled = _compiled(dialect, on_conflict(sqlite.insert(table)), columns)
        return _Written(str(compiled), tuple(compiled.positiontup or ()), "")
    of_row = _compiled(dialect, on_conflict(postgresql.insert(table)), columns)
    if any(isinstance(table.c[name].type, LargeBinary) for name in columns):  # not for JSON
        return _Written(str(of_row), None, "")
    many = postgresql.insert(table).from_select(list(columns), _rows_in_json(table, columns))
    return _Written(str(of_row), None, str(_compiled(dialect, on_conflict(many), columns)))


def _rows_in_json(table: Table, columns: Sequence[str]) -> Select[Any]:
    held = func.json_to_recordset(cast(bindparam("rows", type_=Text), JSON))
    typed = (column(name, table.c[name].type) for name in columns)
    found = held.table_valued(*typed, name="fresh").render_derived(with_types=True)
    return select(*(found.c[name] for name in columns))


def _compiled(dialect: str, insert: Insert, columns: Sequence[str]) -> SQLCompiler:
    compiled = insert.compile(dialect=_DIALECTS[dialect], column_keys=list(columns))
    assert isinstance(compiled, SQLCompiler)  # noqa: S101 - tells the type checker
    return compiled


@lru_cache(maxsize=WRITTEN)
def _holding(column: Column[str]) -> Select[str]:
    return select(column).where(among(column, "values"))


@lru_cache(maxsize=WRITTEN)
def _matching(
    dialect: str, query: Select[Any], columns: tuple[Column[str], Column[str]]
) -> Select[Any]:
    first, second = _pair_on_postgres() if dialect == "postgresql" else _pair_on_sqlite()
    return query.where(columns[0] == first, columns[1] == second)


def _pair_on_postgres() -> tuple[ColumnElement[str], ColumnElement[str]]:
    pairs = cast(bindparam("pairs", type_=Text), postgresql.JSONB)
    wanted = func.jsonb_array_elements(pairs).table_valued("value")
    first, second = (wanted.c.value.op("->>")(place) for place in (0, 1))
    return collate(first, "C"), collate(second, "C")


def _pair_on_sqlite() -> tuple[ColumnElement[str], ColumnElement[str]]:
    wanted = func.json_each(bindparam("pairs", type_=Text)).table_valued("value")
    first, second = (func.json_extract(wanted.c.value, f"$[{place}]") for place in (0, 1))
    return first, second


# Many new rows at once, the quickest way each database has; knows no table and no type of the model.
#
# Rows may come from a generator: few of them are in memory at once. Only for rows that are known to be
# new; `rows` has the ways to add or replace.

Values: TypeAlias = tuple[Any, ...]


def add_rows(conn: Connection, table: str, columns: Sequence[str], rows: Iterable[Values]) -> None:
    """Adds rows, each its values in the order of the columns; one that is held already is an error."""
    if is_postgres(conn):
        _copy(conn, _copy_into(table, tuple(columns)), rows)
        return
    for part in sized(rows):
        statement = _insert_into(table, tuple(columns), len(part))
        conn.exec_driver_sql(statement, tuple(chain.from_iterable(part)))


@lru_cache(maxsize=256)  # a handful of tables, in the few sizes of parts
def _insert_into(table: str, columns: tuple[str, ...], rows: int) -> str:
    places = values_of(len(columns), rows)
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES {places}"  # noqa: S608 - names of our own


@lru_cache(maxsize=16)  # a handful of tables
def _copy_into(table: str, columns: tuple[str, ...]) -> str:
    return f"COPY {table} ({', '.join(columns)}) FROM STDIN"


def add_packed_rows(
    conn: Connection, table: str, columns: Sequence[str], rows: Iterable[Sequence[bytes]]
) -> int:
    """The same on PostgreSQL alone, with rows in the form in which it sends and takes them; how many there were."""
    added = 0
    with _copying(conn, f"{_copy_into(table, tuple(columns))} (FORMAT BINARY)") as copy:
        copy.write(_PACKED_HEAD)
        for part in chunks(rows, ROWS_AT_ONCE):
            copy.write(b"".join(chain.from_iterable(part)))
            added += len(part)
        copy.write(_PACKED_END)
    return added


_PACKED_HEAD = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_PACKED_END = b"\xff\xff"


def _copy(conn: Connection, statement: str, rows: Iterable[Values]) -> None:
    with _copying(conn, statement) as copy:
        for row in rows:
            copy.write_row(row)


@contextmanager
def _copying(conn: Connection, statement: str) -> Iterator[psycopg.Copy]:
    """COPY is none of SQLAlchemy's statements, so its errors are wrapped here as it wraps others."""
    import psycopg

    raw = conn.connection.driver_connection
    assert isinstance(raw, psycopg.Connection)  # noqa: S101 - tells the type checker
    try:
        with raw.cursor() as cursor, cursor.copy(statement) as copy:
            yield copy
    except psycopg.Error as exc:
        raise DBAPIError.instance(
            statement, None, exc, psycopg.Error, hide_parameters=True, dialect=conn.dialect
        ) from exc
