"""A run that is told to stop while a document of a scout never comes to an end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import PATIENCE, command
from tests.cli.towns import write_settings
from tests.entry_points import install
from tests.holding import save_feeds
from wireroom.app import open_app
from wireroom.model import Feed
from wireroom.town import Running, build_town, running_town

LONGEST = 20.0  # seconds; 10 are promised, and who waits for the step takes 30

FROZEN = '''
"""A step whose reader never comes back: with time, as a parser would that waits, or with CPU, as one that spins."""
import time
from pathlib import Path
from wireroom.ports import Step
from wireroom.signals.shared import finding


def freeze(mark: str, way: str) -> int:
    Path(mark).touch()
    while way == "spin":
        pass
    time.sleep(60)
    return 1


async def run(context):
    if context.publisher.domain == "courier.test":
        await context.read(freeze, MARK, WAY)
    return finding(context, "frozen", "yes", {})


PLUG = Step("frozen", "A step that freezes", run)
'''


@pytest.fixture
def town() -> Iterator[Running]:
    with running_town(build_town()) as running:
        write_settings(running.hosts)
        yield running


def _until(ready: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not ready.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.long
@pytest.mark.parametrize("way", ["spin", "sleep"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
@pytest.mark.usefixtures("town")
def test_a_frozen_scout_does_not_hold_up_the_end_of_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, number: signal.Signals, code: int
) -> None:
    mark = tmp_path / "frozen"
    source = FROZEN.replace("MARK", repr(str(mark))).replace("WAY", repr(way))
    install(
        tmp_path, monkeypatch, "frozen", source, {"wireroom.scout.steps": "frozen = frozen:PLUG"}
    )
    urls = ("http://courier.test/rss.xml", "http://anzeiger.test/rss.xml")
    with open_app("sqlite:///w.db") as app:
        feeds = [Feed(url=url, publisher=url.split("/")[2], kind="rss") for url in urls]
        save_feeds(app.store, feeds, now=app.clock())
    daemon = subprocess.Popen(
        command("run", "--workers", "2", "--json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "frozen-installed")},
    )
    try:
        _until(mark)
        began = time.monotonic()
        daemon.send_signal(number)
        out, err = daemon.communicate(timeout=PATIENCE)
    finally:
        daemon.kill()
        daemon.wait()
    assert time.monotonic() - began < LONGEST
    assert daemon.returncode == code, err
    assert json.loads(out)["scouted"] <= 2
    with open_app("sqlite:///w.db") as app:
        assert app.store.holders() == ()
