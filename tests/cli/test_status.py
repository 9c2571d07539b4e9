"""`wireroom status`: what is held, and how things stand."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import Ran
from tests.holding import save_feeds, save_problems
from wireroom import open_app
from wireroom.cli.recent import ago, event_rows
from wireroom.model import Event, Feed, Problem

Run = Callable[..., Ran]
NOW = datetime.now(UTC)


def fill() -> None:
    with open_app("sqlite:///wireroom.db") as app:
        save_feeds(
            app.store,
            [
                Feed(url="https://a.test/1", publisher="a.test", kind="rss"),
                Feed(url="https://a.test/2", publisher="a.test", kind="rss", state="paused"),
            ],
            now=NOW,
        )
        app.store.emit([Event(kind="feed_added", subject="[red]x[/red]\x1b[2J", at=NOW)])
        save_problems(
            app.store,
            [Problem(kind="dns", message="no such host", subject_url="https://a.test/1", at=NOW)],
        )


def test_without_a_database_nothing_is_made(wireroom: Run) -> None:
    ran = wireroom("status")
    assert (ran.code, ran.out) == (3, "")
    assert "Nothing is held yet" in ran.err
    assert not Path("wireroom.db").exists()
    assert json.loads(wireroom("status", "--json").out)["state"] == "absent"


@pytest.mark.parametrize(
    "command",
    [("status",), ("feeds",), ("search", "harbour")],
)
def test_a_folder_that_is_not_there_is_named_with_a_hint(
    wireroom: Run, command: tuple[str, ...]
) -> None:
    place = Path("gone", "w.db").absolute()
    ran = wireroom(*command, "--db", f"sqlite:///{place}")
    assert (ran.code, ran.out) == (3, "")
    assert f"The folder {place.parent} " in ran.err
    assert "name another file with --db." in ran.err
    assert not place.parent.exists()


def test_what_is_held_is_shown(wireroom: Run) -> None:
    fill()
    ran = wireroom("status")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0].split() == ["database", "sqlite:///wireroom.db"]
    assert lines[1].split() == ["state", "ok"]
    assert any(line.split(None, 1) == ["feeds", "2 (1 live, 1 paused)"] for line in lines)
    assert any("feed added  [red]x[/red]" in line for line in lines)
    assert any("dns  https://a.test/1  no such host" in line for line in lines)
    assert "\x1b" not in ran.out


def test_what_nobody_asks_for_day_by_day_is_shown_with_v(wireroom: Run) -> None:
    fill()
    for noun in ("items", "events", "findings", "No problems"):
        assert noun not in wireroom("status").out.replace("Last events", "")
    message = wireroom("status", "-v").out
    assert any(line.split() == ["events", "1"] for line in message.splitlines())


def test_problems_of_one_kind_at_one_host_are_reported_once(wireroom: Run) -> None:
    fill()
    with open_app("sqlite:///wireroom.db") as app:
        for number in range(2, 6):
            url, at = f"https://a.test/{number}", NOW + timedelta(seconds=number)
            problem = Problem(kind="dns", message="no such host", subject_url=url, at=at)
            save_problems(app.store, [problem])
    out = wireroom("status").out
    assert out.count("no such host") == 1
    assert "dns  a.test, several times  no such host" in out
    assert len(json.loads(wireroom("status", "--json").out)["problems"]) == 5


def test_status_as_json(wireroom: Run) -> None:
    fill()
    data = json.loads(wireroom("status", "--json").out)
    assert data["counts"]["feeds"] == 2
    assert data["feeds"] == {"live": 1, "paused": 1}
    assert datetime.fromisoformat(data["events"][0]["at"]).tzinfo is not None
    assert data["problems"][0]["kind"] == "dns"


def test_a_file_that_is_no_database_is_one_line(wireroom: Run) -> None:
    Path("wireroom.db").write_text("not a database, but some other text" * 100)
    ran = wireroom("status")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1


def test_a_damaged_database_is_reported_and_has_code_1(wireroom: Run) -> None:
    fill()
    file = Path("wireroom.db")
    body = bytearray(file.read_bytes())
    body[8192 : len(body) // 2] = b"\xff" * (len(body) // 2 - 8192)
    file.write_bytes(body)
    ran = wireroom("status")
    assert ran.code == 1
    assert "damaged" in ran.out + ran.err
    assert "Traceback" not in ran.err


UNREACHABLE = "postgresql://desk:hush@127.0.0.1:1/news"


def test_an_unreachable_database_is_one_line_without_its_password(wireroom: Run) -> None:
    ran = wireroom("status", "--db", UNREACHABLE)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1
    message = wireroom("status", "--db", UNREACHABLE, "-v").err
    assert "  because of " in message
    assert "hush" not in ran.err + message


def test_an_unknown_kind_of_database_is_one_line(wireroom: Run) -> None:
    ran = wireroom("status", "--db", "oracle://x")
    assert ran.code == 2
    assert "sqlite:///" in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        (timedelta(seconds=-5), "now"),
        (timedelta(seconds=7), "7 s ago"),
        (timedelta(seconds=150), "2 min ago"),
        (timedelta(hours=25), "1 d ago"),
        (timedelta(hours=3), "3 h ago"),
    ],
)
def test_times_are_written_as_people_do(passed: timedelta, words: str) -> None:
    assert ago(passed) == words


def test_counts_for_prometheus(wireroom: Run) -> None:
    fill()
    ran = wireroom("status", "--prometheus")
    assert ran.code == 0
    assert 'wireroom_feeds{state="paused"} 1' in ran.out.splitlines()
    assert 'wireroom_held{kind="feeds"} 2' in ran.out.splitlines()


def event(kind: str, subject: str = "", **data: object) -> Event:
    return Event(kind=kind, subject=subject, at=NOW - timedelta(minutes=2), data=data)


def test_events_of_one_kind_in_a_row_are_a_line() -> None:
    over = event("run_ended", "run-7178", took=40.6, articles={"new": 1}, problems={"dns": 2})
    events = [
        over,
        event("articles_saved", count=62),
        event("articles_saved", count=1),
        event("run_started", "run-7178"),
        event("scout_completed", "b.test"),
        event("scout_completed", "a.test"),
        event("feed_added", "https://a.test/1"),
    ]
    assert [row[1:] for row in event_rows(events, NOW)] == [
        ("run ended", "1 new article, 2 problems"),
        ("articles saved", "62 articles"),
        ("run started", ""),
        ("scout completed", "b.test and others"),
        ("feed added", "https://a.test/1"),
    ]


def test_the_last_run_is_shown_however_much_happened_since(wireroom: Run) -> None:
    fill()
    assert "last run" not in wireroom("status").out
    data = {"took": 40.6, "polls": {"items": 3, "same": 2}, "articles": {"new": 7}}
    exports = [event("export", "news.jsonl") for _ in range(1_500)]
    with open_app("sqlite:///wireroom.db") as app:
        app.store.emit([event("run_ended", "run-7178", **data), *exports])
    lines = [line.split(None, 2) for line in wireroom("status").out.splitlines()]
    (run,) = [line[2] for line in lines if line[:2] == ["last", "run"]]
    assert run.startswith("ended ")
    assert "ago: 5 polls, 7 new articles" in run
    shown = json.loads(wireroom("status", "--json").out)["last_run"]
    assert (shown["kind"], shown["data"]["polls"]) == ("run_ended", data["polls"])


def test_the_steps_of_a_scout_do_not_hide_what_happened(wireroom: Run) -> None:
    fill()
    with open_app("sqlite:///wireroom.db") as app:
        app.store.emit([event("step_completed", "a.test", step="waf") for _ in range(30)])
    assert "feed added" in wireroom("status").out
    assert "step" not in wireroom("status").out
