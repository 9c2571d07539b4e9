"""The documents several steps read: the homepage, robots.txt, the page in question, a sample article.

Each is asked for and parsed once per visit. Whoever cannot have one gets the FetchError of the one
request there was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from wireroom.errors import FetchError, GoneError, StatusError
from wireroom.model import Evidence, FeedDocument, Request, Response
from wireroom.parse.feed import read_feed
from wireroom.parse.html import Page, open_page
from wireroom.parse.links import PageLinks, read_page_links
from wireroom.parse.robots import Robots, read_robots
from wireroom.ports import StepContext

RobotsState = Literal["found", "absent", "unreachable", "challenge"]
MAX_HOMEPAGE = 5_000_000  # bytes; front pages are long, but what we look for stands early
MAX_FEED = 10_000_000  # bytes; podcasts and archives have feeds of several megabytes
NO_ROBOTS = read_robots(b"")  # allows everything
FEEDS = "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5"


@dataclass(frozen=True, slots=True)
class OpenPage:
    """A page with its headers and its tree."""

    response: Response
    page: Page

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
    state: RobotsState
    robots: Robots
    body: bytes = b""
    status: int | None = None
    reason: str = ""
    truncated: bool = False


async def ask(
    context: StepContext,
    url: str,
    *,
    max_bytes: int | None = None,
    take_start: bool = False,
    accept: str = "",
    head: bool = False,
) -> Response:
    """The answer to a scouting request; raises FetchError. The same address is asked only once."""
    return await context.fetch(
        Request(
            url=url,
            purpose="scout",
            method="HEAD" if head else "GET",
            max_bytes=max_bytes,
            take_start=take_start,
            accept=accept,
        )
    )


async def home_page(context: StepContext) -> OpenPage:
    """The publisher's homepage."""
    return await page_at(context, context.publisher.home_url)


async def page_at(context: StepContext, url: str) -> OpenPage:
    """Any page of the publisher, fetched and parsed once."""

    async def make() -> OpenPage:
        response = await ask(context, url, max_bytes=MAX_HOMEPAGE, take_start=True)
        kind = response.content_type
        return OpenPage(
            response, open_page(response.body, url=response.final_url, content_type=kind)
        )

    return await context.once(f"page {url}", make)


async def home_links(context: StepContext) -> PageLinks:
    """The links of the homepage, read once."""

    async def make() -> PageLinks:
        page = await home_page(context)
        return read_page_links(page.page, base_url=page.url, headers=page.response.headers)

    return await context.once("home links", make)


async def feed_at(context: StepContext, url: str) -> FeedDocument:
    """The feed at the address, fetched and read once; raises FetchError or ParseError."""

    async def make() -> FeedDocument:
        response = await ask(context, url, accept=FEEDS, max_bytes=MAX_FEED)
        kind = response.content_type
        return read_feed(response.body, base_url=response.final_url, content_type=kind)

    return await context.once(f"feed {url}", make)


async def robots_file(context: StepContext, origin: str = "") -> RobotsAnswer:
    """The robots.txt of an origin, by default that of the page in question; never raises FetchError."""
    url = f"{origin or origin_of(context.url)}/robots.txt"

    async def make() -> RobotsAnswer:
        try:
            response = await ask(context, url)  # the fetch room has it, within its own limit
        except FetchError as error:
            return _without(url, error)
        robots = read_robots(response.body)
        return RobotsAnswer(
            url=response.final_url,
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
    return RobotsAnswer(url, state, NO_ROBOTS, status=status, reason=error.reason)
