"""Readers of a Ray cluster that are lost: how long it takes until the next one begins, and what their counts come to.

No Ray is needed here; `tests/app/test_ray_engine.py` has a real one.
"""

from __future__ import annotations

from collections import Counter

import pytest

from wireroom.app import ray_run
from wireroom.app.ray_run import RayRun, ReaderReport
from wireroom.app.run.counts import RunCounts
from wireroom.errors import WireroomError
from wireroom.settings import Settings


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(ray_run, "monotonic", lambda: now[0])
    return now


def test_the_wait_doubles_and_is_short_again_after_a_quiet_minute(clock: list[float]) -> None:
    slot = ray_run._ReaderSlot("node")
    assert [slot.note_death() for _ in range(7)] == [0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
    clock[0] += ray_run.LATELY + 1
    assert slot.note_death() == 0.5
    clock[0] += ray_run.RESTARTS_WITHIN
    slot.note_death()
    assert len(slot.deaths) == 2, "what is long ago does not count"


def test_a_reader_that_had_worked_is_begun_anew_at_once(clock: list[float]) -> None:
    slot = ray_run._ReaderSlot("node", had_worked=True)
    assert [slot.note_death() for _ in range(4)] == [0.5] * 4
    slot.had_worked = False
    assert [slot.note_death() for _ in range(3)] == [0.5, 1.0, 2.0]
    slot.had_worked = True
    assert slot.note_death() == 2.0, "its place was lost in vain a moment ago"
    assert not slot.is_given_up


@pytest.mark.parametrize(
    ("had_worked", "most"), [(True, ray_run.RESTARTS_AT_WORK), (False, ray_run.RESTARTS)]
)
def test_readers_that_had_worked_may_be_lost_more_often(
    clock: list[float], had_worked: bool, most: int
) -> None:
    slot = ray_run._ReaderSlot("node", had_worked=had_worked)
    given_up = []
    for _ in range(most + 1):
        slot.note_death()
        given_up.append(slot.is_given_up)
    assert given_up == [False] * most + [True]


async def test_a_reader_that_is_lost_again_and_again_ends_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run, begun = RayRun(Settings()), 0

    async def lost(_slot: object, *, once: bool) -> ReaderReport | None:
        nonlocal begun
        begun += 1
        return None

    monkeypatch.setattr(run, "_read", lost)
    monkeypatch.setattr(ray_run, "alive_nodes", lambda: ["node"])
    monkeypatch.setattr(ray_run, "keep_parsers", lambda: None)  # no cluster, nothing to read
    for name in ("FIRST_WAIT", "LONGEST_WAIT"):
        monkeypatch.setattr(ray_run, name, 0.0)
    with pytest.raises(WireroomError, match="was lost 31 times within 10 minutes"):
        await run.run()
    assert begun == ray_run.RESTARTS + 1


async def test_what_a_reader_cannot_go_on_without_ends_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = RayRun(Settings())

    async def refused(_slot: object, *, once: bool) -> ReaderReport | None:
        return ReaderReport(counts=RunCounts(), error="wants a password", hint="Give one.")

    monkeypatch.setattr(run, "_read", refused)
    monkeypatch.setattr(ray_run, "alive_nodes", lambda: ["node"])
    monkeypatch.setattr(ray_run, "keep_parsers", lambda: None)  # no cluster, nothing to read
    with pytest.raises(WireroomError, match="A reader: wants a password"):
        await run.run(once=True)


def test_counts_of_readers_are_added_up_in_place() -> None:
    first = RunCounts(polls=Counter(items=2), requests=3, hosts=Counter({"courier.test": 1}))
    second = RunCounts(polls=Counter(items=1, same=4), articles=Counter(new=5), paused="full")
    counts = RunCounts()
    counts.become_sum([first, second])
    assert counts.polls == Counter(items=3, same=4)
    assert (counts.requests, counts.articles["new"], counts.paused) == (3, 5, "full")
    assert counts.hosts == Counter({"courier.test": 1})
    assert counts.rate() > 0
    counts.become_sum([first])
    assert counts.articles == Counter()
