"""Plugs of other packages that do not work: each is named, with its reason, where it would have been used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.towns import Run
from tests.entry_points import install
from tests.export.holding import hold
from tests.export.samples import NOW, article
from wireroom.app import open_app

BROKEN = "raise ImportError('no module named verse')\n"
FAILING = """
from wireroom.ports import Command, Format


def write(articles, out):
    raise KeyError("verse")


PLUG = Format("haiku", suffix=".haiku", write=write, media_type="text/plain")
COMMAND = Command("recite", lambda: {}["verse"], help="Recite.")
"""


@pytest.fixture(autouse=True)
def _held() -> None:
    with open_app("sqlite:///wireroom.db", clock=lambda: NOW) as app:
        hold(app, [article(1)])


@pytest.mark.parametrize(
    ("group", "command"),
    [
        ("export", ["export", "-o", "a.haiku", "-f", "haiku"]),
        ("export", ["export", "-o", "a.haiku"]),
        ("workers", ["run", "--once", "--engine", "haiku"]),
        ("cli", ["haiku"]),
        ("store", ["status", "--db", "haiku://x"]),
        ("fetch.strategies", ["status", "--set", 'fetch.strategies=["haiku"]']),
    ],
)
def test_a_plug_that_cannot_be_loaded_is_named_where_it_is_missed(
    wireroom: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    group: str,
    command: list[str],
) -> None:
    install(tmp_path, monkeypatch, "poems", BROKEN, {f"wireroom.{group}": "haiku = poems:PLUG"})
    ran = wireroom(*command)
    assert ran.code == 2
    message = next(line for line in ran.err.splitlines() if line.startswith("error:"))
    assert "the plug poems:PLUG cannot be loaded: ImportError: no module named verse" in message
    checks = json.loads(wireroom("doctor", "--json").out)
    assert "poems:PLUG cannot be loaded: ImportError: no module named verse" in str(checks)


def test_an_error_inside_a_plug_names_it(
    wireroom: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, group, name in (("poems", "export", "PLUG"), ("songs", "cli", "COMMAND")):
        groups = {f"wireroom.{group}": f"recite = {module}:{name}"}
        install(tmp_path, monkeypatch, module, FAILING, groups)
    ran = wireroom("export", "-o", "a.haiku")
    assert ran.code == 1
    assert ran.err.startswith("error: error in the plug poems:PLUG, KeyError: 'verse'; ")
    assert not Path("a.haiku").exists()
    assert wireroom("recite").err.startswith("error: error in the plug songs:COMMAND, ")


def test_with_json_logs_all_of_stderr_is_json(
    wireroom: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = {"wireroom.export": "haiku = poems:PLUG\nlost = poems:NOWHERE"}
    install(tmp_path, monkeypatch, "poems", FAILING, groups)
    Path("wireroom.toml").write_text('[log]\nformat = "json"\n')
    Path("broken.toml").write_text('[log]\nformat = "json"\n[fetch]\nnobody = 1\n')
    for command in (
        ["export", "-o", "a.haiku", "-vv"],
        ["export", "-o", "a.jsonl"],
        ["nobody"],
        ["articles", "--nobody"],
        ["status", "--config", "broken.toml"],
        ["article", "0123456789"],
        ["run", "--once"],
        [],
    ):
        ran = wireroom(*command)
        rows = [json.loads(line) for line in ran.err.splitlines()]
        assert rows, command
        assert all({"at", "level", "log", "message"} <= row.keys() for row in rows), command
    Path("wireroom.toml").unlink()
    assert json.loads(wireroom("nobody", "--set", "log.format=json").err)["level"] == "error"
    monkeypatch.setenv("WIREROOM_LOG__FORMAT", "json")
    assert json.loads(wireroom("nobody").err)["level"] == "error"
