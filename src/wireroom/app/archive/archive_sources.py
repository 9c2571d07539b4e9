"""An input opened for reading: the archives in it, one after the other, or the saved pages.

Nothing is ever unpacked to a place that an archive names: a WACZ is read inside its zip file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

from wireroom.app.archive.archive_inputs import ArchiveInput, filesystem_of, is_archive_name
from wireroom.errors import DeliverError, MissingFileError

MAX_ARCHIVES = 10_000  # in one WACZ; real ones have a handful


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """One WARC of an input."""

    name: str
    """As `warc_file` calls it."""
    stream: IO[bytes] | Any


@contextmanager
def input_errors(name: str) -> Iterator[None]:
    """Translates what the system says of an input that cannot be read."""
    try:
        yield
    except FileNotFoundError as exc:
        raise MissingFileError(name) from exc
    except OSError as exc:
        raise DeliverError(
            f"{name} cannot be read: {exc.strerror or exc}.",
            hint="Check its permissions, and whether it is whole.",
        ) from exc
    except BadZipFile as exc:
        raise DeliverError(f"{name} is no WACZ: {exc}.", hint="Check whether it is whole.") from exc


def open_archives(found: ArchiveInput, path: Path | None = None) -> Iterator[ArchiveFile]:
    """The archives of an input, each open until the next is asked for; `path` is where it was brought to."""
    with input_errors(found.name):
        if found.kind == "wacz":
            with _opened(found, path) as file, ZipFile(file) as archive:
                yield from _in_zip(archive, found)
        else:
            with _opened(found, path) as file:
                yield ArchiveFile(found.name, file)


def _in_zip(archive: ZipFile, found: ArchiveInput) -> Iterator[ArchiveFile]:
    names = [entry for entry in archive.infolist() if is_archive_name(entry.filename)]
    if len(names) > MAX_ARCHIVES:
        raise DeliverError(
            f"{found.name} holds more than {MAX_ARCHIVES:,} archives.",
            hint="Unpack it and name the folder.",
        )
    if not names:
        raise DeliverError(
            f"{found.name} holds no archive.", hint="Name a WARC, a WACZ or a folder of pages."
        )
    for entry in sorted(names, key=lambda entry: entry.filename):
        if entry.flag_bits & 1:
            raise DeliverError(f"{found.name} is encrypted.", hint="Unpack it first.")
        with archive.open(entry) as stream:
            yield ArchiveFile(f"{found.name}/{entry.filename}", stream)


@contextmanager
def _opened(found: ArchiveInput, path: Path | None) -> Iterator[Any]:
    if path is not None or found.is_local:
        with (path or Path(found.location)).open("rb") as file:
            yield file
        return
    filesystem, inner = filesystem_of(found.location)
    opener = filesystem.open_input_file if found.kind == "wacz" else filesystem.open_input_stream
    with opener(inner) as file:
        yield file
