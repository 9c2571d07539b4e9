"""The stores every contract test runs on."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from functools import partial
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from tests.store.postgres_server import PostgresServer, running_server
from wireroom.ports import Store, StoreOptions
from wireroom.store import open_store, schema
from wireroom.store.database import Database
from wireroom.store.packing import metadata
from wireroom.store.sql_store import SqlStore
from wireroom.store.sqlite import sqlite_database
from wireroom.store.sqlite.sqlite_files import Access, connector

KINDS = [
    "sqlite-memory",
    "sqlite-file",
    pytest.param("postgres", marks=pytest.mark.postgres),
]
SHARED_KINDS = [kind for kind in KINDS if kind != "sqlite-memory"]
"""Stores that several processes can use at once."""


@pytest.fixture(autouse=True)
def _every_store_is_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Closes what a test has opened: one that failed half-way must not take the next one down."""
    opened: list[SqlStore] = []
    make = SqlStore.__init__

    def make_and_remember(self: SqlStore, database: Database, options: StoreOptions) -> None:
        make(self, database, options)
        opened.append(self)

    monkeypatch.setattr(SqlStore, "__init__", make_and_remember)
    yield
    for sql_store in opened:
        sql_store.close()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One server for all tests; whoever restarts it uses `own_postgres_server`."""
    with running_server() as server:
        yield server


@pytest.fixture
def own_postgres_server() -> Iterator[PostgresServer]:
    """A server of one's own, to be stopped and restarted."""
    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def postgres_database(postgres_server: PostgresServer) -> str:
    """The address of one database for all contract tests: making one for each takes half a second."""
    url = postgres_server.new_database()
    open_store(url).close()
    return url


def _emptied(url: str) -> str:
    """The address, after everything but the store's notes about itself was forgotten."""
    tables = [table.name for table in reversed(metadata.sorted_tables)]
    with psycopg.connect(url, autocommit=True) as conn:
        for name in [schema.ARTICLE_WORDS, "article_words_frequent", *tables]:
            if name != schema.meta.name:
                conn.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(name)))
    return url


@pytest.fixture
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """Gives the address of a fresh store of a kind."""

    def make(kind: str) -> str:
        if kind == "sqlite-memory":
            return "sqlite://"
        if kind == "sqlite-file":
            return f"sqlite:///{tmp_path / 'wireroom.db'}"
        return _emptied(request.getfixturevalue("postgres_database"))

    return make


@pytest.fixture(scope="session")
def made_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite store that holds nothing yet: making one takes 60 ms, copying it 2."""
    file = tmp_path_factory.mktemp("made") / "wireroom.db"
    open_store(f"sqlite:///{file}").close()
    return file


@pytest.fixture
def ready_url(
    made_file: Path, new_url: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], str]:
    """Gives the address of a fresh store whose tables are made; a server's always are."""

    def make(kind: str) -> str:
        url = new_url(kind)
        if kind == "sqlite-memory":
            monkeypatch.setattr(
                sqlite_database, "connector", partial(_connector_to_copy, made_file)
            )
        elif kind == "sqlite-file":
            shutil.copyfile(made_file, url.removeprefix("sqlite:///"))
        return url

    return make


def _connector_to_copy(
    made_file: Path, file: Path | None, access: Access, busy_timeout: timedelta
) -> Callable[[], sqlite3.Connection]:
    """As the store's own, but a database in memory begins as a copy of the file."""
    connect = connector(file, access, busy_timeout)

    def connect_to_copy() -> sqlite3.Connection:
        in_memory = connect()
        with closing(sqlite3.connect(made_file)) as source:
            source.backup(in_memory)
        return in_memory

    return connect if file else connect_to_copy


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, ready_url: Callable[[str], str]) -> Iterator[Store]:
    """A fresh store of each kind."""
    opened = open_store(ready_url(request.param), StoreOptions())
    yield opened
    opened.close()


@pytest.fixture(params=SHARED_KINDS)
def shared_url(request: pytest.FixtureRequest, new_url: Callable[[str], str]) -> str:
    """The address of a fresh store that several processes can open."""
    return new_url(request.param)
