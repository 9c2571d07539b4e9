"""Which pages of a publisher's sitemaps are older articles worth reading, and which sitemaps to look into.

Pure. Only what has a date within the range is taken: a sitemap names every page of a site, and a page without a date
may be anything. Addresses of front pages, sections, tags and searches are left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from wireroom.identity import owner_of
from wireroom.model import Dossier, Feed, FeedKind, Finding, Lead, comma_words
from wireroom.parse.pages.url_shape import PATH_KINDS, read_url_shape
from wireroom.parse.sitemap import SitemapDocument, SitemapEntry
from wireroom.poll.ask_feed import items_of
from wireroom.urls import publisher_domain, same_site

SLUG_WORDS: Final = 3  # words of a slug from which on it is a headline
PAGE_OR_PROGRAM: Final = 2  # endings such as .html and .php
_DAY: Final = timedelta(days=1)
# A month in the name of a sitemap: sitemap-2026-11.xml, 2026/11.xml, posts-202611.xml.
_MONTH: Final = re.compile(r"(?<!\d)(20\d\d)[-/_]?(0[1-9]|1[0-2])(?!\d{3})")
_DATE: Final = re.compile(r"/(?:19|20)\d\d[/-]?(?:0[1-9]|1[0-2])(?:\D|$)")
_DIGITS: Final = re.compile(r"\d+")
_KINDS: Final = tuple(PATH_KINDS)
_NO_ARTICLE: Final = ("collection", "listing", "service")


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """From when to when, both ends included."""

    since: datetime
    until: datetime

    def holds(self, at: datetime) -> bool:
        """Whether the moment lies within."""
        return self.since <= at <= self.until


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedPages:
    """The pages of one sitemap that are wanted, and how many are not, by reason."""

    entries: tuple[SitemapEntry, ...] = ()
    outside: int = 0
    """Dated outside of the range."""
    undated: int = 0
    no_article: int = 0
    """By their address: sections, tags, front pages."""
    elsewhere: int = 0
    """On hosts that are not the publisher's."""


def choose_pages(document: SitemapDocument, publisher: str, span: Span) -> WantedPages:
    """The articles of the range, newest first."""
    chosen = WantedPages()
    kept: list[tuple[datetime, SitemapEntry]] = []
    for entry in document.entries:
        at = _date_of(entry)
        if at is None:
            chosen = replace(chosen, undated=chosen.undated + 1)
        elif not span.holds(at):
            chosen = replace(chosen, outside=chosen.outside + 1)
        elif not _is_own(entry.url, publisher):
            chosen = replace(chosen, elsewhere=chosen.elsewhere + 1)
        elif entry.news is None and not looks_like_article(entry.url):
            chosen = replace(chosen, no_article=chosen.no_article + 1)
        else:
            kept.append((at, entry))
    kept.sort(key=lambda pair: pair[0], reverse=True)
    return replace(chosen, entries=tuple(entry for _, entry in kept))


def choose_sitemaps(entries: Iterable[SitemapEntry], publisher: str, span: Span) -> tuple[str, ...]:
    """The sitemaps of an index that may hold pages of the range: by their month, else by their last change."""
    return tuple(
        dict.fromkeys(
            entry.url
            for entry in entries
            if _is_own(entry.url, publisher) and _may_hold(entry, span)
        )
    )


def leads_of(entries: Sequence[SitemapEntry], publisher: str, *, feed_url: str) -> tuple[Lead, ...]:
    """The leads to at most `MAX_ITEMS` pages, to be read as any others."""
    document = SitemapDocument(kind="urlset", entries=tuple(entries))
    return tuple(
        Lead(url=item.url, publisher=owner_of(publisher, item.url), item=item)
        for item in items_of(document, feed_url=feed_url)
    )


def looks_like_article(url: str) -> bool:
    """Whether the address is that of one story, as far as an address tells."""
    address = read_url_shape(url)
    if address.depth < 1 or address.home or address.section or address.searches:
        return False
    words = dict(zip(_KINDS, address.words, strict=True))
    if any(words[kind] == 2 for kind in _NO_ARTICLE):
        return False
    if address.slug_words >= SLUG_WORDS or address.number == 1 or _DATE.search(url):
        return True
    longest = max(map(len, _DIGITS.findall(url.partition("://")[2].partition("/")[2])), default=0)
    # /article.php?id=9 and /town/town-9.html are stories, /politics/2 is the second page of a section.
    return (
        longest > 0 if address.ending >= PAGE_OR_PROGRAM else longest > 1 and words["article"] > 0
    )


def _is_own(url: str, publisher: str) -> bool:
    try:
        return publisher_domain(url) == publisher or same_site(url, f"https://{publisher}/")
    except ValueError:
        return False


def _date_of(entry: SitemapEntry) -> datetime | None:
    moment = (entry.news.published if entry.news else None) or entry.lastmod
    return moment.at if moment else None


def _may_hold(entry: SitemapEntry, span: Span) -> bool:
    months = list(_months(entry.url))
    if months:
        return any(start <= span.until and end > span.since for start, end in months)
    changed = entry.lastmod
    return changed is None or changed.at + _DAY >= span.since


def _months(url: str) -> Iterator[tuple[datetime, datetime]]:
    """The months that an address names, each with its end."""
    path = url.partition("://")[2].partition("/")[2]
    for year, month in _MONTH.findall(path):
        start = datetime(int(year), int(month), 1, tzinfo=UTC)
        yield start, (start + 32 * _DAY).replace(day=1)


