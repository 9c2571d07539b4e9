"""`/feeds`: what is followed, how each feed does, thirty days of it, when it is polled next and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from wireroom.app.feed_history import FeedFilter, FeedHistory, FeedList, FeedListOrder, feed_list
from wireroom.app.feeds import FeedHealth
from wireroom.model import USES, Use, Word
from wireroom.ports import WebPage
from wireroom.web.charts import Bar, sparkline
from wireroom.web.rendering import with_query
from wireroom.web.web_context import Web
from wireroom.web.web_lists import (
    PAGE_SIZE,
    ActiveFilter,
    Cursor,
    Limit,
    Rows,
    Typed,
    add_data_routes,
    api_router,
)

router = APIRouter()
api = api_router("feeds")

STATES: Final[tuple[FeedHealth, ...]] = (
    "live",
    "failing",
    "refused",
    "silent",
    "resting",
    "paused",
    "gone",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedRow:
    """One feed as data."""

    url: str
    title: str
    publisher: str
    kind: str
    state: str
    """With failing and refused: live, and none of its pages gives an article."""
    reason: str = ""
    rhythm: str = ""
    items_per_day: Sequence[int] = ()
    """Of the last thirty days, today last."""
    newest_at: datetime | None = None
    """When its newest item was published, by its own date."""
    new_at: datetime | None = None
    """When it last brought something new to us."""
    polled_at: datetime | None = None
    next_at: datetime | None = None
    next_why: str = ""
    failures: int = 0
    reliability: float | None = None
    quality: float | None = None
    """Of what its pages gave, 0 to 1."""
    copies: float | None = None
    paywalled: float | None = None
    rights: Mapping[Use, Word] = field(default_factory=dict)


def row_of(history: FeedHistory) -> FeedRow:
    """A feed as data."""
    wait = history.wait
    return FeedRow(
        url=history.feed.url,
        title=history.feed.title,
        publisher=history.feed.publisher,
        kind=history.feed.kind,
        state=history.health,
        reason=history.reason,
        rhythm=history.rhythm,
        items_per_day=tuple(day.items for day in history.days),
        newest_at=history.newest_at,
        new_at=history.new_at,
        polled_at=history.polled_at,
        next_at=wait.until if wait is not None else None,
        next_why=history.because,
        failures=history.failures,
        reliability=history.reliability,
        quality=history.quality,
        copies=history.copies,
        paywalled=history.paywalled,
        rights=history.rights,
    )


def days_of(history: FeedHistory) -> list[Bar]:
    """The last days of a feed as bars with what was to be expected."""
    return [Bar(f"{day.day:%d %b}", day.items, day.low, day.high) for day in history.days]


def spark_of(history: FeedHistory) -> Markup:
    """Thirty days in a few pixels, and in words."""
    total = sum(day.items for day in history.days)
    words = f"{total} items in {len(history.days)} days; {history.rhythm or 'rhythm not known'}"
    return sparkline(days_of(history), words)


def find_feeds(
    web: Web,
    q: Typed = "",
    publisher: Annotated[str, Query(max_length=253)] = "",
    state: Annotated[
        FeedHealth | None,
        Query(description="Failing and refused: live, and no page gives an article."),
    ] = None,
    sort: FeedListOrder = "publisher",
    cursor: Cursor = "",
    limit: Limit = PAGE_SIZE,
) -> FeedList:
    """Feeds that match, one page of them."""
    chosen = FeedFilter(text=q.strip(), publisher=publisher.strip().lower())
    return feed_list(web.app, chosen, health=state, order=sort, cursor=cursor, limit=limit)


def rows_of(found: Annotated[FeedList, Depends(find_feeds)]) -> Rows[FeedRow]:
    """Feeds that are followed, and how each does."""
    return Rows(rows=tuple(map(row_of, found.rows)), next=found.next)


@router.get("/feeds", response_class=HTMLResponse)
def feeds(request: Request, web: Web, found: Annotated[FeedList, Depends(find_feeds)]) -> Response:
    """The page."""
    return web.renderer.page(
        request,
        "feeds.html",
        found=found,
        filters=tuple(_active(dict(request.query_params))),
        states=STATES,
        spark=spark_of,
        uses=USES,
        now=web.app.clock(),
    )


def _active(shown: Mapping[str, str]) -> Iterator[ActiveFilter]:
    """What the list is filtered by, each to be taken out by a link."""
    words = {"q": "with {} in address or title", "publisher": "publisher {}", "state": "state {}"}
    for name, text in words.items():
        if value := shown.get(name, "").strip():
            url = with_query(shown, **{name: "", "cursor": ""})
            yield ActiveFilter(words=text.format(value), url=f"/feeds{url}")


add_data_routes(router, api, "/feeds", rows_of, FeedRow)

PLUG = WebPage(name="feeds", router=router, api=api, title="Feeds", path="/feeds", order=30)
