"""`/feeds/ADDRESS`: one feed: thirty days, state and reason, what came of it; paused, resumed and polled by buttons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from wireroom.app.feed_actions import (
    Read,
    SelectorTrial,
    edit_feed,
    option_texts,
    poll_now,
    try_selectors,
)
from wireroom.app.feed_history import FeedHistory, feed_history
from wireroom.app.feeds import FollowedFeeds
from wireroom.app.run_overview import COUNTS_SAVED
from wireroom.app.waiting import wait_words
from wireroom.model import Event, Feed, FeedKind
from wireroom.ports import Fragment, WebPage
from wireroom.web.api_requests import (
    LONGEST_URL,
    FeedUrl,
    IdempotencyKey,
    IfMatch,
    OptionValues,
    option_values,
    require_match,
    tag_of,
)
from wireroom.web.charts import bar_chart
from wireroom.web.page_worker import with_worker
from wireroom.web.pages.feeds import FeedRow, days_of, row_of
from wireroom.web.pages.jobs import JobDetail, accepted
from wireroom.web.rendering import segment
from wireroom.web.web_context import Web, WebContext, client_of
from wireroom.web.web_lists import api_router

router = APIRouter()
api = api_router("feeds")

MOST_FIELDS = 100  # of the form; a feed has some twenty options
RUN_EVENTS: Final = frozenset({COUNTS_SAVED, "run_ended"})
"""Events after which a feed may have been polled; of a poll that changed nothing there is no event."""
DONE: Final = {
    "edit": "Its options are saved.",
    "pause": "It is left alone until you resume it.",
    "resume": "It is polled again, by the next run at once.",
    "poll": "It is due now: the next run polls it.",
}


def _held(web: WebContext, url: str) -> FeedHistory:
    found = feed_history(web.app, url)
    if found is None:
        raise HTTPException(404, "No feed is followed at that address.")
    return found


@router.get("/feeds/{url:path}", response_class=HTMLResponse)
def feed(request: Request, web: Web, url: str, done: str = "") -> Response:
    """The page."""
    after = web.app.last_event_number()
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
        after=after,
        now=web.app.clock(),
    )


@api.get("/feed", operation_id="get_feed", summary="One feed, by its address")
def feed_data(web: Web, url: FeedUrl) -> FeedRow:
    """How it does: state and reason, thirty days, next poll and why."""
    return row_of(_held(web, url))


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedOptionsData:
    """The options of one feed."""

    url: str
    options: OptionValues
    """Null for one that is at its default."""


class NewFeed(BaseModel):
    """A publisher or a feed to follow."""

    model_config = ConfigDict(extra="forbid")

    address: str = Field(
        min_length=1, max_length=LONGEST_URL, description="A publisher's domain or page, or a feed."
    )
    kind: FeedKind | None = Field(
        default=None, description="The format of a feed, where it is to be believed unseen."
    )
    options: OptionValues = Field(default_factory=OptionValues)

    def texts(self) -> dict[str, str]:
        """What is said of it, as a list has it."""
        return self.options.texts() | ({"kind": self.kind} if self.kind else {})


class SelectorRequest(BaseModel):
    """Options to be tried on a kept page."""

    model_config = ConfigDict(extra="forbid")

    article: str = Field(min_length=1, max_length=100, description="The id of an article.")
    options: OptionValues


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectorResult:
    """How a kept page reads, and would read with other options."""

    url: str
    before: Read
    after: Read
    matched: Mapping[str, str]
    """What each selector found on the page; empty for nothing."""
    problem: str = ""
    """Why the page could not be read at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedFeed:
    """A feed that is followed no more."""

    url: str
    name: str
    articles: int
    """Articles that went with it."""
    pages: int
    """Pages of it that were not read yet."""


@api.post(
    "/feeds",
    operation_id="follow_feed",
    status_code=202,
    summary="Follow a publisher or a feed",
)
def follow_feed(
    request: Request, response: Response, web: Web, new: NewFeed, key: IdempotencyKey = ""
) -> JobDetail:
    """What stands at the address is looked at, its publisher is scouted, and what may be followed is followed."""
    job = web.jobs.follow(new.address, client_of(request), options=new.texts(), key=key)
    return accepted(response, job)


def _options_of(response: Response, feed: Feed) -> FeedOptionsData:
    data = FeedOptionsData(url=feed.url, options=option_values(feed))
    response.headers["ETag"] = _options_tag(feed)
    return data


def _options_tag(feed: Feed) -> str:
    return tag_of((feed.url, option_values(feed).model_dump()))


@api.get("/feed/options", operation_id="get_feed_options", summary="The options of a feed")
def feed_options(response: Response, web: Web, url: FeedUrl) -> FeedOptionsData:
    """Its options; the ETag changes with them alone, whatever is polled meanwhile."""
    return _options_of(response, _held(web, url).feed)


@api.patch("/feed/options", operation_id="edit_feed_options", summary="Edit the options of a feed")
def edit_feed_options(
    response: Response, web: Web, url: FeedUrl, options: OptionValues, if_match: IfMatch = ""
) -> FeedOptionsData:
    """Options that are not named stay; null sets one to its default."""
    feed = _held(web, url).feed
    require_match(if_match, _options_tag(feed))
    return _options_of(response, edit_feed(web.app, feed.url, options.texts()).feed)


