"""Copies of a live SQLite database: written under another name, checked, then given theirs."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from wireroom.errors import StoreError
from wireroom.private_files import draft_of, make_new
from wireroom.store.sqlite.sqlite_files import distrusting

PAGES_AT_ONCE = 2000  # 8 MB between two reports of progress


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """A name to write to; the file gets its own name when it is whole, and never another's."""
    if path.exists():
        raise StoreError(f"{path} exists already.", hint="Name a new file.")
    if not path.parent.is_dir():
        raise StoreError(f"The folder {path.parent} does not exist.", hint="Make it first.")
    draft = draft_of(path)
    try:
        make_new(draft)  # here the system says why not; a database would only say it cannot open it
        yield draft
        _give_name(draft, path)
    except OSError as exc:
        raise StoreError(f"{path} could not be written: {exc.strerror}.") from exc
    finally:
        for left in (
            draft,
            *(draft.with_name(draft.name + end) for end in ("-wal", "-shm", "-journal")),
        ):
            left.unlink(missing_ok=True)


def _give_name(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)  # fails where somebody made such a file meanwhile; a rename would not
    except FileExistsError as exc:
        raise StoreError(f"{path} exists already.", hint="Name a new file.") from exc
    except OSError:
        draft.rename(path)  # a disk without links


def copy_pages(
    source: sqlite3.Connection, path: Path, progress: Callable[[int, int], None]
) -> None:
    """Copies the database as it stands now; others may go on writing.

    The transaction pins the moment: without one, every write of others starts the copy anew.
    """
    with new_file(path) as draft:
        source.execute("BEGIN")
        try:
            source.execute("SELECT count(*) FROM sqlite_master").fetchone()
            with closing(distrusting(sqlite3.connect(draft))) as target:
                _copy(source, target, path, progress)
        finally:
            source.rollback()


def _copy(
    source: sqlite3.Connection,
    target: sqlite3.Connection,
    path: Path,
    progress: Callable[[int, int], None],
) -> None:
    try:
        source.backup(
            target,
            pages=PAGES_AT_ONCE,
            progress=lambda _, left, total: progress(total - left, total),
        )
        answer = target.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.Error as exc:
        raise StoreError(f"{path} could not be written: {exc}.") from exc
    if answer != "ok":
        raise StoreError(f"The copy would be damaged ({answer.splitlines()[0]}).")
