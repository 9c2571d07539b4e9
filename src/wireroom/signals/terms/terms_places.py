"""Where a publisher's terms may stand: links of the homepage, linked data, an RSL document, a guess.

Each place with how likely it is, the likeliest first. Only when nobody names any are two well-known paths
tried, side by side; what answers there has to call itself terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urljoin

from wireroom.errors import FetchError, ParseError
from wireroom.parse.links import PageLinks
from wireroom.parse.links.terms_links import is_about_privacy
from wireroom.ports import StepContext
from wireroom.rights.finding_index import facts_of
from wireroom.signals.documents import OpenPage, UnreadError, home_page, origin_of
from wireroom.signals.rsl.rsl_document import RslFacts
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
    failure: FetchError | None = None
    try:
        page = await home_page(context)
    except FetchError as error:
        failure = error
    else:
        places += _in_links(page.reading.links)
        places += _in_data(page.reading.front.terms)
        failure = _cut(page)
    return _ranked(places), failure


def _cut(page: OpenPage) -> FetchError | None:
    """That the homepage was not read to its end, where links to terms often stand."""
    too_many = "links" in page.reading.links.truncated
    why = page.reading.cut or ("it has more links than are looked at" if too_many else "")
    return UnreadError(page.response, ParseError(why)) if why else None


async def guessed_places(context: StepContext) -> tuple[TermsPlace, ...]:
    """Two addresses where terms often are."""
    page = await home_page(context)
    paths = [_EVERYWHERE, _PATHS.get(page.reading.language, _PATHS["en"])][:MAX_GUESSES]
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


def _in_data(terms: Mapping[str, float]) -> Iterator[TermsPlace]:
    for address, score in terms.items():
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
