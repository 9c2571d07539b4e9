"""No silent zeros: `run --once` that does nothing says why, and `status` whether a run lives."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.cli.held_feeds import held, open_held
from tests.cli.inline import use_inline_engine
from tests.cli.test_pausing import ONCE
from tests.cli.towns import Run, write_settings
from wireroom.app.feeds import FollowedFeeds
from wireroom.app.holders import holder_name
from wireroom.ports import RunRecord

DESK = "run-desk.1f-7-9-00000000"
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


@pytest.fixture(autouse=True)
def _feeds(monkeypatch: pytest.MonkeyPatch) -> None:
    use_inline_engine(monkeypatch)
    held()


def hold(name: str, holder: str = DESK, *, rest: timedelta | None = None) -> None:
    with open_held() as app:
        now = app.clock()
        assert app.store.take_host(name, holder=holder, now=now, lease=5 * MINUTE)
        if rest is not None:
            app.store.release(holder=holder, now=now, rest=rest)


def test_a_run_that_does_nothing_says_who_has_the_hosts(wireroom: Run) -> None:
    hold("courier.test")
    ran = wireroom(*ONCE)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert "Nothing was done:" in lines
    reasons = " ".join(line.strip() for line in lines[lines.index("Nothing was done:") + 1 :])
    assert (
        "1 host with work that is due is held by a run on desk (process 7): courier.test" in reasons
    )
    assert "2 feeds are polled later, the first in 1" in reasons
    assert "1 feed is paused: https://phare.test/feed" in reasons
    hold_again = json.loads(wireroom(*ONCE, "--json").out)["left"]
    assert [reason["cause"] for reason in hold_again] == [
        "hosts_held",
        "feeds_later",
        "feeds_paused",
    ]


def test_a_run_that_does_nothing_says_what_rests_until_when(wireroom: Run) -> None:
    hold("courier.test", rest=HOUR)
    (reason, *_) = json.loads(wireroom(*ONCE, "--json").out)["left"]
    assert (reason["cause"], reason["names"]) == ("hosts_rest", ["courier.test"])
    assert reason["until"] is not None
    assert "1 host with work that is due is left alone for" in wireroom(*ONCE).out


def run_line(wireroom: Run) -> str:
    """What `status` says of runs, in one line."""
    lines = wireroom("status").out.splitlines()
    begin = next(place for place, line in enumerate(lines) if line.split()[:1] == ["run"])
    return " ".join(" ".join(lines[begin:]).split())


def test_status_says_that_no_run_is_under_way(wireroom: Run) -> None:
    assert run_line(wireroom).startswith("run none under way: wireroom run")
    assert wireroom("pause", "Courier", "faro.test").code == 0
    assert "every feed is paused" in run_line(wireroom)


@pytest.mark.parametrize(
    ("holder", "seen", "life", "message"),
    [
        ("", MINUTE / 3, "at_work", "run at work since "),
        ("", HOUR, "stalled", "run paused: a run on "),
        (DESK, HOUR, "silent", "run not heard of since 1 h ago: a run on desk (process 7)"),
    ],
)
def test_status_says_whether_a_run_lives_and_since_when(
    wireroom: Run, holder: str, seen: timedelta, life: str, message: str
) -> None:
    holder = holder or holder_name()
    with open_held() as app:
        now = app.clock()
        run = RunRecord(holder=holder, began_at=now - 2 * HOUR, seen_at=now - seen)
        app.store.queue.save_run(run)
    assert run_line(wireroom).startswith(message)
    (data,) = json.loads(wireroom("status", "--json").out)["runs"]
    assert (data["life"], data["holder"]) == (life, holder)


def killed_holder() -> str:
    """The name of a process whose number is used again, by this very one."""
    head, began, tail = holder_name().rsplit("-", 2)
    return f"{head}-{int(began) - 1}-{tail}"


@pytest.mark.parametrize(
    ("holder", "seen", "code", "message"),
    [
        (holder_name(), MINUTE / 3, 0, "run at work since "),
        (holder_name(), HOUR, 3, "run paused: a run on "),
        (killed_holder(), MINUTE / 3, 3, "run killed: a run on "),
        (DESK, MINUTE / 3, 3, "run none under way here"),
    ],
    ids=["at work", "hangs", "killed", "elsewhere"],
)
def test_a_health_check_looks_for_a_run_of_its_own_machine(
    wireroom: Run, holder: str, seen: timedelta, code: int, message: str
) -> None:
    with open_held() as app:
        now = app.clock()
        run = RunRecord(holder=holder, began_at=now - 2 * HOUR, seen_at=now - seen)
        app.store.queue.save_run(run)
    ran = wireroom("status", "--alive")
    assert (ran.code, ran.err) == (code, "")
    assert " ".join(ran.out.split()).startswith(message)
    data = json.loads(wireroom("status", "--alive", "--json").out)
    assert (data["alive"], len(data["runs"])) == (code == 0, holder != DESK)


def test_a_health_check_that_cannot_look_does_not_say_no(wireroom: Run) -> None:
    ran = wireroom("status", "--alive", "--db", "postgresql://desk:hush@127.0.0.1:1/news")
    assert (ran.code, ran.out) == (1, "")


def run_after_kill(wireroom: Run, *, rest: str = "0 s") -> dict[str, Any]:
    """What comes of a run; `rest` is for how long a host is left alone that was given back."""
    write_settings(
        {"courier.test": "127.0.0.1:1", "faro.test": "127.0.0.1:1"}
    )  # where nobody answers
    rests = ("--set", f"fetch.delay={rest}")
    ran: dict[str, Any] = json.loads(wireroom(*ONCE, "--db", "wireroom.db", *rests, "--json").out)
    return ran


@pytest.mark.long
def test_after_a_kill_the_pages_are_taken_up_at_once(wireroom: Run) -> None:
    killed = killed_holder()
    with open_held() as app:
        now = app.clock()
        app.store.queue.save_run(RunRecord(holder=killed, began_at=now - HOUR, seen_at=now))
        for publisher in app.store.publishers():
            app.store.save_publisher(replace(publisher, scout_after=now + HOUR))
        assert len(app.store.take_leads(holder=killed, now=now, limit=9, lease=30 * MINUTE)) == 2
    assert "run killed: a run on " in run_line(wireroom)
    ran = run_after_kill(wireroom)
    assert sum(ran["leads"].values()) == 2, "nobody waits for half an hour"
    assert json.loads(wireroom("status", "--db", "wireroom.db", "--json").out)["runs"] == []


@pytest.mark.long
def test_after_a_kill_the_feeds_are_asked_at_once(wireroom: Run) -> None:
    hold("courier.test")
    with open_held() as app:
        (feed,) = app.store.feeds(publisher="faro.test")
        FollowedFeeds(app).resume([feed])
        taken = app.store.take_feeds(
            holder=killed_holder(), now=app.clock(), limit=9, lease=30 * MINUTE
        )
    assert [each.url for each in taken] == [feed.url]
    ran = run_after_kill(wireroom, rest="1.5 s")  # longer than the run takes to begin
    assert sum(ran["polls"].values()) == 1
