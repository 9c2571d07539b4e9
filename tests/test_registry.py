"""The registry: plugs of a room, then those of other packages, and none of them stops the others."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from wireroom.ports import Command, Format, StorePlug
from wireroom.registry import broken, plug_named, plugs

OTHERS = """\
from wireroom.ports import Format, Command

FINE = Command("theirs", print)
TAKEN = Command("status", print, help="not ours")
OTHER_KIND = Format("titles", ".txt", lambda articles, out: 0)
"""


@pytest.fixture
def another_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Installs a package with good and bad entry points, as pip would."""
    (tmp_path / "their_plugs.py").write_text(OTHERS)
    info = tmp_path / "their_plugs-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-plugs\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[wireroom.cli]\n"
        "fine = their_plugs:FINE\n"
        "taken = their_plugs:TAKEN\n"
        "other = their_plugs:OTHER_KIND\n"
        "gone = their_plugs:NOT_THERE\n"
        "missing = no_such_module:PLUG\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))


def test_a_rooms_own_plugs_are_found_by_name() -> None:
    verbs = plugs("cli", Command)
    assert {"config", "status", "sync", "backup", "doctor", "demo"} <= set(verbs)
    assert all(name == verb.name for name, verb in verbs.items())
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
    "name", ["frame", "stats", "", "../status", "status.now", "Status", "test_feed", "wireroom.cli"]
)
def test_a_name_that_is_no_plugs_finds_none(name: str) -> None:
    assert plug_named("cli", Command, name) is None


def test_every_verb_says_what_it_does() -> None:
    for verb in plugs("cli", Command).values():
        assert verb.help or verb.run.__doc__, verb.name


@pytest.mark.usefixtures("another_package")
def test_another_package_adds_a_verb_and_cannot_replace_ours(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, "wireroom"):
        verbs = plugs("cli", Command)
    assert verbs["theirs"].run is print
    assert verbs["status"].help != "not ours"
    assert "titles" not in verbs
    told = [record.getMessage() for record in caplog.records]
    assert "plug ignored: its name is taken" in told
    assert told.count("plug ignored") == 2


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


def test_a_room_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ModuleNotFoundError):
        plugs("cellar", Command)
