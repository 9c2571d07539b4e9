"""Everything one page says about its use, in its headers and its tree, in one walk.

Pure. A response's headers and a tree that somebody else parsed come in; each signal's part goes out in
the form its finding keeps. Documents that are only named here (RSL, policies) are for the caller to get.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from selectolax.lexbor import LexborNode

from wireroom.errors import ParseError
from wireroom.model import Facts
from wireroom.parse.html import Page
from wireroom.parse.links import HeaderLink, links_of_rel, read_link_headers
from wireroom.parse.metadata.head import read_head
from wireroom.parse.metadata.jsonld import about_page, flat, link_scripts
from wireroom.parse.plain_text import line
from wireroom.parse.signals.addresses import web_address
from wireroom.parse.signals.licences import (
    LicenceField,
    LicenceNotice,
    LicencePage,
    LicencePlace,
    licence_code,
    rights_fields,
)
from wireroom.parse.signals.robots_tag import (
    Directive,
    RobotsTagPage,
    meta_agent,
    read_robots_tag,
)
from wireroom.parse.signals.rsl import MAX_BYTES, read_rsl
from wireroom.parse.signals.rsl_nouns import MEDIA_TYPE, RslNotice
from wireroom.parse.signals.tdmrep import TdmPage, TdmWord, read_reservation
from wireroom.urls import is_web_url

MAX_TAGS: Final = 2_000  # of all kinds looked at; real pages have up to some 400
MAX_NOTICES: Final = 50  # of one kind on one page
MAX_DIRECTIVES: Final = 200  # of one page
MAX_VALUES: Final = 20  # headers of one name
MAX_VALUE: Final = 4_096  # characters of one header
MAX_EXCERPT: Final = 300  # characters of evidence that a report shows
MAX_STEPS: Final = 12  # from an element up to what it belongs to

_TAGS: Final = (
    'meta[name],link[rel~="license" i],a[rel~="license" i],'
    'script[type*="rsl+xml" i],[data-nosnippet],base[href]'
)
_WHOLE_PAGE: Final = frozenset({"head", "html", "body"})
# A licence in here is that of a picture, a quote or a neighbour, not of the page.
_ASIDE: Final = frozenset({"figure", "figcaption", "aside", "blockquote"})
# What bot managers and payment protocols call a price, as of November 2026.
_PRICES: Final = frozenset(
    ("crawler-price", "crawler-max-price", "crawler-charged", "payment-required", "x-payment")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderPage:
    """The headers of one name on one page."""

    url: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderField:
    """One header as it came."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSignals:
    """All that one page says of itself."""

    url: str
    rsl: tuple[RslNotice, ...] = ()
    content_signal: HeaderPage
    content_usage: HeaderPage
    tdm: TdmPage
    robots_tag: RobotsTagPage
    licence: LicencePage
    prices: tuple[HeaderField, ...] = ()
    """A price for crawlers: recorded, it speaks of access and of no use."""


def read_page_signals(
    page: Page | None,
    *,
    url: str,
    headers: Iterable[tuple[str, str]] = (),
    json_ld: Iterable[Facts] | None = None,
) -> PageSignals:
    """What the page at `url` says; without a tree, what its headers say.

    `json_ld` are the objects of the page where somebody has read them already.
    """
    fields = [(name.lower(), value[:MAX_VALUE]) for name, value in headers]
    links = links_of_rel(read_link_headers(_values(fields, "link"), base_url=url), "license")
    walk = _Walk(url)
    if page is not None:
        walk.take_all(page)
    linked = _linked_fields(page, url, json_ld)
    return PageSignals(
        url=url,
        rsl=(*_rsl_headers(links, url), *walk.rsl)[:MAX_NOTICES],
        content_signal=HeaderPage(url=url, values=_values(fields, "content-signal")),
        content_usage=HeaderPage(url=url, values=_values(fields, "content-usage")),
        tdm=TdmPage(url=url, header=_tdm(fields, url), meta=_tdm(walk.metas, walk.base_url)),
        robots_tag=RobotsTagPage(
            url=url,
            directives=(*_header_directives(fields), *walk.directives)[:MAX_DIRECTIVES],
            nosnippet_parts=walk.nosnippet_parts,
        ),
        licence=LicencePage(
            url=url,
            notices=(*_header_licences(links), *walk.licences, *_field_licences(linked))[
                :MAX_NOTICES
            ],
            fields=linked,
        ),
        prices=tuple(
            HeaderField(name=name, value=line(value, MAX_EXCERPT))
            for name, value in fields
            if name in _PRICES
        )[:MAX_VALUES],
    )


# --- headers -----------------------------------------------------------------------------------


def _values(fields: Sequence[tuple[str, str]], name: str) -> tuple[str, ...]:
    return tuple(value for own, value in fields if own == name)[:MAX_VALUES]


def _header_directives(fields: Sequence[tuple[str, str]]) -> Iterator[Directive]:
    for value in _values(fields, "x-robots-tag"):
        yield from read_robots_tag(value)


def _tdm(fields: Sequence[tuple[str, str]], base_url: str) -> TdmWord:
    """Header and meta tag have the same names; a 1 beside a 0 is a reservation."""
    said = {read_reservation(value) for value in _values(fields, "tdm-reservation")}
    policies = (web_address(value, base_url) for value in _values(fields, "tdm-policy"))
    return TdmWord(
        reservation=1 if 1 in said else 0 if 0 in said else None,
        policy_url=next(filter(None, policies), ""),
    )


