"""The memory of publishers' furniture: in how many articles each block was, and what was learnt.

Counts are bounded: when more than `SLACK` blocks were counted since the last time, all but the
`KEPT_BLOCKS` commonest and latest of the publisher are dropped. So most batches cost two statements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, select, text, update

from wireroom.model import Memory
from wireroom.store import schema
from wireroom.store.packing import as_document, as_micros, from_document, from_micros
from wireroom.store.rows import for_update, is_postgres, upsert

__all__ = ["KEPT_BLOCKS", "SLACK", "count_blocks", "find_counts", "find_memory", "save_memory"]

KEPT_BLOCKS = 5000  # of one publisher: furniture has some hundreds, the rest of it is chance
SLACK = 5000  # blocks counted between two times of dropping: some three hundred articles

_memory, _tally, _count = schema.memory, schema.block_tally, schema.block_count

# Thousands of rows in a batch, hence as text, past SQLAlchemy's own ways; columns arrive as lists.
_ADD_TALLIES = """
    INSERT INTO block_tally (publisher, articles, added) {rows}
    ON CONFLICT (publisher) DO UPDATE
    SET articles = block_tally.articles + excluded.articles, added = block_tally.added + excluded.added
    RETURNING publisher, added
"""
_ADD_TIMES = """
    INSERT INTO block_count (publisher, hash, times, seen_at) {rows}
    ON CONFLICT (publisher, hash) DO UPDATE
    SET times = block_count.times + excluded.times, seen_at = excluded.seen_at
"""
_TALLIES_OF_JSON = """
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]')
      FROM json_each(:rows) WHERE true
"""
_TALLIES_OF_LISTS = "SELECT * FROM unnest(CAST(:a AS text[]), CAST(:b AS int[]), CAST(:c AS int[]))"
_TIMES_OF_LISTS = (
    "SELECT * FROM"
    " unnest(CAST(:a AS text[]), CAST(:b AS text[]), CAST(:c AS int[]), CAST(:d AS bigint[]))"
)


def count_blocks(
    conn: Connection, articles: Iterable[tuple[str, Iterable[str]]], *, now: datetime
) -> None:
    """Counts the blocks of new articles, each with its publisher; a block counts once an article."""
    pages: Counter[str] = Counter()
    counts: Counter[tuple[str, str]] = Counter()
    for publisher, blocks in articles:
        pages[publisher] += 1
        counts.update((publisher, block) for block in set(blocks))
    if not pages:
        return
    added = Counter(publisher for publisher, _ in counts)
    seen_at = as_micros(now)
    # Tallies come first, in order: whoever has them locked is the only one to count these publishers.
    crowded = _add_tallies(conn, [(one, pages[one], added[one]) for one in sorted(pages)])
    _add_times(conn, [(*key, counts[key], seen_at) for key in sorted(counts)])
    for publisher in crowded:
        _drop_rarest(conn, publisher)


def find_memory(conn: Connection, publisher: str) -> Memory | None:
    """What was learnt last."""
    row = conn.execute(select(_memory).where(_memory.c.publisher == publisher)).mappings().first()
    if row is None:
        return None
    return Memory(
        publisher=publisher,
        pages=row["pages"],
        boilerplate=from_document(row["boilerplate"], tuple[str, ...]),
        learnt_at=from_micros(row["learnt_at"]),
    )


def find_counts(conn: Connection, publisher: str) -> tuple[int, Mapping[str, int]]:
    """Articles counted, and in how many of them each block was that was in several."""
    articles = select(_tally.c.articles).where(_tally.c.publisher == publisher)
    repeated = (_count.c.publisher == publisher) & (_count.c.times > 1)
    rows = conn.execute(select(_count.c.hash, _count.c.times).where(repeated))
    return conn.execute(articles).scalar() or 0, {row[0]: row[1] for row in rows}


def save_memory(conn: Connection, memory: Memory, *, fade: bool) -> None:
    """Keeps what was learnt, unless something newer is held; with `fade` counts are halved."""
    of_publisher = _memory.c.publisher == memory.publisher
    held = select(_memory.c.learnt_at).where(of_publisher)
    learnt_at, before = as_micros(memory.learnt_at), conn.execute(for_update(conn, held)).scalar()
    if before is not None and before >= learnt_at:
        return  # saved already, or learnt by somebody else since: nothing fades twice
    row = {
        "publisher": memory.publisher,
        "pages": memory.pages,
        "boilerplate": as_document(memory.boilerplate),
        "learnt_at": learnt_at,
    }
    upsert(conn, _memory, [row], keys=["publisher"])
    if fade:
        _fade(conn, memory.publisher)


def _fade(conn: Connection, publisher: str) -> None:
    tally, count = _tally.c.publisher == publisher, _count.c.publisher == publisher
    conn.execute(update(_tally).where(tally).values(articles=_tally.c.articles // 2))
    conn.execute(delete(_count).where(count, _count.c.times < 2))
    conn.execute(update(_count).where(count).values(times=_count.c.times // 2))


def _add_tallies(conn: Connection, rows: Sequence[tuple[str, int, int]]) -> list[str]:
    """Adds to the tallies; the publishers of which too many blocks were counted by now."""
    if is_postgres(conn):
        add, values = _ADD_TALLIES.format(rows=_TALLIES_OF_LISTS), _lists(rows)
    else:
        add, values = _ADD_TALLIES.format(rows=_TALLIES_OF_JSON), {"rows": as_document(rows)}
    return [row.publisher for row in conn.execute(text(add), values) if row.added > SLACK]


def _add_times(conn: Connection, rows: Sequence[tuple[str, str, int, int]]) -> None:
    """Adds to the counts of blocks."""
    if not rows:
        return
    if is_postgres(conn):
        conn.execute(text(_ADD_TIMES.format(rows=_TIMES_OF_LISTS)), _lists(rows))
    else:
        conn.exec_driver_sql(_ADD_TIMES.format(rows="VALUES (?, ?, ?, ?)"), list(rows))


def _lists(rows: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
    """The columns of rows, named a, b, c and so on."""
    return {
        name: list(column) for name, column in zip("abcd", zip(*rows, strict=True), strict=False)
    }


def _drop_rarest(conn: Connection, publisher: str) -> None:
    of_publisher = _count.c.publisher == publisher
    best = select(_count.c.hash).where(of_publisher)
    best = best.order_by(_count.c.times.desc(), _count.c.seen_at.desc(), _count.c.hash)
    conn.execute(delete(_count).where(of_publisher, _count.c.hash.not_in(best.limit(KEPT_BLOCKS))))
    conn.execute(update(_tally).where(_tally.c.publisher == publisher).values(added=0))
