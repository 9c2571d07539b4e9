"""Hosts that are given back cool down for as long as whoever had them would have left them alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.app.run.world import rss, until
from tests.holding import save_feeds
from wireroom.app import App, open_app
from wireroom.app.host_leases import LONGEST_COOLDOWN, HostLeases
from wireroom.app.run.run_factory import open_run
from wireroom.model import Lead
from wireroom.ports import Store
from wireroom.settings import load_settings
from wireroom.store import open_store
from wireroom.town import build_town, running_town

NOW = datetime(2026, 11, 16, tzinfo=UTC)
SECOND = timedelta(seconds=1)
HOSTS = ("quick.test", "slow.test", "weary.test")
COOLDOWNS = {"slow.test": 10.2 * SECOND, "weary.test": 24 * 60 * 60 * SECOND}


@pytest.fixture
def store() -> Iterator[Store]:
    store = open_store("sqlite://")
    save_feeds(store, [rss(host) for host in HOSTS], now=NOW)
    store.take_feeds(holder="one", now=NOW, limit=9, lease=60 * SECOND)
    yield store
    store.close()


def free_at(store: Store, host: str, after: timedelta) -> bool:
    """Whether another process would get the host so long after; it is given back at once."""
    got = store.take_host(host, holder="two", now=NOW + after, lease=SECOND)
    if got:
        store.release(holder="two", now=NOW + after, hosts=[host])
    return got


def leases_on(store: Store, **more: Any) -> HostLeases:
    app = App(store, clock=lambda: NOW)
    return HostLeases(app, "one", gap=SECOND, **more)


def wanted(host: str) -> timedelta:
    return COOLDOWNS.get(host, timedelta())


def test_each_host_cools_down_as_its_server_wants(store: Store) -> None:
    leases = leases_on(store, rest_of=wanted)
    cooldowns = leases.cooldowns(HOSTS)
    longest = LONGEST_COOLDOWN
    assert cooldowns == {
        SECOND: ["quick.test"],
        11 * SECOND: ["slow.test"],
        longest: ["weary.test"],
    }
    leases.release(cooldowns, now=NOW)
    for host, rest in (("quick.test", SECOND), ("slow.test", 11 * SECOND), ("weary.test", longest)):
        assert not free_at(store, host, rest - 0.1 * SECOND)
        assert free_at(store, host, rest)


def test_a_run_waits_for_pages_behind_a_crawl_delay_and_for_nothing_else(store: Store) -> None:
    leases = leases_on(store, rest_of=wanted)
    leases.release(leases.cooldowns(HOSTS), now=NOW)
    assert leases.slow == {"slow.test"}
    assert leases.next_on_slow() is None  # its feed may be due soon, but that is another run's
    pages = [Lead(url=f"http://{host}/a", publisher=host) for host in HOSTS]
    put_off = Lead(url="http://slow.test/b", publisher="slow.test", state="retry")
    store.save_leads([replace(put_off, read_after=NOW + SECOND)], now=NOW)
    assert leases.next_on_slow() is None
    store.save_leads(pages, now=NOW)
    assert leases.next_on_slow() == NOW + 11 * SECOND


async def test_the_end_frees_what_was_held_beside(store: Store) -> None:
    leases = leases_on(store)
    leases.use("quick.test")
    leases.done("quick.test")
    await leases.give_back_all()
    assert not free_at(store, "quick.test", timedelta())
    assert free_at(store, "slow.test", timedelta())
    assert store.holders() == ()


def test_a_host_in_use_is_not_given_back(store: Store) -> None:
    leases = leases_on(store)
    for _ in range(2):
        leases.use("quick.test")
    leases.done("quick.test")
    assert leases.cool_down() == {}
    assert leases.busy(1) == {"quick.test"}
    leases.done("quick.test")
    assert leases.cool_down() == {SECOND: ["quick.test"]}
    assert leases.cool_down() == {}, "each is named once"


@pytest.mark.long
async def test_a_run_as_the_settings_want_it_lets_hosts_rest_as_robots_txt_asks(
    tmp_path: Path,
) -> None:
    with running_town(build_town()) as town:
        file = tmp_path / "wireroom.toml"
        file.write_text("[run]\nscout = false\n" + town.settings_toml())
        hasty = {"WIREROOM_FETCH__DELAY": "0 s"}
        settings = load_settings(config=str(file), environ=hasty).settings
        with open_app(f"sqlite:///{tmp_path}/w.db") as app:
            save_feeds(app.store, [rss("sentinel.test", "feeds/latest.rss")], now=app.clock())
            async with open_run(app, settings) as loop:
                running = asyncio.create_task(loop.run())
                await until(lambda: loop.counts.articles.total() > 0)
                loop.stop()
                await running
            holder, rest = app.store.host_lease("sentinel.test", now=app.clock())
    assert holder == ""
    assert timedelta() < rest <= 2 * SECOND  # Crawl-delay: 2; our own gap is none
