"""A run of `wireroom` as a test sees it: in this process or in another one; on a terminal, see `terminals`."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.inline import read_scouts_here
from wireroom.cli import app as command_line
from wireroom.cli import main
from wireroom.ports import Command

PATIENCE = 100.0  # seconds; a busy machine may need some for a process to start


@dataclass(frozen=True)
class Ran:
    """What came of a run."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test works in an empty folder, without settings from outside, and leaves no handlers."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("WIREROOM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    log = logging.getLogger("wireroom")
    before = (log.handlers[:], log.level, log.propagate)
    yield
    log.handlers[:], log.level, log.propagate = before


@pytest.fixture
def wireroom(capfd: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Runs the command line in this process."""

    def run(*arguments: str) -> Ran:
        capfd.readouterr()
        code = main(arguments)
        out, err = capfd.readouterr()
        return Ran(code, out, err)

    return run


def set_commands(monkeypatch: pytest.MonkeyPatch, *commands: Command) -> None:
    """Makes these the commands there are."""
    known = {command.name: command for command in commands}
    monkeypatch.setattr(command_line, "plugs", lambda _room, _kind: known)
    monkeypatch.setattr(command_line, "plug_named", lambda _room, _kind, name: known.get(name))


def command(*arguments: str) -> list[str]:
    """The command line for another process."""
    return [sys.executable, "-m", "wireroom", *arguments]


def run_process(*arguments: str, environ: Mapping[str, str] | None = None, stdin: str = "") -> Ran:
    """Runs the real entry point in another process, without a terminal."""
    done = subprocess.run(
        command(*arguments),
        input=stdin.encode(),
        capture_output=True,
        env={**os.environ, **(environ or {})},
        timeout=PATIENCE,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture(autouse=True)
def _scouts_read_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker takes a second to start: where it is not the point, scouts read where they stand."""
    if "own_workers" not in request.fixturenames:
        read_scouts_here(monkeypatch)


@pytest.fixture
def own_workers() -> None:
    """For a test of scouts whose workers are the point."""
