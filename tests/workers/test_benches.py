"""The soak and the bench of workers, in their short forms: nothing leaks, nothing is lost.

Each process that reads pages loads its models first, which takes a second: the shortest forms have few.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.parts import REPOSITORY

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")


RUN = """
import importlib, itertools, sys
name, file, constants, figures = sys.argv[1], sys.argv[2], eval(sys.argv[3]), int(sys.argv[4])
from figures import main
bench = importlib.import_module(name)
vars(bench).update(constants)
first = lambda short: itertools.islice(bench.measure(short), figures)
main(name, first, about="", arguments=["--short", "--json", file])
"""
ALL = 1_000  # figures; no bench has so many


def _figures(bench: str, folder: Path, *, first: int = ALL, **constants: int) -> dict[str, float]:
    """The first figures of a bench in its short form, with some of its constants set anew."""
    file = folder / "figures.json"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUN, bench, str(file), repr(constants), str(first)],
        cwd=REPOSITORY / "bench",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {row["metric"]: row["ours"] for row in json.loads(file.read_text())}


@pytest.mark.long
@pytest.mark.parametrize("pages", [150, 300])  # the largest kind of page is among the first tenth
def test_a_short_soak_neither_leaks_nor_loses(pages: int, tmp_path: Path) -> None:
    figures = _figures("soak", tmp_path, SHORT_PAGES=pages)
    assert figures["worker: pages lost"] == 0
    assert figures["one process: late to early"] < 1.2
    assert figures["parent of workers: late to early"] < 1.2


@pytest.mark.long
def test_the_bench_of_workers_gives_every_figure(tmp_path: Path) -> None:
    figures = _figures("workers", tmp_path)
    assert any("an empty piece" in metric for metric in figures)
    assert any("pages read by" in metric for metric in figures)
    assert all(value > 0 for value in figures.values())


@pytest.mark.long
def test_the_bench_of_workers_gives_the_figures_that_need_no_page(tmp_path: Path) -> None:
    figures = _figures("workers", tmp_path, first=2, STARTS=2)
    empty, start = figures
    assert "an empty piece" in empty
    assert "started and ended" in start
    assert all(value > 0 for value in figures.values())
