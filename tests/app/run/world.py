"""A small town, an app and a run: what the tests of following share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from random import Random
from typing import Protocol

from tests.cli.inline import InlineEngine
from tests.holding import save_feeds
from wireroom.app import App
from wireroom.app.add import Adding
from wireroom.app.factories import Network
from wireroom.app.run import RunLoop, RunOptions
from wireroom.app.run.counts import RunCounts
from wireroom.app.scout import Scouting
from wireroom.fetch import Fetcher, FetchOptions
from wireroom.fetch.fetch_options import Manners
from wireroom.model import Feed
from wireroom.ports import EngineOptions
from wireroom.rights.policy import Policy
from wireroom.town import Running
from wireroom.workers.local import LocalEngine

HASTY = Manners(gap=timedelta(), rest_after_burst=timedelta(), longest_wait=timedelta(seconds=5))
QUICK = RunOptions(gap=timedelta(), lease=timedelta(seconds=5), patience=timedelta(), scout=False)
LONGEST = 60.0  # seconds; a run on the town takes two


class Hosts(Protocol):
    """Whoever serves hosts: the town, or a world that a test describes."""

    @property
    def hosts(self) -> Mapping[str, str]: ...


@asynccontextmanager
async def open_loop(
    app: App,
    town: Hosts,
    options: RunOptions = QUICK,
    *,
    workers: int = 0,
    deadline: float = 20.0,
) -> AsyncIterator[RunLoop]:
    """A run without long pauses, which reads where it stands unless workers are the point."""
    within = timedelta(seconds=deadline)
    fetch_options = FetchOptions(hosts=town.hosts, manners=HASTY, deadline=within)
    own = LocalEngine(EngineOptions(workers=workers)) if workers else InlineEngine()
    async with Fetcher(fetch_options) as fetch, own as engine:
        scouting = Scouting(app, fetch, offline=True, rest=timedelta(), leases=False)
        network = Network(
            fetch=fetch, scouting=scouting, pause=fetch.pause, is_cut_off=fetch.is_cut_off
        )
        yield RunLoop(app, network, engine, options, Random(7))


async def run_once(app: App, town: Hosts, options: RunOptions = QUICK) -> RunCounts:
    """One run to its end."""
    async with open_loop(app, town, options) as loop:
        return await asyncio.wait_for(loop.run(once=True), LONGEST)


async def add(app: App, town: Running, *targets: str, policy: Policy | None = None) -> Adding:
    """Adds publishers of the town."""
    fetch_options = FetchOptions(hosts=town.hosts, manners=HASTY)
    async with Fetcher(fetch_options) as fetch:
        scouting = Scouting(app, fetch, offline=True, rest=timedelta())
        adding = Adding(app, fetch, scouting, policy or Policy())
        for target in targets:
            await adding.add(target)
        return adding


def save(app: App, feeds: Iterable[Feed]) -> None:
    """Follows feeds without looking at their publishers."""
    save_feeds(app.store, tuple(feeds), now=app.clock())


def rss(host: str, path: str = "rss.xml", **more: object) -> Feed:
    """A feed of the town."""
    return Feed(url=f"http://{host}/{path}", publisher=host, kind="rss", **more)  # type: ignore[arg-type]  # fields by name


def texts(app: App) -> set[tuple[str, str, str]]:
    """What a run leaves behind: publisher, address and hash of every text."""
    return {(article.publisher, article.url, article.text_hash) for article in app.store.articles()}


async def until(ready: Callable[[], bool]) -> None:
    """Waits for something that nobody tells us."""
    async with asyncio.timeout(LONGEST):
        while not ready():  # noqa: ASYNC110 - a count is watched from outside
            await asyncio.sleep(0.02)
