"""The documents that several steps and signals read: the homepage, robots.txt, the page in question, a sample article.

Each is asked for once per scout and read once, in a worker. Whoever cannot have one gets the FetchError of the
one request there was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final, Literal, TypeVar
from urllib.parse import urlsplit

from wireroom.errors import (
    FetchError,
    GoneError,
    ParseError,
    StatusError,
)
from wireroom.model import (
    Evidence,
    FeedDocument,
    Priority,
    Request,
    Response,
)
from wireroom.parse.links import PageLinks
from wireroom.parse.robots import Robots, opens_host, read_robots
from wireroom.ports import CostlyDocumentError, StepContext
from wireroom.signals.page_reading import (
    PageReading,
    read_article_page,
    read_feed_outline,
    read_front_page,
)

T = TypeVar("T")

RobotsState = Literal["found", "absent", "unreachable", "challenge"]
MAX_HOMEPAGE = 5_000_000  # bytes; front pages are long, but what we look for stands early
MAX_SITEMAP = 10_000_000  # bytes; what is newest stands in the smaller ones
MAX_FEED = 10_000_000  # bytes; podcasts and archives have feeds of several megabytes
DOCUMENT_TIME: Final = timedelta(seconds=10)
"""For a feed, a sitemap, a file or a guess: a server that needs longer for one of many must not cost the others."""
NO_ROBOTS = read_robots(b"")  # allows everything
FEEDS = "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5"


class UnreadError(FetchError):
    """A document came, and could not be read: what it says is as unknown as if it had not come."""

    def __init__(self, response: Response, error: ParseError) -> None:
        super().__init__(response.final_url, str(error), kind="too_complex")


@dataclass(frozen=True, slots=True)
class OpenPage:
    """A page with its headers and what was read on it."""

    response: Response
    reading: PageReading

    @property
    def url(self) -> str:
        """Where it was found in the end."""
        return self.response.final_url

    def evidence(self, excerpt: str = "", *, line: int | None = None) -> Evidence:
        """Something read on this page."""
        return Evidence(url=self.url, line=line, excerpt=excerpt, status=self.response.status)


@dataclass(frozen=True, slots=True)
class RobotsAnswer:
    """An origin's robots.txt as RFC 9309 sees it; without one everything is allowed."""

    url: str
    """Where it was read."""
    asked_url: str
    """Where it was asked for: it speaks for this host."""
    state: RobotsState
    robots: Robots
    body: bytes = b""
    status: int | None = None
    reason: str = ""
    truncated: bool = False
    opens: bool = True
    """Whether pages of the host may be asked for where it could not be read."""


async def ask(
    context: StepContext,
    url: str,
    *,
    max_bytes: int | None = None,
    take_start: bool = False,
    accept: str = "",
    head: bool = False,
    priority: Priority = Priority.MORE,
    partial: bool = False,
) -> Response:
    """The answer to a scouting request; raises FetchError. The same address is asked only once.

    With `partial`, of a document that is not here in time the part that is.
    """
    return await context.fetch(
        Request(
            url=url,
            purpose="scout",
            method="HEAD" if head else "GET",
            max_bytes=max_bytes,
            take_start=take_start,
            accept=accept,
            partial=partial,
            # The front page decides about the whole scout: it has the time that the settings give every page.
            deadline=None if priority is Priority.FRONT else DOCUMENT_TIME,
            priority=priority,
        )
    )


async def home_page(context: StepContext) -> OpenPage:
    """The publisher's homepage."""
    return await page_at(context, context.publisher.home_url)


async def page_at(context: StepContext, url: str) -> OpenPage:
    """Any page of the publisher, fetched and read once: the homepage as one, others as articles."""
    if url != context.publisher.home_url:
        return await article_at(context, url)

    async def make() -> OpenPage:
        response = await answer_at(context, url)
        return OpenPage(response, await _read_page(context, response, read_front_page))

    return await context.once(f"page {url}", make)


