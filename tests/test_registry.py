"""The registry: plugs of a room, then those of other packages, and none of them stops the others."""

from __future__ import annotations

import json
import logging
from importlib import import_module
from pathlib import Path

import pytest

from tests.entry_points import install
from tests.export.holding import hold
from tests.export.samples import NOW, article
from tests.parts import REPOSITORY
from wireroom.app import open_app
from wireroom.cli import main
from wireroom.fetch import Fetcher, FetchOptions
from wireroom.model import Request
from wireroom.ports import Command, Format, StorePlug, StrategyPlug
from wireroom.registry import broken, plug_named, plugs, why_missing

OTHERS = """\
from wireroom.ports import Format, Command

FINE = Command("theirs", print)
TAKEN = Command("status", print, help="not ours")
OTHER_KIND = Format("titles", ".txt", lambda articles, out: 0)
"""


FORMAT = """\
from wireroom.ports import Format

def write(articles, out):
    return sum(bool(out.write(f"{article.title}\\n".encode())) for article in articles)

PLUG = Format("titles", ".titles", write, media_type="text/plain")
"""

STRATEGY = """\
from datetime import UTC, datetime
from wireroom.model import Response
from wireroom.ports import StrategyPlug

class Canned:
    async def hop(self, hop):
        return Response(url=hop.url, final_url=hop.url, status=200, body=b"canned", fetched_at=datetime.now(UTC))

    async def close(self):
        pass

PLUG = StrategyPlug("canned", lambda options: Canned(), offline=True)
"""


