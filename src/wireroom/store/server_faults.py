"""What a database server's complaint means, in our own errors; by SQLSTATE where there is one.

A connection that never came about has no SQLSTATE, only a text; it never holds the password.
"""

from __future__ import annotations

from sqlalchemy.exc import DBAPIError

from wireroom.errors import DamagedStoreError, ReadOnlyStoreError, StoreError
from wireroom.store.faults import full_disk

# serialization failure, deadlock, unique violation: somebody else was quicker, and now it is seen
_RACES = frozenset({"40001", "40P01", "23505"})
# the server is shutting down, crashed or starting up
_RESTARTS = frozenset({"57P01", "57P02", "57P03"})
_DAMAGE = frozenset({"XX001", "XX002"})
_LOCK_TIMEOUT = "55P03"
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
