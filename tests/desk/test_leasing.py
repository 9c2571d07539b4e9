"""Who asks beside a run waits for the host, and not for ever."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.scout.cases import HOME, Table
from wireroom.desk import Desk, leasing, open_desk
from wireroom.desk.leasing import LEASE, HostLease, LeasedFetch
from wireroom.desk.scouting import Scouting
from wireroom.errors import FetchError
from wireroom.model import Request
from wireroom.scout.address import read_address

HOST = "courier.example"
HOUR = timedelta(hours=1)
ASKED = Request(url=HOME, purpose="scout")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with open_desk(f"sqlite:///{tmp_path}/w.db") as desk:
        yield desk


def take(desk: Desk, holder: str) -> bool:
    return desk.store.take_host(HOST, holder=holder, now=desk.clock(), lease=LEASE)


def put_to_rest(desk: Desk, rest: timedelta) -> None:
    assert take(desk, "run-1")
    desk.store.release(holder="run-1", now=desk.clock(), rest=rest)


async def test_a_host_that_rests_for_long_is_not_waited_for(desk: Desk) -> None:
    put_to_rest(desk, HOUR)
    lease = HostLease(desk, Table({HOME: "hello"}), HOST, "scout-1")
    with pytest.raises(FetchError, match="left alone for another") as told:
        await lease(ASKED)
    assert told.value.kind == "throttled"
    assert told.value.retry_after is not None
    assert HOUR - timedelta(minutes=1) < told.value.retry_after <= HOUR
    scouting = Scouting(desk, Table({HOME: "hello"}), offline=True)
    with pytest.raises(FetchError, match="left alone for another"):
        await scouting.dossier(read_address(HOME))


async def test_a_host_that_rests_for_a_moment_is_waited_for(desk: Desk) -> None:
    put_to_rest(desk, timedelta(seconds=0.5))
    lease = HostLease(desk, Table({HOME: "hello"}), HOST, "scout-1")
    assert (await lease(ASKED)).body == b"hello"


async def test_a_run_at_work_is_waited_for_a_while(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leasing, "WORTH_WAITING", timedelta(seconds=0.5))
    assert take(desk, "run-1")
    lease = HostLease(desk, Table({HOME: "hello"}), HOST, "scout-1")
    with pytest.raises(FetchError, match="another process on this database is at work"):
        await lease(ASKED)


async def test_what_was_asked_is_held_until_it_is_given_back(desk: Desk) -> None:
    fetch = LeasedFetch(desk, Table({HOME: "hello"}), "backfill-1", rest_of=lambda _host: HOUR)
    await fetch(ASKED)
    assert not take(desk, "run-1")
    await fetch.give_back()
    assert desk.store.host_lease(HOST, now=desk.clock())[0] == ""
    assert not take(desk, "run-1"), "it rests"
