"""Scouting step: the publisher's feeds: announced, linked or guessed, each one read before it counts.

A type in a link tag proves nothing, and a missing tag proves nothing either: what is listed here was
fetched and is a feed.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from wireroom.dates.zones import newsroom_zone
from wireroom.display_text import counted
from wireroom.errors import FetchError, ParseError, RefusedError
from wireroom.model import (
    NOT_REACHED,
    Evidence,
    Facts,
    FeedDocument,
    Finding,
    FindingOutcome,
    Priority,
    ProblemKind,
)
from wireroom.parse.links import FeedLink
from wireroom.parse.links.feed_links import (
    folded_words,
    is_one_comment,
    names_comments,
    part_words,
    says_all,
    titles_comments,
)
from wireroom.ports import Step, StepContext, Summary, Tone
from wireroom.rhythm import TOLERATED_FUTURE, measure_rhythm
from wireroom.rights.finding_index import MEASURED
from wireroom.scout.feed_report import feed_details, feed_rows
from wireroom.signals.page_reading import read_listed_feeds
from wireroom.signals.shared import (
    answer_at,
    article_key,
    feed_at,
    finding,
    found,
    home_links,
    home_page,
    origin_of,
    read_answer,
    robots_file,
)
from wireroom.urls import host_of, page_key, same_site

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
        return NoFeed(error.kind, error.reason if refused else error.kind, barred=refused)
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
    times = [item.published_at or item.updated_at for item in feed.document.items]
    dated = [at for at in times if at is not None]
    cadence = measure_rhythm(dated, now=context.now, source="rss", zone=zone)
    return {
        "per_day": round(cadence.rhythm.per_day, 3) if cadence else None,
        "rate": cadence.label if cadence else "",
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
    """How many there are, how many more are announced, and how many robots.txt bars."""
    count, barred = facts.get("count", 0), len(facts.get("barred", ()))
    left = len(facts.get("not_asked", ()))
    notes = [f"{left} more announced and not asked for"] if left else []
    if barred and count:
        notes.append(f"{barred} barred by robots.txt")
    if barred and not count:
        announced = Summary(text=f"robots.txt bars {counted(barred, 'announced feed')}")
    else:
        announced = found(count, "feed")
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


# Where feeds usually are, and which of several is the main one. Pure; the tables are data.
#
# As of November 2026: the paths of the publishing systems most in use, likeliest first.

MAX_PROBES = 6  # addresses tried without being told of them
MAX_READ = 4  # announced feeds that are read; sections announce dozens
MAX_TRIED = 12  # announced addresses that are asked for until so many are read: old pages announce dead ones
LEAST_OF_NAME = 4  # letters of a word that a host's name may hold by more than chance
MAX_PART_WORDS = 3  # words that name a part; more make it no smaller
COMMON = 0.8  # of the titles, or of the addresses, that have a word: it names no part
FEWEST_COMPARED = 3  # of them, so that this can be told

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
_PODCAST = folded_words("podcast podcasts podkast подкаст подкасты ポッドキャスト 播客 팟캐스트")
_SIDE = re.compile(
    r"podcast|/(?:tags?|authors?|autor|category|topics?|search)/|[?&](?:s|q|cat|tag|author)=",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ReadFeed:
    """A feed that was found and read, and how it was found."""

    url: str
    document: FeedDocument
    source: str
    title: str = ""
    type: str = ""


def newest_of(feed: ReadFeed, now: datetime) -> tuple[datetime | None, str]:
    """When its newest entry came out, and its address; what is dated ahead has not come out."""
    dates = [(item.published_at or item.updated_at, item.url) for item in feed.document.items]
    dated = [(at, url) for at, url in dates if at is not None and at <= now + TOLERATED_FUTURE]
    latest = max(dated, default=(None, ""))[0]
    linked = max(((at, url) for at, url in dated if url), default=None)
    return latest, linked[1] if linked else next((url for _, url in dates if url), "")


def holds_comments(document: FeedDocument) -> bool:
    """Whether it is a feed of readers' comments: most of its items stand below a story, or its title says so."""
    comments = sum(is_one_comment(item.url, item.guid) for item in document.items)
    return comments > len(document.items) / 2 or titles_comments(document.title)


