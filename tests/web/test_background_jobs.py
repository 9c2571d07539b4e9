"""Work in the background: what a page was given of it stays as it was while the page is made."""

from __future__ import annotations

from queue import Queue
from threading import Event
from typing import Any

import pytest

from wireroom.app import App
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
