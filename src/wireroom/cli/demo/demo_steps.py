"""The steps of the demo, in their order: one small function each."""

from __future__ import annotations

import json
import shlex
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from wireroom.cli.exits import OK
from wireroom.cli.session import Choices, Session
from wireroom.cli.status import show_status
from wireroom.cli.streams import Streams
from wireroom.cli.tables import TableColumn
from wireroom.display_text import counted
from wireroom.errors import SettingsError

if TYPE_CHECKING:
    from types import FrameType

    from wireroom.app import App
    from wireroom.app.run import Run, RunCounts
    from wireroom.dates.reader_clock import ReaderClock
    from wireroom.model import Article, Problem, Response
    from wireroom.town import Running


SCOUTED = ("courier.test", "toll.test", "faro.test", "gate.test")
"""Open, for sale, silent, and shut: nobody among them asks for long pauses."""
WHO = (TableColumn(), TableColumn(), TableColumn(narrowest=20))
FEEDS_SHOWN = 4  # of all that are followed; `wireroom feeds` has the rest
RUN_SECONDS = 5.0  # seconds: what somebody watches; most of the town is read by then


@dataclass(frozen=True, slots=True)
class Demo:
    """What the steps work with: a session with the demo's settings, the app, the town."""

    session: Session
    app: App
    running: Running
    config: Path
    stays: bool
    """Whether the town stays open after the last step."""

    @property
    def streams(self) -> Streams:
        """Where it is shown."""
        return self.session.streams


@dataclass(frozen=True, slots=True)
class DemoStep:
    """One thing to be shown."""

    title: str
    run: Callable[[Demo], None]


def _meet(demo: Demo) -> None:
    town = demo.running.town
    count = len(town.publishers)
    demo.streams.prose(
        f"{count} invented publishers answer on this machine alone (seed {town.seed}):", indent=3
    )
    # The first words of each are enough here; `wireroom town` tells the rest.
    rows = [
        (each.host, each.language, each.about.partition(":")[0])
        for each in town.publishers.values()
    ]
    demo.streams.fitted_table(rows, columns=WHO, indent=3)


def _set(demo: Demo) -> None:
    settings = demo.session.load().settings
    demo.streams.table(
        [
            ("settings", demo.config),
            ("database", demo.session.database_name()),
            ("[hosts]", f"{counted(len(settings.hosts), 'name')} at a fixed address; no DNS"),
        ],
        indent=3,
    )


def _follow(demo: Demo) -> None:
    difference = demo.app.sync(demo.session.load().settings.feeds, apply=True)
    changed = [change.wanted for change in difference.changed]
    feeds = [*difference.added, *changed, *difference.unchanged]
    languages = {feed.hints.language for feed in feeds}
    demo.streams.prose(
        f"{counted(len(feeds), 'feed')} of the settings file in {counted(len(languages), 'language')},"
        f" {len(difference.added)} of them new. `run` asks them from now on:",
        indent=3,
    )
    shown = difference.added[:FEEDS_SHOWN]
    rows = [(f"+ {feed.name}", feed.kind, feed.url) for feed in shown]
    demo.streams.table(rows, indent=3)
    if len(shown) < len(difference.added):
        demo.streams.line(f"and {len(difference.added) - len(shown)} more", indent=3)


def _run(demo: Demo) -> None:
    """A run: what is due is fetched, extracted, clustered and saved; whoever wants long pauses is left waiting."""
    import asyncio

    from wireroom.app.search import search_articles
    from wireroom.cli.run.run_view import summary

    counts = asyncio.run(_run_for_a_while(demo))
    demo.streams.prose(
        "Feeds are polled, pages are fetched, read on every core, and near-duplicates are clustered."
        f" {RUN_SECONDS:.0f} seconds after the first article the run is told to stop:",
        indent=3,
    )
    for line in summary(counts):
        demo.streams.line(line, indent=3)
    newest = search_articles(demo.app, limit=5).articles
    demo.streams.line()
    rows = [(article.publisher, article.language, article.title) for article in newest]
    demo.streams.fitted_table(rows, columns=WHO, indent=3)


