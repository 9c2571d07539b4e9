"""Publishers that change their minds, by way of scout, rights and run: a server, a database, a clock that is moved."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.app.changing import Changing, changing_publishers
from tests.app.run.world import HASTY, LONGEST, QUICK, rss, save
from tests.cli.inline import InlineEngine
from tests.entry_points import install
from tests.scout.flips import FLIPS, PAGE, Doc, Flip
from wireroom.app import App, open_app
from wireroom.app.add import Adding
from wireroom.app.factories import Network, RobotsBuffer
from wireroom.app.page_rights import rights_of_many, scout_stale
from wireroom.app.run import RunLoop
from wireroom.app.scout import Scouting, needs_scout, read_address, scout_address, scout_many
from wireroom.errors import RefusedError
from wireroom.fetch import Fetcher, FetchOptions
from wireroom.model import Publisher, Request, Word
from wireroom.rights.policy import word_about
from wireroom.scout.address import Address
from wireroom.settings import Settings
from wireroom.signals import judge

HOST = "courier.test"
HOME = f"http://{HOST}/"
STORY = f"http://{HOST}{PAGE}"
HOUR, DAY = timedelta(hours=1), timedelta(hours=24)
START = datetime(2026, 11, 14, 12, 0, tzinfo=UTC)
RSS = Doc("<rss version='2.0'><channel><title>The Courier</title></channel></rss>", "text/xml")
BARRED = Doc("User-agent: *\nDisallow: /\n")
FLIPPING = {f"flip-{number:02}.test": flip for number, flip in enumerate(FLIPS)}
"""A publisher for each signal; all of them change their minds at the same time."""
Flips = Mapping[str, Flip]
FEW = {host: FLIPPING[host] for host in list(FLIPPING)[5::6]}


@dataclass
class World:
    """Publishers, an app that scouts them, and the time."""

    served: Changing
    app: App
    now: datetime = START

    def serve(self, flip: Flip, *, refusing: bool, host: str = HOST) -> None:
        self.served.docs[host] = {**flip.served(refusing=refusing), "/rss.xml": RSS}

    def put(self, path: str, doc: Doc) -> None:
        self.served.docs[HOST] = {**self.served.docs[HOST], path: doc}


@pytest.fixture
def world() -> Iterator[World]:
    with changing_publishers() as served:
        settings = Settings.model_validate(
            {
                "hosts": served.hosts(HOST, *FLIPPING),
                "fetch": {"delay": "0 s", "timeout": "30 s"},
                "scout": {"offline": True},
                "run": {"scout_every": "1 day"},
            }
        )
        made: list[World] = []
        with open_app("sqlite://", settings=settings, clock=lambda: made[0].now) as app:
            made.append(World(served, app))
            yield made[0]


Words = dict[str, Word]
Round = Callable[[World, Flips, bool], Awaitable[Words]]
"""What is said of each publisher's use after one more round, by force or not."""


async def by_scout(world: World, flips: Flips, refresh: bool) -> Words:
    found: Words = {}
    async for result in scout_many(world.app, stories(flips), refresh=refresh):
        assert result.card is not None, result.error
        host = result.address.domain
        rows = result.card.rights
        found[host] = next(row.word for row in rows if row.use == flips[host].use)
    return found


async def by_rights(world: World, flips: Flips, refresh: bool) -> Words:
    found: Words = {}
    async for result in rights_of_many(world.app, stories(flips), refresh=refresh):
        assert result.rights is not None, result.error
        host = result.address.domain
        found[host] = word_about(result.rights.receipt, flips[host].use)
    return found


async def by_run(world: World, flips: Flips, refresh: bool) -> Words:
    if refresh:
        await by_scout(world, flips, True)
    async with open_run(world) as (loop, _):
        await asyncio.wait_for(loop.run(once=True), LONGEST)
    found: Words = {}
    for host, flip in flips.items():
        dossier = world.app.store.dossier(host)
        assert dossier is not None
        verdicts = judge(dossier.findings, f"http://{host}/", now=world.now)
        found[host] = next(verdict.value for verdict in verdicts if verdict.use == flip.use)
    return found


def stories(flips: Flips) -> list[Address]:
    return [read_address(f"http://{host}{PAGE}") for host in flips]


