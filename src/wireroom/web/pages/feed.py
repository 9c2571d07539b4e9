"""`/feeds/ADDRESS`: one feed: thirty days, state and reason, what came of it; paused, resumed and polled by buttons."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from wireroom.app.feed_actions import edit_feed, option_texts, poll_now, try_selectors
from wireroom.app.feed_history import FeedHistory, feed_history
from wireroom.app.feeds import FollowedFeeds
from wireroom.app.waiting import wait_words
from wireroom.ports import WebPage
from wireroom.web.charts import bar_chart
from wireroom.web.page_worker import with_worker
from wireroom.web.pages.feeds import FeedRow, days_of, row_of
from wireroom.web.rendering import segment
from wireroom.web.web_context import Web, WebContext
from wireroom.web.web_lists import api_router

router = APIRouter()
api = api_router("feeds")

MOST_FIELDS = 100  # of the form; a feed has some twenty options
DONE: Final = {
    "edit": "Its options are saved.",
    "pause": "It is left alone until you resume it.",
    "resume": "It is polled again, by the next run at once.",
    "poll": "It is due now: the next run polls it.",
}


def _held(web: WebContext, url: str) -> FeedHistory:
    found = feed_history(web.app, url)
    if found is None:
        raise HTTPException(404)
    return found


@router.get("/feeds/{url:path}", response_class=HTMLResponse)
def feed(request: Request, web: Web, url: str, done: str = "") -> Response:
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
        options=option_texts(found.feed),
        done=DONE.get(done, ""),
        now=web.app.clock(),
    )


@api.get("/feed", summary="One feed, by its address")
def feed_data(web: Web, url: str) -> FeedRow:
    """One feed, by its address."""
    return row_of(_held(web, url))


@router.post("/feeds/{url:path}", response_class=HTMLResponse)
async def act(request: Request, web: Web, url: str) -> Response:
    """Pauses, resumes or polls it, changes its options, or tries them on a kept page."""
    async with request.form(max_files=0, max_fields=MOST_FIELDS) as form:
        texts = {name: value for name, value in form.items() if isinstance(value, str)}
    return await run_in_threadpool(_act, request, web, url, texts)


def _act(request: Request, web: WebContext, url: str, texts: dict[str, str]) -> Response:
    found = _held(web, url)
    action = texts.pop("action", "")
    which = texts.pop("article", "").strip()
    if action == "try":
        return _tried(request, web, found, which, texts)
    if action == "edit":
        edit_feed(web.app, found.feed.url, texts)
    elif action == "pause":
        web.app.pause(found.feed.url)
    elif action == "resume":
        web.app.resume(found.feed.url)
    elif action == "poll":
        poll_now(web.app, found.feed.url)
    else:
        raise HTTPException(400, "There is no such button.")
    return RedirectResponse(f"/feeds/{segment(found.feed.url)}?done={action}", status_code=303)


def _tried(
    request: Request, web: WebContext, found: FeedHistory, which: str, texts: dict[str, str]
) -> Response:
    """How a kept page would read with these options; nothing is saved."""
    trial = with_worker(web.app, lambda engine: try_selectors(engine, web.app, which, texts))
    if trial is None:
        raise HTTPException(
            400, "The page of that article is not kept, or there is no such article."
        )
    return web.renderer.page(
        request, "trial.html", found=found, trial=trial, article=which, texts=texts
    )


PLUG = WebPage(name="feed", router=router, api=api)
