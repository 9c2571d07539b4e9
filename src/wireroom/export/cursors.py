"""How far an export came: a small file, so that the next one gives only what is new or changed since.

A cursor belongs to one question: with other words or another use it would leave out what it never gave.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from wireroom.errors import DeliverError, SettingsError
from wireroom.export.atomic_files import whole_file
from wireroom.model import Use

MAX_BYTES = 65_536  # of the file; whatever is longer is something else


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """The number of the last change that was looked at, and what was asked."""

    number: int
    query: str = ""
    use: Use | None = None
    saved_at: datetime


def read_cursor(path: Path, *, query: str, use: Use | None) -> int:
    """The number to go on after; 0 when there is no such file yet."""
    try:
        with path.open("rb") as file:
            cursor = msgspec.json.decode(file.read(MAX_BYTES), type=Cursor)
    except FileNotFoundError:
        return 0
    except OSError as exc:
        raise DeliverError(f"{path} cannot be read: {exc.strerror}.") from exc
    except (msgspec.MsgspecError, ValueError) as exc:
        hint = "Name the file that an earlier export made, or one that is not there yet."
        raise DeliverError(f"{path} holds no cursor: {exc}.", hint=hint) from exc
    if (cursor.query, cursor.use) != (query, use):
        asked = _asked(cursor.query, cursor.use)
        raise SettingsError(
            [f"{path} is the cursor of another export, {asked}"],
            hint="Ask the same again, or name another file.",
        )
    return cursor.number


def save_cursor(path: Path, cursor: Cursor) -> None:
    """Writes the cursor, whole or not at all."""
    with whole_file(path) as out:
        out.write(msgspec.json.format(msgspec.json.encode(cursor), indent=2) + b"\n")


def _asked(query: str, use: Use | None) -> str:
    return f"for {use or 'any use'}, of {f'the query {query!r}' if query else 'all articles'}"