@asynccontextmanager
async def open_run(world: World, *, scout: bool = True) -> AsyncIterator[tuple[RunLoop, Fetcher]]:
    robots = RobotsBuffer(world.app.store)
    hosts = world.served.hosts(HOST, *FLIPPING)
    fetch_options = FetchOptions(hosts=hosts, manners=HASTY, deadline=timedelta(seconds=30))
    options = replace(QUICK, scout=scout, scout_every=DAY)
    async with Fetcher(fetch_options, robots_store=robots) as fetch, InlineEngine() as engine:
        scouting = Scouting(world.app, fetch, offline=True, rest=timedelta(), leases=False)
        network = Network(fetch=fetch, scouting=scouting, robots=robots)
        yield RunLoop(world.app, network, engine, options), fetch


ROUNDS: dict[str, Round] = {"scout": by_scout, "rights": by_rights, "run": by_run}
EVERY = (1, 12, 20, 25, 170)
"""Hours between two rounds."""


async def see_each_flip(world: World, flips: Flips, by: str, every: int) -> None:
    """Everybody refuses after the first round, and permits again once that was seen.

    A flip comes right after an answer, so that it has the longest time to stay unseen: it may until the settings' day
    is over, and a round that comes later sees it.
    """
    save(world.app, map(rss, flips))
    serve_all(world, flips, refusing=False)
    await play_round(world, flips, by, refusing=False)
    for refusing in (True, False):
        serve_all(world, flips, refusing=refusing)
        answered = world.now
        while world.now - answered < DAY:
            world.now += every * HOUR
            due = world.now - answered >= DAY
            await play_round(world, flips, by, refusing=refusing if due else not refusing)


def serve_all(world: World, flips: Flips, *, refusing: bool) -> None:
    for host, flip in flips.items():
        world.serve(flip, refusing=refusing, host=host)


async def play_round(
    world: World, flips: Flips, by: str, *, refusing: bool, refresh: bool = False
) -> None:
    """Looks at all, and sees everybody refuse, or permit."""
    seen = await ROUNDS[by](world, flips, refresh)
    wrong = {
        flip.name: (seen[host], flip.expected(refusing=refusing))
        for host, flip in flips.items()
        if seen[host] != flip.expected(refusing=refusing)
    }
    assert wrong == {}, f"{by} at {world.now:%d %H:%M}: seen, expected"


async def see_each_flip_at_once(world: World, flips: Flips, by: str) -> None:
    save(world.app, map(rss, flips))
    for refusing in (False, True, False):
        serve_all(world, flips, refusing=refusing)
        world.now += HOUR
        await play_round(world, flips, by, refusing=refusing, refresh=True)


@pytest.mark.parametrize("by", ROUNDS)
async def test_some_flips_are_seen_by_the_time_the_settings_promise(world: World, by: str) -> None:
    await see_each_flip(world, FEW, by, 20)


@pytest.mark.long
@pytest.mark.timeout(600)  # a hundred scouts and more, on whatever machine
@pytest.mark.parametrize("every", EVERY)
@pytest.mark.parametrize("by", ROUNDS)
async def test_each_flip_is_seen_by_the_time_the_settings_promise(
    world: World, by: str, every: int
) -> None:
    await see_each_flip(world, FLIPPING, by, every)


@pytest.mark.long
@pytest.mark.timeout(600)  # a hundred scouts and more, on whatever machine
@pytest.mark.parametrize("by", ROUNDS)
async def test_each_flip_is_seen_at_once_by_who_asks_for_everything(world: World, by: str) -> None:
    await see_each_flip_at_once(world, FLIPPING, by)


async def test_a_scout_that_finds_itself_barred_sends_nothing_more(world: World) -> None:
    world.serve(FLIPS[0], refusing=False)
    await scout_address(world.app, read_address(HOME))
    world.put("/robots.txt", BARRED)
    world.served.asked.clear()
    dossier = await scout_address(world.app, read_address(HOME), refresh=True)
    assert world.served.requests_to(HOST) == ["/robots.txt"]
    access = next(found for found in dossier.findings if found.step == "access")
    assert access.facts["url_allowed"] is False


