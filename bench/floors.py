"""The least that saving can take here: finished rows and words handed to the bare driver.

The same tables, the same full-text index, the same commits, made before the clock starts; nothing
is looked up and nothing else is kept. What our store takes beyond that is its own. Not a bench by
itself.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from corpus import batches
from figures import Stopwatch
from wireroom.model import Article
from wireroom.store import open_store
from wireroom.store.search.index_terms import index_article
from wireroom.store.search.tsvectors import tsvector

_WORDS = "rowid, text, title, authors, tags, facets"
_PRAGMAS = ("synchronous = NORMAL", "cache_size = -32768", "wal_autocheckpoint = 16000")


def sqlite_floor(filled: Path, empty: Path, count: int, size: int) -> float:
    """Articles a second by `sqlite3` alone; their rows come from the store that holds them."""
    open_store(f"sqlite:///{empty}").close()
    with closing(sqlite3.connect(filled)) as held, closing(sqlite3.connect(empty)) as target:
        for pragma in _PRAGMAS:
            target.execute(f"PRAGMA {pragma}")

        def save(rows: list[tuple[Any, ...]], words: list[tuple[Any, ...]]) -> None:
            target.executemany(_insert("article", len(rows[0])), rows)
            places = ", ".join("?" * len(words[0]))
            target.executemany(f"INSERT INTO article_words ({_WORDS}) VALUES ({places})", words)
            target.commit()

        made = _finished(lambda ids: _rows(held, ids), _fts5_words, count, size)
        return _rate(save, made, count)


def postgres_floor(address: str, count: int, size: int) -> float:
    """Articles a second by COPY alone, into tables made like those of the store there."""
    import psycopg

    with psycopg.connect(address) as conn:
        for table in ("article", "article_words"):
            conn.execute(f"CREATE TABLE bare_{table} (LIKE {table} INCLUDING ALL)")
        conn.execute(
            "ALTER INDEX bare_article_words_words_idx SET (gin_pending_list_limit = 16384)"
        )
        conn.execute("SET work_mem = '64MB'")
        conn.commit()

        def rows_of(ids: list[str]) -> list[tuple[Any, ...]]:
            found = conn.execute("SELECT * FROM article WHERE id = ANY(%s)", [ids]).fetchall()
            conn.commit()
            return found

        def save(rows: list[tuple[Any, ...]], words: list[tuple[Any, ...]]) -> None:
            for table, held in (("article", rows), ("article_words", words)):
                with conn.cursor().copy(f"COPY bare_{table} FROM STDIN") as copy:
                    for row in held:
                        copy.write_row(row)
            conn.commit()

        return _rate(save, _finished(rows_of, _tsvector, count, size), count)


_Made = tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]


def _finished(
    rows_of: Callable[[list[str]], list[tuple[Any, ...]]],
    words_of: Callable[[int, Article], tuple[Any, ...]],
    count: int,
    size: int,
) -> Iterator[_Made]:
    """Batches of rows and words, both in the order of their positions."""
    for batch in batches(count, size):
        by_id = {article.id: article for article in batch}
        rows = sorted(rows_of(list(by_id)), key=lambda row: int(row[0]))
        yield rows, [words_of(row[0], by_id[row[1]]) for row in rows]


def _rate(save: Callable[..., None], made: Iterator[_Made], count: int) -> float:
    watch = Stopwatch()
    for rows, words in made:
        with watch.running():
            save(rows, words)
    return count / watch.seconds


def _rows(held: sqlite3.Connection, ids: list[str]) -> list[tuple[Any, ...]]:
    places = ", ".join("?" * len(ids))
    return held.execute(f"SELECT * FROM article WHERE id IN ({places})", ids).fetchall()


def _insert(table: str, columns: int) -> str:
    return f"INSERT INTO {table} VALUES ({', '.join('?' * columns)})"


def _fts5_words(position: int, article: Article) -> tuple[Any, ...]:
    words = index_article(article)
    return position, words.text, words.title, words.authors, words.tags, words.facets


def _tsvector(position: int, article: Article) -> tuple[Any, ...]:
    return position, tsvector(index_article(article))
