"""The manifest of an output folder: which inputs are done, and who is at work on the others.

It lies in the folder `_manifest` of the output, which readers of tables pass over: one file an input that is done,
written whole after its output was, and a lock an input that is being read. The kernel gives a lock back when its
process ends, however it ends; so several processes share the work, and none waits for one that was killed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from wireroom.app.archive.archive_inputs import ArchiveInput
from wireroom.errors import DeliverError, SettingsError, Wording
from wireroom.export.atomic_files import write_errors
from wireroom.export.selection import Report
from wireroom.private_files import write_whole

FOLDER = "_manifest"
OPTIONS = "options.json"
Place: TypeAlias = str
ANOTHER = Wording(
    "Name another folder, or ask for the same again.",
    terminal="Name another folder with -o, or ask for the same again.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAside:
    """A page that cost its worker, or more than a page may: where it stands, and why it was left."""

    warc_file: str
    warc_offset: int | None
    url: str
    cause: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCost:
    """What the pages of a host cost."""

    host: str
    pages: int
    seconds: float
    """Of CPU time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputOutcome:
    """What came of one input, whole."""

    location: str
    stamp: str
    output: str = ""
    """The file, from the output folder on; empty where there was nothing to write."""
    articles: int = 0
    records: int = 0
    """Records whose header could be read, or saved pages."""
    pages: int = 0
    """Those that were parsed."""
    size: int = 0
    """Bytes that were read."""
    skipped: dict[str, int] = field(default_factory=dict)
    """Pages that were not wanted, by the filter that left them out."""
    unread: dict[str, int] = field(default_factory=dict)
    """Pages that gave no article, by the kind of the problem."""
    duplicates: dict[str, int] = field(default_factory=dict)
    """Articles of this input that were there before: by `address`, or by `text`."""
    bad: dict[str, int] = field(default_factory=dict)
    """Places where no record could be read, by reason."""
    set_aside: tuple[SetAside, ...] = ()
    """The first of them."""
    set_aside_count: int = 0
    hosts: tuple[HostCost, ...] = ()
    """The slowest by page."""
    report: Report | None = None
    """For a use: what was left out, and why."""
    limited: bool = False
    """Whether it was left before its end because there was enough."""
    seconds: float = 0.0
    done_at: datetime


_decoder = msgspec.json.Decoder(InputOutcome)


class Manifest:
    """What is known of the inputs of an output folder."""

    def __init__(self, output: Path) -> None:
        self._output = output
        self._folder = self.folder = output / FOLDER

    def begin(self, options: dict[str, Any]) -> None:
        """Makes the folder; SettingsError where it holds what was made with other options."""
        with write_errors(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            path = self._folder / OPTIONS
            if not path.exists():
                write_whole(path, msgspec.json.format(msgspec.json.encode(options)) + b"\n")
            held = _read_json(path)
        wanted = msgspec.json.decode(msgspec.json.encode(options))
        if held != wanted:
            differ = (
                f"{name.replace('_', ' ')} was {_shown(_get(held, name))}, now {_shown(value)}"
                for name, value in sorted(wanted.items())
                if _get(held, name) != value
            )
            raise SettingsError(
                [f"{self._output} was made with other options: {'; '.join(differ)}"],
                hint=ANOTHER,
            )

    def outcome(self, found: ArchiveInput) -> InputOutcome | None:
        """What came of the input; None where it is not done, or has changed since, or its output is gone."""
        try:
            outcome = _decoder.decode(self._record(found).read_bytes())
        except (FileNotFoundError, msgspec.MsgspecError, ValueError):
            return None
        is_there = not outcome.output or (self._output / outcome.output).is_file()
        return outcome if is_there and outcome.stamp == found.stamp else None

    def save(self, found: ArchiveInput, outcome: InputOutcome) -> None:
        """Notes that the input is done; its output is in place already."""
        with write_errors(self._folder):
            write_whole(
                self._record(found), msgspec.json.format(msgspec.json.encode(outcome)) + b"\n"
            )

    def outcomes(self) -> Iterator[InputOutcome]:
        """What came of every input that is done, whoever did it."""
        for path in sorted(self._folder.glob("*.done.json")):
            try:
                yield _decoder.decode(path.read_bytes())
            except (OSError, msgspec.MsgspecError, ValueError) as exc:
                raise DeliverError(
                    f"{path} is no record of this manifest: {exc}.",
                    hint="Remove it: its input is read again.",
                ) from exc

    def claim(self, found: ArchiveInput) -> AbstractContextManager[bool]:
        """Whether the input is ours while this lasts; False where another process is at work on it."""
        return self._claim(found.key)

    def claim_pass(self) -> AbstractContextManager[bool]:
        """The same for the second pass over all files."""
        return self._claim("unique")

    @contextmanager
    def _claim(self, name: str) -> Iterator[bool]:
        path = self._folder / f"{name}.lock"
        with write_errors(path):
            handle, is_ours = _open_lock(path)
        try:
            yield is_ours
            if is_ours:
                path.unlink(missing_ok=True)  # who opened it before looks whether the input is done
        finally:
            os.close(handle)

    def draft(self, found: ArchiveInput) -> Path:
        """Where the output is written before it has its place; one that a killed process left is overwritten."""
        return self._folder / f"{found.key}.part"

    def spool(self, found: ArchiveInput) -> Path:
        """Where an input is brought to that cannot be read where it is."""
        return self._folder / f"{found.key}.input"

    @contextmanager
    def stdin_spool(self) -> Iterator[Path]:
        """Where this process alone brings its stdin to; the next one overwrites what a killed one left."""
        with ExitStack() as stack:
            for number in count():
                if stack.enter_context(self._claim(f"stdin-{number}")):
                    path = self._folder / f"stdin-{number}.input"
                    stack.callback(path.unlink, missing_ok=True)
                    yield path
                    return

    def _record(self, found: ArchiveInput) -> Path:
        return self._folder / f"{found.key}.done.json"


def _read_json(path: Path) -> Any:
    try:
        return msgspec.json.decode(path.read_bytes())
    except msgspec.MsgspecError as exc:
        raise DeliverError(f"{path} cannot be read: {exc}.", hint=ANOTHER) from exc


def _shown(value: Any) -> str:
    """A value of an option, as people read it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    text = (
        ", ".join(map(str, value))
        if isinstance(value, list)
        else ""
        if value is None
        else str(value)
    )
    return text or "not given"


def _get(held: Any, name: str) -> Any:
    return held.get(name) if isinstance(held, dict) else None


def _open_lock(path: Path) -> tuple[int, bool]:
    """The open file of a lock, and whether the lock is ours; another one where the file was just taken away."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        if not _lock(handle):
            return handle, False
        if _is_at(path, handle):
            return handle, True
        os.close(handle)


def _is_at(path: Path, handle: int) -> bool:
    """Whether the open file still has its name: who was done with it may have removed it before we had the lock."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False


def _lock(handle: int) -> bool:
    """Takes the lock of an open file, at once or not at all."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
