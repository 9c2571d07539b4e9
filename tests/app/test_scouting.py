"""Scouting on the town: what is asked, what is kept, what is asked again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.fetch.proxies import socks5
from tests.holding import save_feeds
from wireroom.app import App, open_app
from wireroom.app.host_leases import LEASE, HostLeases
from wireroom.app.scout import Scouting
from wireroom.errors import UnreachableError
from wireroom.fetch import Fetcher, FetchOptions
from wireroom.fetch.fetch_options import Manners
from wireroom.model import Dossier, Feed
from wireroom.scout.address import read_address
from wireroom.scout.runner import Progress
from wireroom.town import Running, build_town, running_town

HASTY = Manners(gap=timedelta(), rest_after_burst=timedelta(), longest_wait=timedelta(seconds=5))


@pytest.fixture(scope="module")
def served() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


@pytest.fixture
def town(served: Running) -> Running:
    served.forget()
    return served


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    with open_app(f"sqlite:///{tmp_path}/w.db") as app:
        yield app


def fetcher(town: Running) -> Fetcher:
    return Fetcher(FetchOptions(hosts=town.hosts, manners=HASTY, deadline=timedelta(seconds=20)))


async def scout(
    scouting: Scouting, address: str, *, refresh: bool = False
) -> tuple[list[Progress], Dossier]:
    parts = [part async for part in scouting.scout(read_address(address), refresh=refresh)]
    dossier = parts.pop()
    assert isinstance(dossier, Dossier)
    return [part for part in parts if isinstance(part, Progress)], dossier


@pytest.mark.long
async def test_a_publisher_is_scouted_once_a_day(town: Running, app: App) -> None:
    async with fetcher(town) as fetch:
        scouting = Scouting(app, fetch, offline=True)
        _, first = await scout(scouting, "courier.test")
        asked = len(town.log.requests_to("courier.test"))
        progress, second = await scout(scouting, "courier.test")
    assert first.publisher.home_url == "http://courier.test/", "https is not spoken there"
    assert len(town.log.requests_to("courier.test", "/robots.txt")) == 1
    assert len(town.log.requests_to("courier.test", "/")) == 1
    assert [seen.path for seen in town.log.requests_to("courier.test")][asked:] == []
    assert asked <= 30
    assert {step.step for step in progress if step.status == "reused"} >= {"robots", "homepage"}
    assert second.rights == first.rights
    assert app.store.dossier("courier.test") == second


async def test_a_publisher_whose_feed_has_a_proxy_is_scouted_through_it(
    town: Running, app: App
) -> None:
    pytest.importorskip("python_socks", reason="python-socks comes with the socks extra")
    hosts = {"courier.test": "127.0.0.1:9"}  # where nobody listens: there is no way but the proxy
    options = FetchOptions(hosts=hosts, manners=HASTY, deadline=timedelta(seconds=20))
    async with socks5(to=town.address("courier.test")) as diary, Fetcher(options) as fetch:
        proxy = f"socks5://127.0.0.1:{diary.port}"
        feed = Feed(
            url="http://courier.test/rss", publisher="courier.test", kind="rss", proxy=proxy
        )
        save_feeds(app.store, [feed], now=app.clock())
        _, dossier = await scout(Scouting(app, fetch, offline=True), "http://courier.test/")
    outcomes = {finding.step: finding.outcome for finding in dossier.findings}
    assert (outcomes["robots"], outcomes["homepage"], outcomes["feeds"]) == ("yes", "yes", "yes")


async def test_refresh_asks_again(town: Running, app: App) -> None:
    async with fetcher(town) as fetch:
        scouting = Scouting(app, fetch, offline=True, rest=timedelta())
        await scout(scouting, "courier.test")
        progress, _ = await scout(scouting, "courier.test", refresh=True)
    assert not [step for step in progress if step.status == "reused"]
    assert len(town.log.requests_to("courier.test", "/")) == 2


async def test_another_page_is_judged_by_the_robots_that_is_known(town: Running, app: App) -> None:
    async with fetcher(town) as fetch:
        scouting = Scouting(app, fetch, offline=True, rest=timedelta())
        await scout(scouting, "faro.test")
        _, second = await scout(scouting, "http://faro.test/buscar/x")
    access = next(found for found in second.findings if found.step == "access")
    assert access.facts["page_url"] == "http://faro.test/buscar/x"
    assert len(town.log.requests_to("faro.test", "/robots.txt")) == 1


async def test_two_at_once_share_one_run(town: Running, app: App) -> None:
    async with fetcher(town) as fetch:
        scouting = Scouting(app, fetch, offline=True)
        await asyncio.gather(*(scout(scouting, "phare.test", refresh=True) for _ in range(3)))
    assert len(town.log.requests_to("phare.test", "/")) == 1


async def test_two_desks_on_one_database_share_one_run(town: Running, app: App) -> None:
    async with fetcher(town) as fetch:
        both = [Scouting(app, fetch, offline=True, rest=timedelta()) for _ in range(2)]
        await asyncio.gather(*(scout(scouting, "akti.test") for scouting in both))
    assert len(town.log.requests_to("akti.test", "/")) == 1


@pytest.mark.long
async def test_what_a_broken_off_scout_found_is_kept_and_the_rest_is_done_later(
    town: Running, app: App
) -> None:
    async with fetcher(town) as fetch:
        scouting = Scouting(app, fetch, offline=True, rest=timedelta())
        running = scouting.scout(read_address("courier.test"))
        async for part in running:
            if isinstance(part, Progress) and part.step == "homepage" and part.finding:
                break
        await running.aclose()
        half = app.store.dossier("courier.test")
        assert half is not None
        kept = {found.step for found in half.findings if found.outcome != "skipped"}
        progress, whole = await scout(scouting, "courier.test")
    assert {step.step for step in progress if step.status == "reused"} == kept >= {"homepage"}
    assert len(whole.findings) > len(half.findings)


async def test_every_step_is_emitted_as_events_in_order(town: Running, app: App) -> None:
    async with fetcher(town) as fetch:
        progress, _ = await scout(Scouting(app, fetch, offline=True), "courier.test")
    events = [event for event in app.store.events() if event.subject == "courier.test"]
    emitted = [
        (event.kind, event.data["step"]) for event in events if event.kind.startswith("step_")
    ]
    assert emitted == [(f"step_{step.status}", step.step) for step in progress]
    assert events[-1].kind == "scout_completed"


async def test_nobody_there_is_an_error_and_leaves_nothing_behind(app: App, town: Running) -> None:
    async with fetcher(town) as fetch:
        with pytest.raises(UnreachableError):
            await scout(Scouting(app, fetch, offline=True), "http://127.0.0.1.nobody.invalid/")
    assert app.store.publishers() == ()


async def test_what_was_saved_on_the_way_does_not_keep_the_whole_from_being_saved(
    town: Running, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wireroom.app.scout_log.KEPT_EVERY", 0.0)
    async with fetcher(town) as fetch:
        _, dossier = await scout(Scouting(app, fetch, offline=True), "courier.test")
    held = app.store.dossier("courier.test")
    assert held is not None
    assert held.scouted_at == dossier.scouted_at
    assert {finding.step for finding in held.findings} == {
        finding.step for finding in dossier.findings
    }
    assert {finding.step for finding in app.store.history("courier.test")} == {
        finding.step for finding in dossier.findings
    }


async def test_a_host_is_held_as_long_as_it_is_asked_and_comes_back_when_its_holder_is_dead(
    app: App,
) -> None:
    now = app.clock()
    moving = App(app.store, clock=lambda: now)
    leases = HostLeases(moving, "one")

    def other_takes() -> bool:
        return app.store.take_host("courier.example", holder="two", now=now, lease=LEASE)

    for _ in range(3):
        await leases.hold("courier.example")
        assert not other_takes()
        now += LEASE * 0.75
    assert not other_takes(), "the last request has renewed it"
    now += LEASE
    assert other_takes()
