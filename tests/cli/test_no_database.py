"""A command that finds nothing makes no database; one that was there stays, however little it holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.towns import Run, write_settings
from wireroom.app import open_app

FINDS_NOTHING = [
    ("scout", "nobody.invalid"),
    ("scout", "nobody.invalid", "somebody.invalid"),
    ("rights", "nobody.invalid"),
    ("rights", "http://nobody.invalid/a", "http://somebody.invalid/b"),
    ("add", "nobody.invalid"),
    ("run", "--once"),
]


@pytest.mark.parametrize("command", FINDS_NOTHING, ids=" ".join)
def test_what_finds_nothing_leaves_no_file_behind(wireroom: Run, command: tuple[str, ...]) -> None:
    write_settings({})
    assert wireroom(*command).code != 0
    assert [path.name for path in Path().iterdir()] == ["wireroom.toml"]


def test_a_database_that_was_there_stays(wireroom: Run) -> None:
    write_settings({})
    open_app("sqlite:///w.db").close()
    assert wireroom("scout", "nobody.invalid").code == 1
    assert Path("w.db").exists()
