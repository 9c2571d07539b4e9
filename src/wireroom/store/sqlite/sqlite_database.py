"""One open SQLite database: its connections, whose turn it is to write, and whether it is well.

Writes start with BEGIN IMMEDIATE: a read that turns into a write would fail at once when another
process wrote in between. Inside a process writers take turns; a memory database has one connection.
"""

from __future__ import annotations

import logging
import random
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from threading import RLock
from typing import TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import QueuePool, StaticPool

from wireroom.errors import DamagedStoreError, StoreError
from wireroom.ports import StoreHealth, StoreOptions
from wireroom.store.database import index_is_stale, note, renew_index
from wireroom.store.faults import Pulse, damaged, is_locked, read_only, sqlite_fault, unopenable
from wireroom.store.migrations import is_current, upgrade
from wireroom.store.search.fts5 import Fts5
from wireroom.store.sqlite.salvage import save_readable
from wireroom.store.sqlite.snapshots import Checkpoints, copy_pages
from wireroom.store.sqlite.sqlite_files import (
    Access,
    access_to,
    connector,
    refuse_foreign_code,
    refuse_other_schema,
)

T = TypeVar("T")

log = logging.getLogger(__name__)

READERS = 16  # connections that read at once; more of them wait for one another
LOGGED_AFTER = 3.0  # seconds of waiting for a lock after which it is logged
LOCK_TRIES = 3  # times a writer waits for busy_timeout before it gives up
LONGEST_JITTER = 0.25  # seconds between these, so that two processes do not meet again and again
OPENING_JITTER = (
    0.02  # seconds between two attempts to open a file that another process opens or closes
)
LOCK_SLICE = timedelta(seconds=0.25)  # of such a wait; after each one it may be told to fail fast
WRITER_CACHE = 32 << 10  # KiB of pages kept: the indexes' upper levels of a million rows
READER_CACHE = 4 << 10  # KiB each
LONGEST_WAL = 16_000  # pages, 64 MB; where checkpoints fall behind, a commit does the rest of one
CHECKED_AT_FIRST = 256 << 20  # bytes up to which the first health() looks at every page (about 1 s)
PROBE_BYTES = 1 << 16  # what must fit on the disk before a paused store counts as well again


class SqliteDatabase:
    """One SQLite database, opened and brought to the present schema."""

    def __init__(self, file: Path | None, options: StoreOptions) -> None:
        self._file = file
        self._turn = RLock()
        self._pulse = Pulse()
        self._checked = file is None
        self.index = Fts5()
        self._access: Access = "write" if file is None else access_to(file)
        opened = connector(file, self._access, options.busy_timeout)
        self._busy_timeout = options.busy_timeout
        self._failing_fast = False
        writing = (*_WRITING, _waits_for(min(options.busy_timeout, LOCK_SLICE)))
        connect = partial(_set_up, opened, options.busy_timeout)
        self._writer = _engine(
            partial(connect, writing, WRITER_CACHE), "BEGIN IMMEDIATE", readers=0
        )
        self._reader = self._writer
        self._checkpoints: Checkpoints | None = None
        if file is not None:
            self._checkpoints = Checkpoints(opened)
            pragmas = _READING if self._access == "write" else _ONLY_READING
            self._reader = _engine(
                partial(connect, pragmas, READER_CACHE), "BEGIN", readers=READERS
            )
        try:
            self._prepare()
        except DamagedStoreError as exc:
            self.close()
            raise unopenable(str(file), exc) from exc
        except BaseException:
            self.close()
            raise

    def read(self, do: Callable[[Connection], T]) -> T:
        """What `do` finds, all of it at one moment."""
        with self._translated(), self._reading(), self._reader.begin() as conn:
            return do(conn)

    def write(self, do: Callable[[Connection], T]) -> T:
        """What `do` returns, once it is saved whole; waits for other writers."""
        self._pulse.refuse_if_damaged()
        if self._access != "write":
            raise self._noted(read_only(str(self._file)))
        with self._translated(), self._turn:
            result = self._persistent(do)
        self._pulse.wrote()
        if self._checkpoints is not None:
            self._checkpoints.wrote()
        return result

    def health(self) -> StoreHealth:
        """The state; looks for damage the first time, and tries a write when it was not well."""
        try:
            if not self._checked:
                self._check_pages()
            if self._pulse.health.state != "ok":
                self.write(_probe)
            else:
                self.read(lambda conn: conn.exec_driver_sql("SELECT count(*) FROM meta").scalar())
        except StoreError as exc:
            if self._pulse.health.state == "ok":
                return StoreHealth(state="paused", message=exc.words())
        return self._pulse.health

    def set_fail_fast(self, on: bool) -> None:
        """Lets writers give up soon where another process holds the lock, those that wait already as well."""
        self._failing_fast = on

    def backup(self, path: Path, progress: Callable[[int, int], None]) -> None:
        """Writes a consistent copy to a new file while others go on writing.

        Of a damaged store it saves what can be read, and says so by an error.
        """
        self.health()
        with self._translated(), self._reading(), self._reader.connect() as conn:
            raw = conn.connection.driver_connection
            assert isinstance(raw, sqlite3.Connection)  # noqa: S101 - tells the type checker
            if self._pulse.health.state != "damaged":
                copy_pages(raw, path, progress)
                return
            saved = save_readable(raw, path, progress)
        raise DamagedStoreError(
            f"{self._file} is damaged: {path} holds the {saved:,} rows that could be read.",
            hint=f"Look at what is missing, then go on with sqlite:///{path}",
        )

    def close(self) -> None:
        """Closes every connection."""
        with self._turn:
            if self._checkpoints is not None:
                self._checkpoints.close()
            self._reader.dispose()
            self._writer.dispose()

    def _prepare(self) -> None:
        """Brings the schema and the index to the present; whoever comes second finds it done."""
        place = str(self._file or "the database in memory")

        def is_ready(conn: Connection) -> bool:
            refuse_foreign_code(conn, place)
            if not is_current(conn, place):
                return False
            refuse_other_schema(conn, place)
            return not index_is_stale(conn)

        if self.read(is_ready):
            if self._access != "write":
                self._noted(read_only(place))
            return

        def prepare(conn: Connection) -> None:
            upgrade(conn, place)
            if index_is_stale(conn):
                renew_index(conn, self.index)

        self.write(prepare)

    def _persistent(self, do: Callable[[Connection], T]) -> T:
        began, tries, logged = time.monotonic(), 0, False
        ends = began + LOCK_TRIES * self._busy_timeout.total_seconds()
        while True:
            tries += 1
            try:
                with self._writer.begin() as conn:
                    return do(conn)
            except DBAPIError as exc:
                waited = tries >= LOCK_TRIES and time.monotonic() >= ends
                if waited or self._failing_fast or not is_locked(exc.orig):
                    raise
            if not logged and time.monotonic() - began > LOGGED_AFTER:
                log.warning("waiting", extra={"why": f"{self._file} is locked by another process"})
                logged = True
            time.sleep(random.uniform(0, LONGEST_JITTER))  # noqa: S311 - jitter is no secret

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Readers of a memory database share the writer's one connection, so they take turns."""
        if self._file is not None:
            yield
            return
        with self._turn:
            yield

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as exc:
            raise self._noted(sqlite_fault(exc.orig or exc, self._file)) from exc
        except sqlite3.Error as exc:
            raise self._noted(sqlite_fault(exc, self._file)) from exc
        except (SQLAlchemyError, OverflowError) as exc:
            raise StoreError(f"The store could not do it: {exc}") from exc

    def _noted(self, error: StoreError) -> StoreError:
        self._pulse.note(error)
        return error

    def _check_pages(self) -> None:
        self._checked = True
        if self._file is None or self._file.stat().st_size > CHECKED_AT_FIRST:
            return
        answer = self.read(lambda conn: conn.exec_driver_sql("PRAGMA quick_check(1)").scalar())
        if answer != "ok":
            found = [line for line in str(answer).splitlines() if not line.startswith("***")]
            self._pulse.note(damaged(str(self._file), found[0] if found else "it does not hold"))


