"""`/`: one box for an address, what needs attention, the newest stories, the state of the run."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from wireroom.app.attention import attention
from wireroom.app.search import search_articles
from wireroom.model import Event
from wireroom.ports import Fragment, WebPage
from wireroom.web.rendering import segment
from wireroom.web.web_context import Web, WebContext, client_of
from wireroom.web.web_lists import LONGEST_TEXT

router = APIRouter()

NEWEST = 12  # stories


@router.get("/", response_class=HTMLResponse)
def start(request: Request, web: Web) -> Response:
    """The page."""
    after = web.app.last_event_number()
    return web.renderer.page(
        request,
        "start.html",
        attention=attention(web.app),
        newest=search_articles(web.app, limit=NEWEST).articles,
        jobs=web.jobs.open_jobs(),
        after=after,
        now=web.app.clock(),
    )


@router.post("/")
def submit(
    request: Request, web: Web, address: Annotated[str, Form(max_length=LONGEST_TEXT)]
) -> Response:
    """Scouts what was typed; its page shows how it goes."""
    job = web.jobs.scout(address.strip(), client_of(request))
    return RedirectResponse(f"/publishers/{segment(job.domain)}", status_code=303)


def live(web: WebContext, _subject: str, event: Event) -> Fragment | None:
    """The newest stories, whenever some were saved."""
    if event.kind != "articles_saved":
        return None
    newest = search_articles(web.app, limit=NEWEST).articles
    html = web.renderer.macro("start_parts.html", "stories", newest, web.app.clock())
    return Fragment(html=html)


PLUG = WebPage(name="start", router=router, title="Start", path="/", order=10, live=live)
