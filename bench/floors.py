"""The least that saving can take here: finished rows and words handed to the bare driver, table by table.

The same tables, the same full-text index, the same commits, made before the clock starts; nothing
is looked up and nothing else is kept. What our store takes beyond that is its own. Times are of the processor, this
process and the server's together. Not a bench by itself.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from corpus import batches
from growth import processor_seconds
from wireroom.model import Article
from wireroom.store import open_store
from wireroom.store.search.index_terms import index_article

Rows = list[tuple[Any, ...]]

_WORDS = "rowid, text, title, authors, tags, facets"
_PRAGMAS = ("synchronous = NORMAL", "cache_size = -32768", "wal_autocheckpoint = 16000")
_WORK_MEMORY = "SET work_mem = '64MB'"
_PENDING = "ALTER INDEX bare_article_words_words_idx SET (gin_pending_list_limit = 16384)"


def sqlite_floor(filled: Path, empty: Path, count: int, size: int) -> dict[str, float]:
    """Microseconds an article by `sqlite3` alone, by table; their rows come from the store that holds them."""
    open_store(f"sqlite:///{empty}").close()
    spent = dict.fromkeys(("article", "article_words"), 0.0)
    with closing(sqlite3.connect(filled)) as held, closing(sqlite3.connect(empty)) as target:
        for pragma in _PRAGMAS:
            target.execute(f"PRAGMA {pragma}")

        def save(table: str, columns: str, rows: Rows) -> Callable[[], None]:
            places = ", ".join("?" * len(rows[0]))

            def insert() -> None:
                target.executemany(f"INSERT INTO {table} {columns} VALUES ({places})", rows)
                target.commit()

            return insert

        for batch in batches(count, size):
            by_id = {article.id: article for article in batch}
            rows = sorted(_rows(held, list(by_id)), key=lambda row: int(row[0]))
            words = [_fts5_words(row[0], by_id[row[1]]) for row in rows]
            spent["article"] += _spent("", save("article", "", rows))
            spent["article_words"] += _spent("", save("article_words", f"({_WORDS})", words))
    return _each(spent, count)


def postgres_floor(address: str, count: int, size: int) -> dict[str, float]:
    """The same by COPY alone, into tables made like those of the store there."""
    import psycopg

    kinds = {
        "article": "article",
        "article_words": "article_words",
        "article_words without its index of words": "article_words",
    }
    spent = dict.fromkeys(kinds, 0.0)
    with psycopg.connect(address) as conn:
        conn.execute("CREATE TABLE bare_article (LIKE article INCLUDING ALL)")
        conn.execute("CREATE TABLE bare_article_words (LIKE article_words INCLUDING ALL)")
        conn.execute("CREATE TABLE bare_unindexed (LIKE article_words INCLUDING STORAGE)")
        conn.execute("ALTER TABLE bare_unindexed SET (toast_tuple_target = 8160)")
        conn.execute(_PENDING)
        conn.execute(_WORK_MEMORY)
        conn.commit()
        targets = dict(
            zip(kinds, ("bare_article", "bare_article_words", "bare_unindexed"), strict=True)
        )

        def packed(table: str, positions: list[int]) -> bytes:
            chosen = f"SELECT * FROM {table} WHERE position = ANY(%s) ORDER BY position"
            with conn.cursor().copy(
                f"COPY ({chosen}) TO STDOUT (FORMAT BINARY)", [positions]
            ) as copy:
                return b"".join(copy)

        def save(table: str, rows: bytes) -> Callable[[], None]:
            def insert() -> None:
                with conn.cursor().copy(f"COPY {table} FROM STDIN (FORMAT BINARY)") as copy:
                    copy.write(rows)
                conn.commit()

            return insert

        for batch in batches(count, size):
            ids = [article.id for article in batch]
            found = conn.execute(
                "SELECT position FROM article WHERE id = ANY(%s)", [ids]
            ).fetchall()
            positions = [position for (position,) in found]
            for kind, table in kinds.items():
                rows = packed(table, positions)
                conn.commit()
                spent[kind] += _spent(address, save(targets[kind], rows))
    return _each(spent, count)


def _spent(address: str, do: Callable[[], None]) -> float:
    before = processor_seconds(address)
    do()
    return processor_seconds(address) - before


def _each(spent: Mapping[str, float], count: int) -> dict[str, float]:
    return {kind: 1e6 * seconds / count for kind, seconds in spent.items()}


def _rows(held: sqlite3.Connection, ids: list[str]) -> Rows:
    places = ", ".join("?" * len(ids))
    return held.execute(f"SELECT * FROM article WHERE id IN ({places})", ids).fetchall()


def _fts5_words(position: int, article: Article) -> tuple[Any, ...]:
    words = index_article(article)
    return position, words.text, words.title, words.authors, words.tags, words.facets


# --- bytes -------------------------------------------------------------------------------------


def sqlite_bytes(file: Path, count: int) -> Iterator[tuple[str, float]]:
    """Bytes an article of each table and index, the largest first."""
    with closing(sqlite3.connect(file)) as held:
        sizes = "SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC"
        yield from ((name, size / count) for name, size in held.execute(sizes))


def postgres_bytes(address: str, count: int) -> Iterator[tuple[str, float]]:
    """The same; what a table keeps elsewhere is the table's."""
    import psycopg

    with psycopg.connect(address) as conn:
        sizes = (
            "SELECT relname, CASE WHEN relkind = 'r' THEN pg_table_size(oid) ELSE pg_relation_size(oid) END"
            " FROM pg_class WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace"
            " ORDER BY 2 DESC"
        )
        yield from ((name, size / count) for name, size in conn.execute(sizes).fetchall())
