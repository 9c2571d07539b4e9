"""`/publishers/D`: the report card, its steps live while it is scouted, what changed, its feeds and articles."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Form, Path, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from markupsafe import Markup
from starlette.exceptions import HTTPException

from wireroom.app.feed_history import FeedFilter, feed_list
from wireroom.app.publisher_list import publisher_rows
from wireroom.app.scout import held_card
from wireroom.app.search import search_articles
from wireroom.export.article_text import slug
from wireroom.model import Event
from wireroom.ports import Fragment, WebPage
from wireroom.report import Card, card_body, to_html, to_json, to_markdown, to_plain
from wireroom.web.api_requests import (
    LONGEST_TAGS,
    IdempotencyKey,
    IfMatch,
    require_match,
    tag_of,
)
from wireroom.web.job_view import Job, StepLine, step_line, step_lines, step_title
from wireroom.web.pages.jobs import JobDetail, accepted
from wireroom.web.rendering import segment
from wireroom.web.web_context import Web, WebContext, client_of
from wireroom.web.web_lists import api_router

router = APIRouter()
api = api_router("publishers")

Domain = Annotated[str, Path(max_length=253, description="The publisher's domain.")]
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
        raise _unknown(domain)
    return web.renderer.page(
        request,
        "publisher.html",
        domain=domain,
        job=job,
        steps=step_lines(job) if job is not None else (),
        after=after,
        card=card,
        terms=_terms_tag(card) if card is not None else "",
        # Made by the builder of `scout --html`, which escapes whatever strangers wrote.
        card_html=Markup(card_body(card, web.clock)) if card is not None else "",  # noqa: S704
        feeds=feed_list(web.app, FeedFilter(publisher=domain)).rows,
        changes=web.app.rights_history(domain)[: -LAST_CHANGES - 1 : -1],
        articles=search_articles(web.app, f"publisher:{domain}", limit=LAST_ARTICLES).articles,
        now=web.app.clock(),
    )


@router.post("/publishers/{domain}")
def act(
    request: Request,
    web: Web,
    domain: str,
    action: Annotated[Literal["scout", "follow"], Form()],
    terms: Annotated[str, Form(max_length=LONGEST_TAGS)] = "",
) -> Response:
    """Scouts it again, or follows it under these terms: those of the card that was shown, or not at all."""
    if action == "follow":
        if terms:
            require_match(terms, _terms_tag(_card(web, domain)))
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
        raise _unknown(domain)
    return card


def _unknown(domain: str) -> HTTPException:
    return HTTPException(404, f"{domain} was not scouted yet. Name it on the start page.")


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


def _card_data(card: Card) -> dict[str, Any]:
    """The card without the moment at which it is shown: its ETag changes with what it says."""
    return to_plain(replace(card, shown_at=None))


def _terms_tag(card: Card) -> str:
    return tag_of(_card_data(card))


@api.get("/publishers/{domain}", operation_id="get_card", summary="The report card of a publisher")
def card_data(response: Response, web: Web, domain: Domain) -> dict[str, Any]:
    """What it offers and permits, with the evidence. Its ETag stands for these terms."""
    data = _card_data(_card(web, domain))
    response.headers["ETag"] = tag_of(data)
    return data


@api.post(
    "/publishers/{domain}/scout",
    operation_id="scout_publisher",
    status_code=202,
    summary="Scout a publisher",
)
def scout_data(
    request: Request,
    response: Response,
    web: Web,
    domain: Domain,
    refresh: Annotated[
        bool, Query(description="False asks only for what is not known or not fresh.")
    ] = True,
    key: IdempotencyKey = "",
) -> JobDetail:
    """Finds out what it offers and permits. One that is being scouted already is not scouted twice."""
    job = web.jobs.scout(domain, client_of(request), refresh=refresh, key=key)
    return accepted(response, job)


@api.post(
    "/publishers/{domain}/follow",
    operation_id="follow_publisher",
    status_code=202,
    summary="Follow a publisher under its terms",
)
def follow_data(
    request: Request,
    response: Response,
    web: Web,
    domain: Domain,
    if_match: IfMatch = "",
    key: IdempotencyKey = "",
) -> JobDetail:
    """With the ETag of its card as `If-Match` it is followed under the terms that you have seen, or not at all."""
    if if_match.strip():
        require_match(if_match, _terms_tag(_card(web, domain)))
    return accepted(response, web.jobs.follow(domain, client_of(request), key=key))


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


def _is_known(web: WebContext, domain: str) -> bool:
    return web.jobs.job(domain) is not None or bool(publisher_rows(web.app, [domain]))


def _line_of(job: Job | None, event: Event) -> StepLine:
    """The step of an event: in words where this server scouts, else by its outcome."""
    name, status = str(event.data.get("step", "")), event.kind.removeprefix(STEP_PREFIX)
    progress = job.steps.get(name) if job is not None else None
    if progress is not None and progress.status == status:
        return step_line(progress)
    return StepLine(name, step_title(name), status, str(event.data.get("verdict", "")))


PLUG = WebPage(name="publisher", router=router, api=api, live=live, is_known=_is_known)
