"""Faults in the middle of following, provoked for real: nothing is lost, nobody else is blamed, and it goes on."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.app.run.deeds import POISON, Mortal
from tests.app.run.world import HASTY, LONGEST, QUICK, open_loop, rss, run_once, save, texts, until
from tests.cli.inline import InlineEngine
from tests.namespaces import Kind, own
from tests.parts import REPOSITORY
from wireroom.app import App, open_app
from wireroom.app.factories import Network
from wireroom.app.run import RunLoop, RunOptions
from wireroom.errors import DamagedStoreError
from wireroom.fetch import Fetcher, FetchOptions
from wireroom.model import Lead, Request, Response
from wireroom.ports import Lost, Spread, StoreOptions
from wireroom.store.queue.waking import LONGEST_SLEEP
from wireroom.town import Running, build_town, running_town
from wireroom.urls import host_of
from wireroom.workers.page_jobs import PageAnswer

DAY = timedelta(days=1)
SPARE = 4.0  # seconds a run may take to end beyond what its errands are given; with these it has 9
HELD_UP = (
    1.0  # seconds; steps of a visit read pages for a part of it, waiting for a lock takes longer
)
FEEDS = (rss("anzeiger.test"), rss("phare.test", "feed/"), rss("courier.test"))


@pytest.fixture
def town() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "w.db"


@pytest.fixture
def app(place: Path, town: Running) -> Iterator[App]:
    options = StoreOptions(busy_timeout=timedelta(seconds=0.05))
    with open_app(f"sqlite:///{place}", options=options, clock=town.town.clock.now) as app:
        yield app


def all_read(app: App, town: Running) -> bool:
    """Whether every page that the feeds name is held, once, and nobody holds anything."""
    leads = app.store.leads()
    pages = [(seen.host, seen.path) for seen in town.log]
    return (
        {lead.state for lead in leads} == {"read"}
        and len(texts(app)) == len(leads) > 0
        and not app.store.holders()
        and max(Counter(pages).values()) == 1
    )


# --- the disk and the file


def run_in_own(kind: Kind, script: str, *arguments: str) -> list[str]:
    """What the script says, in a namespace of its own."""
    done = subprocess.run(
        [*own(kind), sys.executable, "-c", SETTING + script, *arguments],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, "nor was an exception forgotten"
    return done.stdout.splitlines()


SETTING = """
import asyncio, contextlib, os, subprocess, sys
from datetime import timedelta
from pathlib import Path
from tests.app.run.world import open_loop, rss, run_once, save, texts, until
from wireroom.app import open_app
from wireroom.errors import StoreError
from wireroom.model import Lead
from wireroom.town import build_town, running_town

def do(*command):
    if subprocess.run(command, capture_output=True).returncode:
        sys.exit(f"{command} failed")

@contextlib.contextmanager
def alone(folder):
    do("ip", "link", "set", "lo", "up")
    with running_town(build_town()) as town:
        with open_app(f"sqlite:///{folder}/w.db", clock=town.town.clock.now) as app:
            yield town, app
"""

FULL_DISK = """
async def main(folder, town):
    with open_app(f"sqlite:///{folder}/w.db", clock=town.town.clock.now) as app:
        save(app, [rss("anzeiger.test"), rss("phare.test", "feed/")])
        ballast = folder / "ballast"
        with ballast.open("wb", buffering=0) as out, contextlib.suppress(OSError):
            while True:
                out.write(b"x" * 4096)
        os.truncate(ballast, ballast.stat().st_size - 40_000)
        async with open_loop(app, town) as loop:
            running = asyncio.create_task(loop.run(once=True))
            await until(lambda: loop.counts.paused)
            print(loop.counts.paused)
            asked = len(town.log)
            print("reads go on:", len(app.store.feeds()), "still running:", not running.done())
            for _ in range(70):
                await asyncio.sleep(0.01)
                if not loop.counts.paused:
                    print("forgot that it is paused")
            print("asks nobody meanwhile:", len(town.log) - asked <= 2)
            ballast.unlink()
            await running
            print("goes on:", loop.counts.paused == "")
        leads = app.store.leads()
        print({lead.state for lead in leads}, len(texts(app)) == len(leads) == 40)

