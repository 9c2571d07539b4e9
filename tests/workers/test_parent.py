"""Workers never outlive their parent, however it ends; a script needs no `__main__` guard."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.parts import REPOSITORY

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere a worker ends after the piece in flight"
)
PATIENCE = 10.0  # seconds within which all must have gone; a busy machine takes its time


@contextmanager
def parent(deed: str) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """A process with two workers at work, and their numbers."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.workers.parent", deed],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process, [int(pid) for pid in process.stdout.readline().split()]
    finally:
        process.kill()
        process.communicate()


def gone(pids: list[int]) -> bool:
    """Whether all of them end in time; a zombie that nobody asks after has ended."""
    until = time.monotonic() + PATIENCE
    while any(_runs(pid) for pid in pids):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


@pytest.mark.parametrize("deed", ["sleep 60", "spin 60"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_end_with_their_parent(number: signal.Signals, deed: str) -> None:
    with parent(deed) as (process, pids):
        assert len(pids) == 2
        assert all(_runs(pid) for pid in pids)
        process.send_signal(number)
        started = time.monotonic()
        process.wait(timeout=10)
        assert time.monotonic() - started < PATIENCE
        assert gone(pids)


def test_workers_do_not_see_the_interrupt_of_the_terminal() -> None:
    with parent("sleep 60") as (process, pids):
        assert {os.getpgid(pid) for pid in pids} == set(pids), "each is a group of its own"
        for pid in pids:
            os.kill(pid, signal.SIGINT)
        time.sleep(0.3)
        assert all(_runs(pid) for pid in pids)
        assert process.poll() is None


SCRIPT = """
    import asyncio
    from {module} import {name} as do
    from wireroom.workers.local import LocalEngine
    from wireroom.ports import Done

    async def main():
        async with LocalEngine() as engine:
            found = [each.outcome async for each in engine.spread(range(3), do)]
        print(sorted(found))

    asyncio.run(main())
"""


def _run_script(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    script = folder / "script.py"
    script.write_text(textwrap.dedent(text))
    return subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.long
def test_a_script_needs_no_guard_and_its_folder_is_on_the_workers_path(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("def triple(number):\n    return 3 * number\n")
    done = _run_script(tmp_path, SCRIPT.format(module="beside", name="triple"))
    assert (done.returncode, done.stdout) == (0, "[0, 3, 6]\n"), done.stderr


@pytest.mark.long
def test_a_function_of_the_script_itself_is_reported_with_a_hint(tmp_path: Path) -> None:
    text = SCRIPT.replace("from {module} import {name} as do", "def do(number): return number")
    done = _run_script(tmp_path, text)
    assert done.returncode == 1
    assert "Define the function in a module" in done.stderr
    assert "RuntimeError" not in done.stderr


@pytest.mark.long
def test_a_hostile_working_folder_loads_nothing_into_workers(tmp_path: Path) -> None:
    (tmp_path / "pickle.py").write_text("raise SystemExit('loaded from the working folder')\n")
    (tmp_path / "inner").mkdir()
    script = tmp_path / "inner" / "script.py"
    script.write_text(textwrap.dedent(SCRIPT.format(module="math", name="sqrt")))
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout.startswith("[0.0, 1.0")) == (0, True), done.stderr
