"""Manners as the server sees them: read from the town's log, not from our own word."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import replace
from datetime import timedelta
from time import monotonic
from typing import Any

import pytest
from aiohttp import web

from tests.fetch.conftest import HASTY, MakeFetcher
from wireroom.errors import FetchError, GoneError, RefusedError
from wireroom.fetch.client import Fetcher
from wireroom.fetch.fetch_options import FetchOptions, Manners
from wireroom.fetch.many import SHARE, WAITING, fetch_all, fetch_each
from wireroom.model import Problem, Request, Response, ServerHints, Validators
from wireroom.ports import Hop
from wireroom.town import Running

GAP = timedelta(seconds=0.2)
PATIENT = Manners(gap=GAP, rest_after_burst=GAP, longest_wait=timedelta(seconds=5))
HOSTS = ("courier.test", "akti.test", "phare.test", "faro.test")
TROUBLE = "http://trouble.test"
SOON = 10.0  # seconds in which everything ends, whatever hangs


def pages(*hosts: str, each: int = 1) -> list[Request]:
    return [
        Request(url=f"http://{host}/?page={n}", purpose="read")
        for n in range(each)
        for host in hosts
    ]


async def outcomes(
    requests: list[Request], fetch: Fetcher | None = None, options: FetchOptions | None = None
) -> list[Response | Problem]:
    return [outcome async for outcome in fetch_all(requests, options, fetch=fetch)]


async def test_never_two_in_flight_and_never_too_soon(
    town: Running, make_fetcher: MakeFetcher
) -> None:
    async with make_fetcher(manners=PATIENT) as fetch:
        got = await outcomes(pages(*HOSTS, each=4), fetch)
    assert all(isinstance(outcome, Response) for outcome in got)
    for host in HOSTS:
        assert town.log.max_in_flight(host) == 1
        assert len(town.log.gaps(host)) == 4, "robots.txt and four pages"
        assert min(town.log.gaps(host)) >= GAP
    scouts = [town.log.requests_to(host) for host in HOSTS]
    begun, ended = max(scout[0].at for scout in scouts), min(scout[-1].at for scout in scouts)
    assert begun < ended, "hosts do not wait for one another"


async def test_robots_is_asked_once_for_many_and_obeyed(
    town: Running, make_fetcher: MakeFetcher
) -> None:
    async with make_fetcher() as fetch:
        await asyncio.gather(*(fetch(request) for request in pages("faro.test", each=5)))
        with pytest.raises(RefusedError, match=r"line \d+ of http://faro.test/robots.txt") as no:
            await fetch(Request(url="http://faro.test/pf/inner", purpose="read"))
    assert no.value.kind == "robots"
    assert len(town.log.requests_to("faro.test", "/robots.txt")) == 1
    assert not town.log.requests_to("faro.test", "/pf/inner")


async def test_the_crawl_delay_of_robots_is_kept(town: Running, make_fetcher: MakeFetcher) -> None:
    async with make_fetcher() as fetch:
        await asyncio.gather(*(fetch(request) for request in pages("sentinel.test", each=2)))
    assert min(town.log.gaps("sentinel.test")) >= timedelta(seconds=2)


@pytest.mark.parametrize("host", ["blank.test", "nagisa.test"])
async def test_no_robots_or_a_page_in_its_place_allows_everything(
    host: str, make_fetcher: MakeFetcher
) -> None:
    async with make_fetcher() as fetch:
        assert (await fetch(Request(url=f"http://{host}/", purpose="read"))).status == 200


async def test_a_robots_that_fails_holds_everything(
    make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with make_fetcher() as fetch:
        ask_robots = fetch._ask_robots

        async def broken(attempt: Any, _url: str) -> Response:
            return await ask_robots(attempt, f"{TROUBLE}/status?code=500")

        monkeypatch.setattr(fetch, "_ask_robots", broken)
        with pytest.raises(FetchError) as held:
            await fetch(Request(url="http://courier.test/", purpose="read"))
    assert held.value.kind == "robots"
    assert not held.value.permanent
    assert held.value.retry_after is not None


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/loop", True),
        ("/chain?n=9", True),
        ("/to-nowhere", True),
        ("/auth", True),
        ("/gone", True),
        ("/throttled?key=robots", False),
        ("/status?code=500", False),
        ("/cut", False),
        ("/to-private", False),
        ("/bomb/gzip", True),
        ("/headers/many", False),
    ],
)
async def test_what_stands_in_for_a_robots_opens_or_holds(
    path: str, allowed: bool, town: Running, make_fetcher: MakeFetcher, monkeypatch: Any
) -> None:
    asked = 0
    async with make_fetcher() as fetch:
        ask_robots = fetch._ask_robots

        async def odd(attempt: Any, _url: str) -> Response:
            nonlocal asked
            asked += 1
            return await ask_robots(attempt, f"{TROUBLE}{path}")

        monkeypatch.setattr(fetch, "_ask_robots", odd)
        for n in range(2):
            request = Request(url=f"http://courier.test/?n={n}", purpose="read")
            if allowed:
                assert (await fetch(request)).status == 200
                continue
            with pytest.raises(FetchError, match=r"robots\.txt could not be fetched") as held:
                await fetch(request)
            assert held.value.retry_after is not None
            assert not held.value.permanent
    assert asked == 1, "asked once, whatever came"


async def test_a_scout_is_a_burst(town: Running, make_fetcher: MakeFetcher) -> None:
    requests = [Request(url=f"{TROUBLE}/slow?ms=50&n={n}", purpose="scout") for n in range(12)]
    async with make_fetcher(manners=PATIENT) as fetch:
        await asyncio.gather(*(fetch(request) for request in requests))
    assert town.log.max_in_flight("trouble.test") == 4, "no gap inside a scout"


async def test_retry_after_makes_the_host_wait_and_no_other(
    town: Running, make_fetcher: MakeFetcher
) -> None:
    async with make_fetcher() as fetch:
        with pytest.raises(FetchError):
            await fetch(Request(url=f"{TROUBLE}/throttled?seconds=2&key=wait", purpose="read"))
        started = monotonic()
        answered: list[str] = []

        async def ask(url: str) -> None:
            await fetch(Request(url=url, purpose="read"))
            answered.append(url)

        urls = [f"{TROUBLE}/throttled?seconds=2&key=wait", "http://courier.test/"]
        await asyncio.gather(*map(ask, urls))
    assert answered == urls[::-1]
    assert monotonic() - started >= 1.8


async def test_retry_after_may_be_a_date(make_fetcher: MakeFetcher) -> None:
    async with make_fetcher() as fetch:
        with pytest.raises(FetchError) as soon:
            await fetch(Request(url=f"{TROUBLE}/throttled-date?seconds=40000", purpose="read"))
        with pytest.raises(FetchError, match="Retry-After") as resting:
            await fetch(Request(url=f"{TROUBLE}/echo", purpose="read"))
    assert soon.value.retry_after is not None
    # The town's clock stood still while other tests ran, which may take long on a busy machine.
    assert timedelta(seconds=20_000) < soon.value.retry_after <= timedelta(seconds=40_000)
    assert resting.value.retry_after is not None
    assert timedelta(seconds=20_000) < resting.value.retry_after <= timedelta(seconds=40_000)


@pytest.mark.parametrize("value", ["soon", "-5", "", "1e3", "Mon, 99 Foo 2026", "٣"])
async def test_a_retry_after_that_says_nothing_is_a_back_off(
    value: str, make_fetcher: MakeFetcher
) -> None:
    async with make_fetcher() as fetch:
        with pytest.raises(FetchError) as throttled:
            await fetch(Request(url=f"{TROUBLE}/throttled-silly?value={value}", purpose="read"))
        started = monotonic()
        await fetch(Request(url=f"{TROUBLE}/echo", purpose="read"))
    assert throttled.value.retry_after is None
    assert 0.9 <= monotonic() - started < 30


async def test_hints_and_validators_are_passed_on(
    make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with make_fetcher() as fetch:
        plain = fetch._strategies.strategy("plain")
        hop = plain.hop

        async def cached(asked: Hop) -> Response:
            headers = (("cache-control", "max-age=600"), ("etag", 'W/"7"'))
            return replace(await hop(asked), headers=headers)

        monkeypatch.setattr(plain, "hop", cached)
        answer = await fetch(Request(url="http://courier.test/", purpose="poll"))
    assert answer.server_hints == ServerHints(max_age=timedelta(minutes=10))
    assert answer.validators == Validators(etag='W/"7"')


async def test_the_days_budget_is_reported(make_fetcher: MakeFetcher) -> None:
    async with make_fetcher(manners=replace(HASTY, host_budget=3)) as fetch:
        got = await outcomes(pages("courier.test", each=6), fetch)
    problems = [outcome for outcome in got if isinstance(outcome, Problem)]
    assert len(problems) == 4, "robots.txt counts too"
    for problem in problems:
        assert "budget of 3 requests a day" in problem.message
        assert problem.retry_after is not None
        assert not problem.permanent


async def test_many_hosts_at_one_address_share_its_places(make_fetcher: MakeFetcher) -> None:
    """As behind a CDN: different names, one address."""
    in_flight = most = 0

    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        nonlocal in_flight, most
        in_flight += 1
        most = max(most, in_flight)
        await asyncio.sleep(0.05)
        in_flight -= 1
        return web.Response(text="ok")

    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    place = f"127.0.0.1:{runner.addresses[0][1]}"
    names = {f"h{n}.cdn.test": place for n in range(12)}
    requests = [Request(url=f"http://{name}/", purpose="read") for name in names]
    try:
        async with make_fetcher(hosts=names, manners=replace(HASTY, per_address=3)) as fetch:
            got = await outcomes(requests, fetch)
    finally:
        await runner.cleanup()
    assert len(got) == 12
    assert all(isinstance(outcome, Response) for outcome in got)
    assert most == 3


async def test_a_long_rest_is_reported_at_once(make_fetcher: MakeFetcher) -> None:
    async with make_fetcher() as fetch:
        with pytest.raises(FetchError):
            await fetch(Request(url=f"{TROUBLE}/throttled?seconds=900&key=long", purpose="read"))
        started = monotonic()
        with pytest.raises(FetchError, match="rests for") as resting:
            await fetch(Request(url=f"{TROUBLE}/echo", purpose="read"))
    assert monotonic() - started < HASTY.longest_wait.total_seconds()
    assert resting.value.kind == "throttled"
    assert resting.value.retry_after is not None
    assert timedelta(seconds=890) < resting.value.retry_after <= timedelta(seconds=900)


async def test_one_host_that_hangs_holds_up_nobody(
    town: Running, make_fetcher: MakeFetcher
) -> None:
    manners = Manners(gap=timedelta(), concurrency=8)
    hanging = [Request(url=f"{TROUBLE}/hang?n={n}", purpose="read") for n in range(20)]
    async with make_fetcher(manners=manners, deadline=timedelta(seconds=8)) as fetch:
        await fetch(Request(url=f"{TROUBLE}/", purpose="read"))
        alone = await _seconds(fetch, pages(*HOSTS, each=10))
        beside = await _seconds(fetch, [*hanging, *pages(*HOSTS, each=10)], count=40)
    assert beside < alone * 3 + 4, "less than the eight seconds that one of them hangs"


async def _seconds(fetch: Fetcher, requests: list[Request], count: int = 0) -> float:
    started = monotonic()
    seen = 0
    async for outcome in fetch_all(requests, fetch=fetch):
        seen += isinstance(outcome, Response)
        if seen == (count or len(requests)):
            break
    return monotonic() - started


async def test_a_dead_hosts_queue_fails_instead_of_waiting(
    town: Running, make_fetcher: MakeFetcher
) -> None:
    requests = [Request(url=f"{TROUBLE}/hang?n={n}", purpose="read") for n in range(30)]
    async with make_fetcher(deadline=timedelta(seconds=0.3)) as fetch:
        got = await outcomes(requests, fetch)
    assert len(town.log.requests_to("trouble.test", "/hang")) < 10
    assert all(isinstance(outcome, Problem) for outcome in got)
    assert {outcome.kind for outcome in got if isinstance(outcome, Problem)} == {
        "timeout",
        "connect",
    }


# --- many --------------------------------------------------------------------------------------


async def test_one_bad_address_stops_nothing(options: FetchOptions) -> None:
    requests = [
        Request(url="http://127.0.0.1/", purpose="read"),
        Request(url="nonsense", purpose="read"),
        *pages("courier.test", "phare.test"),
        Request(url=f"{TROUBLE}/gone", purpose="read"),
    ]
    got = await outcomes(requests, options=options)
    assert sum(isinstance(outcome, Response) for outcome in got) == 2
    problems = {o.subject_url: o for o in got if isinstance(o, Problem)}
    assert problems["http://127.0.0.1/"].kind == "private_address"
    assert problems["nonsense"].permanent
    assert problems[f"{TROUBLE}/gone"].kind == "gone"


def test_scripts_fetch_without_an_event_loop(options: FetchOptions) -> None:
    got = list(fetch_each(pages(*HOSTS), options))
    assert len(got) == len(HOSTS)
    first = next(iter(fetch_each(pages(*HOSTS), options)))
    assert isinstance(first, Response)


async def test_an_endless_list_is_read_only_as_far_as_needed(options: FetchOptions) -> None:
    taken = 0

    def endless() -> Iterator[Request]:
        nonlocal taken
        while True:
            taken += 1
            yield Request(url=f"http://courier.test/?n={taken}", purpose="read")

    count = 0
    async for outcome in fetch_all(endless(), options):
        assert isinstance(outcome, Response)
        count += 1
        if count == 20:
            break
    assert taken <= 10_000 + 2_000 + 64 + 20


async def test_a_list_sorted_by_host_is_not_asked_host_by_host(options: FetchOptions) -> None:
    many = pages("courier.test", each=WAITING + 100)
    last = Request(url="http://faro.test/", purpose="read")
    got: list[str] = []
    async with aclosing(fetch_all([*many, last], replace(options, manners=PATIENT))) as coming:
        async for outcome in coming:
            assert isinstance(outcome, Response)
            got.append(outcome.url)
            if outcome.url == last.url:
                break
    assert len(got) < 20
    assert got[:-1] == [request.url for request in many[: len(got) - 1]]


async def test_what_was_put_by_comes_too_and_in_its_order(make_fetcher: MakeFetcher) -> None:
    wanted = pages("courier.test", each=3 * SHARE)
    async with make_fetcher() as fetch:
        got = await outcomes(wanted, fetch)
    assert [outcome.url for outcome in got if isinstance(outcome, Response)] == [
        each.url for each in wanted
    ]


async def test_requests_may_come_from_an_async_source(options: FetchOptions) -> None:
    async def source() -> AsyncIterator[Request]:
        for request in pages(*HOSTS):
            await asyncio.sleep(0)
            yield request

    assert len([outcome async for outcome in fetch_all(source(), options)]) == len(HOSTS)


async def test_a_source_that_fails_is_not_hidden(options: FetchOptions) -> None:
    def failing() -> Iterator[Request]:
        yield from pages("courier.test")
        raise RuntimeError("the list is broken")

    with pytest.raises(RuntimeError, match="the list is broken"):
        await _drain(fetch_all(failing(), options))


async def _drain(source: AsyncIterator[object]) -> None:
    async for _ in source:
        pass


async def test_cancelling_ends_everything_at_once(options: FetchOptions) -> None:
    requests = [Request(url=f"{TROUBLE}/hang?n={n}", purpose="read") for n in range(50)]
    task = asyncio.create_task(_drain(fetch_all(requests, options)))
    await asyncio.sleep(0.3)
    started = monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert monotonic() - started < SOON
    others = [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]
    assert not others


async def test_a_cancelled_request_gives_its_turn_back(make_fetcher: MakeFetcher) -> None:
    async with make_fetcher(manners=HASTY) as fetch:
        await fetch(Request(url=f"{TROUBLE}/", purpose="read"))
        hanging = asyncio.create_task(fetch(Request(url=f"{TROUBLE}/hang", purpose="read")))
        waiting = asyncio.create_task(fetch(Request(url=f"{TROUBLE}/echo?a", purpose="read")))
        await asyncio.sleep(0.2)
        waiting.cancel()
        hanging.cancel()
        await asyncio.gather(hanging, waiting, return_exceptions=True)
        answer = await fetch(Request(url=f"{TROUBLE}/echo?b", purpose="read"))
    assert answer.status == 200


async def test_a_scout_that_reads_robots_asks_for_it_once(
    town: Running, make_fetcher: MakeFetcher
) -> None:
    url = "http://faro.test/robots.txt"
    async with make_fetcher() as fetch:
        await fetch(Request(url="http://faro.test/", purpose="scout"))
        read = await fetch(Request(url=url, purpose="scout"))
        again = await fetch(Request(url=url, purpose="scout"))
    assert b"user-agent" in read.body.lower()
    assert again == read
    assert len(town.log.requests_to("faro.test", "/robots.txt")) == 1


async def test_a_robots_that_is_not_there_is_asked_for_once_by_a_scout_too(
    town: Running, make_fetcher: MakeFetcher
) -> None:
    async with make_fetcher() as fetch:
        for _ in range(2):
            with pytest.raises(GoneError):
                await fetch(Request(url="http://blank.test/robots.txt", purpose="scout"))
    assert len(town.log.requests_to("blank.test", "/robots.txt")) == 1
