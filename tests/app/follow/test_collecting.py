"""The collector of circles: rarer while a run lasts, and as before afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from wireroom.app import App
from wireroom.app.follow import open_following
from wireroom.app.follow.collecting import COLLECT_AFTER, seldom_collecting
from wireroom.settings import Settings


@pytest.fixture(autouse=True)
def threshold() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize(
    ("before", "meanwhile"),
    [(700, COLLECT_AFTER), (0, 0), (10 * COLLECT_AFTER, 10 * COLLECT_AFTER)],
)
def test_who_looks_more_rarely_is_left_alone(before: int, meanwhile: int) -> None:
    gc.set_threshold(before, 10, 10)
    with seldom_collecting():
        assert gc.get_threshold() == (meanwhile, 10, 10)
    assert gc.get_threshold() == (before, 10, 10)


async def test_a_run_is_one_of_them(app: App) -> None:
    gc.set_threshold(700, 10, 10)
    async with open_following(app, Settings()):
        assert gc.get_threshold()[0] == COLLECT_AFTER
    assert gc.get_threshold()[0] == 700
