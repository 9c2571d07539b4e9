"""Where the articles of one input go: a table, lines of JSON, or the store. A file is there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Literal, Protocol, Self, TypeAlias

from wireroom.errors import MissingExtraError
from wireroom.export.archive_columns import TABLE_COLUMNS, row_values
from wireroom.export.atomic_files import write_errors
from wireroom.model import Reading
from wireroom.ports import FileMetadata
from wireroom.private_files import open_new
from wireroom.workers.archive_jobs import ArchiveEntry

OutputFormat: TypeAlias = Literal["parquet", "jsonl"]
SUFFIXES: dict[OutputFormat, str] = {"parquet": ".parquet", "jsonl": ".jsonl"}
SAVED_AT_ONCE = 100  # readings in one commit


class ArchiveOutput(Protocol):
    """Takes the articles of one input."""

    def __enter__(self) -> Self:
        """Ready to be added to."""
        ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leaves nothing behind that was not finished."""
        ...

    def add(self, entry: ArchiveEntry) -> None:
        """Takes one article."""
        ...

    def finish(self, day: datetime | None) -> str:
        """Everything is in its place from now on; gives the name of the file, if there is one."""
        ...


class FileOutput:
    """One file in the folder of its day, named once it is complete."""

    def __init__(
        self,
        folder: Path,
        name: str,
        draft: Path,
        form: OutputFormat,
        metadata: FileMetadata | None = None,
    ) -> None:
        self._folder = folder
        self._name = name
        self._draft = draft
        self._form = form
        self._metadata = metadata or FileMetadata()
        self._count = 0
        self._stack = ExitStack()
        self._out: BinaryIO | None = None
        self._add: Callable[[ArchiveEntry], object] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind or _Unfinished, error or _Unfinished(), trace)
        self._draft.unlink(missing_ok=True)

    def add(self, entry: ArchiveEntry) -> None:
        """Takes one article."""
        if self._add is None:
            self._add = self._open()
        with write_errors(self._draft):
            self._add(entry)
        self._count += 1

    def finish(self, day: datetime | None) -> str:
        """Puts the file into the folder of this day, in the place of an earlier one; nothing where there is nothing."""
        place = f"day={day:%Y-%m-%d}" if day is not None else "day=unknown"
        target = self._folder / place / self._name
        with write_errors(target):
            if self._out is not None:
                self._stack.close()  # the format's own end is written here
                with self._draft.open("rb") as written:
                    os.fsync(written.fileno())
                target.parent.mkdir(parents=True, exist_ok=True)
                self._draft.replace(target)
            for other in self._folder.glob(f"day=*/{self._name}"):
                if other != target or self._out is None:
                    other.unlink()  # of an earlier state of the same input
        return f"{place}/{self._name}" if self._out is not None else ""

    def _open(self) -> Callable[[ArchiveEntry], object]:
        with write_errors(self._draft):
            self._draft.unlink(missing_ok=True)
            self._out = self._stack.enter_context(open_new(self._draft))
        if self._form == "jsonl":
            out = self._out
            return lambda entry: out.write(entry.line)
        try:
            from wireroom.export.parquet import RowWriter

            rows = self._stack.enter_context(RowWriter(self._out, TABLE_COLUMNS, self._metadata))
        except ImportError as exc:
            raise MissingExtraError("parquet", "The format parquet") from exc
        return lambda entry: rows.add(row_values(entry.row))


class _Unfinished(Exception):  # noqa: N818 - no error: it says that a file is not to be ended properly
    """A file was not finished, and its draft is thrown away."""


class StoreOutput:
    """The store: what is saved twice is saved once."""

    def __init__(self, save: Callable[[list[Reading]], int]) -> None:
        self._save = save
        self._readings: list[Reading] = []
        self.saved = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._readings.clear()

    def add(self, entry: ArchiveEntry) -> None:
        """Takes one article."""
        if entry.reading is not None:
            self._readings.append(entry.reading)
        if len(self._readings) >= SAVED_AT_ONCE:
            self._flush()

    def finish(self, day: datetime | None) -> str:  # noqa: ARG002 - a store has no folders
        """Saves the rest."""
        self._flush()
        return ""

    def _flush(self) -> None:
        if self._readings:
            self.saved += self._save(self._readings)
            self._readings = []
