"""What a reader may cost: CPU time and memory, measured in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

import pytest

from tests.budget import ROOM

MAX_SECONDS = 2.0 * ROOM  # of CPU, for any body
MAX_MEGABYTES = 300  # over what the interpreter and the modules take

_CHILD = """
import json, pathlib, resource, sys, time
from wireroom.errors import ParseError
{imports}
def peak():
    status = pathlib.Path("/proc/self/status")
    for row in status.read_text().splitlines() if status.exists() else ():
        if row.startswith("VmHWM:"):  # ru_maxrss begins with what the parent held
            return int(row.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
{call}(b"<rss><channel/><item/></rss>")
before = peak()
costs = {{}}
for name, making in json.loads(sys.stdin.read()).items():
    body = eval(making)
    started = time.process_time()
    try:
        outcome = type({call}(body)).__name__
    except ParseError as error:
        outcome = type(error).__name__
    costs[name] = [time.process_time() - started, peak() - before, outcome]
    body = outcome = None
print(json.dumps(costs))
"""


class Cost(NamedTuple):
    """What one call took, and what came of it."""

    seconds: float
    megabytes: float
    """The highest so far: of this body, or of one before it. The body itself is counted."""
    outcome: str


def short_form(names: Iterable[str], few: Collection[str]) -> list[Any]:
    """The names as parameters of a test: all but these few are left to its long form."""
    return [name if name in few else pytest.param(name, marks=pytest.mark.long) for name in names]


class Costs:
    """The cost of a reader over each body by name; the few of the short form are measured apart."""

    def __init__(
        self, imports: str, call: str, bodies: Mapping[str, str], few: Collection[str]
    ) -> None:
        self._reader = imports, call
        self._left = [
            {name: body for name, body in bodies.items() if (name in few) is short}
            for short in (True, False)
        ]
        self._measured: dict[str, Cost] = {}

    def __getitem__(self, name: str) -> Cost:
        for group in self._left:
            if name in group:
                self._measured |= costs_of(*self._reader, group)
                self._left.remove(group)
                break
        return self._measured[name]


def costs_of(imports: str, call: str, bodies: Mapping[str, str]) -> dict[str, Cost]:
    """The cost of a reader over each of these bodies, which the child makes from an expression."""
    done = subprocess.run(
        [sys.executable, "-c", _CHILD.format(imports=imports, call=call)],
        input=json.dumps(dict(bodies)),
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return {name: Cost(*cost) for name, cost in json.loads(done.stdout).items()}