def is_same_feed(feed: ReadFeed, other: ReadFeed) -> bool:
    """Whether two addresses are one feed by its own word, and hold the same: many name a wrong address as theirs."""
    own = {page_key(each.document.hints.self_url or each.url) for each in (feed, other)}
    if len(own) > 1:
        return False
    mine, others = _articles(feed), _articles(other)
    return 2 * len(mine & others) >= min(len(mine), len(others))


def _articles(feed: ReadFeed) -> set[str]:
    return {article_key(item.url, item.guid) for item in feed.document.items}


def is_strange(link: FeedLink, home_url: str) -> bool:
    """Whether it is only linked, and of another site: its own feeds elsewhere a publisher announces."""
    return link.source == "anchor" and not same_site(link.url, home_url)


def likeliest(links: Sequence[FeedLink], home_url: str) -> list[FeedLink]:
    """The announced feeds in the order in which they are worth reading, without those of comments.

    The whole before its parts, what is announced before what is only linked, short addresses before long ones.
    """
    titles = [_words(link.title, home_url) for link in links]
    paths = [folded_words(_path(link.url)) for link in links]
    names = _common(titles)
    shared = names | _common(paths)

    def rank(place: int) -> tuple[bool, int, bool, bool, int]:
        link, title, path = links[place], titles[place], paths[place]
        parts = len(part_words(title - names))
        # A title that says "all news" is believed, whatever the address is called.
        if parts or not says_all(title):
            parts += len(part_words(path - shared))
        return (
            bool(_SIDE.search(_path(link.url))) or titles_comments(link.title),
            min(parts, MAX_PART_WORDS),
            not says_all(title | path),
            link.source == "anchor",
            _depth(link.url),
        )

    wanted = [place for place, link in enumerate(links) if not names_comments(link.url)]
    return [links[place] for place in sorted(wanted, key=rank)]


def _words(title: str, home_url: str) -> frozenset[str]:
    """The words of a title without those of the publisher's name, as far as its host has them."""
    host = host_of(home_url)
    name, labels = host.replace("-", ""), re.split(r"[.-]", host)
    return frozenset(
        word
        for word in folded_words(title, least=2)
        if word not in labels and (len(word) < LEAST_OF_NAME or word not in name)
    )


def _common(texts: Sequence[frozenset[str]]) -> frozenset[str]:
    """The words that nearly all have."""
    worded = [words for words in texts if words]
    if len(worded) < FEWEST_COMPARED:
        return frozenset()
    counts = Counter(word for words in worded for word in words)
    return frozenset(word for word, count in counts.items() if count >= COMMON * len(worded))


def _path(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


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
        words = _words(f"{feed.title} {feed.document.title}", home_url) | folded_words(
            _path(feed.url)
        )
        site_words = folded_words(site_title)
        newest, _ = newest_of(feed, now)
        alive = newest is not None and newest > now - timedelta(days=30)
        return (
            4.0 * any(same_site(url, home_url) for url in (feed.url, feed.document.home_url))
            - 5.0 * (bool(_SIDE.search(_path(feed.url))) or not _PODCAST.isdisjoint(words))
            + 2.0 * alive
            + 1.0 * min(len(feed.document.items), 30) / 30
            + 1.0 * _alike(feed.document.title, site_title)
            + 1.0 * says_all(words)
            - 0.5 * min(len(part_words(words - site_words)), MAX_PART_WORDS)
            + 1.0 * _is_of_home(feed.document.home_url, home_url)
            + 0.5 * (feed.source in {"header", "link"})
            - 0.3 * _depth(feed.url)
        )

    return sorted(feeds, key=points, reverse=True)


def _is_of_home(url: str, home_url: str) -> bool:
    """Whether the page that a feed belongs to is the homepage."""
    return (
        bool(url)
        and same_site(url, home_url)
        and urlsplit(url).path in {"", "/", urlsplit(home_url).path}
    )


def _depth(url: str) -> int:
    return sum(1 for part in urlsplit(url).path.split("/") if part)


def _alike(title: str, other: str) -> float:
    if not title or not other:
        return 0.0
    return SequenceMatcher(None, title.lower()[:100], other.lower()[:100]).ratio()
