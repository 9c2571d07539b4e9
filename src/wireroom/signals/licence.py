"""Licences known by their address, and the fields of schema.org that speak of rights.

`https://creativecommons.org/licenses/by-nc/4.0/deed.de` is `CC BY-NC 4.0`. CC0 permits everything; BY and SA with
attribution; NC not for money; whether training makes a derivative that ND forbids is not settled. Other
well-known licences have a code, are shown, and speak of no use. A licence in robots.txt holds for the publisher,
any other for its page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from wireroom.model import USES, Condition, Evidence, Facts, Finding, Item, Signal, TypedFacts
from wireroom.parse.page_tags import MAX_EXCERPT, MAX_LINKS, RSL_TYPE, PageTags
from wireroom.parse.plain_text import line, line_of_html
from wireroom.ports import SignalPlug, Step, StepContext, Summary
from wireroom.rights.finding_index import FindingIndex, make_signals, page_scope, same_publisher
from wireroom.signals.shared import (
    about_this_page,
    extension_lines,
    finding,
    kept_robots,
    kept_robots_origin,
    known_before,
    laid_over,
    nothing,
    outcome_of,
    scouted_pages,
)
from wireroom.urls import is_web_url, same_page

NAME: Final = "licence"
LicencePlace = Literal["html_link", "html_anchor", "json_ld", "header", "feed", "robots", "article"]
RIGHTS_FIELDS: Final = (
    "license",
    "usageInfo",
    "acquireLicensePage",
    "copyrightNotice",
    "creditText",
    "conditionsOfAccess",
)
MAX_FIELDS: Final = 50  # of one page
MAX_FIELD: Final = 500  # characters
MAX_URL: Final = 500  # characters of an address that is looked at

_CC: Final = re.compile(
    r"https?://(?:www\.)?creativecommons\.org/licen[cs]es/([a-z+-]{2,20})(?:/(\d\.\d))?(?:/([a-z]{2,10}))?(?:[/?#]|$)",
    re.IGNORECASE,
)
_CC_PUBLIC: Final = re.compile(
    r"https?://(?:www\.)?creativecommons\.org/publicdomain/(zero|mark)(?:/(\d\.\d))?(?:[/?#]|$)",
    re.IGNORECASE,
)
_ELEMENTS: Final = ("by", "nc", "nd", "sa")
_NOT_A_PLACE: Final = frozenset({"deed", "legalcode", "rdf"})
# Well-known others by the beginning of their address, as of November 2026.
_OTHERS: Final = (
    ("nationalarchives.gov.uk/doc/open-government-licence", "OGL"),
    ("www.govdata.de/dl-de/by-2-0", "DL-DE-BY-2.0"),
    ("www.govdata.de/dl-de/zero-2-0", "DL-DE-ZERO-2.0"),
    ("www.etalab.gouv.fr/licence-ouverte", "ETALAB"),
    ("opendatacommons.org/licenses/by", "ODC-BY"),
    ("opendatacommons.org/licenses/odbl", "ODBL"),
    ("opendatacommons.org/licenses/pddl", "PDDL"),
    ("www.gnu.org/licenses/fdl", "GFDL"),
    ("www.gnu.org/copyleft/fdl", "GFDL"),
    ("data.norge.no/nlod", "NLOD"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LicenceNotice:
    """A licence that was named, where, and its code when its address is known."""

    url: str
    code: str = ""
    place: LicencePlace
    excerpt: str = ""
    source_url: str = ""
    """The document that names it, where that is not the page itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LicenceField:
    """One field of schema.org about rights, as said."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LicencePage:
    """What one page says of its licence."""

    url: str
    notices: tuple[LicenceNotice, ...] = ()
    fields: tuple[LicenceField, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LicenceFacts:
    """Licences that pages, feeds or robots.txt name."""

    pages: tuple[LicencePage, ...] = ()


# --- reading -----------------------------------------------------------------------------------


def licence_code(url: str) -> str:
    """The code of a well-known licence (`CC BY-NC 4.0`, `CC0 1.0`, `OGL`), empty for any other."""
    url = url.strip()[:MAX_URL]
    if public := _CC_PUBLIC.match(url):
        name = "CC0" if public[1].lower() == "zero" else "PDM"
        return f"{name} {public[2]}" if public[2] else name
    if match := _CC.match(url):
        return _cc_code(match)
    address = url.lower().partition("://")[2].removeprefix("www.")
    for start, code in _OTHERS:
        if address.startswith(start.removeprefix("www.")):
            return code
    return ""


def _cc_code(match: re.Match[str]) -> str:
    parts = set(match[1].lower().split("-"))
    if not parts <= set(_ELEMENTS):
        return ""  # sampling and developing nations: withdrawn, and nothing we could map
    kind = "-".join(name.upper() for name in _ELEMENTS if name in parts)
    place = match[3] or ""
    place = "" if place.lower() in _NOT_A_PLACE else place.upper()
    return " ".join(word for word in ("CC", kind, match[2] or "", place) if word)


def creative_commons(code: str) -> frozenset[str] | None:
    """The elements of a Creative Commons code (`by`, `nc`, `nd`, `sa`; none for CC0), else None."""
    words = code.lower().split()
    if words[:1] == ["cc0"]:
        return frozenset()
    if words[:1] != ["cc"] or len(words) < 2:
        return None
    return frozenset(words[1].split("-"))


def rights_fields(nodes: Iterable[Mapping[str, Any]]) -> tuple[LicenceField, ...]:
    """What the nodes of linked data about a page say of rights, each once."""
    found = dict.fromkeys(_fields(nodes))
    return tuple(found)[:MAX_FIELDS]


def _fields(nodes: Iterable[Mapping[str, Any]]) -> Iterator[LicenceField]:
    for node in nodes:
        for name in RIGHTS_FIELDS:
            for value in _texts(node.get(name)):
                yield LicenceField(name=name, value=value)


def _texts(value: object) -> Iterator[str]:
    for node in (value if isinstance(value, list) else [value])[:MAX_FIELDS]:
        written = node
        if isinstance(written, dict):
            written = written.get("url") or written.get("@id") or written.get("name")
        if isinstance(written, str) and (text := line_of_html(written, MAX_FIELD)):
            yield text


def page_of(tags: PageTags) -> LicencePage:
    """What one page says of its licence."""
    fields = rights_fields(tags.nodes)
    notices = (*_of_headers(tags), *_of_tags(tags), *_of_fields(fields))
    return LicencePage(url=tags.url, notices=notices[:MAX_LINKS], fields=fields)


def _of_headers(tags: PageTags) -> Iterator[LicenceNotice]:
    for link in tags.header_licences:
        if link.type != RSL_TYPE:
            yield _notice(link.url, "header", f'Link: <{link.url}>; rel="license"')


def _of_tags(tags: PageTags) -> Iterator[LicenceNotice]:
    for tag in tags.licences:
        if tag.url and tag.type != RSL_TYPE:
            yield _notice(tag.url, "html_link" if tag.tag == "link" else "html_anchor", tag.shown)


def _of_fields(fields: Iterable[LicenceField]) -> Iterator[LicenceNotice]:
    for field in fields:
        if field.name == "license" and is_web_url(field.value):
            yield _notice(field.value, "json_ld", f'"license": "{field.value}"')


def _notice(url: str, place: LicencePlace, shown: str = "") -> LicenceNotice:
    return LicenceNotice(
        url=url, code=licence_code(url), place=place, excerpt=line(shown, MAX_EXCERPT)
    )


def read_page(tags: PageTags) -> LicenceFacts | None:
    """What an article's page says of itself."""
    page = page_of(tags)
    return None if _is_empty(page) else LicenceFacts(pages=(page,))


