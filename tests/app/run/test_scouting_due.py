"""Publishers to scout are due work of their own: leads wait for them in the store, and nothing waits inside a poll."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.app.run.world import HASTY, LONGEST, QUICK, rss, run_once, save, texts, until
from tests.cli.inline import InlineEngine
from wireroom.app import App, open_app
from wireroom.app.factories import Network
from wireroom.app.run import RunLoop, RunOptions
from wireroom.app.scout import Scouting
from wireroom.errors import FetchError
from wireroom.fetch import Fetcher, FetchOptions
from wireroom.model import Dossier, Lead, Publisher, Request, Response
from wireroom.town import Running

SCOUTING = replace(QUICK, scout=True)
HOUR = timedelta(hours=1)


@dataclass(slots=True)
class Waiting:
    """Asks as usual, but scouts get no answer before `let_go`; then they may get an error."""

    fetch: Fetcher
    error: Exception | None = None
    asked: list[str] = field(default_factory=list)
    """Purpose and host of each request, once it is let through."""
    let_go: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, request: Request) -> Response:
        if request.purpose == "scout":
            await self.let_go.wait()
            if self.error is not None:
                raise self.error
        self.asked.append(request.purpose)
        return await self.fetch(request)


@asynccontextmanager
async def waiting_scouts(
    app: App, town: Running, options: RunOptions = SCOUTING, *, error: Exception | None = None
) -> AsyncIterator[tuple[Waiting, RunLoop]]:
    async with Fetcher(FetchOptions(hosts=town.hosts, manners=HASTY)) as fetcher:
        fetch = Waiting(fetcher, error)
        scouting = Scouting(app, fetch, offline=True, rest=timedelta(), leases=False)
        network = Network(fetch=fetch, scouting=scouting)
        yield fetch, RunLoop(app, network, InlineEngine(), options)


async def test_leads_wait_in_the_store_until_the_scout_has_answered(
    town: Running, app: App
) -> None:
    save(app, [rss("anzeiger.test")])
    async with waiting_scouts(app, town) as (fetch, loop):
        running = asyncio.create_task(loop.run(once=True))
        await until(lambda: loop.counts.polls["items"] == 1)  # a poll waits for no scout
        await asyncio.sleep(0.5)
        assert set(fetch.asked) == {"poll"}
        assert loop.counts.hosts == {"anzeiger.test": 1}, (
            "the scout, and no lead that blocks a task"
        )
        assert loop.counts.waiting["scout"] == 1
        assert {lead.state for lead in app.store.leads()} == {"new"}
        fetch.let_go.set()
        counts = await asyncio.wait_for(running, LONGEST)
    assert (counts.scouted, counts.articles["new"]) == (1, 20)
    first_page = fetch.asked.index("read")
    assert "scout" not in fetch.asked[first_page:]
    publisher = app.store.publisher("anzeiger.test")
    assert publisher is not None
    assert publisher.scout_after == app.clock() + SCOUTING.scout_every
    assert app.store.holders() == ()


async def test_leads_of_publishers_that_are_known_do_not_wait(town: Running, app: App) -> None:
    known = Publisher(domain="phare.test", added_at=app.clock(), scout_after=app.clock() + HOUR)
    save(app, [rss("anzeiger.test"), rss("phare.test", "feed/")])
    app.store.save_dossier(Dossier(publisher=known, scouted_at=app.clock()))
    async with waiting_scouts(app, town) as (fetch, loop):
        running = asyncio.create_task(loop.run(once=True))
        await until(lambda: loop.counts.articles["new"] == 20)
        assert {article.publisher for article in app.store.articles()} == {"phare.test"}
        fetch.let_go.set()
        counts = await asyncio.wait_for(running, LONGEST)
    assert (counts.scouted, counts.articles["new"]) == (1, 40)


@pytest.mark.parametrize(
    ("error", "wait"),
    [
        (FetchError("http://anzeiger.test/", "no answer", kind="connect"), HOUR),
        (
            FetchError(
                "http://anzeiger.test/", "later", kind="throttled", retry_after=timedelta(minutes=5)
            ),
            timedelta(minutes=5),
        ),
        (RuntimeError("unforeseen"), HOUR),
    ],
)
async def test_a_scout_that_fails_puts_itself_off_and_holds_nothing_up(
    town: Running, app: App, monkeypatch: pytest.MonkeyPatch, error: Exception, wait: timedelta
) -> None:
    async def fails(*_: object, **__: object) -> Dossier:
        raise error

    monkeypatch.setattr(Scouting, "dossier", fails)
    save(app, [rss("anzeiger.test")])
    counts = await run_once(app, town, SCOUTING)
    assert (counts.scouted, counts.articles["new"]) == (0, 20)
    publisher = app.store.publisher("anzeiger.test")
    assert publisher is not None
    assert publisher.scout_after == app.clock() + wait


async def test_a_scout_that_ends_at_another_publisher_is_not_due_for_ever(
    town: Running, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def of_another(*_: object, **__: object) -> Dossier:
        publisher = Publisher(domain="phare.test", added_at=app.clock())
        return Dossier(publisher=publisher, scouted_at=app.clock())

    monkeypatch.setattr(Scouting, "dossier", of_another)
    save(app, [rss("anzeiger.test", "none.xml")])
    await run_once(app, town, SCOUTING)
    publisher = app.store.publisher("anzeiger.test")
    assert publisher is not None
    assert publisher.scout_after == app.clock() + HOUR


async def test_a_scout_that_was_killed_is_made_again_before_anything_is_read(
    town: Running, app: App
) -> None:
    """Also where nobody follows a feed of the publisher: its leads wait."""
    began = datetime(1970, 1, 1, tzinfo=UTC)
    publisher = Publisher(domain="anzeiger.test", added_at=app.clock())
    app.store.save_dossier(Dossier(publisher=publisher, scouted_at=began))
    url = town.town.stories("anzeiger.test", limit=1)[0].url
    app.store.save_leads([Lead(url=url, publisher="anzeiger.test")], now=app.clock())
    async with waiting_scouts(app, town) as (fetch, loop):
        fetch.let_go.set()
        counts = await asyncio.wait_for(loop.run(once=True), LONGEST)
    assert (counts.scouted, counts.articles["new"]) == (1, 1)
    assert fetch.asked[-1] == "read"
    dossier = app.store.dossier("anzeiger.test")
    assert dossier is not None
    assert dossier.scouted_at > began


async def test_stopping_ends_a_scout_that_hangs_and_leaves_it_due(
    town: Running, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wireroom.app.run.loop.GRACE", 0.2)
    save(app, [rss("anzeiger.test")])
    async with waiting_scouts(app, town) as (_, loop):
        running = asyncio.create_task(loop.run())
        await until(lambda: loop.counts.waiting["scout"] == 1 and loop.counts.polls.total() == 1)
        loop.stop()
        await asyncio.wait_for(running, LONGEST)
    assert [due.domain for due in app.store.due_publishers(now=app.clock(), limit=9)] == [
        "anzeiger.test"
    ]
    assert app.store.holders() == ()
    assert {lead.state for lead in app.store.leads()} == {"new"}


@pytest.mark.long
async def test_two_runs_scout_a_publisher_once(town: Running, tmp_path: Path) -> None:
    url, clock = f"sqlite:///{tmp_path}/w.db", town.town.clock
    with open_app(url, clock=clock.now) as app, open_app(url, clock=clock.now) as other:
        save(app, [rss("anzeiger.test"), rss("phare.test", "feed/"), rss("courier.test")])
        both = await asyncio.gather(run_once(app, town, SCOUTING), run_once(other, town, SCOUTING))
        assert sum(counts.scouted for counts in both) == 3
        await run_once(app, town, SCOUTING)
        assert {lead.state for lead in app.store.leads()} == {"read"}
        assert len(texts(app)) == 60
        assert app.store.holders() == ()
    for host in ("anzeiger.test", "phare.test", "courier.test"):
        assert len(town.log.requests_to(host, "/")) == 1
