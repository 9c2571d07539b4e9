"""One page of a publisher, read once into data: all that steps and signals take from it.

Pure, and called in a worker: a parsed tree cannot travel, so whatever is wanted of a page is taken here. The
front page is read for what it offers, any other page as an article's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit

from wireroom.languages import language_of
from wireroom.model import FeedDocument, Item
from wireroom.parse.feed import read_feed
from wireroom.parse.html import Page, open_page
from wireroom.parse.kind import kind_of
from wireroom.parse.links import FeedLink, PageLinks, read_page_links
from wireroom.parse.metadata import Metadata, Organisation
from wireroom.parse.metadata.head import read_head
from wireroom.parse.metadata.jsonld import link_scripts
from wireroom.parse.page_tags import Fields, PageTags, page_cut, read_page_tags
from wireroom.urls import is_web_url, page_key, resolve, same_site

MAX_TITLE: Final = 300  # characters; the rest is for search engines
MAX_WORD: Final = 200  # characters of what a page says of its system
MAX_ANCHORS: Final = 500  # of the homepage that are looked at
AT_ONCE: Final = (
    5.0  # seconds until a refresh that sends a browser on; newsrooms reload after minutes
)
_REFRESH: Final = re.compile(
    r"([0-9]{1,6}(?:\.[0-9]{0,6})?)\s{0,9}[;,]\s{0,9}(?:url\s{0,9}=)?(.{1,2000})", re.IGNORECASE
)
_TERMS: Final = (
    "rsl",
    "truncated",
)  # fields of an item that state terms, or that some may be missing
# An article's address ends in words or carries a date; sections are a word or two.
_ARTICLE_PATH: Final = re.compile(
    r"/\d{4}/\d{1,2}/|(?<![a-z0-9])(?:[a-z0-9]++-){3}[a-z0-9]|/\d{5,}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontPage:
    """What a front page offers besides its links."""

    generator: str = ""
    """What made the site, by its own word."""
    organisations: tuple[Organisation, ...] = ()
    terms: Mapping[str, float] = field(default_factory=dict)
    """Addresses of terms in its linked data, with how likely they are that."""
    article_url: str = ""
    """The first link that looks like an article's."""
    refresh_url: str = ""
    """Where a browser is sent on at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleMarks:
    """What an article's page says of itself in structured data."""

    title: str = ""
    formats: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    paywall: str = "unknown"
    paywall_claims: tuple[tuple[str, str], ...] = ()
    """Source and value of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReading:
    """A page as data."""

    title: str | None
    """None where there is no such tag."""
    language: str
    """ISO 639-1, as the page declares it."""
    tags: PageTags
    links: PageLinks = field(default_factory=PageLinks)
    """Of a front page."""
    front: FrontPage = field(default_factory=FrontPage)
    article: ArticleMarks | None = None
    """None for a front page."""
    cut: str = ""
    """Why the page was not read to its end: what stands there may refuse, or name terms."""


def read_front_page(body: bytes, url: str, content_type: str, headers: Fields) -> PageReading:
    """A publisher's front page."""
    from wireroom.parse.metadata import read_organisations

    page = open_page(body, url=url, content_type=content_type)
    generator = page.tree.css_first("meta[name=generator i]")
    name = (generator.attributes.get("content") or "") if generator else ""
    return PageReading(
        title=_title(page),
        language=declared_language(page),
        tags=read_page_tags(page, url=url, headers=headers),
        links=read_page_links(page, base_url=url, headers=headers),
        front=FrontPage(
            generator=name[:MAX_WORD],
            organisations=read_organisations(page.tree),
            terms=read_linked_terms(page, url=url),
            article_url=_article_link(page, url),
            refresh_url=_refresh_target(page, url),
        ),
        cut=page_cut(page),
    )


def read_article_page(
    body: bytes, url: str, content_type: str, headers: Fields, now: datetime
) -> PageReading:
    """Any other page, as an article's."""
    from wireroom.parse.metadata import read_metadata

    page = open_page(body, url=url, content_type=content_type)
    return PageReading(
        title=_title(page),
        language=declared_language(page),
        tags=read_page_tags(page, url=url, headers=headers),
        article=_marks(read_metadata(page.tree, elements=page.elements, url=url, fetched_at=now)),
        cut=page_cut(page),
    )


