"""`wireroom backup`: a copy that can be opened, and nothing overwritten unasked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ran
from tests.cli.terminals import run_on_terminal
from tests.holding import save_feeds
from wireroom import open_app
from wireroom.model import Feed

Run = Callable[..., Ran]


@pytest.fixture
def database() -> Path:
    with open_app("sqlite:///wireroom.db") as app:
        feed = Feed(url="https://a.test/", publisher="a.test", kind="rss")
        save_feeds(app.store, [feed], now=app.clock())
    return Path("wireroom.db")


def feeds(file: str) -> int:
    with open_app(f"sqlite:///{file}") as app:
        return len(app.store.feeds())


@pytest.mark.usefixtures("database")
def test_the_copy_holds_what_the_database_holds(wireroom: Run) -> None:
    ran = wireroom("backup", "copy.db")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("copy.db  ")
    assert feeds("copy.db") == 1
    data = json.loads(wireroom("backup", "second.db", "--json").out)
    assert data["file"] == "second.db"
    assert data["bytes"] == Path("second.db").stat().st_size


@pytest.mark.usefixtures("database")
def test_a_file_is_replaced_only_when_forced(wireroom: Run) -> None:
    Path("copy.db").write_text("precious")
    ran = wireroom("backup", "copy.db")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "error: copy.db is there already. Replace it with: --force\n"
    assert Path("copy.db").read_text() == "precious"
    assert wireroom("backup", "copy.db", "--force").code == 0
    assert feeds("copy.db") == 1
    assert not list(Path().glob(".*.part"))


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("target", ["wireroom.db", "link.db", ".", "none/copy.db", "/proc/copy.db"])
def test_what_cannot_be_written_is_one_line(wireroom: Run, target: str) -> None:
    Path("link.db").symlink_to("wireroom.db")
    ran = wireroom("backup", target, "--force")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1
    assert feeds("wireroom.db") == 1


def test_without_a_database_nothing_is_copied_or_made(wireroom: Run) -> None:
    ran = wireroom("backup", "copy.db")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("There is no sqlite:///wireroom.db to be copied. Name the database")
    assert not list(Path().iterdir())


def test_on_a_terminal_a_bar_is_drawn_and_wiped(database: Path) -> None:
    ran = run_on_terminal("backup", "copy.db")
    assert ran.code == 0
    assert database.exists()
    assert "Copying" in ran.out
    assert "━" in ran.out
    assert "copy.db  " in ran.out.rpartition("\x1b[2K")[2], "the bar is wiped before the result"
