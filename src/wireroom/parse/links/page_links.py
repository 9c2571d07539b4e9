"""The links of one page: one pass over its link tags and anchors, then its headers.

Reads a tree that somebody else parsed. Only links that say something about the page or its publisher
are kept; every list has a cap, and what a cap cut is said. Whether a link is a feed, an icon or leads to
terms is for `feeds`, `icons` and `terms` to judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, TypeVar

from selectolax.lexbor import LexborHTMLParser, LexborNode

from wireroom.languages import normal_tag
from wireroom.parse.html import Page
from wireroom.parse.links.feed_links import (
    is_feed_link,
    looks_like_feed,
    looks_like_sitemap,
    media_type,
)
from wireroom.parse.links.link_headers import HeaderLink, in_footer, read_link_headers, scope_of
from wireroom.parse.links.terms_links import MAX_WORDS, terms_score
from wireroom.parse.links.types import (
    FeedLink,
    Icon,
    InlineLicence,
    LanguageLink,
    LicenceLink,
    LinkSource,
    PageLinks,
    TermsLink,
)
from wireroom.parse.plain_text import clean, line
from wireroom.urls import same_site, web_link

# Which icon of a page shows its publisher best.

ICON_RELS: Final = (
    "apple-touch-icon",
    "apple-touch-icon-precomposed",
    "icon",
    "fluid-icon",
    "mask-icon",
)
TOUCH_SIZE: Final = 180  # pixels: what a touch icon has when nobody says
DRAWING_SIZE: Final = 256  # pixels that a drawing counts for: sharp at any size, plain in most
LARGE_ENOUGH: Final = 512  # pixels; more is no better, and a megabyte
MAX_SIZES: Final = 200  # characters of a list of sizes

_SIZE: Final = re.compile(r"(\d{1,4})[xX](\d{1,4})", re.ASCII)


def icon_size(sizes: str, rel: str, kind: str, url: str) -> int:
    """The larger side in pixels, as said or as such icons are."""
    stated = [max(int(wide), int(high)) for wide, high in _SIZE.findall(sizes[:MAX_SIZES])]
    if stated:
        return max(stated)
    if "svg" in kind or url.partition("?")[0].endswith(".svg"):
        return DRAWING_SIZE
    return TOUCH_SIZE if rel.startswith("apple-touch") else 0


def best_first(icons: Iterable[Icon]) -> tuple[Icon, ...]:
    """The largest useful one first; a mask is a shape without colours and comes last."""
    return tuple(
        sorted(icons, key=lambda icon: (icon.rel == "mask-icon", -min(icon.size, LARGE_ENOUGH)))
    )


MAX_LINKS: Final = 5_000  # link tags and anchors looked at; the fullest home pages have some 2,000
MAX_FEEDS: Final = 200  # a paper announces one feed for every section, some a hundred
MAX_SITEMAPS: Final = 50
MAX_LICENCES: Final = 50
MAX_INLINE: Final = 10  # licences written into the page
MAX_INLINE_TEXT: Final = 1_000_000  # characters of one: the cap on licence documents
MAX_TERMS: Final = 20
MAX_ICONS: Final = 50
MAX_LANGUAGES: Final = 200
MAX_HUBS: Final = 10
MAX_TITLE: Final = 300  # characters
MAX_HREF: Final = 4_096  # characters; longer ones are data
WORDS_LOOK: Final = 150  # anchors at the end whose words are read: there the small print stands
FOOTER: Final = 0.05  # added to the score of terms in a footer
ELSEWHERE: Final = 0.2  # taken from that of terms on another publisher's site

_TAGS: Final = 'link[href],a[href],base[href],script[type*="rsl+xml" i]'
_ANY_HOST: Final = "https://x/"  # stands for the host while only a path is judged
_TERMS_RELS: Final = frozenset(("terms-of-service", "terms-of-use", "terms"))
_TELLING_RELS: Final = frozenset(
    {"alternate", "feed", "sitemap", "hub", "self", "canonical", "amphtml", "license"}
    | {*ICON_RELS, *_TERMS_RELS}
)
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
_NO_RELS: Final[frozenset[str]] = frozenset()


def read_page_links(
    page: Page | LexborHTMLParser, *, base_url: str = "", headers: Iterable[tuple[str, str]] = ()
) -> PageLinks:
    """What the links of a page and of its headers say; `base_url` is where the page came from."""
    tree = page.tree if isinstance(page, Page) else page
    base_url = base_url or (page.url if isinstance(page, Page) else "")
    nodes = tree.css(_TAGS)
    gathered = _Gathered(base_url, _base_of(nodes[:MAX_LINKS], base_url))
    values = [value for name, value in headers if name.lower() == "link"]
    gathered.add_headers(read_link_headers(values, base_url=base_url))
    if len(nodes) > MAX_LINKS:
        gathered.truncated.append("links")
    words_from = min(len(nodes), MAX_LINKS) - WORDS_LOOK
    for place, node in enumerate(nodes[:MAX_LINKS]):
        tag = node.tag
        if tag == "a":
            gathered.add_anchor(node, read_words=place >= words_from)
        elif tag == "link":
            gathered.add_link(node)
        elif tag == "script":
            gathered.add_script(node)
    return gathered.whole()


def _base_of(nodes: list[LexborNode], page_url: str) -> str:
    """The first `<base href>` that is an address of the web; else the page's own."""
    for node in nodes:
        if node.tag == "base":
            return _address(page_url, node.attributes.get("href")) or page_url
    return page_url


