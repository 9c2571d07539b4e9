"""Where a publisher's terms may stand: links of the homepage, linked data, an RSL document, a guess.

Each place with how likely it is, the likeliest first. Only when nobody names any are two well-known paths
tried, side by side; what answers there has to call itself terms.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urljoin

from wireroom.errors import FetchError
from wireroom.languages import language_of
from wireroom.parse.html import Page
from wireroom.parse.links import PageLinks
from wireroom.parse.links.terms_links import is_about_privacy
from wireroom.parse.metadata.head import read_head
from wireroom.parse.metadata.jsonld import link_scripts
from wireroom.ports import StepContext
from wireroom.rights.finding_index import facts_of
from wireroom.signals.rsl.rsl_document import RslFacts
from wireroom.signals.shared import home_links, home_page, origin_of
from wireroom.urls import is_web_url, resolve

MAX_GUESSES = 2  # probes: one path of everybody's, one of the page's language
BY_RSL = 0.8  # a licence document names its terms, and those of the licence are not always all
BY_GUESS = 0.5

_EVERYWHERE = "/terms"
# What papers call the page, by the language of theirs; as of 2026-11.
_PATHS = {
    "en": "/terms-of-use",
    "de": "/nutzungsbedingungen",
    "fr": "/mentions-legales",
    "es": "/aviso-legal",
    "it": "/termini-e-condizioni",
    "pt": "/termos-de-uso",
    "nl": "/algemene-voorwaarden",
    "pl": "/regulamin",
    "sv": "/anvandarvillkor",
    "cs": "/podminky",
    "tr": "/kullanim-kosullari",
    "ja": "/kiyaku",
}


@dataclass(frozen=True, slots=True)
class TermsPlace:
    """An address, how likely terms are there, and who says so."""

    url: str
    score: float
    source: str
    title: str = ""


async def named_places(context: StepContext) -> tuple[tuple[TermsPlace, ...], FetchError | None]:
    """Every place that is named, the likeliest first; with the error when the homepage is not to be had."""
    places = list(_in_rsl(context))
    failure = None
    try:
        links, page = await asyncio.gather(home_links(context), home_page(context))
        places += _in_links(links)
        places += _in_data(page.page, page.url)
    except FetchError as error:
        failure = error
    return _ranked(places), failure


async def guessed_places(context: StepContext) -> tuple[TermsPlace, ...]:
    """Two addresses where terms often are."""
    page = await home_page(context)
    root = page.page.tree.css_first("html")
    language = language_of((root.attributes.get("lang") or "") if root is not None else "")
    paths = [_EVERYWHERE, _PATHS.get(language, _PATHS["en"])][:MAX_GUESSES]
    origin = origin_of(page.url)
    return tuple(TermsPlace(urljoin(origin, path), BY_GUESS, "probe") for path in paths)


def _ranked(places: Iterable[TermsPlace]) -> tuple[TermsPlace, ...]:
    """Each address once, by its highest score."""
    best: dict[str, TermsPlace] = {}
    for place in sorted(places, key=lambda place: -place.score):
        best.setdefault(place.url.partition("#")[0], place)
    return tuple(best.values())


def _in_links(links: PageLinks) -> Iterator[TermsPlace]:
    for link in links.terms:
        where = "footer" if link.in_footer else link.source
        yield TermsPlace(link.url, link.score, where, link.title)


def _in_data(page: Page, url: str) -> Iterator[TermsPlace]:
    for address, score in read_linked_terms(page, url=url).items():
        if not is_about_privacy(address):
            yield TermsPlace(address, score, "json_ld")


def _in_rsl(context: StepContext) -> Iterator[TermsPlace]:
    finding = context.findings.get("rsl")
    facts = facts_of(finding, RslFacts) if finding is not None else None
    for notice in facts.notices if facts is not None else ():
        for content in notice.document.contents if notice.document is not None else ():
            try:
                url = resolve(notice.licence_url or notice.page_url, content.terms_url)
            except ValueError:
                continue
            if content.terms_url and is_web_url(url) and not is_about_privacy(url):
                yield TermsPlace(url, BY_RSL, "rsl")


# Terms that a page names in its linked data, where no reader sees them.

MAX_NODES: Final = 500  # of linked data on one page
MAX_URL: Final = 2_000  # characters
# What schema.org calls them; the second is about one work, and on homepages often means all.
_FIELDS: Final = {"termsOfService": 0.95, "usageInfo": 0.6}


def read_linked_terms(page: Page, *, url: str) -> dict[str, float]:
    """Addresses of terms in the JSON-LD of a page, with how likely they are that."""
    found: dict[str, float] = {}
    nodes = link_scripts(read_head(page.tree).data_scripts).nodes[:MAX_NODES]
    for field, score in _FIELDS.items():
        for node in nodes:
            for written in _addresses(node.get(field)):
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
