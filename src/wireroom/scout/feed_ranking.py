"""Where feeds usually are, and which of several is the main one. Pure; the tables are data.

As of November 2026: the paths of the publishing systems most in use, likeliest first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from urllib.parse import urlsplit

from wireroom.model import FeedDocument
from wireroom.parse.links import FeedLink
from wireroom.parse.links.feed_links import (
    folded_words,
    is_one_comment,
    names_comments,
    part_words,
    says_all,
    titles_comments,
)
from wireroom.rhythm import TOLERATED_FUTURE
from wireroom.rights.finding_index import page_name
from wireroom.urls import host_of, page_key, same_site

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
    return {page_name(item.url, item.guid) for item in feed.document.items}


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
