"""The kill matrix of following: SIGKILL of whole process groups at random moments of a cycle, then to the end.

Whatever happened, the articles must be those of an unbroken run, nothing may be left in a dead process's hands,
and no page may be asked for more than once and once more for each kill. Alone and with two at once on one
database, on SQLite and on PostgreSQL, which is restarted twice as well, as after a crash.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from cluster import Cluster, own_cluster
from figures import Figure, main
from press import Press, serve_press
from wireroom.model import Feed
from wireroom.ports import Store
from wireroom.store import open_store

T = TypeVar("T")

WAY = Path(__file__).parent / "ways" / "follow.py"
PUBLISHERS, SHORT_PUBLISHERS = 40, 4
ARTICLES = 20
KILLS, SHORT_KILLS = 20, 2
LONGEST = 600.0  # seconds of a run to the end
SEED = 7

Texts = set[tuple[str, str, str]]


@dataclass(slots=True)
class World:
    """The town, where it is written down for the victims, and what an unbroken run holds."""

    press: Press
    file: Path
    texts: Texts = field(default_factory=set)
    chance: random.Random = field(default_factory=lambda: random.Random(SEED))


def measure(short: bool) -> Iterator[Figure]:
    """How many kills each constellation survived."""
    publishers = SHORT_PUBLISHERS if short else PUBLISHERS
    kills = SHORT_KILLS if short else KILLS
    with (
        serve_press(publishers, articles=ARTICLES) as press,
        tempfile.TemporaryDirectory(prefix="wireroom-kills-") as name,
    ):
        folder = Path(name)
        world = World(press, folder / "world.json")
        world.file.write_text(json.dumps({"hosts": press.hosts}), "utf-8")
        _run_unbroken(world, f"sqlite:///{folder}/unbroken.db")
        for count in (1, 2):
            url = f"sqlite:///{folder}/killed-{count}.db"
            yield from _matrix("SQLite", world, url, kills=kills, processes=count)
        with own_cluster() as cluster:
            if cluster is not None:
                yield from _on_a_server(cluster, world, kills)


def _on_a_server(cluster: Cluster, world: World, kills: int) -> Iterator[Figure]:
    for count in (1, 2):
        url = cluster.new_database(f"killed_{count}")
        yield from _matrix("PostgreSQL", world, url, kills=kills, processes=count)
    url = cluster.new_database("restarted")
    _prepare(world, url)
    restarts = 2
    runs = _start(world, url, 2)
    for _ in range(restarts):
        _await_requests(world, world.press.pages // (restarts + 2), runs)
        cluster.restart()
    _to_the_end(runs)
    _finish(world, url)
    yield Figure(
        metric="PostgreSQL restarted under two runs: same articles",
        unit="restarts",
        ours=restarts if _texts(url) == world.texts else 0,
        aim=f"{restarts} of {restarts}",
    )
    yield from _fetches("PostgreSQL restarted", world, restarts)


def _matrix(name: str, world: World, url: str, *, kills: int, processes: int) -> Iterator[Figure]:
    label = f"{name}, {'one run' if processes == 1 else 'two runs'}"
    _prepare(world, url)
    done = _kill_many(world, url, kills=kills, processes=processes)
    _finish(world, url)
    held = _texts(url)
    yield Figure(
        metric=f"{label}: kills after which all was as unbroken",
        unit="kills",
        ours=done if held == world.texts else 0,
        aim=f"{kills} of {kills}",
    )
    yield Figure(
        metric=f"{label}: work left in dead hands",
        unit="leads and feeds",
        ours=_open_work(url),
        aim="0",
    )
    yield from _fetches(label, world, kills)


def _fetches(label: str, world: World, kills: int) -> Iterator[Figure]:
    asked = Counter((one.host, one.path) for one in world.press.asked())
    pages = {page: count for page, count in asked.items() if page[1] != "/robots.txt"}
    yield Figure(
        metric=f"{label}: most requests for one page",
        unit="requests",
        ours=max(pages.values()),
        aim=f"<= {1 + kills}",
    )
    yield Figure(
        metric=f"{label}: requests beyond one a page",
        unit="requests",
        ours=sum(pages.values()) - len(pages),
    )


def _run_unbroken(world: World, url: str) -> None:
    _prepare(world, url)
    _finish(world, url)
    world.texts = _texts(url)
    if len(world.texts) != world.press.pages:
        raise SystemExit(f"{len(world.texts)} of {world.press.pages} articles without any kill")


def _prepare(world: World, url: str) -> None:
    """An empty store that follows every feed, and an empty log."""
    store = open_store(url)
    feeds = [
        Feed(url=feed_url, publisher=host, kind="rss")
        for host, feed_url in world.press.feeds.items()
    ]
    store.save_feeds(feeds, now=datetime.now(UTC))
    store.close()
    world.press.forget()


def _kill_many(world: World, url: str, *, kills: int, processes: int) -> int:
    """Kills one run after another; where there are two, the other goes on. How many were killed at work."""
    done = 0
    runs = _start(world, url, processes)
    while done < kills:
        _await_requests(world, world.chance.randint(1, world.press.pages // kills), runs)
        living = [place for place, run in enumerate(runs) if run.poll() is None]
        if not living:
            break  # they were quicker than our murders
        at = world.chance.choice(living)
        done += _kill(runs[at])
        runs[at : at + 1] = _start(world, url)
    _to_the_end(runs)
    return done


def _await_requests(world: World, count: int, runs: list[subprocess.Popen[str]]) -> None:
    """Until so many more were asked for, or nobody asks any more."""
    wanted = world.press.count() + count
    while world.press.count() < wanted and any(run.poll() is None for run in runs):
        time.sleep(0.005)


def _start(world: World, url: str, processes: int = 1) -> list[subprocess.Popen[str]]:
    """Runs at their beginning, each in a process group of its own."""
    command = [sys.executable, str(WAY), "victim", url, str(world.file)]
    runs = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
        for _ in range(processes)
    ]
    for run in runs:
        if run.stdout is None or run.stdout.readline() != "begins\n":
            raise SystemExit("a run did not begin")
    return runs


def _kill(run: subprocess.Popen[str]) -> bool:
    """Whether it was still at work."""
    alive = run.poll() is None
    if alive:
        os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    return alive


def _to_the_end(runs: list[subprocess.Popen[str]]) -> None:
    for run in runs:
        run.communicate(timeout=LONGEST)
        if run.returncode:
            raise SystemExit(f"a run ended with code {run.returncode}")


def _finish(world: World, url: str) -> None:
    """One more run, to the end."""
    _to_the_end(_start(world, url))


def _texts(url: str) -> Texts:
    return _looked_at(
        url, lambda store: {(a.publisher, a.url, a.text_hash) for a in store.articles()}
    )


def _open_work(url: str) -> int:
    """Leads that are not read, and hosts that somebody holds."""
    states = {"new", "fetched", "retry"}
    return _looked_at(
        url,
        lambda store: (
            sum(one.state in states for one in store.leads(limit=10**6)) + len(store.holders())
        ),
    )


def _looked_at(url: str, look: Callable[[Store], T]) -> T:
    store = open_store(url)
    try:
        return look(store)
    finally:
        store.close()


if __name__ == "__main__":
    main("follow_kills", measure, about=__doc__ or "")
