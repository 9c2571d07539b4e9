"""Generated publishers, for a town large enough to load-test against.

Pure: the same seed gives the same crowd. They are plain on purpose: an open paper with one feed,
a news sitemap and a robots.txt, in one of the town's languages and layouts; with pages as light as the
town's, or of the weight that real ones have.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from random import Random

from wireroom.town.declaration import FeedPlan, Layout, Pace, Rights, TownPublisher, Weight
from wireroom.town.stories import LANGUAGES

LAYOUTS: tuple[Layout, ...] = ("classic", "soup", "micro", "press")
HOURS_BETWEEN_ARTICLES = (1, 2, 3, 4, 6, 8, 12, 24)
NAMES = ("Gazette", "Mercury", "Observer", "Tribune", "Chronicle", "Herald", "Beacon", "Record")


def crowd(
    publishers: int, *, articles: int, seed: int, weight: Weight = "light"
) -> Iterator[TownPublisher]:
    """So many publishers, named paper-0001.test and on."""
    chance = Random(f"{seed}:crowd")  # noqa: S311 - variety, not secrecy
    for number in range(1, publishers + 1):
        yield replace(
            _publisher(f"paper-{number:04}.test", number, articles, chance), weight=weight
        )


def _publisher(host: str, number: int, articles: int, chance: Random) -> TownPublisher:
    return TownPublisher(
        host=host,
        name=f"{chance.choice(NAMES)} No. {number}",
        about="one of the crowd: an open paper with one feed and a news sitemap",
        language=chance.choice(list(LANGUAGES)),
        layout=chance.choice(LAYOUTS),
        pace=Pace(every=timedelta(hours=chance.choice(HOURS_BETWEEN_ARTICLES))),
        articles=articles,
        feeds=(
            FeedPlan(path="/feed.xml", kind=chance.choice(("rss", "atom")), follow=True),
            FeedPlan(path="/news-sitemap.xml", kind="news_sitemap", announced="robots"),
        ),
        rights=Rights(
            robots=f"User-agent: *\nAllow: /\n\nSitemap: http://{host}/news-sitemap.xml\n"
        ),
    )
