"""`wireroom demo`: every step is played, nothing is left behind, nothing of the user's is touched."""

from __future__ import annotations

import re
import signal
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.cli.conftest import PATIENCE, Ran, command
from tests.cli.inline import use_inline_engine
from wireroom import open_app
from wireroom.cli.demo.demo_steps import STEPS
from wireroom.town import build_town

Run = Callable[..., Ran]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the demo makes its folder."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture
def short_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that reads where it stands and ends with its first articles."""
    monkeypatch.setattr("wireroom.cli.demo.demo_steps.RUN_SECONDS", 0.2)
    use_inline_engine(monkeypatch)


@pytest.mark.long
@pytest.mark.usefixtures("short_run")
def test_every_scene_is_played_and_nothing_is_left(
    wireroom: Run, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIREROOM_DATABASE_URL", "sqlite:///precious.db")
    ran = wireroom("demo", "--no-serve")
    assert (ran.code, ran.err) == (0, "")
    for number, step in enumerate(STEPS, 1):
        assert f"{number}. {step.title}\n" in ran.out
    for host in build_town().publishers:
        assert f"   {host} " in ran.out
    assert "+ courier" in ran.out
    assert "The Tollhouse Ledger publishes " in ran.out
    assert "sells search, ai-input" in ran.out
    assert not list(temporary.iterdir())
    assert not Path("precious.db").exists()
    assert not Path("wireroom.db").exists()


@pytest.mark.long
@pytest.mark.usefixtures("temporary", "short_run")
def test_with_db_the_database_stays_and_a_second_run_adds_nothing(wireroom: Run) -> None:
    assert wireroom("demo", "--no-serve", "--db", "kept.db").code == 0
    with open_app("sqlite:///kept.db") as app:
        names = {feed.name for feed in app.store.feeds()}
        assert any(app.store.articles())
    assert {"courier", "agency"} <= names
    assert "0 of them new" in wireroom("demo", "--no-serve", "--db", "kept.db", "--seed", "3").out


@pytest.mark.usefixtures("temporary")
def test_its_settings_are_its_own(wireroom: Run) -> None:
    ran = wireroom("demo", "--no-serve", "--config", "x.toml")
    assert (ran.code, ran.out) == (2, "")
    assert "--config" in ran.err


@pytest.mark.long
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_the_town_is_open_until_it_is_stopped(
    temporary: Path, number: signal.Signals, code: int
) -> None:
    process = subprocess.Popen(
        command("demo"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        assert process.stdout is not None
        assert "until you press Ctrl-C" in process.stderr.readline()
        shown = ""
        while "The pages are at " not in shown:
            shown += process.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/", shown.rpartition("The pages are at ")[2])
        assert address is not None
        with urlopen(address[0], timeout=PATIENCE) as answer:
            assert b'<li class="story"' in answer.read(), "on the data of the town"
        (config,) = temporary.glob("wireroom-demo-*/wireroom.toml")
        looked = subprocess.run(
            command("status", "--config", str(config)), capture_output=True, text=True, check=False
        )
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.wait()
    assert looked.returncode == 0
    # toll.test asks for payment: its feed fails as soon as enough of its pages have.
    counted = ("18 (1 failing, 16 live, 1 silent)", "18 (17 live, 1 silent)")
    assert any(text in looked.stdout for text in counted), looked.stdout
    assert process.returncode == code
    assert "wireroom status --config" in shown + out
    assert err == ""
    assert not list(temporary.iterdir())
