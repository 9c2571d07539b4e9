"""Waiting for an event, for a while, and the clock that nobody sets."""

from __future__ import annotations

import asyncio
import time


def steady_seconds() -> float:
    """Seconds since some moment, those in which the machine slept included where the system counts them."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)


async def wait_for_event(event: asyncio.Event, seconds: float) -> bool:
    """Whether the event came within so long.

    Not by `asyncio.wait_for`, which in Python 3.11 forgets that it was cancelled when the event comes in the same
    moment: whoever was asked to end would go on.
    """
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True
