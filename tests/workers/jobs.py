"""What workers are told to do in these tests; they import this module."""

from __future__ import annotations

import os
import signal
import stat
import time
from collections.abc import Callable
from pathlib import Path

from wireroom.errors import NoArticleError, StatusError
from wireroom.workers.scout_jobs import DocumentReading

MEGABYTE = 2**20


def double(number: int) -> int:
    return 2 * number


def length(body: bytes) -> int:
    return len(body)


def who(_piece: object) -> int:
    return os.getpid()


def busy(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


class Misdeed(Exception):  # noqa: N818 - no error of ours
    def __init__(self, name: str, *, size: int) -> None:
        super().__init__(f"{name} {size}")


def _spin(_rest: str) -> None:
    while True:
        pass


def _hog(megabytes: str) -> None:
    bytearray(int(megabytes) * MEGABYTE)


def _hoard(megabytes: str) -> None:
    HOARD.append(bytearray(b"x" * (int(megabytes) * MEGABYTE)))


def _sleep(seconds: str) -> None:
    time.sleep(float(seconds))


def _kill(number: str) -> None:
    os.kill(os.getpid(), int(number))


def _leave(code: str) -> None:
    os._exit(int(code))


def _raise(_rest: str) -> None:
    raise NoArticleError("nothing here", hint="Look elsewhere.")


def _raise_status(_rest: str) -> None:
    raise StatusError("http://courier.test/", 500)


def _raise_odd(_rest: str) -> None:
    raise Misdeed("odd", size=3)


def _print(_rest: str) -> None:
    print("never among the answers", flush=True)  # noqa: T201 - that is the point
    os.write(1, b"nor this")


def _input(_rest: str) -> str:
    return repr(input())


def _write(hexed: str) -> None:
    """As a worker would that a page has taken over: whatever it likes, to its parent."""
    for pipe in range(3, 20):  # our own end of stdout is one of them
        try:
            if stat.S_ISFIFO(os.fstat(pipe).st_mode):
                os.write(pipe, bytes.fromhex(hexed))
        except OSError:
            continue
    time.sleep(60)


def _environment(_rest: str) -> str:
    return " ".join(os.environ)


def _pid(_rest: str) -> str:
    return str(os.getpid())


HOARD: list[bytearray] = []


def _kill_once(mark: Path) -> str:
    if mark.exists():
        return "survived"
    mark.touch()
    os.kill(os.getpid(), signal.SIGKILL)
    return "never"


DEEDS: dict[str, Callable[[str], str | None]] = {
    "spin": _spin,
    "hog": _hog,
    "hoard": _hoard,
    "sleep": _sleep,
    "kill": _kill,
    "kill-once": lambda rest: _kill_once(Path(rest)),
    "leave": _leave,
    "raise": _raise,
    "raise-status": _raise_status,
    "raise-odd": _raise_odd,
    "print": _print,
    "input": _input,
    "pid": _pid,
    "write": _write,
    "environment": _environment,
}


def misbehave(deed: str) -> str:
    """Does what is written on the piece; a good one comes back as it is."""
    word, _, rest = deed.partition(" ")
    return DEEDS[word](rest) or deed if word in DEEDS else deed


class Prepared:
    """Has something to load before it can begin, and more of it than a piece may take."""

    def __init__(self) -> None:
        self.ready: list[bytearray] = []

    def prepare(self) -> None:
        self.ready.append(bytearray(b"x" * (400 * MEGABYTE)))

    def __call__(self, piece: str) -> str:
        return f"{piece}: {len(self.ready)}"


class Unprepared:
    def prepare(self) -> None:
        raise ImportError("no such model")

    def __call__(self, piece: str) -> str:
        return piece


class BareReading(DocumentReading):
    """Reads documents without loading our own readers first: these tests bring theirs."""

    def prepare(self) -> None:
        """Nothing."""


def undeclared(body):  # type: ignore[no-untyped-def]  # that is the point
    return body


def counted(body: bytes, words: tuple[str, ...]) -> dict[str, int] | None:
    return {word: body.count(word.encode()) for word in words} or None
