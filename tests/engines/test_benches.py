"""The soak and the bench of workers, in their short forms: nothing leaks, nothing is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.parts import REPOSITORY

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")


def _figures(bench: str, folder: Path) -> dict[str, float]:
    file = folder / "figures.json"
    script = REPOSITORY / "bench" / f"{bench}.py"
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script), "--short", "--json", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {row["metric"]: row["ours"] for row in json.loads(file.read_text())}


def test_a_short_soak_neither_leaks_nor_loses(tmp_path: Path) -> None:
    figures = _figures("soak", tmp_path)
    assert figures["worker: pages lost"] == 0
    assert figures["one process: late to early"] < 1.2
    assert figures["parent of workers: late to early"] < 1.2


def test_the_bench_of_workers_gives_every_figure(tmp_path: Path) -> None:
    figures = _figures("workers", tmp_path)
    assert any("an empty piece" in metric for metric in figures)
    assert all(value > 0 for value in figures.values())
