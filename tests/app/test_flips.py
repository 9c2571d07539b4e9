"""Publishers that change their minds, by way of scout, rights and run: a server, a database, a clock that is moved."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
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
from wireroom.app.page_rights import page_rights, scout_stale
from wireroom.app.run import RunLoop
from wireroom.app.scout import Scouting, needs_scout, read_address, scout_address
from wireroom.errors import RefusedError
from wireroom.fetch import Fetcher, FetchOptions
from wireroom.model import Publisher, Request, Use, Word
from wireroom.settings import Settings
from wireroom.signals import judge

HOST = "courier.test"
HOME = f"http://{HOST}/"
STORY = f"http://{HOST}{PAGE}"
HOUR, DAY = timedelta(hours=1), timedelta(hours=24)
START = datetime(2026, 11, 14, 12, 0, tzinfo=UTC)
RSS = Doc("<rss version='2.0'><channel><title>The Courier</title></channel></rss>", "text/xml")
BARRED = Doc("User-agent: *\nDisallow: /\n")


@dataclass
class World:
    """A publisher, an app that looks at it, and the time."""

    served: Changing
    app: App
    now: datetime = START

    def serve(self, flip: Flip, *, refusing: bool) -> None:
        self.served.docs[HOST] = {**flip.served(refusing=refusing), "/rss.xml": RSS}

    def put(self, path: str, doc: Doc) -> None:
        self.served.docs[HOST] = {**self.served.docs[HOST], path: doc}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with changing_publishers() as served:
        settings = Settings.model_validate(
            {
                "hosts": served.hosts(HOST),
                "fetch": {"delay": "0 s", "timeout": "5 s"},
                "scout": {"offline": True},
                "run": {"scout_every": "1 day"},
            }
        )
        made: list[World] = []
        url = f"sqlite:///{tmp_path}/w.db"
        with open_app(url, settings=settings, clock=lambda: made[0].now) as app:
            made.append(World(served, app))
            yield made[0]


Look = Callable[[World, Use, bool], Awaitable[Word]]
"""What is said of a use after one more look, by force or not."""


async def by_scout(world: World, use: Use, refresh: bool) -> Word:
    dossier = await scout_address(world.app, read_address(STORY), refresh=refresh)
    return next(verdict.value for verdict in dossier.rights if verdict.use == use)


async def by_rights(world: World, use: Use, refresh: bool) -> Word:
    dossier = await scout_address(world.app, read_address(STORY), refresh=refresh)
    receipt = page_rights(world.app, dossier, use).receipt
    return next(verdict.value for verdict in receipt.verdicts if verdict.use == use)


async def by_run(world: World, use: Use, refresh: bool) -> Word:
    if refresh:
        await scout_address(world.app, read_address(HOST), refresh=True)
    async with open_run(world) as (loop, _):
        await asyncio.wait_for(loop.run(once=True), LONGEST)
    dossier = world.app.store.dossier(HOST)
    assert dossier is not None
    return next(found.value for found in judge(dossier.findings, HOME) if found.use == use)


@asynccontextmanager
async def open_run(world: World, *, scout: bool = True) -> AsyncIterator[tuple[RunLoop, Fetcher]]:
    robots = RobotsBuffer(world.app.store)
    hosts = world.served.hosts(HOST)
    fetch_options = FetchOptions(hosts=hosts, manners=HASTY, deadline=timedelta(seconds=5))
    options = replace(QUICK, scout=scout, scout_every=DAY)
    async with Fetcher(fetch_options, robots_store=robots) as fetch, InlineEngine() as engine:
        scouting = Scouting(world.app, fetch, offline=True, rest=timedelta(), leases=False)
        network = Network(fetch=fetch, scouting=scouting, robots=robots)
        yield RunLoop(world.app, network, engine, options), fetch


LOOKS: dict[str, Look] = {"scout": by_scout, "rights": by_rights, "run": by_run}


@pytest.mark.long
@pytest.mark.parametrize(
    ("by", "every"),
    [
        *(("scout", every) for every in (1, 12, 20, 25, 170)),
        ("rights", 20),
        ("run", 20),
        ("run", 170),
    ],
)
@pytest.mark.parametrize("flip", FLIPS, ids=lambda flip: flip.name)
async def test_each_flip_is_seen_by_the_time_the_settings_promise(
    world: World, flip: Flip, by: str, every: int
) -> None:
    save(world.app, [rss(HOST)])
    world.serve(flip, refusing=False)
    assert await LOOKS[by](world, flip.use, False) == flip.word
    for refusing in (True, False):
        world.serve(flip, refusing=refusing)
        answered = world.now
        while world.now - answered < DAY:
            world.now += every * HOUR
            due = world.now - answered >= DAY
            if due or every > 1:  # a look that asks nobody is one like the others
                seen = await LOOKS[by](world, flip.use, False)
                assert seen == flip.expected(refusing=refusing if due else not refusing)


@pytest.mark.long
@pytest.mark.parametrize("by", LOOKS)
@pytest.mark.parametrize("flip", FLIPS, ids=lambda flip: flip.name)
async def test_each_flip_is_seen_at_once_by_who_asks_for_everything(
    world: World, flip: Flip, by: str
) -> None:
    save(world.app, [rss(HOST)])
    for refusing in (False, True, False):
        world.serve(flip, refusing=refusing)
        world.now += HOUR
        assert await LOOKS[by](world, flip.use, True) == flip.expected(refusing=refusing)


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
    assert publisher.scout_after == START + DAY, "a look that asks nobody puts nothing off"


async def test_a_run_finds_a_publisher_by_http_that_was_known_by_https(world: World) -> None:
    world.serve(FLIPS[0], refusing=True)
    save(world.app, [rss(HOST)])
    known = Publisher(domain=HOST, home_url=f"https://{HOST}/", added_at=START)
    world.app.store.save_publisher(known)
    assert await by_run(world, "ai-train", False) == "deny"
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
    assert await by_scout(world, flip.use, False) == "deny"
    held = world.app.store.dossier(HOST)
    assert held is not None
    assert held.scouted_at == START
    assert not scout_stale(world.app, fresh_for=HOUR).total


async def test_a_run_sees_a_refusal_after_the_clock_was_set_back(world: World) -> None:
    flip = FLIPS[0]
    save(world.app, [rss(HOST)])
    world.now = START + 365 * DAY
    world.serve(flip, refusing=False)
    assert await by_run(world, flip.use, False) == "allow"
    world.now = START
    world.serve(flip, refusing=True)
    assert await by_run(world, flip.use, False) == "deny"
