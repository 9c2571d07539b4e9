"""The engine `ray`: what is promised of any engine, a Ray of our own that nobody else can use, and its refusals."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.parts import REPOSITORY
from tests.ray_nodes import needs_ray
from tests.workers.engine_contract import LONG_PROMISES, OPTIONS, PROMISES
from tests.workers.ray_promises import KEPT
from wireroom.errors import MissingExtraError, SettingsError, WireroomError
from wireroom.ports import EnginePlug
from wireroom.registry import plugs
from wireroom.workers import ray_cluster
from wireroom.workers.ray import PLUG, RayEngine

pytestmark = needs_ray


@pytest.mark.long
@pytest.mark.timeout(300)
def test_it_keeps_what_is_promised_of_any_engine() -> None:
    environ = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        [sys.executable, "-m", "tests.workers.ray_promises"],
        cwd=REPOSITORY,
        env={name: value for name, value in environ.items() if not name.startswith("RAY_")},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    lines = done.stdout.splitlines()
    kept = {line.split()[1] for line in lines if line.startswith(KEPT)}
    assert kept == {promise.__name__ for promise in (*PROMISES, *LONG_PROMISES)}, done.stdout
    assert done.returncode == 0, done.stderr
    assert "seen private folder" in lines, "others cannot enter the folder of our own Ray"
    assert "seen token" in lines, "whoever has no token is not served"
    assert "seen no statistics" in lines
    assert "seen a clean stdout" in lines, "a node that is lost is no part of a summary in JSON"
    assert "seen end" in lines, "nothing is left when it ends"


def test_it_is_the_engine_ray_and_loads_ray_only_when_there_is_work() -> None:
    assert plugs("workers", EnginePlug)["ray"] is PLUG
    assert isinstance(PLUG.open(OPTIONS), RayEngine)
    code = (
        "import sys; from wireroom.registry import plugs; from wireroom.ports import EnginePlug; "
    )
    code += "plugs('workers', EnginePlug)['ray'].open(None); sys.exit('ray' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_ray_the_command_is_named_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_cluster, "find_spec", lambda _name: None)
    with pytest.raises(MissingExtraError) as caught:
        PLUG.open(OPTIONS)
    assert "pip install 'wireroom[ray]'" in str(caught.value)


def test_a_python_without_ray_gets_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_cluster, "find_spec", lambda _name: None)
    monkeypatch.setattr(ray_cluster, "FIRST_WITHOUT", (3, 0))
    with pytest.raises(WireroomError, match="not for Python") as caught:
        PLUG.open(OPTIONS)
    assert "3.13" in caught.value.hint


def test_the_way_into_a_cluster_from_outside_is_refused() -> None:
    with pytest.raises(SettingsError, match="expected a node"), ray_cluster.connected("ray://x:1"):
        raise AssertionError("it was joined")


def test_our_own_folder_is_private_wherever_temporary_files_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("x" * 50)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    with ray_cluster._private_folder() as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert len(str(folder)) <= ray_cluster.LONGEST_FOLDER, "the names of sockets are short"
    assert not folder.exists()
