"""A plug of each kind that others write, installed at once as one file each: found wherever its kind is listed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ran
from tests.cli.test_extend import install, reference
from tests.parts import REPOSITORY
from wireroom.ports import Command, Format, SignalPlug, Step, StrategyPlug
from wireroom.registry import plugs
from wireroom.signals import all_signals, all_steps

Run = Callable[..., Ran]
ADDED = (
    ("signal.md", "signals", SignalPlug, "press_rights"),
    ("step.md", "scout.steps", Step, "humans_txt"),
    ("format.md", "export", Format, "headlines"),
    ("strategy.md", "fetch.strategies", StrategyPlug, "folder"),
    ("command.md", "cli", Command, "newest"),
)


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The five examples of docs/extend, each with the entry point that its page shows."""
    for page, *_ in ADDED:
        install(page, tmp_path, monkeypatch)


@pytest.mark.usefixtures("added")
def test_each_is_in_the_registry_and_in_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    page = reference("plugs_page", monkeypatch)
    for _, room, kind, name in ADDED:
        assert name in plugs(room, kind)
        assert f"| `{room}` | `{name}` |" in page
    assert "## wireroom newest" in reference("commands_page", monkeypatch)


@pytest.mark.usefixtures("added")
def test_signal_and_step_are_asked_and_named(wireroom: Run) -> None:
    assert "press_rights" in {plug.name for plug in all_signals()}
    assert {"press_rights", "humans_txt"} <= all_steps().keys()
    listed = wireroom("history", "courier.test", "--step", "nosuch").err
    assert {"press_rights", "humans_txt"} <= set(re.findall(r"\w+", listed))
    assert wireroom("history", "courier.test", "--step", "humans_txt").code == 3


@pytest.mark.usefixtures("added")
def test_the_strategy_is_listed_checked_and_used(wireroom: Run, tmp_path: Path) -> None:
    wrong = wireroom("fetch", "http://a.test/", "--set", 'fetch.strategies=["nosuch"]')
    assert (wrong.code, "folder" in wrong.err) == (2, True)
    (tmp_path / "wireroom.toml").write_text(
        f'[fetch]\nstrategies = ["folder"]\n[fetch.strategy_options.folder]\npath = "{tmp_path}"\n'
    )
    config = ("--config", str(tmp_path / "wireroom.toml"))
    checks = {
        check["name"]: check
        for check in json.loads(wireroom("doctor", "--json", *config).out)["checks"]
    }
    assert (checks["strategies"]["state"], checks["strategies"]["found"]) == ("ok", "folder")
    assert checks["plugs"]["state"] == "ok"


@pytest.mark.usefixtures("added")
def test_format_and_command_stand_in_help(wireroom: Run) -> None:
    assert "\n  newest " in wireroom("--help").out
    for command in ("export", "extract"):
        assert "headlines" in wireroom(command, "--help").out
    assert "headlines" in wireroom("extract", "x", "--format", "nosuch").err


def test_each_kind_of_plug_has_a_page_that_shows_a_whole_file() -> None:
    pages = {path.name for path in (REPOSITORY / "docs" / "extend").glob("*.md")}
    assert pages == {page for page, *_ in ADDED} | {
        "engine.md",
        "store.md",
        "feed-option.md",
        "page.md",
    }