def _address(base_url: str, href: str | None) -> str:
    return web_link(base_url, href) if href and len(href) <= MAX_HREF else ""


def _rels(text: str | None) -> frozenset[str]:
    return frozenset(text.lower().split()) if text else _NO_RELS


class _Gathered:
    """What was found so far, each address once in each list."""

    def __init__(self, page_url: str, base_url: str) -> None:
        self.page_url = page_url
        self.base_url = base_url
        self.truncated: list[str] = []
        self.feeds: dict[str, FeedLink] = {}
        self.anchored_feeds: dict[str, FeedLink] = {}
        self.hubs: dict[str, str] = {}
        self.sitemaps: dict[str, str] = {}
        self.licences: dict[tuple[str, str], LicenceLink] = {}
        self.inline: list[InlineLicence] = []
        self.terms: dict[str, TermsLink] = {}
        self.icons: dict[str, Icon] = {}
        self.languages: dict[tuple[str, str], LanguageLink] = {}
        self.single: dict[str, str] = {}

    def whole(self) -> PageLinks:
        """All of it, in the order that was promised."""
        feeds = {
            **self.feeds,
            **{u: f for u, f in self.anchored_feeds.items() if u not in self.feeds},
        }
        likeliest = sorted(self.terms.values(), key=lambda link: -link.score)
        return PageLinks(
            base_url=self.base_url,
            feeds=tuple(feeds.values())[:MAX_FEEDS],
            hub_urls=tuple(self.hubs),
            self_url=self.single.get("self", ""),
            sitemap_urls=tuple(self.sitemaps),
            licences=tuple(self.licences.values()),
            inline_licences=tuple(self.inline),
            terms=tuple(likeliest[:MAX_TERMS]),
            icons=best_first(self.icons.values()),
            canonical_url=self.single.get("canonical", ""),
            amp_url=self.single.get("amphtml", ""),
            languages=tuple(self.languages.values()),
            truncated=tuple(self.truncated),
        )

    def _keep(
        self, kept: dict[_Key, _Value], key: _Key, value: _Value, limit: int, name: str
    ) -> None:
        if key in kept:
            return
        if len(kept) < limit:
            kept[key] = value
        elif name not in self.truncated:
            self.truncated.append(name)

    # --- headers and link tags

    def add_headers(self, links: tuple[HeaderLink, ...]) -> None:
        """Links of the response; those that speak of another document are left out."""
        for link in links:
            if not link.anchor:
                title = line(link.parameters.get("title", ""), MAX_TITLE)
                language = link.parameters.get("hreflang", "")
                self._add_related(
                    link.url, frozenset(link.rels), link.type, title, language, "header"
                )
                if "license" in link.rels:
                    self._add_licence(link.url, link.type, title, "header", "")

    def add_link(self, node: LexborNode) -> None:
        """A link tag."""
        attributes = node.attributes
        rels = _rels(attributes.get("rel"))
        if rels.isdisjoint(_TELLING_RELS):
            return
        url = _address(self.base_url, attributes.get("href"))
        if not url:
            return
        kind = media_type(attributes.get("type") or "")
        title = line(attributes.get("title") or "", MAX_TITLE)
        self._add_related(url, rels, kind, title, attributes.get("hreflang") or "", "link")
        if "license" in rels:
            self._add_licence(url, kind, title, "link", scope_of(node))
        for rel in ICON_RELS:
            if rel in rels:
                size = icon_size(attributes.get("sizes") or "", rel, kind, url)
                icon = Icon(url=url, rel=rel, type=kind, size=size)
                self._keep(self.icons, url, icon, MAX_ICONS, "icons")
                break

    def _add_related(
        self,
        url: str,
        rels: frozenset[str],
        kind: str,
        title: str,
        language: str,
        source: LinkSource,
    ) -> None:
        if is_feed_link(rels, kind, url):
            feed = FeedLink(url=url, type=kind, title=title, source=source)
            self._keep(self.feeds, url, feed, MAX_FEEDS, "feeds")
        elif "alternate" in rels and language and "stylesheet" not in rels:
            self._add_language(url, language)
        if "sitemap" in rels:
            self._keep(self.sitemaps, url, url, MAX_SITEMAPS, "sitemaps")
        if "hub" in rels:
            self._keep(self.hubs, url, url, MAX_HUBS, "hubs")
        for rel in ("self", "canonical", "amphtml"):
            if rel in rels:
                self.single.setdefault(rel, url)
        if rels & _TERMS_RELS:
            self._add_terms(TermsLink(url=url, title=title, score=1.0, source=source))

    def _add_language(self, url: str, text: str) -> None:
        language = "x-default" if text.strip().lower() == "x-default" else normal_tag(text)
        if language:
            link = LanguageLink(url=url, language=language)
            self._keep(self.languages, (language, url), link, MAX_LANGUAGES, "languages")

    def _add_licence(self, url: str, kind: str, title: str, source: LinkSource, scope: str) -> None:
        link = LicenceLink(url=url, type=kind, title=title, source=source, scope=scope)
        self._keep(self.licences, (url, scope), link, MAX_LICENCES, "licences")

    # --- the body

    def add_anchor(self, node: LexborNode, *, read_words: bool) -> None:
        """An anchor: most lead to the next story and are left at a glance at their address."""
        attributes = node.attributes
        href = (attributes.get("href") or "").strip()
        if not href or href[0] == "#" or len(href) > MAX_HREF:
            return
        rels = _rels(attributes.get("rel"))
        kind = media_type(attributes["type"] or "") if "type" in attributes else ""
        lowered = (href if "//" in href else f"{_ANY_HOST}{href.lstrip('/')}").lower()
        words = node.text(deep=True)[: 4 * MAX_WORDS] if read_words else ""
        score = 1.0 if rels & _TERMS_RELS else terms_score(words, lowered)
        is_feed = looks_like_feed(lowered) or (
            bool(kind) and is_feed_link(rels | {"alternate"}, kind, lowered)
        )
        is_sitemap = "sitemap" in lowered and looks_like_sitemap(lowered)
        if not (score or is_feed or is_sitemap or "license" in rels):
            return
        url = _address(self.base_url, href)
        if url:
            title = line(node.text(deep=True)[: 4 * MAX_TITLE], MAX_TITLE)
            self._add_known_anchor(
                node, url, rels, kind, title, is_feed=is_feed, is_sitemap=is_sitemap
            )
            if score:
                self._add_anchored_terms(node, url, title, score)

    def _add_known_anchor(
        self,
        node: LexborNode,
        url: str,
        rels: frozenset[str],
        kind: str,
        title: str,
        *,
        is_feed: bool,
        is_sitemap: bool,
    ) -> None:
        if is_feed:
            feed = FeedLink(url=url, type=kind, title=title, source="anchor")
            self._keep(self.anchored_feeds, url, feed, MAX_FEEDS, "feeds")
        if is_sitemap:
            self._keep(self.sitemaps, url, url, MAX_SITEMAPS, "sitemaps")
        if "license" in rels:
            self._add_licence(url, kind, title, "anchor", scope_of(node))

    def _add_anchored_terms(self, node: LexborNode, url: str, title: str, score: float) -> None:
        footer = in_footer(node)
        if self.page_url and not same_site(url, self.page_url):
            score -= ELSEWHERE
        score = round(min(1.0, score + (FOOTER if footer else 0.0)), 3)
        if score > 0:
            self._add_terms(TermsLink(url=url, title=title, score=score, in_footer=footer))

    def _add_terms(self, link: TermsLink) -> None:
        known = self.terms.get(link.url)
        if known is None:
            self._keep(self.terms, link.url, link, 5 * MAX_TERMS, "terms")
        elif known.score < link.score:
            self.terms[link.url] = link

    def add_script(self, node: LexborNode) -> None:
        """A licence document inside the page."""
        text = node.text(deep=True).strip()
        if not text:
            return
        if len(self.inline) >= MAX_INLINE:
            if "inline_licences" not in self.truncated:
                self.truncated.append("inline_licences")
            return
        cut = len(text) > MAX_INLINE_TEXT
        kept = clean(text[:MAX_INLINE_TEXT])
        self.inline.append(InlineLicence(text=kept, scope=scope_of(node), truncated=cut))
