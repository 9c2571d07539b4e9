"""A town of its own for each test, and an empty app that goes by the town's clock."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

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
