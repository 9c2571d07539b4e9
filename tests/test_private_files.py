"""Files we make: nobody else reads them, and no name of theirs can be prepared."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.export.holding import hold
from tests.export.samples import article
from tests.fetch.test_warc import answer, hop
from tests.store.test_faults import damage
from wireroom import open_app
from wireroom.errors import DamagedStoreError, StoreError
from wireroom.export.atomic_files import whole_file
from wireroom.fetch.warc import Archive
from wireroom.private_files import draft_of, open_new

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX mode bits")


@pytest.fixture(autouse=True)
def _open_umask() -> Iterator[None]:
    """Without a umask every file is as open as its maker lets it be."""
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    found = folder.rglob("*")
    return {path.name: f"{stat.S_IMODE(path.stat().st_mode):o}" for path in found if path.is_file()}


def test_the_database_and_what_lies_beside_it_are_private(tmp_path: Path) -> None:
    with open_app(f"sqlite:///{tmp_path / 'news.db'}") as app:
        hold(app, [article()])
        assert modes(tmp_path) == dict.fromkeys(("news.db", "news.db-wal", "news.db-shm"), "600")


def test_a_file_that_was_made_empty_becomes_private(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    path.touch(mode=0o644)
    open_app(f"sqlite:///{path}").close()
    assert modes(tmp_path)["w.db"] == "600"


def test_a_database_is_not_made_through_a_link(tmp_path: Path) -> None:
    path, target = tmp_path / "w.db", tmp_path / "elsewhere.db"
    path.symlink_to(target)
    with pytest.raises(StoreError, match="link to a file that is not there"):
        open_app(f"sqlite:///{path}")
    assert not target.exists()


@pytest.mark.parametrize("replace", [False, True])
def test_backups_are_private(tmp_path: Path, replace: bool) -> None:
    copy = tmp_path / "copies" / "copy.db"
    copy.parent.mkdir()
    if replace:
        copy.write_text("old")
    with open_app(f"sqlite:///{tmp_path / 'news.db'}") as app:
        hold(app, [article()])
        app.backup(copy, replace=replace)
    assert modes(copy.parent) == {"copy.db": "600"}


@pytest.mark.long
def test_what_is_saved_of_a_damaged_database_is_private(tmp_path: Path) -> None:
    file, copies = tmp_path / "news.db", tmp_path / "copies"
    copies.mkdir()
    with open_app(f"sqlite:///{file}") as app:
        hold(app, [article(number) for number in range(300)])
    damage(file)
    with open_app(f"sqlite:///{file}") as app, pytest.raises(DamagedStoreError):
        app.backup(copies / "saved.db")
    assert modes(copies) == {"saved.db": "600"}


def test_exports_their_cursor_and_their_report_are_private(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    with open_app("sqlite:///:memory:") as app:
        hold(app, [article()])
        app.export(out / "a.jsonl", cursor=out / "cursor", report=out / "report")
        app.export(out / "notes", form="md")
    assert set(modes(out).values()) == {"600"}
    assert len(modes(out)) == 4
    assert stat.S_IMODE((out / "notes").stat().st_mode) == 0o700


def test_a_file_that_is_replaced_keeps_the_mode_its_owner_gave_it(tmp_path: Path) -> None:
    file = tmp_path / "feed.xml"
    file.write_text("old")
    file.chmod(0o644)
    with whole_file(file) as out:
        out.write(b"new")
    assert (modes(tmp_path), file.read_text()) == ({"feed.xml": "644"}, "new")


def test_an_archive_is_private_and_not_written_through_a_link(tmp_path: Path) -> None:
    pytest.importorskip("fastwarc", reason="fastwarc comes with the archive extra")
    (tmp_path / "day.warc.gz").symlink_to(tmp_path / "elsewhere")
    archive = Archive(tmp_path / "day.warc.gz")
    archive.record(hop(), answer())
    archive.close()
    assert not (tmp_path / "elsewhere").exists()
    assert modes(tmp_path) == {"day-00002.warc.gz": "600"}


def test_a_draft_has_a_name_that_cannot_be_guessed_and_follows_no_link(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    assert draft_of(path) != draft_of(path)
    assert str(os.getpid()) not in draft_of(path).name.split(".")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        open_new(path)
    with whole_file(path) as out:
        out.write(b"words")
    assert not path.is_symlink()
    assert not (tmp_path / "elsewhere").exists()
