"""`wireroom run`: once or until it is told to stop, watched or not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import PATIENCE, Ran, command
from tests.cli.inline import use_inline_engine
from tests.cli.terminals import run_on_terminal
from tests.cli.towns import Run, write_settings
from tests.holding import save_feeds
from wireroom.app import open_app
from wireroom.model import Feed
from wireroom.town import Running, build_town, running_town

STILL = ("--set", "run.scout=false")


@pytest.fixture(scope="module")
def served() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


@pytest.fixture
def town(served: Running) -> Running:
    served.forget()
    write_settings(served.hosts)
    return served


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading where it stands: workers are tested elsewhere."""
    use_inline_engine(monkeypatch)


def follow(*urls: str) -> None:
    with open_app("sqlite:///w.db") as app:
        feeds = [Feed(url=url, publisher=url.split("/")[2], kind="rss") for url in urls]
        save_feeds(app.store, feeds, now=app.clock())


def test_nothing_followed_says_what_to_do(town: Running, wireroom: Run) -> None:
    ran = wireroom("run", "--once")
    assert (ran.code, ran.out) == (3, "")
    assert "wireroom add" in ran.err


@pytest.mark.usefixtures("inline")
def test_feeds_of_the_file_that_are_not_followed_are_counted(town: Running, wireroom: Run) -> None:
    with Path("wireroom.toml").open("a") as file:
        file.write('[[feeds]]\nname = "Courier"\nurl = "http://courier.test/rss.xml"\n')
    follow("http://latarnia.test/feed")
    left = "1 feed of wireroom.toml is not followed. Take them in with: wireroom sync"
    assert left in wireroom("run", "--once", *STILL).err
    assert wireroom("sync", "--yes").code == 0
    assert left not in wireroom("run", "--once", *STILL).err


@pytest.mark.usefixtures("inline")
def test_a_new_database_begins_with_the_feeds_of_the_file(town: Running, wireroom: Run) -> None:
    with Path("wireroom.toml").open("a") as file:
        file.write('[[feeds]]\nname = "Courier"\nurl = "http://courier.test/rss.xml"\n')
    ran = wireroom("run", "--once", *STILL)
    assert ran.code == 0, ran.err
    assert "Following 1 feed of wireroom.toml." in ran.err
    assert "20 new" in ran.out
    assert wireroom("run", "--once", *STILL).err == ""
    assert wireroom("remove", "Courier", "--yes").code == 0
    gone = wireroom("run", "--once", *STILL)
    assert gone.code == 3  # once only: what was removed stays so
    assert "wireroom sync" in gone.err


@pytest.mark.usefixtures("inline")
def test_once_reads_what_is_new_and_tells_what_it_did(town: Running, wireroom: Run) -> None:
    follow("http://anzeiger.test/rss.xml")
    ran = wireroom("run", "--once", "--json", *STILL)
    assert ran.code == 0, ran.err
    summary = json.loads(ran.out)
    assert summary["polls"] == {"items": 1}
    assert summary["articles"] == {"new": 20}
    again = wireroom("run", "--once", *STILL)
    assert again.code == 0
    assert "articles        0" in again.out


@pytest.mark.usefixtures("inline")
def test_a_page_that_cannot_be_had_is_reported_with_its_reason(
    town: Running, wireroom: Run
) -> None:
    follow("http://toll.test/rss.xml")
    ran = wireroom("run", "--once", *STILL)
    assert "problems  payment_required 20" in ran.out


@pytest.mark.parametrize(
    ("place", "word"),
    [("0.0.0.0:9464", "loopback"), ("9464", "HOST:PORT"), ("127.0.0.1:x", "HOST:PORT")],
)
def test_counts_are_served_on_loopback_alone(place: str, word: str, wireroom: Run) -> None:
    ran = wireroom("run", "--metrics", place)
    assert ran.code == 2
    assert word in ran.err


def _daemon(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command("run", *STILL, "--workers", "1", *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(os.environ),
    )


def _until_articles(count: int) -> None:
    deadline = time.monotonic() + PATIENCE
    with open_app("sqlite:///w.db") as app:
        while app.store.counts()["articles"] < count:
            assert time.monotonic() < deadline
            time.sleep(0.1)


@pytest.mark.long
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_daemon_ends_in_good_order(town: Running, number: signal.Signals, code: int) -> None:
    follow("http://anzeiger.test/rss.xml", "http://courier.test/rss.xml")
    daemon = _daemon("--json")
    try:
        _until_articles(1)
        began = time.monotonic()
        daemon.send_signal(number)
        out, err = daemon.communicate(timeout=10)
    finally:
        daemon.kill()
        daemon.wait()
    assert time.monotonic() - began < 10
    assert daemon.returncode == code, err
    assert json.loads(out)["articles"]["new"] >= 1
    with open_app("sqlite:///w.db") as app:
        waiting = {lead.url for lead in app.store.leads(state="new")}
        taken = app.store.take_leads(
            holder="next", now=app.clock(), limit=100, lease=timedelta(minutes=1), per_host=100
        )
    assert {lead.url for lead in taken} == waiting  # nobody holds any of them any more


@pytest.mark.long
@pytest.mark.usefixtures("inline")
def test_a_second_run_asks_only_whether_something_changed(town: Running, wireroom: Run) -> None:
    follow("http://anzeiger.test/rss.xml", "http://courier.test/rss.xml")
    wireroom("run", "--once", *STILL)
    with open_app("sqlite:///w.db") as app:
        feeds = [replace(feed, poll_after=None) for feed in app.store.feeds()]
        save_feeds(app.store, feeds, now=app.clock())
    town.forget()
    assert wireroom("run", "--once", *STILL).code == 0
    assert [seen.path for seen in town.log] == ["/rss.xml", "/rss.xml"]
    assert all("If-None-Match" in seen.headers for seen in town.log)


@pytest.mark.long
@pytest.mark.usefixtures("inline")
def test_what_a_killed_run_held_is_taken_over_at_once(town: Running, wireroom: Run) -> None:
    follow("http://anzeiger.test/rss.xml", "http://courier.test/rss.xml")
    daemon = _daemon("--set", "fetch.delay=2 s")
    try:
        _until_articles(1)
    finally:
        daemon.kill()
        daemon.communicate()
    with open_app("sqlite:///w.db") as app:
        assert app.store.holders()
    ran = wireroom("run", "--once", "--workers", "1", *STILL)
    assert ran.code == 0, ran.err
    with open_app("sqlite:///w.db") as app:
        assert {lead.state for lead in app.store.leads()} == {"read"}
        assert app.store.holders() == ()


@pytest.mark.long
@pytest.mark.usefixtures("inline")
def test_on_a_terminal_the_stages_are_drawn(town: Running, tmp_path: Path) -> None:
    follow("http://anzeiger.test/rss.xml")
    ran: Ran = run_on_terminal("run", "--once", *STILL, "--workers", "1", columns=80)
    assert ran.code == 0
    assert "requests" in ran.out
    assert "articles       20  20 new" in ran.out
    assert max(map(len, ran.out.splitlines()[-6:])) <= 80
