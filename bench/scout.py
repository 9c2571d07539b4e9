"""How long scouting takes: one publisher that is slow to answer, and a list of many, both in the town.

One publisher: every answer takes 100 ms, manners are the default ones, and nothing is known before. The
same requests one after another stand beside it. Many: the command itself, in a process of its own, scouts a
list of generated publishers; the town answers from another process. Common Crawl is not asked: nothing
here leaves the machine.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.client import HTTPConnection
from pathlib import Path

from figures import Figure, main
from wireroom.app import open_app
from wireroom.app.readers import open_readers
from wireroom.app.scout import Scouting
from wireroom.fetch import Fetcher, FetchOptions
from wireroom.parse.robots import read_robots
from wireroom.rights import agent_table, view_agents, view_classes
from wireroom.scout.address import read_address
from wireroom.town import Running, build_town, running_town

LATENCY = timedelta(milliseconds=100)
PUBLISHER = "courier.test"  # has every signal that a step looks for
WARM = "faro.test"  # scouted before, so that loading modules is not counted as scouting
MANY = 500
READY_WITHIN = 60.0  # seconds for the town's process to write its settings


def measure(short: bool) -> Iterator[Figure]:
    """Every figure; `short` scouts fewer publishers."""
    yield from _single()
    yield _agents()
    yield from _many(20 if short else MANY)


# --- one publisher -----------------------------------------------------------------------------


def _single() -> Iterator[Figure]:
    with running_town(build_town()) as town:
        seconds = asyncio.run(_scout(town))
        requests = [
            (seen.method, seen.path, seen.query) for seen in town.log.requests_to(PUBLISHER)
        ]
        alone = _one_after_another(town, requests)
    paths = [path for _, path, _ in requests]
    latency = LATENCY.total_seconds()
    yield Figure(
        metric="one publisher, every answer after 100 ms, everything on",
        unit="s",
        ours=seconds,
        peer=alone,
        peer_name="the same requests in turn",
        aim="at most 1.2",
    )
    yield Figure(
        metric="the same, in latencies of 100 ms",
        unit="latencies",
        ours=seconds / latency,
        peer=alone / latency,
        peer_name="the same requests in turn",
        aim="at most 12",
    )
    yield Figure(metric="requests", unit="requests", ours=len(requests), aim="at most 30")
    yield Figure(
        metric="of them for robots.txt", unit="requests", ours=paths.count("/robots.txt"), aim="1"
    )
    yield Figure(metric="of them for the homepage", unit="requests", ours=paths.count("/"), aim="1")


async def _scout(town: Running) -> float:
    with tempfile.TemporaryDirectory() as folder, open_app(f"sqlite:///{folder}/w.db") as app:
        async with (
            Fetcher(FetchOptions(hosts=town.hosts)) as fetch,
            open_readers(app.settings) as readers,
        ):
            scouting = Scouting(app, readers.beside(fetch), offline=True, read=readers)
            await scouting.dossier(read_address(f"http://{WARM}/"))
            town.latency = LATENCY
            started = time.perf_counter()
            await scouting.dossier(read_address(f"http://{PUBLISHER}/"))
            return time.perf_counter() - started


def _one_after_another(town: Running, requests: list[tuple[str, str, str]]) -> float:
    host, port = town.address(PUBLISHER)
    connection = HTTPConnection(host, port, timeout=10)
    started = time.perf_counter()
    for method, path, query in requests:
        connection.request(
            method, f"{path}?{query}" if query else path, headers={"Host": PUBLISHER}
        )
        connection.getresponse().read()
    connection.close()
    return time.perf_counter() - started


# --- all agents --------------------------------------------------------------------------------


def _agents() -> Figure:
    """robots.txt of 5 KB, read and asked about every agent for `/` and for one path."""
    names = [agent.name for agent in agent_table().agents]
    body = "".join(f"User-agent: {name}\nDisallow: /\n\n" for name in names[::2])
    body = (body + "Disallow: /a/section/*.html\n" * 400)[:5000]
    url = f"http://{PUBLISHER}/news/a-story.html"
    times = []
    for _ in range(20):
        started = time.process_time()
        view_classes(view_agents(read_robots(body.encode()), url))
        times.append(time.process_time() - started)
    return Figure(
        metric=f"robots verdicts for {len(names)} agents on a 5 KB file",
        unit="ms",
        ours=min(times) * 1000,
        aim="under 5",
    )


# --- many --------------------------------------------------------------------------------------


def _many(count: int) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "list.txt").write_text(
            "".join(f"http://paper-{number:04}.test/\n" for number in range(1, count + 1))
        )
        with _served_town(folder, count):
            seconds, cpu, megabytes = _scout_list(folder, count)
    yield Figure(
        metric=f"{count} publishers of a list",
        unit="publishers/s",
        ours=count / seconds,
        aim="at least 10",
    )
    yield Figure(metric="CPU of it, a publisher", unit="ms", ours=1000 * cpu / count)
    yield Figure(metric="memory at most", unit="MB", ours=megabytes, aim="under 300")


@contextmanager
def _served_town(folder: Path, count: int) -> Iterator[None]:
    """The town in a process of its own; its settings stand in the folder."""
    config = folder / "wireroom.toml"
    town = subprocess.Popen(
        [*_wireroom("town"), "--publishers", str(count), "--write-config", str(config)],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + READY_WITHIN
        while not config.exists() and time.monotonic() < until:
            time.sleep(0.05)
        yield
    finally:
        town.terminate()
        town.wait(timeout=20)


def _scout_list(folder: Path, count: int) -> tuple[float, float, float]:
    """Wall time, CPU time and the most memory of the command, from its start to its end."""
    started = time.perf_counter()
    with (folder / "cards.jsonl").open("wb") as out:
        process = subprocess.Popen(
            [*_wireroom("scout"), "-i", "list.txt", "--jsonl", "-q"], cwd=folder, stdout=out
        )
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    rows = (folder / "cards.jsonl").read_bytes().count(b'"outcome": "completed"')
    if process.returncode != 0 or rows != count:
        raise SystemExit(f"{rows} of {count} were scouted, exit code {process.returncode}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def _wireroom(command: str) -> list[str]:
    return [sys.executable, "-m", "wireroom", command]


if __name__ == "__main__":
    main("scout", measure, about="How long it takes to find out what publishers offer and permit.")
