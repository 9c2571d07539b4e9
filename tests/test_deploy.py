"""The systemd unit: what it promises, and whether systemd understands it."""

from __future__ import annotations

import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path

import pytest

UNIT = Path(__file__).resolve().parents[1] / "deploy" / "wireroom.service"


def _service() -> dict[str, str]:
    parser = ConfigParser(strict=True, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # names keep their case
    parser.read(UNIT, encoding="utf-8")
    return dict(parser["Service"])


def test_a_stop_has_more_time_than_a_run_needs() -> None:
    service = _service()
    assert service["KillSignal"] == "SIGTERM"
    assert int(service["TimeoutStopSec"]) > 10


def test_it_may_do_nothing_it_does_not_need() -> None:
    service = _service()
    assert service["NoNewPrivileges"] == service["DynamicUser"] == "yes"
    assert service["ProtectSystem"] == "strict"
    assert service["CapabilityBoundingSet"] == ""


def test_its_command_is_one_of_ours() -> None:
    words = _service()["ExecStart"].split()
    assert words[0].endswith("/wireroom")
    assert words[1] == "run"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not there")
def test_systemd_understands_it(tmp_path: Path) -> None:
    unit = tmp_path / UNIT.name
    here = UNIT.read_text(encoding="utf-8").replace("/opt/wireroom/bin/wireroom", "/bin/true")
    unit.write_text(here, encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert "wireroom.service" not in done.stderr, done.stderr
