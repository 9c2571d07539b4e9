"""Readers on a Ray cluster of three nodes and a real PostgreSQL, beside one run of the engine `local`. Not a bench by itself.

The same 10,000 articles three times: by `run --engine local`, by `run --engine ray`, and by the latter while a reader is
killed every five seconds and a node in the middle. The processor time is that of our own processes, looked up while
they run; that of Ray's own beside it. The server's log says whether any host had two requests at once.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from cluster import Cluster, own_cluster
from figures import Figure
from press import Asked, Press, serve_press
from wireroom.app.holders import read_holder
from wireroom.ports import Store
from wireroom.store import open_store

sys.path.append(str(Path(__file__).resolve().parent.parent))  # what tests and benches share
from tests.ray_nodes import RayNodes, family, running_nodes

NODES = 3
KILL_EVERY = 5.0  # seconds
LOSE_NODE_AT = 0.3  # of all articles
STARTED_AT = 0.05  # of all articles: from here on nobody starts any more
LOOK_EVERY = 0.5  # seconds between two looks at what processes have used
LONGEST = 900.0  # seconds until all is kept
RESUMED_WITHIN = 30.0  # seconds
MOST_ABOVE_LOCAL = 1.25
CLOCK = 0.002  # seconds: the server's log counts in thousandths
OURS = ("ray::Reader", "ray::Parser", "ray::IDLE")
PARSER = "wireroom.workers.worker"
TICKS = os.sysconf("SC_CLK_TCK")

Articles = set[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class RayLoad:
    """How much there is to read."""

    publishers: int
    articles: int


WHOLE = RayLoad(publishers=250, articles=40)
SHORT = RayLoad(publishers=20, articles=4)


@dataclass(slots=True)
class Usage:
    """Processor time of processes and what they start, kept beyond their end."""

    roots: Sequence[int]
    ours: dict[tuple[int, int], float] = field(default_factory=dict)
    others: dict[tuple[int, int], float] = field(default_factory=dict)
    started: tuple[int, float] | None = None
    """Articles kept, and what ours had used, when all processes had started."""

    def note_started(self, kept: int) -> None:
        """What is used from now on is reading."""
        if self.started is None:
            self.started = kept, sum(self.ours.values())

    def running(self, pages: int) -> float:
        """Processor time of ours for an article, the start of processes apart."""
        kept, used = self.started or (0, 0.0)
        return (sum(self.ours.values()) - used) / (pages - kept)

    def look(self) -> None:
        """Notes what each process has used so far."""
        for pid in [each for root in self.roots for each in family(root)]:
            try:
                words = Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace")
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has just ended
                continue
            used = (int(fields[11]) + int(fields[12])) / TICKS
            is_ours = pid == self.roots[0] or words.startswith(OURS) or PARSER in words
            (self.ours if is_ours else self.others)[pid, int(fields[19])] = used


@dataclass(frozen=True, slots=True, kw_only=True)
class RayMeasured:
    """What came of reading everything once."""

    articles: Articles
    rows: int
    took: float
    cpu: float
    running: float
    """Processor time an article, once all processes had started."""
    others_cpu: float
    asked: Sequence[Asked]


@dataclass(slots=True)
class Losses:
    """What was killed, and how soon work was resumed."""

    readers: int = 0
    nodes: int = 0
    until_saved: list[float] = field(default_factory=list)
    """Seconds until another article was kept."""
    until_free: list[float] = field(default_factory=list)
    """Seconds until others could take the hosts of the reader."""


def measure_ray(short: bool) -> Iterator[Figure]:
    """Every figure of a Ray cluster."""
    load = SHORT if short else WHOLE
    publishers = int(os.environ.get("SCALE_PUBLISHERS", load.publishers))
    with (
        serve_press(publishers, articles=load.articles) as press,
        own_cluster() as cluster,
        tempfile.TemporaryDirectory(prefix="wireroom-ray-") as folder,
    ):
        if cluster is None:
            raise SystemExit("PostgreSQL is not installed. On Debian: apt-get install postgresql")
        bench = _Bench(press, cluster, Path(folder))
        local = bench.read("local", ())
        with running_nodes(NODES) as nodes:
            quiet = bench.read("ray", (nodes.process.pid,), nodes)
            yield from _compared(local, quiet, short=short)
            losses = Losses()
            harmed = bench.read("harmed", (nodes.process.pid,), nodes, losses)
    yield from _harmed(local, harmed, losses)


def _compared(local: RayMeasured, quiet: RayMeasured, *, short: bool) -> Iterator[Figure]:
    count = len(local.articles)
    yield Figure(metric="articles of the engine local", unit="articles", ours=count)
    yield Figure(
        metric="articles on Ray that differ from those of the engine local",
        unit="articles",
        ours=len(local.articles ^ quiet.articles),
        most=0,
    )
    yield Figure(
        metric="CPU an article in our processes, on Ray beside local",
        unit="ms",
        ours=quiet.cpu / count * 1e3,
        peer=local.cpu / count * 1e3,
        peer_name="local",
    )
    yield Figure(
        metric="CPU an article in our processes, on Ray against local",
        unit="times",
        ours=quiet.cpu / local.cpu,
        most=None if short else MOST_ABOVE_LOCAL,  # of few articles it is all start-up
    )
    yield Figure(
        metric="CPU an article in our processes once all have started, on Ray beside local",
        unit="ms",
        ours=quiet.running * 1e3,
        peer=local.running * 1e3,
        peer_name="local",
    )
    yield Figure(
        metric="CPU an article in Ray's own processes",
        unit="ms",
        ours=quiet.others_cpu / count * 1e3,
    )
    yield Figure(
        metric="articles a second, on Ray beside local (one machine for all nodes)",
        unit="articles/s",
        ours=count / quiet.took,
        peer=count / local.took,
        peer_name="local",
    )


def _harmed(local: RayMeasured, harmed: RayMeasured, losses: Losses) -> Iterator[Figure]:
    yield Figure(metric="readers killed in mid-run", unit="readers", ours=losses.readers)
    yield Figure(metric="nodes killed in mid-run", unit="nodes", ours=losses.nodes)
    yield Figure(
        metric="articles that differ after readers and a node were killed",
        unit="articles",
        ours=len(local.articles ^ harmed.articles),
        most=0,
    )
    yield Figure(
        metric="articles that are there twice after it",
        unit="articles",
        ours=harmed.rows - len(harmed.articles),
        most=0,
    )
    yield Figure(
        metric="requests to a host that had another one under way, on Ray with kills",
        unit="requests",
        ours=_overlaps(harmed.asked),
        most=0,
    )
    yield Figure(
        metric="longest time after a kill until an article was kept",
        unit="s",
        ours=max(losses.until_saved, default=0.0),
        most=RESUMED_WITHIN,
    )
    yield Figure(
        metric="longest time after a kill until the reader's hosts were free for others",
        unit="s",
        ours=max(losses.until_free, default=0.0),
        most=RESUMED_WITHIN,
    )


def _overlaps(asked: Sequence[Asked]) -> int:
    by_host: defaultdict[str, list[Asked]] = defaultdict(list)
    for request in sorted(asked, key=lambda request: request.at):
        by_host[request.host].append(request)
    count = 0
    for requests in by_host.values():
        ended = 0.0
        for request in requests:
            count += request.at < ended - CLOCK
            ended = max(ended, request.ended)
    return count


class _Bench:
    """Reads everything once, by one engine or the other."""

    def __init__(self, press: Press, cluster: Cluster, folder: Path) -> None:
        self._press = press
        self._cluster = cluster
        self._folder = folder

    def read(
        self,
        name: str,
        others: Sequence[int],
        nodes: RayNodes | None = None,
        losses: Losses | None = None,
    ) -> RayMeasured:
        url = self._cluster.new_database(name)
        self._press.forget()
        with closing(open_store(url)) as store, self._running(name, url, nodes) as run:
            usage = Usage((run.pid, *others))
            usage.look()
            standing = dict(usage.others)  # what Ray's own processes had used before
            own = sum(usage.ours.values())
            harm = _harm(store, nodes, losses, self._press.pages)
            self._await_all(store, run, usage, harm)
            articles = [(each.publisher, each.url, each.text_hash) for each in store.articles()]
        asked = self._press.asked()
        others_cpu = sum(used - standing.get(key, 0.0) for key, used in usage.others.items())
        return RayMeasured(
            articles=set(articles),
            rows=len(articles),
            took=max(request.ended for request in asked) - min(request.at for request in asked),
            cpu=sum(usage.ours.values()) - own,
            running=usage.running(self._press.pages),
            others_cpu=others_cpu,
            asked=asked,
        )

    @contextmanager
    def _running(
        self, name: str, url: str, nodes: RayNodes | None
    ) -> Iterator[subprocess.Popen[bytes]]:
        settings = self._folder / f"{name}.toml"
        settings.write_text(_settings(self._press), "utf-8")
        engine = ["--engine", "local"]
        if nodes is not None:
            engine = ["--engine", "ray", "--address", nodes.address]
        environ = {"WIREROOM_CONFIG": str(settings), "WIREROOM_DATABASE_URL": url}
        run = subprocess.Popen(
            [sys.executable, "-m", "wireroom", "run", "--quiet", *engine],
            cwd=self._folder,
            env={**os.environ, **environ, **(nodes.environ if nodes is not None else {})},
            stdout=subprocess.DEVNULL,
        )
        try:
            yield run
        finally:
            run.send_signal(signal.SIGTERM)
            code = run.wait(timeout=60)
        if code:
            raise SystemExit(f"the run {name} ended with {code}")

    def _await_all(
        self,
        store: Store,
        run: subprocess.Popen[bytes],
        usage: Usage,
        harm: Callable[[int], None],
    ) -> None:
        until = time.monotonic() + LONGEST
        while (kept := store.counts()["articles"]) < self._press.pages:
            if time.monotonic() > until or run.poll() is not None:
                raise SystemExit(f"{kept} of {self._press.pages} articles were kept")
            usage.look()
            if kept >= STARTED_AT * self._press.pages:
                usage.note_started(kept)
            harm(kept)
            time.sleep(LOOK_EVERY)
        usage.look()


def _harm(
    store: Store, nodes: RayNodes | None, losses: Losses | None, pages: int
) -> Callable[[int], None]:
    """Kills a reader every five seconds and a node in the middle, and notes how soon work was resumed.

    Of the readers that are at work: on a slow machine one may need longer than five seconds to begin.
    """
    chance = random.Random(17)
    next_at = time.monotonic() + KILL_EVERY
    dead: dict[str, float] = {}
    waiting: list[tuple[float, int]] = []

    def harm(kept: int) -> None:
        nonlocal next_at
        if nodes is None or losses is None:
            return
        now = time.monotonic()
        held = set(store.holders())
        for name in [name for name in dead if name not in held]:
            losses.until_free.append(now - dead.pop(name))
        for at, count in [each for each in waiting if kept > each[1]]:
            waiting.remove((at, count))
            losses.until_saved.append(now - at)
        readers = [name for name in _readers(store) if name in held and name not in dead]
        if not kept or not readers or now < next_at:
            return
        next_at = now + KILL_EVERY
        waiting.append((now, kept))
        if not losses.nodes and kept > LOSE_NODE_AT * pages:
            before = dict.fromkeys(readers)
            nodes.kill()
            losses.nodes += 1
            time.sleep(1.0)
            dead.update({name: now for name in before if not _lives(name)})
            return
        victim = chance.choice(readers)
        holder = read_holder(victim)
        if holder is not None and _lives(victim):
            os.kill(holder.pid, signal.SIGKILL)
            losses.readers += 1
            if victim in held:
                dead[victim] = now

    return harm


def _readers(store: Store) -> list[str]:
    """Those that were heard of lately."""
    now = datetime.now(UTC)
    runs = store.queue.runs()
    return sorted(run.holder for run in runs if (now - run.seen_at).total_seconds() < 30)


def _lives(name: str) -> bool:
    holder = read_holder(name)
    return holder is not None and Path(f"/proc/{holder.pid}/cwd").exists()


def _settings(press: Press) -> str:
    hosts = "\n".join(f'"{name}" = "{place}"' for name, place in press.hosts.items())
    feeds = "\n".join(
        f'[[feeds]]\nname = "{host}"\nurl = "{url}"' for host, url in press.feeds.items()
    )
    return f"""
[hosts]
{hosts}
[fetch]
delay = "0 s"
[run]
scout = false
workers = 2
[store]
raw_kept_for = "0 s"
{feeds}
"""
