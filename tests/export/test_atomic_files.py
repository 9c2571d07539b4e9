"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from wireroom.errors import DeliverError
from wireroom.export.atomic_files import whole_file, whole_folder


def test_a_file_stands_in_its_place_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    with whole_file(path) as out:
        out.write(b"half")
        out.flush()
        assert not path.exists()
    assert path.read_bytes() == b"half"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), whole_file(path) as out:
        out.write(b"%d" % (1 // 0))
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_killed_process_leaves_no_file_that_looks_whole(tmp_path: Path) -> None:
    script = (
        "import os, sys; from pathlib import Path; from wireroom.export.atomic_files import whole_file\n"
        "with whole_file(Path('out.txt')) as out:\n"
        "    out.write(b'half'); out.flush(); os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=False, timeout=60)
    assert done.returncode == -9
    assert [path.name[-5:] for path in tmp_path.iterdir()] == [".part"]
    assert not (tmp_path / "out.txt").exists()


def test_what_is_no_file_is_written_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    with whole_file(pipe) as out:
        out.write(b"words")
    reader.join(timeout=30)
    assert read == [b"words"]
    assert pipe.is_fifo()


def test_a_place_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    nowhere = tmp_path / "none" / "out.txt"
    with pytest.raises(DeliverError, match="written: No such file"), whole_file(nowhere):
        raise AssertionError("there is no such folder")
    with pytest.raises(DeliverError, match="cannot be written"), whole_file(tmp_path):
        raise AssertionError("a folder is no file")


def test_a_folder_stands_in_its_place_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "out"
    with whole_folder(path) as folder:
        (folder / "one.md").write_text("1")
        assert not path.exists()
    assert [file.name for file in path.iterdir()] == ["one.md"]
    with pytest.raises(ZeroDivisionError), whole_folder(tmp_path / "other") as folder:
        (folder / "one.md").write_bytes(b"%d" % (1 // 0))
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]


def test_a_folder_that_is_there_keeps_what_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with whole_folder(tmp_path) as folder:
        assert folder == tmp_path
    assert (tmp_path / "mine.txt").read_text() == "mine"
