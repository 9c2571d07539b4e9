"""The scenes of the demo, in the order in which they are played: one small function each.

A room that comes later adds its scene to `SCENES`: scouting before following, a cycle after it.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from wireroom.cli.counting import counted
from wireroom.cli.fitting import Column
from wireroom.cli.session import Session
from wireroom.cli.status import show_status
from wireroom.cli.streams import Streams

if TYPE_CHECKING:
    from wireroom.app import App
    from wireroom.app.follow import Cycle, Tally
    from wireroom.model import Article, Problem, Response
    from wireroom.report import Card
    from wireroom.town import Running

SCOUTED = ("courier.test", "toll.test", "faro.test", "gate.test")
"""Open, for sale, silent, and shut: nobody among them asks for long pauses."""
WHO = (Column(), Column(), Column(narrowest=20))
FEEDS_SHOWN = 4  # of all that are followed; `wireroom feeds` has the rest
CYCLE = 5.0  # seconds: what somebody watches; most of the town is read by then


@dataclass(frozen=True, slots=True)
class Cast:
    """Who is on stage: a session with the demo's settings, the app, the town."""

    session: Session
    app: App
    running: Running
    config: Path
    stays: bool
    """Whether the town stays open after the last scene."""

    @property
    def streams(self) -> Streams:
        """Where it is shown."""
        return self.session.streams


@dataclass(frozen=True, slots=True)
class Scene:
    """One thing to be shown."""

    title: str
    play: Callable[[Cast], None]


def _meet(cast: Cast) -> None:
    town = cast.running.town
    count = len(town.publishers)
    cast.streams.prose(
        f"{count} invented publishers answer on this machine alone (seed {town.seed}):", indent=3
    )
    # The first words of each are enough here; `wireroom town` tells the rest.
    rows = [
        (each.host, each.language, each.about.partition(":")[0])
        for each in town.publishers.values()
    ]
    cast.streams.fitted_table(rows, columns=WHO, indent=3)


def _set(cast: Cast) -> None:
    settings = cast.session.load().settings
    cast.streams.table(
        [
            ("settings", cast.config),
            ("database", cast.session.database_name()),
            ("[hosts]", f"{counted(len(settings.hosts), 'name')} at a fixed address; no DNS"),
        ],
        indent=3,
    )


def _follow(cast: Cast) -> None:
    difference = cast.app.sync(cast.session.load().settings.feeds, apply=True)
    changed = [change.wanted for change in difference.changed]
    feeds = [*difference.added, *changed, *difference.unchanged]
    languages = {feed.hints.language for feed in feeds}
    cast.streams.prose(
        f"{counted(len(feeds), 'feed')} of the settings file in {counted(len(languages), 'language')},"
        f" {len(difference.added)} of them new. `run` asks them from now on:",
        indent=3,
    )
    shown = difference.added[:FEEDS_SHOWN]
    rows = [(f"+ {feed.name}", feed.kind, feed.url) for feed in shown]
    cast.streams.table(rows, indent=3)
    if len(shown) < len(difference.added):
        cast.streams.line(f"and {len(difference.added) - len(shown)} more", indent=3)


def _run(cast: Cast) -> None:
    """A cycle: what is due is asked, read, grouped and kept; whoever wants long pauses is left waiting."""
    import asyncio

    from wireroom.cli.run.view import summary

    tally = asyncio.run(_cycle(cast))
    cast.streams.prose(
        "Feeds are asked, pages are fetched, read on every core, and grouped with their copies."
        f" {CYCLE:.0f} seconds after the first article the cycle is told to stop:",
        indent=3,
    )
    for line in summary(tally):
        cast.streams.line(line, indent=3)
    newest = cast.app.store.search(limit=5).articles
    cast.streams.line()
    rows = [(article.publisher, article.language, article.title) for article in newest]
    cast.streams.fitted_table(rows, columns=WHO, indent=3)


async def _cycle(cast: Cast) -> Tally:
    import asyncio

    from wireroom.app.follow import open_following

    settings = cast.session.load().settings
    # The town is ours: its hosts are asked five times a second instead of once.
    hasty = settings.fetch.model_copy(update={"delay": timedelta(seconds=0.2)})
    follow = settings.follow.model_copy(update={"scout": False})
    chosen = settings.model_copy(update={"fetch": hasty, "follow": follow})
    async with open_following(cast.app, chosen) as cycle:
        stopping = asyncio.create_task(_stop_in_time(cycle))
        try:
            return await cycle.run(once=True)
        finally:
            stopping.cancel()


async def _stop_in_time(cycle: Cycle) -> None:
    """Ends the cycle some seconds after its first article: until then workers are starting."""
    import asyncio

    while not cycle.tally.articles:  # noqa: ASYNC110 - a count is watched from outside
        await asyncio.sleep(0.1)
    await asyncio.sleep(CYCLE)
    cycle.stop()


