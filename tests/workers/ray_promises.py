"""Holds the engine `ray` to all that is promised of an engine, in a Ray of our own; a program, for Ray is one a process.

Prints the name of each promise that was kept, and where one was broken, how.
"""

from __future__ import annotations

import asyncio
import io
import os
import stat
import sys
import time
import traceback
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from tests.workers.engine_contract import LONG_PROMISES, PROMISES, Promise
from wireroom.workers.ray import RayEngine
from wireroom.workers.ray_cluster import connected

KEPT = "kept"


def main() -> int:
    with connected():
        folder, started = look_at_our_own()
        broken = [each for each in (*PROMISES, *LONG_PROMISES) if not keeps(each)]
    if not folder.exists() and not any(Path(f"/proc/{pid}/fd").exists() for pid in started):
        _say("seen end")
    return len(broken)


def look_at_our_own() -> tuple[Path, list[int]]:
    """The folder of our own Ray and its processes; says what was seen of how it is guarded."""
    started = [
        int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    ]
    environs = [_environ(pid) for pid in started]
    folder = Path(_temporary_folder()).parent
    if stat.S_IMODE(folder.stat().st_mode) == 0o700:
        _say("seen private folder")
    if all("RAY_AUTH_MODE=token" in environ for environ in environs):
        _say("seen token")
    if all("RAY_USAGE_STATS_ENABLED=0" in environ for environ in environs):
        _say("seen no statistics")
    if not _printed_of_a_lost_node():
        _say("seen a clean stdout")
    return folder, started


def _printed_of_a_lost_node() -> str:
    """What Ray prints on stdout when it hears that a node was lost, as its own thread does it."""
    from ray._private import worker

    printed = io.StringIO()
    with redirect_stdout(printed):
        lost = {"lines": ["a node is lost"], "pid": "raylet", "is_err": False}
        worker.print_to_stdstream(lost, ignore_prefix=False)
    return printed.getvalue()


def _temporary_folder() -> str:
    from ray._private import worker

    node: Any = worker._global_node
    return str(node.get_temp_dir_path())


def _environ(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/environ").read_text("utf-8", "replace").split("\0")


def keeps(promised: Promise) -> bool:
    began = time.monotonic()
    try:
        asyncio.run(_in_time(promised))
    except Exception:  # noqa: BLE001 - whatever it is, it is told
        _say(f"broken {promised.__name__} {traceback.format_exc()}")
        return False
    _say(f"{KEPT} {promised.__name__} {time.monotonic() - began:.1f} s")
    return True


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def _in_time(promised: Promise) -> None:
    await asyncio.wait_for(_awaited(promised), 120)


async def _awaited(promised: Promise) -> None:
    await promised(RayEngine)


if __name__ == "__main__":
    sys.exit(main())
