"""Whether a run lives, and why nothing is done: who has the hosts, what rests until when, what comes up later."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from wireroom import open_app
from wireroom.app.holders import holder_name
from wireroom.app.host_leases import HostLeases
from wireroom.app.waiting import (
    LATE,
    IdleCause,
    IdleReason,
    QueueState,
    RunLife,
    blocked_work,
    is_run_alive,
    known_runs,
    later_work,
    run_life,
)
from wireroom.model import Feed
from wireroom.ports import HostRecord, RunRecord

NOW = datetime(2026, 11, 17, 9, 0, tzinfo=UTC)
SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
ELSEWHERE = "run-desk.1f-7-9-00000000"
FEED = Feed(url="https://courier.test/rss", publisher="courier.test", kind="rss")


def queue(*hosts: HostRecord, dead: frozenset[str] = frozenset()) -> QueueState:
    return QueueState(now=NOW, hosts={host.name: host for host in hosts}, dead=dead)


DUE = HostRecord(name="courier.test", lead_after=NOW - MINUTE)
HELD = replace(DUE, holder=ELSEWHERE, leased_until=NOW + MINUTE, lead_after=NOW + MINUTE)
RESTS = HostRecord(name="faro.test", feed_after=NOW, leased_until=NOW + HOUR)


def reasons(*hosts: HostRecord, dead: frozenset[str] = frozenset()) -> list[IdleReason]:
    return list(blocked_work(queue(*hosts, dead=dead)))


def test_hosts_that_others_hold_and_hosts_that_rest_are_named() -> None:
    assert reasons(HELD, RESTS) == [
        IdleReason(
            cause=IdleCause.HOSTS_HELD,
            count=1,
            until=NOW + MINUTE,
            who="a run on desk (process 7)",
            names=("courier.test",),
        ),
        IdleReason(cause=IdleCause.HOSTS_REST, count=1, until=NOW + HOUR, names=("faro.test",)),
    ]


@pytest.mark.parametrize(
    "host",
    [
        DUE,
        replace(RESTS, feed_after=NOW + 2 * HOUR),  # nothing is due there before it has rested
        replace(HELD, lead_after=None),  # it is scouted, and nothing waits for it
    ],
)
def test_what_holds_nothing_up_is_no_reason(host: HostRecord) -> None:
    assert reasons(host) == []


def test_hosts_of_a_killed_process_hold_nothing_up() -> None:
    assert reasons(HELD, dead=frozenset({ELSEWHERE})) == []


def test_what_comes_up_later_and_what_never_does() -> None:
    feeds = [
        replace(FEED, name="soon", poll_after=NOW + MINUTE),
        replace(FEED, name="late", poll_after=NOW + HOUR),
        replace(FEED, name="asleep", state="paused"),
        replace(FEED, name="over", state="gone"),
    ]
    found = list(later_work(queue(HostRecord(name="a.test", lead_after=NOW + HOUR)), feeds))
    assert [(each.cause, each.count, each.until, each.names) for each in found] == [
        (IdleCause.FEEDS_LATER, 2, NOW + MINUTE, ("soon", "late")),
        (IdleCause.PAGES_LATER, 0, NOW + HOUR, ()),
        (IdleCause.FEEDS_PAUSED, 1, None, ("asleep",)),
        (IdleCause.FEEDS_GONE, 1, None, ("over",)),
    ]
    assert list(later_work(queue(), [FEED])) == []


@pytest.mark.parametrize(
    ("seen", "is_dead", "is_here", "life"),
    [
        (20 * SECOND, False, True, RunLife.AT_WORK),
        (20 * SECOND, False, False, RunLife.AT_WORK),
        (LATE + SECOND, False, True, RunLife.STALLED),
        (LATE + SECOND, False, False, RunLife.SILENT),
        (20 * SECOND, True, True, RunLife.KILLED),
        (HOUR, True, True, RunLife.KILLED),
        (-HOUR, False, True, RunLife.AT_WORK),  # the clock was set back
    ],
)
def test_how_a_run_does(seen: timedelta, is_dead: bool, is_here: bool, life: RunLife) -> None:
    record = RunRecord(holder="r", began_at=NOW - HOUR, seen_at=NOW - seen)
    assert run_life(record, NOW, is_dead=is_dead, is_here=is_here) is life


def test_a_run_that_was_killed_is_known_until_the_next_one_begins() -> None:
    mine = holder_name()
    head, began, tail = mine.rsplit("-", 2)
    dead = f"{head}-{int(began) - 1}-{tail}"
    with open_app("sqlite://", clock=lambda: NOW) as app:
        app.store.queue.save_run(RunRecord(holder=dead, began_at=NOW - HOUR, seen_at=NOW))
        assert [run.life for run in known_runs(app)] == [RunLife.KILLED]
        assert not is_run_alive(app)
        app.store.queue.save_run(RunRecord(holder=mine, began_at=NOW, seen_at=NOW))
        HostLeases(app, mine).release_dead()
        assert [(run.holder, run.life) for run in known_runs(app)] == [(mine, RunLife.AT_WORK)]
        assert is_run_alive(app)


def test_a_run_of_another_machine_is_forgotten_after_a_day_of_silence() -> None:
    silent, other = ELSEWHERE, ELSEWHERE.replace("desk", "news")
    with open_app("sqlite://", clock=lambda: NOW) as app:
        for holder, seen in ((silent, 25 * HOUR), (other, 23 * HOUR)):
            run = RunRecord(holder=holder, began_at=NOW - 48 * HOUR, seen_at=NOW - seen)
            app.store.queue.save_run(run)
        HostLeases(app, holder_name()).release_dead()
        assert [(run.holder, run.life) for run in known_runs(app)] == [(other, RunLife.SILENT)]
