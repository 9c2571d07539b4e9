"""What a database's complaint means, in our own errors, and the store's state that follows.

Foreign exceptions end here. Messages name the place (a file, a server) and never a password.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from sqlalchemy.exc import DBAPIError

from wireroom.errors import (
    DamagedStoreError,
    FullDiskError,
    ReadOnlyStoreError,
    StoreError,
    Wording,
)
from wireroom.ports import StoreHealth, StoreState

LEAST_ROOM = 1 << 20  # bytes free on the disk below which an I/O error means "full"

_PRIMARY_CODE = 0xFF  # the low byte of SQLite's extended result codes


def is_locked(exc: BaseException | None) -> bool:
    """Whether SQLite gave up waiting for another writer."""
    return _code(exc) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def is_out_of_time(exc: DBAPIError) -> bool:
    """Whether a statement was cut short because its time was up."""
    return _code(exc.orig) == sqlite3.SQLITE_INTERRUPT or _state(exc) == _CUT_SHORT


def sqlite_fault(exc: BaseException, file: Path | None) -> StoreError:
    """Our error for what SQLite complained about; `exc` is the driver's own exception."""
    place = "the database in memory" if file is None else str(file)
    code = _code(exc)
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _is_full(file)):
        return full_disk(place)
    if code == sqlite3.SQLITE_CORRUPT or (code == sqlite3.SQLITE_NOTADB and begins_as_sqlite(file)):
        return damaged(place, str(exc))
    if code == sqlite3.SQLITE_NOTADB:
        return not_sqlite(place)
    if code == sqlite3.SQLITE_READONLY:
        return read_only(place)
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return StoreError(
            f"{place} is locked by another process.",
            hint="Wait until it is done, or raise store.busy_timeout.",
        )
    return StoreError(f"{place} cannot be used: {exc}.")


def not_sqlite(place: str) -> StoreError:
    """The error for a file that is something else."""
    return StoreError(
        f"{place} is not a SQLite database.",
        hint=_with_backup(
            lambda backup: (
                "Name another file; if it once was a store, its head was overwritten: "
                f"go on with the last copy that `{backup}` made."
            )
        ),
    )


def full_disk(place: str) -> FullDiskError:
    """No room left where the database lies."""
    return FullDiskError(
        f"There is no room left on the disk for {place}.",
        hint="Free some space; work is paused and resumes by itself.",
    )


def damaged(place: str, detail: str) -> DamagedStoreError:
    """The file is broken, and how to go on."""
    return DamagedStoreError(
        f"{place} is damaged ({detail}).",
        hint=_with_backup(
            lambda backup: (
                f"Keep the file. Go on with the last copy that `{backup}` made, or save what is "
                f"readable: `{backup}` copies every row that can still be read."
            )
        ),
    )


def unopenable(place: str, fault: DamagedStoreError) -> DamagedStoreError:
    """The same damage, met at opening: `wireroom backup` would have to open the file as well."""
    return DamagedStoreError(
        fault.message,
        hint=_with_backup(
            lambda backup: (
                "It cannot be opened any more. Keep the file, and go on with the last copy that "
                f"`{backup}` made; without one, `sqlite3 '{place}' .recover` may get at some rows."
            )
        ),
    )


def read_only(place: str) -> ReadOnlyStoreError:
    """The file or its folder cannot be written."""
    return ReadOnlyStoreError(
        f"{place} cannot be written.",
        hint=Wording(
            "Make the file and its folder writable, or name another database.",
            terminal="Make the file and its folder writable, or name another database with --db.",
        ),
    )


def _with_backup(hint: Callable[[str], str]) -> Wording:
    """The hint with what makes a copy, by its name in Python and as a command."""
    return Wording(hint("app.backup"), terminal=hint("wireroom backup"))


def _code(exc: BaseException | None) -> int:
    code = getattr(exc, "sqlite_errorcode", 0)
    return int(code) & _PRIMARY_CODE


def _is_full(file: Path | None) -> bool:
    if file is None:
        return False
    try:
        return shutil.disk_usage(file.parent).free < LEAST_ROOM
    except OSError:
        return False


def begins_as_sqlite(file: Path | None) -> bool:
    """Whether the file begins as SQLite's do; where it is none for SQLite, the rest of it must have been harmed."""
    if file is None:
        return False
    try:
        with file.open("rb") as opened:
            return opened.read(16) == b"SQLite format 3\0"
    except OSError:
        return False


