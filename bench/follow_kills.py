"""The kill matrix of following: SIGKILL of whole process groups at random moments of a run, then to the end.

Whatever happened, the articles must be those of an unbroken run, nothing may be left in a dead process's hands,
and a page is asked for again only after a kill: so no page more than once and once more for each kill, and all
of them together no more often than kills times what a run has in flight. Alone and with two at once on one
database, on SQLite and on PostgreSQL, which is restarted twice as well, as after a crash. Some kills come while
publishers are being scouted. After each the database is looked at: no article twice, no damage, no row that points
nowhere. Ends with code 1 when an aim is missed.
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
from database_checks import damage, doubles
from figures import Figure, main
from press import Press, serve_press
from wireroom.app.scout_log import NEVER
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
# A run takes a second to begin, some on a busy machine, and after each kill the database is looked at. Where another goes
# on meanwhile, pages must be left for all the kills, so a publisher is asked at most once in so many seconds.
GAP_OF_TWO = 2.0
ON_ITS_WAY = 0.25  # seconds for a request that was sent before a kill to reach the server
SCOUTED = "/ai.txt"  # asked for once in each scout of a publisher, and by nobody else
GAP_OF_SCOUTS = 0.05  # seconds between two requests of a scout, so that it can be met under way

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
    mid_scout: int = 0
    """Kills that found a publisher being scouted."""
    looks: int = 0
    """How often the database was looked at."""
    doubled: set[str] = field(default_factory=set)
    damaged: list[str] = field(default_factory=list)

    def look_for_harm(self, url: str) -> None:
        """Looks at the database, which others may use meanwhile."""
        self.looks += 1
        self.doubled.update(_looked_at(url, doubles))
        self.damaged.extend(damage(url))

    def forget(self) -> None:
        """Begins anew, with an empty log."""
        self.press.forget()
        self.breaks.clear()
        self.doubled.clear()
        self.damaged.clear()
        self.mid_scout = self.looks = 0


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
        yield from _scouting("SQLite", world, f"sqlite:///{folder}/scouting.db", kills)
        with own_cluster() as cluster:
            if cluster is not None:
                yield from _on_a_server(cluster, world, kills)


def _slow_down(world: World, gap: float, *, scout: bool = False) -> None:
    """Seconds between two requests to one publisher, for runs that begin from now on, and whether they scout."""
    facts = {"hosts": world.press.hosts, "gap": gap, "in_flight": IN_FLIGHT, "scout": scout}
    world.file.write_text(json.dumps(facts), "utf-8")


def _on_a_server(cluster: Cluster, world: World, kills: int) -> Iterator[Figure]:
    for count in (1, 2):
        url = cluster.new_database(f"killed_{count}")
        yield from _matrix("PostgreSQL", world, url, kills=kills, processes=count)
    yield from _scouting("PostgreSQL", world, cluster.new_database("scouting"), kills)
    _slow_down(world, 0.0)
    url = cluster.new_database("restarted")
    _prepare(world, url)
    restarts = 2
    runs = _start(world, url, 2)
    for _ in range(restarts):
        _await_requests(world, world.press.pages // (restarts + 2), runs)
        world.breaks.append(time.time())
        cluster.restart()
        world.look_for_harm(url)
    _to_the_end(runs)
    _finish(world, url)
    yield Figure(
        metric="PostgreSQL restarted under two runs: same articles",
        unit="restarts",
        ours=restarts if _texts(url) == world.texts else 0,
        least=restarts,
    )
    yield from _harm("PostgreSQL restarted", world, url)
    yield from _fetches("PostgreSQL restarted", world)


def _matrix(name: str, world: World, url: str, *, kills: int, processes: int) -> Iterator[Figure]:
    label = f"{name}, {'one run' if processes == 1 else 'two runs'}"
    _slow_down(world, GAP_OF_TWO if processes > 1 else 0.0)
    _prepare(world, url)
    _kill_many(world, url, kills=kills, processes=processes)
    _slow_down(world, 0.0)
    _finish(world, url)
    yield from _survived(label, world, url, kills)
    yield from _fetches(label, world)


def _scouting(name: str, world: World, url: str, kills: int) -> Iterator[Figure]:
    """The same, each kill while publishers are being scouted."""
    label = f"{name}, scouting"
    _slow_down(world, GAP_OF_SCOUTS, scout=True)
    _prepare(world, url)
    _kill_scouts(world, url, kills)
    _finish(world, url)
    yield from _survived(label, world, url, kills)
    yield Figure(
        metric=f"{label}: kills while a publisher was being scouted",
        unit="kills",
        ours=world.mid_scout,
        least=kills,
    )
    yield Figure(
        metric=f"{label}: publishers whose scout was never finished",
        unit="publishers",
        ours=len(_unscouted(world, url)),
        most=0,
    )
    scouts = _times(world, lambda path: path == SCOUTED)
    yield Figure(
        metric=f"{label}: scouts begun again without a kill since the last",
        unit="scouts",
        ours=sum(_without_reason(each, world.breaks) for each in scouts.values()),
        most=0,
    )


def _survived(label: str, world: World, url: str, kills: int) -> Iterator[Figure]:
    """What is true whoever was killed."""
    yield Figure(metric=f"{label}: kills", unit="kills", ours=len(world.breaks), least=kills)
    yield Figure(
        metric=f"{label}: articles that differ from those of an unbroken run",
        unit="articles",
        ours=len(_texts(url) ^ world.texts),
        most=0,
    )
    yield Figure(
        metric=f"{label}: work left in dead hands",
        unit="leads and feeds",
        ours=_open_work(url),
        most=0,
    )
    yield from _harm(label, world, url)


def _harm(label: str, world: World, url: str) -> Iterator[Figure]:
    """What the looks after each kill found, and one now."""
    world.look_for_harm(url)
    for found in (*sorted(world.doubled), *world.damaged):
        print(f"{label}: {found}", file=sys.stderr)
    yield Figure(
        metric=f"{label}: looks at the database",
        unit="looks",
        ours=world.looks,
        least=len(world.breaks) + 1,
    )
    yield Figure(
        metric=f"{label}: addresses and identity keys that two articles have",
        unit="articles",
        ours=len(world.doubled),
        most=0,
    )
    yield Figure(
        metric=f"{label}: damage and rows that point nowhere",
        unit="problems",
        ours=len(world.damaged),
        most=0,
    )


def _times(world: World, wanted: Callable[[str], bool]) -> dict[tuple[str, str], list[float]]:
    """When each page was asked for, of those that are wanted by their path."""
    times: dict[tuple[str, str], list[float]] = defaultdict(list)
    for request in world.press.asked():
        if wanted(request.path):
            times[request.host, request.path].append(request.at)
    return times


def _fetches(label: str, world: World) -> Iterator[Figure]:
    """How often pages were asked for again, and whether there was a reason each time."""
    times = _times(world, lambda path: path != "/robots.txt")
    breaks = len(world.breaks)
    yield Figure(
        metric=f"{label}: most extra requests for one page",
        unit="requests",
        ours=max(len(each) for each in times.values()) - 1,
        most=breaks,
    )
    yield Figure(
        metric=f"{label}: extra requests for all pages",
        unit="requests",
        ours=sum(len(each) - 1 for each in times.values()),
        aim=f"<= {breaks} x {IN_FLIGHT} in flight",
        most=breaks * IN_FLIGHT,
    )
    yield Figure(
        metric=f"{label}: extra requests without a kill since the last",
        unit="requests",
        ours=sum(_without_reason(each, world.breaks) for each in times.values()),
        most=0,
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
    world.forget()


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
        world.look_for_harm(url)
        runs[at : at + 1] = _start(world, url)
    _to_the_end(runs)


def _kill_scouts(world: World, url: str, kills: int) -> None:
    """Kills one run after another, each a moment after it has begun to scout."""
    (run,) = _start(world, url)
    while len(world.breaks) < kills and (left := _unscouted(world, url)):
        most = max(1, len(left) // (kills - len(world.breaks) + 1))
        _await_scouts(world, world.chance.randint(1, most), run)
        if _kill(run):
            world.breaks.append(time.time())
            world.mid_scout += _is_met_in_flight(world, url)
        world.look_for_harm(url)
        (run,) = _start(world, url)
    _to_the_end([run])


def _await_scouts(world: World, count: int, run: subprocess.Popen[str]) -> None:
    """Until so many more scouts have begun, or nobody asks any more."""
    wanted = _begun(world) + count
    while run.poll() is None and _begun(world) < wanted:
        time.sleep(0.005)


def _begun(world: World) -> int:
    """How many scouts have begun."""
    return sum(map(len, _times(world, lambda path: path == SCOUTED).values()))


def _is_met_in_flight(world: World, url: str) -> bool:
    """Whether a publisher has been asked for what only a scout asks for, and the scout was not saved."""
    asked = {host for host, _ in _times(world, lambda path: path == SCOUTED)}
    return bool(asked & _unscouted(world, url))


def _unscouted(world: World, url: str) -> set[str]:
    """Publishers without a scout that was made to its end."""

    def ask(store: Store) -> set[str]:
        dossiers = {host: store.dossier(host) for host in world.press.feeds}
        return {host for host, held in dossiers.items() if held is None or held.scouted_at <= NEVER}

    return _looked_at(url, ask)


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
