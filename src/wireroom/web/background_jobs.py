"""Work that a page starts and does not wait for: scouting and following a publisher, so many at once.

Each runs in a thread with an event loop of its own, through the same use cases as the command line: the guard of the
fetch room, leases on hosts and robots.txt hold for whatever somebody types into a form. How far it is, is written down:
a job that broke off with its server is told as interrupted by the next one, which can go on with it.
"""

from __future__ import annotations

import asyncio
from base64 import urlsafe_b64encode
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from secrets import token_urlsafe
from threading import Lock
from time import monotonic

from starlette.exceptions import HTTPException

from wireroom.app import App
from wireroom.app.add import Added, AddRequest, add_many, read_request
from wireroom.app.job_history import (
    INTERRUPTED,
    JobRecord,
    find_job,
    job_list,
    job_rows,
    last_job,
    note_job,
    save_job,
    server_name,
)
from wireroom.app.scout import read_address, scout_address
from wireroom.app.submit import Submission, read_submission, submit
from wireroom.display_text import counted
from wireroom.errors import WireroomError, kind_of_failure
from wireroom.lru import LruCache
from wireroom.web.job_view import Job, known_job, listed_job
from wireroom.web.web_problems import INNER, NOT_PUBLIC, shown_words

AT_ONCE = 3  # jobs; a scout sends up to 45 requests and reads documents in a process of its own
MAX_WAITING = 50  # jobs, those under way included
PER_MINUTE = 10  # jobs that one address may start
MINUTE = 60.0  # seconds
KEPT = 200  # jobs that are remembered with their steps; the store has the others
SHOWN_FOR = timedelta(days=1)  # what became of a job is said on its publisher's page
LAST_JOBS = 50  # among which those that broke off are looked for
ORIGIN = "options"  # where what is said of a feed was written, in messages
JOB_TIME = (
    600.0  # seconds of one scout, or of following one publisher; a list takes as long as its rows
)
CLOSING = 10.0  # seconds in which what is broken off may save what it has found
RESUMABLE = frozenset({"interrupted", "failed"})


