"""robots.txt is asked for once a day, by whichever process comes first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Self

import pytest

from wireroom.errors import RefusedError
from wireroom.fetch import Fetcher, FetchOptions
from wireroom.fetch.fetch_options import Manners
from wireroom.model import Request
from wireroom.ports import RobotsFile
from wireroom.town import Running, build_town, running_town

HASTY = Manners(gap=timedelta())
PAGE = "http://courier.test/"


class RobotsMemory(dict[str, RobotsFile]):
    """A store in memory."""

    def robots_file(self, origin: str) -> RobotsFile | None:
        return self.get(origin)

    def save_robots_file(self, file: RobotsFile) -> None:
        self[file.origin] = file


@pytest.fixture(scope="module")
def served() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


@pytest.fixture
def town(served: Running) -> Running:
    served.forget()
    return served


async def ask(town: Running, store: RobotsMemory, url: str = PAGE) -> list[str]:
    """The paths that a process asks for on its way to one page."""
    town.forget()
    options = FetchOptions(hosts=town.hosts, manners=HASTY)
    async with Fetcher(options, robots_store=store) as fetch:
        await fetch(Request(url=url, purpose="read"))
    return [seen.path for seen in town.log]


async def test_the_second_process_knows_the_robots_that_the_first_fetched(town: Running) -> None:
    store = RobotsMemory()
    assert await ask(town, store) == ["/robots.txt", "/"]
    assert await ask(town, store) == ["/"]


async def test_after_a_day_it_is_asked_again(town: Running) -> None:
    store = RobotsMemory()
    await ask(town, store)
    for change in (timedelta(hours=-25), timedelta(hours=1)):  # old, or from a clock set back since
        for origin, file in store.items():
            store[origin] = replace(file, asked_at=datetime.now(UTC) + change)
        assert await ask(town, store) == ["/robots.txt", "/"]


async def test_what_is_kept_is_obeyed(town: Running) -> None:
    origin = "http://courier.test"
    store = RobotsMemory()
    store[origin] = RobotsFile(
        origin=origin,
        found=True,
        body=b"User-agent: *\nDisallow: /\n",
        asked_at=datetime.now(UTC) - timedelta(minutes=1),
    )
    with pytest.raises(RefusedError, match="line 2"):
        await ask(town, store)
    assert list(town.log) == []


async def test_that_there_is_none_is_kept_as_well(town: Running) -> None:
    store = RobotsMemory()
    url = "http://blank.test/"  # everything but its home page is 404
    await ask(town, store, url)
    assert [file.found for file in store.values()] == [False]
    assert "/robots.txt" not in await ask(town, store, url)


BARRED = b"User-agent: *\nDisallow: /\n"


def kept(body: bytes, *, age: timedelta) -> RobotsFile:
    return RobotsFile(
        origin="http://courier.test", found=True, body=body, asked_at=datetime.now(UTC) - age
    )


async def test_a_later_file_of_another_process_is_obeyed_by_this_one(
    town: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wireroom.fetch.robots_cache.COMPARED_EVERY", -1.0)
    store = RobotsMemory()
    options = FetchOptions(hosts=town.hosts, manners=HASTY)
    async with Fetcher(options, robots_store=store) as fetch:
        await fetch(Request(url=PAGE, purpose="read"))
        own = store["http://courier.test"]
        store[own.origin] = kept(BARRED, age=timedelta(hours=2))  # before we asked
        await fetch(Request(url=PAGE, purpose="read"))
        store[own.origin] = kept(BARRED, age=timedelta())
        with pytest.raises(RefusedError, match="line 2"):
            await fetch(Request(url=PAGE, purpose="read"))
    assert len(town.log.requests_to("courier.test", "/robots.txt")) == 1


async def test_a_scout_asks_for_it_anew_once_and_everybody_obeys_it(
    town: Running,
) -> None:
    store = RobotsMemory({"http://courier.test": kept(BARRED, age=timedelta(hours=2))})
    options = FetchOptions(hosts=town.hosts, manners=HASTY)
    async with Fetcher(options, robots_store=store) as fetch:
        for _ in range(2):
            await fetch(Request(url=PAGE, purpose="scout", scout_id=1))
        await fetch(Request(url=f"{PAGE}robots.txt", purpose="scout", scout_id=1))
        await fetch(Request(url=PAGE, purpose="read"))
        assert len(town.log.requests_to("courier.test", "/robots.txt")) == 1
        await fetch(Request(url=PAGE, purpose="scout", scout_id=2))
    assert len(town.log.requests_to("courier.test", "/robots.txt")) == 2
    assert store["http://courier.test"].body != BARRED


async def test_a_scout_that_takes_long_asks_for_it_once(
    town: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wireroom.fetch.robots_cache.COMPARED_EVERY", -1.0)  # as with a Crawl-delay
    options = FetchOptions(hosts=town.hosts, manners=HASTY)
    async with Fetcher(options, robots_store=RobotsMemory()) as fetch:
        for _ in range(3):
            await fetch(Request(url=PAGE, purpose="scout", scout_id=1))
    assert [seen.path for seen in town.log] == ["/robots.txt", "/", "/", "/"]


async def test_a_file_that_is_read_is_obeyed_from_then_on(town: Running) -> None:
    store = RobotsMemory({"http://courier.test": kept(BARRED, age=timedelta(hours=2))})
    options = FetchOptions(hosts=town.hosts, manners=HASTY)
    async with Fetcher(options, robots_store=store) as fetch:
        answer = await fetch(Request(url=f"{PAGE}robots.txt", purpose="scout"))
        await fetch(Request(url=PAGE, purpose="read"))
    assert store["http://courier.test"].body == answer.body


async def test_a_file_is_later_than_what_was_noted_before_the_clock_was_set_back(
    town: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ahead(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return super().now(tz) + timedelta(days=365)

    monkeypatch.setattr("wireroom.fetch.robots_cache.COMPARED_EVERY", -1.0)
    store = RobotsMemory()
    options = FetchOptions(hosts=town.hosts, manners=HASTY)
    async with Fetcher(options, robots_store=store) as fetch:
        with monkeypatch.context() as patch:
            patch.setattr("wireroom.fetch.robots_cache.datetime", Ahead)
            await fetch(Request(url=PAGE, purpose="read"))
        own = store["http://courier.test"]
        store[own.origin] = kept(BARRED, age=timedelta())  # another process, by the right time
        with pytest.raises(RefusedError):
            await fetch(Request(url=PAGE, purpose="read"))
