"""Whose leases can be taken over before they run out."""

from __future__ import annotations

import subprocess
import sys

import pytest

from wireroom.app.host_leases import dead_holders, holder_name


def test_this_process_is_alive() -> None:
    assert dead_holders([holder_name()]) == []


@pytest.mark.long
def test_a_process_that_ended_is_dead() -> None:
    code = "from wireroom.app.host_leases import holder_name as n; print(n())"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    name = ended.stdout.strip()
    assert dead_holders([name, holder_name()]) == [name]


def test_a_number_that_is_used_again_is_another_process() -> None:
    head, began, tail = holder_name().rsplit("-", 2)
    before = f"{head}-{int(began) - 1}-{tail}"
    assert dead_holders([before]) == [before]


def test_of_others_nothing_is_reported() -> None:
    mine = holder_name()
    elsewhere = mine.replace("run-", "run-another-", 1)
    machine, rest = mine.split(".")[:2]
    container = f"{machine}.1{rest}"
    unknown_start = "-".join([*mine.rsplit("-", 2)[:1], "0", "00000000"])
    assert dead_holders(["scout-1-ff", "", elsewhere, container, unknown_start]) == []