def _waits_for(busy_timeout: timedelta) -> str:
    return f"busy_timeout = {busy_timeout // timedelta(milliseconds=1)}"


def _probe(conn: Connection) -> None:
    """Writes and takes back what needs a little room, to see whether there is some."""
    note(conn, "probe", "." * PROBE_BYTES)
    conn.exec_driver_sql("DELETE FROM meta WHERE name = 'probe'")


def _set_up(
    connect: Callable[[], sqlite3.Connection],
    patience: timedelta,
    pragmas: Sequence[str],
    cache: int,
) -> sqlite3.Connection:
    """A connection that has its pragmas.

    Who opens a file while another process opens or closes it may be told that it is locked at once, whatever
    busy_timeout says: SQLite itself does not wait there, so we do.
    """
    raw = connect()
    until = time.monotonic() + patience.total_seconds()
    for pragma in (*pragmas, f"cache_size = -{cache}"):
        while not _took(raw, pragma, is_last=time.monotonic() >= until):
            time.sleep(random.uniform(0, OPENING_JITTER))  # noqa: S311 - jitter is no secret
    return raw


def _took(raw: sqlite3.Connection, pragma: str, *, is_last: bool) -> bool:
    try:
        raw.execute(f"PRAGMA {pragma}")
    except sqlite3.OperationalError as exc:
        if is_last or not is_locked(exc):
            raw.close()
            raise
        return False
    return True


def _engine(connect: Callable[[], sqlite3.Connection], begin: str, *, readers: int) -> Engine:
    if readers:
        engine = create_engine(
            "sqlite://",
            creator=connect,
            hide_parameters=True,
            poolclass=QueuePool,
            pool_size=readers,
            max_overflow=0,
        )
    else:
        engine = create_engine(
            "sqlite://", creator=connect, hide_parameters=True, poolclass=StaticPool
        )

    event.listen(engine, "begin", lambda conn: conn.exec_driver_sql(begin))
    return engine


_WRITING = (
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "foreign_keys = ON",
    f"wal_autocheckpoint = {LONGEST_WAL}",
    "temp_store = MEMORY",
)
_ONLY_READING = ("query_only = ON", "temp_store = MEMORY")  # the rest would need a file to write to
_READING = (*_WRITING, "query_only = ON")
