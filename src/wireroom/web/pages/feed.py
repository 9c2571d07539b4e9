"""`/feeds/ADDRESS`: one feed: thirty days, state and reason, what came of it; paused, resumed and polled by buttons."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.exceptions import HTTPException

from wireroom.app.feed_history import FeedHistory, feed_history
from wireroom.app.feeds import FollowedFeeds
from wireroom.app.waiting import wait_words
from wireroom.ports import WebPage
from wireroom.web.charts import bar_chart
from wireroom.web.pages.feeds import FeedRow, days_of, row_of
from wireroom.web.rendering import segment
from wireroom.web.web_context import Web, WebContext
from wireroom.web.web_lists import api_router

router = APIRouter()
api = api_router("feeds")


def _held(web: WebContext, url: str) -> FeedHistory:
    found = feed_history(web.app, url)
    if found is None:
        raise HTTPException(404)
    return found


@router.get("/feeds/{url:path}", response_class=HTMLResponse)
def feed(request: Request, web: Web, url: str) -> Response:
    """The page."""
    found = _held(web, url)
    if found.feed.url != url:  # it has moved; its page has, too
        return RedirectResponse(f"/feeds/{segment(found.feed.url)}", status_code=303)
    view = FollowedFeeds(web.app).view(found.feed)
    words = f"Items a day over {len(found.days)} days, with the band that was to be expected"
    return web.renderer.page(
        request,
        "feed.html",
        found=found,
        view=view,
        chart=bar_chart(days_of(found), words),
        wait_words=wait_words,
        now=web.app.clock(),
    )


@api.get("/feed", summary="One feed, by its address")
def feed_data(web: Web, url: str) -> FeedRow:
    """One feed, by its address."""
    return row_of(_held(web, url))


@router.post("/feeds/{url:path}")
def act(
    web: Web, url: str, action: Annotated[Literal["pause", "resume", "poll"], Form()]
) -> Response:
    """Pauses it, resumes it, or has it polled by the next run at once."""
    found = _held(web, url)
    if action == "pause":
        web.app.pause(found.feed.url)
    else:
        web.app.resume(found.feed.url)
    return RedirectResponse(f"/feeds/{segment(found.feed.url)}", status_code=303)


PLUG = WebPage(name="feed", router=router, api=api)
