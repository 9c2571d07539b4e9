"""A network or mounts of one's own for one process, so that faults can be provoked for real.

Root is not needed: a user becomes the root of a namespace of their own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import Literal

import pytest

from tests.parts import in_ci

Kind = Literal["net", "mount"]

_PROBES: dict[Kind, list[str]] = {
    "net": ["ip", "link", "set", "lo", "up"],
    "mount": ["mount", "--bind", "/tmp", "/tmp"],
}


def own(kind: Kind) -> list[str]:
    """The words before a command that give it its own; skips where nobody may, which fails in CI."""
    for words in _ways(kind):
        done = subprocess.run([*words, *_PROBES[kind]], capture_output=True, check=False)
        if done.returncode == 0:
            return words
    reason = f"no {kind} namespace can be had here, neither as root nor as a user"
    if in_ci():
        pytest.fail(f"CI must have every part: {reason}", pytrace=False)
    pytest.skip(reason)


def _ways(kind: Kind) -> list[list[str]]:
    if not shutil.which("unshare"):
        return []
    as_user = ["unshare", "--map-root-user", f"--{kind}"]
    return [["unshare", f"--{kind}"], as_user] if os.geteuid() == 0 else [as_user]
