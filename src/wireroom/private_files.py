"""New files that nobody else can read or has prepared: mode 0600, a name that cannot be guessed, never through a link.

Whoever can write into the same folder may have laid a link under a name they expect us to use.
"""

from __future__ import annotations

import os
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

PRIVATE = 0o600  # what we hold and export names feeds, and their addresses may hold tokens
PUBLIC = 0o666  # less what the umask takes away
PART = ".part"
_NAME = 200  # characters of the name that is drafted; file systems take 255 bytes for the whole


def draft_of(path: Path) -> Path:
    """A new name beside this one, to write to before the file gets its own."""
    return path.with_name(f".{path.name[:_NAME]}.{token_hex(8)}{PART}")


def open_new(path: Path, mode: int = PRIVATE) -> BinaryIO:
    """A file that was not there, open for writing; FileExistsError where something is, even a link to nowhere."""
    return os.fdopen(_created(path, mode), "wb")


def make_new(path: Path) -> None:
    """The same, empty and closed."""
    os.close(_created(path, PRIVATE))


def write_whole(path: Path, body: bytes, mode: int = PRIVATE) -> None:
    """Puts a file in its place, whole; a device or a pipe is written as it is."""
    if path.exists() and not path.is_file():
        path.write_bytes(body)
        return
    draft = draft_of(path)
    try:
        with open_new(draft, mode) as out:
            out.write(body)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _created(path: Path, mode: int) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    return os.open(path, flags, mode)
