"""The town's clock: stands still until a test moves it, or runs along with the real one."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

# A running clock moves by whole minutes, so that an answer written once serves for a minute.
TICK = timedelta(minutes=1)


class TownClock:
    """What time it is in the town."""

    def __init__(self, start: datetime, *, running: bool = False) -> None:
        if start.tzinfo is None:
            raise ValueError("the town's clock needs an aware time")
        self._start = start.astimezone(UTC).replace(microsecond=0)
        self._moved = timedelta()
        self._since = time.monotonic() if running else None

    @property
    def start(self) -> datetime:
        """When the town was built; all its dates count from here."""
        return self._start

    def now(self) -> datetime:
        """The present moment of the town, aware UTC, in whole seconds."""
        return self._start + self._moved + self._run()

    def advance(self, by: timedelta) -> datetime:
        """Moves the clock on (or back) and gives the new time."""
        self._moved += by
        return self.now()

    def set_running(self) -> None:
        """From now on the clock goes along with the real one."""
        if self._since is None:
            self._since = time.monotonic()

    def _run(self) -> timedelta:
        if self._since is None:
            return timedelta()
        gone = timedelta(seconds=time.monotonic() - self._since)
        return gone - gone % TICK
