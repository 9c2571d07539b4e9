"""Who asks beside a run waits for the host, and not for ever."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.scout.contexts import HOME, Table
from wireroom.app import App, open_app
from wireroom.app import host_leases as leasing
from wireroom.app.holders import SCOUT, holder_name
from wireroom.app.host_leases import LEASE, HostLeases
from wireroom.app.scout import Scouting
from wireroom.errors import FetchError
from wireroom.scout.address import read_address

HOST = "courier.example"
HOUR = timedelta(hours=1)


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    with open_app(f"sqlite:///{tmp_path}/w.db") as app:
        yield app


def take(app: App, holder: str) -> bool:
    return app.store.take_host(HOST, holder=holder, now=app.clock(), lease=LEASE)


def put_to_rest(app: App, rest: timedelta) -> None:
    assert take(app, "run-1")
    app.store.release(holder="run-1", now=app.clock(), rest=rest)


async def test_a_host_that_rests_for_long_is_not_waited_for(app: App) -> None:
    put_to_rest(app, HOUR)
    leases = HostLeases(app, "scout-1")
    with pytest.raises(FetchError, match="left alone for another") as raised:
        await leases.hold(HOST)
    assert raised.value.kind == "throttled"
    assert raised.value.retry_after is not None
    assert HOUR - timedelta(minutes=1) < raised.value.retry_after <= HOUR
    scouting = Scouting(app, Table({HOME: "hello"}), offline=True)
    with pytest.raises(FetchError, match="left alone for another"):
        await scouting.dossier(read_address(HOME))


async def test_a_host_that_rests_for_a_moment_is_waited_for(app: App) -> None:
    put_to_rest(app, timedelta(seconds=0.5))
    leases = HostLeases(app, "scout-1")
    await leases.hold(HOST)
    assert not take(app, "run-1")


async def test_a_run_at_work_is_waited_for_a_while(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leasing, "WORTH_WAITING", timedelta(seconds=0.5))
    assert take(app, "run-1")
    leases = HostLeases(app, "scout-1")
    with pytest.raises(FetchError, match="another process on this database is at work"):
        await leases.hold(HOST)


async def test_what_was_taken_is_held_until_it_is_given_back(app: App) -> None:
    leases = HostLeases(app, "backfill-1", rest_of=lambda _host: HOUR)
    await leases.hold(HOST)
    assert not take(app, "run-1")
    await leases.give_back_all()
    assert app.store.host_lease(HOST, now=app.clock())[0] == ""
    assert not take(app, "run-1"), "it rests"


async def test_a_host_of_two_scouts_is_given_back_by_the_last(app: App) -> None:
    leases = HostLeases(app, "scout-1")
    for _ in range(2):
        leases.use(HOST)
        await leases.hold(HOST)
    leases.done(HOST)
    await leases.give_back_unused()
    assert not take(app, "run-1")
    leases.done(HOST)
    await leases.give_back_unused()
    assert take(app, "run-1")


async def test_what_was_never_taken_is_not_given_back(app: App) -> None:
    assert take(app, "run-1")
    leases = HostLeases(app, "scout-1", gap=HOUR)
    leases.use(HOST)
    leases.done(HOST)
    await leases.give_back_unused()
    assert app.store.host_lease(HOST, now=app.clock())[0] == "run-1"


async def test_the_host_of_a_process_that_was_killed_is_taken_over_at_once(app: App) -> None:
    head, began, tail = holder_name(SCOUT).rsplit("-", 2)
    dead = f"{head}-{int(began) - 1}-{tail}"  # its number is used again, by this very process
    assert take(app, dead)
    leases = HostLeases(app, "backfill-1")
    await leases.hold(HOST)
    assert app.store.host_lease(HOST, now=app.clock())[0] == "backfill-1"
