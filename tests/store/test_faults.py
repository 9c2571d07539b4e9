"""Faults of a SQLite store, provoked for real: each ends in one clear line and a known state."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.holding import save_feeds
from tests.namespaces import own
from tests.parts import REPOSITORY
from tests.store.samples import NOW, article, feed, publisher, save
from wireroom.errors import (
    DamagedStoreError,
    MissingExtraError,
    ReadOnlyStoreError,
    SettingsError,
    StoreError,
    terminal_words,
)
from wireroom.store import open_store
from wireroom.store.sqlite.sqlite_files import access_to


def one_line(error: BaseException) -> str:
    message = str(error)
    assert "\n" not in message
    assert "Traceback" not in message
    return message


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "wireroom.db"


def filled(file: Path, count: int = 300) -> None:
    store = open_store(f"sqlite:///{file}")
    save(store, *(article(number, text=f"harbour {number} " * 60) for number in range(count)))
    store.close()


# --- addresses


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("", "names no kind"),
        ("wireroom.db", "names no kind"),
        ("mysql://root:hunter2@db/news", "'mysql'"),
        ("sqlite://host/file.db", "names a file"),
        ("sqlite:///x.db?mode=ro", "names a file"),
        ("postgresql://user:hunter2@host:port/db", "cannot be read"),
    ],
)
def test_an_unknown_address_is_one_clear_line_without_password(url: str, expected: str) -> None:
    with pytest.raises(SettingsError) as caught:
        open_store(url)
    assert expected in one_line(caught.value)
    assert "sqlite:///FILE" in caught.value.hint
    assert "hunter2" not in repr(caught.value) + str(caught.value)


def test_a_missing_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"wireroom\[postgres\]"):
        open_store("postgresql://user:hunter2@localhost/news")


# --- the place


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"folder .*nowhere of the database does not exist"):
        open_store(f"sqlite:///{tmp_path / 'nowhere' / 'wireroom.db'}")


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a folder"):
        open_store(f"sqlite:///{tmp_path}")


def test_a_file_that_is_no_database_is_left_alone(file: Path) -> None:
    file.write_text("Dear diary, " * 500)
    with pytest.raises(StoreError, match="not a SQLite database") as caught:
        open_store(f"sqlite:///{file}")
    one_line(caught.value)
    assert file.read_text().startswith("Dear diary")


def test_an_empty_file_becomes_a_store(file: Path) -> None:
    file.touch()
    store = open_store(f"sqlite:///{file}")
    assert store.health().state == "ok"
    store.close()


# --- read-only


@pytest.fixture
def immutable(file: Path) -> Iterator[Path]:
    """A store whose file nobody can write, not even root."""
    filled(file, 3)
    file.chmod(0o444)
    if os.geteuid() == 0:
        made = subprocess.run(["chattr", "+i", str(file)], capture_output=True, check=False)
        if made.returncode:
            # The same is shown below, by a read-only mount.
            pytest.skip(f"this file system has no immutable files: {made.stderr.decode().strip()}")
    yield file
    if os.geteuid() == 0:
        subprocess.run(["chattr", "-i", str(file)], check=True)


def test_a_read_only_file_is_read_and_a_write_is_refused_in_one_line(immutable: Path) -> None:
    with closing(open_store(f"sqlite:///{immutable}")) as store:
        assert store.health().state == "read_only"
        assert store.counts()["articles"] == 3
        assert len(store.search("harbour").articles) == 3
        with pytest.raises(ReadOnlyStoreError, match="cannot be written") as caught:
            save(store, article(9))
        assert str(immutable) in one_line(caught.value)
        assert store.health().state == "read_only"
        assert len(list(store.articles())) == 3


def run_in_own_mounts(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs Python in a mount namespace of its own, where it may mount what it likes."""
    return subprocess.run(
        [*own("mount"), sys.executable, "-c", script, *arguments],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


MOUNT = """
import subprocess, sys
def mount(*arguments):
    if subprocess.run(["mount", *arguments], capture_output=True).returncode:
        sys.exit("mount failed")
"""

READ_ONLY_FOLDER = (
    MOUNT
    + """
from wireroom.errors import ReadOnlyStoreError
from wireroom.store import open_store
from wireroom.store.sqlite.sqlite_files import access_to
folder = sys.argv[1]
mount("--bind", folder, folder)
mount("-o", "remount,bind,ro", folder)
try:
    store = open_store(f"sqlite:///{folder}/wireroom.db")
    found = store.search("harbour").articles
    print(store.health().state, store.counts()["articles"], len(found), file=sys.stderr)
    store.emit([])
except ReadOnlyStoreError as exc:
    print(exc)
"""
)


@pytest.mark.long
def test_a_new_file_in_a_read_only_folder_is_refused_in_one_line(file: Path) -> None:
    done = run_in_own_mounts(READ_ONLY_FOLDER, str(file.parent))
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    assert "cannot be written" in done.stdout


def test_a_file_in_a_folder_of_somebody_else_is_read_while_nobody_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "w.db"
    open_store(f"sqlite:///{file}").close()
    may = os.access

    def theirs(path: Path, mode: int) -> bool:
        return may(path, mode) and not mode & os.W_OK

    monkeypatch.setattr("wireroom.store.sqlite.sqlite_files.os.access", theirs)
    assert access_to(file) == "frozen"
    store = open_store(f"sqlite:///{file}")
    assert store.counts()["articles"] == 0
    assert store.health().state == "read_only"
    store.close()
    monkeypatch.setattr("wireroom.store.sqlite.sqlite_files.os.access", lambda path, mode: False)
    with pytest.raises(StoreError, match=r"w\.db cannot be read"):
        access_to(file)
    monkeypatch.setattr("wireroom.store.sqlite.sqlite_files.os.access", theirs)
    file.with_name("w.db-shm").touch()  # as whoever writes makes it
    assert access_to(file) == "read"


@pytest.mark.long
def test_a_file_on_a_read_only_mount_is_read_and_a_write_is_refused(file: Path) -> None:
    filled(file, 3)
    done = run_in_own_mounts(READ_ONLY_FOLDER, str(file.parent))
    assert done.stderr == "read_only 3 3\n"
    assert done.stdout.count("\n") == 1
    assert "cannot be written" in done.stdout


@pytest.mark.long
def test_what_a_killed_writer_left_is_read_on_a_read_only_mount_too(file: Path) -> None:
    with closing(open_store(f"sqlite:///{file}")) as store:
        save(store, article(1))
        copy = file.parent / "copy"
        shutil.copytree(file.parent, copy, ignore=shutil.ignore_patterns("copy"))
    assert (copy / "wireroom.db-wal").stat().st_size
    done = run_in_own_mounts(READ_ONLY_FOLDER, str(copy))
    assert done.stderr == "read_only 1 1\n"


@pytest.mark.long
def test_a_read_only_file_of_an_older_schema_is_not_upgraded(file: Path) -> None:
    filled(file, 1)
    with closing(sqlite3.connect(file)) as conn, conn:
        conn.execute("DELETE FROM meta WHERE name = 'words'")
    done = run_in_own_mounts(READ_ONLY_FOLDER, str(file.parent))
    assert done.stderr == ""
    assert "cannot be written" in done.stdout


# --- full disk

FULL_DISK = (
    MOUNT
    + """
from pathlib import Path
from tests.store.samples import article, publisher, save
from wireroom.errors import FullDiskError
from wireroom.store import open_store
from wireroom.store.sqlite.sqlite_files import access_to
folder = Path(sys.argv[1])
mount("-t", "tmpfs", "-o", "size=6m", "tmpfs", str(folder))
(folder / "ballast").write_bytes(b"x" * 2_000_000)
store = open_store(f"sqlite:///{folder / 'wireroom.db'}")
saved = 0
try:
    for number in range(5000):
        save(store, article(number, text=f"{number} harbour " * 400))
        saved = number + 1
except FullDiskError as exc:
    print("full:", exc)
# What the failed commit wrote is room for a smaller one: fill that as well, by the smallest writes.
try:
    for number in range(5000):
        store.save_publisher(publisher(f"p{number}.test"))
except FullDiskError:
    pass
print(store.health().state, "no room left" in store.health().message)
print(store.counts()["articles"] == saved > 5, len(store.search("harbour").articles))
try:
    save(store, article(9999, text="harbour " * 400))
except FullDiskError:
    print("still full")
(folder / "ballast").unlink()
print(store.health().state)
save(store, article(7777))
print(store.counts()["articles"] == saved + 1)
store.close()
import sqlite3
print(sqlite3.connect(folder / "wireroom.db").execute("PRAGMA integrity_check").fetchone()[0])
"""
)


@pytest.mark.long
def test_a_full_disk_pauses_the_store_until_there_is_room(tmp_path: Path) -> None:
    done = run_in_own_mounts(FULL_DISK, str(tmp_path))
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0].startswith("full: There is no room left on the disk")
    assert lines[1:] == ["paused True", "True 20", "still full", "ok", "True", "ok"]


