"""Factories: settings, fetcher and app put together for a use case, and taken apart afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from wireroom.app.application import App
from wireroom.errors import FetchError, SettingsError
from wireroom.ports import Fetch, RobotsFile, Store, StrategyPlug
from wireroom.registry import plugs, why_missing

if TYPE_CHECKING:
    from wireroom.app.add import Adding
    from wireroom.app.readers import ScoutReaders
    from wireroom.app.scout import Scouting
    from wireroom.fetch.client import Fetcher
    from wireroom.scout.runner import Progress
    from wireroom.settings import Loaded, Settings


@asynccontextmanager
async def open_fetcher(
    app: App, settings: Settings, *, keep: bool = True
) -> AsyncIterator[Fetcher]:
    """A fetcher that knows the robots.txt files of processes before it; with `keep` off those after it do not."""
    from wireroom.fetch.client import Fetcher
    from wireroom.fetch.fetch_options import options_from

    robots = RobotsBuffer(app.store)
    async with Fetcher(options_from(settings), robots_store=robots) as fetcher:
        try:
            yield fetcher
        finally:
            if keep:
                robots.flush()


@asynccontextmanager
async def scouting_by(
    fetcher: Fetcher,
    app: App,
    settings: Settings,
    *,
    offline: bool | None = None,
    leases: bool = True,
    readers: ScoutReaders | None = None,
    time: timedelta | None = None,
) -> AsyncIterator[Scouting]:
    """Scouting as the settings want it, by way of this fetcher; a scout takes `time`, else `scout.time`.

    `readers` are those of its scouts, started with the first request; a run has its own (`with_executor`).
    """
    from wireroom.app.scout import Scouting
    from wireroom.fetch.chat import chat_from
    from wireroom.scout.document_reading import read_inline
    from wireroom.scout.domain_list import DomainList

    chat = chat_from(settings)
    listed = settings.scout.common_crawl_list
    async with AsyncExitStack() as opened:
        if chat is not None:
            opened.push_async_callback(chat.close)
        yield Scouting(
            app,
            readers.beside(fetcher) if readers is not None else fetcher,
            fresh_for=settings.scout.fresh_for,
            rest=settings.rest_after_scout(),
            offline=settings.scout.offline if offline is None else offline,
            advise=chat,
            crawl_list=DomainList(listed) if listed else None,
            leases=leases,
            again_after=settings.run.scout_every,
            read=readers if readers is not None else read_inline,
            time=settings.scout.time if time is None else time,
            run_time=settings.run.scout_time,
            gap_of=fetcher.scout_gap_of,
        )


@asynccontextmanager
async def open_scouting(
    app: App, settings: Settings, *, offline: bool | None = None
) -> AsyncIterator[Scouting]:
    """Scouting with a fetcher and workers of its own that are closed afterwards."""
    from wireroom.app.readers import open_readers

    async with (
        open_fetcher(app, settings) as fetcher,
        open_readers(settings) as readers,
        scouting_by(fetcher, app, settings, offline=offline, readers=readers) as scouting,
    ):
        yield scouting


@asynccontextmanager
async def open_adding(
    app: App,
    settings: Settings,
    *,
    scout: bool = True,
    watch: Callable[[Progress], None] | None = None,
) -> AsyncIterator[Adding]:
    """Adding as the settings want it, with a fetcher of its own that is closed afterwards."""
    from wireroom.app.add import Adding
    from wireroom.app.readers import open_readers

    async with (
        open_fetcher(app, settings) as fetcher,
        open_readers(settings) as readers,
        scouting_by(
            fetcher, app, settings, readers=readers, time=settings.scout.add_time
        ) as scouting,
    ):
        policy = settings.rights.policy()
        yield Adding(app, fetcher, scouting, policy, scout=scout, watch=watch)


# Where the database of the settings is, and whether it is there yet: looking must not make an empty file.


def database_file(settings: Settings) -> Path | None:
    """The file of an SQLite database; None for any other database."""
    from wireroom.store import file_of

    return file_of(settings.database_url)


def has_database(settings: Settings) -> bool:
    """Whether there is something to look at."""
    file = database_file(settings)
    try:
        return file is None or file.exists()
    except OSError:  # a folder that may not be looked into; the store says what is wrong
        return True


def check_database(url: str) -> None:
    """Raises what is plainly wrong with a database's address, without opening or making anything."""
    from wireroom.store import file_of, plug_for
    from wireroom.store.sqlite.sqlite_files import check_content, check_place

    plug_for(url)
    file = file_of(url)
    if file is not None:
        check_place(file.expanduser())
        check_content(file.expanduser())


