"""The collector of reference cycles: rarer while a run lasts, and as before afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from wireroom.app import App
from wireroom.app.run import open_run
from wireroom.app.run.run_factory import GC_AFTER, less_gc
from wireroom.settings import Settings


@pytest.fixture(autouse=True)
def threshold() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize(
    ("before", "meanwhile"),
    [(700, GC_AFTER), (0, 0), (10 * GC_AFTER, 10 * GC_AFTER)],
)
def test_who_looks_more_rarely_is_left_alone(before: int, meanwhile: int) -> None:
    gc.set_threshold(before, 10, 10)
    with less_gc():
        assert gc.get_threshold() == (meanwhile, 10, 10)
    assert gc.get_threshold() == (before, 10, 10)


async def test_a_run_is_one_of_them(app: App) -> None:
    gc.set_threshold(700, 10, 10)
    async with open_run(app, Settings()):
        assert gc.get_threshold()[0] == GC_AFTER
    assert gc.get_threshold()[0] == 700
