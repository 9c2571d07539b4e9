"""A worker process: takes pieces of work from its stdin, writes what came of each to its stdout.

It lives under limits that the kernel keeps, because nothing in Python runs while a parser written
in C never ends: a CPU timer whose signal ends the process, and a limit on its address
space. It holds nothing that anybody would miss: it may be killed at any moment.

Imports the standard library alone until it is told what to do: it starts in a moment.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import signal
import sys
from collections.abc import Callable
from typing import Any, BinaryIO, NamedTuple, NoReturn

from wireroom.workers.outcome_codec import (
    DONE,
    ERROR,
    FAILED,
    HEADER,
    HELLO,
    LEAVING,
    LOAD,
    MEMORY,
    READY,
    WORK,
    frame,
)

PIPE_BYTES = 2**20  # of a pipe to and from a worker, where it can be set: pages pass in one write
# Objects that are made before the collector looks for reference cycles among them. A page makes tens of thousands and
# leaves hardly a cycle; Python's 700 costs a tenth of the time. Cycles of that many objects are some MB.
GC_AFTER = 20_000


class Hello(NamedTuple):
    """What a worker is told first."""

    parent: int
    """The process it must not outlive."""
    cpu: float
    """Seconds for one piece."""
    memory: int
    """Bytes for one piece, over what the worker held before it."""
    growth: int
    """Bytes by which it may grow over many pieces, then it leaves."""
    pieces: int
    """After so many it leaves."""


def main() -> NoReturn:
    """Works until stdin ends, its time is served or it is killed; never returns."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends us
    gc.disable()  # until what it works with is loaded: imports make objects that stay, and hardly a cycle
    inward, outward = _take_streams()
    with contextlib.suppress(BrokenPipeError):  # the parent has gone
        _work(inward, outward)
    os._exit(0)  # at once: there is nothing to tidy up


def _work(inward: BinaryIO, outward: BinaryIO) -> None:
    kind, payload = _read(inward)
    if kind != HELLO:
        return
    hello = Hello(*pickle.loads(payload))  # noqa: S301 - from our own parent
    _end_with(hello.parent)
    limits = _Limits(hello)
    do: _Do | None = None
    while True:
        kind, payload = _read(inward)
        if kind == LOAD:
            do, answer = _load(payload)
            limits.set_limits()
        elif kind == WORK and do is not None:
            answer = _answer(do, payload, limits)
        else:
            return
        del payload
        outward.write(answer)
        outward.flush()
        if answer[0] & LEAVING:
            return


def _read(inward: BinaryIO) -> tuple[int, bytes]:
    """The next frame; kind 0 at the end."""
    head = inward.read(HEADER.size)
    if len(head) < HEADER.size:
        return 0, b""
    kind, size = HEADER.unpack(head)
    return kind, inward.read(size)


def _load(payload: bytes) -> tuple[_Do | None, bytes]:
    """The function to work with, warmed up, and what to answer."""
    try:
        do = _Do(pickle.loads(payload))  # noqa: S301 - from our own parent
    except Exception as exc:  # noqa: BLE001 - whatever it is, the parent tells it
        return None, frame(FAILED, f"{type(exc).__name__}: {exc}".encode("utf-8", "replace"))
    # Modules stay; the collector need not look at them after every page. To look once before that takes 30 ms and finds 700 objects.
    gc.freeze()
    gc.set_threshold(GC_AFTER)
    gc.enable()
    return do, frame(READY, b"")


class _Do:
    """A function that is ready, and how what it gives is packed."""

    def __init__(self, do: Callable[[Any], Any]) -> None:
        from wireroom.workers.outcome_codec import OutcomeCodec, pack_error

        prepare = getattr(do, "prepare", None)
        if prepare is not None:
            prepare()
        self._do, self._codec = do, OutcomeCodec(do)
        self.pack_error = pack_error

    def __call__(self, payload: bytes) -> bytes:
        """The outcome of one piece, packed."""
        piece = pickle.loads(payload)  # noqa: S301 - our parent's
        return self._codec.for_piece(piece).pack(self._do(piece))


def _answer(do: _Do, payload: bytes, limits: _Limits) -> bytes:
    leaving = 0
    limits.begin()
    try:
        kind, content = DONE, do(payload)
    except MemoryError:
        # Who ran out of memory in the middle of something may hold anything: a fresh worker goes on.
        kind, content, leaving = MEMORY, b"", LEAVING
    except Exception as exc:  # noqa: BLE001 - a piece that fails is an outcome
        kind, content = ERROR, do.pack_error(exc)
    finally:
        limits.end()
    if limits.served():
        leaving = LEAVING
    return frame(kind | leaving, content)


class _Limits:
    """What one piece may cost, kept by the kernel; on other systems than Linux, what is left of that."""

    def __init__(self, hello: Hello) -> None:
        self._hello = hello
        self._done = 0
        self._statm = _open_statm()
        self._base = 0
        _no_core_files()
        self.set_limits()

    def set_limits(self) -> None:
        """What is held now is the base that growth is measured from."""
        self._base = self._held()[1]

    def begin(self) -> None:
        if self._statm is not None:
            _cap_address_space(self._held()[0] + self._hello.memory)
        _set_cpu_timer(self._hello.cpu)

    def end(self) -> None:
        _set_cpu_timer(0)
        if self._statm is not None:
            _cap_address_space(None)

    def served(self) -> bool:
        """Whether a fresh worker should go on."""
        self._done += 1
        grown = self._held()[1] - self._base > self._hello.growth
        return grown or self._done >= self._hello.pieces

    def _held(self) -> tuple[int, int]:
        """The size of the address space, and how much of it is resident, in bytes."""
        if self._statm is None:
            return 0, 0
        total, resident, _ = os.pread(self._statm, 100, 0).split(maxsplit=2)
        page = os.sysconf("SC_PAGE_SIZE")
        return int(total) * page, int(resident) * page


def _open_statm() -> int | None:
    try:
        return os.open("/proc/self/statm", os.O_RDONLY)
    except OSError:  # not Linux: what a process holds cannot be seen, and the cap is not kept
        return None


def _cap_address_space(size: int | None) -> None:
    """Lets the process have so much at most; None lifts the cap as far as it may be lifted."""
    import resource

    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if size is None or (hard != resource.RLIM_INFINITY and size > hard):
        size = hard
    resource.setrlimit(resource.RLIMIT_AS, (size, hard))


def _set_cpu_timer(seconds: float) -> None:
    """SIGPROF after that much CPU time, which ends the process; 0 stops the timer."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _no_core_files() -> None:
    """A page that makes a parser crash must not fill the working folder."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _end_with(parent: int) -> None:
    """Ends this process when its parent ends, also in the middle of a piece.

    Elsewhere than on Linux the end of stdin tells, after the piece in flight.
    """
    if sys.platform != "linux":
        return
    import ctypes

    set_death_signal = 1  # PR_SET_PDEATHSIG of prctl(2)
    ctypes.CDLL(None).prctl(set_death_signal, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:  # it went before we asked
        os._exit(0)


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """Our own ends of the two pipes; whatever `do` prints must not stand among the answers."""
    inward, outward = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    for end in (inward, outward):
        _widen(end)
    return os.fdopen(inward, "rb", PIPE_BYTES), os.fdopen(outward, "wb", PIPE_BYTES)


def _widen(pipe: int) -> None:
    if sys.platform == "linux":
        import fcntl

        with contextlib.suppress(OSError):  # an unprivileged user may have used up his share
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
