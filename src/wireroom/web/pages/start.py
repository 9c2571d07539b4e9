"""`/`: one box for an address, what needs attention, the newest stories, the state of the run."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from wireroom.ports import WebPage
from wireroom.web.rendering import segment
from wireroom.web.web_context import Web, client_of
from wireroom.web.web_lists import LONGEST_TEXT

router = APIRouter()

NEWEST = 12  # stories


@router.get("/", response_class=HTMLResponse)
def start(request: Request, web: Web) -> Response:
    """The page."""
    return web.renderer.page(
        request,
        "start.html",
        now=web.app.clock(),
        newest=tuple(islice(web.app.articles(), NEWEST)),
        jobs=web.scouts.open_jobs(),
    )


@router.post("/")
def submit(
    request: Request, web: Web, address: Annotated[str, Form(max_length=LONGEST_TEXT)]
) -> Response:
    """Scouts what was typed; its page shows how it goes."""
    job = web.scouts.scout(address.strip(), client_of(request))
    return RedirectResponse(f"/publishers/{segment(job.domain)}", status_code=303)


PLUG = WebPage(name="start", router=router, title="Start", path="/", order=10)
