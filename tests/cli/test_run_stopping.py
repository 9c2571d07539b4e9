"""Stopping `wireroom run`: it is acknowledged at once, and the counts are told however it ends."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

import pytest

from tests.cli.held_feeds import held
from tests.cli.terminals import run_on_terminal
from tests.cli.towns import Run
from wireroom.app.run import RunCounts

SEEN = 0.6  # seconds in which a view that is drawn four times a second has been drawn
BY_HAND = "stopping: 12 in flight, Ctrl-C again ends now"


class BusyLoop:
    """Has twelve pages in flight that do not come back until it is told to stop for the last time."""

    next_at: datetime | None = None

    def __init__(self, signals: Sequence[signal.Signals]) -> None:
        self.counts = RunCounts(
            polls=Counter(items=3), articles=Counter(new=7), hosts=Counter({"slow.test": 12})
        )
        self._signals = signals

    def pace(self, _host: str) -> str:
        return ""

    def stop(self) -> None:
        """What is in flight is waited for."""

    async def run(self, *, once: bool) -> RunCounts:
        assert not once
        for number in self._signals:
            os.kill(os.getpid(), number)
            await asyncio.sleep(SEEN)
        return self.counts


Stop = Callable[..., None]


@pytest.fixture
def stop(monkeypatch: pytest.MonkeyPatch) -> Stop:
    """A run that gets these signals, one after the other."""
    held()

    def set_signals(*signals: signal.Signals) -> None:
        @asynccontextmanager
        async def opened(*_given: object, **_options: object) -> AsyncIterator[BusyLoop]:
            yield BusyLoop(signals)

        monkeypatch.setattr("wireroom.app.run.open_run", opened)

    return set_signals


def test_the_live_view_acknowledges_the_first_interrupt(stop: Stop) -> None:
    stop(signal.SIGINT)
    ran = run_on_terminal("run")
    assert ran.code == 130
    assert BY_HAND in ran.out


def test_the_live_view_says_that_it_was_asked_to_end(stop: Stop) -> None:
    stop(signal.SIGTERM)
    ran = run_on_terminal("run")
    assert ran.code == 0
    assert "stopping: 12 in flight" in ran.out
    assert "Ctrl-C" not in ran.out


@pytest.mark.parametrize(
    ("number", "line"), [(signal.SIGINT, BY_HAND), (signal.SIGTERM, "stopping: 12 in flight")]
)
def test_where_nothing_is_redrawn_it_is_a_line(
    stop: Stop, wireroom: Run, number: signal.Signals, line: str
) -> None:
    stop(number)
    assert wireroom("run").err == f"{line}\n"
    assert wireroom("run", "-q").err == ""


def test_a_second_interrupt_leaves_the_counts_on_the_screen(stop: Stop, wireroom: Run) -> None:
    stop(signal.SIGINT, signal.SIGINT)
    ran = wireroom("run")
    assert ran.code == 130
    assert "articles        7  7 new" in ran.out
    assert ran.err == f"{BY_HAND}\n"
    second = wireroom("run", "--json")
    assert (second.code, json.loads(second.out)["articles"]) == (130, {"new": 7})
    shown = run_on_terminal("run").out
    assert "articles        7  7 new" in shown.rpartition(BY_HAND)[2]
