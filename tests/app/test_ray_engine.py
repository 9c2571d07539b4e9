"""`run --engine ray` and `archive --engine ray` on a real cluster of three nodes and a real PostgreSQL.

A run: a reader is killed, a node is killed and one is added on the way, the run is ended by SIGTERM in the middle and begun anew.
What is held at the end is what one run of the engine `local` holds that nobody disturbed, and the publishers' own log
says whether manners held: nobody scouts here, so no host may ever have two requests under way.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.app.archive.conftest import rows
from tests.app.run.test_three_runs import (
    ARTICLES,
    DELAY,
    PUBLISHERS,
    await_until,
    followed,
    held,
    page_requests,
    run_alone,
    runs_on,
)
from tests.parts import REPOSITORY
from tests.ray_nodes import RayNodes, needs_ray, running_nodes
from tests.store.postgres_server import PASSWORD, PostgresServer, running_server
from tests.warcs import story_records, write_warc
from wireroom.app.holders import read_holder
from wireroom.ports import Store
from wireroom.store import open_store
from wireroom.town import Running, build_town, running_town

pytestmark = [needs_ray, pytest.mark.postgres, pytest.mark.long, pytest.mark.timeout(400)]

NODES = 3
JITTER = 0.05  # seconds by which two requests may come closer on their way to a busy server
EARLY, LATE = 12, 40  # pages that were asked for when somebody is killed, and when the run is ended
# An answer takes so long while somebody is begun anew or the run is asked to stop: however slow the machine is, the run must not
# come to its end meanwhile.
HELD_UP, STOPPING = timedelta(seconds=25), timedelta(seconds=5)
SLOW = timedelta(
    seconds=0.3
)  # an answer takes so long: there is something in flight at every moment


@pytest.fixture(scope="module")
def town() -> Iterator[Running]:
    with running_town(build_town(publishers=PUBLISHERS, articles=ARTICLES)) as running:
        yield running


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with running_server() as running:
        yield running


@pytest.fixture(scope="module")
def nodes() -> Iterator[RayNodes]:
    with running_nodes(NODES, more={"PGPASSWORD": PASSWORD}) as running:
        yield running


def readers(store: Store) -> dict[str, int]:
    """The readers that are at work: their names, and the numbers of their processes."""
    found = {run.holder: read_holder(run.holder) for run in store.queue.runs()}
    return {name: holder.pid for name, holder in found.items() if holder is not None}


def assert_manners(town: Running) -> None:
    """No host has two requests under way, and each is left alone between two."""
    for host in followed(town):
        requests = town.log.requests_to(host)
        assert all(request.in_flight == 1 for request in requests), host
        for before, after in pairwise(requests):
            assert after.at - before.at >= DELAY - JITTER, (host, before, after)


def test_readers_and_nodes_come_and_go_and_nothing_is_lost_or_doubled(
    town: Running,
    server: PostgresServer,
    nodes: RayNodes,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WIREROOM_RUN__SCOUT", "false")
    expected, asked = run_alone(town, server.new_database(), tmp_path / "alone")
    assert len(expected[0]) > PUBLISHERS * ARTICLES
    for name, value in nodes.environ.items():
        monkeypatch.setenv(name, value)
    ray = ("--engine", "ray", "--address", nodes.address)
    url = server.new_database()
    town.forget()
    town.latency = SLOW
    with closing(open_store(url)) as store, runs_on(url, tmp_path / "ray", town) as runs:
        runs.start("daemon", *ray)
        await_until(lambda: len(readers(store)) >= NODES and pages(town) >= EARLY)
        await_until(lambda: len(nodes.parsers()) == NODES)
        town.latency = HELD_UP
        before = readers(store)
        parsers = nodes.parsers()
        os.kill(next(iter(before.values())), signal.SIGKILL)
        await_until(lambda: bool(readers(store).keys() - before.keys()))
        assert nodes.parsers() == parsers, "they outlive the reader"
        nodes.kill()  # only now: had it been the node of the reader that was killed, one new reader would do for both
        before |= readers(store)
        nodes.add()
        await_until(lambda: bool(readers(store).keys() - before.keys()))
        town.latency = SLOW
        await_until(lambda: pages(town) >= LATE)
        town.latency = STOPPING
        assert runs.stop("daemon") == 0, runs.words("daemon")
        assert store.holders() == (), "what was in flight is given back"
        assert store.queue.runs() == ()
        assert held(store) != expected, "the end came too late to show anything"
        town.latency = timedelta()
        runs.start("rest", "--once", *ray)
        assert runs.wait("rest") == 0, runs.words("rest")
        assert held(store) == expected
        assert store.holders() == ()
    assert_manners(town)
    again = page_requests(town) - asked
    assert set(again.values()) <= {1, 2, 3}, (
        "once for each time that it was lost: reader, node, end"
    )
    assert again.total() < page_requests(town).total() / 2


def pages(town: Running) -> int:
    return page_requests(town).total()


def archive_all(folder: Path, *more: str) -> dict[str, Any]:
    """The summary of the command, which is run in this folder."""
    done = subprocess.run(
        [sys.executable, "-m", "wireroom", "archive", "*.warc.gz", "--json", *more],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "src")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1, done.stderr  # one input is no archive
    summary: dict[str, Any] = json.loads(done.stdout)
    return summary


def test_an_archive_read_by_tasks_has_the_rows_of_one_read_here(
    nodes: RayNodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        towns = [f"Aldersea {number}", "Brightwell", f"Caldmouth {number}"]
        write_warc(tmp_path / f"{number}.warc.gz", story_records(towns, f"host{number}.example"))
    (tmp_path / "4.warc.gz").write_bytes(b"no archive at all")
    here = archive_all(tmp_path, "-o", "here", "--unique")
    for name, value in nodes.environ.items():
        monkeypatch.setenv(name, value)
    ray = ("--engine", "ray", "--address", nodes.address)
    there = archive_all(tmp_path, "-o", "there", "--unique", *ray)
    same = ("inputs", "done", "articles", "pages", "records", "duplicates", "failed", "removed")
    assert {name: there[name] for name in same} == {name: here[name] for name in same}
    assert rows(tmp_path / "there") == rows(tmp_path / "here")
    assert len(rows(tmp_path / "here")) > 4
    again = archive_all(tmp_path, "-o", "there", "--unique", *ray)
    assert (again["done_before"], again["pages_now"]) == (4, 0), "what is done is not done twice"


def test_an_archive_is_read_to_its_end_when_a_node_is_lost(
    nodes: RayNodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The task that was lost with its node is begun anew on another; what it had written so far is not there."""
    towns = [f"Aldersea {number}" for number in range(30)]
    for number in range(9):
        write_warc(tmp_path / f"{number}.warc.gz", story_records(towns, f"host{number}.example"))
    for name, value in nodes.environ.items():
        monkeypatch.setenv(name, value)
    arguments = ["archive", "*.warc.gz", "-o", "out", "--engine", "ray", "--address", nodes.address]
    process = subprocess.Popen(
        [sys.executable, "-m", "wireroom", *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "src")},
        stderr=subprocess.PIPE,
        text=True,
    )
    done = tmp_path / "out" / "_manifest"
    await_until(lambda: any(done.glob("*.done.json")) or process.poll() is not None)
    nodes.kill()
    assert len(list(done.glob("*.done.json"))) < 9, "the node was lost too late to show anything"
    nodes.add()
    _, words = process.communicate(timeout=200)
    assert process.returncode == 0, words
    found = [row["url"] for row in rows(tmp_path / "out")]
    assert len(found) == len(set(found)) == 9 * len(towns)
