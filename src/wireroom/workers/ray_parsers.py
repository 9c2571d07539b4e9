"""Parsers on the machines of a Ray cluster: actors that belong to the command, whoever hands them pages.

One for each processor of each node. They outlive readers: one that is begun anew finds parsers that have started. Each
holds a worker process, the same as the engine `local` has, so that a piece which takes too much CPU time, time or
memory costs that process alone. They reserve no processors: what else runs on the cluster shares them.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Sequence
from itertools import accumulate
from time import monotonic
from typing import Any, Final, NamedTuple

from wireroom.errors import WireroomError
from wireroom.ports import LossCause
from wireroom.workers.local import GROWTH, PIECES
from wireroom.workers.outcome_codec import MEMORY
from wireroom.workers.process import Ended, WorkerProcess
from wireroom.workers.ray_cluster import load_ray, node_cores, on_node
from wireroom.workers.worker import Hello

WAITING: Final = 1_000  # pieces that wait for a parser at once; each reader sends it a few
PARCEL: Final = 96 * 2**10  # bytes; Ray sends up to 100 KB of an argument with the call
AGAIN_AFTER: Final = (
    5.0  # seconds until a parser that was lost is begun anew: one that cannot start is no loop
)


class PieceLimits(NamedTuple):
    """What one piece may cost."""

    cpu: float
    wall: float
    memory: int


class ParserAnswer(NamedTuple):
    """What came of a piece; plain data, for it travels."""

    kind: int = 0
    payload: bytes = b""
    leaving: bool = False
    """Whether it was more than its worker could bear."""
    cause: LossCause | None = None
    """Why its worker is no more; then `message` says it in words."""
    message: str = ""
    unfit: bool = False
    """Whether no worker can have the function; `message` and `hint` say why."""
    hint: str = ""


def parcels(payloads: Sequence[bytes]) -> tuple[list[int], list[bytes]]:
    """The sizes of pieces, and their bytes in parts that travel with the call.

    Ray lays what is larger in the memory that nodes share, which costs a page of 120 KB twice as much on both sides.
    """
    joined = b"".join(payloads)
    parts = [joined[at : at + PARCEL] for at in range(0, len(joined), PARCEL)]
    return [len(payload) for payload in payloads], parts


class Parser:
    """The actor: a worker process, begun with the first piece and replaced when something happened to it."""

    def __init__(self) -> None:
        self._worker: WorkerProcess | None = None
        self._limits: PieceLimits | None = None
        self._turn = asyncio.Lock()

    async def read(
        self, limits: PieceLimits, do: bytes, sizes: Sequence[int], *sent: bytes
    ) -> list[ParserAnswer]:
        """What the worker process makes of some pieces, one after the other, when it is their turn."""
        joined = memoryview(b"".join(sent))
        ends = [*accumulate(sizes)]
        async with self._turn:
            try:
                return [
                    await self._read(limits, do, bytes(joined[end - size : end]))
                    for end, size in zip(ends, sizes, strict=True)
                ]
            except asyncio.CancelledError:  # nobody waits for them any more
                await asyncio.shield(self._end())
                raise

    async def _read(self, limits: PieceLimits, do: bytes, payload: bytes) -> ParserAnswer:
        try:
            worker = await self._ready(limits, do)
            worker.send(payload)
            answer = await worker.answer()
        except Ended as exc:
            await self._end()
            return ParserAnswer(cause=exc.cause, message=exc.message)
        except WireroomError as exc:
            await self._end()
            return ParserAnswer(unfit=True, message=exc.message, hint=str(exc.hint))
        if answer.leaving:
            await self._end()
        gone = answer.leaving and answer.kind == MEMORY  # else another one has its place already
        return ParserAnswer(answer.kind, answer.payload, leaving=gone)

    async def _ready(self, limits: PieceLimits, do: bytes) -> WorkerProcess:
        if self._limits != limits:
            await self._end()
        if self._worker is None:
            hello = Hello(
                parent=os.getpid(),
                cpu=limits.cpu,
                memory=limits.memory,
                growth=GROWTH,
                pieces=PIECES,
            )
            self._worker = await WorkerProcess.start(hello, wall=limits.wall)
            self._limits = limits
        await self._worker.load(do)
        return self._worker

    async def _end(self) -> None:
        if self._worker is not None:
            worker, self._worker = self._worker, None
            await worker.end()


class ParserKeeper:
    """Keeps a parser for each processor of the cluster, as long as this process is connected to it."""

    def __init__(self) -> None:
        self._actors: dict[str, Any] = {}
        """Those that were begun here; one whose last handle is gone ends."""
        self._begun_at: dict[tuple[str, int], float] = {}

    def keep(self) -> None:
        """Begins what is missing: at first, where a node was added, and where a parser was lost."""
        there = find_parsers()
        self._actors = {name: actor for name, actor in self._actors.items() if name in there}
        places = {_place(name) for name in there}
        now = monotonic()
        for place in ((node, at) for node, cores in node_cores().items() for at in range(cores)):
            last = self._begun_at.get(place, now - AGAIN_AFTER)
            if place not in places and now - last >= AGAIN_AFTER:
                name = _name(*place)
                self._actors[name] = _begin(name, place[0])
                self._begun_at[place] = now


_keeper = ParserKeeper()


def keep_parsers() -> None:
    """Sees that each processor of the cluster has its parser, which belongs to this process."""
    _keeper.keep()


def find_parsers() -> set[str]:
    """The names of the parsers of this command; each parser has its own, one that is begun anew too."""
    from ray.util import list_named_actors

    prefix = _prefix()
    return {name for name in list_named_actors() if name.startswith(prefix)}


def _prefix() -> str:
    """Begins the name of each parser; another command on the same cluster is another job."""
    return f"parser {load_ray().get_runtime_context().get_job_id()} "


def _name(node: str, number: int) -> str:
    return f"{_prefix()}{node} {number} {secrets.token_hex(4)}"


def _place(name: str) -> tuple[str, int]:
    """The node, and which of its parsers."""
    *_, node, number, _ = name.split(" ")
    return node, int(number)


def _begin(name: str, node: str) -> Any:
    options = {
        "name": name,
        "num_cpus": 0,
        "max_concurrency": WAITING,
        "max_restarts": 0,  # a restart would be on another node; `keep` begins it anew on this one
        "scheduling_strategy": on_node(node),
    }
    return load_ray().remote(**options)(Parser).remote()
