"""Copies of a live SQLite database: written under another name, checked, then given theirs."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Lock, Thread

from wireroom.errors import StoreError
from wireroom.private_files import draft_of, make_new
from wireroom.store.sqlite.sqlite_files import distrusting

PAGES_AT_ONCE = 2000  # 8 MB between two reports of progress


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """A name to write to; the file gets its own name when it is whole, and never another's."""
    if path.exists():
        raise StoreError(f"{path} exists already.", hint="Name a new file.")
    if not path.parent.is_dir():
        raise StoreError(f"The folder {path.parent} does not exist.", hint="Make it first.")
    draft = draft_of(path)
    try:
        make_new(draft)  # here the system says why not; a database would only say it cannot open it
        yield draft
        _give_name(draft, path)
    except OSError as exc:
        raise StoreError(f"{path} could not be written: {exc.strerror}.") from exc
    finally:
        for left in (
            draft,
            *(draft.with_name(draft.name + end) for end in ("-wal", "-shm", "-journal")),
        ):
            left.unlink(missing_ok=True)


def _give_name(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)  # fails where somebody made such a file meanwhile; a rename would not
    except FileExistsError as exc:
        raise StoreError(f"{path} exists already.", hint="Name a new file.") from exc
    except OSError:
        draft.rename(path)  # a disk without links


def copy_pages(
    source: sqlite3.Connection, path: Path, progress: Callable[[int, int], None]
) -> None:
    """Copies the database as it stands now; others may go on writing.

    The transaction pins the moment: without one, every write of others starts the copy anew.
    """
    with new_file(path) as draft:
        source.execute("BEGIN")
        try:
            source.execute("SELECT count(*) FROM sqlite_master").fetchone()
            with closing(distrusting(sqlite3.connect(draft))) as target:
                _copy(source, target, path, progress)
        finally:
            source.rollback()


def _copy(
    source: sqlite3.Connection,
    target: sqlite3.Connection,
    path: Path,
    progress: Callable[[int, int], None],
) -> None:
    try:
        source.backup(
            target,
            pages=PAGES_AT_ONCE,
            progress=lambda _, left, total: progress(total - left, total),
        )
        answer = target.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.Error as exc:
        raise StoreError(f"{path} could not be written: {exc}.") from exc
    if answer != "ok":
        raise StoreError(f"The copy would be damaged ({answer.splitlines()[0]}).")


# Brings what was committed from SQLite's WAL into the file, beside the writers and not by them.
#
# A checkpoint waits for the disk twice; whoever commits would wait with it. The thread here starts
# with the first write and looks again as often as there is something to do. Where it falls behind,
# the writers' own checkpoint (see `sqlite`) does the rest, so that the WAL stays bounded. Must not
# know what is in the file.

SHORTEST_PAUSE = 0.1  # seconds between two checkpoints while much is written: some 3 MB
LONGEST_PAUSE = 8.0  # seconds while little is: a disk that sleeps is woken as seldom as that
MUCH = 1000  # pages of 4 KB; after so many the next checkpoint comes sooner, after few later


class Checkpoints:
    """The checkpoints of one open file."""

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._connect = connect
        self._starting = Lock()
        self._thread: Thread | None = None
        self._wrote = Event()
        self._closed = Event()

    def wrote(self) -> None:
        """There is something in the WAL."""
        self._wrote.set()
        with self._starting:
            if self._thread is None and not self._closed.is_set():
                self._thread = Thread(target=self._go_on, name="checkpoints", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Ends the thread; what is left in the WAL is brought in by whoever closes the file last."""
        with self._starting:
            self._closed.set()
            self._wrote.set()
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()

    def _go_on(self) -> None:
        pause, before = SHORTEST_PAUSE, 0
        with closing(self._connect()) as conn:
            while not self._closed.wait(pause):
                self._wrote.wait()
                if self._closed.is_set():
                    return
                self._wrote.clear()
                done = _checkpoint(conn, before)
                fresh = done - before if done >= before else done  # the WAL began anew
                pause, before = _next_pause(pause, fresh), done


def _checkpoint(conn: sqlite3.Connection, before: int) -> int:
    """Brings in what nobody reads in its old form; how many pages of this WAL are in the file now."""
    try:
        _, _, done = conn.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    except sqlite3.Error:
        return before  # the disk is full or broken: the writers meet the same, and say so
    return int(done)


def _next_pause(pause: float, pages: int) -> float:
    if pages >= MUCH:
        return max(pause / 2, SHORTEST_PAUSE)
    return min(pause * 2, LONGEST_PAUSE)
