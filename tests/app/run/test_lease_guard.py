"""Leases that could not be renewed in time: nothing is asked for that may be in other hands by now."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from tests.app.run.world import HASTY, LONGEST, QUICK, rss, run_once, save, texts, until
from tests.cli.inline import InlineEngine
from wireroom.app import App, open_app
from wireroom.app.factories import Network
from wireroom.app.host_leases import HostLeases, LeaseGuard
from wireroom.app.run import RunLoop
from wireroom.fetch import Fetcher, FetchOptions
from wireroom.model import Request, Response
from wireroom.ports import Store
from wireroom.town import Running, build_town, running_town

LEASE = timedelta(seconds=1)
NOW = datetime(2026, 11, 16, tzinfo=UTC)


# --- alone


@dataclass
class Renewing:
    """A store that knows which hosts are whose, and notes for which it was asked."""

    held: tuple[str, ...] = ("a.test", "b.test")
    asked: list[list[str]] = field(default_factory=list)

    def renew(self, *, hosts: list[str], **_: object) -> tuple[str, ...]:
        self.asked.append(hosts)
        return tuple(host for host in hosts if host in self.held)


@dataclass
class Guarded:
    """Leases on hosts in use, and whether requests are paused."""

    store: Renewing = field(default_factory=Renewing)
    in_flight: dict[asyncio.Task[Any], str] = field(default_factory=dict)
    paused: list[bool] = field(default_factory=list)
    now: datetime = NOW

    def open(self, lease: timedelta, *hosts: str) -> LeaseGuard:
        app = App(cast(Store, self.store), clock=lambda: self.now)
        leases = HostLeases(app, "me", lease=lease)
        for host in hosts:
            leases.use(host)
        return LeaseGuard(leases, self.in_flight, clock=app.clock, pause=self.paused.append)


async def nothing() -> None:
    """Beside renewals there is nothing to do."""


async def test_a_task_on_a_lost_host_ends_before_it_asks() -> None:
    guarded = Guarded(store=Renewing(held=("b.test",)))
    guard = guarded.open(timedelta(seconds=0.09), "a.test", "b.test")
    guard.begin()
    go = asyncio.Event()

    async def ask() -> str:
        with guard.asking():
            await go.wait()
        return "asked"

    tasks = {host: asyncio.create_task(ask()) for host in ("a.test", "b.test")}
    guarded.in_flight.update({task: host for host, task in tasks.items()})
    keeping = asyncio.create_task(guard.keep(nothing))
    with pytest.raises(asyncio.CancelledError):
        await tasks["a.test"]
    go.set()
    assert await tasks["b.test"] == "asked"
    keeping.cancel()
    assert guarded.store.asked[0] == ["a.test", "b.test"]


async def test_what_has_been_fetched_is_kept_although_the_host_is_lost() -> None:
    guarded = Guarded(store=Renewing(held=()))
    guard = guarded.open(timedelta(seconds=0.09), "a.test")
    guard.begin()

    async def read() -> str:
        with guard.asking():
            await asyncio.sleep(0)
        await until(lambda: bool(guarded.store.asked))
        return "read"

    task = asyncio.create_task(read())
    guarded.in_flight[task] = "a.test"
    keeping = asyncio.create_task(guard.keep(nothing))
    assert await task == "read"
    keeping.cancel()


async def test_after_a_jump_of_the_clock_leases_are_looked_at_before_anything_is_asked() -> None:
    guarded = Guarded()
    guard = guarded.open(timedelta(minutes=1))
    guard.begin()
    await guard.sure()
    assert guarded.store.asked == []
    keeping = asyncio.create_task(guard.keep(nothing))
    guarded.now += timedelta(days=1)
    await guard.sure()
    assert len(guarded.store.asked) == 1
    assert guarded.paused == [True, False]
    keeping.cancel()


async def never_asked(request: Request) -> Response:
    raise AssertionError(request.url)


def test_requests_go_on_when_nobody_has_a_reason_to_pause_them_any_more() -> None:
    paused: list[bool] = []
    network = Network(fetch=never_asked, pause=paused.append)
    network.pause_for("readers", True)
    network.pause_for("leases", True)
    network.pause_for("readers", False)
    assert paused == [True]
    network.pause_for("leases", False)
    assert paused == [True, False]


# --- two runs on one database


@pytest.fixture
def town() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


class Stuck:
    """A store that hangs when leases are renewed, until it is let go; all of the thread's work with it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.hangs = threading.Event()
        self.let_go = threading.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def renew(self, **more: Any) -> tuple[str, ...]:
        self.hangs.set()
        assert self.let_go.wait(LONGEST)
        return self._store.renew(**more)


@pytest.mark.long
async def test_a_run_that_hung_for_longer_than_its_lease_asks_for_nothing_twice(
    town: Running, tmp_path: Path
) -> None:
    url, clock = f"sqlite:///{tmp_path}/w.db", town.town.clock
    options = replace(QUICK, lease=LEASE)
    slowly = FetchOptions(hosts=town.hosts, manners=replace(HASTY, gap=timedelta(seconds=0.2)))
    with open_app(url, clock=clock.now) as own, open_app(url, clock=clock.now) as app:
        stuck = Stuck(own.store)
        save(app, [rss("anzeiger.test")])
        async with Fetcher(slowly) as fetch:
            hung = RunLoop(
                App(cast(Store, stuck), clock=clock.now),
                Network(fetch=fetch, pause=fetch.pause),
                InlineEngine(),
                options,
            )
            running = asyncio.create_task(hung.run(once=True))
            await until(stuck.hangs.is_set)
            await asyncio.sleep(LEASE.total_seconds())
            asked = len(town.log)
            clock.advance(2 * LEASE)
            await run_once(app, town, options)
            stuck.let_go.set()
            await asyncio.wait_for(running, LONGEST)
        assert {lead.state for lead in app.store.leads()} == {"read"}
        assert len(texts(app)) == 20
        assert app.store.holders() == ()
    later = Counter(seen.path for seen in [*town.log][asked:] if seen.path != "/robots.txt")
    assert max(later.values()) == 1
    assert (
        hung.counts.articles.total() < 10
    )  # the rest of what it had in flight was left to the other
