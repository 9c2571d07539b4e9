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
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import NoReturn
from urllib.parse import quote

# What a person who cares for speed would set on a small machine; nothing that risks data.
_OPTIONS = {
    "listen_addresses": "",
    "shared_buffers": "256MB",
    "max_wal_size": "4GB",
    "maintenance_work_mem": "128MB",
}


@dataclass(frozen=True, slots=True)
class Cluster:
    """A running server."""

    folder: Path
    control: list[str]
    start: list[str]

    def url(self, database: str = "postgres") -> str:
        """The address of a database."""
        return f"postgresql://postgres@/{database}?host={quote(str(self.folder), safe='')}"

    def new_database(self, name: str) -> str:
        """The address of a fresh database."""
        psycopg = import_module("psycopg")  # in the `postgres` extra
        with psycopg.connect(self.url(), autocommit=True) as conn:
            conn.execute(f'CREATE DATABASE "{name}"')
        return self.url(name)

    def restart(self) -> None:
        """As after a crash: nothing is tidied up."""
        _run([*self.control, "-m", "immediate", "stop"])
        _run(self.start)


@contextmanager
def own_postgres() -> Iterator[str | None]:
    """The address of a fresh database; None when PostgreSQL is not installed."""
    with own_cluster() as cluster:
        yield None if cluster is None else cluster.url()


@contextmanager
def own_cluster() -> Iterator[Cluster | None]:
    """A fresh server; None when PostgreSQL is not installed."""
    programs = _programs()
    if programs is None:
        yield None
        return
    with _ended_in_order():
        folder = Path(tempfile.mkdtemp(prefix="wireroom-bench-"))
        try:
            with _running(programs, folder) as cluster:
                yield cluster
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
def _running(programs: Path, folder: Path) -> Iterator[Cluster]:
    user = _plain_user(folder)
    data = str(folder / "data")
    options = [f"-c {name}='{value}'" for name, value in _OPTIONS.items()]
    options.append(f"-c unix_socket_directories='{folder}'")
    _run(
        [*user, str(programs / "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8"]
    )
    control = [*user, str(programs / "pg_ctl"), "-D", data, "-w"]
    start = [*control, "-l", str(folder / "log"), "-o", " ".join(options), "start"]
    _run(start)
    try:
        yield Cluster(folder, control, start)
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
