"""`/publishers/D`: the report card, its steps live while it is scouted, what changed, its feeds and articles."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from markupsafe import Markup
from starlette.exceptions import HTTPException

from wireroom.app.feed_history import FeedFilter, feed_list
from wireroom.app.scout import held_card
from wireroom.export.article_text import slug
from wireroom.model import Event
from wireroom.ports import Fragment, WebPage
from wireroom.report import Card, card_body, to_html, to_json, to_markdown, to_plain
from wireroom.web.job_view import Job, StepLine, step_line, step_lines, step_title
from wireroom.web.rendering import segment
from wireroom.web.web_context import Web, WebContext, client_of
from wireroom.web.web_lists import api_router

router = APIRouter()
api = api_router("publishers")

LAST_ARTICLES = 20
LAST_CHANGES = 30  # of its rights, the last one first
STEP_PREFIX = "step_"
ENDS = frozenset({"job_done", "job_failed", "job_interrupted"})


@router.get("/publishers/{domain}", response_class=HTMLResponse)
def publisher(request: Request, web: Web, domain: str) -> Response:
    """The page."""
    after = web.app.last_event_number()  # before anything is read: nothing is missed in between
    job = web.jobs.job(domain)
    if job is not None and job.moved_to and not job.is_open:
        return RedirectResponse(f"/publishers/{segment(job.moved_to)}", status_code=303)
    card = held_card(web.app, domain)
    if card is None and job is None:
        raise HTTPException(404)
    return web.renderer.page(
        request,
        "publisher.html",
        domain=domain,
        job=job,
        steps=step_lines(job) if job is not None else (),
        after=after,
        card=card,
        # Made by the builder of `scout --html`, which escapes whatever strangers wrote.
        card_html=Markup(card_body(card, web.clock)) if card is not None else "",  # noqa: S704
        feeds=feed_list(web.app, FeedFilter(publisher=domain)).rows,
        changes=web.app.rights_history(domain)[: -LAST_CHANGES - 1 : -1],
        articles=tuple(islice(web.app.articles(f"publisher:{domain}"), LAST_ARTICLES)),
        now=web.app.clock(),
    )


@router.post("/publishers/{domain}")
def act(
    request: Request, web: Web, domain: str, action: Annotated[Literal["scout", "follow"], Form()]
) -> Response:
    """Scouts it again, or follows it under these terms."""
    if action == "follow":
        web.jobs.follow(domain, client_of(request))
    else:
        web.jobs.scout(domain, client_of(request), refresh=True)
    return RedirectResponse(f"/publishers/{segment(domain)}", status_code=303)


CARDS: Final = {
    "html": (to_html, "text/html; charset=utf-8"),
    "md": (to_markdown, "text/markdown; charset=utf-8"),
}


def _card(web: WebContext, domain: str) -> Card:
    card = held_card(web.app, domain)
    if card is None:
        raise HTTPException(404)
    return card


@router.get("/publishers/{domain}/card.{form}")
def download(web: Web, domain: str, form: Literal["html", "json", "md"]) -> Response:
    """The card as a file that needs nothing else."""
    card = _card(web, domain)
    name = f"{slug(domain)}.{form}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    if form == "json":
        return Response(to_json(card), media_type="application/json", headers=headers)
    write, kind = CARDS[form]
    return Response(write(card, web.clock), media_type=kind, headers=headers)


@api.get("/publishers/{domain}", summary="The report card of a publisher")
def card_data(web: Web, domain: str) -> dict[str, Any]:
    """The report card of a publisher."""
    return to_plain(_card(web, domain))


def live(web: WebContext, domain: str, event: Event) -> Fragment | None:
    """A step that began or ended, and the end of the job."""
    if event.subject != domain:
        return None
    if event.kind in ENDS:
        return Fragment(html="", is_last=True)
    if not event.kind.startswith(STEP_PREFIX):
        return None
    line = _line_of(web.jobs.job(domain), event)
    html = web.renderer.macro(
        "step.html", "step_line", line.name, line.title, line.status, line.words
    )
    return Fragment(html=html)


def _line_of(job: Job | None, event: Event) -> StepLine:
    """The step of an event: in words where this server scouts, else by its outcome."""
    name, status = str(event.data.get("step", "")), event.kind.removeprefix(STEP_PREFIX)
    progress = job.steps.get(name) if job is not None else None
    if progress is not None and progress.status == status:
        return step_line(progress)
    return StepLine(name, step_title(name), status, str(event.data.get("verdict", "")))


PLUG = WebPage(name="publisher", router=router, api=api, live=live)
