"""What was committed comes into the file while the store is open, by a thread that ends with it."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.samples import article, save
from wireroom.store import open_store
from wireroom.store.sqlite.snapshots import (
    LONGEST_PAUSE,
    MUCH,
    SHORTEST_PAUSE,
    Checkpoints,
    _next_pause,
)

PATIENCE = 30.0  # seconds; a loaded machine


def soon(is_so: Callable[[], bool]) -> bool:
    """Whether it becomes so within a while."""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        if is_so():
            return True
        time.sleep(0.02)
    return False


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that leaves everything in the WAL."""
    with closing(sqlite3.connect(tmp_path / "held.db", isolation_level=None)) as conn:
        conn.execute("PRAGMA journal_mode = WAL")
        conn.execute("PRAGMA wal_autocheckpoint = 0")
        conn.execute("CREATE TABLE held (value)")
        yield conn


def test_what_is_in_the_wal_comes_into_the_file(tmp_path: Path, writer: sqlite3.Connection) -> None:
    file = tmp_path / "held.db"
    before = file.stat().st_size
    writer.execute("INSERT INTO held VALUES (zeroblob(100000))")
    assert file.stat().st_size == before
    with closing(Checkpoints(lambda: sqlite3.connect(file))) as checkpoints:
        checkpoints.wrote()
        assert soon(lambda: file.stat().st_size > before + 100_000)


def test_a_lock_in_the_way_is_waited_out(tmp_path: Path, writer: sqlite3.Connection) -> None:
    file = tmp_path / "held.db"
    before = file.stat().st_size
    with (
        closing(sqlite3.connect(file, isolation_level=None)) as reader,
        closing(Checkpoints(lambda: sqlite3.connect(file))) as checkpoints,
    ):
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM held").fetchone()
        writer.execute("INSERT INTO held VALUES (zeroblob(100000))")
        checkpoints.wrote()
        time.sleep(3 * SHORTEST_PAUSE)
        assert file.stat().st_size <= before + 100_000  # the reader still needs the old pages
        reader.execute("COMMIT")
        checkpoints.wrote()
        assert soon(lambda: file.stat().st_size > before + 100_000)


def test_a_closed_store_leaves_no_thread_and_no_wal(tmp_path: Path) -> None:
    file = tmp_path / "wireroom.db"
    with closing(open_store(f"sqlite:///{file}")) as store:
        save(store, article(1))
        assert "checkpoints" in {thread.name for thread in threading.enumerate()}
    assert "checkpoints" not in {thread.name for thread in threading.enumerate()}
    assert [path.name for path in tmp_path.iterdir()] == ["wireroom.db"]


def test_nothing_starts_after_the_end(tmp_path: Path) -> None:
    checkpoints = Checkpoints(lambda: sqlite3.connect(tmp_path / "held.db"))
    checkpoints.close()
    checkpoints.wrote()
    assert "checkpoints" not in {thread.name for thread in threading.enumerate()}


def test_much_brings_the_next_one_nearer_and_little_puts_it_off() -> None:
    assert _next_pause(1.0, MUCH) == 0.5
    assert _next_pause(SHORTEST_PAUSE, MUCH) == SHORTEST_PAUSE
    assert _next_pause(1.0, MUCH - 1) == 2.0
    assert _next_pause(LONGEST_PAUSE, 0) == LONGEST_PAUSE
