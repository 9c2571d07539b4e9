"""What `--engine ray` refuses, each in one line, before anything is made or started."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ran
from tests.ray_nodes import needs_ray
from tests.warcs import story_records, write_warc
from wireroom.app import open_app
from wireroom.workers import ray_cluster

pytestmark = needs_ray
FEED = '[[feeds]]\nname = "Courier"\nurl = "http://courier.test/rss.xml"\n'
SERVER = ("--db", "postgresql://nobody@127.0.0.1:1/none")

Run = Callable[..., Ran]


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    path = tmp_path / "wireroom.toml"
    path.write_text(FEED)
    return path


@pytest.fixture
def no_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_cluster, "find_spec", lambda _name: None)
    monkeypatch.setattr(ray_cluster, "FIRST_WITHOUT", (4, 0))


def one_line(ran: Ran) -> str:
    (line,) = ran.err.splitlines()
    return line


def test_a_run_with_sqlite_is_refused_in_one_line(wireroom: Run, settings: Path) -> None:
    ran = wireroom("run", "--engine", "ray", "--db", "news.db")
    assert ran.code == 2
    assert "the engine ray needs PostgreSQL: machines cannot share" in one_line(ran)
    assert "--db postgresql://" in ran.err
    assert not (settings.parent / "news.db").exists()


def test_saving_an_archive_in_sqlite_is_refused_in_one_line(wireroom: Run, tmp_path: Path) -> None:
    write_warc(tmp_path / "news.warc.gz", story_records(["Aldersea"]))
    ran = wireroom("archive", "news.warc.gz", "--into-store", "--engine", "ray", "--db", "news.db")
    assert ran.code == 2
    assert "the engine ray needs PostgreSQL" in one_line(ran)
    assert not (tmp_path / "news.db").exists()


def test_an_archive_beside_an_sqlite_file_is_refused(wireroom: Run, tmp_path: Path) -> None:
    write_warc(tmp_path / "news.warc.gz", story_records(["Aldersea"]))
    open_app("sqlite:///news.db").close()
    archive = ("archive", "news.warc.gz", "-o", "out", "--engine", "ray", "--db", "news.db")
    ran = wireroom(*archive)
    assert ran.code == 2
    assert "the engine ray needs PostgreSQL" in one_line(ran)


@pytest.mark.parametrize("command", ["run", "archive"])
@pytest.mark.usefixtures("no_ray")
def test_a_missing_extra_is_named_with_the_command_that_installs_it(
    wireroom: Run, settings: Path, command: str
) -> None:
    write_warc(settings.parent / "news.warc.gz", story_records(["Aldersea"]))
    more = ("news.warc.gz", "-o", "out") if command == "archive" else SERVER
    ran = wireroom(command, "--engine", "ray", *more)
    assert ran.code == 1
    assert "pip install 'wireroom[ray]'" in one_line(ran)


def test_a_cluster_for_an_engine_that_joins_none_is_refused(wireroom: Run, settings: Path) -> None:
    ran = wireroom("run", "--address", "10.0.0.1:6379")
    assert ran.code == 2
    assert "the engine local joins no cluster" in one_line(ran)
    assert "--engine ray" in ran.err


def test_a_file_of_the_working_folder_names_no_cluster(wireroom: Run, settings: Path) -> None:
    """Whoever runs a cluster runs code in whatever joins it."""
    settings.write_text(f'[run]\naddress = "203.0.113.5:6379"\n{FEED}')
    ran = wireroom("run", "--engine", "ray", *SERVER)
    assert ran.code == 2
    assert "only you say which machines you trust" in ran.err


def test_stdin_cannot_go_to_other_machines(wireroom: Run) -> None:
    ran = wireroom("archive", "-", "-o", "out", "--engine", "ray")
    assert ran.code == 2
    assert "stdin cannot be read on other machines" in one_line(ran)
