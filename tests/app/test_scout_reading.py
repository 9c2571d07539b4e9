"""A document that freezes its reader costs its own scout: others go on, and so does the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.app.run.world import HASTY
from tests.app.traps import TRAP, Trapped
from wireroom.app import App
from wireroom.app.backfill import Backfill, Backfilling, SitemapResult, Span
from wireroom.app.factories import open_scouting
from wireroom.app.readers import Readers
from wireroom.app.scout import Scouting
from wireroom.errors import WireroomError
from wireroom.fetch import Fetcher, FetchOptions
from wireroom.model import Dossier, Finding, Request, Response
from wireroom.ports import EngineOptions, Fetch, ReadDocument
from wireroom.scout.address import read_address
from wireroom.scout.document_reading import MAX_COSTLY
from wireroom.scout.visit import scout_site
from wireroom.settings import Settings, load_settings
from wireroom.town import Running, build_town, running_town
from wireroom.workers.local import LocalEngine

pytestmark = pytest.mark.long  # each starts workers, which takes a second
VICTIM = "courier.test"
OTHERS = ("faro.test", "phare.test")  # without a Crawl-delay: that of sentinel.test takes a minute
CPU = timedelta(seconds=1)
BEAT = 0.01  # seconds between two beats
BEATS = 30  # while a worker is frozen for a second of CPU time; a loop that waits for it has none


@pytest.fixture(scope="module")
def town() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


@dataclass(slots=True)
class Poisoned:
    """Asks as usual, but some documents of one publisher have a trap in them."""

    fetch: Fetch
    paths: tuple[str, ...]
    poisoned: int = 0

    async def __call__(self, request: Request) -> Response:
        response = await self.fetch(request)
        _, _, rest = response.final_url.partition("://")
        host, slash, path = rest.partition("/")
        if host == VICTIM and slash + path in self.paths and response.body:
            self.poisoned += 1
            return replace(response, body=response.body + TRAP)
        return response


@asynccontextmanager
async def reading() -> AsyncIterator[ReadDocument]:
    async with LocalEngine(EngineOptions(workers=2, cpu=CPU)) as engine:
        readers = Readers(engine, Trapped())
        task = asyncio.create_task(readers.run())
        try:
            yield readers.read_document
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def scouted(
    app: App, town: Running, read: ReadDocument, *hosts: str, traps: tuple[str, ...] = ()
) -> dict[str, Dossier]:
    async with Fetcher(FetchOptions(hosts=town.hosts, manners=HASTY)) as fetcher:
        fetch = Poisoned(fetcher, traps)
        scouting = Scouting(app, fetch, offline=True, rest=timedelta(), read=read)
        addresses = [read_address(f"http://{host}/") for host in hosts]
        dossiers = await asyncio.gather(*(scouting.dossier(each) for each in addresses))
        assert fetch.poisoned or not traps
    return dict(zip(hosts, dossiers, strict=True))


def found(dossier: Dossier) -> dict[str, Finding]:
    return {finding.step: replace(finding, took=timedelta()) for finding in dossier.findings}


def words(finding: Finding) -> Iterator[str]:
    """Those by which a finding says that something could not be read."""
    for word in ("too_complex", "costs too much to read"):
        if word in str(finding.facts):
            yield word


async def beats(counts: list[int]) -> None:
    while True:
        await asyncio.sleep(BEAT)
        counts[0] += 1


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("/", {"homepage", "publisher_details", "robots_tag"}),
        ("/rss.xml", {"feeds"}),
        ("/terms", {"terms"}),
        ("/.well-known/tdmrep.json", {"tdmrep"}),
    ],
)
async def test_a_frozen_document_costs_itself(
    town: Running, app: App, path: str, steps: set[str]
) -> None:
    counts = [0]
    heart = asyncio.create_task(beats(counts))
    async with reading() as read:
        dossiers = await scouted(app, town, read, VICTIM, *OTHERS, traps=(path,))
    heart.cancel()
    findings = found(dossiers[VICTIM])
    for step in steps:
        assert {"too_complex", "costs too much to read"} & set(words(findings[step])), step
        assert findings[step].outcome != "no", "what could not be read is not absent"
    assert findings["robots"].outcome == "yes"
    assert findings["waf"].outcome in {"yes", "no"}
    assert counts[0] >= BEATS
    for host in OTHERS:
        assert not [finding for finding in dossiers[host].findings if set(words(finding))], host
        assert found(dossiers[host])["homepage"].outcome == "yes"


async def test_scouts_find_the_same_in_workers_and_right_here(town: Running, app: App) -> None:
    hosts = (VICTIM, *OTHERS)
    async with reading() as read:
        in_workers = await scouted(app, town, read, *hosts)
    async with Fetcher(FetchOptions(hosts=town.hosts, manners=HASTY)) as fetcher:
        for host in hosts:
            address = read_address(f"http://{host}/")
            reports = scout_site(address, fetcher, now=app.clock(), offline=True)
            *_, here = [report async for report in reports]
            assert isinstance(here, Dossier)
            assert found(here) == found(in_workers[host])
            assert here.rights == in_workers[host].rights


async def test_a_scout_full_of_traps_holds_few_workers(town: Running, app: App) -> None:
    everything = ("/", "/rss.xml", "/terms", "/ai.txt", "/trust.txt", "/llms.txt", "/sitemap.xml")
    async with reading() as read:
        dossiers = await scouted(app, town, read, VICTIM, *OTHERS, traps=everything)
    facts = [str(finding.facts) for finding in dossiers[VICTIM].findings]
    assert any(
        f"{MAX_COSTLY} documents of this scout cost too much already" in each for each in facts
    )
    for host in OTHERS:
        assert not [finding for finding in dossiers[host].findings if set(words(finding))], host


@pytest.mark.usefixtures("own_workers")
async def test_scouting_brings_its_own_workers_and_ends_them(
    town: Running, app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engines: list[LocalEngine] = []

    def opened(_settings: Settings, _workers: int | None = None) -> LocalEngine:
        engines.append(LocalEngine(EngineOptions(workers=1)))
        return engines[0]

    monkeypatch.setattr("wireroom.app.readers.scout_engine", opened)
    file = tmp_path / "wireroom.toml"
    file.write_text(town.settings_toml(), encoding="utf-8")
    settings = load_settings(config=str(file), environ={}).settings
    async with open_scouting(app, settings) as scouting:
        assert not engines, "who asks nobody starts nothing"
        dossier = await scouting.dossier(read_address(f"http://{VICTIM}/"))
        assert len(engines) == 1
        await scouting.dossier(read_address(f"http://{VICTIM}/"))
    assert found(dossier)["homepage"].outcome == "yes"
    with pytest.raises(WireroomError, match="closed"):
        await engines[0].acquire(b"")


async def test_a_frozen_sitemap_costs_its_own_line_of_a_backfill(town: Running, app: App) -> None:
    traps, sitemaps = ("/sitemap.xml",), ("/sitemap.xml", "/news-sitemap.xml")
    wanted = Backfill(
        publisher=VICTIM,
        span=Span(since=datetime(2000, 1, 1, tzinfo=UTC), until=datetime.now(UTC)),
        dry_run=True,
        sitemap_urls=tuple(f"http://{VICTIM}{path}" for path in sitemaps),
    )
    async with reading() as read, Fetcher(FetchOptions(hosts=town.hosts, manners=HASTY)) as fetcher:
        fetch = Poisoned(fetcher, traps)
        scouting = Scouting(app, fetch, offline=True, rest=timedelta(), read=read)
        backfilling = Backfilling(app, fetch, scouting, read=read)
        results = [result async for result in backfilling.run(wanted)]
    assert fetch.poisoned == 1
    frozen, good = results
    assert isinstance(frozen, SitemapResult)
    assert "costs too much to read" in frozen.problem
    assert isinstance(good, SitemapResult)
    assert not good.problem
    assert good.new