async def _run_for_a_while(demo: Demo) -> RunCounts:
    import asyncio

    from wireroom.app.run import open_run

    settings = demo.session.load().settings
    # The town is ours: its hosts are asked five times a second instead of once.
    hasty = settings.fetch.model_copy(update={"delay": timedelta(seconds=0.2)})
    run = settings.run.model_copy(update={"scout": False})
    chosen = settings.model_copy(update={"fetch": hasty, "run": run})
    async with open_run(demo.app, chosen) as run_loop:
        stopping = asyncio.create_task(_stop_in_time(run_loop))
        try:
            return await run_loop.run(once=True)
        finally:
            stopping.cancel()


async def _stop_in_time(run_loop: Run) -> None:
    """Ends the run some seconds after its first article: until then workers are starting."""
    import asyncio

    while not run_loop.counts.articles:  # noqa: ASYNC110 - a count is watched from outside
        await asyncio.sleep(0.1)
    await asyncio.sleep(RUN_SECONDS)
    run_loop.stop()


def _ask(demo: Demo) -> None:
    """Each publisher's home page, through the one fetch function and all its manners."""
    from wireroom.app.fetch import fetch_pages
    from wireroom.cli.batch import all_results

    homes = [f"http://{host}/" for host in demo.running.town.publishers]
    answers = {
        home: words
        for outcome in all_results(
            fetch_pages(demo.session.load().settings, homes, purpose="scout")
        )
        for home, words in [_describe(outcome)]
    }
    came = [home for home in homes if answers[home][0].isdigit()]
    demo.streams.prose(
        f"robots.txt first, then the home page, each host in its own time. {len(came)} of {len(homes)}"
        " gave it; the others say why not:",
        indent=3,
    )
    rows = [(home, *answers[home]) for home in homes if home not in came]
    demo.streams.table(rows, indent=3)


def _scout(demo: Demo) -> None:
    """What some of them offer and permit, each in a sentence with its grade."""
    from wireroom.app.scout import read_address, scout_many
    from wireroom.cli.batch import all_results

    addresses = [read_address(f"http://{host}/") for host in SCOUTED]
    found = {result.address: result.card for result in all_results(scout_many(demo.app, addresses))}
    cards = [card for address in addresses if (card := found[address]) is not None]
    demo.streams.prose("One scout each, of at most 30 requests, gives a report card:", indent=3)
    rows = [(card.grade.letter, f"{card.grade.points} of 100", card.sentence) for card in cards]
    demo.streams.table(rows, indent=3)


def _read(demo: Demo) -> None:
    """One page as an article, each field with its source."""
    from wireroom import extract
    from wireroom.app.fetch import fetch_pages
    from wireroom.cli.batch import all_results
    from wireroom.model import Response

    (story,) = demo.running.town.stories("courier.test", limit=1)
    (response,) = all_results(fetch_pages(demo.session.load().settings, [story.url]))
    if not isinstance(response, Response):
        demo.streams.line(f"{response.kind}: {response.message}", indent=3)
        return
    article = extract(response.body, url=response.final_url, fetched_at=response.fetched_at)
    demo.streams.table(
        [
            (name, value, f"({source})" if (source := article.sources.get(name)) else "")
            for name, value in _fields(article, demo.session.reader_clock())
        ],
        indent=3,
    )


def _fields(article: Article, clock: ReaderClock) -> list[tuple[str, str]]:
    published = clock.named(article.published_at) if article.published_at else "unknown"
    return [
        ("title", article.title),
        ("authors", ", ".join(article.authors)),
        ("published_at", published),
        ("language", article.language_tag),
        ("text", f"{counted(article.word_count, 'word')}, quality {article.quality:.2f}"),
    ]


def _describe(outcome: Response | Problem) -> tuple[str, tuple[str, str]]:
    from wireroom.model import Problem

    if isinstance(outcome, Problem):
        return outcome.subject_url, (outcome.kind, outcome.message)
    milliseconds = outcome.elapsed.total_seconds() * 1000
    size = f"{len(outcome.body):,} bytes in {milliseconds:.0f} ms"
    return outcome.url, (str(outcome.status), size)


def _status(demo: Demo) -> None:
    show_status(
        demo.app.status(),
        demo.session.database_name(),
        demo.streams,
        demo.session.reader_clock(),
        indent=3,
    )


def _go_on(demo: Demo) -> None:
    if not demo.stays:
        demo.streams.prose(
            "Without --no-serve the town stays open, and the pages open on what is held.", indent=3
        )
        return
    demo.streams.line("The town stays open. In another terminal, try:", indent=3)
    for command in _commands(demo):
        demo.streams.line(command, style="cyan", indent=5)


