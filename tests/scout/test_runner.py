"""Steps run by their needs, and one that fails leaves the others whole."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.scout.contexts import HOME, NOW, Table, context_of, served
from wireroom.errors import GoneError, ParseError, RefusedError, UnreachableError, WireroomError
from wireroom.model import Finding, Request, Response
from wireroom.ports import Step, StepContext
from wireroom.scout import runner
from wireroom.scout.runner import Progress, run_steps
from wireroom.scout.scout_fetch import ScoutFetch
from wireroom.signals.documents import home_page, page_at, robots_file


def finding(step: str, **facts: object) -> Finding:
    return Finding(step=step, outcome="yes", facts=facts, found_at=NOW)


def step(name: str, *needs: str, result: object = None, wait: float = 0.0) -> Step:
    async def run(context: StepContext) -> Finding:
        await asyncio.sleep(wait)
        if isinstance(result, Exception):
            raise result
        return finding(name, saw=sorted(context.findings))

    return Step(name, name.title(), run, needs, deadline=timedelta(seconds=0.2))


async def run(*steps: Step, **kept: Finding) -> list[Progress]:
    by_name = {step.name: step for step in steps}
    return [progress async for progress in run_steps(by_name, context_of(), kept=kept)]


def ends(progress: list[Progress]) -> dict[str, Finding]:
    return {event.step: event.finding for event in progress if event.finding is not None}


async def test_a_step_sees_what_it_needs_and_nothing_else() -> None:
    progress = await run(step("c", "b"), step("a"), step("b", "a"))
    assert [(event.step, event.status) for event in progress] == [
        ("a", "started"),
        ("a", "completed"),
        ("b", "started"),
        ("b", "completed"),
        ("c", "started"),
        ("c", "completed"),
    ]
    assert ends(progress)["c"].facts["saw"] == ["b"]


async def test_steps_that_do_not_need_one_another_run_side_by_side() -> None:
    progress = await run(*(step(f"s{n}", wait=0.2) for n in range(20)))
    assert [event.status for event in progress[:20]] == ["started"] * 20
    took = [event.finding.took for event in progress[20:] if event.finding]
    assert max(took) < timedelta(seconds=20 * 0.2)  # one after the other


@pytest.mark.parametrize(
    ("raised", "verdict", "reason"),
    [
        (GoneError(HOME, 404), "failed", "gone"),
        (RefusedError(HOME, "disallowed", kind="robots"), "skipped", "robots"),
        (ParseError("not XML"), "failed", "bad_response"),
        (RuntimeError("surprise"), "failed", "internal"),
    ],
)
async def test_a_failure_is_a_finding_and_the_rest_goes_on(
    raised: Exception, verdict: str, reason: str
) -> None:
    found = ends(await run(step("bad", result=raised), step("good"), step("after", "bad")))
    assert found["bad"].outcome == verdict
    assert found["bad"].facts["reason"] == reason
    assert found["bad"].evidence[0].excerpt == found["bad"].facts["error"]
    assert found["good"].outcome == "yes"
    assert found["after"].facts["saw"] == ["bad"], "it may look at what failed and decide"


async def test_a_step_that_takes_too_long_is_ended() -> None:
    found = ends(await run(step("slow", wait=5), step("quick")))
    assert found["slow"].facts["reason"] == "timeout"
    assert found["quick"].outcome == "yes"


class Waiting:
    """A fetch by a clock of its own: first it waits for a permit, then an answer is in flight."""

    def __init__(self, permit: float, in_flight: float, *, fails: bool = False) -> None:
        self.now = 0.0
        self._permit, self._in_flight, self._fails = permit, in_flight, fails

    async def __call__(self, request: Request) -> Response:
        self.now += self._permit + self._in_flight
        lasted = timedelta(seconds=self._in_flight)
        if not self._fails:
            return replace(served(request.url), elapsed=lasted)
        error = UnreachableError(request.url, "no answer in time", kind="timeout")
        error.in_flight = lasted
        raise error


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize(("permit", "in_flight"), [(40.0, 1.0), (0.0, 20.0), (40.0, 20.0)])
async def test_a_step_took_what_was_in_flight_and_not_the_wait_for_a_permit(
    monkeypatch: pytest.MonkeyPatch, permit: float, in_flight: float, fails: bool
) -> None:
    fetch = Waiting(permit, in_flight, fails=fails)
    monkeypatch.setattr(runner, "monotonic", lambda: fetch.now)

    async def ask(context: StepContext) -> Finding:
        fetch.now += 2  # of work
        await context.fetch(Request(url=HOME, purpose="scout"))
        return finding("feeds")

    context = replace(context_of(), fetch=fetch)
    steps = {"feeds": Step("feeds", "Feeds", ask)}
    found = ends([progress async for progress in run_steps(steps, context, kept={})])
    assert found["feeds"].took == timedelta(seconds=2 + in_flight)


async def test_a_fresh_finding_is_reused_and_passed_on() -> None:
    progress = await run(step("a"), step("b", "a"), a=finding("a", old=True))
    assert [(event.step, event.status) for event in progress] == [
        ("a", "reused"),
        ("b", "started"),
        ("b", "completed"),
    ]


async def test_rings_and_unknown_needs_are_reported() -> None:
    with pytest.raises(WireroomError, match="ring"):
        await run(step("a", "b"), step("b", "a"))
    with pytest.raises(WireroomError, match="there are not"):
        await run(step("a", "nobody"))


async def test_leaving_early_cancels_what_is_in_flight() -> None:
    ended = asyncio.Event()

    async def run(_case: StepContext) -> Finding:
        try:
            await asyncio.sleep(30)
        finally:
            ended.set()
        raise AssertionError

    running = run_steps({"a": Step("a", "A", run)}, context_of())
    assert (await anext(running)).status == "started"
    waiting = asyncio.create_task(anext(running))
    await asyncio.sleep(0.01)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await running.aclose()
    assert ended.is_set()


# --- what the steps of a scout share -----------------------------------------------------------


async def test_a_document_is_asked_for_once_however_many_want_it() -> None:
    table = Table({HOME: "<title>Courier</title>", f"{HOME}robots.txt": "User-agent: *\nAllow: /"})
    context = context_of(fetch=table)
    pages = await asyncio.gather(*(home_page(context) for _ in range(5)), page_at(context, HOME))
    files = await asyncio.gather(*(robots_file(context) for _ in range(5)))
    assert len({id(page) for page in pages}) == len({id(file) for file in files}) == 1
    assert len(table.asked) == 2
    assert files[0].state == "found"


async def test_a_failed_document_fails_for_everybody_and_is_not_asked_again() -> None:
    table = Table({})
    context = context_of(fetch=table)
    for _ in range(3):
        with pytest.raises(GoneError):
            await home_page(context)
    assert (await robots_file(context)).state == "absent"
    assert len(table.asked) == 2


async def test_who_gives_up_waiting_takes_nothing_from_the_others() -> None:
    scout = ScoutFetch(Table({}))
    release = asyncio.Event()

    async def make() -> str:
        await release.wait()
        return "made"

    impatient = asyncio.create_task(scout.once("x", make))
    patient = asyncio.create_task(scout.once("x", make))
    await asyncio.sleep(0)
    impatient.cancel()
    release.set()
    assert await patient == "made"
    await scout.close()


async def test_a_scout_ends_when_its_requests_are_spent() -> None:
    pages = {f"{HOME}{n}": served(f"{HOME}{n}") for n in range(5)}
    scout = ScoutFetch(Table(pages), max_requests=3)
    context = context_of()
    for n in range(3):
        await page_at(replace_fetch(context, scout), f"{HOME}{n}")
    with pytest.raises(RefusedError, match="3 requests are spent"):
        await page_at(replace_fetch(context, scout), f"{HOME}4")
    assert scout.requests == 3


def replace_fetch(context: StepContext, scout: ScoutFetch) -> StepContext:

    return replace(context, fetch=scout, once=scout.once)
