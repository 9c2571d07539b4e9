"""`/jobs`: what a server does in the background; an address or a list submitted, asked about, gone on with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from wireroom.app.job_history import JobKind, JobRecord, JobRow, JobState, job_list
from wireroom.app.submit import MAX_BYTES, Submission, read_submission
from wireroom.ports import WebPage
from wireroom.web.api_requests import IdempotencyKey
from wireroom.web.job_view import Job, StepLine, step_lines
from wireroom.web.rendering import segment
from wireroom.web.web_context import Web, WebContext, client_of
from wireroom.web.web_lists import PAGE_SIZE, Cursor, Limit, Rows, api_router

router = APIRouter()
api = api_router("jobs")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSummary:
    """One job as data."""

    id: str
    kind: JobKind
    state: JobState
    """Interrupted: its server ended before it was done; somebody may go on with it."""
    target: str
    """What was named; of a list, the name of its file."""
    publisher: str = ""
    """Its domain; empty for a list."""
    message: str = ""
    """Why it failed, or what came of it."""
    hint: str = ""
    problem: str = ""
    """Of one that failed: the kind of problem, as the command line names it."""
    moved_to: str = ""
    """Where the publisher is, if that is another domain."""
    begun_at: datetime
    ended_at: datetime | None = None
    rows: int = 0
    """Of a list: how many it has."""
    notes: Sequence[str] = ()
    """What is to be said of a list as a whole."""
    url: str
    """Where to ask for it again."""
    page: str
    """Where people see it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobDetail(JobSummary):
    """One job with its steps or rows."""

    steps: Sequence[StepLine] = ()
    """Of a scout that this server does: its steps so far."""
    outcomes: Sequence[JobRow] = ()
    """Of a list: the rows of which it is known what became of them, by line."""


def page_of(record: JobRecord) -> str:
    """The page that shows a job."""
    if record.kind == "list":
        return f"/lists/{segment(record.id)}"
    return f"/publishers/{segment(record.moved_to or record.publisher)}"


def summary_of(record: JobRecord) -> JobSummary:
    """A job as data."""
    return JobSummary(**_fields(record))


def detail_of(job: Job) -> JobDetail:
    """A job with all that is known of it."""
    outcomes = sorted(job.outcomes.values(), key=lambda outcome: outcome.line)
    return JobDetail(
        **_fields(job.record),
        steps=step_lines(job),
        outcomes=tuple(outcome.row() for outcome in outcomes),
    )


def _fields(record: JobRecord) -> dict[str, Any]:
    same = ("id", "kind", "state", "target", "publisher", "message", "hint", "problem")
    more = ("moved_to", "begun_at", "ended_at", "rows", "notes")
    held = {name: getattr(record, name) for name in (*same, *more)}
    return {**held, "url": f"/api/v1/jobs/{segment(record.id)}", "page": page_of(record)}


def accepted(response: Response, job: Job) -> JobDetail:
    """What is answered to whoever began a job: where to ask what became of it."""
    response.headers["Location"] = f"/api/v1/jobs/{segment(job.id)}"
    return detail_of(job)


def find_jobs(
    web: Web,
    publisher: Annotated[
        str, Query(max_length=253, description="Those about this publisher.")
    ] = "",
    cursor: Cursor = "",
    limit: Limit = PAGE_SIZE,
) -> Rows[JobSummary]:
    """Jobs of all servers on this database, the last begun first."""
    found = job_list(web.app, publisher=publisher.strip().lower(), cursor=cursor, limit=limit)
    return Rows(rows=tuple(map(summary_of, found.rows)), next=found.next)


@api.get("/jobs", operation_id="list_jobs", summary="What is done in the background")
def jobs(found: Annotated[Rows[JobSummary], Depends(find_jobs)]) -> Rows[JobSummary]:
    """Scouts, publishers and lists that are followed, the last begun first. The newest thousand are remembered."""
    return found


def _held(web: WebContext, job_id: str) -> Job:
    found = web.jobs.find(job_id)
    if found is None:
        raise no_such_job()
    return found


def no_such_job() -> HTTPException:
    """404, with how long a job is remembered."""
    return HTTPException(404, "There is no such job; the newest thousand are remembered.")


@api.get("/jobs/{job_id}", operation_id="get_job", summary="One job, and how far it is")
def job(web: Web, job_id: str) -> JobDetail:
    """Ask again while its state is `waiting` or `running`."""
    return detail_of(_held(web, job_id))


@api.post(
    "/jobs/{job_id}/resume",
    operation_id="resume_job",
    status_code=202,
    summary="Go on with a job that broke off or failed",
)
def resume_job(request: Request, response: Response, web: Web, job_id: str) -> JobDetail:
    """Rows of a list that have an outcome are not asked again. 409 for a job that is done."""
    return accepted(response, web.jobs.resume(job_id, client_of(request)))


class NewSubmission(BaseModel):
    """What somebody wants to follow, as the box of the pages takes it."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(
        min_length=1, max_length=MAX_BYTES, description="An address, lines of them, OPML, or CSV."
    )
    name: str = Field(
        default="", max_length=200, description="Of a file: its name, which ends in .csv or .opml."
    )


LIST_NAMES: Final = {
    "text/plain": "",
    "text/csv": "list.csv",
    "text/x-opml": "list.opml",
    "text/xml": "list.opml",
    "application/xml": "list.opml",
}
"""How a list that is sent as it is counts as a file, by its media type."""


@api.post(
    "/submissions",
    operation_id="submit",
    status_code=202,
    summary="Submit an address or a list",
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": NewSubmission.model_json_schema()},
                **{kind: {"schema": {"type": "string"}} for kind in LIST_NAMES},
            },
        }
    },
)
async def submit_data(
    request: Request, response: Response, web: Web, key: IdempotencyKey = ""
) -> JobDetail:
    """One address is scouted and not followed yet; a list is followed row by row, at most 5 MB and 5,000 rows of it."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and kind not in LIST_NAMES:
        message = f"Expected one of: application/json, {', '.join(LIST_NAMES)}."
        raise HTTPException(415, message)
    body = await request.body()
    return await run_in_threadpool(_submit, request, response, web, body, kind, key)


def _submit(
    request: Request, response: Response, web: WebContext, body: bytes, kind: str, key: str
) -> JobDetail:
    name = LIST_NAMES.get(kind, "")
    text: str | bytes = body
    if kind == "application/json":
        try:
            given = NewSubmission.model_validate_json(body)
        except ValidationError as error:
            raise RequestValidationError(error.errors()) from error
        text, name = given.text, given.name
    return accepted(response, begin(web, read_submission(text, filename=name), request, key=key))


def begin(web: WebContext, given: Submission, request: Request, *, key: str = "") -> Job:
    """One address is looked at first; a list is followed, with an outcome for each row."""
    if given.kind == "address":
        return web.jobs.scout(given.rows[0].target, client_of(request), key=key)
    return web.jobs.follow_list(given, client_of(request), key=key)


@router.get("/jobs/{job_id}")
def job_page(web: Web, job_id: str) -> Response:
    """Leads to the page that shows it."""
    return RedirectResponse(page_of(_held(web, job_id).record), status_code=303)


@router.post("/jobs/{job_id}/resume")
def go_on(request: Request, web: Web, job_id: str) -> Response:
    """Goes on with it."""
    resumed = web.jobs.resume(job_id, client_of(request))
    return RedirectResponse(page_of(resumed.record), status_code=303)


PLUG = WebPage(name="jobs", router=router, api=api)
