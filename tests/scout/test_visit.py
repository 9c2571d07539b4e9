"""A visit: nothing is asked for twice, and nothing is kept when it is over."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from tests.scout.contexts import HOME, Table
from wireroom.errors import GoneError
from wireroom.model import Request
from wireroom.scout.visit import ScoutFetch


class Heavy:
    """Stands for a parsed page."""


@pytest.mark.usefixtures("_no_collector")
async def test_what_a_visit_made_goes_with_it_without_a_garbage_collector() -> None:
    visit = ScoutFetch(Table({HOME: "hello"}))
    seen: list[weakref.ref[Heavy]] = []

    async def step() -> Heavy:
        page = Heavy()
        seen.append(weakref.ref(page))
        failure: GoneError | None = None
        try:
            await visit(Request(url=f"{HOME}missing", purpose="scout"))
        except GoneError as error:
            failure = error  # its frames know this frame, and this frame knows it: a ring
        assert failure is not None
        return page

    assert isinstance(await visit.once("page", step), Heavy)
    await visit.close()
    assert seen[0]() is None


@pytest.fixture
def _no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()
