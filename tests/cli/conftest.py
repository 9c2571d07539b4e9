"""A run of `wireroom` as a test sees it: in this process, in another one, or on a terminal."""

from __future__ import annotations

import logging
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from wireroom.cli import frame, main
from wireroom.ports import Verb

PATIENCE = 60.0  # seconds; a busy machine may need some for a process to start
SETTLE = 0.05


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


def set_verbs(monkeypatch: pytest.MonkeyPatch, *verbs: Verb) -> None:
    """Makes these the verbs there are."""
    known = {verb.name: verb for verb in verbs}
    monkeypatch.setattr(frame, "plugs", lambda _room, _kind: known)
    monkeypatch.setattr(frame, "plug_named", lambda _room, _kind, name: known.get(name))


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


def run_on_terminal(
    *arguments: str,
    answer: str = "",
    wait_for: str = "",
    columns: int = 100,
    environ: Mapping[str, str] | None = None,
) -> Ran:
    """Runs the real entry point on a pseudo-terminal; types `answer` once `wait_for` is shown."""
    import fcntl
    import pty
    import struct
    import termios

    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(
        command(*arguments),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "TERM": "xterm-256color", **(environ or {})},
        close_fds=True,
    )
    os.close(slave)
    shown = bytearray()
    deadline = time.monotonic() + PATIENCE
    try:
        while time.monotonic() < deadline:
            ready, _, _ = select.select([master], [], [], SETTLE)
            if ready and not _read_into(shown, master):
                break
            if answer and wait_for.encode() in shown:
                os.write(master, answer.encode())
                answer = ""
            if not ready and process.poll() is not None:
                break
        code = process.wait(timeout=PATIENCE)
    finally:
        process.kill()
        os.close(master)
    return Ran(code, shown.decode(errors="replace").replace("\r\n", "\n"), "")


def _read_into(shown: bytearray, master: int) -> bool:
    try:
        piece = os.read(master, 65536)
    except OSError:  # Linux says so when the other side has closed
        return False
    shown += piece
    return bool(piece)
