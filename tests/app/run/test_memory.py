"""A publisher's boilerplate is learnt from what was read before today, and left out from then on."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.app.run.world import HASTY, LONGEST, QUICK, rss, save
from tests.cli.inline import InlineEngine
from wireroom.app import App
from wireroom.app.factories import Network
from wireroom.app.run import RunLoop, RunOptions
from wireroom.fetch import Fetcher, FetchOptions
from wireroom.model import Request, Response
from wireroom.town import Running

APPEAL = "This newspaper is kept alive by its readers, and each of them makes our work possible."


async def run(app: App, town: Running, options: RunOptions = QUICK) -> None:
    """A run over a town whose pages all have an appeal in the middle of their text."""
    async with Fetcher(FetchOptions(hosts=town.hosts, manners=HASTY)) as fetch:

        async def furnished(request: Request) -> Response:
            response = await fetch(request)
            parts = response.body.split(b"</p>")
            if len(parts) < 3 or response.final_url.endswith("xml"):
                return response
            parts.insert(len(parts) // 2, b"<p>" + APPEAL.encode())
            return replace(response, body=b"</p>".join(parts))

        loop = RunLoop(app, Network(fetch=furnished), InlineEngine(), options)
        await asyncio.wait_for(loop.run(once=True), LONGEST)


def with_appeal(app: App) -> int:
    return sum(APPEAL in article.text for article in app.store.articles())


@pytest.mark.long
async def test_the_second_day_knows_the_first(town: Running, app: App) -> None:
    save(app, [rss("anzeiger.test")])
    await run(app, town)
    first = with_appeal(app)
    assert first == 20  # nothing is known on the first day, in whatever order pages come
    town.town.clock.advance(timedelta(days=2))
    await run(app, town)
    assert len(list(app.store.articles())) > 20
    assert with_appeal(app) == first
    boilerplate = app.store.boilerplate("anzeiger.test")
    assert boilerplate is not None
    assert boilerplate.pages == 20
    assert boilerplate.boilerplate


@pytest.mark.long
async def test_it_can_be_switched_off(town: Running, app: App) -> None:
    save(app, [rss("anzeiger.test")])
    options = replace(QUICK, learn=False)
    await run(app, town, options)
    town.town.clock.advance(timedelta(days=2))
    await run(app, town, options)
    assert with_appeal(app) == len(list(app.store.articles())) > 20
