"""Runs killed in the middle, alone and two at once: started again, they end where an unbroken run ends.

`bench/follow_kills.py` is the long form, with worker processes and twenty kills.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from tests.app.run.world import rss
from tests.holding import save_feeds
from tests.parts import REPOSITORY
from tests.store.postgres_server import PostgresServer, running_server
from wireroom.store import open_store
from wireroom.town import Running, build_town, running_town

KILLS = 3
FEEDS = (rss("anzeiger.test"), rss("phare.test", "feed/"), rss("courier.test"))
LONGEST = 90.0  # seconds to the end of a run; two on an idle machine
MOST = 10  # requests between two kills: three of them always fall into the forty-odd of a run

Texts = set[tuple[str, str, str]]


@pytest.fixture(scope="module")
def town() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


@pytest.fixture(scope="module")
def unbroken(town: Running, tmp_path_factory: pytest.TempPathFactory) -> Texts:
    url = f"sqlite:///{tmp_path_factory.mktemp('unbroken')}/w.db"
    prepare(url, town)
    end(start(url, town))
    return texts(url)


def prepare(url: str, town: Running) -> None:
    """An empty store that follows the feeds, and an empty log."""
    store = open_store(url)
    save_feeds(store, FEEDS, now=datetime.now(UTC))
    store.close()
    town.forget()


def start(
    url: str, town: Running, *, processes: int = 1, gap: float = 0.0, scout: bool = False
) -> list[subprocess.Popen[str]]:
    """Runs at their beginning, each in a process group of its own."""
    hosts = json.dumps(dict(town.hosts))
    command = [sys.executable, "-m", "tests.app.run.victim", url, hosts, str(gap)]
    command += ["scout"] if scout else []
    runs = [
        subprocess.Popen(
            command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        for _ in range(processes)
    ]
    for run in runs:
        assert run.stdout is not None
        assert run.stdout.readline() == "begins\n"
    return runs


def await_requests(town: Running, count: int, runs: list[subprocess.Popen[str]]) -> None:
    """Until so many more were asked for, or nobody asks any more."""
    wanted, until = len(town.log) + count, time.monotonic() + LONGEST
    while len(town.log) < wanted and any(run.poll() is None for run in runs):
        assert time.monotonic() < until
        time.sleep(0.002)


def kill(run: subprocess.Popen[str]) -> bool:
    """Kills the whole group; whether it was still at work."""
    alive = run.poll() is None
    if alive:
        os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    return alive


def end(runs: list[subprocess.Popen[str]]) -> None:
    for run in runs:
        run.communicate(timeout=LONGEST)
        assert run.returncode == 0


def texts(url: str) -> Texts:
    store = open_store(url)
    try:
        return {(article.publisher, article.url, article.text_hash) for article in store.articles()}
    finally:
        store.close()


def assert_whole(url: str, town: Running, unbroken: Texts, *, kills: int) -> None:
    """All is there, nothing is stuck, and nobody was asked more often than there was a reason."""
    assert len(unbroken) == 60
    assert texts(url) == unbroken
    store = open_store(url)
    try:
        assert {lead.state for lead in store.leads()} == {"read"}
        assert store.counts()["articles"] == len(unbroken)
        assert store.holders() == ()
    finally:
        store.close()
    asked = Counter((seen.host, seen.path) for seen in town.log if seen.path != "/robots.txt")
    assert max(asked.values()) <= 1 + kills


def kill_some(
    url: str, town: Running, *, processes: int, seed: int, scout: bool = False, most: int = MOST
) -> int:
    """Kills runs at moments drawn by chance, each started again; how many died at work."""
    chance = Random(seed)
    runs = start(url, town, processes=processes, scout=scout)
    died = 0
    for _ in range(KILLS):
        await_requests(town, chance.randint(1, most), runs)
        living = [place for place, run in enumerate(runs) if run.poll() is None]
        victim = chance.choice(living or [0])  # who finds nothing to do may have gone
        died += kill(runs[victim])
        runs[victim : victim + 1] = start(url, town, scout=scout)
    end(runs)
    end(start(url, town, scout=scout))  # what the last victim held, if its twin had gone before
    return died


@pytest.mark.long
@pytest.mark.parametrize("processes", [1, 2])
def test_killed_runs_end_where_an_unbroken_one_does(
    town: Running, unbroken: Texts, tmp_path: Path, processes: int
) -> None:
    url = f"sqlite:///{tmp_path}/w.db"
    prepare(url, town)
    assert kill_some(url, town, processes=processes, seed=processes) > 0
    assert_whole(url, town, unbroken, kills=KILLS)


@pytest.mark.long
def test_scouts_that_are_killed_are_made_again_and_pages_wait_for_them(
    town: Running, unbroken: Texts, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path}/w.db"
    prepare(url, town)
    assert kill_some(url, town, processes=2, seed=3, scout=True, most=2 * MOST) > 0
    assert texts(url) == unbroken
    store = open_store(url)
    try:
        assert {lead.state for lead in store.leads()} == {"read"}
        assert store.due_publishers(now=datetime.now(UTC), limit=9) == ()
        scouted = [store.dossier(feed.publisher) for feed in FEEDS]
        assert all(dossier is not None and dossier.scouted_at.year > 1970 for dossier in scouted)
        articles = list(store.articles())
        assert all(article.receipt and article.receipt.verdicts for article in articles)
        assert store.holders() == ()
    finally:
        store.close()


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with running_server() as running:
        yield running


@pytest.mark.postgres
def test_two_killed_runs_share_a_server(
    town: Running, unbroken: Texts, server: PostgresServer
) -> None:
    url = server.new_database()
    prepare(url, town)
    assert kill_some(url, town, processes=2, seed=5) > 0
    assert_whole(url, town, unbroken, kills=KILLS)


@pytest.mark.postgres
def test_a_server_that_is_restarted_twice_loses_nothing(
    town: Running, unbroken: Texts, server: PostgresServer
) -> None:
    url = server.new_database()
    prepare(url, town)
    runs = start(url, town, processes=2)
    for _ in range(2):
        await_requests(town, MOST, runs)
        server.restart()
    end(runs)
    end(start(url, town))
    assert_whole(url, town, unbroken, kills=2)


# --- two at once, unharmed ---------------------------------------------------------------------------


@pytest.mark.long
def test_each_hosts_limit_holds_over_two_runs(
    town: Running, unbroken: Texts, tmp_path: Path
) -> None:
    """Hosts go from one run to the other; whoever has one asks as if it had been its own all the time."""
    gap = 0.2
    url = f"sqlite:///{tmp_path}/w.db"
    prepare(url, town)
    end(start(url, town, processes=2, gap=gap))
    assert_whole(url, town, unbroken, kills=0)
    for host in ("anzeiger.test", "phare.test"):
        seen = [request for request in town.log if request.host == host]
        assert max(request.in_flight for request in seen) == 1
        # Seen from the server a request may come late, which shortens one gap and lengthens another.
        assert seen[-1].at - seen[0].at > (len(seen) - 2) * gap