def read_item(item: Item) -> LicenceFacts | None:
    """The licence that a feed names for one item; a feed licenses the pages of its own host alone."""
    licence_url = item.extra.get("licence_url")
    if not isinstance(licence_url, str) or not licence_url:
        return None
    if not same_publisher(item.feed_url, item.url):
        return None
    notice = replace(_notice(licence_url, "feed"), source_url=item.feed_url)
    return LicenceFacts(pages=(LicencePage(url=item.url, notices=(notice,)),))


def read_licence(url: str, licence_url: str) -> LicenceFacts:
    """The licence that an article names."""
    notice = _notice(licence_url, "article")
    return LicenceFacts(pages=(LicencePage(url=url, notices=(notice,)),))


# --- what it says ------------------------------------------------------------------------------


def signals_for(findings: FindingIndex, url: str) -> tuple[Signal, ...]:
    """What the licences of the page, and of the publisher, permit."""
    return tuple(
        signal
        for facts in findings.of(NAME, LicenceFacts)
        for page in facts.pages
        for notice in page.notices
        if _speaks_of(notice, page, url)
        for signal in _of_notice(notice, page)
    )


def licence_of(findings: FindingIndex, url: str) -> str:
    """The licence that counts for the page, the first where several do; empty without one."""
    named = (
        notice.url
        for facts in findings.of(NAME, LicenceFacts)
        for page in facts.pages
        for notice in page.notices
        if _speaks_of(notice, page, url)
    )
    return next(named, "")


