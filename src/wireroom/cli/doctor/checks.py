"""What `wireroom doctor` looks at: one small function per question, each answered in one row.

A check never raises: what it cannot find out is a row too. Knows how to look, not how to show.
"""

from __future__ import annotations

import os
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from zoneinfo import ZoneInfo

from wireroom.cli.counting import counted
from wireroom.cli.doctor.check import Check, State
from wireroom.cli.doctor.feedchecks import look_at_feeds
from wireroom.cli.session import Session
from wireroom.errors import SettingsError, WireroomError
from wireroom.registry import broken

OLDEST_PYTHON = (3, 11)
LITTLE_ROOM = 2**30  # bytes; a gigabyte is some 100,000 articles
NO_ROOM = 100 * 2**20  # bytes; SQLite needs room for its log beside the data
ROOMS = ("cli", "export", "workers", "fetch.strategies", "scout", "store")
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


def look(session: Session) -> Iterator[Check]:
    """Every check, one after the other; one that fails to look says so."""
    for check in CHECKS:
        try:
            yield from check(session)
        except SettingsError:
            continue  # told by the check of the settings; the others cannot be made without
        except Exception as exc:  # noqa: BLE001 - the doctor must outlive every illness
            name = check.__name__.removeprefix("_").replace("_", " ")
            yield Check(name, "fail", f"{type(exc).__name__}: {exc}", "Please report this.")


def _python(_session: Session) -> Iterator[Check]:
    found = f"{sys.implementation.name} {sys.version.split()[0]}"
    if sys.version_info < OLDEST_PYTHON:
        yield Check("python", "fail", found, "Install Python 3.11 or newer.")
    else:
        yield Check("python", "ok", found)


def _settings(session: Session) -> Iterator[Check]:
    try:
        loaded = session.load()
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


def _database(session: Session) -> Iterator[Check]:
    name = session.database_name()
    if not session.has_database():
        yield Check("database", "ok", f"{name} is not there yet; the first sync makes it")
        return
    try:
        with session.app() as app:
            health = app.store.health()
            counts = app.store.counts()
    except WireroomError as exc:
        yield Check("database", "fail", exc.message, exc.hint)
        return
    if health.state == "ok":
        held = [
            counted(counts[f"{noun}s"], noun)
            for noun in ("publisher", "feed", "article")
            if counts[f"{noun}s"]
        ]
        yield Check("database", "ok", f"{name}: {', '.join(held) or 'empty'}")
    else:
        yield Check("database", "fail", f"{name} is {health.state}", health.message)


def _sqlite(_session: Session) -> Iterator[Check]:
    """Whether this Python's SQLite can do what we need; a database in memory shows it."""
    from wireroom.app import open_app

    try:
        with open_app("sqlite://") as app:
            app.store.search("word")
    except WireroomError as exc:
        yield Check("sqlite", "fail", exc.message, "Use a Python whose SQLite has FTS5.")
        return
    # The store has loaded it; nobody else is to import a database's driver.
    number = getattr(sys.modules.get("sqlite3"), "sqlite_version", "of unknown version")
    yield Check("sqlite", "ok", f"{number}, with full-text search")


def _disk(session: Session) -> Iterator[Check]:
    file = session.database_file()
    folder = (file or Path("x")).absolute().parent
    if not folder.is_dir():
        yield Check("disk", "fail", f"{folder} is not there", "Make the folder, or choose another.")
        return
    free = shutil.disk_usage(folder).free
    found = f"{free / 2**30:.1f} GB free in {folder}"
    if not os.access(folder, os.W_OK):
        yield Check("disk", "fail", f"{folder} cannot be written", "Choose another with --db.")
    elif free < LITTLE_ROOM:
        state: State = "fail" if free < NO_ROOM else "warn"
        yield Check("disk", state, found, "Make room, or move the database.")
    else:
        yield Check("disk", "ok", found)


def _extras(session: Session) -> Iterator[Check]:
    for extra, (module, purpose) in EXTRAS.items():
        if find_spec(module) is not None:
            yield Check(f"extra {extra}", "ok", f"installed ({_version(module)}): {purpose}")
        else:
            advice = f"pip install 'wireroom[{extra}]'"
            yield Check(f"extra {extra}", "ok", f"not installed: {purpose}", advice)
    if session.load().settings.database_url.startswith("postgres") and not find_spec("psycopg"):
        advice = "pip install 'wireroom[postgres]'"
        yield Check("extra postgres", "fail", "the settings ask for PostgreSQL", advice)


def _strategies(session: Session) -> Iterator[Check]:
    """Whether the chosen ways to fetch can be gone; those that do not exist are settings' problems."""
    from wireroom.cli.strategies import chosen_strategies

    chosen = chosen_strategies(session.load().settings)
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


def _network_rules(session: Session) -> Iterator[Check]:
    settings = session.load().settings
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


def _loopback(_session: Session) -> Iterator[Check]:
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


def _plugs(_session: Session) -> Iterator[Check]:
    found = {plug: reason for room in ROOMS for plug, reason in broken(room).items()}
    for plug, reason in found.items():
        advice = "Update or remove the package it comes from."
        yield Check("plug", "warn", f"{plug} cannot be loaded: {reason}", advice)
    if not found:
        yield Check("plugs", "ok", "every one can be loaded")


def _time_zones(_session: Session) -> Iterator[Check]:
    try:
        ZoneInfo("Europe/Vienna")
    except (KeyError, OSError):
        yield Check("time zones", "fail", "no data", "pip install tzdata")
        return
    yield Check("time zones", "ok", "known by name")


def _terminal(session: Session) -> Iterator[Check]:
    encoding = (sys.stdout.encoding or "unknown").lower()
    kind = "a terminal" if session.streams.is_terminal else "no terminal: no colour, no bars"
    if encoding.replace("-", "") != "utf8":
        advice = "Set LANG to a UTF-8 locale or PYTHONUTF8=1; characters may be shown as numbers."
        yield Check("terminal", "warn", f"{kind}, encoding {encoding}", advice)
    else:
        yield Check("terminal", "ok", f"{kind}, encoding {encoding}")


CHECKS: tuple[Callable[[Session], Iterator[Check]], ...] = (
    _python,
    _settings,
    _sqlite,
    _database,
    look_at_feeds,
    _disk,
    _extras,
    _strategies,
    _network_rules,
    _loopback,
    _plugs,
    _time_zones,
    _terminal,
)
