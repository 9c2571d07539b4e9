"""Whether everything is in order: one small function per question, each answered in one row.

A check never raises: what it cannot find out is a row too. Knows how to look, not how to show.
"""

from __future__ import annotations

import os
import shutil
import socket
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias
from zoneinfo import ZoneInfo

from wireroom.app.application import open_app
from wireroom.app.factories import chosen_strategies, database_file, database_name, has_database
from wireroom.app.scout_signs import WarningSign
from wireroom.display_text import counted
from wireroom.errors import SettingsError, WireroomError
from wireroom.ports import (
    Command,
    EnginePlug,
    Format,
    SignalPlug,
    Step,
    StorePlug,
    StrategyPlug,
    WebPage,
)
from wireroom.registry import ROOMS, broken

if TYPE_CHECKING:
    from wireroom.app.application import App
    from wireroom.app.feeds import FeedStats
    from wireroom.settings import Loaded


# What is wrong with what is followed: feeds that do not do well, and dossiers to be doubted.

MAX_NAMED = 5  # feeds or publishers in one row; the command that lists all is named beside


def check_feeds(load: Load) -> Iterator[Check]:
    """Feeds that do not do well or give nothing, and publishers whose scouting shows that something went wrong."""
    settings = load().settings
    if not has_database(settings):
        return
    try:
        with open_app(settings) as app:
            yield from _unwell(app)
            yield from _doubtful(app)
    except WireroomError:
        return  # the check of the database says so


def _unwell(app: App) -> Iterator[Check]:
    from wireroom.app.feeds import UNWELL, FollowedFeeds

    found = FollowedFeeds(app).stats()
    for health in UNWELL:
        alike = [stats for stats in found if stats.health == health]
        if alike:
            named = _few([_feed_words(stats) for stats in alike])
            advice = f"Look at them: wireroom feeds --state {health}"
            yield Check("feeds", "warn", f"{len(alike):,} {health}: {named}", advice)
    if found and all(stats.health not in UNWELL for stats in found):
        message = f"{len(found):,} followed, none silent, gone or failing"
        yield Check("feeds", "ok", message)


def _feed_words(stats: FeedStats) -> str:
    """A feed by its name; with its reliability and its pages where these are what is wrong."""
    name = stats.feed.name or stats.feed.url
    if not stats.trouble:
        return name
    known = f"{stats.reliability:.2f}, " if stats.reliability is not None else ""
    return f"{name} ({known}{stats.trouble})"


_ADVICE: Final[dict[WarningSign, str]] = {
    WarningSign.NO_SAMPLE: "See what its feeds say: wireroom scout {publisher} --refresh --explain",
    WarningSign.NO_NEWS_SITEMAP: (
        "Feeds are followed all the same. If you know a news sitemap, name it: wireroom add ADDRESS"
    ),
    WarningSign.SLOW_STEP: "See which one, in steps: wireroom scout {publisher} --refresh --json",
    WarningSign.RATE_JUMPED: "See what changed: wireroom history {publisher}",
}
"""What can be done about each; a scout that is made again mostly finds the same."""


def _doubtful(app: App) -> Iterator[Check]:
    from wireroom.app.scout_signs import scout_warnings

    for warning in scout_warnings(app):
        found = f"{warning.words}: {_few(warning.publishers)}"
        yield Check(
            "scouting", "warn", found, _ADVICE[warning.sign].format(publisher=warning.publishers[0])
        )


def _few(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - MAX_NAMED} more" if len(listed) > MAX_NAMED else ""
    return f"{', '.join(listed[:MAX_NAMED])}{more}"


OLDEST_PYTHON = (3, 11)
LITTLE_ROOM = 2**30  # bytes; a gigabyte is some 100,000 articles
NO_ROOM = 100 * 2**20  # bytes; SQLite needs room for its log beside the data
KINDS: dict[str, type[object]] = {
    "cli": Command,
    "export": Format,
    "workers": EnginePlug,
    "fetch.strategies": StrategyPlug,
    "web.pages": WebPage,
    "scout.steps": Step,
    "signals": SignalPlug,
    "store": StorePlug,
}
"""What a plug of each room is."""
# Ports on which no web server is expected: whoever lists one has probably mixed up two settings.
NO_WEB_PORTS = {22: "SSH", 25: "mail", 3306: "MySQL", 5432: "PostgreSQL", 6379: "Redis"}