def _rsl_headers(links: Iterable[HeaderLink], url: str) -> Iterator[RslNotice]:
    for link in links:
        if link.type == MEDIA_TYPE:
            shown = f'Link: <{link.url}>; rel="license"; type="{MEDIA_TYPE}"'
            yield RslNotice(
                place="header", licence_url=link.url, page_url=url, excerpt=line(shown, MAX_EXCERPT)
            )


def _header_licences(links: Iterable[HeaderLink]) -> Iterator[LicenceNotice]:
    for link in links:
        if link.type != MEDIA_TYPE:
            yield _licence(link.url, "header", f'Link: <{link.url}>; rel="license"')


# --- the tree ----------------------------------------------------------------------------------


class _Walk:
    """The tags of a page that speak of rights, sorted by what they are about."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.base_url = url
        self.metas: list[tuple[str, str]] = []
        self.directives: list[Directive] = []
        self.rsl: list[RslNotice] = []
        self.licences: list[LicenceNotice] = []
        self.nosnippet_parts = 0

    def take_all(self, page: Page) -> None:
        """Every tag of the page, up to a limit."""
        nodes = page.tree.css(_TAGS)[:MAX_TAGS]
        for node in nodes:
            if node.tag == "base":
                self.base_url = web_address(node.attributes.get("href"), self.url) or self.url
                break
        for node in nodes:
            self._take(node)

    def _take(self, node: LexborNode) -> None:
        attributes = node.attributes
        tag = node.tag
        self.nosnippet_parts += "data-nosnippet" in attributes
        if tag == "meta":
            self._take_meta(attributes)
        elif tag == "script" and len(self.rsl) < MAX_NOTICES:
            self._take_script(node)
        elif tag in {"link", "a"} and "license" in (attributes.get("rel") or "").lower().split():
            self._take_link(node, attributes)

    def _take_meta(self, attributes: dict[str, str | None]) -> None:
        name, content = attributes.get("name") or "", attributes.get("content") or ""
        name = name.strip().lower()
        if name in {"tdm-reservation", "tdm-policy"}:
            self.metas.append((name, content[:MAX_VALUE]))
        elif (agent := meta_agent(name, content)) and len(self.directives) < MAX_DIRECTIVES:
            self.directives += read_robots_tag(content, agent=agent)

    def _take_script(self, node: LexborNode) -> None:
        held = node.first_child
        text = (held.text_content if held is not None else None) or ""
        notice = RslNotice(
            place="html_script",
            page_url=self.url,
            part=_is_part(node),
            excerpt=line(text, MAX_EXCERPT),
        )
        try:
            # One byte more than the limit is enough to be refused for its length.
            body = text[: MAX_BYTES + 1].encode("utf-8", "replace")
            self.rsl.append(replace(notice, document=read_rsl(body)))
        except ParseError as exc:
            self.rsl.append(replace(notice, problem=exc.message))

    def _take_link(self, node: LexborNode, attributes: dict[str, str | None]) -> None:
        href = web_address(attributes.get("href"), self.base_url)
        if not href:
            return
        shown = line((node.html or "").partition(">")[0] + ">", MAX_EXCERPT)
        kind = (attributes.get("type") or "").partition(";")[0].strip().lower()
        if kind == MEDIA_TYPE:
            notice = RslNotice(
                place="html_link",
                licence_url=href,
                page_url=self.url,
                part=_is_part(node),
                excerpt=shown,
            )
            self.rsl += [notice] if len(self.rsl) < MAX_NOTICES else []
        elif len(self.licences) < MAX_NOTICES and not _is_aside(node):
            place: LicencePlace = "html_link" if node.tag == "link" else "html_anchor"
            self.licences.append(_licence(href, place, shown))


def _is_part(node: LexborNode) -> bool:
    """Whether what stands here speaks of its parent element alone: the head speaks of the page."""
    parent = node.parent
    return parent is not None and parent.tag not in _WHOLE_PAGE


def _is_aside(node: LexborNode) -> bool:
    above = node.parent
    for _ in range(MAX_STEPS):
        if above is None:
            return False
        if above.tag in _ASIDE:
            return True
        above = above.parent
    return False


# --- linked data -------------------------------------------------------------------------------


def _linked_fields(
    page: Page | None, url: str, json_ld: Iterable[Facts] | None
) -> tuple[LicenceField, ...]:
    if json_ld is not None:
        nodes = list(flat([dict(one) for one in json_ld]))
        return rights_fields(about_page(nodes, [url]))
    if page is None:
        return ()
    head = read_head(page.tree)
    data = link_scripts(head.data_scripts)
    return rights_fields(about_page(list(data.nodes), [url, head.link("canonical")]))


def _field_licences(fields: Iterable[LicenceField]) -> Iterator[LicenceNotice]:
    for field in fields:
        if field.name == "license" and is_web_url(field.value):
            yield _licence(field.value, "json_ld", f'"license": "{field.value}"')


def _licence(url: str, place: LicencePlace, shown: str) -> LicenceNotice:
    return LicenceNotice(
        url=url, code=licence_code(url), place=place, excerpt=line(shown, MAX_EXCERPT)
    )
