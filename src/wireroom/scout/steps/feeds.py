"""Scouting step: the publisher's feeds: announced, linked or guessed, each one read before it counts.

A type in a link tag proves nothing, and a missing tag proves nothing either: what is listed here was
fetched and is a feed.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from wireroom.errors import FetchError, ParseError
from wireroom.model import Evidence, Facts, FeedDocument, Finding, FindingOutcome, ProblemKind
from wireroom.parse.links import FeedLink
from wireroom.ports import Step, StepContext, Summary
from wireroom.rights.finding_index import MEASURED
from wireroom.signals.page_reading import read_listed_feeds
from wireroom.signals.shared import (
    answer_at,
    feed_at,
    finding,
    found,
    home_links,
    home_page,
    origin_of,
    read_answer,
    robots_file,
)
from wireroom.urls import same_site

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
        problems |= {url: failure for url, failure in more.items() if failure.kind != "gone"}
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
        "problems": {url: failure.text for url, failure in problems.items()},
        "hub_urls": sorted({read_feed.document.hints.hub_url for read_feed in best} - {""}),
        "error": f"homepage fetch failed: {failure.reason}" if failure else None,
        MEASURED: {
            "newest_url": best[0].newest_url if best else "",
            "feeds": {read_feed.url: _measured(read_feed) for read_feed in best},
        },
    }
    outcome: FindingOutcome = "yes" if best else "no" if failure is None else "unknown"
    return finding(context, "feeds", outcome, facts, *_evidence(context, best, problems))


class NoFeed(NamedTuple):
    """Why an address is no feed: as one word, and as it is shown."""

    kind: ProblemKind
    text: str


async def _announced(context: StepContext) -> tuple[tuple[FeedLink, ...], FetchError | None]:
    try:
        return (await home_links(context)).feeds, None
    except FetchError as error:
        return (), error


async def _listed(context: StepContext, links: Iterable[FeedLink]) -> list[FeedLink]:
    """The feeds on a page that lists them: it is linked as if it were one, and is held already."""
    for link in links:
        try:
            page = await answer_at(context, link.url)
            found = await read_answer(context, page, read_listed_feeds, page.headers)
        except (FetchError, ParseError):
            continue
        if found is not None:
            return [feed for feed in found if feed.url not in {link.url, page.final_url}]
    return []


async def _guessed(context: StepContext, home_url: str) -> tuple[list[ReadFeed], dict[str, NoFeed]]:
    """What is at the usual addresses, a few at a time, until one is a feed."""
    origin, problems = origin_of(home_url), dict[str, NoFeed]()
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
) -> tuple[list[ReadFeed], dict[str, NoFeed]]:
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
        if isinstance(answer, NoFeed)
    }
    return list(read.values()), problems


async def _one(context: StepContext, link: FeedLink, source: str) -> ReadFeed | NoFeed:
    try:
        document = await feed_at(context, link.url)
    except FetchError as error:
        return NoFeed(error.kind, error.kind)
    except ParseError as exc:
        return NoFeed("unknown_format", str(exc))
    return ReadFeed(link.url, document, source or link.source, link.title, link.type)


async def _system(context: StepContext) -> str:
    """What made the site, by its own word and by the addresses of its files."""
    robots = await robots_file(context)
    addresses = [line.url for line in robots.robots.sitemaps]
    try:
        home = await home_page(context)
    except FetchError:
        return system_of("", *addresses)
    name = home.reading.front.generator
    return system_of(name, *addresses, home.response.body.decode("ascii", "replace"))


async def _site_title(context: StepContext) -> str:
    try:
        title = (await home_page(context)).reading.title
    except FetchError:
        return context.publisher.name
    return context.publisher.name if title is None else title


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
    context: StepContext, feeds: list[ReadFeed], problems: dict[str, NoFeed]
) -> list[Evidence]:
    found = [
        Evidence(
            url=feed.url,
            excerpt=f"{feed.document.kind}, {len(feed.document.items)} entries, found by {feed.source}",
        )
        for feed in feeds
    ]
    failed = [Evidence(url=url, excerpt=failure.text) for url, failure in problems.items()]
    return (found + failed) or [
        Evidence(url=context.publisher.home_url, excerpt="no feed is announced or found")
    ]


def summary(facts: Facts) -> Summary:
    """How many there are."""
    return found(facts.get("count", 0), "feed")


PLUG = Step("feeds", "Feeds", run, section="supply", order=10, summary=summary, compared=("count",))


# Where feeds usually are, and which of several is the main one. Pure; the tables are data.
#
# As of November 2026: the paths of the publishing systems most in use, likeliest first.

MAX_PROBES = 6  # addresses tried without being told of them
MAX_ANNOUNCED = 4  # announced feeds that are read; sections announce dozens

# What the generator meta tag or the page's own addresses betray, and where that system keeps its feed.
_SYSTEMS = (
    ("wordpress", ("/feed/", "/?feed=rss2")),
    ("drupal", ("/rss.xml",)),
    ("ghost", ("/rss/",)),
    ("blogger", ("/feeds/posts/default",)),
    ("arc xp", ("/arc/outboundfeeds/rss/",)),
    ("substack", ("/feed",)),
    ("hugo", ("/index.xml",)),
    ("squarespace", ("/?format=rss",)),
    ("typo3", ("/?type=100", "/rss.xml")),
    ("joomla", ("/?format=feed&type=rss",)),
)
# Files that only one system has, and its name; in a page's addresses or in those of its sitemaps.
_CLUES = (
    ("/wp-content/", "wordpress"),
    ("/arc/outboundfeeds/", "arc xp"),
    ("/pf/resources/", "arc xp"),
    ("/sites/default/files/", "drupal"),
    ("/typo3temp/", "typo3"),
    ("substackcdn.com/", "substack"),
    ("squarespace.com/", "squarespace"),
)
_USUAL = ("/feed/", "/rss.xml", "/rss", "/feed.xml", "/atom.xml", "/index.xml", "/feed.json")
_SIDE = re.compile(r"comment|kommentar|podcast|/tags?/|/author/|/category/|/search", re.IGNORECASE)
_NEWS = re.compile(r"news|latest|top|main|all|home|aktuell|ticker", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ReadFeed:
    """A feed that was found and read, and how it was found."""

    url: str
    document: FeedDocument
    source: str
    title: str = ""
    type: str = ""

    @property
    def newest_at(self) -> datetime | None:
        """When its newest entry came out."""
        dates = [item.published_at or item.updated_at for item in self.document.items]
        return max((at for at in dates if at is not None), default=None)

    @property
    def newest_url(self) -> str:
        """The address of that entry."""
        dated = [
            (at, item.url)
            for item in self.document.items
            if item.url and (at := item.published_at or item.updated_at) is not None
        ]
        first = next((item.url for item in self.document.items if item.url), "")
        return max(dated)[1] if dated else first


def likeliest(links: Iterable[FeedLink], home_url: str) -> list[FeedLink]:
    """The announced feeds worth reading: the main ones of this site first, comments last."""

    def rank(link: FeedLink) -> tuple[bool, bool, bool, int]:
        text = f"{link.url} {link.title}"
        return (
            bool(_SIDE.search(text)),
            link.source == "anchor",
            not same_site(link.url, home_url),
            _depth(link.url),
        )

    return sorted(links, key=rank)[:MAX_ANNOUNCED]


def system_of(generator: str, *texts: str) -> str:
    """The names of systems: what a generator says of itself, and what the texts betray."""
    found = (name for clue, name in _CLUES if any(clue in text for text in texts))
    return " ".join((generator.lower(), *found))


def probes(system: str) -> list[str]:
    """Paths to try, those of the system in use first."""
    own = [path for name, paths in _SYSTEMS if name in system.lower() for path in paths]
    return list(dict.fromkeys((*own, *_USUAL)))[:MAX_PROBES]


def ranked(
    feeds: Iterable[ReadFeed], *, home_url: str, site_title: str, now: datetime
) -> list[ReadFeed]:
    """The feeds, the one to follow first: of this site, no side feed, alive, full, near the root."""

    def points(feed: ReadFeed) -> float:
        text = f"{feed.url} {feed.title} {feed.document.title}"
        newest = feed.newest_at
        alive = newest is not None and newest > now - timedelta(days=30)
        return (
            4.0 * same_site(feed.url, home_url)
            - 5.0 * bool(_SIDE.search(text))
            + 2.0 * alive
            + 1.0 * min(len(feed.document.items), 30) / 30
            + 0.5 * bool(_NEWS.search(feed.url))
            + 1.0 * _alike(feed.document.title, site_title)
            + 0.5 * (feed.source in {"header", "link"})
            - 0.4 * _depth(feed.url)
        )

    return sorted(feeds, key=points, reverse=True)


def _depth(url: str) -> int:
    return sum(1 for part in urlsplit(url).path.split("/") if part)


def _alike(title: str, other: str) -> float:
    if not title or not other:
        return 0.0
    return SequenceMatcher(None, title.lower()[:100], other.lower()[:100]).ratio()
