"""Files that are there whole or not at all: written beside their place, moved into it at the end.

A run that is killed leaves a file whose name begins with a dot and ends in `.part`, and nothing else. A new
file can be read by its owner alone: addresses of feeds stand in exports, and a token may stand in these.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from wireroom.errors import DeliverError
from wireroom.private_files import draft_of, open_new


@contextmanager
def whole_file(path: Path, *, sync: bool = True) -> Iterator[BinaryIO]:
    """A stream whose bytes stand at the path once the block is over without an error.

    With `sync` they are safe on the disk then; of many files in a folder, the folder takes care of that.
    What is no file (a device, a pipe) is written as it is: nothing must be moved into its place. A file of our
    own that is replaced keeps its mode, a link is replaced itself.
    """
    with write_errors(path):
        if path.exists() and not path.is_file():
            with path.open("wb") as out:
                yield out
            return
        part = draft_of(path)
        try:
            with open_new(part) as out:
                _keep_mode(path, out)
                yield out
                out.flush()
                if sync:
                    os.fsync(out.fileno())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A folder to be filled, which stands at the path once the block is over without an error.

    A folder that is there is filled as it is: what is in it is not ours to remove.
    """
    with write_errors(path):
        if path.exists():
            yield path
            os.sync()
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        part = draft_of(path)
        part.mkdir(mode=0o700)
        try:
            yield part
            os.sync()  # of thousands of small files, once
            part.replace(path)
        finally:
            _remove(part)


def _keep_mode(path: Path, out: BinaryIO) -> None:
    """Whoever opened an earlier file to others, as for a web server, wants that of the next one too."""
    try:
        held = path.lstat()
    except FileNotFoundError:
        return
    if stat.S_ISREG(held.st_mode) and hasattr(os, "fchmod") and held.st_uid == os.getuid():
        os.fchmod(out.fileno(), stat.S_IMODE(held.st_mode) & 0o777)


def _remove(folder: Path) -> None:
    from shutil import rmtree

    rmtree(folder, ignore_errors=True)


@contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Translates what the system says of a place that cannot be written."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader has gone: nothing to be told
    except OSError as exc:
        hint = "Make its folder first." if isinstance(exc, FileNotFoundError) else ""
        message = f"{path} cannot be written: {exc.strerror or exc}."
        raise DeliverError(message, hint=hint) from exc