class Pulse:
    """The state a store was last seen in; every outcome of a read or write is noted in it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._health = StoreHealth(state="ok")
        self._error: StoreError | None = None

    @property
    def health(self) -> StoreHealth:
        """The state as last seen."""
        return self._health

    def note(self, error: StoreError) -> None:
        """An operation failed."""
        states: dict[type[StoreError], StoreState] = {
            FullDiskError: "paused",
            ReadOnlyStoreError: "read_only",
            DamagedStoreError: "damaged",
        }
        state = states.get(type(error))
        with self._lock:
            if state is not None and self._health.state != "damaged":
                self._health = StoreHealth(state=state, message=error.words())
                self._error = error

    def wrote(self) -> None:
        """A write went through: whatever stood in the way is gone, save damage."""
        if self._health.state == "ok":
            return
        with self._lock:
            if self._health.state != "damaged":
                self._health = StoreHealth(state="ok")

    def refuse_if_damaged(self) -> None:
        """Nothing is written into a damaged file: it would only get worse."""
        if self._health.state == "damaged" and self._error is not None:
            raise DamagedStoreError(self._error.message, hint=self._error.hint)


# What a database server's complaint means, in our own errors; by SQLSTATE where there is one.
#
# A connection that never came about has no SQLSTATE, only a text; it never holds the password.

# serialization failure, deadlock, unique violation: somebody else was quicker, and now it is seen
_RACES = frozenset({"40001", "40P01", "23505"})
# the server is shutting down, crashed or starting up
_RESTARTS = frozenset({"57P01", "57P02", "57P03"})
_DAMAGE = frozenset({"XX001", "XX002"})
_LOCK_TIMEOUT = "55P03"
_CUT_SHORT = "57014"
_DISK_FULL = "53100"
_READ_ONLY = "25006"
_NOT_ALLOWED = "42501"

# What libpq says when there is no SQLSTATE, and what to tell the operator.
_NO_CONNECTION = (
    ("password authentication failed", "refused the user name or password", "Check both."),
    ("no password supplied", "wants a password", "Put it into the address: USER:PASSWORD@HOST"),
    ("does not exist", "has no such database or user", "Create it first: createdb NAME"),
    ("Connection refused", "cannot be reached", "Start the server, or check host and port."),
    ("timeout", "does not answer", "Check host, port and firewall."),
)


def is_lost_race(exc: DBAPIError) -> bool:
    """Whether another transaction was quicker, so that trying again will do."""
    return _state(exc) in _RACES


def is_connection_lost(exc: DBAPIError) -> bool:
    """Whether the server went away, or is not there yet."""
    state = _state(exc)
    if state:
        return state in _RESTARTS or state.startswith("08")
    return exc.connection_invalidated or _is_operational(exc)


def server_fault(exc: DBAPIError, place: str) -> StoreError:
    """Our error for what the server complained about."""
    state = _state(exc)
    if state == _DISK_FULL:
        return full_disk(place)
    if state in _DAMAGE:
        return DamagedStoreError(
            f"{place} is damaged ({_first_line(exc)}).",
            hint="Keep its files. Restore the last backup, or save what pg_dump can still read.",
        )
    if state == _READ_ONLY:
        return ReadOnlyStoreError(
            f"{place} takes no writes: it is a standby or set to read only.",
            hint="Name the primary server.",
        )
    if state == _LOCK_TIMEOUT:
        return StoreError(f"{place} is locked by another process.", hint="Wait until it is done.")
    if state == _NOT_ALLOWED:
        return StoreError(
            f"{place}: {_first_line(exc)}.",
            hint="Grant the user CREATE on the schema, or make it the database's owner.",
        )
    return _no_connection(exc, place)


def _no_connection(exc: DBAPIError, place: str) -> StoreError:
    message = str(exc.orig)
    for text, meaning, hint in _NO_CONNECTION:
        if text in message and is_connection_lost(exc):
            return StoreError(f"{place} {meaning}.", hint=hint)
    return StoreError(f"{place} cannot be used: {_first_line(exc)}.")


def _first_line(exc: DBAPIError) -> str:
    lines = str(exc.orig).splitlines()
    return lines[0].rstrip(". ") if lines else type(exc.orig).__name__


def _state(exc: DBAPIError) -> str:
    return getattr(exc.orig, "sqlstate", None) or ""


def _is_operational(exc: DBAPIError) -> bool:
    return type(exc.orig).__name__ in {"OperationalError", "ConnectionTimeout"}