async def test_a_run_obeys_at_once_what_a_scout_has_read(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wireroom.fetch.robots_cache.COMPARED_EVERY", -1.0)
    world.serve(FLIPS[0], refusing=False)
    async with open_run(world) as (_, fetch):
        await fetch(Request(url=STORY, purpose="read"))
        world.put("/robots.txt", BARRED)
        await scout_address(world.app, read_address(HOME), refresh=True)  # as another process would
        world.served.asked.clear()
        with pytest.raises(RefusedError):
            await fetch(Request(url=STORY, purpose="read"))
    assert world.served.asked == []


@pytest.mark.parametrize("by", ["add", "scout"])
async def test_how_often_is_looked_again_holds_for_whoever_looked(world: World, by: str) -> None:
    world.serve(FLIPS[0], refusing=False)
    if by == "add":
        from wireroom.app.factories import open_adding

        async with open_adding(world.app, world.app.settings) as adding:
            assert isinstance(adding, Adding)
            await adding.add(HOST)
    else:
        await scout_address(world.app, read_address(HOST))
    publisher = world.app.store.publisher(HOST)
    assert publisher is not None
    assert publisher.scout_after == world.now + DAY
    world.now += 20 * HOUR
    await scout_address(world.app, read_address(HOST))
    publisher = world.app.store.publisher(HOST)
    assert publisher is not None
    assert publisher.scout_after == START + DAY, "a round that asks nobody puts nothing off"


async def test_a_run_finds_a_publisher_by_http_that_was_known_by_https(world: World) -> None:
    world.serve(FLIPS[0], refusing=True)
    save(world.app, [rss(HOST)])
    known = Publisher(domain=HOST, home_url=f"https://{HOST}/", added_at=START)
    world.app.store.save_publisher(known)
    assert await by_run(world, {HOST: FLIPS[0]}, False) == {HOST: "deny"}
    publisher = world.app.store.publisher(HOST)
    assert publisher is not None
    assert publisher.home_url == HOME


KITES = """
from dataclasses import dataclass

from wireroom.ports import SignalPlug


@dataclass(frozen=True)
class Kites:
    flown: bool = True


PLUG = SignalPlug(
    name="kites",
    title="Kites",
    signals_for=lambda findings, url: (),
    steps=(),
    read_item=lambda item: Kites() if "Kites" in item.title else None,
)
"""


def full_text_feed(*titles: str) -> Doc:
    items = "".join(
        f"<item><title>{title}</title><link>{HOME}{number}</link><guid>{number}</guid>"
        f"<content:encoded>{'Seven words stand in every such sentence. ' * 90}</content:encoded></item>"
        for number, title in enumerate(titles)
    )
    head = "<rss version='2.0' xmlns:content='http://purl.org/rss/1.0/modules/content/'><channel>"
    return Doc(f"{head}<title>The Courier</title>{items}</channel></rss>", "text/xml")


async def test_a_page_is_asked_where_any_signal_reads_its_item(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "kites", KITES, {"wireroom.signals": "kites = kites:PLUG"})
    save(world.app, [rss(HOST)])
    world.served.docs[HOST] = {"/rss.xml": full_text_feed("Rain", "Kites over the bay")}
    async with open_run(world, scout=False) as (loop, _):
        await asyncio.wait_for(loop.run(once=True), LONGEST)
    assert sum(1 for _ in world.app.store.articles()) == 2
    asked = world.served.requests_to(HOST)
    assert "/1" in asked, "a signal that is known by no name here reads this item"
    assert "/0" not in asked, "nothing is said of this one, and its publisher allows nothing"


async def test_a_refusal_is_seen_after_the_clock_was_set_back(world: World) -> None:
    flip = FLIPS[0]
    world.now = START + 365 * DAY
    world.serve(flip, refusing=False)
    await scout_address(world.app, read_address(STORY))
    world.now = START
    world.serve(flip, refusing=True)
    assert needs_scout(world.app, read_address(STORY))
    assert scout_stale(world.app, fresh_for=HOUR).total
    assert await by_scout(world, {HOST: flip}, False) == {HOST: "deny"}
    held = world.app.store.dossier(HOST)
    assert held is not None
    assert held.scouted_at == START
    assert not scout_stale(world.app, fresh_for=HOUR).total


async def test_a_run_sees_a_refusal_after_the_clock_was_set_back(world: World) -> None:
    flip = FLIPS[0]
    save(world.app, [rss(HOST)])
    world.now = START + 365 * DAY
    world.serve(flip, refusing=False)
    assert await by_run(world, {HOST: flip}, False) == {HOST: "allow"}
    world.now = START
    world.serve(flip, refusing=True)
    assert await by_run(world, {HOST: flip}, False) == {HOST: "deny"}
