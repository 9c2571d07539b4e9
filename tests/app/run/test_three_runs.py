"""Three `wireroom run` on one PostgreSQL: who serves which host is read from the publishers' own log.

Each run says by its contact address who it is. They begin on an empty database at the same moment, one is killed and one
is added on the way, and what is held at the end is what a single run holds that nobody disturbed. `bench/scale.py`
measures how much faster three are.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from tests.parts import REPOSITORY
from tests.store.postgres_server import PASSWORD, PostgresServer, running_server
from wireroom.ports import Store
from wireroom.store import open_store
from wireroom.town import Running, build_town, running_town
from wireroom.town.request_log import LoggedRequest

PUBLISHERS, ARTICLES = 9, 7
FEEDS = {
    "courier.test": "/rss.xml",
    "digest.test": "/feed/",
}  # one reprints the other: they make clusters
DELAY = 0.3  # seconds between two requests to a host
REST = 1.0  # seconds that a host is left alone after a scout
IN_FLIGHT = (
    8  # of each run: it holds one or two hosts, so that there is something left for the others
)
KILL_AFTER = 20  # pages; there are some hundred, and the added run is to find some of them
SLOW = timedelta(seconds=1)  # an answer takes so long until the added run has begun
LONGEST = 200.0  # seconds until all is read; 15 on an idle machine

Held = tuple[list[tuple[str, str, str]], Counter[str], set[frozenset[str]]]

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(300)]


class Runs:
    """Runs on one database, each with a name that the publishers see."""

    def __init__(self, url: str, folder: Path) -> None:
        self._url = url.replace(f":{PASSWORD}@", "@")  # it is in no settings, as deploy/ has it
        self._folder = folder
        self._begun: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, *more: str) -> None:
        environ = {
            "WIREROOM_CONFIG": str(self._folder / "wireroom.toml"),
            "WIREROOM_DATABASE_URL": self._url,
            "PGPASSWORD": PASSWORD,
            "WIREROOM_CONTACT_URL": f"https://{name}.example/",
            "WIREROOM_FETCH__DELAY": f"{DELAY} s",
            "WIREROOM_SCOUT__REST": f"{REST} s",
            "WIREROOM_RUN__IN_FLIGHT": str(IN_FLIGHT),
            "WIREROOM_RUN__WORKERS": "1",
        }
        with (self._folder / f"{name}.log").open("wb") as log:
            self._begun[name] = subprocess.Popen(
                [sys.executable, "-m", "wireroom", "run", *more],
                cwd=self._folder,
                env={**os.environ, "PYTHONPATH": str(REPOSITORY / "src"), **environ},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self, name: str) -> None:
        """Kills the run and its workers, as a machine does that loses its power."""
        assert self._begun[name].poll() is None, self.words(name)
        os.killpg(self._begun[name].pid, signal.SIGKILL)
        self._begun.pop(name).wait(LONGEST)

    def stop(self, name: str) -> int:
        """Ends the run as a service manager does; its exit code."""
        self._begun[name].terminate()
        return self.wait(name)

    def wait(self, name: str) -> int:
        """The exit code of a run that ends by itself."""
        code = self._begun[name].wait(LONGEST)
        del self._begun[name]  # one that does not end is killed by `close`
        return code

    def words(self, name: str) -> str:
        """What the run has said."""
        return (self._folder / f"{name}.log").read_text("utf-8")

    def close(self) -> None:
        """Nobody outlives a test that failed."""
        for name in tuple(self._begun):
            if self._begun[name].poll() is None:
                self.kill(name)


@contextmanager
def runs_on(url: str, folder: Path, town: Running) -> Iterator[Runs]:
    """Runs whose settings file has the publishers of the town and their feeds."""
    folder.mkdir()
    feeds = [
        f'[[feeds]]\nname = "{host}"\nurl = "http://{host}{path}"\n'
        for host, path in followed(town).items()
    ]
    (folder / "wireroom.toml").write_text(town.settings_toml(feeds=False) + "\n".join(feeds))
    runs = Runs(url, folder)
    try:
        yield runs
    finally:
        runs.close()


def followed(town: Running) -> dict[str, str]:
    """The publishers that are followed, and where their feeds are."""
    crowd = {host: "/feed.xml" for host in town.hosts if host.startswith("paper-")}
    return {**FEEDS, **crowd}


@pytest.fixture(scope="module")
def town() -> Iterator[Running]:
    with running_town(build_town(publishers=PUBLISHERS, articles=ARTICLES)) as running:
        yield running


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with running_server() as running:
        yield running


def await_until(ready: Callable[[], bool]) -> None:
    until = time.monotonic() + LONGEST
    while not ready():
        assert time.monotonic() < until
        time.sleep(0.02)


def held(store: Store) -> Held:
    """Every article, the states of all leads, and which articles are near-duplicates of one another."""
    articles = list(store.articles())
    urls = {article.id: article.url for article in articles}
    clusters = store.clusters_of(sorted(urls)).values()
    return (
        sorted((article.publisher, article.url, article.text_hash) for article in articles),
        Counter(lead.state for lead in store.leads(limit=10_000)),
        {frozenset(urls[member] for member in cluster.members) for cluster in clusters},
    )


def who(request: LoggedRequest) -> str:
    """The run that sent it."""
    return request.headers["User-Agent"].partition("https://")[2].partition(".")[0]


def page_requests(town: Running) -> Counter[tuple[str, str]]:
    """How often each page of an article was asked for; scouts look at some of them as well."""
    return Counter(
        (request.host, request.path) for request in town.log if request.path.startswith("/20")
    )


def assert_one_at_a_time(town: Running) -> None:
    """A host goes to another run only when nothing is under way there, and has been left alone before.

    Whoever gives a host back has its answers already, so the gap that the server sees is never shorter.
    """
    takeovers = 0
    for host in followed(town):
        for before, after in pairwise(town.log.requests_to(host)):
            if who(before) != who(after):
                takeovers += 1
                assert after.in_flight == 1, (host, before, after)
                assert after.at - before.at >= DELAY, (host, before, after)
    assert takeovers > 0


def run_alone(town: Running, url: str, folder: Path) -> tuple[Held, Counter[tuple[str, str]]]:
    """What a single run holds that nobody disturbs, and what it asked for."""
    town.forget()
    with runs_on(url, folder, town) as runs:
        runs.start("alone", "--once")
        assert runs.wait("alone") == 0, runs.words("alone")
    with closing(open_store(url)) as store:
        return held(store), page_requests(town)


def test_one_is_killed_and_one_is_added_and_nothing_is_lost_or_doubled(
    town: Running, server: PostgresServer, tmp_path: Path
) -> None:
    expected, asked = run_alone(town, server.new_database(), tmp_path / "alone")
    articles, states, clusters = expected
    assert len(articles) > PUBLISHERS * ARTICLES
    assert clusters
    assert states.keys() <= {"read", "duplicate"}
    town.forget()
    url = server.new_database()

    def seen() -> set[str]:
        return {who(request) for request in town.log}

    with runs_on(url, tmp_path / "shared", town) as runs:
        three = {"first", "second", "third"}
        for name in three:
            runs.start(name)
        await_until(lambda: seen() == three and page_requests(town).total() >= KILL_AFTER)
        town.latency = SLOW
        runs.kill("second")
        runs.start("added")
        await_until(lambda: "added" in seen())
        town.latency = timedelta()
        with closing(open_store(url)) as store:
            await_until(lambda: held(store) == expected)
            for name in ("first", "third", "added"):
                assert runs.stop(name) == 0, runs.words(name)
            assert held(store) == expected
            assert store.holders() == ()
            assert store.queue.runs() == ()
    assert_one_at_a_time(town)
    by_the_dead = {(request.host, request.path) for request in town.log if who(request) == "second"}
    again = page_requests(town) - asked
    assert again.keys() <= by_the_dead  # only what it had in flight
    assert set(again.values()) <= {1}
