"""What a kill may have done to a database: doubled articles, damage, rows that point nowhere. Not a bench by itself."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from importlib import import_module
from typing import Any

from wireroom.identity import aliases
from wireroom.ports import Store

SHOWN = 20  # problems of one look; more of the same say nothing new


def doubles(store: Store) -> list[str]:
    """Addresses and identity keys that more than one article has."""
    seen: Counter[str] = Counter()
    for article in store.articles():
        seen[f"url {article.url}"] += 1
        seen.update(f"key {key.publisher} {key.url_key}" for key in aliases(article))
    return [name for name, count in seen.items() if count > 1]


def damage(url: str) -> list[str]:
    """What is wrong with the database itself; it may be in use meanwhile."""
    if not url.startswith("sqlite:///"):
        return list(_postgres_damage(url))
    try:
        return list(_sqlite_damage(url.removeprefix("sqlite:///")))
    except sqlite3.DatabaseError as exc:  # so damaged that it cannot even be checked
        return [str(exc)]


def _sqlite_damage(file: str) -> Iterator[str]:
    with closing(sqlite3.connect(file, timeout=30)) as conn:
        for (answer,) in conn.execute(f"PRAGMA integrity_check({SHOWN})"):
            if answer != "ok":
                yield str(answer)
        for table, row, parent, _ in conn.execute("PRAGMA foreign_key_check").fetchmany(SHOWN):
            yield f"row {row} of {table} points to no {parent}"


def _postgres_damage(url: str) -> Iterator[str]:
    """Heap and primary key must count the same rows, and no foreign key may point nowhere."""
    psycopg = import_module("psycopg")  # in the `postgres` extra
    with psycopg.connect(url) as conn:
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        for table, column in conn.execute(_PRIMARY_KEYS).fetchall():
            heap, index = _count(conn, table, column, "off"), _count(conn, table, column, "on")
            if heap != index:
                yield f"{table} has {heap} rows, its primary key {index}"
        for table, column, parent, target in conn.execute(_FOREIGN_KEYS).fetchall():
            lost = conn.execute(
                f'SELECT count(*) FROM "{table}" c LEFT JOIN "{parent}" p ON c."{column}" = p."{target}"'
                f' WHERE c."{column}" IS NOT NULL AND p."{target}" IS NULL'
            ).fetchone()[0]
            if lost:
                yield f"{lost} rows of {table} point to no {parent}"


def _count(conn: Any, table: str, column: str, by_index: str) -> int:
    """Rows as the index has them, or as the table itself has them."""
    by_table = "off" if by_index == "on" else "on"
    conn.execute(f"SET LOCAL enable_seqscan = {by_table}")
    conn.execute("SET LOCAL enable_bitmapscan = off")
    for kind in ("indexscan", "indexonlyscan"):
        conn.execute(f"SET LOCAL enable_{kind} = {by_index}")
    rows = conn.execute(
        f'SELECT count(*) FROM (SELECT "{column}" FROM "{table}" ORDER BY "{column}") o'
    )
    return int(rows.fetchone()[0])


_PRIMARY_KEYS = """
SELECT c.relname, a.attname FROM pg_constraint k
JOIN pg_class c ON c.oid = k.conrelid
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]
WHERE k.contype = 'p' AND c.relnamespace = 'public'::regnamespace ORDER BY c.relname"""
_FOREIGN_KEYS = """
SELECT c.relname, a.attname, p.relname, b.attname FROM pg_constraint k
JOIN pg_class c ON c.oid = k.conrelid
JOIN pg_class p ON p.oid = k.confrelid
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]
JOIN pg_attribute b ON b.attrelid = p.oid AND b.attnum = k.confkey[1]
WHERE k.contype = 'f' ORDER BY c.relname"""
