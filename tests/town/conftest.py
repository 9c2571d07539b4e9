"""A town to look at and a town that runs; those who move the clock build their own."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from wireroom.town import Running, Town, build_town, running_town

NOW = datetime(2026, 11, 12, 10, 30, tzinfo=UTC)  # a Thursday


@pytest.fixture(scope="session")
def still_town() -> Town:
    """A town whose clock nobody moves."""
    return build_town(now=NOW)


@pytest.fixture(scope="session")
def served(still_town: Town) -> Iterator[Running]:
    """The same town, served; shared by all tests that only ask."""
    with running_town(still_town) as running:
        yield running


@pytest.fixture
def town() -> Town:
    """A town of the test's own."""
    return build_town(now=NOW)