EXTRAS: dict[str, tuple[str, str]] = {
    "web": ("fastapi", "the web pages and the API"),
    "postgres": ("psycopg", "PostgreSQL as the database"),
    "parquet": ("pyarrow", "exports as Parquet"),
    "archive": ("fastwarc", "reading and writing WARC archives"),
    "ray": ("ray", "work on more than one machine"),
    "socks": ("python_socks", "SOCKS proxies"),
    "impersonate": ("curl_cffi", "the impersonating fetch strategy"),
}
"""Extra to the module that shows it is installed, and what it is for."""


def diagnose(load: Load) -> Iterator[Check]:
    """Every check, one after the other; one that fails to look says so. `load` gives the settings."""
    for check in CHECKS:
        try:
            yield from check(load)
        except SettingsError:
            continue  # the check of the settings says so; the others cannot be made without
        except Exception as exc:  # noqa: BLE001 - the doctor must outlive every illness
            name = check.__name__.removeprefix("_").replace("_", " ")
            yield Check(name, "fail", f"{type(exc).__name__}: {exc}", "Please report this.")


def _python(_load: Load) -> Iterator[Check]:
    found = f"{sys.implementation.name} {sys.version.split()[0]}"
    if sys.version_info < OLDEST_PYTHON:
        yield Check("python", "fail", found, "Install Python 3.11 or newer.")
    else:
        yield Check("python", "ok", found)


def _settings(load: Load) -> Iterator[Check]:
    try:
        loaded = load()
    except SettingsError as exc:
        for problem in exc.problems:
            yield Check(
                "settings", "fail", problem, "Correct it; the checks it touches are left out."
            )
        return
    yield Check("settings", "ok", loaded.file or "no file: the defaults hold")
    if not loaded.settings.contact_url:
        advice = "Set contact_url, so that publishers can reach you."
        yield Check("contact", "warn", "requests do not say whose they are", advice)


def _database(load: Load) -> Iterator[Check]:
    settings = load().settings
    name = database_name(settings)
    if not has_database(settings):
        yield Check("database", "ok", f"{name} is not there yet; the first sync makes it")
        return
    try:
        with open_app(settings) as app:
            health = app.store.health()
            counts = app.store.counts()
    except WireroomError as exc:
        yield Check("database", "fail", exc.message, exc.hint)
        return
    if health.state == "ok":
        held = [
            counted(counts[f"{kind}s"], kind)
            for kind in ("publisher", "feed", "article")
            if counts[f"{kind}s"]
        ]
        yield Check("database", "ok", f"{name}: {', '.join(held) or 'empty'}")
    else:
        yield Check("database", "fail", f"{name} is {health.state}", health.message)


def _sqlite(_load: Load) -> Iterator[Check]:
    """Whether this Python's SQLite can do what we need; a database in memory shows it."""
    try:
        with open_app("sqlite://") as app:
            app.store.search("word")
    except WireroomError as exc:
        yield Check("sqlite", "fail", exc.message, "Use a Python whose SQLite has FTS5.")
        return
    # The store has loaded it; nobody else is to import a database's driver.
    number = getattr(sys.modules.get("sqlite3"), "sqlite_version", "of unknown version")
    yield Check("sqlite", "ok", f"{number}, with full-text search")


def _disk(load: Load) -> Iterator[Check]:
    file = database_file(load().settings)
    folder = (file or Path("x")).absolute().parent
    if not folder.is_dir():
        yield Check("disk", "fail", f"{folder} is not there", "Make the folder, or choose another.")
        return
    free = shutil.disk_usage(folder).free
    found = f"{free / 2**30:.1f} GB free in {folder}"
    if not os.access(folder, os.W_OK):
        yield Check("disk", "fail", f"{folder} cannot be written", "Choose another with --db.")
    elif free < LITTLE_ROOM:
        state: CheckState = "fail" if free < NO_ROOM else "warn"
        yield Check("disk", state, found, "Make room, or move the database.")
    else:
        yield Check("disk", "ok", found)


def _extras(load: Load) -> Iterator[Check]:
    for extra, (module, purpose) in EXTRAS.items():
        if find_spec(module) is not None:
            yield Check(f"extra {extra}", "ok", f"installed ({_version(module)}): {purpose}")
        else:
            advice = f"pip install 'wireroom[{extra}]'"
            yield Check(f"extra {extra}", "ok", f"not installed: {purpose}", advice)
    if load().settings.database_url.startswith("postgres") and not find_spec("psycopg"):
        advice = "pip install 'wireroom[postgres]'"
        yield Check("extra postgres", "fail", "the settings ask for PostgreSQL", advice)