# Which of a publisher's feeds to follow: the main one and the news sitemap, and why not the others.
#
# Pure. The feeds of a dossier stand best first; what is left out can still be added by its address.

_ASIDE: Final = re.compile(
    r"podcast|/tags?/|/author/|/autor/|/category/|/search|[?&]s=", re.IGNORECASE
)
_NOT_OFFERED: Final = {"comments": "comments of readers", "barred": "robots.txt bars it"}
"""What scouting found and does not offer, by the name of its list, and why."""
_SITEMAPS: Final[frozenset[FeedKind]] = frozenset({"sitemap", "news_sitemap"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """A feed on offer, and why it was taken or left."""

    feed: Feed
    why: str
    seen: bool = True
    """False for one that is followed as named, without having been asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedChoice:
    """What to follow of a publisher, and what not."""

    taken: tuple[Pick, ...] = ()
    left: tuple[Pick, ...] = ()


def choose_feeds(dossier: Dossier) -> FeedChoice:
    """The main feed and the news sitemap; a plain sitemap where there is nothing else."""
    taken: list[Pick] = []
    left: list[Pick] = []
    measured = dict(_measured(dossier.findings))
    for feed in dossier.feeds:
        why_not = _why_not(feed, taken, measured)
        if why_not:
            left.append(Pick(feed=feed, why=why_not))
        else:
            taken.append(Pick(feed=feed, why=_why(feed, taken, measured)))
    return FeedChoice(taken=tuple(taken), left=(*left, *_not_offered(dossier)))


def barred_feeds(dossier: Dossier) -> tuple[str, ...]:
    """The feeds that are announced, and that robots.txt bars us from."""
    return tuple(_listed(dossier, "barred"))


def _not_offered(dossier: Dossier) -> Iterator[Pick]:
    for name, why in _NOT_OFFERED.items():
        for url in _listed(dossier, name):
            feed = Feed(url=url, publisher=dossier.publisher.domain, kind="rss")
            yield Pick(feed=feed, why=why)


def _listed(dossier: Dossier, name: str) -> Iterator[str]:
    for finding in dossier.findings:
        listed = finding.facts.get(name) if finding.step == "feeds" else None
        if isinstance(listed, Sequence) and not isinstance(listed, str):
            yield from map(str, listed)


def _why_not(feed: Feed, taken: list[Pick], measured: Mapping[str, Mapping[str, Any]]) -> str:
    address = urlsplit(feed.url)
    if feed.kind not in _SITEMAPS and _ASIDE.search(f"{address.path}?{address.query}"):
        return "only a part of what is published"
    before = next((pick.feed for pick in taken if _same_sort(pick.feed, feed)), None)
    if before is None:
        return ""
    if _newest(feed, measured) and _newest(feed, measured) == _newest(before, measured):
        return f"the same stories as {before.url}"
    return f"{before.url} comes first; add this one by its address if it has more"


def _why(feed: Feed, taken: list[Pick], measured: Mapping[str, Mapping[str, Any]]) -> str:
    entries = measured.get(feed.url, {}).get("entries")
    counted = f", {entries} items" if isinstance(entries, int) else ""
    if feed.kind == "news_sitemap":
        return "news sitemap: every story of the last two days"
    if feed.kind == "sitemap":
        return "sitemap: there is no feed" if not taken else "sitemap"
    return f"main feed{counted}"


def _same_sort(feed: Feed, other: Feed) -> bool:
    return (feed.kind in _SITEMAPS) == (other.kind in _SITEMAPS)


def _newest(feed: Feed, measured: Mapping[str, Mapping[str, Any]]) -> str:
    return str(measured.get(feed.url, {}).get("newest_url") or "")


def _measured(findings: tuple[Finding, ...]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What scouting saw in each feed, where it did."""
    for finding in findings:
        measured = finding.facts.get("measured") if finding.step == "feeds" else None
        feeds = measured.get("feeds") if isinstance(measured, Mapping) else None
        if isinstance(feeds, Mapping):
            yield from (
                (str(url), facts) for url, facts in feeds.items() if isinstance(facts, Mapping)
            )


# Feeds in reserve: which of them can be left alone, because another feed answers in their place.
#
# Pure. The feeds of a region make a set; a feed without a region is in the set of its publisher. A feed whose role
# is `fallback` is asked only while no other feed of its set answers, and of each region it is meant for.


def served_sets(feeds: Iterable[Feed]) -> dict[str, Feed]:
    """The sets in which a feed that is not in reserve answers, each with the most reliable one."""
    served: dict[str, Feed] = {}
    for feed in sorted(feeds, key=lambda other: -other.reliability):
        if feed.role != "fallback" and _answers(feed):
            for name in (*_regions(feed), _own_set(feed)):
                served.setdefault(name, feed)
    return served


def relief_of(feed: Feed, served: Mapping[str, Feed]) -> Feed | None:
    """A feed that answers in place of this one; None when this one has to be asked."""
    if feed.role != "fallback":
        return None
    answering = [served.get(name) for name in _regions(feed) or (_own_set(feed),)]
    return answering[0] if all(answering) else None


def _answers(feed: Feed) -> bool:
    """Whether nothing speaks against its next answer; one that was never tried has the benefit of the doubt."""
    return feed.state == "live" and not feed.failures and not feed.standing.barred


def _regions(feed: Feed) -> tuple[str, ...]:
    return tuple(f"region {word}" for word in comma_words(feed.region))


def _own_set(feed: Feed) -> str:
    return f"publisher {feed.publisher}"
