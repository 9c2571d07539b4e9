"""Scouting step: the publisher's feeds: announced, linked or guessed, each one read before it counts.

A type in a link tag proves nothing, and a missing tag proves nothing either: what is listed here was
fetched and is a feed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from wireroom.dates.zones import newsroom_zone
from wireroom.display_text import counted
from wireroom.errors import FetchError, ParseError, RefusedError
from wireroom.model import (
    NOT_REACHED,
    Evidence,
    Facts,
    Finding,
    FindingOutcome,
    Priority,
    ProblemKind,
)
from wireroom.parse.links import FeedLink
from wireroom.parse.links.feed_links import (
    names_comments,
)
from wireroom.ports import Step, StepContext, Summary, Tone
from wireroom.rhythm import Series, measure_publisher
from wireroom.rights.finding_index import MEASURED
from wireroom.scout.feed_ranking import (
    MAX_READ,
    MAX_TRIED,
    ReadFeed,
    holds_comments,
    is_same_feed,
    is_strange,
    likeliest,
    newest_of,
    probes,
    ranked,
    system_of,
)
from wireroom.scout.feed_report import feed_details, feed_rows, unusable
from wireroom.signals.documents import (
    answer_at,
    feed_at,
    home_links,
    home_page,
    origin_of,
    read_answer,
    robots_file,
)
from wireroom.signals.page_reading import read_listed_feeds
from wireroom.signals.shared import finding, found

AT_ONCE = 3  # usual addresses tried side by side; the first that is a feed ends the search
# What an address that was asked for is not: all else says that nobody could look.
_NO_FEED: Final[frozenset[ProblemKind]] = frozenset({"gone", "unknown_format"})


async def run(context: StepContext) -> Finding:
    """The feeds, best first; without a homepage the usual addresses are tried all the same."""
    named, failure = await _announced(context)
    home_url = context.publisher.home_url
    strange = [link for link in named if is_strange(link, home_url)]
    announced = [link for link in named if link not in strange]
    tried = await _read(context, likeliest(announced, home_url))
    listed = [] if tried.read else await _listed(context, tried.asked)
    for links, source in ((listed, "index_page"), (strange, "")):
        if not tried.read:
            more = likeliest(links, home_url)[: MAX_TRIED - len(tried.asked)]
            tried.add(await _read(context, more, source=source))
    if not tried.read:
        tried.add(await _guessed(context, home_url))
    title = await _site_title(context)
    best = ranked(tried.read, home_url=home_url, site_title=title, now=context.now)
    offered = list(dict.fromkeys(link.url for link in (*announced, *listed)))
    # Links to other sites, such as a list of friends, are no feeds of this one that were left.
    offered += [link.url for link in strange if link in tried.asked]
    comments = [url for url in offered if names_comments(url) or url in tried.comments]
    asked = {link.url for link in tried.asked}
    left = [url for url in offered if url not in asked and url not in comments]
    problems = {
        url: problem
        for url, problem in tried.problems.items()
        if url in offered or problem.kind != "gone"  # nobody said that there is anything
    }
    facts: dict[str, Any] = {
        "feeds": [_described(read_feed) for read_feed in best],
        "count": len(best),
        "announced": [link.url for link in named],
        "not_read": [link.url for link in named if link.url not in {feed.url for feed in best}],
        "not_asked": left,
        "barred": [url for url in offered if url in problems and problems[url].barred],
        "comments": comments,
        "problems": {url: problem.text for url, problem in problems.items()},
        "hub_urls": sorted({read_feed.document.hints.hub_url for read_feed in best} - {""}),
        "error": f"homepage fetch failed: {failure.reason}" if failure else None,
        MEASURED: {
            "newest_url": newest_of(best[0], context.now)[1] if best else "",
            "feeds": {read_feed.url: _measured(context, read_feed) for read_feed in best},
        },
    }
    # Without a feed: a "no" only where every address that is offered or usual was looked at.
    failed = any(problem.kind not in _NO_FEED for problem in problems.values())
    unseen = failure or left or tried.unreached or failed
    outcome: FindingOutcome = "yes" if best else "unknown" if unseen else "no"
    return finding(context, "feeds", outcome, facts, *_evidence(context, best, comments, problems))


class NoFeed(NamedTuple):
    """Why an address is no feed: as one word, and as it is shown."""

    kind: ProblemKind
    text: str
    barred: bool = False
    """Whether robots.txt bars it; a scout whose requests are spent was not barred."""


@dataclass(slots=True)
class _Tried:
    """What became of the addresses that were asked for."""

    asked: list[FeedLink] = field(default_factory=list)
    read: list[ReadFeed] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    """Feeds of readers' comments."""
    problems: dict[str, NoFeed] = field(default_factory=dict)
    unreached: list[str] = field(default_factory=list)
    """Addresses that the scout has no room for."""

    def add(self, other: _Tried) -> None:
        """These addresses as well."""
        self.asked += other.asked
        self.read += other.read
        self.comments += other.comments
        self.problems |= other.problems
        self.unreached += other.unreached


async def _announced(context: StepContext) -> tuple[tuple[FeedLink, ...], FetchError | None]:
    try:
        return (await home_links(context)).feeds, None
    except FetchError as error:
        return (), error


async def _listed(context: StepContext, links: Iterable[FeedLink]) -> list[FeedLink]:
    """The feeds on a page that lists them: it is linked as if it were one, and is held already."""
    asked = {link.url for link in links}
    for link in links:
        try:
            page = await answer_at(context, link.url)
            found = await read_answer(context, page, read_listed_feeds, page.headers)
        except (FetchError, ParseError):
            continue
        if new := [feed for feed in found or () if feed.url not in {*asked, page.final_url}]:
            return new
    return []


