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


@pytest.mark.parametrize(
    ("database", "complaint"),
    [
        ("{folder}/none/w.db", "The folder {folder}/none of the database does not exist."),
        ("{folder}", "{folder} is a folder, not a database."),
        ("{folder}/page.html", "{folder}/page.html is not a SQLite database."),
        ("mysql://desk@localhost/news", "No database of the kind 'mysql' is known"),
    ],
)
def test_what_is_wrong_with_a_database_goes_before_whose_settings_it_meets(
    wireroom: Run, database: str, complaint: str
) -> None:
    write_settings({"courier.test": "127.0.0.1:9"})
    Path("page.html").write_text("<title>Storm</title>")
    folder = Path.cwd()
    done = wireroom("--db", database.format(folder=folder), "status")
    assert done.code in {1, 2}
    assert complaint.format(folder=folder) in done.err
    assert "hosts" not in done.err


def test_a_database_elsewhere_beside_a_folders_hosts_is_refused_with_a_hint(
    wireroom: Run,
) -> None:
    write_settings({"courier.test": "127.0.0.1:9"})
    elsewhere = f"{Path.cwd().parent}/elsewhere.db"
    done = wireroom("--db", elsewhere, "status")
    assert done.code == 2
    assert "but the database (flag --db) is not of this folder" in done.err
    assert "If it is yours, say so: --config wireroom.toml" in done.err
    assert wireroom("--db", elsewhere, "--config", "wireroom.toml", "status").code == 3
    assert not Path(elsewhere).exists()