class BackgroundJobs:
    """The work of this server, and what is known of that of others."""

    def __init__(self, app: App, *, clock: Callable[[], float] = monotonic) -> None:
        self._app = app
        self._clock = clock
        self._name = server_name()
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="job")
        self._jobs: LruCache[str, Job] = LruCache(KEPT)
        self._last: LruCache[str, Job] = LruCache(KEPT)
        self._futures: set[Future[None]] = set()
        self._running: dict[str, tuple[asyncio.AbstractEventLoop, asyncio.Task[str]]] = {}
        self._begun: LruCache[str, deque[float]] = LruCache(10_000)
        self._lock = Lock()

    # --- looking ----------------------------------------------------------------------------------

    def job(self, domain: str) -> Job | None:
        """The last job about a publisher, as it is now: a page that is being made must not see it end half-way."""
        with self._lock:
            held = self._last.get(domain)
            if held is not None:
                return held.copy()
        record = last_job(self._app, domain)
        if record is None or self._app.clock() - record.seen_at > SHOWN_FOR:
            return None
        return known_job(record)

    def find(self, job_id: str) -> Job | None:
        """The job of this id, as it is now."""
        with self._lock:
            held = self._jobs.get(job_id)
            if held is not None:
                return held.copy()
        record = find_job(self._app, job_id)
        return None if record is None else self._known(record)

    def open_jobs(self) -> list[Job]:
        """What waits or is under way."""
        with self._lock:
            return [job.copy() for job in self._jobs.values() if job.is_open]

    def interrupted(self) -> list[Job]:
        """Jobs of the last day that broke off with their server, and with which nobody went on."""
        since = self._app.clock() - SHOWN_FOR
        newest = job_list(self._app, limit=LAST_JOBS).rows
        return [
            known_job(record)
            for record in newest
            if record.state == "interrupted" and record.seen_at > since
        ]

    def _known(self, record: JobRecord) -> Job:
        """A job of which this server has no memory; of a list with its rows."""
        if record.kind != "list":
            return known_job(record)
        waiting = read_submission(record.body, filename=record.target) if record.body else None
        return listed_job(record, job_rows(self._app, record.id), waiting)

    # --- starting ---------------------------------------------------------------------------------

    def scout(self, target: str, client: str, *, refresh: bool = False, key: str = "") -> Job:
        """Starts a scout of what somebody typed; SettingsError says what is wrong with it, 429 that it is too much.

        A key stands for one request: who sends it again is given the job that it began.
        """
        return self._start(self._job("scout", target, key, refresh=refresh), client)

    def follow(
        self,
        target: str,
        client: str,
        *,
        options: Mapping[str, str] | None = None,
        key: str = "",
    ) -> Job:
        """Starts following a publisher or a feed under what it permits."""
        texts = dict(options or {})
        read_request(target, texts, ORIGIN)  # what is wrong with them is said now
        return self._start(self._job("follow", target, key, options=texts), client)

    def follow_list(self, submission: Submission, client: str, *, key: str = "") -> Job:
        """Starts following what a list names; 429 when it is too much."""
        now = self._app.clock()
        record = JobRecord(
            id=_job_id(key),
            kind="list",
            target=submission.name,
            begun_at=now,
            seen_at=now,
            holder=self._name,
            rows=len(submission.rows),
            notes=submission.notes,
            body=submission.body,
            digest=sha256(submission.body).hexdigest(),
        )
        return self._start(Job(record=record, submission=submission), client)

    def resume(self, job_id: str, client: str) -> Job:
        """Goes on with a job that broke off or failed; 404 where there is none, 409 where it has not."""
        held = self.find(job_id)
        if held is None:
            raise HTTPException(404)
        if held.is_open:
            return held
        if held.state not in RESUMABLE:
            raise HTTPException(409, "It is done; there is nothing to go on with.")
        now = self._app.clock()
        held.record = replace(
            held.record,
            state="waiting",
            message="",
            hint="",
            problem="",
            seen_at=now,
            ended_at=None,
            holder=self._name,
        )
        return self._submit(held, client)

    def close(self) -> None:
        """Takes nothing more. What waits is given up, what is under way broken off; the next server can go on with both."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            running = tuple(self._running.values())
        for loop, task in running:
            with suppress(RuntimeError):  # it ended just now
                loop.call_soon_threadsafe(task.cancel)
        wait(tuple(self._futures), CLOSING)
        for job in self.open_jobs():
            note_job(self._app, replace(job.record, state="interrupted", message=INTERRUPTED))

    def _job(
        self,
        kind: str,
        target: str,
        key: str,
        *,
        refresh: bool = False,
        options: Mapping[str, str] | None = None,
    ) -> Job:
        now = self._app.clock()
        record = JobRecord(
            id=_job_id(key),
            kind="scout" if kind == "scout" else "follow",
            target=target,
            publisher=read_address(target).domain,
            begun_at=now,
            seen_at=now,
            holder=self._name,
            refresh=refresh,
            options=options or {},
        )
        return Job(record=record)

    def _start(self, job: Job, client: str) -> Job:
        """Begins it, unless the same is under way, or was begun by the same key."""
        held = self.find(job.id)
        if held is not None:
            if not held.is_same_as(job):
                message = "This Idempotency-Key was sent with another request before."
                raise HTTPException(409, message)
            return held
        return self._submit(job, client)

    def _submit(self, job: Job, client: str) -> Job:
        with self._lock:
            for other in self._jobs.values():
                if other.is_open and other.is_same_as(job):
                    return other.copy()
            self._admit(client)
            self._jobs[job.id] = job
            if job.domain:
                self._last[job.domain] = job
        try:
            save_job(self._app, job.record)
        except WireroomError:
            with self._lock:
                self._jobs.pop(job.id)
                self._last.pop(job.domain)
            raise
        job.record = replace(job.record, body=b"")  # it is written once
        future = self._threads.submit(self._run, job)
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)
        return job.copy()

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

    # --- doing ------------------------------------------------------------------------------------

    def _run(self, job: Job) -> None:
        self._note(job, state="running")
        try:
            message = asyncio.run(self._do(job))
        except WireroomError as error:
            words, hint = shown_words(error)
            self._end(job, state="failed", message=words, hint=hint, problem=_problem(error))
        except asyncio.CancelledError:
            self._end(job, state="interrupted", message=INTERRUPTED)
        except BaseException as error:  # the page must not wait for ever; the log has the rest
            message = f"It broke off: {type(error).__name__}."
            self._end(job, state="failed", message=message, problem="internal")
            raise
        else:
            self._end(job, state="done", message=message)

    async def _do(self, job: Job) -> str:
        """Does it, so that it can be broken off; what is to be said of the outcome."""
        does = {"scout": self._scout, "follow": self._follow, "list": self._follow_rows}
        task = asyncio.ensure_future(does[job.kind](job))
        with self._lock:
            self._running[job.id] = asyncio.get_running_loop(), task
        limit = asyncio.timeout(None if job.kind == "list" else JOB_TIME)
        try:
            async with limit:
                return await task
        except TimeoutError:
            if not limit.expired():
                raise
            raise _JobTimeError from None
        finally:
            with self._lock:
                del self._running[job.id]

    def _note(self, job: Job, **changes: object) -> None:
        job.record = replace(job.record, seen_at=self._app.clock(), **changes)  # type: ignore[arg-type]
        note_job(self._app, job.record)

    def _end(self, job: Job, **changes: object) -> None:
        self._note(job, ended_at=self._app.clock(), **changes)
        if job.kind == "list":
            self._app.note(f"list_{job.state}", job.id)
        else:
            self._app.note(f"job_{job.state}", job.domain, job=job.kind, message=job.message)

    async def _follow_rows(self, job: Job) -> str:
        given = job.submission
        assert given is not None  # noqa: S101 - a list that can be begun has one
        waiting = tuple(row for row in given.rows if row.line not in job.outcomes)
        async for found in submit(self._app, replace(given, rows=waiting)):
            kind = found.added.kind if found.added is not None else ""
            outcome = replace(found, reason=NOT_PUBLIC) if kind == INNER else found
            job.outcomes[outcome.line] = outcome
            job.record = replace(job.record, seen_at=self._app.clock())
            note_job(self._app, job.record, [outcome.row()])
            self._app.note("list_row", job.id, line=outcome.line)
        return ""

    async def _scout(self, job: Job) -> str:
        address, refresh = read_address(job.record.target), job.record.refresh
        dossier = await scout_address(self._app, address, refresh=refresh, progress=job.note)
        if dossier.publisher.domain != job.domain:
            job.record = replace(job.record, moved_to=dossier.publisher.domain)
        return ""

    async def _follow(self, job: Job) -> str:
        target, texts = job.record.target, job.record.options
        request = read_request(target, texts, ORIGIN) if texts else AddRequest()
        results = [
            result async for result in add_many(self._app, [(target, request)], progress=job.note)
        ]
        added = results[0].outcome_for(target)
        if added.error is not None:
            raise added.error
        if added.outcome not in {"added", "known"}:
            raise _NothingFollowedError(added)
        count = len(added.taken)
        return added.reason or f"{counted(count, 'feed')} {'is' if count == 1 else 'are'} followed."


class _JobError(WireroomError):
    """A job that came to nothing, with what went wrong in one word."""

    problem: str


class _NothingFollowedError(_JobError):
    """Nothing of what was named is followed."""

    def __init__(self, added: Added) -> None:
        super().__init__(added.reason or "There is nothing to follow.")
        self.problem = added.kind or added.outcome


class _JobTimeError(_JobError):
    """A job took longer than it may; what it found until then is saved."""

    problem = "timeout"

    def __init__(self) -> None:
        super().__init__(f"It took more than {JOB_TIME / 60:.0f} minutes and was ended.")


def _problem(error: WireroomError) -> str:
    """What went wrong, in one word."""
    return error.problem if isinstance(error, _JobError) else kind_of_failure(error)


def _job_id(key: str) -> str:
    """The name of a new job; of a request with a key always the same, so that it begins one."""
    if not key:
        return token_urlsafe(9)
    return urlsafe_b64encode(sha256(key.encode()).digest()[:15]).decode()
