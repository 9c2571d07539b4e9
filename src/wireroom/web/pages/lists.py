"""`/lists/ID`: a list that was pasted or uploaded, with what became of each of its rows."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from wireroom.model import Event
from wireroom.ports import Fragment, WebPage
from wireroom.web.pages.jobs import no_such_job
from wireroom.web.web_context import Web, WebContext

router = APIRouter()

ENDS = frozenset({"list_done", "list_failed", "list_interrupted"})


@router.get("/lists/{job_id}", response_class=HTMLResponse)
def rows(request: Request, web: Web, job_id: str) -> Response:
    """The page."""
    after = web.app.last_event_number()
    job = web.jobs.find(job_id)
    if job is None or job.kind != "list":
        raise no_such_job()
    return web.renderer.page(request, "list.html", job=job, after=after)


def live(web: WebContext, job_id: str, event: Event) -> Fragment | None:
    """A row whose outcome is known, and the end."""
    job = web.jobs.find(job_id)
    if event.subject != job_id or job is None:
        return None
    if event.kind in ENDS:
        return Fragment(html="", is_last=True)
    row = next((row for row in job.rows if row.line == event.data.get("line")), None)
    if row is None:
        return None
    html = web.renderer.macro("list_parts.html", "list_row", row, job.outcomes.get(row.line))
    return Fragment(html=html)


def _is_known(web: WebContext, job_id: str) -> bool:
    return web.jobs.find(job_id) is not None


PLUG = WebPage(name="lists", router=router, live=live, is_known=_is_known)
