"""The town: an invented little press world on loopback, for the demo and for every test.

    town = build_town(seed=7, now=some_moment)
    with running_town(town) as running:
        running.hosts["courier.test"]              # "127.66.0.1:40123"
        town.stories("courier.test")[0].text       # what a perfect reader would read there
        running.log.requests_to("courier.test")    # what was asked, and when

Publishers are declared (`press.py`, `abroad.py`), their pages and feeds are written on demand
(`pages.py`, `feed_text.py`), and the server (`server.py`) only serves them. Everything is invented;
the same seed and moment give the same town.
"""

from __future__ import annotations

from wireroom.town.clock import TownClock
from wireroom.town.declaration import FeedPlan, TownPublisher
from wireroom.town.pages import boilerplate
from wireroom.town.request_log import LoggedRequest, RequestLog
from wireroom.town.server import Running, running_town, serve_town
from wireroom.town.trouble import TROUBLES, Trouble
from wireroom.town.truth import Story, StoryBlock, StoryEdit
from wireroom.town.world import DEFAULT_ARTICLES, DEFAULT_SEED, Town, build_town

__all__ = [
    "DEFAULT_ARTICLES",
    "DEFAULT_SEED",
    "TROUBLES",
    "FeedPlan",
    "LoggedRequest",
    "RequestLog",
    "Running",
    "Story",
    "StoryBlock",
    "StoryEdit",
    "Town",
    "TownClock",
    "TownPublisher",
    "Trouble",
    "boilerplate",
    "build_town",
    "running_town",
    "serve_town",
]