def remove_unused_database(settings: Settings) -> None:
    """Takes a new database away again in which nothing came to be held, unless somebody else has it open."""
    from wireroom.store.sqlite.unused_file import remove_unused

    file = database_file(settings)
    if file is not None and file.exists():
        remove_unused(file)


def database_name(settings: Settings) -> str:
    """The database's address as it may be shown."""
    from wireroom.settings import redact_address

    return redact_address(settings.database_url)


# The fetch strategies that the settings choose: whether each exists and can be opened.
#
# Settings know no rooms and rooms know no files; `app` knows both, and reports a strategy
# that does not exist with the place where it was asked for.

PROXY = "proxy"  # the strategy of every feed that names a proxy


def check_strategies(loaded: Loaded) -> None:
    """Raises SettingsError for strategies that do not exist."""
    known = plugs("fetch.strategies", StrategyPlug)
    problems = [
        loaded.problem(("fetch", "strategies", place), name, _expected(name, known))
        for place, name in enumerate(loaded.settings.fetch.strategies)
        if name not in known
    ]
    if problems:
        hint = "Choose another, or install the package that brings it."
        raise SettingsError(problems, hint=hint)


def _expected(name: str, known: Iterable[str]) -> str:
    why = why_missing("fetch.strategies", name, StrategyPlug)
    return f"expected one of {', '.join(sorted(known))}{f'; {why}' if why else ''}"


def chosen_strategies(settings: Settings) -> list[StrategyPlug]:
    """The strategies that the settings and their feeds ask for, each once, as far as they exist."""
    names = dict.fromkeys(settings.fetch.strategies)
    if any(feed.options().proxy for feed in settings.feeds):
        names[PROXY] = None
    known = plugs("fetch.strategies", StrategyPlug)
    return [known[name] for name in names if name in known]


# robots.txt files between fetcher and store: read at once, written together and never in anybody's way.


class RobotsBuffer:
    """A `RobotsStore` on a store; what it was given waits for `flush`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: dict[str, RobotsFile] = {}

    def robots_file(self, origin: str) -> RobotsFile | None:
        """What is kept of the origin, by us or by another process: the later one."""
        files = [self._waiting.get(origin), self._store.robots_file(origin)]
        return max(filter(None, files), key=lambda file: file.asked_at, default=None)

    def save_robots_file(self, file: RobotsFile) -> None:
        """Takes it, to be written later."""
        self._waiting[file.origin] = file

    def flush(self) -> None:
        """Writes what waits; a file that comes meanwhile waits for the next time."""
        files = list(self._waiting.values())
        if files:
            self._store.save_robots_files(files)
        for file in files:
            if self._waiting.get(file.origin) is file:
                del self._waiting[file.origin]


# The network as a run sees it: who fetches, who scouts, and what the fetcher knows of hosts.
#
# A run is given one such value; a test gives one with nothing but a `Fetch`.

PauseReason: TypeAlias = Literal["readers", "leases"]


def _not_paused(_paused: bool) -> None:
    """Where nobody can pause, requests go on."""


def _never_cut_off(_error: FetchError) -> bool:
    """Where nobody can tell, it is them."""
    return False


def _at_usual_pace(_host: str) -> str:
    """Where nobody can tell, it is asked like any other."""
    return ""


def _no_rest(_host: str) -> timedelta:
    return timedelta()


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """All by which a run reaches servers."""

    fetch: Fetch
    scouting: Scouting | None = None
    """Scouts publishers under leases that the run holds; none leaves them alone."""
    robots: RobotsBuffer | None = None
    """robots.txt files that wait to be saved."""
    pause: Callable[[bool], None] = _not_paused
    """Sends nothing more while it is paused."""
    is_cut_off: Callable[[FetchError], bool] = _never_cut_off
    """Whether a request failed because this machine has no network."""
    pace: Callable[[str], str] = _at_usual_pace
    """Why a host is asked more slowly than others; empty when it is not."""
    rest_of: Callable[[str], timedelta] = _no_rest
    """For how long a host is to be left alone from now on."""
    _reasons: set[PauseReason] = field(default_factory=set, init=False, repr=False)

    def pause_for(self, reason: PauseReason, on: bool) -> None:
        """Requests are paused from the first reason to the last."""
        before = bool(self._reasons)
        if on:
            self._reasons.add(reason)
        else:
            self._reasons.discard(reason)
        after = bool(self._reasons)
        if before != after:
            self.pause(after)


def network_of(
    fetcher: Fetcher, *, scouting: Scouting | None = None, robots: RobotsBuffer | None = None
) -> Network:
    """The network by way of our own fetcher."""
    return Network(
        fetch=fetcher,
        scouting=scouting,
        robots=robots,
        pause=fetcher.pause,
        is_cut_off=fetcher.is_cut_off,
        pace=fetcher.pace,
        rest_of=fetcher.rest_of,
    )
