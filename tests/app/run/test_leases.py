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
from wireroom.app.run import RunLoop
from wireroom.app.run.counts import RunCounts
from wireroom.app.run.leases import Leases
from wireroom.app.run.request_pause import RequestPause
from wireroom.app.store_thread import StoreThread
from wireroom.fetch import Fetcher, FetchOptions
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
class Kept:
    """Leases on hosts in hand, and whether the brake is on."""

    store: Renewing = field(default_factory=Renewing)
    errands: dict[asyncio.Task[Any], str] = field(default_factory=dict)
    braked: list[bool] = field(default_factory=list)
    now: datetime = NOW

    def open(self, lease: timedelta) -> Leases:
        return Leases(
            StoreThread(cast(Store, self.store), RunCounts()),
            self.errands,
            lambda: sorted(set(self.errands.values())),
            holder="me",
            lease=lease,
            clock=lambda: self.now,
            brake=self.braked.append,
        )


async def nothing() -> None:
    """Beside renewals there is nothing to do."""


async def test_an_errand_on_a_lost_host_ends_before_it_asks() -> None:
    kept = Kept(store=Renewing(held=("b.test",)))
    leases = kept.open(timedelta(seconds=0.09))
    leases.begin()
    go = asyncio.Event()

    async def ask() -> str:
        with leases.asking():
            await go.wait()
        return "asked"

    errands = {host: asyncio.create_task(ask()) for host in ("a.test", "b.test")}
    kept.errands.update({task: host for host, task in errands.items()})
    keeping = asyncio.create_task(leases.keep(nothing))
    with pytest.raises(asyncio.CancelledError):
        await errands["a.test"]
    go.set()
    assert await errands["b.test"] == "asked"
    keeping.cancel()
    assert kept.store.asked[0] == ["a.test", "b.test"]


async def test_what_has_been_fetched_is_kept_although_the_host_is_lost() -> None:
    kept = Kept(store=Renewing(held=()))
    leases = kept.open(timedelta(seconds=0.09))
    leases.begin()

    async def read() -> str:
        with leases.asking():
            await asyncio.sleep(0)
        await until(lambda: bool(kept.store.asked))
        return "read"

    errand = asyncio.create_task(read())
    kept.errands[errand] = "a.test"
    keeping = asyncio.create_task(leases.keep(nothing))
    assert await errand == "read"
    keeping.cancel()


async def test_after_a_jump_of_the_clock_leases_are_looked_at_before_anything_is_asked() -> None:
    kept = Kept()
    leases = kept.open(timedelta(minutes=1))
    leases.begin()
    await leases.sure()
    assert kept.store.asked == []
    keeping = asyncio.create_task(leases.keep(nothing))
    kept.now += timedelta(days=1)
    await leases.sure()
    assert len(kept.store.asked) == 1
    assert kept.braked == [True, False]
    keeping.cancel()


def test_the_brake_is_off_when_nobody_has_a_reason_any_more() -> None:
    told: list[bool] = []
    brake = RequestPause(told.append)
    brake.set("readers", True)
    brake.set("leases", True)
    brake.set("readers", False)
    assert told == [True]
    brake.set("leases", False)
    assert told == [True, False]


# --- two runs on one database


@pytest.fixture
def town() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


class Stuck:
    """A store that hangs when leases are renewed, until it is let go; all of its clerk's work with it."""

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
                fetch,
                InlineEngine(),
                options,
                pause=fetch.pause,
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
    )  # the rest of what it had in hand was left to the other
