"""`wireroom config`, and what is said of settings that are wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ran
from wireroom.settings import json_schema

Run = Callable[..., Ran]

FILE = """\
database_url = "postgresql://desk:hush@db.test/news"

[[feeds]]
name = "Courier [bold]"
url = "https://courier.test/rss.xml"
proxy = "http://me:hush@proxy.test:8080"
"""


def test_show_prints_every_setting_with_its_origin_and_no_secret(
    wireroom: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("wireroom.toml").write_text(FILE)
    monkeypatch.setenv("WIREROOM_STORE__BUSY_TIMEOUT", "5 s")
    ran = wireroom("config", "show", "--set", "log.level=info")
    assert (ran.code, ran.err) == (0, "")
    rows = {line.split()[0]: line for line in ran.out.splitlines()}
    assert rows["database_url"].split("  ")[1:] != []
    assert '"postgresql://***@db.test/news"' in rows["database_url"]
    assert rows["database_url"].endswith("wireroom.toml line 1")
    assert rows["store.busy_timeout"].endswith("environment WIREROOM_STORE__BUSY_TIMEOUT")
    assert rows["log.level"].endswith("flag --set")
    assert rows["log.format"].endswith("default")
    assert '"Courier [bold]"' in rows["feeds[0].name"]
    assert "hush" not in ran.out


def test_show_as_json(wireroom: Run) -> None:
    Path("wireroom.toml").write_text(FILE)
    ran = wireroom("config", "show", "--json")
    data = json.loads(ran.out)
    assert data["file"].endswith("wireroom.toml")
    rows = {row["path"]: row for row in data["settings"]}
    assert rows["feeds[0].proxy"]["value"] == "http://***@proxy.test:8080"
    assert rows["feeds[0].json_ld"] == {
        "path": "feeds[0].json_ld",
        "value": True,
        "origin": "default",
    }


def test_schema_is_the_schema(wireroom: Run) -> None:
    ran = wireroom("config", "schema")
    assert ran.code == 0
    assert json.loads(ran.out) == json_schema()


def test_schema_is_printed_whatever_the_settings_say(wireroom: Run) -> None:
    Path("wireroom.toml").write_text("broken = = 1")
    assert wireroom("config", "schema").code == 0


def test_path_prints_the_file_in_use_or_says_there_is_none(wireroom: Run, tmp_path: Path) -> None:
    ran = wireroom("config", "path")
    assert (ran.code, ran.out) == (3, "")
    assert "No settings file" in ran.err
    Path("wireroom.toml").write_text("")
    assert wireroom("config", "path") == Ran(0, f"{tmp_path / 'wireroom.toml'}\n", "")
    Path("other.toml").write_text("")
    assert wireroom("config", "path", "--config", "other.toml").out == "other.toml\n"
    assert json.loads(wireroom("config", "path", "--json").out)["file"].endswith("wireroom.toml")


def test_path_answers_for_a_file_that_is_broken_but_not_for_one_that_is_missing(
    wireroom: Run, tmp_path: Path
) -> None:
    Path("wireroom.toml").write_text("a = = 1")
    assert wireroom("config", "path") == Ran(0, f"{tmp_path / 'wireroom.toml'}\n", "")
    ran = wireroom("config", "path", "--config", "none.toml")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: none.toml: cannot be read: No such file")


BAD_FILES = {
    "[fetch]\ngap = 1": "fetch.gap (wireroom.toml line 2): unknown setting",
    "contact_url = 5": "contact_url = 5 (wireroom.toml line 1): expected a text in quotes",
    "a = = 1": "wireroom.toml: broken TOML: ",
    '[store]\nbusy_timeout = "1 h"': "expected at most 10 min",
}


@pytest.mark.parametrize("text", BAD_FILES)
@pytest.mark.parametrize("command", ["config show", "status", "sync", "backup x"])
def test_wrong_settings_are_one_line_and_code_2_for_every_command(
    wireroom: Run, text: str, command: str
) -> None:
    Path("wireroom.toml").write_text(text)
    ran = wireroom(*command.split())
    assert (ran.code, ran.out) == (2, "")
    assert BAD_FILES[text] in ran.err
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1
    assert ("toml.io" if "broken TOML" in ran.err else "wireroom config schema") in ran.err
    assert "Traceback" not in ran.err
    assert "  because of " in wireroom(*command.split(), "-v").err or "unknown setting" in ran.err


def test_an_unreadable_file_is_one_line_and_code_2(wireroom: Run) -> None:
    ran = wireroom("config", "show", "--config", "none.toml")
    assert ran.code == 2
    assert ran.err.startswith("error: none.toml: cannot be read: No such file or directory")
    assert ran.err.count("\n") == 1
    message = wireroom("config", "show", "--config", "none.toml", "-v").err
    assert "  because of FileNotFoundError" in message


@pytest.mark.parametrize("command", ["config show", "status", "fetch http://127.0.0.1:1/"])
def test_a_strategy_that_does_not_exist_is_one_line_and_code_2(wireroom: Run, command: str) -> None:
    Path("wireroom.toml").write_text('[fetch]\nstrategies = ["plain", "nosuch"]\n')
    ran = wireroom(*command.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        'error: fetch.strategies[1] = "nosuch" (wireroom.toml line 2): expected one of api,'
        " impersonate, plain, proxy, replay. Choose another, or install the package that brings"
        " it.\n"
    )


def test_a_set_without_a_value_hides_no_other_problem(wireroom: Run) -> None:
    Path("wireroom.toml").write_text("contact_url = 5")
    ran = wireroom("status", "--set", "bar", "--set", "=a=b", "--set", "log.level=loud")
    assert ran.code == 2
    lines = ran.err.splitlines()
    assert lines[:2] == [
        "error: --set bar: expected name=value",
        "error: --set =a=b: expected name=value",
    ]
    assert sum(line.startswith("error: ") for line in lines) == 4
    assert "--set log.level=debug. What can be set" in lines[-1]


def test_the_file_in_use_and_who_named_it_are_shown(wireroom: Run, tmp_path: Path) -> None:
    file = tmp_path / "wireroom.toml"
    assert "settings file" not in wireroom("-v", "config", "show").err
    file.write_text("")
    line = f"settings file file={file} named_by=working folder"
    assert line in wireroom("config", "show", "-v").err
    assert line not in wireroom("config", "show").err
    assert json.loads(wireroom("config", "path", "--json").out) == {
        "file": str(file),
        "named_by": "working folder",
    }
    by_flag = wireroom("config", "show", "-v", "--config", "wireroom.toml").err
    assert "file=wireroom.toml named_by=flag --config" in by_flag
