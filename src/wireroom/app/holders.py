"""Who holds hosts: the name of this process, and whether another one of this machine is still alive.

A process that was killed cannot give back what it held. Its leases run out by themselves; on the same machine
nobody has to wait for that.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterable
from pathlib import Path
from uuid import uuid4

# When the process began is part of its name: numbers of processes are used again.
_NAME = re.compile(r"run-(?P<machine>.+)-(?P<pid>\d+)-(?P<began>\d+)-[0-9a-f]{8}")
_BEGAN = 19  # place of the start time in /proc/PID/stat, counted from behind the name


def holder_name() -> str:
    """A name for one run of this process."""
    pid = os.getpid()
    return f"run-{_machine()}-{pid}-{_began(pid)}-{uuid4().hex[:8]}"


def dead_holders(names: Iterable[str]) -> list[str]:
    """Those that were processes of this machine and are no more; of others nothing can be said."""
    here = _machine()
    return [
        name
        for name in names
        if (match := _NAME.fullmatch(name)) is not None
        and match["machine"] == here
        and match["began"] != "0"
        and _began(int(match["pid"])) != int(match["began"])
    ]


def _machine() -> str:
    """Where numbers of processes mean the same: containers may share a name and not their processes."""
    try:
        space = f"{Path('/proc/self/ns/pid').stat().st_ino:x}"
    except OSError:
        space = "0"
    return f"{socket.gethostname()}.{space}"


def _began(pid: int) -> int:
    """When a process began, in ticks since the machine did; 0 for none, or where nobody tells."""
    try:
        message = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except OSError:
        return 0
    after_name = message.rpartition(")")[2].split()
    return int(after_name[_BEGAN]) if len(after_name) > _BEGAN else 0
