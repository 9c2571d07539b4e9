"""A database file of a stranger: nothing in it runs beside our own statements."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.samples import publisher
from wireroom.errors import StoreError
from wireroom.ports import StoreOptions
from wireroom.store import open_store
from wireroom.store.sqlite.sqlite_database import SqliteDatabase

FOREIGN = {
    "trigger": "CREATE TRIGGER evil AFTER INSERT ON publisher BEGIN DELETE FROM feed; END",
    "view": "CREATE VIEW evil AS SELECT load_extension('evil')",
    "view of ours": "DROP TABLE robots_file; CREATE VIEW robots_file AS SELECT 1 AS origin",
    "expression": "CREATE INDEX evil ON publisher (hex(name))",
    "check": "DROP TABLE counter; CREATE TABLE counter (name, value, CHECK (value < hex(name)))",
    "virtual": "DROP TABLE counter; CREATE VIRTUAL TABLE counter USING fts5(name, value)",
    "words": "DROP TABLE article_words; CREATE TABLE article_words (text)",
    "foreign words": "DROP TABLE article_words; CREATE VIRTUAL TABLE article_words USING fts5(a, content='meta')",
    "computed": "DROP TABLE counter; CREATE TABLE counter (name, value AS (hex(name)))",
    "missing": "DROP TABLE counter",
    "part": "CREATE INDEX evil ON article (url) WHERE length(url) > 3",
    "unique": "CREATE UNIQUE INDEX evil ON exported (cursor)",
    "column": "ALTER TABLE exported ADD COLUMN evil TEXT NOT NULL DEFAULT 'x'",
    "replacing": "DROP TABLE counter; CREATE TABLE counter (name PRIMARY KEY ON CONFLICT REPLACE, value)",
    "key": "DROP TABLE counter; CREATE TABLE counter (name PRIMARY KEY, value UNIQUE)",
    "tied": "CREATE TABLE mine (domain REFERENCES publisher (domain) ON DELETE RESTRICT)",
    "link": "DROP TABLE counter; CREATE TABLE counter (name PRIMARY KEY, value REFERENCES feed (id) ON DELETE CASCADE)",
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "news.db"
    open_store(f"sqlite:///{path}").close()
    return path


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_with_foreign_code_is_not_opened(file: Path, name: str) -> None:
    with closing(sqlite3.connect(file)) as conn:
        conn.executescript(FOREIGN[name])
    with pytest.raises(StoreError, match=r"did not make|has not our|is tied to") as caught:
        open_store(f"sqlite:///{file}")
    assert "\n" not in str(caught.value)


def test_a_file_with_an_index_or_a_table_of_the_operators_own_is(file: Path) -> None:
    with closing(sqlite3.connect(file)) as conn:
        conn.executescript("CREATE INDEX mine ON article (language); CREATE TABLE notes (text)")
    store = open_store(f"sqlite:///{file}")
    store.save_publisher(publisher())
    store.close()


def test_no_connection_trusts_the_schema(file: Path) -> None:
    database = SqliteDatabase(file, StoreOptions())
    try:
        for ask in (database.read, database.write):
            held = ask(lambda conn: conn.exec_driver_sql("PRAGMA trusted_schema").scalar())
            assert held == 0
    finally:
        database.close()