async def _guessed(context: StepContext, home_url: str) -> _Tried:
    """What is at the usual addresses, a few at a time, until one is a feed."""
    origin, tried = origin_of(home_url), _Tried()
    paths = probes(await _system(context))
    for start in range(0, len(paths), AT_ONCE):
        links = [FeedLink(url=f"{origin}{path}") for path in paths[start : start + AT_ONCE]]
        tried.add(await _read(context, links, source="probe"))
        if tried.read or tried.unreached:
            break
    return tried


async def _read(context: StepContext, links: Sequence[FeedLink], source: str = "") -> _Tried:
    """The first of the addresses that are feeds, past those that are not, and why they are not."""
    tried = _Tried()
    waiting = list(links[:MAX_TRIED])
    while waiting and len(tried.read) < MAX_READ:
        batch = waiting[: MAX_READ - len(tried.read)]
        # Until one is read, the likeliest of those that are left is the one that counts.
        first = None if tried.read else batch[0]
        asked = (_one(context, link, source, is_first=link is first) for link in batch)
        answers = await asyncio.gather(*asked)
        unreached = [link for link, answer in zip(batch, answers, strict=True) if answer is None]
        for link, answer in zip(batch, answers, strict=True):
            if answer is not None:
                _take(tried, link, answer)
        waiting = [*unreached, *waiting[len(batch) :]]
        if unreached and (tried.read or len(unreached) == len(batch)):
            tried.unreached += [link.url for link in waiting]
            break
    return tried


def _take(tried: _Tried, link: FeedLink, answer: ReadFeed | NoFeed) -> None:
    tried.asked.append(link)
    if isinstance(answer, NoFeed):
        tried.problems[link.url] = answer
    elif holds_comments(answer.document):
        tried.comments.append(link.url)
    elif not any(is_same_feed(answer, other) for other in tried.read):
        tried.read.append(answer)


async def _one(
    context: StepContext, link: FeedLink, source: str, *, is_first: bool
) -> ReadFeed | NoFeed | None:
    """What stands at the address; None where the scout has no room for it."""
    priority = Priority.FEED if is_first else Priority.MORE
    if source == "probe":
        priority = Priority.GUESS
    try:
        document = await feed_at(context, link.url, priority)
    except FetchError as error:
        if error.kind in NOT_REACHED:
            return None
        refused = isinstance(error, RefusedError) and error.kind == "robots" and error.permanent
        return NoFeed(error.kind, error.reason, barred=refused)
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


def _measured(context: StepContext, feed: ReadFeed) -> dict[str, Any]:
    newest, newest_url = newest_of(feed, context.now)
    zone, _ = newsroom_zone(context.publisher.domain)
    times = (item.published_at or item.updated_at for item in feed.document.items)
    dated = tuple(((str(place),), at) for place, at in enumerate(times) if at is not None)
    # Of a feed that stopped the rate it had: the time since then is not what it covers.
    series = [Series(url=feed.url, articles=dated)]
    measured = measure_publisher(series, now=context.now, source="rss", zone=zone)
    cadence = measured.cadence if measured else None
    silent = "silent, before that " if cadence and cadence.rhythm.dormant else ""
    return {
        "per_day": round(cadence.rhythm.per_day, 3) if cadence else None,
        "rate": f"{silent}{cadence.label}" if cadence else "",
        "entries": len(feed.document.items),
        "newest_at": newest.isoformat() if newest else None,
        "newest_url": newest_url,
        "truncated": feed.document.truncated,
    }


def _evidence(
    context: StepContext,
    feeds: Iterable[ReadFeed],
    comments: Iterable[str],
    problems: Mapping[str, NoFeed],
) -> list[Evidence]:
    found = [
        Evidence(
            url=feed.url,
            excerpt=f"{feed.document.kind}, {len(feed.document.items)} entries, found by {feed.source}"
            + (", cut: only its beginning was read" if feed.document.truncated else ""),
        )
        for feed in feeds
    ]
    found += [Evidence(url=url, excerpt="comments of readers") for url in comments]
    found += [Evidence(url=url, excerpt=problem.text) for url, problem in problems.items()]
    return found or [
        Evidence(url=context.publisher.home_url, excerpt="no feed is announced or found")
    ]


def summary(facts: Facts) -> Summary:
    """How many there are, how many more are announced, how many are no use, and how many robots.txt bars."""
    count, barred = facts.get("count", 0), len(facts.get("barred", ()))
    left, lost = len(facts.get("not_asked", ())), len(unusable(facts))
    notes = []
    if barred and not count:
        announced = Summary(text=f"robots.txt bars {counted(barred, 'announced feed')}")
    elif left and not count and not lost:
        announced, left = Summary(text=f"{counted(left, 'announced feed')}, none asked for"), 0
    else:
        announced = found(count, "feed")
    if left:
        notes.append(f"{left} more announced and not asked for")
    if lost:
        notes.append(f"{lost} announced and could not be read")
    if barred and count:
        notes.append(f"{barred} barred by robots.txt")
    text = ", ".join((announced.text, *notes))
    tone: Tone = "good" if count else "bad" if barred else "plain"
    return replace(announced, text=text, tone=tone, rows=feed_rows(facts))


PLUG = Step(
    "feeds",
    "Feeds",
    run,
    asks=(Priority.FEED,),
    section="supply",
    order=10,
    summary=summary,
    details=feed_details,
    compared=("count", "barred"),
)
