"""A town of its own for each test, and an empty desk that goes by the town's clock."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from wireroom.desk import Desk, open_desk
from wireroom.town import Running, build_town, running_town


@pytest.fixture
def town() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


@pytest.fixture
def desk(tmp_path: Path, town: Running) -> Iterator[Desk]:
    with open_desk(f"sqlite:///{tmp_path}/w.db", clock=town.town.clock.now) as desk:
        yield desk