def read_header_tags(url: str, headers: Fields) -> PageTags:
    """What the headers of a page say that was refused."""
    return read_page_tags(None, url=url, headers=headers)


def read_listed_feeds(
    body: bytes, url: str, content_type: str, headers: Fields
) -> tuple[FeedLink, ...] | None:
    """The feeds that a page lists; None where it is no page."""
    if kind_of(body, content_type).name != "html":
        return None
    page = open_page(body, url=url, content_type=content_type)
    return read_page_links(page, base_url=url, headers=headers).feeds


def read_feed_outline(body: bytes, url: str, content_type: str) -> FeedDocument:
    """A feed without the texts of its items: a scout asks what there is, when it came out, and under which terms."""
    document = read_feed(body, base_url=url, content_type=content_type)
    return FeedDocument(
        kind=document.kind,
        title=document.title,
        home_url=document.home_url,
        items=tuple(map(_outline, document.items)),
        hints=document.hints,
        language=document.language,
        updated_at=document.updated_at,
        truncated=document.truncated,
    )


def _outline(item: Item) -> Item:
    return Item(
        feed_url=item.feed_url,
        guid=item.guid,
        url=item.url,
        title=item.title,
        published_at=item.published_at,
        updated_at=item.updated_at,
        extra={name: item.extra[name] for name in _TERMS if name in item.extra},
    )


def declared_language(page: Page) -> str:
    """The language that a page says it is in."""
    root = page.tree.css_first("html")
    return language_of((root.attributes.get("lang") or "") if root is not None else "")


def _title(page: Page) -> str | None:
    tag = page.tree.css_first("title")
    return tag.text().strip()[:MAX_TITLE] if tag else None


def _marks(metadata: Metadata) -> ArticleMarks:
    paywall = metadata.paywall
    return ArticleMarks(
        title=metadata.title.value,
        formats={str(name): row for name, row in metadata.formats.items()},
        paywall=paywall.value,
        paywall_claims=tuple((claim.source, str(claim.value)) for claim in paywall.claims),
    )


def _article_link(page: Page, url: str) -> str:
    """The first link that looks like an article's."""
    for anchor in page.tree.css("a[href]")[:MAX_ANCHORS]:
        try:
            target = resolve(url, anchor.attributes.get("href") or "")
        except ValueError:
            continue
        if _ARTICLE_PATH.search(urlsplit(target).path) and same_site(target, url):
            return target
    return ""


def _refresh_target(page: Page, url: str) -> str:
    """Where a page sends a browser on at once; one that loads itself anew every few minutes sends it nowhere."""
    for tag in page.tree.css("meta[http-equiv=refresh i]"):
        written = _REFRESH.fullmatch((tag.attributes.get("content") or "")[:MAX_URL].strip())
        if written is None or float(written[1]) > AT_ONCE:
            continue
        try:
            target = resolve(url, written[2].strip("'\" "))
        except ValueError:
            continue
        if is_web_url(target) and page_key(target) != page_key(url):
            return target
    return ""


# Terms that a page names in its linked data, where no reader sees them.

MAX_NODES: Final = 500  # of linked data on one page
MAX_URL: Final = 2_000  # characters
# What schema.org calls them; the second is about one work, and on homepages often means all.
_FIELDS: Final = {"termsOfService": 0.95, "usageInfo": 0.6}


def read_linked_terms(page: Page, *, url: str) -> dict[str, float]:
    """Addresses of terms in the JSON-LD of a page, with how likely they are that."""
    found: dict[str, float] = {}
    nodes = link_scripts(read_head(page.tree, page.elements).data_scripts).nodes[:MAX_NODES]
    for name, score in _FIELDS.items():
        for node in nodes:
            for written in _addresses(node.get(name)):
                try:
                    address = resolve(url, written)
                except ValueError:
                    continue
                if is_web_url(address):
                    found[address] = max(score, found.get(address, 0.0))
    return found


def _addresses(value: Any) -> Iterator[str]:
    for node in value if isinstance(value, list) else [value]:
        written = node.get("url") or node.get("@id") if isinstance(node, dict) else node
        if isinstance(written, str) and " " not in written.strip() and 0 < len(written) <= MAX_URL:
            yield written.strip()
