"""One worker process as its parent sees it: started, given pieces, listened to, ended.

Knows nothing of queues and spreads. The process is a fresh interpreter, never a fork: threads of
the parent cannot leave it a held lock, and a script of a user needs no `__main__` guard.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping
from typing import Any, NamedTuple

from wireroom.errors import WireroomError
from wireroom.ports import LossCause
from wireroom.workers.outcome_codec import FAILED, HEADER, HELLO, LEAVING, LOAD, READY, WORK, frame
from wireroom.workers.worker import Hello

# -P keeps the working folder, which may be a stranger's, off the path until ours is in place.
BOOT = "import sys; sys.path[:] = sys.argv[1:]; from wireroom.workers.worker import main; main()"
START = 60.0  # seconds for an interpreter to load what it needs; a cold disk takes some
GRACE = 0.1  # seconds for an answer that came while our own event loop was held up
BUFFER = 2**20  # bytes of answers that wait to be looked at; then the worker waits
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""One worker for each core is enough; and each thread of theirs reserves memory that counts."""

KEPT = frozenset(
    (
        *("PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "XDG_CACHE_HOME"),
        *("USERPROFILE", "LOCALAPPDATA", "SYSTEMROOT", "WINDIR", "TEMP", "TMP"),
        *("LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"),
        *("PYTHONHOME", "PYTHONPLATLIBDIR", "PYTHONPYCACHEPREFIX", "PYTHONDONTWRITEBYTECODE"),
        *("PYTHONUTF8", "PYTHONIOENCODING", "PYTHONCOERCECLOCALE", "PYTHONHASHSEED"),
        *("PYTHONWARNINGS", "PYTHONOPTIMIZE", "PYTHONMALLOC", "PYTHONNOUSERSITE"),
        *("MALLOC_ARENA_MAX", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
    )
)
"""What a worker needs of our environment: an interpreter, its libraries, a cache, a language. No list of
what to leave out would be whole: keys have any name."""
KEPT_PREFIX = "LC_"


def worker_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of a worker: without passwords, keys and settings of ours."""
    kept = {
        name: value
        for name, value in environ.items()
        if name.upper() in KEPT or name.startswith(KEPT_PREFIX)
    }
    return {**ONE_THREAD, **kept}


class WorkerAnswer(NamedTuple):
    """What a worker said of a piece."""

    kind: int
    payload: bytes
    leaving: bool


class Ended(Exception):  # noqa: N818 - no error: a worker may end at any time
    """The worker is no more, and why."""

    def __init__(self, cause: LossCause, message: str) -> None:
        super().__init__(message)
        self.cause = cause
        self.message = message


class WorkerProcess:
    """A process of our own; `end` it, whatever happens."""

    def __init__(self, process: Process, *, cpu: float, wall: float, memory: int) -> None:
        self._process = process
        self._cpu, self._wall, self._memory = cpu, wall, memory
        self._loaded = b""
        self._leaving = False

    @classmethod
    async def start(cls, hello: Hello, *, wall: float) -> WorkerProcess:
        """A fresh worker that knows its limits and nothing else."""
        options: dict[str, Any] = {} if sys.platform == "win32" else {"process_group": 0}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-c", BOOT, *sys.path),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            limit=BUFFER,
            env=worker_environment(os.environ),
            **options,  # a group of its own: Ctrl-C reaches us alone
        )
        worker = cls(process, cpu=hello.cpu, wall=wall, memory=hello.memory)
        worker._write(frame(HELLO, pickle.dumps(tuple(hello))))
        return worker

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    async def load(self, do: bytes) -> None:
        """Makes it ready for a function; raises WireroomError where it cannot have it."""
        if do == self._loaded:
            return
        self._write(frame(LOAD, do))
        try:
            kind, payload, _ = await self._next(START)
        except Ended as exc:
            raise WireroomError(
                f"A worker process could not be started: {exc.message}.",
                hint="Is there enough memory, and may processes be started here?",
            ) from exc
        if kind == FAILED:
            raise WireroomError(
                f"A worker cannot load what it is to do: {payload.decode('utf-8', 'replace')}.",
                hint="Define the function in a module that can be imported, not in the script.",
            )
        if kind != READY:
            raise WireroomError(f"A worker process could not be started: it answered {kind}.")
        self._loaded = do

    def send(self, payload: bytes) -> None:
        """Hands it a piece; how much waits for it is the caller's to bound."""
        self._write(frame(WORK, payload))

    async def answer(self) -> WorkerAnswer:
        """What came of the piece that has waited longest; raises Ended."""
        return await self._next(self._wall)

    async def end(self) -> None:
        """Kills it: it holds nothing that anybody would miss.

        One that is leaving is not: asking after a process that just ended would take its exit code
        away from the event loop, which waits for it.
        """
        if self._process.returncode is None and not self._leaving:
            self._kill()
        await self._reap()

    def _write(self, data: bytes) -> None:
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        if (
            not self._process.stdin.is_closing()
        ):  # otherwise it is dead, as the next answer will tell
            self._process.stdin.write(data)

    async def _next(self, limit: float) -> WorkerAnswer:
        """The next frame; a worker that takes too long is killed."""
        for patience in (limit, GRACE):
            try:
                async with asyncio.timeout(patience):
                    return await self._frame()
            except TimeoutError:
                continue
            except asyncio.IncompleteReadError:
                await self._reap()
                raise self._obituary() from None
        await self.end()
        raise Ended("time", f"took longer than {limit:g} s")

    async def _frame(self) -> WorkerAnswer:
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        reader = self._process.stdout
        kind, size = HEADER.unpack(await reader.readexactly(HEADER.size))
        if size > self._memory:  # a piece cannot hold so much: the worker is not itself any more
            await self.end()
            raise Ended("crash", f"its worker answered with {size:,} bytes")
        payload = await reader.readexactly(size) if size else b""
        self._leaving = bool(kind & LEAVING)
        return WorkerAnswer(kind & ~LEAVING, payload, self._leaving)

    def _kill(self) -> None:
        try:
            self._process.kill()
        except ProcessLookupError:  # it was quicker
            return

    async def _reap(self) -> None:
        """Waits until nothing is left of it, its pipes included."""
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        self._process.stdin.close()
        while await self._process.stdout.read(BUFFER):
            continue
        await self._process.wait()

    def _obituary(self) -> Ended:
        code = self._process.returncode or 0
        if sys.platform != "win32" and code == -signal.SIGPROF:
            return Ended("cpu", f"took more than {self._cpu:g} s of CPU time")
        if sys.platform != "win32" and code == -signal.SIGKILL:
            return Ended("killed", "its worker was killed from outside")
        if code < 0:
            return Ended("crash", f"its worker crashed ({_signal_name(-code)})")
        return Ended("crash", f"its worker ended with code {code}")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
