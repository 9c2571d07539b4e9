"""Work in the background: what a page was given of it stays as it was while the page is made."""

from __future__ import annotations

import asyncio
from queue import Queue
from threading import Event
from typing import Any

import pytest

from tests.scout.instant_loop import run_at_once
from wireroom.app import App
from wireroom.app.scout import Progress
from wireroom.errors import WireroomError
from wireroom.web.background_jobs import AT_ONCE, BackgroundJobs

PATIENCE = 30  # seconds


def test_a_page_sees_a_job_as_it_was_when_it_asked(
    web_app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, opened = Event(), Event()

    def scout(*_arguments: Any, **_options: Any) -> None:
        begun.set()
        assert opened.wait(PATIENCE)
        raise WireroomError("Nobody is there.")

    monkeypatch.setattr("wireroom.web.background_jobs.scout_address", scout)
    jobs = BackgroundJobs(web_app)
    jobs.scout("phare.test", "somebody")
    assert begun.wait(PATIENCE)
    seen = jobs.job("phare.test")
    opened.set()
    jobs._threads.shutdown(wait=True)
    ended = jobs.job("phare.test")
    assert seen is not None
    assert ended is not None
    assert (seen.is_open, seen.message) == (True, "")
    assert (ended.state, ended.message) == ("failed", "Nobody is there.")


@pytest.mark.parametrize(
    ("fault", "problem", "words"),
    [(ValueError("odd"), "internal", "It broke off: ValueError."), (None, "timeout", "10 minutes")],
)
def test_a_scout_that_breaks_or_never_ends_has_failed_and_says_so(
    web_app: App,
    monkeypatch: pytest.MonkeyPatch,
    fault: Exception | None,
    problem: str,
    words: str,
) -> None:
    """What it did until then is kept: steps that were noted stay, and an event tells of the end."""

    async def scout(_app: App, _address: object, *, progress: Any, **_options: Any) -> None:
        progress(Progress(step="robots", status="completed"))
        if fault is not None:
            raise fault
        await asyncio.Event().wait()

    monkeypatch.setattr("wireroom.web.background_jobs.scout_address", scout)
    monkeypatch.setattr(asyncio, "run", run_at_once)
    before = web_app.last_event_number()
    jobs = BackgroundJobs(web_app)
    name = jobs.scout("phare.test", "somebody").id
    jobs._threads.shutdown(wait=True)
    job = jobs.find(name)
    assert job is not None
    assert (job.state, job.record.problem, list(job.steps)) == ("failed", problem, ["robots"])
    assert words in job.message
    assert [event.kind for event in web_app.events(after=before)] == ["job_failed"]


def test_so_many_are_done_at_once_and_the_others_wait(
    web_app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: Queue[None] = Queue()
    opened = Event()

    def scout(*_arguments: Any, **_options: Any) -> None:
        begun.put(None)
        assert opened.wait(PATIENCE)
        raise WireroomError("Nobody is there.")

    monkeypatch.setattr("wireroom.web.background_jobs.scout_address", scout)
    jobs = BackgroundJobs(web_app)
    names = [jobs.scout(f"p{number}.test", f"client {number}").id for number in range(AT_ONCE + 2)]
    for _ in range(AT_ONCE):
        begun.get(timeout=PATIENCE)
    states = [job.state for job in map(jobs.find, names) if job is not None]
    assert states == ["running"] * AT_ONCE + ["waiting"] * 2
    assert begun.empty()
    opened.set()
    jobs._threads.shutdown(wait=True)
    assert {job.state for job in map(jobs.find, names) if job is not None} == {"failed"}
