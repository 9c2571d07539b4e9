"""A PostgreSQL server of our own for the length of a bench, when its programs are installed.

It listens on a socket in its own folder, nowhere else, and is stopped and removed at the end. Not a
bench by itself.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn
from urllib.parse import quote

__all__ = ["own_postgres"]

# What a person who cares for speed would set on a small machine; nothing that risks data.
_OPTIONS = {
    "listen_addresses": "",
    "shared_buffers": "256MB",
    "max_wal_size": "4GB",
    "maintenance_work_mem": "128MB",
}


@contextmanager
def own_postgres() -> Iterator[str | None]:
    """The address of a fresh database; None when PostgreSQL is not installed."""
    programs = _programs()
    if programs is None:
        yield None
        return
    with _ended_in_order():
        folder = Path(tempfile.mkdtemp(prefix="wireroom-bench-"))
        try:
            with _running(programs, folder):
                yield f"postgresql://postgres@/postgres?host={quote(str(folder), safe='')}"
        finally:
            shutil.rmtree(folder)


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Who is asked to end (by `timeout`, say) stops the server first, and does not leave it behind."""
    before = signal.signal(signal.SIGTERM, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _end(number: int, _: FrameType | None) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # asked once more, stopping goes on
    sys.exit(128 + number)


@contextmanager
def _running(programs: Path, folder: Path) -> Iterator[None]:
    user = _plain_user(folder)
    data = str(folder / "data")
    options = [f"-c {name}='{value}'" for name, value in _OPTIONS.items()]
    options.append(f"-c unix_socket_directories='{folder}'")
    _run(
        [*user, str(programs / "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8"]
    )
    control = [*user, str(programs / "pg_ctl"), "-D", data, "-w"]
    _run([*control, "-l", str(folder / "log"), "-o", " ".join(options), "start"])
    try:
        yield
    finally:
        _run([*control, "-m", "fast", "stop"])


def _programs() -> Path | None:
    """The folder with initdb and pg_ctl, where Debian keeps them or on the path."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    on_path = shutil.which("initdb")
    if on_path:
        folders.append(Path(on_path).resolve().parent)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def _plain_user(folder: Path) -> list[str]:
    """How to start a program as somebody who is not root: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return []
    shutil.chown(folder, "postgres")
    return ["runuser", "-u", "postgres", "--"]


def _run(command: list[str]) -> None:
    """Runs a program in silence; what it said is shown only if it failed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
    if done.returncode:
        raise RuntimeError(
            f"{' '.join(command)} failed: {done.stderr.strip() or done.stdout.strip()}"
        )
