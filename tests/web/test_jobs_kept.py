"""Jobs outlive their server: a reload shows the same, and what broke off is gone on with."""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from time import monotonic, sleep
from typing import Any

import pytest
from starlette.exceptions import HTTPException

from tests.web.serving import Pages, serving
from tests.web.test_actions import upload
from wireroom.app import App
from wireroom.app.holders import holder_name
from wireroom.app.job_history import SILENT, JobRecord, find_job, save_job, with_state
from wireroom.app.submit import read_submission
from wireroom.web.background_jobs import BackgroundJobs

PATIENCE = 60  # seconds
LIST = b"url,rank\nphare.test,1\nnot an address,2\n"


def until(is_so: Callable[[], bool]) -> None:
    ends = monotonic() + PATIENCE
    while not is_so():
        assert monotonic() < ends
        sleep(0.02)


def main_part(page: str) -> str:
    found = re.search(r"<main.*</main>", page, re.DOTALL)
    assert found is not None
    return found[0]


def ended(pages: Pages, job_id: str) -> dict[str, Any]:
    until(lambda: pages.ask(f"/api/v1/jobs/{job_id}").data["state"] not in {"waiting", "running"})
    found: dict[str, Any] = pages.ask(f"/api/v1/jobs/{job_id}").data
    return found


def test_the_page_of_a_list_is_the_same_after_a_restart(web_app: App) -> None:
    with serving(web_app) as pages:
        _, place = upload(pages, "papers.csv", LIST)
        job = ended(pages, place.rpartition("/")[2])
        before = pages.ask(place).text
    assert (job["state"], job["rows"], len(job["outcomes"])) == ("done", 2, 2)
    with serving(web_app) as pages:
        after = pages.ask(place).text
        assert pages.ask(job["url"]).data == job
    assert main_part(after) == main_part(before)
    assert "columns that are not used: rank" in after


def test_a_publisher_that_failed_is_shown_after_a_restart(web_app: App) -> None:
    with serving(web_app) as pages:
        pages.post("/", address="nobody.invalid")
        (row,) = pages.ask("/api/v1/jobs").data["rows"]
        job = ended(pages, row["id"])
        before = pages.ask("/publishers/nobody.invalid").text
    assert (job["state"], job["problem"]) == ("failed", "dns")
    with serving(web_app) as pages:
        assert main_part(pages.ask("/publishers/nobody.invalid").text) == main_part(before)


def stopped_in_mid_list(app: App, monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of a list whose server ended while its second row was looked at."""
    with monkeypatch.context() as patch:
        real = BackgroundJobs._follow_rows

        async def frozen(jobs: BackgroundJobs, job: Any) -> str:
            whole = job.submission
            job.submission = replace(whole, rows=whole.rows[1:])
            await real(jobs, job)
            job.submission = whole
            jobs._app.note("frozen", job.id)
            await asyncio.Event().wait()
            return ""

        patch.setattr(BackgroundJobs, "_follow_rows", frozen)
        with serving(app) as pages:
            before = app.last_event_number()
            _, place = upload(pages, "papers.csv", LIST)
            until(lambda: any(event.kind == "frozen" for event in app.events(after=before)))
    return place.rpartition("/")[2]


def test_a_list_whose_server_ended_is_gone_on_with(
    web_app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = stopped_in_mid_list(web_app, monkeypatch)
    with serving(web_app) as pages:
        page = pages.ask(f"/lists/{job_id}").text
        assert "The server ended before it was done" in page
        assert "1 of 2 looked at" in page
        assert "Go on" in page
        assert f'action="/jobs/{job_id}/resume"' in pages.ask("/").text
        answer = pages.post(f"/jobs/{job_id}/resume")
        assert (answer.status, answer.headers["location"]) == (303, f"/lists/{job_id}")
        job = ended(pages, job_id)
        assert [row["outcome"] for row in job["outcomes"]] == ["added", "invalid"]
        assert "Go on" not in pages.ask(f"/lists/{job_id}").text
        assert pages.post(f"/jobs/{job_id}/resume").status == 409
        assert pages.post("/jobs/nothing/resume").status == 404


def dead_name() -> str:
    """The name of a server that was killed."""
    code = "from wireroom.app.job_history import server_name as s; print(s(), flush=True); input()"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    name = process.stdout.readline().strip()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return name


def test_a_job_of_a_killed_server_is_interrupted(web_app: App) -> None:
    now = web_app.clock()
    left = JobRecord(
        id="left",
        kind="scout",
        target="phare.test",
        publisher="phare.test",
        state="running",
        begun_at=now,
        seen_at=now,
        holder=dead_name(),
    )
    save_job(web_app, left)
    save_job(web_app, replace(left, id="other", publisher="a.test", holder=holder_name("serve")))
    with serving(web_app) as pages:
        states = {row["id"]: row["state"] for row in pages.ask("/api/v1/jobs").data["rows"]}
        assert states == {"left": "interrupted", "other": "running"}
        page = pages.ask("/publishers/phare.test").text
        assert "The server ended before it was done" in page
        assert 'action="/jobs/left/resume"' in page
        answer = pages.ask("/api/v1/jobs/left/resume", method="POST")
        assert (answer.status, answer.headers["location"]) == (202, "/api/v1/jobs/left")
        assert ended(pages, "left")["state"] == "done"
        assert "Le Phare" in pages.ask("/publishers/phare.test").text


def test_a_server_elsewhere_counts_as_ended_when_it_is_silent(web_app: App) -> None:
    now = web_app.clock()
    job = JobRecord(
        id="j", kind="scout", target="a.test", begun_at=now, seen_at=now, holder="serve-x"
    )
    assert with_state(job, now=now + SILENT).state == "waiting"
    assert with_state(job, now=now + SILENT + timedelta(seconds=1)).state == "interrupted"


def test_what_waits_when_the_server_ends_is_written_down(
    web_app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def frozen(_jobs: BackgroundJobs, _job: Any) -> str:
        await asyncio.Event().wait()
        return ""

    monkeypatch.setattr(BackgroundJobs, "_scout", frozen)
    jobs = BackgroundJobs(web_app)
    begun = [jobs.scout(f"p{number}.test", "somebody") for number in range(5)]
    jobs.close()
    held = [find_job(web_app, job.id) for job in begun]
    assert [job.state for job in held if job is not None] == ["interrupted"] * 5


def test_the_same_key_begins_one_job(web_app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(_jobs: BackgroundJobs, _job: Any) -> str:
        return ""

    for name in ("_scout", "_follow", "_follow_rows"):
        monkeypatch.setattr(BackgroundJobs, name, nothing)
    jobs = BackgroundJobs(web_app)
    first = jobs.follow_list(read_submission("a.test\nb.test"), "me", key="k1")
    assert jobs.follow_list(read_submission("a.test\nb.test"), "me", key="k1").id == first.id
    jobs.close()
    jobs = BackgroundJobs(web_app)
    assert jobs.follow_list(read_submission("a.test\nb.test"), "me", key="k1").id == first.id
    with pytest.raises(HTTPException, match="Idempotency-Key"):
        jobs.follow_list(read_submission("a.test\nc.test"), "me", key="k1")
    with pytest.raises(HTTPException, match="Idempotency-Key"):
        jobs.scout("a.test", "me", key="k1")
    follow = jobs.follow("a.test", "me", key="k2")
    assert jobs.follow("a.test", "me", key="k2").id == follow.id
    jobs.close()