def _ask(cast: Cast) -> None:
    """Each publisher's home page, through the one fetch function and all its manners."""
    from wireroom.fetch.many import fetch_each
    from wireroom.model import Request

    homes = [f"http://{host}/" for host in cast.running.town.publishers]
    requests = [Request(url=home, purpose="scout") for home in homes]
    told = {
        home: words
        for outcome in fetch_each(requests, cast.session.load().settings)
        for home, words in [_told(outcome)]
    }
    came = [home for home in homes if told[home][0].isdigit()]
    cast.streams.prose(
        f"robots.txt first, then the home page, each host in its own time. {len(came)} of {len(homes)}"
        " gave it; the others say why not:",
        indent=3,
    )
    rows = [(home, *told[home]) for home in homes if home not in came]
    cast.streams.table(rows, indent=3)


def _scout(cast: Cast) -> None:
    """What some of them offer and permit, each in a sentence with its grade."""
    import asyncio

    cards = asyncio.run(_cards(cast))
    cast.streams.prose("One visit each, of at most 30 requests, gives a report card:", indent=3)
    rows = [(card.grade.letter, f"{card.grade.points} of 100", card.sentence) for card in cards]
    cast.streams.table(rows, indent=3)


async def _cards(cast: Cast) -> list[Card]:
    from asyncio import gather

    from wireroom.app.doors import open_scouting
    from wireroom.report import make_card
    from wireroom.scout.address import read_address

    async with open_scouting(cast.app, cast.session.load().settings) as scouting:
        addresses = [read_address(f"http://{host}/") for host in SCOUTED]
        return [make_card(one) for one in await gather(*map(scouting.dossier, addresses))]


def _read(cast: Cast) -> None:
    """One page as an article, each field with its source."""
    from wireroom.fetch.many import fetch_each
    from wireroom.model import Request, Response
    from wireroom.parse.article import extract

    (story,) = cast.running.town.stories("courier.test", limit=1)
    request = Request(url=story.url, purpose="read")
    for response in fetch_each([request], cast.session.load().settings):
        if not isinstance(response, Response):
            cast.streams.line(f"{response.kind}: {response.message}", indent=3)
            return
        article = extract(response.body, url=response.final_url, fetched_at=response.fetched_at)
        cast.streams.table(
            [
                (name, value, f"({source})" if (source := article.sources.get(name)) else "")
                for name, value in _fields(article)
            ],
            indent=3,
        )


def _fields(article: Article) -> list[tuple[str, str]]:
    published = f"{article.published_at:%Y-%m-%d %H:%M} UTC" if article.published_at else "unknown"
    return [
        ("title", article.title),
        ("authors", ", ".join(article.authors)),
        ("published_at", published),
        ("language", article.language_tag),
        ("text", f"{counted(article.word_count, 'word')}, quality {article.quality:.2f}"),
    ]


def _told(outcome: Response | Problem) -> tuple[str, tuple[str, str]]:
    from wireroom.model import Problem

    if isinstance(outcome, Problem):
        return outcome.subject_url, (outcome.kind, outcome.message)
    milliseconds = outcome.elapsed.total_seconds() * 1000
    size = f"{len(outcome.body):,} bytes in {milliseconds:.0f} ms"
    return outcome.url, (str(outcome.status), size)


def _look(cast: Cast) -> None:
    show_status(cast.app.status(), cast.session.database_name(), cast.streams, indent=3)


def _go_on(cast: Cast) -> None:
    if not cast.stays:
        cast.streams.prose("Without --no-serve the town stays open, to be tried out.", indent=3)
        return
    cast.streams.line("The town stays open. In another terminal, try:", indent=3)
    for command in _commands(cast):
        cast.streams.line(command, style="cyan", indent=5)


def _commands(cast: Cast) -> list[str]:
    config = f"--config {shlex.quote(str(cast.config))}"
    courier = cast.running.hosts["courier.test"]
    return [
        f"wireroom scout http://courier.test/ --explain {config}",
        f"wireroom rights http://toll.test/ --for ai-train {config}",
        f"wireroom run --once {config}",
        f"wireroom search harbour {config}",
        f"wireroom status {config}",
        f"curl -H 'Host: courier.test' http://{courier}/rss.xml",
    ]


SCENES: tuple[Scene, ...] = (
    Scene("The town opens", _meet),
    Scene("Settings that point at it", _set),
    Scene("Asking everybody, politely", _ask),
    Scene("What publishers offer and permit", _scout),
    Scene("A page becomes an article", _read),
    Scene("Following its feeds", _follow),
    Scene("A cycle", _run),
    Scene("What is held", _look),
    Scene("What comes next", _go_on),
)
