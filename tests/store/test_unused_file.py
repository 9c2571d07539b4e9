"""A new database in which nothing came to be held is taken away, and no other."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from wireroom.errors import MissingFileError
from wireroom.model import Publisher
from wireroom.store import copy_store, open_store
from wireroom.store.sqlite.unused_file import remove_unused

COURIER = Publisher(
    domain="courier.test", home_url="http://courier.test/", added_at=datetime(2026, 5, 3, tzinfo=UTC)
)  # fmt: skip


def _made(folder: Path) -> Path:
    file = folder / "wireroom.db"
    open_store(f"sqlite:///{file}").close()
    return file


def test_what_holds_nothing_goes_with_all_that_lies_beside_it(tmp_path: Path) -> None:
    assert remove_unused(_made(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_what_holds_something_stays(tmp_path: Path) -> None:
    file = _made(tmp_path)
    with closing(open_store(f"sqlite:///{file}")) as store:
        store.save_publisher(COURIER)
    assert not remove_unused(file)
    with closing(open_store(f"sqlite:///{file}")) as store:
        assert store.publishers() == (COURIER,)


def test_what_somebody_else_has_open_stays_and_takes_what_is_saved(tmp_path: Path) -> None:
    file = _made(tmp_path)
    with closing(open_store(f"sqlite:///{file}")) as other:
        other.counts()
        assert not remove_unused(file)
        other.save_publisher(COURIER)
    with closing(open_store(f"sqlite:///{file}")) as store:
        assert store.publishers() == (COURIER,)


def test_what_is_no_database_stays(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("no database, and longer than the header of one would be" * 10)
    assert not remove_unused(file)
    assert file.exists()


def test_who_opened_it_just_before_it_went_gets_an_error_and_loses_nothing_silently(
    tmp_path: Path,
) -> None:
    file = _made(tmp_path)
    with closing(sqlite3.connect(file, isolation_level=None)) as late:
        late.execute("PRAGMA journal_mode = DELETE")
        late.execute("SELECT count(*) FROM publisher").fetchone()
        assert remove_unused(file)
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            late.execute("CREATE TABLE lost (word TEXT)")


def test_a_copy_of_a_file_that_is_not_there_is_refused_and_makes_none(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"lost\.db"):
        copy_store(f"sqlite:///{tmp_path / 'lost.db'}", f"sqlite:///{tmp_path / 'new.db'}")
    assert list(tmp_path.iterdir()) == []
