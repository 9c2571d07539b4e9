"""What of one page may speak of its use: headers, meta tags, licence links, linked data; in one walk.

Pure. A response's headers and a tree that somebody else parsed come in; a frozen value goes out that every
signal reads its own part of. What a part means is decided in `wireroom.signals`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from wireroom.model import Facts
from wireroom.parse.html import Page
from wireroom.parse.licence_places import is_of_page, story_of
from wireroom.parse.links import HeaderLink, links_of_rel, read_link_headers
from wireroom.parse.links.link_headers import MAX_LINKS as MAX_HEADER_LINKS
from wireroom.parse.metadata.head import read_head
from wireroom.parse.metadata.jsonld import about_page, flat, link_scripts
from wireroom.parse.plain_text import line
from wireroom.urls import web_link

MAX_TAGS: Final = 2_000  # of all kinds looked at; real pages have up to some 400
MAX_LINKS: Final = 50  # of one kind on one page
MAX_VALUE: Final = (
    65_536  # characters of one header or meta tag; all headers of a response have as many
)
MAX_NOSCRIPT: Final = 60_000  # characters of one element for readers without scripts
MAX_EXCERPT: Final = 300  # characters of evidence that a report shows
MAX_SCRIPT: Final = 1_000_001  # characters of a script: one more than an RSL document may have

RSL_TYPE: Final = "application/rsl+xml"
_RSL_KIND: Final = "rsl+xml"
_TAGS: Final = (
    'meta[name],meta[http-equiv],meta[property="robots" i],meta[property^="tdm-" i],'
    'link[rel~="license" i],a[rel~="license" i],'
    'script[type*="rsl+xml" i],[data-nosnippet],base[href],noscript'
)
_AS_ROBOTS: Final = frozenset({"robots", "x-robots-tag"})
"""What tags in place of a header, or of another kind, are called that mean what `<meta name="robots">` means."""
_AS_HEADER: Final = frozenset({"content-signal", "content-usage", "tdm-reservation", "tdm-policy"})
"""Headers that no standard knows as such a tag: whoever writes one may mean a refusal."""
_WITHOUT_SCRIPTS: Final = re.compile(r"<meta|rsl\+xml", re.IGNORECASE)
_WHOLE_PAGE: Final = frozenset({"head", "html", "body"})
Fields = tuple[tuple[str, str], ...]
"""Names in lower case, with their values."""
UNREAD_HEADERS: Final = ":unread"
"""A name that no header has: its value says which limit left out some of those beside it."""


class LicenceTag(NamedTuple):
    """An element that names a licence, or holds one."""

    tag: Literal["link", "a", "script"]
    url: str = ""
    """Empty for a script, which holds the document itself."""
    type: str = ""
    text: str = ""
    """What a script holds."""
    shown: str = ""
    """The element as evidence."""
    part: bool = False
    """Whether it speaks of its parent element alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTags:
    """All of one page that signals read."""

    url: str
    base_url: str
    """What relative addresses in its tags are resolved against."""
    headers: Fields = ()
    header_licences: tuple[HeaderLink, ...] = ()
    """What its Link headers name as a licence."""
    metas: Fields = ()
    licences: tuple[LicenceTag, ...] = ()
    """In the order of the page."""
    nosnippet_parts: int = 0
    """Elements with `data-nosnippet`: parts of the page that may not be quoted."""
    nodes: tuple[Facts, ...] = ()
    """Linked data about the page."""
    cut: str = ""
    """Which limit was met; what stands behind it may refuse anything. Empty where everything was looked at."""


def values_of(fields: Fields, name: str) -> tuple[str, ...]:
    """The values of one header or meta tag, as they stand."""
    return tuple(value for own, value in fields if own == name)


def read_page_tags(
    page: Page | None,
    *,
    url: str,
    headers: Iterable[tuple[str, str]] = (),
    json_ld: Iterable[Facts] | None = None,
) -> PageTags:
    """What the page at `url` holds; without a tree, what its headers hold.

    `json_ld` are the objects of the page where somebody has read them already.
    """
    sent = [(name.lower(), value) for name, value in headers]
    fields = tuple((name, value[:MAX_VALUE]) for name, value in sent)
    links = read_link_headers(values_of(fields, "link"), base_url=url)
    walk = _Walk(url)
    walk.cut = _header_cut(sent, links)
    if page is not None:
        walk.take_all(page)
    return PageTags(
        url=url,
        base_url=walk.base_url,
        headers=fields,
        header_licences=tuple(links_of_rel(links, "license")),
        metas=tuple(walk.metas),
        licences=tuple(walk.licences),
        nosnippet_parts=walk.nosnippet_parts,
        nodes=tuple(_nodes(page, url, json_ld)),
        cut=walk.cut,
    )


def page_cut(page: Page) -> str:
    """Why the page was not read to its end; empty where it was."""
    return f"the page has more than is read of it ({', '.join(page.cut)})" if page.cut else ""


