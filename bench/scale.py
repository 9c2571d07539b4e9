"""Three `wireroom run` on one PostgreSQL against one: articles a second where publishers are slow.

Every answer of the large town comes seconds after the one before, so that a run waits and the processor has time to spare:
what three gain is what one cannot have in flight. Each begins on an empty database with the same settings file, as
daemons do, and is stopped when all is kept. The server's log says who asked whom when: no host may be served by two runs
at once, and no page twice. Needs nginx and PostgreSQL. Then readers on a Ray cluster beside the engine `local`: `scale_ray`.
`SCALE_PARTS=runs` or `SCALE_PARTS=ray` measures one of both.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from cluster import Cluster, own_cluster
from figures import Figure, main
from press import Asked, Press, serve_press
from wireroom.store import open_store

RUNS = 3
LONGEST = 900.0  # seconds until all is kept
LOOK_EVERY = 0.25  # seconds between two looks at how much is kept
CLOCK = 0.002  # seconds: the server's log counts in thousandths


@dataclass(frozen=True, slots=True)
class Load:
    """How much there is to do, and how much of it one run has in flight."""

    publishers: int
    articles: int
    slow: float
    """Seconds from one answer of a publisher to the next."""
    in_flight: int


WHOLE = Load(publishers=480, articles=8, slow=3.0, in_flight=512)  # as the settings have it
SHORT = Load(publishers=24, articles=4, slow=0.25, in_flight=16)


@dataclass(frozen=True, slots=True)
class Measured:
    """What one run came to, or several together."""

    articles: int
    took: float
    """Seconds from the first request to the last answer."""
    cpu: float
    asked: Sequence[Asked]

    @property
    def rate(self) -> float:
        """Articles a second."""
        return self.articles / self.took


def measure(short: bool) -> Iterator[Figure]:
    """Every figure of several runs, and of a Ray cluster."""
    parts = os.environ.get("SCALE_PARTS", "runs ray").split()
    if "runs" in parts:
        yield from measure_runs(short)
    if "ray" in parts and find_spec("ray") is None:
        print("Ray is not installed; its part is left out. make .venv/test", file=sys.stderr)
    elif "ray" in parts:
        from scale_ray import measure_ray

        yield from measure_ray(short)


def measure_runs(short: bool) -> Iterator[Figure]:
    """Every figure of several runs."""
    load = SHORT if short else WHOLE
    with (
        serve_press(load.publishers, articles=load.articles, slow=load.slow) as press,
        own_cluster() as cluster,
        tempfile.TemporaryDirectory(prefix="wireroom-scale-") as folder,
    ):
        if cluster is None:
            raise SystemExit("PostgreSQL is not installed. On Debian: apt-get install postgresql")
        single = _follow(press, cluster, Path(folder), load, 1)
        three = _follow(press, cluster, Path(folder), load, RUNS)
    yield from _compared(single, three, short=short)
    yield from _manners(three)


def _compared(single: Measured, three: Measured, *, short: bool) -> Iterator[Figure]:
    yield Figure(
        metric="articles, three runs beside one",
        unit="articles/s",
        ours=three.rate,
        peer=single.rate,
        peer_name="one run",
    )
    yield Figure(
        metric="three runs against one",
        unit="times",
        ours=three.rate / single.rate,
        least=None if short else 1.05,  # of few articles it is all start-up
    )
    yield Figure(
        metric="CPU an article, three runs beside one",
        unit="ms",
        ours=three.cpu / three.articles * 1e3,
        peer=single.cpu / single.articles * 1e3,
        peer_name="one run",
    )
    yield Figure(
        metric="cores that three runs kept busy, the server's apart",
        unit="cores",
        ours=three.cpu / three.took,
    )


def _manners(three: Measured) -> Iterator[Figure]:
    by_host: defaultdict[str, list[Asked]] = defaultdict(list)
    for request in sorted(three.asked, key=lambda request: request.at):
        by_host[request.host].append(request)
    pages = Counter((asked.host, asked.path) for asked in three.asked if _is_page(asked))
    yield Figure(
        metric="hosts that more than one of three runs served, one after the other",
        unit="hosts",
        ours=sum(len({asked.agent for asked in each}) > 1 for each in by_host.values()),
    )
    yield Figure(
        metric="requests of one run while another had one under way on the host",
        unit="requests",
        ours=sum(map(_overlaps, by_host.values())),
        most=0,
    )
    yield Figure(
        metric="pages that three runs asked for twice",
        unit="pages",
        ours=sum(count > 1 for count in pages.values()),
        most=0,
    )


def _is_page(asked: Asked) -> bool:
    return asked.path.startswith("/20")  # the year


def _overlaps(requests: Sequence[Asked]) -> int:
    """How many requests to a host arrived before another run had its answer; in the order of arrival."""
    ends: dict[str, float] = {}
    count = 0
    for request in requests:
        count += any(
            request.at < ended - CLOCK for agent, ended in ends.items() if agent != request.agent
        )
        ends[request.agent] = max(request.ended, ends.get(request.agent, 0.0))
    return count


def _follow(press: Press, cluster: Cluster, folder: Path, load: Load, runs: int) -> Measured:
    """So many runs on a fresh database, until all is kept."""
    url = cluster.new_database(f"runs_{runs}")
    settings = folder / f"{runs}.toml"
    settings.write_text(_settings(press, load), "utf-8")
    press.forget()
    before = _cpu()
    running = [_start(settings, url, number) for number in range(runs)]
    try:
        _await_all(press, url, running)
    finally:
        for run in running:
            run.send_signal(signal.SIGTERM)
        codes = [run.wait(timeout=60) for run in running]
    if any(codes):
        raise SystemExit(f"runs ended with {codes}")
    asked = press.asked()
    pages = [request for request in asked if _is_page(request)]
    return Measured(
        articles=press.pages,
        took=max(page.ended for page in pages) - min(request.at for request in asked),
        cpu=_cpu() - before,
        asked=asked,
    )


def _await_all(press: Press, url: str, running: Sequence[subprocess.Popen[bytes]]) -> None:
    until = time.monotonic() + LONGEST
    with closing(open_store(url)) as store:
        while store.counts()["articles"] < press.pages:
            if time.monotonic() > until or any(run.poll() is not None for run in running):
                raise SystemExit(
                    f"{store.counts()['articles']} of {press.pages} articles were kept"
                )
            time.sleep(LOOK_EVERY)


def _start(settings: Path, url: str, number: int) -> subprocess.Popen[bytes]:
    environ = {
        "WIREROOM_CONFIG": str(settings),
        "WIREROOM_DATABASE_URL": url,
        "WIREROOM_CONTACT_URL": f"https://run-{number}.example/",
    }
    return subprocess.Popen(
        [sys.executable, "-m", "wireroom", "run", "--workers", "1", "--quiet"],
        cwd=settings.parent,
        env={**os.environ, **environ},
        stdout=subprocess.DEVNULL,
    )


def _settings(press: Press, load: Load) -> str:
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
in_flight = {load.in_flight}
[store]
raw_kept_for = "0 s"
{feeds}
"""


def _cpu() -> float:
    """Seconds of the processes that have ended, with their own."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main("scale", measure, about=__doc__ or "", is_part="SCALE_PARTS" in os.environ)