@api.post("/feed/trial", operation_id="try_feed_options", summary="Try options on a kept page")
def try_feed_options(web: Web, url: FeedUrl, tried: SelectorRequest) -> SelectorResult:
    """How the kept page of an article would read with these options; nothing is saved."""
    _held(web, url)
    trial = _trial(web, tried.article, tried.options.texts())
    return SelectorResult(
        url=trial.url,
        before=trial.before,
        after=trial.after,
        matched=trial.matched,
        problem=trial.problem,
    )


@api.post("/feed/pause", operation_id="pause_feed", summary="Pause a feed")
def pause_feed(web: Web, url: FeedUrl) -> FeedRow:
    """It is not polled until it is resumed."""
    web.app.pause(_held(web, url).feed.url)
    return row_of(_held(web, url))


@api.post("/feed/resume", operation_id="resume_feed", summary="Resume a feed")
def resume_feed(web: Web, url: FeedUrl) -> FeedRow:
    """The next run polls it at once, whatever had become of it."""
    web.app.resume(_held(web, url).feed.url)
    return row_of(_held(web, url))


@api.post("/feed/poll", operation_id="poll_feed", summary="Poll a feed now")
def poll_feed(web: Web, url: FeedUrl) -> FeedRow:
    """The next run polls it; `next_why` says what it waits for until then. 400 for one that is paused."""
    poll_now(web.app, _held(web, url).feed.url)
    return row_of(_held(web, url))


@api.delete("/feed", operation_id="remove_feed", summary="Stop following a feed, and forget it")
def remove_feed(
    web: Web,
    url: FeedUrl,
    articles: Annotated[bool, Query(description="With all articles that came by it.")] = False,
) -> RemovedFeed:
    """Its articles stay unless that is asked for. One that also stands in wireroom.toml comes back with the next sync."""
    feed = _held(web, url).feed
    followed = FollowedFeeds(web.app)
    (stats,) = followed.of([feed])
    gone = followed.remove(feed, articles=articles)
    return RemovedFeed(url=feed.url, name=feed.name, articles=gone, pages=stats.unread)


@router.post("/feeds/{url:path}", response_class=HTMLResponse)
async def act(request: Request, web: Web, url: str) -> Response:
    """Pauses, resumes or polls it, changes its options, or tries them on a kept page."""
    async with request.form(max_files=0, max_fields=MOST_FIELDS) as form:
        texts = {name: value for name, value in form.items() if isinstance(value, str)}
    return await run_in_threadpool(_act, web, url, texts)


def _act(web: WebContext, url: str, texts: dict[str, str]) -> Response:
    found = _held(web, url)
    action = texts.pop("action", "")
    which = texts.pop("article", "").strip()
    if action == "try":
        return RedirectResponse(_trial_address(found.feed, which, texts), status_code=303)
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


def _trial_address(feed: Feed, which: str, texts: Mapping[str, str]) -> str:
    """Where the trial of these options is shown: with those alone that are other than now, and no secret."""
    now = {option.name: option for option in option_texts(feed)}
    tried = {
        name: text.strip()
        for name, text in texts.items()
        if name not in now or (text.strip() != now[name].text and not now[name].secret)
    }
    return "/trial?" + urlencode({"feed": feed.url, "article": which, **tried})


@router.get("/trial", response_class=HTMLResponse)
def trial(
    request: Request,
    web: Web,
    url: Annotated[str, Query(alias="feed", max_length=LONGEST_URL)] = "",
    article: Annotated[str, Query(max_length=100)] = "",
) -> Response:
    """How the kept page of an article would read with the options that the address names; nothing is saved."""
    found = _held(web, url)
    texts = {
        name: text for name, text in request.query_params.items() if name not in {"feed", "article"}
    }
    return web.renderer.page(
        request,
        "trial.html",
        found=found,
        trial=_trial(web, article, texts),
        texts=texts,
    )


def _trial(web: WebContext, which: str, texts: dict[str, str]) -> SelectorTrial:
    trial = with_worker(web.app, lambda engine: try_selectors(engine, web.app, which, texts))
    if trial is None:
        raise HTTPException(
            400, "The page of that article is not kept, or there is no such article."
        )
    return trial


def live(web: WebContext, url: str, event: Event) -> Fragment | None:
    """How it does, whenever a run saved what it did, or somebody did something to it."""
    if event.kind not in RUN_EVENTS and event.subject != url:
        return None
    found = feed_history(web.app, url)
    if found is None:  # it is followed no more
        return Fragment(html="", is_last=True)
    macro = web.renderer.macro("feed_parts.html", "how_it_does", found, wait_words, web.app.clock())
    return Fragment(html=macro)


def _is_known(web: WebContext, url: str) -> bool:
    return feed_history(web.app, url) is not None


PLUG = WebPage(
    name="feed", router=router, api=api, live=live, live_whole=RUN_EVENTS, is_known=_is_known
)
