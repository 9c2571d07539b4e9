"""Scouting step: the publisher's feeds: announced, linked or guessed, each one read before it counts.

A type in a link tag proves nothing, and a missing tag proves nothing either: what is listed here was
fetched and is a feed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from wireroom.errors import FetchError, ParseError
from wireroom.model import Evidence, Facts, Finding, FindingOutcome
from wireroom.parse.kind import kind_of
from wireroom.parse.links import FeedLink, read_page_links
from wireroom.ports import Step, StepContext
from wireroom.scout.feed_guesses import ReadFeed, likeliest, probes, ranked, system_of
from wireroom.signals.shared.documents import (
    feed_at,
    home_links,
    home_page,
    origin_of,
    page_at,
    robots_file,
)
from wireroom.signals.shared.findings import MEASURED, finding
from wireroom.signals.shared.wording import found

AT_ONCE = 3  # usual addresses tried side by side; the first that is a feed ends the search


async def run(context: StepContext) -> Finding:
    """The feeds, best first; without a homepage the usual addresses are tried all the same."""
    announced, failure = await _announced(context)
    home_url = context.publisher.home_url
    chosen = likeliest(announced, home_url)
    read, problems = await _read(context, chosen)
    if not read and (listed := await _listed(context, chosen)):
        read, more = await _read(context, likeliest(listed, home_url), source="index_page")
        problems |= more
    if not read:
        read, more = await _guessed(context, home_url)
        problems |= {url: why for url, why in more.items() if why != "gone"}
    title = await _site_title(context)
    best = ranked(read, home_url=home_url, site_title=title, now=context.now)
    unread = [
        link.url for link in announced if link.url not in {read_feed.url for read_feed in best}
    ]
    facts: dict[str, Any] = {
        "feeds": [_described(read_feed) for read_feed in best],
        "count": len(best),
        "announced": [link.url for link in announced],
        "not_read": unread,
        "problems": problems,
        "hub_urls": sorted({read_feed.document.hints.hub_url for read_feed in best} - {""}),
        "error": f"homepage fetch failed: {failure.reason}" if failure else None,
        MEASURED: {
            "newest_url": best[0].newest_url if best else "",
            "feeds": {read_feed.url: _measured(read_feed) for read_feed in best},
        },
    }
    outcome: FindingOutcome = "yes" if best else "no" if failure is None else "unknown"
    return finding(context, "feeds", outcome, facts, *_evidence(context, best, problems))


async def _announced(context: StepContext) -> tuple[tuple[FeedLink, ...], FetchError | None]:
    try:
        return (await home_links(context)).feeds, None
    except FetchError as error:
        return (), error


async def _listed(context: StepContext, links: Iterable[FeedLink]) -> list[FeedLink]:
    """The feeds on a page that lists them: it is linked as if it were one, and is held already."""
    for link in links:
        try:
            page = await page_at(context, link.url)
        except FetchError:
            continue
        if kind_of(page.response.body, page.response.content_type).name == "html":
            found = read_page_links(page.page, base_url=page.url, headers=page.response.headers)
            return [feed for feed in found.feeds if feed.url not in {link.url, page.url}]
    return []


async def _guessed(context: StepContext, home_url: str) -> tuple[list[ReadFeed], dict[str, str]]:
    """What is at the usual addresses, a few at a time, until one is a feed."""
    origin, problems = origin_of(home_url), dict[str, str]()
    paths = probes(await _system(context))
    for start in range(0, len(paths), AT_ONCE):
        tried = [FeedLink(url=f"{origin}{path}") for path in paths[start : start + AT_ONCE]]
        read, more = await _read(context, tried, source="probe")
        problems |= more
        if read:
            return read, problems
    return [], problems


async def _read(
    context: StepContext, links: Iterable[FeedLink], source: str = ""
) -> tuple[list[ReadFeed], dict[str, str]]:
    """Those of the addresses that are feeds, and why the others are not."""
    links = list(links)
    answers = await asyncio.gather(*(_one(context, link, source) for link in links))
    read = {
        answer.document.hints.self_url or answer.url: answer
        for answer in answers
        if isinstance(answer, ReadFeed)
    }
    problems = {
        link.url: answer
        for link, answer in zip(links, answers, strict=True)
        if isinstance(answer, str)
    }
    return list(read.values()), problems


async def _one(context: StepContext, link: FeedLink, source: str) -> ReadFeed | str:
    try:
        document = await feed_at(context, link.url)
    except FetchError as error:
        return error.kind
    except ParseError as exc:
        return str(exc)
    return ReadFeed(link.url, document, source or link.source, link.title, link.type)


async def _system(context: StepContext) -> str:
    """What made the site, by its own word and by the addresses of its files."""
    robots = await robots_file(context)
    addresses = [line.url for line in robots.robots.sitemaps]
    try:
        home = await home_page(context)
    except FetchError:
        return system_of("", *addresses)
    tag = home.page.tree.css_first("meta[name=generator i]")
    name = (tag.attributes.get("content") or "") if tag else ""
    return system_of(name, *addresses, home.response.body.decode("ascii", "replace"))


async def _site_title(context: StepContext) -> str:
    try:
        title = (await home_page(context)).page.tree.css_first("title")
    except FetchError:
        return context.publisher.name
    return title.text().strip() if title else context.publisher.name


def _described(feed: ReadFeed) -> dict[str, Any]:
    hints = feed.document.hints
    return {
        "url": feed.url,
        "type": feed.type,
        "title": feed.document.title or feed.title,
        "kind": feed.document.kind,
        "source": feed.source,
        "hub_url": hints.hub_url,
        "self_url": hints.self_url,
        "cloud_url": hints.cloud_url,
        "ttl_minutes": hints.ttl.total_seconds() / 60 if hints.ttl else None,
        "period_minutes": hints.period.total_seconds() / 60 if hints.period else None,
        "skip_hours": list(hints.skip_hours),
        "skip_days": list(hints.skip_days),
        "language": feed.document.language,
    }


def _measured(feed: ReadFeed) -> dict[str, Any]:
    newest = feed.newest_at
    return {
        "entries": len(feed.document.items),
        "newest_at": newest.isoformat() if newest else None,
        "newest_url": feed.newest_url,
    }


def _evidence(
    context: StepContext, feeds: list[ReadFeed], problems: dict[str, str]
) -> list[Evidence]:
    found = [
        Evidence(
            url=feed.url,
            excerpt=f"{feed.document.kind}, {len(feed.document.items)} entries, found by {feed.source}",
        )
        for feed in feeds
    ]
    failed = [Evidence(url=url, excerpt=why) for url, why in problems.items()]
    return (found + failed) or [
        Evidence(url=context.publisher.home_url, excerpt="no feed is announced or found")
    ]


def summary(facts: Facts) -> str:
    """How many there are."""
    return found(facts.get("count", 0), "feed")


PLUG = Step("feeds", "Feeds", run, section="supply", order=10, summary=summary)
