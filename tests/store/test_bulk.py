"""Many rows at once: in order, whole, and found again."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, Connection, select
from sqlalchemy.dialects import sqlite

from tests.store.samples import NOW, article, lead, reading
from wireroom.ports import Store
from wireroom.store import open_store, schema
from wireroom.store.rows import (
    FEWER_AT_ONCE,
    ROWS_AT_ONCE,
    add_missing,
    among,
    not_held,
    sized,
    upsert,
)
from wireroom.store.sql_store import SqlStore


def test_a_large_batch_is_saved_whole_and_found(store: Store) -> None:
    count = 6 * ROWS_AT_ONCE + 1
    store.save_readings([reading(article(number)) for number in range(count)], now=NOW)
    assert store.counts()["articles"] == count
    assert len(list(store.articles("harbour"))) == count


@pytest.mark.parametrize("count", [0, 1, 9, 10, 49, 50, 51, 137])
def test_rows_come_in_order_and_in_parts_of_few_sizes(count: int) -> None:
    parts = list(sized(range(count)))
    assert [row for part in parts for row in part] == list(range(count))
    assert {len(part) for part in parts} <= {1, FEWER_AT_ONCE, ROWS_AT_ONCE}


def test_many_rows_that_are_held_are_replaced_and_others_added(store: Store) -> None:
    count = 2 * ROWS_AT_ONCE + FEWER_AT_ONCE + 3
    pages = [lead(number) for number in range(count)]
    store.save_leads(pages[: count // 2], now=NOW)
    given_up = [replace(page, state="failed", reason="not-found", attempts=3) for page in pages]
    assert store.save_leads(given_up, now=NOW) == count - count // 2
    assert {lead.reason for lead in store.leads(limit=count)} == {"not-found"}
    assert len(store.leads(limit=2 * count)) == count


ODD_TEXTS = (
    "",
    "it's",
    'a "b" \\ c',
    "line\nline\ttab",
    "{}[],:",
    "né",
    "東京 🙂",
    "%s %(a)s :b ?",
    "\u2028",
)


@pytest.mark.parametrize("count", [1, FEWER_AT_ONCE, ROWS_AT_ONCE])
def test_rows_arrive_as_they_were_given(store: Store, count: int) -> None:
    rows = [
        {
            "key": (1 << 62) + number,
            "feed_url": "f",
            "about": f"{number}{text}",
            "value": 0.1 + number * 1e-17 + 10.0 ** (3 * number % 300),
            "cause": text,
            "reason": text,
            "at": -number,
        }
        for number, text in enumerate(ODD_TEXTS * count)
    ]
    table = schema.observation
    names = [column for column in table.c if column.name != "id"]

    def save(conn: Connection) -> list[dict[str, object]]:
        add_missing(conn, table, rows, keys=["key"])
        add_missing(conn, table, [{**row, "about": "again"} for row in rows], keys=["key"])
        held = conn.execute(select(*names).order_by(table.c.id)).mappings()
        return [dict(row) for row in held]

    assert isinstance(store, SqlStore)
    assert store._db.write(save) == rows


def test_of_many_rows_with_one_key_the_last_counts(store: Store) -> None:
    rows = [{"name": f"n{number % 15}", "value": str(number)} for number in range(ROWS_AT_ONCE)]

    def save(conn: Connection) -> dict[str, str]:
        upsert(conn, schema.meta, rows, keys=["name"])
        return {row.name: row.value for row in conn.execute(select(schema.meta))}

    assert isinstance(store, SqlStore)
    held = store._db.write(save)
    assert [held[f"n{number}"] for number in range(15)] == [
        *(str(45 + number) for number in range(5)),
        *(str(30 + number) for number in range(5, 15)),
    ]


@pytest.mark.parametrize(
    "column", [schema.article.c.id, schema.article.c.position, schema.host.c.name, schema.lead.c.id]
)
def test_a_list_is_looked_up_in_the_index(tmp_path: Path, column: Column[Any]) -> None:
    file = tmp_path / "w.db"
    open_store(f"sqlite:///{file}").close()
    statement = select(column).where(among(column, "values")).order_by(column)
    with closing(sqlite3.connect(file)) as conn:
        plan = conn.execute(
            f"EXPLAIN QUERY PLAN {statement.compile(dialect=sqlite.dialect())}", ["[]"]
        )
        steps = [step[-1] for step in plan]
    assert steps[0].startswith(f"SEARCH {column.table.name} USING")


def test_a_list_of_odd_values_finds_each(store: Store) -> None:
    names = [*ODD_TEXTS, "007", "7", "null"]
    rows = [{"name": name, "value": name} for name in names]

    def ask(conn: Connection) -> list[str]:
        upsert(conn, schema.meta, rows, keys=["name"])
        return not_held(conn, schema.meta.c.name, ["0", *names, "7.0"])

    assert isinstance(store, SqlStore)
    assert store._db.write(ask) == ["0", "7.0"]


def test_the_index_of_words_stays_in_few_pieces(tmp_path: Path) -> None:
    """Each commit adds one, and a search looks into all of them: 60 commits make no 60 pieces."""
    file = tmp_path / "w.db"
    with closing(open_store(f"sqlite:///{file}")) as store:
        for number in range(60):
            store.save_readings([reading(article(number))], now=NOW)
    with closing(sqlite3.connect(file)) as conn:
        pieces = conn.execute("SELECT count(DISTINCT segid) FROM article_words_idx").fetchone()[0]
    assert 1 <= pieces <= 30
