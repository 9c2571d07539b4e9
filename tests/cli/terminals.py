"""A run of `wireroom` on a pseudo-terminal: in a process of its own, or quicker in this one.

Most tests ask what a person would see, which is the same in either; starting a process for each takes
a second and more. How a process and its terminal get on is asked by `test_process`.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Thread

import pytest

from tests.cli.conftest import PATIENCE, Ran, command
from wireroom.cli import main

SETTLE = 0.05  # seconds without a word, after which one looks whether the time is over
# Written to the terminal behind all else. The kernel hands on what is written in its own time, so that
# silence after the end of a run does not mean that everything was seen.
END = b"\x1e end of the run \x1e"
KIND = {"TERM": "xterm-256color"}
STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))  # each is also a file descriptor


def run_on_terminal(
    *arguments: str,
    answer: str = "",
    wait_for: str = "",
    columns: int = 100,
    environ: Mapping[str, str] | None = None,
) -> Ran:
    """Runs the command line in this process; types `answer` once `wait_for` is shown."""
    master, slave = _open(columns)
    person = _Person(master, slave, answer, wait_for)
    with _streams_on(slave), pytest.MonkeyPatch.context() as patch:
        for name, value in {**KIND, **(environ or {})}.items():
            patch.setenv(name, value)
        with person:
            code = main(arguments)
            for name in ("stdout", "stderr"):
                getattr(sys, name).flush()
    os.close(slave)
    os.close(master)
    return Ran(code, person.seen(), "")


def run_process_on_terminal(
    *arguments: str, columns: int = 100, environ: Mapping[str, str] | None = None
) -> Ran:
    """Runs the real entry point in another process."""
    master, slave = _open(columns)
    person = _Person(master, slave)
    with person:
        process = subprocess.Popen(
            command(*arguments),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, **KIND, **(environ or {})},
            close_fds=True,
        )
        try:
            code = process.wait(timeout=PATIENCE)
        finally:
            process.kill()
    os.close(slave)
    os.close(master)
    return Ran(code, person.seen(), "")


def _open(columns: int) -> tuple[int, int]:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    return master, slave


@contextmanager
def _streams_on(slave: int) -> Iterator[None]:
    """The streams of this process are those of the terminal for a while."""
    kept = [os.dup(number) for number in range(len(STREAMS))]
    try:
        with pytest.MonkeyPatch.context() as patch:
            for number, (name, mode) in enumerate(STREAMS):
                os.dup2(slave, number)
                stream = open(  # noqa: SIM115 - it does not own the descriptor it stands on
                    number, mode, encoding="utf-8", buffering=1, closefd=False
                )
                patch.setattr(sys, name, stream)
                patch.setattr(sys, f"__{name}__", stream)
            yield
    finally:
        for number, old in enumerate(kept):
            os.dup2(old, number)
            os.close(old)


class _Person:
    """Looks at the screen until the run is over, and answers the one question."""

    def __init__(self, master: int, slave: int, answer: str = "", wait_for: str = "") -> None:
        self._master = master
        self._slave = slave
        self._answer = answer.encode()
        self._wait_for = wait_for.encode()
        self._shown = bytearray()
        self._looking = Thread(target=self._look, daemon=True)

    def __enter__(self) -> None:
        self._looking.start()

    def __exit__(self, *_what_happened: object) -> None:
        os.write(self._slave, END)
        self._looking.join(PATIENCE)

    def seen(self) -> str:
        """All that was shown."""
        shown, _, _ = bytes(self._shown).partition(END)
        return shown.decode(errors="replace").replace("\r\n", "\n")

    def _look(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while END not in self._shown and time.monotonic() < deadline:
            ready, _, _ = select.select([self._master], [], [], SETTLE)
            if ready:
                self._shown += os.read(self._master, 65536)
            if self._answer and self._wait_for in self._shown:
                os.write(self._master, self._answer)
                self._answer = b""
