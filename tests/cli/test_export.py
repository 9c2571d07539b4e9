"""`wireroom export`: files and pipes, reports, exit codes, and what a killed run leaves behind."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import PATIENCE, command, run_process
from tests.cli.terminals import run_on_terminal
from tests.cli.towns import Run
from tests.export.holding import ALLOW, DENY, hold, save_robots
from tests.export.samples import NOW, article, receipt
from tests.holding import save_feeds
from wireroom.app import App, open_app
from wireroom.export.article_json import from_line
from wireroom.model import Feed

WEEKLY = "weekly.example"


@pytest.fixture
def app() -> Iterator[App]:
    with open_app("sqlite:///wireroom.db", clock=lambda: NOW) as opened:
        hold(opened, [article(1), article(2), article(3, WEEKLY)])
        yield opened


def test_a_file_is_written_and_the_count_shown(app: App, wireroom: Run) -> None:
    ran = wireroom("export", "-o", "out.csv")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == "3 articles exported into out.csv.\n"
    with Path("out.csv").open(newline="", encoding="utf-8") as file:
        assert [row["publisher"] for row in csv.DictReader(file)] == [
            *("courier.example", "courier.example", WEEKLY)
        ]


def test_without_a_use_the_refusals_are_counted(app: App, wireroom: Run) -> None:
    refusals = receipt(ai_train="deny", archive="paid")
    hold(app, [article(4, receipt=refusals), article(5, receipt=receipt(ai_train="deny"))])
    ran = wireroom("export", "-o", "out.jsonl", "--json")
    assert ran.err.splitlines() == [
        "5 articles exported into out.jsonl.",
        "2 of 5 articles are refused or sold for ai-train, 1 for archive (--for USE leaves them out).",
    ]
    assert json.loads(ran.out)["refused"] == {"ai-train": 2, "archive": 1}
    assert "refused" not in wireroom("export", "-o", "b.jsonl", "--for", "search").err


def test_a_table_for_a_spreadsheet_has_the_columns_that_were_chosen(
    app: App, wireroom: Run
) -> None:
    feed = Feed(
        url=article(1).feed_url,
        publisher="courier.example",
        kind="rss",
        name="Courier",
        category="sea",
    )
    save_feeds(app.store, [feed], now=NOW)
    columns = "title, feed_name,feed_category"
    assert wireroom("export", "-o", "a.csv", "--columns", columns, "--bom").code == 0
    assert Path("a.csv").read_bytes().startswith(b"\xef\xbb\xbftitle,feed_name,feed_category\n")
    with Path("a.csv").open(newline="", encoding="utf-8-sig") as file:
        named = [(row["feed_name"], row["feed_category"]) for row in csv.DictReader(file)]
    assert named == [("Courier", "sea"), ("Courier", "sea"), ("", "")]  # the third came elsewhere
    wrong = wireroom("export", "-o", "b.csv", "--columns", "headline")
    assert (wrong.code, "no column headline" in wrong.err) == (2, True)
    assert wireroom("export", "-o", "b.jsonl", "--bom").code == 2
    assert not Path("b.csv").exists()


def test_single_articles_are_exported_by_their_ids(app: App, wireroom: Run) -> None:
    ids = [article(2).id, article(3, WEEKLY).id]
    assert wireroom("export", ids[1][:8], ids[0], "-o", "a.jsonl").code == 0
    assert [json.loads(line)["id"] for line in Path("a.jsonl").read_text().splitlines()] == [
        *reversed(ids)
    ]
    missing = wireroom("export", "0123456789", "-o", "b.jsonl")
    assert (missing.code, "no article 0123456789 is held" in missing.err) == (2, True)
    assert wireroom("export", ids[0], "-o", "b.jsonl", "--query", "storm").code == 2


@pytest.mark.long
def test_stdout_gets_the_articles_and_nothing_else(app: App) -> None:
    ran = run_process("export", "-o", "-", "--format", "jsonl", "--query", f"publisher:{WEEKLY}")
    assert ran.code == 0
    assert from_line(ran.out.encode()).id == article(3, WEEKLY).id


@pytest.mark.long
def test_parquet_passes_a_pipe(app: App) -> None:
    done = subprocess.run(
        command("export", "-o", "-", "-f", "parquet"),
        capture_output=True,
        check=True,
        timeout=PATIENCE,
    )
    assert done.stdout.startswith(b"PAR1")
    assert done.stdout.endswith(b"PAR1")


def test_a_terminal_is_spared_bytes(app: App) -> None:
    ran = run_on_terminal("export", "-o", "-", "-f", "parquet")
    assert ran.code == 2
    assert "not for reading" in ran.out
    assert run_on_terminal("export", "-o", "-", "-f", "jsonl").code == 0


def test_for_a_use_the_summary_says_what_was_left_out(app: App, wireroom: Run) -> None:
    save_robots(app, "courier.example", DENY)
    save_robots(app, WEEKLY, ALLOW)
    ran = wireroom("export", "-o", "out.jsonl", "--for", "ai-train")
    assert ran.code == 0
    assert ran.err.splitlines() == [
        "1 article exported into out.jsonl.",
        "2 articles left out for ai-train:",
        "2 deny by Content-Signal, by what its publisher says now",
        "Report: out.jsonl.report.json",
    ]
    assert json.loads(Path("out.jsonl.report.json").read_text())["rights"]["left_out"] == 2


def test_rights_that_leave_nothing_are_code_4(app: App, wireroom: Run) -> None:
    save_robots(app, "courier.example", DENY)
    ran = wireroom("export", "-o", "out.jsonl", "--for", "ai-train", "--report", "why.json")
    assert ran.code == 4
    assert ran.err.splitlines()[0] == "Nothing was exported, out.jsonl is not written."
    assert not Path("out.jsonl").exists()
    assert Path("why.json").exists()


def test_what_is_refused_leaves_output_and_cursor_as_they_were(app: App, wireroom: Run) -> None:
    """As the guide says: the report is all that is written."""
    save_robots(app, "courier.example", DENY)
    Path("out.jsonl").write_text("of yesterday\n")
    ran = wireroom(
        *("export", "-o", "out.jsonl", "--for", "ai-train", "--force", "--cursor", "out.cursor")
    )
    assert ran.code == 4
    assert Path("out.jsonl").read_text() == "of yesterday\n"
    assert not Path("out.cursor").exists()
    assert json.loads(Path("out.jsonl.report.json").read_text())["handed_on"] == 0


def test_the_policy_of_the_settings_is_obeyed(app: App, wireroom: Run) -> None:
    ran = wireroom("export", "-o", "a.jsonl", "--for", "ai-train")
    assert ran.code == 4
    policy = 'rights.export_on=["allow","unknown"]'
    assert wireroom("export", "-o", "b.jsonl", "--for", "ai-train", "--set", policy).code == 0


def test_nothing_is_code_3(app: App, wireroom: Run, tmp_path: Path) -> None:
    assert wireroom("export", "-o", "out.jsonl", "--query", "nowhere").code == 3
    assert wireroom("export", "-o", "out.jsonl", "--since", "2027").code == 3
    assert wireroom("export", "-o", "out.jsonl", "--db", "none.db").code == 3
    assert not Path("out.jsonl").exists()
    assert not Path("none.db").exists()


def test_since_a_date(app: App, wireroom: Run) -> None:
    assert wireroom("export", "-o", "a.jsonl", "--since", "2026-05-03 11:58").code == 0
    assert len(Path("a.jsonl").read_bytes().splitlines()) == 2
    assert wireroom("export", "-o", "c.jsonl", "--since", "yesterday").code == 3
    ran = wireroom("export", "-o", "b.jsonl", "--since", "soon")
    assert ran.code == 2
    assert "--since soon: expected a date" in ran.err
    assert ran.err.count("\n") == 1


def test_a_cursor_goes_on_where_the_last_run_ended(app: App, wireroom: Run) -> None:
    run = ("export", "--cursor", "cursor.json")
    assert wireroom(*run, "-o", "1.jsonl").code == 0
    assert wireroom(*run, "-o", "2.jsonl").code == 3
    hold(app, [article(4)])
    summary = json.loads(wireroom(*run, "-o", "3.jsonl", "--json").out)
    assert (summary["count"], summary["form"], summary["copies"]) == (1, "jsonl", 0)
    assert "near_duplicates" not in summary, "scripts know it by the name that the report has"
    assert from_line(Path("3.jsonl").read_bytes()).id == article(4).id


def test_what_has_to_go_is_reported_and_written(app: App, wireroom: Run) -> None:
    run = ("export", "--cursor", "out.cursor", "--for", "ai-train")
    save_robots(app, "courier.example", ALLOW)
    assert wireroom(*run, "-o", "1.jsonl").code == 0
    save_robots(app, "courier.example", DENY)
    ran = wireroom(*run, "-o", "2.jsonl")
    assert ran.code == 0
    lines = ran.err.splitlines()
    assert lines[0] == "Nothing is new or changed since the last time."
    assert lines[1] == "To be removed where earlier exports went: 2 articles"
    assert "ai-train: deny by Content-Signal" in lines[2]
    assert len(Path("2.jsonl").read_bytes().splitlines()) == 2
    assert wireroom(*run, "-o", "3.jsonl").code == 3


def test_wrong_command_lines(app: App, wireroom: Run) -> None:
    Path("there.csv").write_text("mine")
    assert "md writes a folder with a file for each article" in wireroom("export", "-o", "a.md").err
    assert "into the folder a.md." in wireroom("export", "-o", "a.md", "-f", "md").err
    for code, arguments in (
        (2, ["-o", "out.xyz"]),
        (2, ["-o", "-", "--json"]),
        (2, ["-o", "-", "-f", "md"]),
        (2, ["-o", "out.csv", "--for", "fun"]),
        (2, ["-o", "out.csv", "--query", '"open']),
        (2, []),
        (1, ["-o", "there.csv"]),
        (1, ["-o", "wireroom.db", "-f", "csv", "--force"]),
        (1, ["-o", "out.csv", "--report", "there.csv"]),
        (1, ["-o", "out.csv", "--report", "out.csv"]),
        (1, ["-o", "out.csv", "--report", "."]),
        (1, ["-o", "out.csv", "--report", "wireroom.db", "--force"]),
    ):
        ran = wireroom("export", *arguments)
        assert ran.code == code, arguments
    assert Path("there.csv").read_text() == "mine"
    assert not Path("out.csv").exists()
    assert wireroom("export", "-o", "there.csv", "--force").code == 0


def test_what_is_there_is_named_with_the_way_to_replace_it(app: App, wireroom: Run) -> None:
    Path("there.json").write_text("mine")
    message = "error: there.json is there already. Replace it with: --force\n"
    assert wireroom("export", "-o", "there.json", "-f", "jsonl").err == message
    report = ("export", "-o", "out.jsonl", "--report", "there.json")
    assert wireroom(*report).err == message
    assert wireroom(*report, "--force").code == 0
    assert json.loads(Path("there.json").read_text())["handed_on"] == 3


@pytest.mark.long
def test_a_killed_export_leaves_no_file_that_looks_whole(app: App, tmp_path: Path) -> None:
    hold(app, [article(number, text="words " * 2_000) for number in range(10, 60)])
    process = subprocess.Popen(
        command("export", "-o", "out.md", "-f", "md"),
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + PATIENCE
        while not list(tmp_path.glob("*out.md*")) and time.monotonic() < deadline:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=PATIENCE)
    finally:
        process.kill()
    whole = tmp_path / "out.md"
    assert not whole.exists() or len(list(whole.iterdir())) == 53
