"""Whose leases can be taken over before they run out."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from wireroom.app.holders import (
    SCOUT,
    _began,
    dead_holders,
    holder_name,
    is_local,
    read_holder,
)


def test_this_process_is_alive() -> None:
    assert dead_holders([holder_name()]) == []


@pytest.mark.long
def test_a_process_that_ended_is_dead() -> None:
    code = "from wireroom.app.holders import holder_name as n; print(n())"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    name = ended.stdout.strip()
    assert dead_holders([name, holder_name()]) == [name]


def test_a_process_that_nobody_has_waited_for_is_dead() -> None:
    process = subprocess.Popen(["/bin/sleep", "60"])
    began = _began(process.pid)
    head, *_ = holder_name(SCOUT).rsplit("-", 3)
    name = f"{head}-{process.pid}-{began}-00000000"
    assert dead_holders([name]) == []
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it stays in the table
    assert dead_holders([name]) == [name]
    process.wait()
    assert dead_holders([name]) == [name]


def test_a_holder_has_a_name_that_people_can_read() -> None:
    name = "backfill-desk-7.local.f00d-4711-99-0123abcd"
    assert str(read_holder(name)) == "a backfill on desk-7.local (process 4711)"
    assert read_holder("p") is None
    assert not is_local(name)


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