# --- damage


INTERIOR_PAGES = (b"\x02", b"\x05")  # of an index and of a table, as SQLite marks them


def damage(file: Path, *, every: int = 1) -> None:
    """Overwrites pages in the middle of the file with rubbish; of a few, none that others hang on.

    Which page of a tree lies where changes with every table that is added to the schema.
    """
    size = file.stat().st_size
    with file.open("r+b") as opened:
        for page in range(size // 4096 // 2, size // 4096, every):
            opened.seek(page * 4096)
            if every > 1 and opened.read(1) in INTERIOR_PAGES:
                continue
            opened.seek(page * 4096)
            opened.write(b"\xa5" * 4096)


@pytest.mark.long
def test_damage_is_found_by_the_first_look_and_nothing_is_written_then(file: Path) -> None:
    filled(file)
    damage(file)
    store = open_store(f"sqlite:///{file}")
    health = store.health()
    assert health.state == "damaged"
    assert "`wireroom backup` copies every row" in terminal_words(health.message)
    assert "`app.backup` copies every row" in health.message
    before = file.read_bytes()
    with pytest.raises(DamagedStoreError, match="is damaged") as caught:
        store.save_publisher(publisher())
    one_line(caught.value)
    assert store.health().state == "damaged"
    store.close()
    assert file.read_bytes() == before


def test_damage_that_is_met_is_an_error_and_a_state(file: Path) -> None:
    filled(file)
    damage(file)
    store = open_store(f"sqlite:///{file}")
    with pytest.raises(DamagedStoreError, match="is damaged"):
        list(store.articles())
    assert store.health().state == "damaged"
    store.close()


def overwritten(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.seek(100)
        opened.write(b"\xa5" * 4000)


def cut_off(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def all_but_gone(file: Path) -> None:
    os.truncate(file, 20)


@pytest.mark.parametrize("harm", [overwritten, cut_off, all_but_gone])
def test_damage_that_forbids_opening_is_reported_with_a_hint_that_works(
    file: Path, harm: Callable[[Path], None]
) -> None:
    filled(file)
    harm(file)
    before = file.read_bytes()
    with pytest.raises(DamagedStoreError, match="is damaged") as caught:
        open_store(f"sqlite:///{file}")
    message = one_line(caught.value)
    assert "the last copy that `app.backup` made" in message
    assert "the last copy that `wireroom backup` made" in caught.value.words().terminal
    assert f"`sqlite3 '{file}' .recover`" in message
    assert "copies every row" not in message  # it would have to open the file, too
    assert file.read_bytes() == before


def test_whoever_has_lost_the_header_of_a_store_is_pointed_to_the_last_backup(file: Path) -> None:
    filled(file)
    with file.open("r+b") as opened:
        opened.write(b"\xa5" * 100)
    with pytest.raises(StoreError, match="not a SQLite database") as caught:
        open_store(f"sqlite:///{file}")
    assert "the last copy that `app.backup` made" in one_line(caught.value)


@pytest.mark.long
def test_what_is_readable_of_a_damaged_store_is_saved(file: Path, tmp_path: Path) -> None:
    filled(file, 1000)
    damage(file, every=97)
    store = open_store(f"sqlite:///{file}")
    saved = tmp_path / "saved.db"
    with pytest.raises(DamagedStoreError, match="rows that could be read") as caught:
        store.backup(saved)
    store.close()
    assert str(saved) in one_line(caught.value)
    rescued = open_store(f"sqlite:///{saved}")
    articles = list(rescued.articles())
    assert 800 < len(articles) < 1000
    assert len(list(rescued.articles("harbour"))) == len(articles)
    for kept in articles[:20]:
        number = int(kept.title.split()[1])
        assert kept == article(number, text=kept.text)
    assert rescued.health().state == "ok"
    save_feeds(rescued, [feed()], now=NOW)
    rescued.close()
    with closing(sqlite3.connect(saved)) as conn:
        assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert conn.execute("PRAGMA foreign_key_check").fetchall() == []


def test_what_was_committed_is_in_the_file_once_it_is_closed(file: Path) -> None:
    filled(file)
    assert [path.name for path in file.parent.iterdir()] == [file.name]
