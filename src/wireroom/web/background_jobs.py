"""Work that a page starts and does not wait for: scouting and following a publisher, so many at once.

Each runs in a thread with an event loop of its own, through the same use cases as the command line: the guard of the
fetch room, leases on hosts and robots.txt hold for whatever somebody types into a form.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime
from secrets import token_urlsafe
from threading import Lock
from time import monotonic
from typing import Literal

from starlette.exceptions import HTTPException

from wireroom.app import App
from wireroom.app.scout import Progress, read_address, scout_address
from wireroom.app.submit import RowOutcome, Submission, submit
from wireroom.errors import WireroomError
from wireroom.lru import LruCache
from wireroom.web.web_problems import shown_words

AT_ONCE = 3  # scouts; each sends up to 45 requests and reads documents in a process of its own
MAX_WAITING = 50  # jobs, those under way included
PER_MINUTE = 10  # jobs that one address may start
MINUTE = 60.0  # seconds
LISTS_KEPT = 20  # lists that are remembered; each has up to some thousand rows
KEPT = 500  # jobs that are remembered for their pages

JobState = Literal["waiting", "running", "done", "failed"]
JobKind = Literal["scout", "follow"]


@dataclass(slots=True, kw_only=True)
class Job:
    """One piece of work; its thread writes it, pages read copies."""

    domain: str
    target: str
    kind: JobKind
    started_at: datetime
    state: JobState = "waiting"
    message: str = ""
    """Why it failed, or what came of it."""
    hint: str = ""
    steps: dict[str, Progress] = field(default_factory=dict)
    moved_to: str = ""
    """Where the publisher is, if that is another domain."""

    @property
    def is_open(self) -> bool:
        """Whether there is something to wait for."""
        return self.state in {"waiting", "running"}

    def note(self, progress: Progress) -> None:
        """A step has begun or ended."""
        self.steps[progress.step] = progress


@dataclass(slots=True, kw_only=True)
class ListJob:
    """A list of publishers and feeds that is followed row by row; its thread writes it, pages read copies."""

    id: str
    submission: Submission
    outcomes: dict[int, RowOutcome] = field(default_factory=dict)
    """By line, as they are known."""
    state: JobState = "waiting"
    message: str = ""

    @property
    def is_open(self) -> bool:
        """Whether there is something to wait for."""
        return self.state in {"waiting", "running"}


class BackgroundJobs:
    """The work of this server, by publisher."""

    def __init__(self, app: App, *, clock: Callable[[], float] = monotonic) -> None:
        self._app = app
        self._clock = clock
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="job")
        self._jobs: LruCache[str, Job] = LruCache(KEPT)
        self._begun: LruCache[str, deque[float]] = LruCache(10_000)
        self._lists: LruCache[str, ListJob] = LruCache(LISTS_KEPT)
        self._lock = Lock()

    def job(self, domain: str) -> Job | None:
        """The last job about a publisher, as it is now: a page that is being made must not see it end half-way."""
        with self._lock:
            job = self._jobs.get(domain)
        return replace(job, steps=dict(job.steps)) if job is not None else None

    def open_jobs(self) -> list[Job]:
        """What waits or is under way."""
        with self._lock:
            return [job for job in self._jobs.values() if job.is_open]

    def scout(self, target: str, client: str, *, refresh: bool = False) -> Job:
        """Starts a scout of what somebody typed; SettingsError says what is wrong with it, 429 that it is too much."""
        return self._start(target, client, "scout", lambda job: self._scout(job, refresh=refresh))

    def follow(self, target: str, client: str) -> Job:
        """Starts following a publisher or a feed under what it permits."""
        return self._start(target, client, "follow", self._follow)

    def follow_list(self, submission: Submission, client: str) -> ListJob:
        """Starts following what a list names; 429 when it is too much."""
        job = ListJob(id=token_urlsafe(9), submission=submission)
        with self._lock:
            self._admit(client)
            self._lists[job.id] = job
        self._threads.submit(self._run_list, job)
        return job

    def list_job(self, job_id: str) -> ListJob | None:
        """The list of this id, as it is now."""
        with self._lock:
            job = self._lists.get(job_id)
        return replace(job, outcomes=dict(job.outcomes)) if job is not None else None

    def close(self) -> None:
        """Takes nothing more; what waits is given up, what is under way ends with its process."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _start(self, target: str, client: str, kind: JobKind, do: Callable[[Job], None]) -> Job:
        domain = read_address(target).domain
        with self._lock:
            held = self._jobs.get(domain)
            if held is not None and held.is_open and held.kind == kind:
                return held
            self._admit(client)
            job = Job(domain=domain, target=target, kind=kind, started_at=self._app.clock())
            self._jobs[domain] = job
        self._threads.submit(self._run, job, do)
        return job

    def _admit(self, client: str) -> None:
        begun = self._begun.get(client)
        if begun is None:
            begun = self._begun[client] = deque()
        while begun and begun[0] <= self._clock() - MINUTE:
            begun.popleft()
        waiting = sum(job.is_open for job in self._jobs.values())
        if len(begun) >= PER_MINUTE or waiting >= MAX_WAITING:
            message = "Too much was started within the last minute; try again soon."
            raise HTTPException(429, message, headers={"Retry-After": "60"})
        begun.append(self._clock())

    def _run(self, job: Job, do: Callable[[Job], None]) -> None:
        job.state = "running"
        try:
            do(job)
        except WireroomError as error:
            job.message, job.hint = shown_words(error)
            job.state = "failed"
        except BaseException as error:  # the page must not wait for ever; the log has the rest
            job.message, job.state = f"It broke off: {type(error).__name__}.", "failed"
            raise
        else:
            job.state = "done"
        finally:
            self._app.note(f"job_{job.state}", job.domain, job=job.kind, message=job.message)

    def _run_list(self, job: ListJob) -> None:
        job.state = "running"
        try:
            asyncio.run(self._follow_rows(job))
            job.state = "done"
        except WireroomError as error:
            job.message, _ = shown_words(error)
            job.state = "failed"
        finally:
            if job.is_open:
                job.message, job.state = "It broke off; the log has more.", "failed"
            self._app.note(f"list_{job.state}", job.id)

    async def _follow_rows(self, job: ListJob) -> None:
        async for outcome in submit(self._app, job.submission):
            job.outcomes[outcome.line] = outcome
            self._app.note("list_row", job.id, line=outcome.line)

    def _scout(self, job: Job, *, refresh: bool) -> None:
        address = read_address(job.target)
        scouting = scout_address(self._app, address, refresh=refresh, progress=job.note)
        dossier = asyncio.run(scouting)
        if dossier.publisher.domain != job.domain:
            job.moved_to = dossier.publisher.domain

    def _follow(self, job: Job) -> None:
        (added,) = self._app.add(job.target)
        if added.error is not None:
            raise added.error
        job.message = added.reason or f"{len(added.taken)} followed"
        if added.outcome not in {"added", "known"}:
            job.state = "failed"
            raise WireroomError(added.reason or "There is nothing to follow.")
