"""What a run loads before it begins: each process only what it works with."""

from __future__ import annotations

import subprocess
import sys

import pytest

PARENT = """
from wireroom.app.run import open_run
from wireroom.app.scout import Scouting
from wireroom.signals import all_signals
all_signals()
"""
WORKER = """
from wireroom.workers.page_jobs import RunJob
RunJob().prepare()
"""


def loaded(statements: str, *packages: str) -> list[str]:
    """The modules of these packages that a fresh interpreter has loaded after the statements."""
    script = f"import sys\n{statements}\nprint(*(name for name in sys.modules if name.startswith({packages!r})))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    "reader", ["wireroom.parse.body.body_reader", "wireroom.parse.metadata.metadata_reader"]
)
def test_pages_are_read_in_workers_so_the_run_itself_loads_no_reader(reader: str) -> None:
    assert loaded(PARENT, reader) == []


def test_a_run_that_shows_no_card_loads_none() -> None:
    assert loaded(PARENT, "wireroom.report.build", "wireroom.report.types") == []


def test_a_worker_loads_what_scouts_read_with_its_first_document() -> None:
    assert loaded(WORKER, "wireroom.scout.steps", "wireroom.report", "wireroom.app") == []
    assert loaded(WORKER, "wireroom.parse.body.body_reader", "wireroom.signals.licence")
