"""An event loop whose clock jumps to the next timer: minutes of waiting take no time, and always the same course."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

Made = TypeVar("Made")


class _Jump(selectors.SelectSelector):
    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout:
            self.now += timeout
        return ready


class InstantLoop(asyncio.SelectorEventLoop):
    """Nothing in it may wait for the world outside."""

    def __init__(self) -> None:
        self._jump = _Jump()
        super().__init__(self._jump)

    def time(self) -> float:
        return self._jump.now


def run_at_once(coroutine: Coroutine[Any, Any, Made]) -> Made:
    """What the coroutine gives, however long it waits by its own clock."""
    with asyncio.Runner(loop_factory=InstantLoop) as runner:
        return runner.run(coroutine)