def _speaks_of(notice: LicenceNotice, page: LicencePage, url: str) -> bool:
    if notice.place == "robots":
        return same_publisher(page.url, url)
    return same_page(page.url, url)


def _of_notice(notice: LicenceNotice, page: LicencePage) -> Iterator[Signal]:
    elements = creative_commons(notice.code)
    if elements is None:
        return
    conditions = []
    if elements & {"by", "sa"}:
        conditions.append(Condition(kind="attribution", detail=notice.code))
    if "nc" in elements:
        conditions.append(Condition(kind="non-commercial", detail=notice.code))
    for use in USES:
        unsettled = use == "ai-train" and "nd" in elements
        yield from make_signals(
            NAME,
            (use,),
            "unknown" if unsettled else "allow",
            url=notice.source_url or page.url,
            excerpt=notice.excerpt or notice.url,
            scope="" if notice.place == "robots" else page_scope(page.url),
            conditions=tuple(conditions),
        )


# --- the scouting step -------------------------------------------------------------------------


async def run(context: StepContext) -> Finding:
    """Which licences the pages and robots.txt name; raises FetchError when nothing could be read."""
    scouted, failure, failed = await scouted_pages(context)
    known = known_before(context, LicenceFacts, failed)
    named = _in_robots(context)
    if failure is not None and not (scouted or known or named):
        raise failure
    now = [*([named] if named else []), *map(page_of, scouted)]
    pages = laid_over(known.pages if known else (), now, _is_empty, failed)
    notes = about_this_page(context, scouted, failure, failed)
    notes["codes"] = sorted(
        {notice.code for page in pages for notice in page.notices if notice.code}
    )
    facts = TypedFacts(LicenceFacts(pages=pages), notes)
    return finding(context, NAME, outcome_of(pages, failure), facts, *_evidence(pages))


def _in_robots(context: StepContext) -> LicencePage | None:
    """`License:` lines that name a licence for everybody, which is no document of RSL."""
    url, robots = kept_robots(context)
    notices = tuple(
        LicenceNotice(
            url=extension.value,
            code=code,
            place="robots",
            excerpt=f"License: {extension.value}",
            source_url=url,
        )
        for extension in extension_lines(robots, "license")
        if (code := licence_code(extension.value))
    )
    origin = kept_robots_origin(context)
    return LicencePage(url=f"{origin}/robots.txt", notices=notices) if notices else None


def _is_empty(page: LicencePage) -> bool:
    return not page.notices and not page.fields


def _evidence(pages: tuple[LicencePage, ...]) -> Iterator[Evidence]:
    for page in pages:
        for notice in page.notices:
            yield Evidence(url=page.url, excerpt=notice.excerpt or notice.url)
        for field in page.fields:
            yield Evidence(url=page.url, excerpt=f"{field.name}: {field.value}")


def summary(facts: Facts) -> str | Summary:
    """The codes of known licences."""
    if facts.get("codes"):
        return ", ".join(facts["codes"])
    if facts.get("pages"):
        return "fields about rights, no known licence"
    return nothing("no licence named")


def _compared(facts: Facts) -> object:
    return facts.get("codes"), bool(facts.get("pages"))


PLUG = SignalPlug(
    name=NAME,
    title="Creative Commons",
    label="Licence",
    order=90,
    signals_for=signals_for,
    steps=(NAME,),
    refuses=(),
    step=Step(
        NAME,
        "Licence",
        run,
        ("robots",),
        about="page",
        section="rights",
        order=60,
        summary=summary,
        compared=_compared,
    ),
    read_page=read_page,
    read_item=read_item,
    read_licence=read_licence,
)
