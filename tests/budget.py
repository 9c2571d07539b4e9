"""How much time the thing under test may take, for tests that guard against work without end.

What they catch takes minutes: time that grows with the square of what a stranger sent, an end that
waits for what hangs. So a budget is asserted with room: a machine that others share is slow for an
hour, and coverage counts lines. What a thing really takes is measured in bench/, and gates nothing.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

ROOM: Final = 5
"""How many times its budget a thing may take before its test fails."""


@contextmanager
def cpu_within(seconds: float) -> Iterator[None]:
    """What is done inside keeps to this many seconds of CPU, with room: of this process alone."""
    started = time.process_time()
    yield
    took = time.process_time() - started
    assert took < seconds * ROOM, f"{took:.2f} s of CPU, where {seconds} s are meant"
