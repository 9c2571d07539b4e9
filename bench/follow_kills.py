"""The kill matrix of following: SIGKILL of whole process groups at random moments of a run, then to the end.

Whatever happened, the articles must be those of an unbroken run, nothing may be left in a dead process's hands,
and a page is asked for again only after a kill: so no page more than once and once more for each kill, and all
of them together no more often than kills times what a run has in flight. Alone and with two at once on one
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
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from cluster import Cluster, own_cluster
from figures import Figure, main
from press import Press, serve_press
from wireroom.model import Feed
from wireroom.ports import Store
from wireroom.store import open_store

T = TypeVar("T")

PROGRAM = Path(__file__).parent / "programs" / "follow.py"
PUBLISHERS, SHORT_PUBLISHERS = 40, 4
ARTICLES = 20
KILLS, SHORT_KILLS = 20, 2
IN_FLIGHT = 64  # feeds and pages under way at once in one run
LONGEST = 600.0  # seconds of a run to the end
SEED = 7
# A run takes a second to begin. Where another goes on meanwhile, pages must be left for all the kills, so a
# publisher is asked at most once in so many seconds.
GAP_OF_TWO = 1.0
ON_ITS_WAY = 0.25  # seconds for a request that was sent before a kill to reach the server

Texts = set[tuple[str, str, str]]


@dataclass(slots=True)
class World:
    """The town, where it is written down for the victims, and what an unbroken run holds."""

    press: Press
    file: Path
    texts: Texts = field(default_factory=set)
    breaks: list[float] = field(default_factory=list)
    """When runs were killed, or their server, in seconds since 1970."""
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
        _slow_down(world, 0.0)
        _run_unbroken(world, f"sqlite:///{folder}/unbroken.db")
        for count in (1, 2):
            url = f"sqlite:///{folder}/killed-{count}.db"
            yield from _matrix("SQLite", world, url, kills=kills, processes=count)
        with own_cluster() as cluster:
            if cluster is not None:
                yield from _on_a_server(cluster, world, kills)


def _slow_down(world: World, gap: float) -> None:
    """Seconds between two requests to one publisher, for runs that begin from now on."""
    facts = {"hosts": world.press.hosts, "gap": gap, "in_flight": IN_FLIGHT}
    world.file.write_text(json.dumps(facts), "utf-8")


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
        world.breaks.append(time.time())
        cluster.restart()
    _to_the_end(runs)
    _finish(world, url)
    yield Figure(
        metric="PostgreSQL restarted under two runs: same articles",
        unit="restarts",
        ours=restarts if _texts(url) == world.texts else 0,
        aim=f"{restarts} of {restarts}",
    )
    yield from _fetches("PostgreSQL restarted", world)


def _matrix(name: str, world: World, url: str, *, kills: int, processes: int) -> Iterator[Figure]:
    label = f"{name}, {'one run' if processes == 1 else 'two runs'}"
    _slow_down(world, GAP_OF_TWO if processes > 1 else 0.0)
    _prepare(world, url)
    _kill_many(world, url, kills=kills, processes=processes)
    _slow_down(world, 0.0)
    _finish(world, url)
    yield Figure(metric=f"{label}: kills", unit="kills", ours=len(world.breaks), aim=f"{kills}")
    yield Figure(
        metric=f"{label}: articles that differ from those of an unbroken run",
        unit="articles",
        ours=len(_texts(url) ^ world.texts),
        aim="0",
    )
    yield Figure(
        metric=f"{label}: work left in dead hands",
        unit="leads and feeds",
        ours=_open_work(url),
        aim="0",
    )
    yield from _fetches(label, world)


def _fetches(label: str, world: World) -> Iterator[Figure]:
    """How often pages were asked for again, and whether there was a reason each time."""
    times: dict[tuple[str, str], list[float]] = defaultdict(list)
    for request in world.press.asked():
        if request.path != "/robots.txt":
            times[request.host, request.path].append(request.at)
    breaks = len(world.breaks)
    yield Figure(
        metric=f"{label}: most extra requests for one page",
        unit="requests",
        ours=max(len(each) for each in times.values()) - 1,
        aim=f"<= {breaks}",
    )
    yield Figure(
        metric=f"{label}: extra requests for all pages",
        unit="requests",
        ours=sum(len(each) - 1 for each in times.values()),
        aim=f"<= {breaks} x {IN_FLIGHT} in flight",
    )
    yield Figure(
        metric=f"{label}: extra requests without a kill since the last",
        unit="requests",
        ours=sum(_without_reason(each, world.breaks) for each in times.values()),
        aim="0",
    )


def _without_reason(times: list[float], breaks: list[float]) -> int:
    """How many requests for a page came although nobody had died since the one before."""
    return sum(
        not any(before - ON_ITS_WAY <= killed <= after for killed in breaks)
        for before, after in pairwise(sorted(times))
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
        (None, Feed(url=feed_url, publisher=host, kind="rss"))
        for host, feed_url in world.press.feeds.items()
    ]
    store.save_feed_changes(feeds, now=datetime.now(UTC))
    store.close()
    world.press.forget()
    world.breaks.clear()


def _kill_many(world: World, url: str, *, kills: int, processes: int) -> None:
    """Kills one run after another; where there are two, the other goes on."""
    runs = _start(world, url, processes)
    while len(world.breaks) < kills:
        _await_requests(world, world.chance.randint(1, _most_between(world, kills)), runs)
        living = [place for place, run in enumerate(runs) if run.poll() is None]
        if not living:
            break  # they were quicker than our murders
        at = world.chance.choice(living)
        if _kill(runs[at]):
            world.breaks.append(time.time())
        runs[at : at + 1] = _start(world, url)
    _to_the_end(runs)


def _most_between(world: World, kills: int) -> int:
    """How many requests may pass until the next kill, so that the others find something left to do."""
    left = world.press.pages - world.press.count()
    return max(1, left // (kills - len(world.breaks)))


def _await_requests(world: World, count: int, runs: list[subprocess.Popen[str]]) -> None:
    """Until so many more were asked for, or nobody asks any more."""
    wanted = world.press.count() + count
    while world.press.count() < wanted and any(run.poll() is None for run in runs):
        time.sleep(0.005)


def _start(world: World, url: str, processes: int = 1) -> list[subprocess.Popen[str]]:
    """Runs at their beginning, each in a process group of its own."""
    command = [sys.executable, str(PROGRAM), "victim", url, str(world.file)]
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
            sum(lead.state in states for lead in store.leads(limit=10**6)) + len(store.holders())
        ),
    )


def _looked_at(url: str, ask: Callable[[Store], T]) -> T:
    store = open_store(url)
    try:
        return ask(store)
    finally:
        store.close()


if __name__ == "__main__":
    main("follow_kills", measure, about=__doc__ or "")
