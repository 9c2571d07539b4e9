"""The benches: each can be run by itself, takes the same options and gives rows of the same form."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.parts import REPOSITORY

BENCH = REPOSITORY / "bench"
SCRIPTS = sorted(
    path for path in BENCH.glob("*.py") if '\nif __name__ == "__main__":' in path.read_text()
)
KEYS = ["bench", "metric", "unit", "ours", "peer", "peer_name", "ratio"]


def _run(script: Path, *options: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script), *options],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _assert_rows_hold(rows: list[dict[str, object]], bench: str) -> None:
    assert rows
    for row in rows:
        assert list(row) == KEYS
        assert row["bench"] == bench
        assert row["metric"]
        assert row["unit"]
        ours, peer, ratio = row["ours"], row["peer"], row["ratio"]
        assert isinstance(ours, int | float)
        if peer is None:
            assert ratio is None
        else:
            assert isinstance(peer, int | float)
            assert row["peer_name"]
            assert ratio == pytest.approx(ours / peer, rel=0.01)
    metrics = [row["metric"] for row in rows]
    assert len(set(metrics)) == len(metrics)


def test_there_are_benches() -> None:
    assert BENCH / "store.py" in SCRIPTS


HELP_OF_ALL = """
import contextlib, io, json, runpy, sys
def help_of(script):
    sys.argv = [script, "--help"]
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.suppress(SystemExit):
        runpy.run_path(script, run_name="__main__")
    return said.getvalue()
sys.path.insert(0, sys.argv[1])
print(json.dumps({script: help_of(script) for script in sys.argv[2:]}))
"""


@pytest.fixture(scope="module")
def helps() -> dict[str, str]:
    """What every bench says of itself; one process asks them all, for they load the same libraries."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", HELP_OF_ALL, str(BENCH), *map(str, SCRIPTS)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_every_bench_says_how_it_is_used(script: Path, helps: dict[str, str]) -> None:
    help_text = helps[str(script)]
    assert "--short" in help_text
    assert "--json FILE" in help_text


@pytest.mark.parametrize(
    ("database", "parts"),
    [
        pytest.param("SQLite", ("articles", "leads"), marks=pytest.mark.long),
        pytest.param("PostgreSQL", ("server-articles", "server-leads"), marks=pytest.mark.postgres),
    ],
)
def test_a_short_run_of_the_store_gives_every_figure(
    database: str, parts: tuple[str, ...], tmp_path: Path
) -> None:
    file = tmp_path / "figures.json"
    only = [word for part in parts for word in ("--only", part)]
    shown = _run(BENCH / "store.py", "--short", "--json", str(file), *only)
    rows = json.loads(file.read_text())
    _assert_rows_hold(rows, "store")
    metrics = [row["metric"] for row in rows]
    for promised in ("articles of 3 KB saved", "query, p50", "query, p95", "memory", "leads taken"):
        assert any(
            metric.startswith(f"{database}: ") and promised in metric for metric in metrics
        ), promised
    assert database in shown
    assert "articles/s" in shown


@pytest.mark.parametrize("path", sorted((BENCH / "results").glob("*.json")), ids=lambda p: p.stem)
def test_kept_results_have_the_same_form(path: Path) -> None:
    _assert_rows_hold(json.loads(path.read_text()), path.stem)


def test_benches_that_share_a_file_keep_each_other_s_rows(tmp_path: Path) -> None:
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from figures import Figure, main\n"
        "for bench, ours in (('a', 1), ('b', 2), ('a', 3)):\n"
        "    main(bench, lambda short: [Figure(metric='m', unit='s', ours=ours)], about='',\n"
        "         arguments=['--json', sys.argv[2]])\n"
    )
    file = tmp_path / "all.json"
    subprocess.run([sys.executable, "-c", script, str(BENCH), str(file)], check=True, timeout=60)
    rows = json.loads(file.read_text())
    assert [(row["bench"], row["ours"]) for row in rows] == [("b", 2.0), ("a", 3.0)]