@pytest.fixture
def another_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Installs a package with good and bad entry points, as pip would."""
    lines = """
        fine = their_plugs:FINE
        taken = their_plugs:TAKEN
        other = their_plugs:OTHER_KIND
        gone = their_plugs:NOT_THERE
        missing = no_such_module:PLUG
    """
    install(tmp_path, monkeypatch, "their_plugs", OTHERS, {"wireroom.cli": lines})


def test_a_rooms_own_plugs_are_found_by_name() -> None:
    commands = plugs("cli", Command)
    assert {"config", "status", "sync", "backup", "doctor", "demo"} <= set(commands)
    assert all(name == command.name for name, command in commands.items())
    assert "sqlite" in plugs("store", StorePlug)


def test_only_plugs_of_the_kind_asked_for_are_given() -> None:
    assert plugs("cli", StorePlug) == {}


@pytest.mark.parametrize("name", ["status", "test-feed", "config"])
def test_a_plug_is_found_by_its_name_alone(name: str) -> None:
    assert plug_named("cli", Command, name) is plugs("cli", Command)[name]


def test_a_plug_whose_module_bears_another_name_is_found() -> None:
    found = plug_named("export", Format, "md")
    assert found is not None
    assert found.name == "md"


@pytest.mark.parametrize(
    "name", ["app", "stats", "", "../status", "status.now", "Status", "test_feed", "wireroom.cli"]
)
def test_a_name_that_is_no_plugs_finds_none(name: str) -> None:
    assert plug_named("cli", Command, name) is None


def test_every_command_says_what_it_does() -> None:
    for command in plugs("cli", Command).values():
        assert command.help or command.run.__doc__, command.name


@pytest.mark.usefixtures("another_package")
def test_another_package_adds_a_command_and_cannot_replace_ours(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, "wireroom"):
        commands = plugs("cli", Command)
    assert commands["theirs"].run is print
    assert commands["status"].help != "not ours"
    assert "titles" not in commands
    messages = [record.getMessage() for record in caplog.records]
    assert "plug ignored: its name is taken" in messages
    assert messages.count("plug ignored") == 2


@pytest.mark.usefixtures("another_package")
def test_a_plug_of_another_package_is_found_by_its_name_too() -> None:
    theirs, ours = plug_named("cli", Command, "theirs"), plug_named("cli", Command, "status")
    assert theirs is not None
    assert theirs.run is print
    assert ours is not None
    assert ours.help != "not ours"


@pytest.mark.usefixtures("another_package")
def test_plugs_that_cannot_be_loaded_are_named_with_the_reason() -> None:
    reasons = broken("cli")
    assert set(reasons) == {"their_plugs:NOT_THERE", "no_such_module:PLUG"}
    assert reasons["no_such_module:PLUG"].startswith("ModuleNotFoundError: ")
    assert broken("store") == {}


@pytest.mark.usefixtures("another_package")
def test_a_plug_that_is_missed_is_named_with_the_reason() -> None:
    assert broken("cli", Command)["their_plugs:OTHER_KIND"].endswith(" and no Command")
    assert why_missing("cli", "gone").startswith(
        "the plug their_plugs:NOT_THERE cannot be loaded: "
    )
    assert why_missing("cli", "fine") == ""
    assert why_missing("cli", "nobody") == ""


def test_a_room_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ModuleNotFoundError):
        plugs("cellar", Command)


def test_a_package_is_a_plug_as_a_module_is() -> None:
    assert hasattr(import_module("wireroom.cli.extract"), "__path__"), "this one is a package"
    assert plug_named("cli", Command, "extract") is plugs("cli", Command)["extract"]


def test_rooms_with_a_dot_have_plugs() -> None:
    found = plugs("fetch.strategies", StrategyPlug)
    assert {"plain", "proxy", "replay"} <= set(found)
    assert plug_named("fetch.strategies", StrategyPlug, "plain") is found["plain"]


# --- a plug is one file --------------------------------------------------------------------------


@pytest.fixture
def their_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    groups = {"wireroom.export": "titles = their_format:PLUG"}
    install(tmp_path, monkeypatch, "their_format", FORMAT, groups)


@pytest.fixture
def their_strategy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    groups = {"wireroom.fetch.strategies": "canned = their_strategy:PLUG"}
    install(tmp_path, monkeypatch, "their_strategy", STRATEGY, groups)


@pytest.mark.usefixtures("their_format")
def test_a_format_of_another_package_is_found_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with open_app("sqlite:///wireroom.db", clock=lambda: NOW) as app:
        hold(app, [article(1), article(2)])
    assert plug_named("export", Format, "titles") is plugs("export", Format)["titles"]
    assert main(["export", "-o", "out", "--format", "titles"]) == 0
    assert main(["export", "-o", "out.titles"]) == 0, "the name of the file is enough"
    titles = f"{article(1).title}\n{article(2).title}\n"
    assert Path("out").read_text() == Path("out.titles").read_text() == titles
    assert main(["export", "-o", "out", "--format", "nosuch"]) != 0
    assert "titles" in capfd.readouterr().err, "it is among the formats to choose from"
    assert "| `export` | `titles` |" in _plugs_page(monkeypatch)


@pytest.mark.usefixtures("their_strategy")
async def test_a_strategy_of_another_package_fetches() -> None:
    plug = plug_named("fetch.strategies", StrategyPlug, "canned")
    assert plug is plugs("fetch.strategies", StrategyPlug)["canned"]
    async with Fetcher(FetchOptions(strategies=("canned",))) as fetch:
        assert (await fetch(Request(url="https://a.example/", purpose="read"))).body == b"canned"
    async with Fetcher(FetchOptions()) as fetch:
        request = Request(url="https://a.example/", purpose="read", strategies=("canned",))
        assert (await fetch(request)).body == b"canned"


@pytest.mark.usefixtures("their_strategy")
def test_a_strategy_of_another_package_is_found_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    chosen = ("--set", 'fetch.strategies=["canned"]')
    assert main(["fetch", "https://a.example/", *chosen]) == 0
    assert capfd.readouterr().out == "canned"
    main(["doctor", "--json", *chosen])
    checks = {check["name"]: check for check in json.loads(capfd.readouterr().out)["checks"]}
    assert checks["strategies"]["found"] == "canned"
    assert checks["plugs"]["state"] == "ok"
    assert main(["fetch", "https://a.example/", "--set", 'fetch.strategies=["magic"]']) != 0
    assert "canned" in capfd.readouterr().err
    assert "| `fetch.strategies` | `canned` |" in _plugs_page(monkeypatch)


def _plugs_page(monkeypatch: pytest.MonkeyPatch) -> str:
    """The page of the reference, as `make docs` would write it."""
    monkeypatch.syspath_prepend(str(REPOSITORY / "scripts"))
    page: str = import_module("reference").plugs_page()
    return page
