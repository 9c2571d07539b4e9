"""`wireroom town` in a process of its own: what it prints, what it writes, how it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from wireroom.cli import main
from wireroom.town.loopback import loopback_address

PATIENCE = 60.0  # seconds; a busy machine may need some for a process to start


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("WIREROOM_")]:
        monkeypatch.delenv(name)


@contextmanager
def _town(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "wireroom", "town", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _end(process: subprocess.Popen[str], how: signal.Signals) -> tuple[int, str]:
    process.send_signal(how)
    _, err = process.communicate(timeout=PATIENCE)
    return process.returncode, err


def _next_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


@pytest.mark.long
def test_json_tells_where_everybody_lives() -> None:
    with _town("--json", "--publishers", "3", "--articles", "2") as process:
        printed = json.loads(_next_line(process))
        assert len(printed["publishers"]) == 22 + 3
        courier = printed["publishers"][0]
        assert courier["host"] == "courier.test"
        request = urllib.request.Request(
            f"http://{courier['address']}/", headers={"Host": "courier.test"}
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as page:
            assert b"The Saltmarsh Courier" in page.read()
        assert _end(process, signal.SIGTERM)[0] == 0


@pytest.mark.long
def test_table_names_the_publishers_and_ctrl_c_ends_it() -> None:
    with _town("--publishers", "500", "--articles", "40", "--latency", "50ms") as process:
        lines = [_next_line(process) for _ in range(1 + 22 + 1)]
        assert lines[0].split() == ["publisher", "address", "what", "it", "is"]
        assert "open daily" in lines[1]
        assert "500 generated ones, paper-0001.test to paper-0500.test" in lines[-1]
        assert process.stderr is not None
        assert "until you press Ctrl-C" in process.stderr.readline()
        code, err = _end(process, signal.SIGINT)
    assert code == 130
    assert "Traceback" not in err


@pytest.mark.long
def test_config_is_written_and_written_again(tmp_path: Path) -> None:
    file = tmp_path / "wireroom.toml"
    for _ in range(2):
        with _town("--write-config", str(file), "--json") as process:
            printed = json.loads(_next_line(process))
            _end(process, signal.SIGTERM)
        written = tomllib.loads(file.read_text(encoding="utf-8"))
        assert written["hosts"]["courier.test"] == printed["publishers"][0]["address"]


def test_foreign_config_is_left_alone(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "wireroom.toml"
    file.write_text("# mine\n")
    assert main(["town", "--write-config", str(file)]) == 1
    assert "is not a town's and is left as it is" in capfd.readouterr().err
    assert file.read_text() == "# mine\n"


def test_config_that_cannot_be_written(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["town", "--write-config", str(tmp_path / "no" / "file.toml")]) == 1
    err = capfd.readouterr().err
    assert "cannot write" in err
    assert len(err.strip().splitlines()) == 1


def test_taken_port_is_one_line_and_exit_code_1(capfd: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as squatter:
        squatter.bind((loopback_address(0), 0))
        squatter.listen()
        port = squatter.getsockname()[1]
        assert main(["town", "--port", str(port)]) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(f"error: port {port} on 127.66.0.1 is taken.")
    assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("--latency", "soon"),
        ("--port", "70000"),
        ("--publishers", "-1"),
        ("--articles", "many"),
    ],
)
def test_wrong_options_are_a_usage_error(
    arguments: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["town", *arguments]) == 2
    assert "error:" in capfd.readouterr().err


@pytest.mark.long
def test_config_of_a_town_that_is_still_open_is_left_alone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "wireroom.toml"
    with _town("--write-config", str(file), "--json") as process:
        address = json.loads(_next_line(process))["publishers"][0]["address"]
        before = file.read_text(encoding="utf-8")
        assert main(["town", "--write-config", str(file)]) == 1
        assert f"another town, which is still open at {address}" in capfd.readouterr().err
        assert file.read_text(encoding="utf-8") == before
        _end(process, signal.SIGTERM)