def _commands(demo: Demo) -> list[str]:
    config = f"--config {shlex.quote(str(demo.config))}"
    courier = demo.running.hosts["courier.test"]
    return [
        f"wireroom scout http://courier.test/ --explain {config}",
        f"wireroom rights http://toll.test/ --for ai-train {config}",
        f"wireroom run --once {config}",
        f"wireroom search harbour {config}",
        f"wireroom status {config}",
        f"curl -H 'Host: courier.test' http://{courier}/rss.xml",
    ]


STEPS: tuple[DemoStep, ...] = (
    DemoStep("The town opens", _meet),
    DemoStep("Settings that point at it", _set),
    DemoStep("Asking everybody, politely", _ask),
    DemoStep("What publishers offer and permit", _scout),
    DemoStep("A page becomes an article", _read),
    DemoStep("Following its feeds", _follow),
    DemoStep("A run", _run),
    DemoStep("What is held", _status),
    DemoStep("What comes next", _go_on),
)


# The demo: opens the town, a settings file and an app, runs the steps, and clears all of it away.
#
# What is shown stands in `demo_steps`.


def run_demo(session: Session, *, seed: int | None, serve: bool) -> int:
    """Runs every step in its order; with `serve` the town stays open afterwards."""
    if session.choices.config:
        raise SettingsError(
            ["--config: the demo writes a settings file of its own"], hint="Leave it out."
        )
    with _open_demo(session, seed=seed, serve=serve) as demo:
        for number, step in enumerate(STEPS, 1):
            demo.streams.heading(f"{number}. {step.title}")
            step.run(demo)
            demo.streams.line()
        if serve:
            demo.streams.flush()
            with _pages(demo) as address:
                _wait(session, address)
    return OK


@contextmanager
def _pages(demo: Demo) -> Iterator[str]:
    """The pages on the demo's data, on a free port; without the extra there are none, and that is said."""
    try:
        from wireroom.web.guards import known_names
        from wireroom.web.web_server import ServerOptions, serving_pages
    except ModuleNotFoundError:
        demo.streams.note("The pages need: pip install 'wireroom[web]'")
        yield ""
        return
    options = ServerOptions(names=known_names("127.0.0.1", ()), can_run=True)
    with serving_pages(demo.app, options) as address:
        yield address


@contextmanager
def _open_demo(session: Session, *, seed: int | None, serve: bool) -> Iterator[Demo]:
    """Everything the steps need, and nothing left of it afterwards."""
    from wireroom.town import DEFAULT_SEED, build_town, running_town

    town = build_town(seed=DEFAULT_SEED if seed is None else seed)
    with (
        TemporaryDirectory(prefix="wireroom-demo-") as name,
        running_town(town) as running,
    ):
        file = _settings_file(Path(name), running, session.choices)
        inner = replace(session, choices=file.choices, loaded=None)
        with inner.app() as app:
            yield Demo(session=inner, app=app, running=running, config=file.config, stays=serve)


@dataclass(frozen=True)
class _SettingsFile:
    config: Path
    choices: Choices


def _settings_file(folder: Path, running: Running, choices: Choices) -> _SettingsFile:
    """The settings file in its folder.

    The database is named by a flag as well, which goes before the environment: an operator who has
    WIREROOM_DATABASE_URL set must not find the town in their news.
    """
    own = f"sqlite:///{(folder / 'wireroom.db').as_posix()}"
    config = folder / "wireroom.toml"
    named = "" if choices.db else f"database_url = {json.dumps(own)}\n\n"
    config.write_text(named + running.settings_toml(), encoding="utf-8")
    return _SettingsFile(config, replace(choices, config=str(config), db=choices.db or own))


def _wait(session: Session, address: str) -> None:
    """Until Ctrl-C, which ends the run as everywhere, or SIGTERM, which ends it well."""
    ended = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        ended.set()

    before = signal.signal(signal.SIGTERM, end)
    try:
        if address:
            session.streams.line(f"The pages are at {address}", indent=3)
            session.streams.flush()
        session.streams.note("The town is open until you press Ctrl-C.")
        ended.wait()
    finally:
        signal.signal(signal.SIGTERM, before)
