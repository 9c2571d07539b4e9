"""`wireroom serve` as a process: it says where it is, answers, and ends well."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.cli.conftest import command
from tests.cli.towns import Run

PATIENCE = 60


@pytest.mark.long
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_it_answers_until_it_is_stopped(tmp_path: Path, number: signal.Signals, code: int) -> None:
    process = subprocess.Popen(
        command("serve", "--port", "0", "--json", "--run", "--db", f"{tmp_path}/w.db"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    try:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["url"]
        with urlopen(f"{address}healthz", timeout=PATIENCE) as answer:
            assert answer.read() == b"ok\n"
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == code
    assert "Traceback" not in err


def test_a_public_address_without_a_token_is_refused(wireroom: Run) -> None:
    ran = wireroom("serve", "--host", "0.0.0.0")
    assert ran.code == 2
    assert "no token is set" in ran.err
    assert "--new-token" in ran.err


def test_a_new_token_comes_with_its_hash(wireroom: Run) -> None:
    made = json.loads(wireroom("serve", "--new-token", "--json").out)
    assert made["kept"].startswith("sha256:")
    assert len(made["token"]) > 40


def test_a_folder_does_not_decide_who_may_come_in(wireroom: Run) -> None:
    Path("wireroom.toml").write_text('[web]\ntoken = "a-token-of-the-folder"\n', encoding="utf-8")
    ran = wireroom("serve", "--port", "0")
    assert ran.code == 2
    assert "only you say who may come in" in ran.err
    assert "a-token-of-the-folder" not in ran.err