async def article_at(context: StepContext, url: str) -> OpenPage:
    """The same, read as an article whatever page it is."""

    async def make() -> OpenPage:
        response = await answer_at(context, url)
        reading = await _read_page(context, response, read_article_page, context.now)
        return OpenPage(response, reading)

    return await context.once(f"article {url}", make)


async def answer_at(context: StepContext, url: str) -> Response:
    """The answer to a request for a page, unread."""
    is_front = url in {context.publisher.home_url, context.url}
    priority = Priority.FRONT if is_front else Priority.ARTICLE
    return await ask(context, url, max_bytes=MAX_HOMEPAGE, take_start=True, priority=priority)


async def _read_page(
    context: StepContext, response: Response, reader: Callable[..., PageReading], *more: object
) -> PageReading:
    try:
        reading = await read_answer(context, response, reader, response.headers, *more)
    except ParseError as exc:
        raise UnreadError(response, exc) from exc
    if not response.truncated:
        return reading
    cut = f"the page is longer than {len(response.body):,} bytes, which is what was read of it"
    return replace(reading, cut=cut, tags=replace(reading.tags, cut=reading.tags.cut or cut))


async def read_answer(
    context: StepContext, response: Response, reader: Callable[..., T], /, *more: object
) -> T:
    """What a reader makes of an answer: its bytes, its address, the type it claims, and `more`.

    Raises ParseError, and UnreadError (a FetchError) where nobody knows what it says.
    """
    try:
        return await context.read(
            reader, response.body, response.final_url, response.content_type, *more
        )
    except CostlyDocumentError as exc:
        raise UnreadError(response, exc) from exc


async def home_links(context: StepContext) -> PageLinks:
    """The links of the homepage."""
    return (await home_page(context)).reading.links


async def feed_at(
    context: StepContext, url: str, priority: Priority = Priority.MORE
) -> FeedDocument:
    """The feed at the address, fetched and read once; raises FetchError or ParseError.

    Of one that is not here in time the items that are, marked as `truncated`.
    """

    async def make() -> FeedDocument:
        response = await ask(
            context, url, accept=FEEDS, max_bytes=MAX_FEED, priority=priority, partial=True
        )
        document = await read_answer(context, response, read_feed_outline)
        return replace(document, truncated=document.truncated or response.truncated)

    return await context.once(f"feed {url}", make)


async def sitemap_at(
    context: StepContext, url: str, priority: Priority = Priority.MORE
) -> Response:
    """The answer to a request for a sitemap, unread: one request for whoever looks for it and whoever reads it."""
    return await ask(
        context, url, max_bytes=MAX_SITEMAP, take_start=True, priority=priority, partial=True
    )


async def robots_file(context: StepContext, origin: str = "") -> RobotsAnswer:
    """The robots.txt of an origin, by default that of the page in question; never raises FetchError."""
    url = f"{origin or origin_of(context.url)}/robots.txt"

    async def make() -> RobotsAnswer:
        try:
            # The fetch room has it, within its own limit.
            response = await ask(context, url, priority=Priority.FRONT)
        except FetchError as error:
            return _without(url, error)
        robots = read_robots(response.body)
        return RobotsAnswer(
            url=response.final_url,
            asked_url=url,
            state="found" if robots.found else "absent",
            robots=robots,
            body=response.body,
            status=response.status,
            reason=robots.state,
            truncated=response.truncated,
        )

    return await context.once(f"robots {url}", make)


def origin_of(url: str) -> str:
    """Scheme, host and port: what a robots.txt speaks of."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _without(url: str, error: FetchError) -> RobotsAnswer:
    status = error.status if isinstance(error, StatusError) else None
    state: RobotsState = "unreachable"
    if error.kind in {"challenge", "blocked_waf"}:
        state = "challenge"
    elif isinstance(error, GoneError) or (status is not None and 400 <= status < 500):
        state = "unreachable" if status == 429 else "absent"
    opens = opens_host(error)
    return RobotsAnswer(url, url, state, NO_ROBOTS, status=status, reason=error.reason, opens=opens)
