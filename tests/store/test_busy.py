"""Several at one SQLite file: locks, killed writers, threads, copies while others write."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.holding import save_feeds
from tests.parts import REPOSITORY
from tests.store.samples import NOW, article, feed, publisher, reading, save
from tests.store.test_faults import filled
from wireroom.errors import StoreError
from wireroom.ports import StoreOptions
from wireroom.store import open_store

QUICK = StoreOptions(busy_timeout=timedelta(milliseconds=300))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "wireroom.db"


# --- other processes


class _ClosedByOthers(sqlite3.Connection):
    """A connection to a file that another process is just closing: SQLite says "locked" and does not wait."""

    refusals = 0

    def execute(self, sql: str, *given: Any) -> sqlite3.Cursor:
        if _ClosedByOthers.refusals and sql.startswith("PRAGMA journal_mode"):
            _ClosedByOthers.refusals -= 1
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise error
        return super().execute(sql, *given)


def test_a_file_that_another_process_closes_is_opened_all_the_same(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = partial(sqlite3.connect, factory=_ClosedByOthers)
    monkeypatch.setattr("wireroom.store.sqlite.sqlite_files.sqlite3.connect", connect)
    monkeypatch.setattr(_ClosedByOthers, "refusals", 3)
    with closing(open_store(f"sqlite:///{file}", QUICK)) as store:
        assert store.health().state == "ok"
    assert _ClosedByOthers.refusals == 0
    monkeypatch.setattr(_ClosedByOthers, "refusals", 10_000)
    with pytest.raises(StoreError, match="locked by another process"):
        open_store(f"sqlite:///{file}", QUICK)


HOLD_LOCK = """
import sqlite3, sys, time
conn = sqlite3.connect(sys.argv[1], isolation_level=None)
conn.execute("BEGIN IMMEDIATE")
print("held", flush=True)
time.sleep(float(sys.argv[2]))
conn.execute("COMMIT")
"""


def lock_for(file: Path, seconds: float) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD_LOCK, str(file), str(seconds)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_writer_waits_for_another_process_and_readers_go_on(file: Path) -> None:
    filled(file, 3)
    store = open_store(f"sqlite:///{file}", StoreOptions(busy_timeout=timedelta(seconds=20)))
    with lock_for(file, 1.5) as other:
        assert store.counts()["articles"] == 3
        assert other.poll() is None, "the other still holds its lock"
        save_feeds(store, [feed()], now=NOW)
        other.communicate(timeout=20)
    assert store.feeds() == (feed(),)
    store.close()


def test_a_lock_that_never_ends_is_an_error_not_a_hang(file: Path) -> None:
    filled(file, 3)
    store = open_store(f"sqlite:///{file}", QUICK)
    with lock_for(file, 60) as other:
        with pytest.raises(StoreError, match="locked by another process"):
            save_feeds(store, [feed()], now=NOW)
        other.kill()
    save_feeds(store, [feed()], now=NOW)
    assert store.health().state == "ok"
    store.close()


def test_who_is_set_to_fail_fast_stops_waiting_for_a_lock(file: Path) -> None:
    filled(file, 1)
    store = open_store(f"sqlite:///{file}", StoreOptions(busy_timeout=timedelta(seconds=30)))
    with lock_for(file, 60) as other:
        set_fail_fast = threading.Timer(0.3, store.set_fail_fast, [True])
        set_fail_fast.start()
        began = time.monotonic()
        with pytest.raises(StoreError, match="locked"):
            store.save_publisher(publisher("late.test"))
        assert time.monotonic() - began < 20  # of the 30 it would wait
        other.kill()
    store.set_fail_fast(False)
    store.save_publisher(publisher("late.test"))
    store.close()


def test_opening_does_not_wait_for_a_writer(file: Path) -> None:
    filled(file, 3)
    with lock_for(file, 60) as other:
        began = time.monotonic()
        store = open_store(f"sqlite:///{file}")
        assert store.counts()["articles"] == 3
        assert time.monotonic() - began < 10
        other.kill()
    store.close()


KILLED_WRITER = """
import sys
from tests.store.samples import article, save
from wireroom.store import open_store
store = open_store(sys.argv[1])
for batch in range(10_000):
    save(store, *(article(batch * 5 + number) for number in range(5)))
    print(batch, flush=True)
"""


@pytest.mark.long
def test_what_was_saved_survives_a_killed_writer_and_batches_are_whole(file: Path) -> None:
    url = f"sqlite:///{file}"
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED_WRITER, url],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(8)]
    process.kill()
    lines += process.stdout.readlines()
    process.wait()
    process.stdout.close()
    store = open_store(url)
    count = store.counts()["articles"]
    assert count % 5 == 0
    assert count >= 5 * len([line for line in lines if line.endswith("\n")])
    assert store.health().state == "ok"
    assert len(list(store.articles("harbour"))) == count
    store.close()


def test_a_copy_of_the_files_in_mid_run_opens_as_after_a_power_cut(
    file: Path, tmp_path: Path
) -> None:
    store = open_store(f"sqlite:///{file}")
    cut = tmp_path / "cut"
    cut.mkdir()
    for batch in range(20):
        save(store, *(article(batch * 5 + number) for number in range(5)))
        if batch == 12:
            for part in ("wireroom.db", "wireroom.db-wal"):
                shutil.copy(file.with_name(part), cut / part)
    store.close()
    survivor = open_store(f"sqlite:///{cut / 'wireroom.db'}")
    assert survivor.health().state == "ok"
    assert survivor.counts()["articles"] == 65
    survivor.close()


# --- threads, time, backup


@pytest.mark.long
def test_threads_share_a_store(file: Path) -> None:
    store = open_store(f"sqlite:///{file}")
    failures: list[BaseException] = []

    def work(thread: int) -> None:
        try:
            for number in range(15):
                save(store, article(thread * 100 + number))
                assert store.search("harbour", limit=5).articles
        except BaseException as exc:  # noqa: BLE001 - whatever it was, the test shows it
            failures.append(exc)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert failures == []
    assert store.counts()["articles"] == 90
    store.close()


@pytest.mark.long
def test_a_backup_of_a_busy_store_is_whole(file: Path, tmp_path: Path) -> None:
    filled(file, 400)
    store = open_store(f"sqlite:///{file}")
    done = threading.Event()

    def write() -> None:
        number = 1000
        while not done.is_set():
            store.save_readings([reading(article(number))], now=NOW)
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    copy = tmp_path / "copy.db"
    try:
        store.backup(copy)
    finally:
        done.set()
        writer.join()
    store.close()
    with closing(sqlite3.connect(copy)) as conn:
        assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    copied = open_store(f"sqlite:///{copy}")
    articles = copied.counts()["articles"]
    assert articles >= 400
    assert copied.counts()["leads"] == articles
    assert len(list(copied.articles("harbour"))) == articles
    copied.close()


def test_a_time_without_zone_is_refused() -> None:
    store = open_store("sqlite://")
    with pytest.raises(StoreError, match="no zone"):
        store.save_publisher(publisher(added_at=NOW.replace(tzinfo=None)))
    store.close()
