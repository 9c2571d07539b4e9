"""`wireroom reparse`: what it shows, what it saves, and that it may be stopped at any time."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.app.test_reparse import HOME, hold
from tests.cli.conftest import PATIENCE, command, run_process
from tests.cli.inline import use_inline_engine
from tests.cli.towns import Run
from wireroom.app import App, open_app

MANY = 300  # pages; more than are saved in one go


@pytest.fixture
def app() -> Iterator[App]:
    with open_app("sqlite:///wireroom.db") as opened:
        yield opened


@pytest.fixture(autouse=True)
def _without_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    use_inline_engine(monkeypatch)


def versions(app: App) -> list[int]:
    return [article.version for article in app.store.articles()]


def test_without_a_database_there_is_nothing(wireroom: Run) -> None:
    ran = wireroom("reparse")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("Nothing is held yet")


def test_without_kept_pages_it_says_how_to_keep_them(app: App, wireroom: Run) -> None:
    hold(app, raw=None)
    ran = wireroom("reparse")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err == (
        "No raw page is kept. Pages are kept for 7 days; more with: "
        'store.raw_kept_for = "30 days"\n'
    )
    ran = wireroom("reparse", "--json", "--set", "store.raw_kept_for=0")
    assert json.loads(ran.out) == {"pages": 0, "changed": 0, "saved": 0}
    assert "Pages are not kept" in ran.err


def test_it_shows_and_saves_nothing(app: App, wireroom: Run) -> None:
    held = hold(app)
    ran = wireroom("reparse")
    assert ran.code == 0
    assert ran.err == "Nothing was saved. Save it with: --apply\n"
    lines = [line.strip() for line in ran.out.splitlines()]
    assert lines[0] == "1 kept page read anew"
    assert [" ".join(line.split()) for line in lines[1:7]] == [
        "1 articles read differently",
        "1 text",
        "1 title",
        "0 date",
        "0 authors",
        "1 other fields",
    ]
    assert f"{held.id}  {held.url}" in lines
    assert "'The ferry' → 'The ferry sails'" in lines
    assert versions(app) == [1]


def test_it_saves_what_differs(app: App, wireroom: Run) -> None:
    hold(app)
    ran = wireroom("reparse", "--apply")
    assert (ran.code, ran.err) == (0, "1 article saved.\n")
    assert versions(app) == [2]
    ran = wireroom("reparse", "--apply")
    assert ran.err == "0 articles saved.\n"


def test_data_says_what_changed(app: App, wireroom: Run) -> None:
    held = hold(app)
    hold(app, 2, page="<html>Sign in</html>")
    data: dict[str, Any] = json.loads(wireroom("reparse", "--json", "--apply").out)
    assert (data["pages"], data["changed"], data["saved"], data["applied"]) == (1, 1, 1, True)
    assert data["fields"] == {"text": 1, "title": 1, "published_at": 0, "authors": 0, "other": 1}
    assert data["unread"] == {"no_article": 1}
    assert data["words_after"] > data["words_before"] == 3
    (example,) = data["examples"]
    assert (example["id"], example["title"]) == (held.id, ["The ferry", "The ferry sails"])


def test_articles_are_chosen(app: App, wireroom: Run) -> None:
    first = hold(app)
    hold(app, 2)
    ran = wireroom("reparse", first.id[:8], "f" * 24, "--apply")
    assert ran.err == f"{'f' * 24}: no such article.\n1 article saved.\n"
    ran = wireroom("reparse", "--publisher", "herald.test")
    assert ran.code == 3
    assert ran.err.startswith("Nothing is known about herald.test.")
    assert wireroom("reparse", "--publisher", "www.courier.test", "--query", "ferry").code == 0
    assert wireroom("reparse", "--feed", "nobody").code == 3
    assert wireroom("reparse", "--feed", f"{HOME}rss").code == 3


@pytest.mark.long
def test_a_killed_run_goes_on_where_it_was(app: App) -> None:
    for number in range(MANY):
        hold(app, number)
    process = subprocess.Popen(command("reparse", "--apply"), stderr=subprocess.DEVNULL)
    until = time.monotonic() + PATIENCE
    while max(versions(app)) == 1 and process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    saved = versions(app).count(2)
    assert 0 < saved <= MANY
    ran = run_process("reparse", "--apply")
    assert (ran.code, ran.err) == (0, f"{MANY - saved:,} articles saved.\n")
    assert versions(app) == [2] * MANY
