"""PostgreSQL: a server that many processes and machines share.

A transaction is repeated as a whole when it lost a race against another, and when the connection
was lost: the server may have restarted. Everything saved here can be saved twice without harm.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import TypeVar

from sqlalchemy import Connection, create_engine
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from wireroom.errors import StoreError
from wireroom.ports import Store, StoreHealth, StoreOptions, StorePlug
from wireroom.store.copying import copy_to_file
from wireroom.store.database import index_is_stale, read_database_url, renew_index, shown
from wireroom.store.faults import Pulse, is_connection_lost, is_lost_race, server_fault
from wireroom.store.migrations import is_current, upgrade
from wireroom.store.search.tsvectors import Tsvectors
from wireroom.store.sql_store import SqlStore

T = TypeVar("T")

RECONNECT_FOR = timedelta(seconds=60)  # a restart with recovery takes seconds, rarely half a minute
FIRST_WAIT = 0.1  # seconds; doubled each time
LONGEST_WAIT = 5.0  # seconds between two tries to reach the server again
RACE_TRIES = 10  # a race is lost to somebody who won it, so that a few rounds serve everybody
CONNECT_TIMEOUT = 10  # seconds; a server that is there answers in one
POOL_SIZE = 5  # connections kept open
POOL_BURST = 15  # more for a moment, when many threads ask at once


WORK_MEMORY = (
    "64MB"  # in which new words are sorted before they go into the index; 4 MB go in 16 times
)


def _server_options(options: StoreOptions) -> str:
    # A writer waits for another one no longer than on SQLite. A search is planned for its own words:
    # one plan for rare and frequent ones alike is wrong for half of them.
    wait = options.busy_timeout // timedelta(milliseconds=1)
    settings = {
        "lock_timeout": wait,
        "plan_cache_mode": "force_custom_plan",
        "work_mem": WORK_MEMORY,
    }
    return " ".join(f"-c {name}={value}" for name, value in settings.items())


class PostgresDatabase:
    """One PostgreSQL database, brought to the present schema."""

    def __init__(self, address: URL, options: StoreOptions) -> None:
        self._place = shown(address)
        self._pulse = Pulse()
        self._failing_fast = Event()
        self.index = Tsvectors()
        self._engine = create_engine(
            address.set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,
            hide_parameters=True,  # texts and addresses have no place in a log
            pool_size=POOL_SIZE,
            max_overflow=POOL_BURST,
            connect_args={
                "connect_timeout": CONNECT_TIMEOUT,
                "application_name": "wireroom",
                "options": _server_options(options),
            },
        )
        self._reader = self._engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def read(self, do: Callable[[Connection], T]) -> T:
        """What `do` finds, all of it at one moment."""

        def find() -> T:
            with self._reader.begin() as conn:
                return do(conn)

        return self._persistent(find, RECONNECT_FOR)

    def write(self, do: Callable[[Connection], T]) -> T:
        """What `do` returns, once it is saved whole."""
        result = self._persistent(lambda: self._once(do), RECONNECT_FOR)
        self._pulse.wrote()
        return result

    def health(self) -> StoreHealth:
        """Whether the server answers, and takes writes where it lately did not."""
        probe = _ask if self._pulse.health.state == "ok" else _try_to_write
        try:
            self._persistent(lambda: self._once(probe), timedelta())
        except StoreError as exc:
            if self._pulse.health.state == "ok":
                return StoreHealth(state="paused", message=exc.words())
            return self._pulse.health
        self._pulse.wrote()
        return self._pulse.health

    def set_fail_fast(self, on: bool) -> None:
        """Lets whoever waits for a server that is away give up soon."""
        if on:
            self._failing_fast.set()
        else:
            self._failing_fast.clear()

    def backup(self, path: Path, progress: Callable[[int, int], None]) -> None:
        """Writes everything to a new SQLite file, as it stood at one moment."""

        def copy() -> None:
            with self._reader.begin() as conn:
                copy_to_file(conn, path, progress)

        self._persistent(copy, timedelta())

    def close(self) -> None:
        """Closes every connection."""
        self._engine.dispose()

    def _once(self, do: Callable[[Connection], T]) -> T:
        with self._engine.begin() as conn:
            return do(conn)

    def _prepare(self) -> None:
        """Brings the schema and the index to the present; an unreachable server is said at once."""

        def prepare(conn: Connection) -> None:
            upgrade(conn, self._place)
            if index_is_stale(conn):
                renew_index(conn, self.index)

        def is_ready(conn: Connection) -> bool:
            _check_encoding(conn, self._place)
            return is_current(conn, self._place) and not index_is_stale(conn)

        if not self._persistent(lambda: self._once(is_ready), timedelta()):
            self._persistent(lambda: self._once(prepare), timedelta())

    def _persistent(self, attempt: Callable[[], T], patience: timedelta) -> T:
        """The outcome of the attempt, which is made again where that can help."""
        ends = time.monotonic() + patience.total_seconds()
        wait, races = FIRST_WAIT, 0
        while True:
            try:
                return attempt()
            except DBAPIError as exc:
                races += is_lost_race(exc)
                patient = time.monotonic() + wait < ends and not self._failing_fast.is_set()
                lost_connection = is_connection_lost(exc) and patient
                if not lost_connection and not (is_lost_race(exc) and races < RACE_TRIES):
                    raise self._noted(exc) from exc
            except (SQLAlchemyError, OverflowError) as exc:
                raise StoreError(f"The store could not do it: {exc}") from exc
            self._failing_fast.wait(wait * random.uniform(0.5, 1))  # noqa: S311 - jitter is no secret
            wait = min(wait * 2, LONGEST_WAIT)

    def _noted(self, exc: DBAPIError) -> StoreError:
        error = server_fault(exc, self._place)
        self._pulse.note(error)
        return error


def _ask(conn: Connection) -> None:
    """Asks whether writes are taken."""
    if conn.exec_driver_sql("SHOW transaction_read_only").scalar() == "on":
        _try_to_write(conn)


def _try_to_write(conn: Connection) -> None:
    """A write that changes nothing for anybody, but needs a server with room that takes writes."""
    conn.exec_driver_sql("CREATE TEMPORARY TABLE probe (value text) ON COMMIT DROP")


def _check_encoding(conn: Connection, place: str) -> None:
    encoding = conn.exec_driver_sql("SHOW server_encoding").scalar()
    if encoding != "UTF8":
        raise StoreError(
            f"{place} keeps texts as {encoding}, which cannot hold every script.",
            hint="Make a database with ENCODING 'UTF8'.",
        )


def _open(database_url: str, options: StoreOptions) -> Store:
    return SqlStore(PostgresDatabase(read_database_url(database_url), options), options)


PLUG = StorePlug(
    "postgresql",
    schemes=("postgresql", "postgres", "postgresql+psycopg"),
    open=_open,
    extra="postgres",
)
