"""A town of its own for each test, and an empty app that goes by the town's clock."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.inline import read_scouts_here
from wireroom.app import App, open_app
from wireroom.town import Running, build_town, running_town


@pytest.fixture
def town() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


@pytest.fixture
def app(tmp_path: Path, town: Running) -> Iterator[App]:
    with open_app(f"sqlite:///{tmp_path}/w.db", clock=town.town.clock.now) as app:
        yield app


@pytest.fixture(autouse=True)
def _scouts_read_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker takes a second to start: where it is not the point, scouts read where they stand."""
    if "own_workers" not in request.fixturenames:
        read_scouts_here(monkeypatch)


@pytest.fixture
def own_workers() -> None:
    """For a test of scouts whose workers are the point."""
