"""A scout: nothing is asked for twice, and nothing is kept when it is over."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from tests.scout.contexts import HOME, NOW, Answer, Table, served
from wireroom.errors import FetchError, GoneError, RefusedError, StatusError, UnreachableError
from wireroom.model import Dossier, Request
from wireroom.scout.address import Address, read_address
from wireroom.scout.dossier import TRY_AGAIN, scout_after
from wireroom.scout.scout_fetch import ScoutFetch
from wireroom.scout.visit import scout_site
from wireroom.signals import all_steps


class Heavy:
    """Stands for a parsed page."""


@pytest.mark.usefixtures("_no_collector")
async def test_what_a_scout_made_goes_with_it_without_a_garbage_collector() -> None:
    scout = ScoutFetch(Table({HOME: "hello"}))
    seen: list[weakref.ref[Heavy]] = []

    async def step() -> Heavy:
        page = Heavy()
        seen.append(weakref.ref(page))
        failure: GoneError | None = None
        try:
            await scout(Request(url=f"{HOME}missing", purpose="scout"))
        except GoneError as error:
            failure = error  # its frames know this frame, and this frame knows it: a ring
        assert failure is not None
        return page

    assert isinstance(await scout.once("page", step), Heavy)
    await scout.close()
    assert seen[0]() is None


PLAIN = HOME.replace("https://", "http://")
EVERY = timedelta(days=7)
STEPS = {name: all_steps()[name] for name in ("homepage", "robots")}


def hangs(url: str) -> UnreachableError:
    return UnreachableError(url, "no answer in time", kind="timeout")


def breaks(url: str) -> StatusError:
    return StatusError(url, 502, kind="server_error")


async def scouted(address: Address, table: Table) -> Dossier:
    scout = scout_site(address, table, now=NOW, steps=STEPS, offline=True)
    dossier = [report async for report in scout][-1]
    assert isinstance(dossier, Dossier)
    return dossier


@pytest.mark.parametrize("failure", [hangs, breaks])
async def test_where_https_hangs_or_breaks_down_http_is_tried_and_shown(
    failure: Callable[[str], FetchError],
) -> None:
    table = Table({HOME: failure(HOME), PLAIN: "<title>The Courier</title>"})
    dossier = await scouted(read_address("courier.example"), table)
    home = next(found for found in dossier.findings if found.step == "homepage")
    assert dossier.publisher.home_url == PLAIN
    assert home.facts["scheme"] == "http"
    assert home.facts["instead_of"].startswith(HOME)


async def test_a_refusal_by_https_is_no_reason_to_try_http() -> None:
    table = Table({HOME: RefusedError(HOME, "disallowed", kind="robots"), PLAIN: "<p>Hello"})
    dossier = await scouted(read_address("courier.example"), table)
    assert dossier.publisher.home_url == HOME
    assert PLAIN not in [request.url for request in table.asked]


@pytest.mark.parametrize(
    ("answers", "wait"),
    [
        ({HOME: "<p>Hello"}, EVERY),
        ({f"{HOME}robots.txt": hangs(HOME), HOME: "<p>Hello"}, EVERY),
        ({f"{HOME}robots.txt": hangs(HOME), HOME: hangs(HOME)}, TRY_AGAIN),
        ({f"{HOME}robots.txt": served(HOME, "", kind="text/plain"), HOME: breaks(HOME)}, EVERY),
    ],
)
async def test_a_scout_to_which_nobody_answered_is_made_again_soon(
    answers: dict[str, Answer], wait: timedelta
) -> None:
    dossier = await scouted(read_address(HOME), Table(answers))
    assert scout_after(dossier, every=EVERY, now=NOW) == NOW + wait


@pytest.fixture
def _no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()