def _strategies(load: Load) -> Iterator[Check]:
    """Whether the chosen strategies can be opened; those that do not exist are settings' problems."""
    chosen = chosen_strategies(load().settings)
    lacking = [
        plug for plug in chosen if plug.extra in EXTRAS and find_spec(EXTRAS[plug.extra][0]) is None
    ]
    for plug in lacking:
        found = f"{plug.name} is chosen, and its part is not installed"
        yield Check("strategies", "fail", found, f"pip install 'wireroom[{plug.extra}]'")
    if not lacking:
        yield Check("strategies", "ok", ", ".join(plug.name for plug in chosen))


def _version(module: str) -> str:
    try:
        return version(module.replace("_", "-"))
    except PackageNotFoundError:
        return "version unknown"


def _network_rules(load: Load) -> Iterator[Check]:
    settings = load().settings
    public = [
        name
        for name, place in settings.hosts.items()
        if ip_address(place.rpartition(":")[0].strip("[]")).is_global
    ]
    if public:
        advice = "Remove them from [hosts], unless they are your own."
        found = f"{', '.join(public)}: fixed to a public address, moves are not followed"
        yield Check("hosts", "warn", found, advice)
    else:
        yield Check(
            "hosts", "ok", f"{counted(len(settings.hosts), 'name')} fixed, none to a public address"
        )
    yield from _private_places(settings.fetch.allow_private)
    if settings.fetch.agreed:
        found = f"robots.txt is not asked of {', '.join(settings.fetch.agreed)} (fetch.agreed)"
        yield Check("agreed", "ok", found, "Keep only hosts whose owners have agreed.")


def _private_places(places: tuple[str, ...]) -> Iterator[Check]:
    odd = [
        f"{place} ({NO_WEB_PORTS[port]})"
        for place in places
        if (port := int(place.rpartition(":")[2])) in NO_WEB_PORTS
    ]
    if odd:
        advice = "Remove them from fetch.allow_private: pages could make wireroom talk to them."
        yield Check("private places", "warn", f"no web servers: {', '.join(odd)}", advice)
    else:
        yield Check("private places", "ok", f"{len(places)} may be asked")


def _loopback(_load: Load) -> Iterator[Check]:
    """Whether we can talk to ourselves, as the town and the pages do."""
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            socket.create_connection(server.getsockname(), timeout=2).close()
    except OSError as exc:
        advice = "Allow connections to 127.0.0.1: the town and the pages need them."
        yield Check("loopback", "fail", f"127.0.0.1: {exc.strerror or exc}", advice)
        return
    try:
        socket.create_server(("127.66.0.1", 0)).close()
    except OSError:
        yield Check("loopback", "ok", "127.0.0.1 alone: the town uses one port per publisher")
        return
    yield Check("loopback", "ok", "127.0.0.1 and its neighbours answer")


def _plugs(_load: Load) -> Iterator[Check]:
    found = {plug: reason for room in ROOMS for plug, reason in broken(room, KINDS[room]).items()}
    for plug, reason in found.items():
        advice = "Update or remove the package it comes from."
        yield Check("plug", "warn", f"{plug} cannot be loaded: {reason}", advice)
    if not found:
        yield Check("plugs", "ok", "every one can be loaded")


def _time_zones(_load: Load) -> Iterator[Check]:
    try:
        ZoneInfo("Europe/Vienna")
    except (KeyError, OSError):
        yield Check("time zones", "fail", "no data", "pip install tzdata")
        return
    yield Check("time zones", "ok", "known by name")


CHECKS: tuple[Callable[[Load], Iterator[Check]], ...] = (
    _python,
    _settings,
    _sqlite,
    _database,
    check_feeds,
    _disk,
    _extras,
    _strategies,
    _network_rules,
    _loopback,
    _plugs,
    _time_zones,
)


# The answer of one check, and where a check gets the settings from.

CheckState = Literal["ok", "warn", "fail"]
Load: TypeAlias = "Callable[[], Loaded]"
"""Gives the settings; SettingsError says what is wrong with them."""


@dataclass(frozen=True, slots=True)
class Check:
    """One answer: what was looked at, how it is, what was found, what to do."""

    name: str
    state: CheckState
    found: str
    advice: str = ""
