"""`/`: one box for an address, what needs attention, the newest stories, the state of the run."""

from __future__ import annotations

from functools import partial
from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException

from wireroom.app.attention import attention
from wireroom.app.run_overview import COUNTS_SAVED
from wireroom.app.search import newest_stories
from wireroom.app.submit import Submission, read_submission
from wireroom.model import Event
from wireroom.ports import Fragment, WebPage
from wireroom.web.guards import MAX_UPLOAD
from wireroom.web.pages import lists, publisher
from wireroom.web.pages.jobs import begin, page_of
from wireroom.web.web_context import Web, WebContext

router = APIRouter()

NEWEST = 12  # stories
CHANGES_ATTENTION: Final = frozenset(
    {COUNTS_SAVED, "run_started", "run_ended", *publisher.ENDS, *lists.ENDS}
)
"""Events after which something else may need attention. A run saves its counts every few seconds while it works: what became of single feeds is seen then, however many there are."""


@router.get("/", response_class=HTMLResponse)
def start(request: Request, web: Web) -> Response:
    """The page."""
    after = web.app.last_event_number()
    return web.renderer.page(
        request,
        "start.html",
        attention=attention(web.app),
        newest=newest_stories(web.app, limit=NEWEST),
        jobs=web.jobs.open_jobs(),
        interrupted=web.jobs.interrupted(),
        after=after,
        now=web.app.clock(),
    )


@router.post("/")
async def take(request: Request, web: Web) -> Response:
    """Scouts the address that was typed, or follows the list that was pasted or uploaded."""
    async with request.form(max_files=1, max_fields=5, max_part_size=MAX_UPLOAD) as form:
        given = await _given(form)
    job = await run_in_threadpool(begin, web, given, request)
    return RedirectResponse(page_of(job.record), status_code=303)


async def _given(form: FormData) -> Submission:
    """What was typed, pasted or chosen."""
    address, file = form.get("address"), form.get("file")
    if isinstance(file, UploadFile) and file.filename:
        body = await file.read(MAX_UPLOAD + 1)
        return await run_in_threadpool(read_submission, body, filename=file.filename)
    if isinstance(address, str) and address.strip():
        return await run_in_threadpool(read_submission, address)
    raise HTTPException(400, "Name a publisher, or choose a list.")


def live(web: WebContext, _subject: str, event: Event) -> Fragment | None:
    """The newest stories, whenever some were saved; what needs attention, and what is under way, whenever that may have changed."""
    now, macro = web.app.clock(), partial(web.renderer.macro, "start_parts.html")
    if event.kind == "articles_saved":
        return Fragment(html=macro("stories", newest_stories(web.app, limit=NEWEST), now))
    if event.kind in CHANGES_ATTENTION:
        jobs = macro("job_notes", web.jobs.open_jobs(), web.jobs.interrupted())
        return Fragment(html=jobs + macro("needs", attention(web.app), now))
    return None


PLUG = WebPage(
    name="start",
    router=router,
    title="Start",
    path="/",
    order=10,
    live=live,
    live_whole=frozenset({"articles_saved", *CHANGES_ATTENTION}),
)