def _header_cut(sent: Iterable[tuple[str, str]], links: Sequence[HeaderLink]) -> str:
    """Which limit headers met, or that a link to RSL among them could not be read."""
    missing = next((value for name, value in sent if name == UNREAD_HEADERS), "")
    if missing:
        return missing
    if any(len(value) > MAX_VALUE for _, value in sent):
        return f"more than {MAX_VALUE:,} characters of a header"
    if len(links) >= MAX_HEADER_LINKS:
        return f"more than {MAX_HEADER_LINKS} links in headers"
    written = sum(value.lower().count(_RSL_KIND) for name, value in sent if name == "link")
    read = sum(
        text.lower().count(_RSL_KIND)
        for link in links
        for text in (link.url, *link.parameters.values())
    )
    return "a Link header with RSL that cannot be read" if written > read else ""


def _nodes(page: Page | None, url: str, json_ld: Iterable[Facts] | None) -> Iterable[Facts]:
    if json_ld is not None:
        return about_page(list(flat([dict(node) for node in json_ld])), [url])
    if page is None:
        return ()
    head = read_head(page.tree, page.elements)
    data = link_scripts(head.data_scripts)
    return about_page(list(data.nodes), [url, head.link("canonical")])


class _Walk:
    """The tags of a page that speak of rights, sorted by what they are."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.base_url = url
        self.metas: list[tuple[str, str]] = []
        self.licences: list[LicenceTag] = []
        self.nosnippet_parts = 0
        self._story: LexborNode | None = None
        self.cut = ""
        self._room = {"rsl": MAX_LINKS, "other": MAX_LINKS}

    def take_all(self, page: Page) -> None:
        """Every tag of the page, up to a limit."""
        nodes = page.tree.css(_TAGS)
        self._met(page_cut(page))
        if len(nodes) > MAX_TAGS:
            self._met(f"more than {MAX_TAGS:,} tags that may speak of rights")
            nodes = nodes[:MAX_TAGS]
        self._story = story_of(page)
        for node in nodes:
            if node.tag == "base":
                self.base_url = _link(self.url, node.attributes.get("href")) or self.url
                break
        for node in nodes:
            self._take(node)

    def _met(self, limit: str) -> None:
        self.cut = self.cut or limit

    def _take_without_scripts(self, noscript: LexborNode) -> None:
        """What is meant for readers without scripts, as we are one: to the parser it is a text."""
        text = noscript.text(deep=True)
        if not _WITHOUT_SCRIPTS.search(text):
            return
        if len(text) > MAX_NOSCRIPT:
            self._met(f"more than {MAX_NOSCRIPT:,} characters for readers without scripts")
            return
        for node in LexborHTMLParser(text).css(_TAGS)[:MAX_TAGS]:
            if node.tag in {"meta", "script"} or _is_rsl(node.attributes):
                self._take(node)

    def _take(self, node: LexborNode) -> None:
        attributes = node.attributes
        tag = node.tag
        self.nosnippet_parts += "data-nosnippet" in attributes
        if tag == "meta":
            self._take_meta(attributes)
        elif tag == "script":
            self._take_script(node)
        elif tag == "noscript":
            self._take_without_scripts(node)
        elif tag in {"link", "a"} and "license" in (attributes.get("rel") or "").lower().split():
            self._take_link(node, attributes)

    def _take_meta(self, attributes: dict[str, str | None]) -> None:
        content = attributes.get("content") or ""
        name = (attributes.get("name") or "").strip().lower()
        other = (attributes.get("http-equiv") or attributes.get("property") or "").strip().lower()
        if other in _AS_ROBOTS:
            self._add_meta("robots", content)
        elif other in _AS_HEADER:
            self._met(f"a tag in place of a header: {other}")
        if name:
            self._add_meta(name, content)

    def _add_meta(self, name: str, content: str) -> None:
        if len(content) > MAX_VALUE:
            self._met(f"more than {MAX_VALUE:,} characters of a meta tag")
        self.metas.append((name, content[:MAX_VALUE]))

    def _take_script(self, node: LexborNode) -> None:
        held = node.first_child
        text = (held.text_content if held is not None else None) or ""
        self._add("rsl", LicenceTag("script", text=text[:MAX_SCRIPT], part=_is_part(node)))

    def _take_link(self, node: LexborNode, attributes: dict[str, str | None]) -> None:
        href = _link(self.base_url, attributes.get("href"))
        kind = (attributes.get("type") or "").partition(";")[0].strip().lower()
        sort = "rsl" if _is_rsl(attributes) else "other"
        if sort == "rsl":
            kind = RSL_TYPE  # named and without an address it is a document that cannot be read
        elif not (href and self._room[sort] and is_of_page(node, self._story)):
            return  # one licence more permits nothing that the others do not
        shown = line((node.html or "").partition(">")[0] + ">", MAX_EXCERPT)
        tag: Literal["link", "a"] = "link" if node.tag == "link" else "a"
        self._add(sort, LicenceTag(tag, href, kind, shown=shown, part=_is_part(node)))

    def _add(self, sort: str, tag: LicenceTag) -> None:
        if not self._room[sort]:
            self._met(f"more than {MAX_LINKS} RSL links")
            return
        self._room[sort] -= 1
        self.licences.append(tag)


def _is_rsl(attributes: dict[str, str | None]) -> bool:
    return _RSL_KIND in (attributes.get("type") or "").lower()


def _link(base_url: str, href: str | None) -> str:
    return "" if href is None else web_link(base_url, href)


def _is_part(node: LexborNode) -> bool:
    """Whether what stands here speaks of its parent element alone: the head speaks of the page."""
    parent = node.parent
    return parent is not None and parent.tag not in _WHOLE_PAGE
