"""A throw-away PostgreSQL server on loopback, for tests and benches.

`with running_server() as server: server.new_database()` gives the address of a fresh, empty
database. The server does not survive its process, and may be restarted in mid-run.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
from psycopg import sql

from tests.parts import postgres_programs

USER, PASSWORD = "wire", "s3cret-pass"
START_WITHIN = 30.0  # seconds; two on an idle machine
# Nothing here has to survive a power cut, but a commit must survive a crash of the server.
SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "on",
    "max_connections": "60",
    "shared_buffers": "128MB",
    "lc_messages": "C",
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "log_min_messages": "fatal",
}


class PostgresServer:
    """One server with a folder and a port of its own."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs = programs
        self._data = folder / "data"
        self._log = folder / "server.log"
        self._numbers = count(1)
        self._process: subprocess.Popen[bytes] | None = None
        self.port = _free_port()
        self._make(folder / "password")

    def url(self, database: str, *, user: str = USER, password: str = PASSWORD) -> str:
        """The address of a database on this server."""
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def new_database(self, *, template: str = "template0", encoding: str = "UTF8") -> str:
        """The address of a fresh database."""
        name = f"room_{os.getpid()}_{next(self._numbers)}"
        make = sql.SQL("CREATE DATABASE {} TEMPLATE {} ENCODING {} LOCALE 'C'")
        parts = (sql.Identifier(name), sql.Identifier(template), sql.Literal(encoding))
        self.run(make.format(*parts))
        return self.url(name)

    def run(self, statement: sql.Composed | sql.SQL) -> list[tuple[object, ...]]:
        """What the server answers to a statement of its administrator."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as conn:
            cursor = conn.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def start(self) -> None:
        """Starts the server and waits until it answers."""
        settings = [f"--{name}={value}" for name, value in SETTINGS.items()]
        command = [str(self._programs / "postgres"), "-D", str(self._data), *settings]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*_as_other_user(die_with_us=True), *command, f"--port={self.port}"],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
            )
        self._wait_until_ready()

    def stop(self, *, how: signal.Signals = signal.SIGQUIT) -> None:
        """Ends the server; SIGQUIT is its "immediate" mode: as after a crash, nothing is tidied."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(how)
            self._process.wait(timeout=START_WITHIN)
        self._process = None

    def restart(self) -> None:
        """What `pg_ctl restart -m immediate` does."""
        self.stop()
        self.start()

    def _make(self, password_file: Path) -> None:
        password_file.write_text(PASSWORD)
        password_file.chmod(0o644)
        options = ["-U", USER, "-A", "scram-sha-256", f"--pwfile={password_file}", "-E", "UTF8"]
        made = subprocess.run(
            [
                *_as_other_user(),
                str(self._programs / "initdb"),
                "-D",
                str(self._data),
                *options,
                "--locale=C",
                "--no-sync",
            ],
            capture_output=True,
            check=False,
        )
        if made.returncode:
            raise RuntimeError(f"initdb failed: {made.stderr.decode(errors='replace')}")

    def _wait_until_ready(self) -> None:
        ends = time.monotonic() + START_WITHIN
        while True:
            try:
                psycopg.connect(self.url("postgres"), connect_timeout=2).close()
            except psycopg.OperationalError:
                if time.monotonic() > ends or (self._process and self._process.poll() is not None):
                    raise RuntimeError(f"no server: {self._log.read_text()[-2000:]}") from None
                time.sleep(0.05)
            else:
                return


@contextmanager
def running_server() -> Iterator[PostgresServer]:
    """A server that is gone afterwards, folder and all."""
    programs = postgres_programs()
    if programs is None:
        raise RuntimeError("PostgreSQL is not installed (no initdb found)")
    folder = Path(tempfile.mkdtemp(prefix="wireroom-postgres-"))
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    try:
        server = PostgresServer(programs, folder)
        try:
            server.start()
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _as_other_user(*, die_with_us: bool = False) -> list[str]:
    """PostgreSQL refuses to run as root; and it must not outlive a test run that was killed."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        return []
    command = [setpriv]
    if os.geteuid() == 0:
        command += ["--reuid=postgres", "--regid=postgres", "--init-groups"]
    if die_with_us:
        command += ["--pdeathsig=QUIT"]
    return command if len(command) > 1 else []


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
