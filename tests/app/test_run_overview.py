"""The run as a page shows it: the stages, the hosts, the problems, the rates, the store."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.app.queries import noted_queries
from tests.app.run.world import rss, run_once, save
from tests.store.samples import lead
from wireroom.app import App
from wireroom.app.holders import holder_name
from wireroom.app.run_overview import PageFunnel, last_run, read_funnel, run_overview
from wireroom.app.waiting import WaitsFor
from wireroom.ports import RunRecord
from wireroom.town import Running

HOUR = timedelta(hours=1)


def test_the_stages_follow_from_what_became_of_pages() -> None:
    tallies = {
        "found": 20,
        "lead_read": 8,
        "lead_duplicate": 2,
        "lead_refused": 4,
        "lead_failed": 3,
        "lead_retry": 5,
        "unreadable": 1,
        "article_new": 7,
        "article_changed": 1,
        "article_same": 2,
    }
    assert read_funnel(tallies) == PageFunnel(
        found=20,
        refused=4,
        allowed=13,
        fetched=11,
        read=10,
        new=7,
        changed=1,
        same=2,
        duplicate=2,
        unreadable=1,
        failed=2,
        retried=5,
    )
    assert read_funnel({}) == PageFunnel()


@pytest.mark.long
async def test_what_a_run_did_is_kept_when_it_has_ended(town: Running, app: App) -> None:
    save(app, [rss("courier.test"), rss("toll.test")])
    counts = await run_once(app, town)
    found = run_overview(app)
    assert found.last is not None
    assert (found.runs, found.run_alive, found.current) == ((), False, ())
    assert found.today == found.last.funnel, "it was the only run today"
    assert found.today.new == counts.articles["new"] > 0
    assert found.today.found == counts.items["new"]
    assert found.today.read <= found.today.fetched <= found.today.allowed
    assert found.last.polls == counts.polls.total()
    assert found.problems["payment_required"] == 20
    assert (found.rate, sum(found.per_minute.values())) == (
        round(found.today.new / 60, 2),
        found.today.new,
    )
    assert found.counts["articles"] == found.today.new
    assert found.size > 100_000
    await run_once(app, town)
    again = run_overview(app)
    assert again.last is not None
    assert (again.last.funnel.new, again.today.new) == (0, found.today.new)


def test_a_run_under_way_tells_what_it_did_so_far(app: App) -> None:
    now = app.clock()
    run = RunRecord(
        holder=holder_name(),
        began_at=now - HOUR,
        seen_at=now,
        counts={"found": 9, "polls": 3, "article_new": 2},
    )
    app.store.queue.save_run(run, done={"found": 4})
    found = run_overview(app, counts=False)
    (current,) = found.current
    assert (current.took, current.funnel.found, current.polls) == (HOUR, 9, 3)
    assert (found.today.found, found.run_alive, found.last, found.counts) == (4, True, None, {})


def test_lanes_say_what_a_host_waits_for(app: App) -> None:
    now, store = app.clock(), app.store
    hosts = ["busy.test", "rests.test", "ready.test", "other.test"]
    store.save_leads([lead(number, host) for host in hosts for number in range(2)], now=now)
    me = holder_name()
    taken = store.take_leads(holder=me, now=now, limit=1, lease=HOUR)
    busy = taken[0].publisher
    rests, other, ready = (host for host in hosts if host != busy)
    store.take_host(rests, holder="run-b", now=now, lease=HOUR)
    store.release(holder="run-b", now=now, rest=HOUR)
    store.take_host(other, holder=holder_name("scout"), now=now, lease=HOUR)
    lanes = {lane.host: lane for lane in run_overview(app).lanes}
    waits = {host: lane.wait.on for host, lane in lanes.items() if lane.wait is not None}
    assert waits == {
        busy: WaitsFor.IN_FLIGHT,
        rests: WaitsFor.REST,
        other: WaitsFor.HOST,
        ready: WaitsFor.RUN,
    }
    assert (lanes[busy].in_flight, lanes[busy].due, lanes[busy].more_due) == (1, 1, False)
    wait = lanes[other].wait
    assert wait is not None
    assert wait.who.startswith("a scout on ")


def test_hosts_whose_work_is_due_later_are_lanes_too(app: App) -> None:
    now, store = app.clock(), app.store
    waits = [
        lead(number, f"p{number}.test", state="retry", read_after=now + number * HOUR, attempts=1)
        for number in (3, 1, 2)
    ]
    store.save_leads([*waits, lead(4, "ready.test")], now=now)
    found = run_overview(app, lanes=3)
    assert [lane.host for lane in found.lanes] == ["ready.test", "p1.test", "p2.test"]
    waited = [(lane.wait.on, lane.wait.until) for lane in found.lanes[1:] if lane.wait]
    assert waited == [(WaitsFor.TIME, now + HOUR), (WaitsFor.TIME, now + 2 * HOUR)]
    assert (found.lanes_left_out, found.lane_counts.later) == (1, 3)
    assert found.lane_counts.later_until == now + 3 * HOUR
    assert run_overview(app).lanes_left_out == 0


def test_many_hosts_take_as_many_queries_as_few(app: App) -> None:
    counts = []
    for number in range(40):
        app.store.save_leads([lead(number, f"p{number}.test")], now=app.clock())
        if number in {1, 39}:
            with noted_queries() as asked:
                run_overview(app)
            counts.append(len(asked))
    assert 0 < counts[0] == counts[1]
    assert last_run(app) is None
