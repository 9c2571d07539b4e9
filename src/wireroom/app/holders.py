"""Who holds hosts: the name of this process, and whether another one of this machine is still alive.

A process that was killed cannot give back what it held. Its leases run out by themselves; on the same machine
nobody has to wait for that.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import uuid4

RUN: Final = "run"  # so begins the name of a run
SCOUT: Final = "scout"  # that of a scout: it ends soon, and what it finds is shared
BACKFILL: Final = "backfill"

# When the process began is part of its name: numbers of processes are used again.
_NAME = re.compile(
    r"(?P<kind>[a-z]+)-(?P<machine>.+)\.(?P<space>[0-9a-f]+)-(?P<pid>\d+)-(?P<began>\d+)-[0-9a-f]{8}"
)
_BEGAN = 19  # place of the start time in /proc/PID/stat, counted from behind the name
_ENDED = frozenset("ZX")  # states in it of a process that is over, and whose parent did not notice


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds hosts: a process, and what it is doing."""

    kind: str
    """run, scout, backfill."""
    machine: str
    pid: int

    def __str__(self) -> str:
        return f"a {self.kind} on {self.machine} (process {self.pid})"


def read_holder(name: str) -> Holder | None:
    """The process that goes by this name; None for a name of another make."""
    match = _NAME.fullmatch(name)
    return match and Holder(match["kind"], match["machine"], int(match["pid"]))


def holder_name(kind: str = RUN) -> str:
    """A name for one run of this process, or whatever it does."""
    pid = os.getpid()
    return f"{kind}-{_machine()}-{pid}-{_began(pid)}-{uuid4().hex[:8]}"


def dead_holders(names: Iterable[str]) -> list[str]:
    """Those that were processes of this machine and are no more; of others nothing can be said."""
    return [name for name in names if is_local(name) and not _lives(name)]


def _lives(name: str) -> bool:
    match = _NAME.fullmatch(name)
    return match is not None and _began(int(match["pid"])) == int(match["began"])


def is_local(name: str) -> bool:
    """Whether it is a process of this machine, so that one knows whether it lives."""
    match = _NAME.fullmatch(name)
    return match is not None and is_here(name) and match["began"] != "0"


def is_here(name: str) -> bool:
    """Whether it is a process of this machine or container, also where nobody tells whether it lives."""
    match = _NAME.fullmatch(name)
    return match is not None and f"{match['machine']}.{match['space']}" == _machine()


def _machine() -> str:
    """Where numbers of processes mean the same: containers may share a name and not their processes."""
    try:
        space = f"{Path('/proc/self/ns/pid').stat().st_ino:x}"
    except OSError:
        space = "0"
    return f"{socket.gethostname()}.{space}"


def _began(pid: int) -> int:
    """When a process began, in ticks since the machine did; 0 for none, or where nobody tells.

    One that was killed stays in the table until its parent asks: in a container that may be never.
    """
    try:
        message = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except OSError:
        return 0
    after_name = message.rpartition(")")[2].split()
    if len(after_name) <= _BEGAN or after_name[0] in _ENDED:
        return 0
    return int(after_name[_BEGAN])
