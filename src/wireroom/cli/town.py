"""`wireroom town`: serves the town, an invented press world on loopback, until it is told to end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from wireroom.cli.exits import OK
from wireroom.cli.session import Json, Session
from wireroom.cli.streams import Streams
from wireroom.errors import TownError
from wireroom.ports import Command
from wireroom.private_files import PUBLIC, write_whole

if TYPE_CHECKING:
    from types import FrameType

    from wireroom.town import Running

GENERATED = "paper-"  # how the names of generated publishers begin
NOBODY_READS = 0  # requests kept in the log: it is for tests
MAX_PORT = 65535
KNOCK = 1.0  # seconds to see whether anybody answers on this very machine
MAX_ARTICLES = 100_000  # of a generated one: at its slowest, one a day, the archive of 273 years

Publishers = Annotated[
    int, typer.Option("--publishers", min=0, help="Generated publishers besides the named ones.")
]
Articles = Annotated[int, typer.Option("--articles", min=0, help="Articles of each generated one.")]
PageWeight = Annotated[
    Literal["light", "real"],
    typer.Option("--weight", help="Pages of the generated ones: light, or as heavy as real ones."),
]
Latency = Annotated[str, typer.Option("--latency", help='Added to every answer, such as "50ms".')]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="0 finds a free one.")]
Seed = Annotated[int | None, typer.Option("--seed", help="The same number gives the same town.")]
WriteConfig = Annotated[
    Path | None,
    typer.Option("--write-config", metavar="FILE", help="Write a wireroom.toml that finds it."),
]


def town(
    session: Session,
    publishers: Publishers = 0,
    articles: Articles = 40,
    weight: PageWeight = "light",
    latency: Latency = "0",
    port: Port = 0,
    seed: Seed = None,
    write_config: WriteConfig = None,
    json: Json = False,
) -> int:
    """Serve an invented press world on loopback.

    Shows who lives there, then serves until Ctrl-C (exit code 130) or SIGTERM (exit code 0).
    """
    from wireroom.town import DEFAULT_SEED, build_town, running_town

    wait = _duration(latency)
    _check_size(publishers, articles)
    made = build_town(
        seed=DEFAULT_SEED if seed is None else seed,
        publishers=publishers,
        articles=articles,
        weight=weight,
    )
    made.clock.set_running()
    with (
        _sigterm() as ended,
        running_town(made, port=port, latency=wait, log_size=NOBODY_READS) as running,
    ):
        if write_config is not None:
            _write(write_config, running)
        if json:
            session.streams.json(_data(running))
        else:
            _show(running, session.streams)
        session.streams.flush()
        session.streams.note(_open_until(write_config))
        ended.wait()
    return OK


@contextmanager
def _sigterm() -> Iterator[threading.Event]:
    """An event that SIGTERM sets; Ctrl-C stays what it is everywhere."""
    ended = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        ended.set()

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield ended
    finally:
        signal.signal(signal.SIGTERM, before)


def _duration(text: str) -> timedelta:
    from wireroom.dates.durations import read_duration

    try:
        return read_duration(text)
    except ValueError as exc:
        raise typer.BadParameter(f"--latency {text}: {exc}") from exc


def _check_size(generated: int, articles: int) -> None:
    """Refuses a town that could not be served, before it is built."""
    from wireroom.town import build_town
    from wireroom.town.loopback import MAX_PUBLISHERS

    room = MAX_PUBLISHERS - len(build_town().publishers)
    if generated > room:
        raise typer.BadParameter(f"--publishers {generated}: there are addresses for {room:,}.")
    if articles > MAX_ARTICLES:
        raise typer.BadParameter(f"--articles {articles}: at most {MAX_ARTICLES:,} can be served.")


def _write(file: Path, running: Running) -> None:
    """Writes the settings; a file of nobody's town, or of one that is still open, stays."""
    text = running.settings_toml()
    try:
        if file.exists():
            _refuse_to_replace(file, text, running)
        write_whole(file, text.encode(), PUBLIC)
    except (OSError, UnicodeDecodeError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) else "it is not text"
        raise TownError(
            f"cannot write {file}: {reason}.", hint="Choose another --write-config."
        ) from exc


def _refuse_to_replace(file: Path, text: str, running: Running) -> None:
    there = file.read_text(encoding="utf-8")
    if not there.startswith(text.partition("\n")[0]):
        raise TownError(
            f"{file} is not a town's and is left as it is.",
            hint="Choose another name for --write-config, or move that file away.",
        )
    address = _still_open(there, besides=set(running.hosts.values()))
    if address:
        raise TownError(
            f"{file} leads to another town, which is still open at {address}.",
            hint="Choose another name for --write-config, or end that town first.",
        )


def _still_open(settings: str, *, besides: set[str]) -> str:
    """Where somebody still serves the town of these settings; empty when it is gone, or is this one."""
    import socket
    import tomllib

    try:
        hosts = dict(tomllib.loads(settings).get("hosts", {}))
    except (tomllib.TOMLDecodeError, TypeError, ValueError):
        return ""  # begun by a town and spoilt by somebody: it leads nowhere
    address = str(next(iter(hosts.values()), ""))
    host, _, port = address.rpartition(":")
    if address in besides or not host.startswith("127.") or not _is_port(port):
        return ""
    with socket.socket() as probe:
        probe.settimeout(KNOCK)
        return address if probe.connect_ex((host, int(port))) == 0 else ""


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and 0 < int(text[:6]) <= MAX_PORT


def _data(running: Running) -> dict[str, Any]:
    return {
        "seed": running.town.seed,
        "port": running.port,
        "publishers": [
            {
                "host": publisher.host,
                "address": running.hosts[publisher.host],
                "name": publisher.name,
                "language": publisher.language,
                "about": publisher.about,
                "feeds": [f"http://{publisher.host}{feed.path}" for feed in publisher.feeds],
            }
            for publisher in running.town.publishers.values()
        ],
    }


def _show(running: Running, streams: Streams) -> None:
    everyone = running.town.publishers.values()
    named = [
        town_publisher
        for town_publisher in everyone
        if not town_publisher.host.startswith(GENERATED)
    ]
    rows = [
        (town_publisher.host, running.hosts[town_publisher.host], town_publisher.about)
        for town_publisher in named
    ]
    streams.table(rows, columns=("publisher", "address", "what it is"))
    others = len(everyone) - len(named)
    if others:
        streams.line(f"and {others:,} generated ones, {GENERATED}0001.test to {GENERATED}{others:04}.test")  # fmt: skip


def _open_until(config: Path | None) -> str:
    message = f" Try it with: wireroom --config {config} config show" if config else ""
    return f"The town is open until you press Ctrl-C.{message}"


PLUG = Command("town", town, order=11)
