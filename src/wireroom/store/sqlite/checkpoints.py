"""Brings what was committed from SQLite's WAL into the file, beside the writers and not by them.

A checkpoint waits for the disk twice; whoever commits would wait with it. The thread here starts
with the first write and looks again as often as there is something to do. Where it falls behind,
the writers' own checkpoint (see `sqlite`) does the rest, so that the WAL stays bounded. Must not
know what is in the file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from threading import Event, Lock, Thread

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
