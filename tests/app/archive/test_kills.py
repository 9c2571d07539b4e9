"""Killed at ten moments and begun again: the same rows, none lost, none twice. Two at once share the work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from time import sleep

import pytest

from tests.app.archive.conftest import Read, rows, titles
from tests.cli.conftest import command
from tests.parts import REPOSITORY
from tests.warcs import story_records, write_warc
from wireroom.app.archive import manifest as manifest_module
from wireroom.app.archive.archive_inputs import find_inputs
from wireroom.app.archive.manifest import Manifest

PATIENCE = 300  # seconds for commands that take a few on a machine with nothing else to do
TOWNS = [f"Town{number}" for number in range(6)]


def make_archives(folder: Path, count: int) -> list[Path]:
    return [
        write_warc(folder / f"{n}.warc.gz", story_records(TOWNS, f"host{n}.example"))
        for n in range(count)
    ]


@pytest.mark.long
@pytest.mark.timeout(3 * PATIENCE)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_at_ten_moments_the_rows_are_the_same(tmp_path: Path) -> None:
    make_archives(tmp_path, 6)
    done = subprocess.run(
        [sys.executable, "-m", "tests.app.archive.killed", str(tmp_path)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    moments, *ends = map(int, done.stdout.split())
    assert moments > 60
    assert ends.count(-signal.SIGKILL) == 10
    assert ends[-1] == 0
    whole, killed = rows(tmp_path / "whole"), rows(tmp_path / "killed")
    assert len(whole) == 36
    for row in (*whole, *killed):
        row.pop("fetched_at"), row.pop("rights_checked_at")
    assert killed == whole
    files = {path.name for path in (tmp_path / "killed").rglob("*") if path.is_file()}
    assert files == {path.name for path in (tmp_path / "whole").rglob("*") if path.is_file()}


@pytest.mark.long
@pytest.mark.timeout(3 * PATIENCE)
def test_a_process_with_workers_that_is_killed_leaves_no_half_file(tmp_path: Path) -> None:
    """The command itself, killed as soon as its first file is done."""
    paths = make_archives(tmp_path, 4)
    out = tmp_path / "out"
    arguments = command("archive", *map(str, paths), "-o", str(out), "--workers", "1")
    process = subprocess.Popen(arguments, stderr=subprocess.DEVNULL)
    while not list(out.glob("_manifest/*.done.json")) and process.poll() is None:
        sleep(0.02)
    process.kill()
    process.wait()
    before = len(rows(out))
    assert before % len(TOWNS) == 0
    assert before >= len(TOWNS)
    subprocess.run(arguments, check=True, stderr=subprocess.DEVNULL)
    assert len(rows(out)) == 4 * len(TOWNS)
    assert sorted(titles(out)) == sorted(4 * TOWNS)


def test_an_input_that_another_process_reads_is_left_to_it(read: Read, tmp_path: Path) -> None:
    """A lock belongs to an open file: two of them in one process are as far apart as in two."""
    first, second = make_archives(tmp_path, 2)
    read(second)
    (found,) = find_inputs([str(first)])
    with Manifest(tmp_path / "out").claim(found) as is_ours:
        assert is_ours
        summary = read(first, second)
        assert summary.elsewhere == ("0.warc.gz",)
        assert (summary.done, summary.done_before) == (1, 1)
    summary = read(first, second)
    assert (summary.elsewhere, summary.articles) == ((), 12)


def test_a_lock_that_was_taken_away_is_no_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody was done, and removed the file, between our opening and our locking it."""
    (found,) = find_inputs(["-"])
    manifest = Manifest(tmp_path)
    manifest.begin({})
    real = manifest_module._lock
    calls: list[int] = []

    def lock(handle: int) -> bool:
        if not calls:
            next(manifest.folder.glob("*.lock")).unlink()
        calls.append(handle)
        return real(handle)

    monkeypatch.setattr(manifest_module, "_lock", lock)
    with manifest.claim(found) as is_ours, manifest.claim(found) as is_ours_again:
        assert (is_ours, is_ours_again) == (True, False)
    assert len(calls) == 3


def test_each_process_has_a_place_of_its_own_for_stdin(tmp_path: Path) -> None:
    manifest = Manifest(tmp_path)
    manifest.begin({})
    with manifest.stdin_spool() as first, manifest.stdin_spool() as second:
        assert first != second
    with manifest.stdin_spool() as again:
        assert again == first


@pytest.mark.long
@pytest.mark.timeout(3 * PATIENCE)
def test_two_processes_share_the_work(tmp_path: Path) -> None:
    paths = make_archives(tmp_path, 6)
    out = tmp_path / "out"
    arguments = command("archive", *map(str, paths), "-o", str(out), "--workers", "1")
    both = [subprocess.Popen(arguments, stderr=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait(timeout=PATIENCE) for process in both] == [0, 0]
    subprocess.run(arguments, check=True, stderr=subprocess.DEVNULL)
    assert sorted(titles(out)) == sorted(6 * TOWNS)
    assert len(list(out.glob("_manifest/*.done.json"))) == 6