folder = Path(sys.argv[1])
do("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder))
with running_town(build_town()) as town:
    asyncio.run(main(folder, town))
"""


@pytest.mark.long
def test_a_full_disk_pauses_the_run_until_there_is_room(tmp_path: Path) -> None:
    lines = run_in_own("mount", FULL_DISK, str(tmp_path))
    assert lines[0].startswith("There is no room left on the disk")
    assert lines[1:] == [
        "reads go on: 2 still running: True",
        "asks nobody meanwhile: True",
        "goes on: True",
        "{'read'} True",
    ]


READ_ONLY = """
async def main(folder, town):
    url = f"sqlite:///{folder}/w.db"
    with open_app(url, clock=town.town.clock.now) as app:
        save(app, [rss("anzeiger.test")])
    do("mount", "--bind", str(folder), str(folder))
    do("mount", "-o", "remount,bind,ro", str(folder))
    with open_app(url, clock=town.town.clock.now) as app:
        try:
            await run_once(app, town)
        except StoreError as exc:
            print(exc)
        print(len(town.log))

with running_town(build_town()) as town:
    asyncio.run(main(Path(sys.argv[1]), town))
"""


@pytest.mark.long
def test_a_database_that_cannot_be_written_is_reported_in_one_line_before_anybody_is_asked(
    tmp_path: Path,
) -> None:
    message, asked = run_in_own("mount", READ_ONLY, str(tmp_path))
    assert "cannot be written" in message
    assert asked == "0"


@pytest.mark.long
async def test_a_locked_database_is_waited_for(town: Running, app: App, place: Path) -> None:
    save(app, FEEDS)
    async with open_loop(app, town) as loop:
        running = asyncio.create_task(loop.run(once=True))
        await until(lambda: loop.counts.polls.total() > 0)
        with closing(sqlite3.connect(place, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            await until(lambda: loop.counts.paused != "")
            assert "locked" in loop.counts.paused or "busy" in loop.counts.paused
            assert len(app.store.feeds()) == len(FEEDS)  # readers go on
            other.execute("ROLLBACK")
        await asyncio.wait_for(running, LONGEST)
        assert loop.counts.paused == ""
    assert all_read(app, town)


@contextmanager
def locked(place: Path) -> Iterator[None]:
    """Another process is writing, and takes its time."""
    with closing(sqlite3.connect(place, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@pytest.mark.long
async def test_a_run_ends_in_time_although_the_database_is_locked(
    town: Running, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grace = 1.0
    monkeypatch.setattr("wireroom.app.run.loop.GRACE", grace)
    with open_app(f"sqlite:///{place}", clock=town.town.clock.now) as app:  # waits for 90 s
        save(app, FEEDS)
        async with open_loop(app, town) as loop:
            running = asyncio.create_task(loop.run())
            await until(lambda: loop.counts.articles.total() > 0)
            with locked(place):
                await asyncio.sleep(0.3)  # until the clerk waits for the lock
                loop.stop()
                await asyncio.wait_for(running, grace + SPARE)
        town.town.clock.advance(QUICK.lease)  # what it could not give back runs out
        await run_once(app, town)
        assert {lead.state for lead in app.store.leads()} == {"read"}
        assert len(texts(app)) == len(app.store.leads())


@pytest.mark.long
async def test_a_run_that_never_had_the_database_ends_in_good_order(
    town: Running,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("wireroom.app.run.loop.GRACE", 0.5)
    with open_app(f"sqlite:///{place}", clock=town.town.clock.now) as app:
        save(app, FEEDS)
        async with open_loop(app, town) as loop:
            with locked(place):
                running = asyncio.create_task(loop.run())
                await asyncio.sleep(0.3)
                loop.stop()
                counts = await asyncio.wait_for(running, SPARE)
        assert counts.articles.total() == 0
        del running, loop
        gc.collect()
        assert not [record for record in caplog.records if record.name == "asyncio"], (
            "nothing was forgotten"
        )


@pytest.mark.long
async def test_scouting_within_a_run_waits_for_locks_beside_the_loop(
    town: Running, place: Path
) -> None:
    with open_app(f"sqlite:///{place}", clock=town.town.clock.now) as app:
        save(app, [rss("courier.test")])
        async with open_loop(app, town, replace(QUICK, scout=True)) as loop:
            running = asyncio.create_task(loop.run(once=True))
            await until(lambda: len(town.log) > 0)
            with locked(place):
                clock, ticks = asyncio.get_running_loop().time, 0
                ends = clock() + 2 * HELD_UP
                while clock() < ends:
                    began = clock()
                    await asyncio.sleep(0.02)
                    ticks += 1
                    assert clock() - began < HELD_UP
            await asyncio.wait_for(running, LONGEST)
        assert ticks > 3
        assert app.store.dossier("courier.test") is not None


# --- the clock


@pytest.mark.long
@pytest.mark.parametrize("jump", [DAY, -DAY, timedelta(hours=2), -timedelta(hours=2)])
async def test_a_clock_that_jumps_in_mid_run_harms_nothing(
    town: Running, place: Path, jump: timedelta
) -> None:
    offset = [timedelta()]

    def clock() -> datetime:
        return town.town.clock.now() + offset[0]

    with open_app(f"sqlite:///{place}", clock=clock) as app:
        save(app, FEEDS)
        async with open_loop(app, town) as loop:
            running = asyncio.create_task(loop.run(once=True))
            await until(lambda: loop.counts.articles.total() > 0)
            offset[0] = jump
            await asyncio.wait_for(running, LONGEST)
        due = app.store.next_due()
        assert due is not None
        assert due - clock() <= max(-jump, LONGEST_SLEEP)
        offset[0] = max(
            jump, timedelta()
        )  # set right again; it need not be, but then it takes so long
        await run_once(app, town)
        leads = app.store.leads()
        assert {lead.state for lead in leads} == {"read"}
        assert len(texts(app)) == len(leads) == 60
        pages = Counter((seen.host, seen.path) for seen in town.log if seen.path.endswith(".html"))
        assert max(pages.values()) == 1, "nothing is asked twice"


@pytest.mark.long
@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("jump", [DAY, -DAY, timedelta(hours=2), -timedelta(hours=2)])
async def test_what_is_in_flight_when_the_clock_is_set_is_not_asked_for_again(
    town: Running,
    place: Path,
    jump: timedelta,
    processes: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("wireroom.app.run.due_queue.IDLE", 0.1)
    offset, asked, go_on = [timedelta()], Counter[str](), asyncio.Event()
    pages = [story.url for story in town.town.stories("anzeiger.test", limit=3)]

    with open_app(f"sqlite:///{place}", clock=lambda: town.town.clock.now() + offset[0]) as app:
        leads = [Lead(url=url, publisher="anzeiger.test") for url in pages]
        app.store.save_leads(leads, now=app.clock())
        async with Fetcher(FetchOptions(hosts=town.hosts, manners=HASTY)) as fetch:

            async def slowly(request: Request) -> Response:
                asked[request.url] += 1
                await go_on.wait()
                return await fetch(request)

            network = Network(fetch=slowly)
            loops = [RunLoop(app, network, InlineEngine(), QUICK) for _ in range(processes)]
            running = [asyncio.create_task(loop.run(once=False)) for loop in loops]
            await until(lambda: asked.total() == len(pages))
            await asyncio.sleep(0.3)  # all of them have looked for due work by the old time
            offset[0] = jump
            await asyncio.sleep(1.5)  # and look for it again and again
            go_on.set()
            await until(lambda: sum(loop.counts.articles.total() for loop in loops) == len(pages))
            for loop in loops:
                loop.stop()
            await asyncio.wait_for(asyncio.gather(*running), LONGEST)
        assert asked == Counter(pages)
        assert {lead.state for lead in app.store.leads()} == {"read"}


@pytest.mark.long
async def test_each_hosts_limit_holds_although_the_clock_jumps(town: Running, place: Path) -> None:
    """All that was to come up within a day is due at once, and is asked for one by one."""
    offset = [timedelta()]
    gap = timedelta(seconds=0.1)
    with open_app(f"sqlite:///{place}", clock=lambda: town.town.clock.now() + offset[0]) as app:
        save(app, FEEDS)
        options = FetchOptions(hosts=town.hosts, manners=replace(HASTY, gap=gap))
        async with Fetcher(options) as fetch:
            loop = RunLoop(app, Network(fetch=fetch, rest_of=fetch.rest_of), InlineEngine(), QUICK)
            running = asyncio.create_task(loop.run(once=True))
            await until(lambda: loop.counts.articles.total() > 0)
            offset[0] = DAY
            await asyncio.wait_for(running, LONGEST)
        for host in ("anzeiger.test", "phare.test", "courier.test"):
            seen = [request for request in town.log if request.host == host]
            assert max(request.in_flight for request in seen) == 1
            # Seen from the server a request may come late, which shortens one gap.
            assert seen[-1].at - seen[0].at > (len(seen) - 2) * gap.total_seconds()


# --- the network

CUT_OFF = """
async def main(folder):
    with alone(folder) as (town, app):
        save(app, [rss("anzeiger.test"), rss("courier.test"), rss("phare.test", "feed/")])
        do("ip", "address", "flush", "dev", "lo")
        counts = await run_once(app, town)
        print(dict(counts.polls), dict(counts.problems), len(town.log))
        for feed in app.store.feeds():
            wait = feed.poll_after - app.clock()
            unblamed = feed.reliability == rss("a.test").reliability
            print(feed.state, feed.failures, unblamed, wait.total_seconds() < 600)
        do("ip", "address", "add", "127.0.0.1/8", "dev", "lo")
        town.town.clock.advance(wait)
        await run_once(app, town)
        print({feed.failures for feed in app.store.feeds()}, len(app.store.leads()))

asyncio.run(main(Path(sys.argv[1])))
"""


NO_NAMES = """
async def main(folder):
    with alone(folder) as (town, app):
        save(app, [rss(f"paper-{number}.example") for number in range(3)])
        pages = [Lead(url=f"http://star-{letter}.example/a", publisher=f"star-{letter}.example") for letter in "ab"]
        app.store.save_leads(pages, now=app.clock())
        for _ in range(3):
            counts = await run_once(app, town)
            print(dict(counts.problems))
            town.town.clock.advance(timedelta(minutes=2))
        print({(feed.state, feed.failures) for feed in app.store.feeds()})
        print({(lead.state, lead.attempts) for lead in app.store.leads()})

asyncio.run(main(Path(sys.argv[1])))
"""


@pytest.mark.long
def test_when_no_name_can_be_looked_up_nobody_is_blamed(tmp_path: Path) -> None:
    lines = run_in_own("net", NO_NAMES, str(tmp_path))
    assert lines == ["{'our_network': 5}"] * 3 + ["{('live', 0)}", "{('retry', 0)}"]


CUT_IN_MID_RUN = """
async def main(folder):
    with alone(folder) as (town, app):
        save(app, [rss("anzeiger.test"), rss("phare.test", "feed/")])
        async with open_loop(app, town, deadline=4) as loop:
            running = asyncio.create_task(loop.run(once=True))
            await until(lambda: loop.counts.articles.total() > 5)
            do("ip", "address", "flush", "dev", "lo")
            await until(lambda: loop.counts.problems["our_network"] > 0)
            do("ip", "address", "add", "127.0.0.1/8", "dev", "lo")
            await running
        print(set(loop.counts.problems) <= {"our_network", "timeout"})
        print(sum(lead.attempts for lead in app.store.leads()) <= 2)  # one for each that was under way
        town.town.clock.advance(timedelta(minutes=5))
        await run_once(app, town)
        leads = app.store.leads()
        print({lead.state for lead in leads}, len(texts(app)) == len(leads) == 40)
        print({(feed.state, feed.failures) for feed in app.store.feeds()})

asyncio.run(main(Path(sys.argv[1])))
"""


@pytest.mark.long
def test_a_line_that_is_cut_in_mid_run_costs_only_what_was_in_flight(tmp_path: Path) -> None:
    """That nothing comes back is noticed first by the requests that wait for it."""
    lines = run_in_own("net", CUT_IN_MID_RUN, str(tmp_path))
    assert lines == ["True", "True", "{'read'} True", "{('live', 0)}"]


@pytest.mark.long
def test_when_nobody_can_be_reached_no_feed_is_blamed(tmp_path: Path) -> None:
    lines = run_in_own("net", CUT_OFF, str(tmp_path))
    assert lines[0] == "{'failed': 3} {'our_network': 3} 0"
    assert lines[1:4] == ["live 0 True True"] * 3
    assert lines[4] == "{0} 60"


# --- pages and hosts


@pytest.mark.long
async def test_a_page_that_kills_its_worker_costs_nobody_but_itself(
    town: Running, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wireroom.app.run.loop.RunJob", Mortal)
    save(app, [rss("anzeiger.test")])
    async with open_loop(app, town, workers=1) as loop:
        counts = await asyncio.wait_for(loop.run(once=True), LONGEST)
    assert counts.leads == {"read": 19, "retry": 1}
    (lost,) = app.store.leads(state="retry")
    assert lost.url.endswith(POISON)
    assert lost.attempts == 1
    assert lost.reason.startswith("too_complex")
    assert [problem.subject_url for problem in app.store.problems()] == [lost.url]


class Unlucky(InlineEngine):
    """Reads in place, but loses one page, as if its worker had died of it."""

    async def spread(self, work: Any, do: Any) -> Spread[Any, Any]:
        async for done in super().spread(work, do):
            if isinstance(done.work, PageAnswer) and done.work.lead.url.endswith(POISON):
                yield Lost(work=done.work, cause="killed", message="its worker was killed")
            else:
                yield done


@pytest.mark.long
async def test_a_page_that_kills_its_worker_is_tried_three_times_and_then_by_hand(
    town: Running, app: App
) -> None:
    save(app, [rss("anzeiger.test")])
    for attempts in (1, 2, 3):
        async with Fetcher(FetchOptions(hosts=town.hosts, manners=HASTY)) as fetch:
            loop = RunLoop(app, Network(fetch=fetch), Unlucky(), QUICK)
            await asyncio.wait_for(loop.run(once=True), LONGEST)
        lost = [lead for lead in app.store.leads() if lead.state != "read"]
        assert [(lead.url[-len(POISON) :], lead.attempts) for lead in lost] == [(POISON, attempts)]
        town.town.clock.advance(timedelta(minutes=5))
    assert len(app.store.leads(state="failed")) == 1
    assert app.store.retry_leads(now=app.clock(), publisher="anzeiger.test") == 1


@pytest.mark.long
async def test_pages_that_were_never_tried_are_read_although_the_clock_was_set_back(
    town: Running, place: Path
) -> None:
    now = town.town.clock.now()
    with open_app(f"sqlite:///{place}", clock=lambda: now) as app:
        save(app, [rss("anzeiger.test")])
        url = town.town.stories("anzeiger.test", limit=1)[0].url
        app.store.save_leads([Lead(url=url, publisher="anzeiger.test")], now=now + DAY)
        await run_once(app, town)
        assert {lead.state for lead in app.store.leads()} == {"read"}
        assert len(texts(app)) == 20


@dataclass(slots=True)
class Slow:
    """Asks as usual, but the pages of one host do not come before `let_go`."""

    fetch: Fetcher
    host: str
    let_go: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: int = 0

    async def __call__(self, request: Request) -> Response:
        if host_of(request.url) == self.host and request.purpose == "read":
            self.waiting += 1
            await self.let_go.wait()
        return await self.fetch(request)


@pytest.mark.long
async def test_a_slow_host_holds_its_share_and_no_more(town: Running, app: App) -> None:
    save(app, FEEDS)
    options = replace(QUICK, in_flight=12, per_host=3)
    async with Fetcher(FetchOptions(hosts=town.hosts, manners=HASTY)) as fetch:
        slow = Slow(fetch, "anzeiger.test")
        loop = _loop_on(app, slow, options)
        running = asyncio.create_task(loop.run(once=True))
        await until(lambda: loop.counts.articles.total() >= 40)  # all of the others
        assert 0 < slow.waiting <= 2 * options.per_host
        slow.let_go.set()
        await asyncio.wait_for(running, LONGEST)
    assert all_read(app, town)


def _loop_on(app: App, fetch: Slow, options: RunOptions) -> RunLoop:
    return RunLoop(app, Network(fetch=fetch), InlineEngine(), options)


async def test_a_damaged_file_is_not_written_to(town: Running, tmp_path: Path) -> None:
    """Where the run would not come upon the damage by itself: it looks for it first."""
    file = tmp_path / "w.db"
    with open_app(f"sqlite:///{file}", clock=town.town.clock.now) as app:
        save(app, [rss("anzeiger.test")])
        await run_once(app, town)
    with file.open("r+b") as opened:
        opened.seek(int(file.stat().st_size * 0.8))
        opened.write(bytes(60_000))
    town.forget()
    before = file.read_bytes()
    with (
        open_app(f"sqlite:///{file}", clock=town.town.clock.now) as app,
        pytest.raises(DamagedStoreError, match="is damaged") as caught,
    ):
        await run_once(app, town)
    assert "***" not in str(caught.value)
    assert "Keep the file" in caught.value.hint
    assert file.read_bytes() == before
    assert town.log.count() == 0
