"""`wireroom sync`: the difference is shown, and applied when somebody says so."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ran
from tests.cli.terminals import run_on_terminal
from wireroom import open_app

Run = Callable[..., Ran]

COURIER = '[[feeds]]\nname = "Courier"\nurl = "https://courier.test/rss.xml"\n'
WEEKLY = '[[feeds]]\nname = "Weekly"\nurl = "https://weekly.test/api"\nkind = "json_api"\n'


def write(text: str) -> None:
    Path("wireroom.toml").write_text(text)


def held() -> list[str]:
    with open_app("sqlite:///wireroom.db") as app:
        return [feed.url for feed in app.store.feeds()]


def test_off_a_terminal_it_shows_and_applies_nothing(wireroom: Run) -> None:
    write(COURIER)
    ran = wireroom("sync")
    assert ran.code == 1
    assert ran.out == "+ Courier  https://courier.test/rss.xml\n"
    assert "Nothing was applied" in ran.err
    assert "--yes" in ran.err
    assert not Path("wireroom.db").exists()


def test_yes_applies_and_the_second_time_there_is_nothing_to_do(wireroom: Run) -> None:
    write(COURIER + WEEKLY)
    ran = wireroom("sync", "--yes")
    assert ran.code == 0
    assert "2 added" in ran.err
    assert held() == ["https://courier.test/rss.xml", "https://weekly.test/api"]
    again = wireroom("sync")
    assert (again.code, again.out) == (0, "")
    assert "Nothing to do: 2 feeds" in again.err


@pytest.mark.long
def test_changes_are_shown_field_by_field(wireroom: Run) -> None:
    write(COURIER)
    wireroom("sync", "-y")
    write(COURIER + 'interval = "15 min"\nmetadata_selectors = { a = "p" }\n')
    ran = wireroom("sync", "--dry-run")
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "~ Courier  https://courier.test/rss.xml",
        '    metadata_selectors  (none)  →  {"a": "p"}',
        "    interval            (none)  →  15 min",
    ]
    assert wireroom("sync", "--yes", "-q").err == ""
    assert wireroom("sync").code == 0


def test_what_left_the_file_is_reported_and_stays(wireroom: Run) -> None:
    write(COURIER + WEEKLY)
    wireroom("sync", "-y")
    write(COURIER)
    ran = wireroom("sync")
    assert ran.code == 0
    assert ran.out == "? Weekly  https://weekly.test/api\n"
    assert "wireroom pause NAME" in ran.err
    assert len(held()) == 2


def test_a_feed_that_moved_leaves_its_old_address(wireroom: Run) -> None:
    write(COURIER)
    wireroom("sync", "-y")
    write(COURIER.replace("rss.xml", "new.xml"))
    assert wireroom("sync", "-y").code == 0
    assert held() == ["https://courier.test/new.xml"]


def test_json_shows_the_whole_difference_and_never_asks(wireroom: Run) -> None:
    write(COURIER)
    ran = wireroom("sync", "--json")
    assert ran.code == 1
    data = json.loads(ran.out)
    assert data["applied"] is False
    assert data["added"] == [
        {
            "name": "Courier",
            "url": "https://courier.test/rss.xml",
            "publisher": "courier.test",
        }
    ]
    assert json.loads(wireroom("sync", "--json", "--yes").out)["applied"] is True
    unchanged = json.loads(wireroom("sync", "--json").out)["unchanged"]
    assert [feed["name"] for feed in unchanged] == ["Courier"]


def test_no_feeds_at_all_is_nothing_found(wireroom: Run) -> None:
    ran = wireroom("sync", "--yes")
    assert (ran.code, ran.out) == (3, "")
    assert "[[feeds]]" in ran.err
    assert not Path("wireroom.db").exists()


def test_a_missing_folder_for_the_database_is_one_line(wireroom: Run) -> None:
    write(COURIER)
    ran = wireroom("sync", "--yes", "--db", "none/wireroom.db")
    assert ran.code == 1
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1


@pytest.mark.long
def test_secrets_of_a_proxy_are_neither_shown_nor_logged(wireroom: Run) -> None:
    write(COURIER)
    wireroom("sync", "-y")
    write(COURIER + 'proxy = "http://me:hush@proxy.test:80"\n')
    ran = wireroom("sync", "-y", "-vv")
    assert "http://***@proxy.test:80" in ran.out
    assert "hush" not in ran.out + ran.err + wireroom("status", "--json").out


@pytest.mark.parametrize(("answer", "code", "count"), [("y\n", 0, 1), ("n\n", 1, 0)])
def test_on_a_terminal_it_asks(answer: str, code: int, count: int) -> None:
    write(COURIER)
    ran = run_on_terminal("sync", answer=answer, wait_for="[y/N]")
    assert ran.code == code
    assert "\x1b[32m+ Courier" in ran.out
    assert Path("wireroom.db").exists() is bool(count)


def test_the_key_in_a_feeds_address_is_shown_to_nobody(wireroom: Run) -> None:
    write('[[feeds]]\nname = "Weekly"\nurl = "https://weekly.test/api?api_key=hush"\n')
    outputs = [
        wireroom("sync", "--json", "--yes").out,
        wireroom("sync", "--json").out,
        wireroom("status", "--json").out,
        wireroom("config", "show", "--json").out,
    ]
    assert "hush" not in "".join(outputs)
    assert "weekly.test/api?api_key=***" in outputs[0]
