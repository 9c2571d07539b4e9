"""How much memory this process ever held, whatever the process that started it did."""

from __future__ import annotations

import resource
from pathlib import Path

STATUS = Path("/proc/self/status")


def peak_megabytes() -> float:
    """The high-water mark; where the system does not tell it, what `getrusage` says.

    On Linux `ru_maxrss` of a fresh process begins with what its parent held, which is no use here.
    """
    if STATUS.exists():
        for row in STATUS.read_text("ascii", "replace").splitlines():
            if row.startswith("VmHWM:"):
                return float(row.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
