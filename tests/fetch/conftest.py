"""A town to fetch from, and fetchers that are quick unless manners are what is tested."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from wireroom.fetch.client import Fetcher
from wireroom.fetch.fetch_options import FetchOptions, Manners
from wireroom.town import Running, build_town, running_town

HASTY = Manners(gap=timedelta(), rest_after_burst=timedelta(), longest_wait=timedelta(seconds=5))

MakeFetcher = Callable[..., Fetcher]


@pytest.fixture(scope="session")
def served() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


@pytest.fixture
def town(served: Running) -> Running:
    """The town, with nothing asked of it yet."""
    served.forget()
    return served


@pytest.fixture
def options(town: Running) -> FetchOptions:
    return FetchOptions(hosts=town.hosts, manners=HASTY, deadline=timedelta(seconds=5))


@pytest.fixture
def make_fetcher(options: FetchOptions) -> MakeFetcher:
    def make(archive: Any = None, **changes: Any) -> Fetcher:
        return Fetcher(replace(options, **changes), archive=archive)

    return make
