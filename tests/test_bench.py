"""The benches: each can be run by itself, takes the same options and gives rows of the same form."""

from __future__ import annotations

import importlib
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.parts import REPOSITORY
from wireroom.app import open_app
from wireroom.model import Article, Lead, Reading
from wireroom.parse.warc import Record, WarcReader, read_http

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


def test_a_bench_fails_when_an_aim_is_missed_and_names_it() -> None:
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from figures import Figure, main\n"
        "figures = [Figure(metric='kills', unit='kills', ours=2, least=2),\n"
        "           Figure(metric='doubles', unit='articles', ours=3, most=0),\n"
        "           Figure(metric='looks', unit='looks', ours=1, least=2)]\n"
        "main('a', lambda short: figures[:1], about='', arguments=[])\n"
        "main('a', lambda short: figures, about='', arguments=[])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(BENCH)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert [line for line in done.stderr.splitlines() if line.startswith("aim missed")] == [
        "aim missed: doubles: 3 articles, wanted 0",
        "aim missed: looks: 1 looks, wanted >= 2",
    ]


def test_no_page_of_the_archive_is_like_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    file = importlib.import_module("archive_file")
    page = file.Page("https://a.example/?page=1", b"<title>A</title><p>One.</p><p>Two.</p>")
    size = file.write_archive(tmp_path / "a.warc.gz", [page], 3)
    with (tmp_path / "a.warc.gz").open("rb") as stream:
        found = list(WarcReader(stream))
    assert size == (tmp_path / "a.warc.gz").stat().st_size
    records = [each for each in found if isinstance(each, Record)]
    assert len(records) == len(found) == 3
    assert len({each.head.url for each in records}) == 3
    bodies = [read_http(each.block) for each in records]
    assert len({each.body for each in bodies if each is not None}) == 3
    assert all(each is not None and each.status == 200 for each in bodies)


def test_a_prediction_is_a_line_through_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    sizing = importlib.import_module("sizing")
    line = sizing.fitted([10, 20, 40], [3.0, 5.0, 9.0])
    assert (line.start, line.each) == (pytest.approx(1.0), pytest.approx(0.2))
    assert line.at(80) == pytest.approx(17.0)


def test_estimates_rest_on_figures_that_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    sizing = importlib.import_module("sizing")
    small, large = (
        list(sizing.publisher_estimate(sizing.Publishers(articles=articles, polls=0)))
        for articles in (100_000, 1_000_000)
    )
    assert [each.ours * 10 for each in small] == pytest.approx([each.ours for each in large])
    for figure in (*large, *sizing.news_estimate(sizing.NewsCrawl())):
        assert figure.ours > 0, figure.metric
    with pytest.raises(SystemExit, match="has no figure"):
        sizing.kept("archive", "pages of nobody")


def test_the_kill_matrix_sees_doubles_and_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    checks = importlib.import_module("database_checks")
    file = tmp_path / "w.db"
    lead, now = Lead(url="http://a.test/1", publisher="a.test", state="read"), datetime.now(UTC)
    with open_app(f"sqlite:///{file}") as app:
        article = Article(id="1", publisher="a.test", url=lead.url, title="One", fetched_at=now)
        app.store.save_readings([Reading(lead=lead, article=article)], now=now)
        assert checks.doubles(app.store) == []
        assert checks.damage(f"sqlite:///{file}") == []
    with closing(sqlite3.connect(file)) as conn:
        columns = [row[1] for row in conn.execute("PRAGMA table_info(article)")]
        changed = {"id": "'2'", "position": "position + 1"}
        copied = ", ".join(changed.get(name, f'"{name}"') for name in columns)
        conn.execute(f"INSERT INTO article SELECT {copied} FROM article")
        conn.execute("UPDATE article SET publisher = 'nobody.test' WHERE id = '1'")
        conn.commit()
    with open_app(f"sqlite:///{file}") as app:
        assert checks.doubles(app.store) == ["url http://a.test/1"]
    (problem,) = checks.damage(f"sqlite:///{file}")
    assert problem.endswith("of article points to no publisher")
    page = bytearray(file.read_bytes())
    page[4096 * 3 : 4096 * 3 + 64] = b"\xff" * 64
    file.write_bytes(page)
    assert checks.damage(f"sqlite:///{file}") not in ([], [problem])


def test_following_is_judged_by_cpu_first_beside_both_peers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    follow = importlib.import_module("follow")
    press = SimpleNamespace(pages=100, feeds={"a.test": "http://a.test/feed.xml"})
    run = follow.Run(articles=100, took=2.0, cpu=0.5, peak=100.0)
    peer = follow.Run(articles=100, took=4.0, cpu=2.0, peak=100.0)
    started = []

    def follow_by(_press: object, _folder: Path, _name: str, program: str, **more: int) -> object:
        started.append((program, more))
        return run if program == "ours" else peer

    monkeypatch.setattr(follow, "_follow", follow_by)
    monkeypatch.setattr(follow, "_nothing_new", lambda *_: (run, 0))
    figures = list(follow._against_the_peer(press, Path(), rounds=1))
    assert [(figure.metric.split(",")[0], figure.ours, figure.peer) for figure in figures[:4]] == [
        ("CPU an article", 5.0, 20.0),
        ("CPU an article", 5.0, 20.0),
        ("articles", 50.0, 25.0),
        ("articles", 50.0, 25.0),
    ]
    assert {figure.peer_name for figure in figures[:2]} == {follow.PEER, follow.POOL}
    # Scrapy is one process: as many of them as there are cores; the pool takes all the cores itself.
    assert started == [("ours", {}), ("scrapy", {"parts": follow.CORES}), ("pool", {})]


def test_the_rows_of_the_strongest_peer_are_saved_once_and_found_by_their_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCH / "programs"))
    pool = importlib.import_module("pool")
    rows = pool.Rows(str(tmp_path / "peer.db"))

    def row(number: int, text: str) -> tuple[str, ...]:
        return (f"http://a.test/{number}", "a.test", "", "Title", "", "", "", "[]", text)

    rows.add([row(number, "harbour") for number in range(pool.ROWS_AT_ONCE)])
    rows.add([row(0, "again"), row(pool.ROWS_AT_ONCE, "lighthouse")])
    rows.save()
    assert rows.count() == pool.ROWS_AT_ONCE + 1
    assert rows.held(["http://a.test/3", "http://b.test/3"]) == {"http://a.test/3"}
    with closing(sqlite3.connect(tmp_path / "peer.db")) as conn:
        asked = "SELECT count(*) FROM article_words WHERE article_words MATCH ?"
        found = [conn.execute(asked, (word,)).fetchone()[0] for word in ("harbour", "lighthouse")]
    assert found == [pool.ROWS_AT_ONCE, 1]
