"""Files that are there whole or not at all: written beside their place, moved into it at the end.

A run that is killed leaves a file whose name begins with a dot and ends in `.part`, and nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from wireroom.errors import DeliverError


@contextmanager
def whole_file(path: Path, *, sync: bool = True) -> Iterator[BinaryIO]:
    """A stream whose bytes stand at the path once the block is over without an error.

    With `sync` they are safe on the disk then; of many files in a folder, the folder takes care of that. What is no file (a device, a pipe) is written as it is: nothing must be moved into its place.
    """
    with write_errors(path):
        if path.exists() and not path.is_file():
            with path.open("wb") as out:
                yield out
            return
        part = _beside(path)
        try:
            with part.open("wb") as out:
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
        part = _beside(path)
        part.mkdir()
        try:
            yield part
            os.sync()  # of thousands of small files, once
            part.replace(path)
        finally:
            _remove(part)


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name[:200]}.{os.getpid()}.part")


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
