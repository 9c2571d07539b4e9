"""The receipt that stays with an article: the rights it was taken under, as they stood.

Pure: the time is an argument. What the article's own page and its feed item say is part of it:
`page_findings` and `item_findings` put that into the form that a scout's findings have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from wireroom.errors import ParseError
from wireroom.model import Finding, Item, Receipt, RobotsWord
from wireroom.parse.signals.licences import LicenceNotice, LicencePage, LicencePlace, licence_code
from wireroom.parse.signals.page import PageSignals
from wireroom.parse.signals.rsl import read_rsl
from wireroom.parse.signals.rsl_nouns import RslDocument, RslNotice
from wireroom.rights.facts import (
    HeaderFacts,
    LicenceFacts,
    RobotsTagFacts,
    RslFacts,
    TdmFacts,
    facts_of,
    to_facts,
)
from wireroom.rights.family import Heard
from wireroom.rights.judging import judge

MAX_ITEM_NOTICES: Final = 20  # RSL contents of one feed item; real ones have one


def make_receipt(
    findings: Iterable[Finding] | Heard,
    url: str,
    *,
    robots_word: RobotsWord,
    licence_url: str = "",
    now: datetime,
) -> Receipt:
    """The verdicts for the page at this address; its licence, where it names one, is heard, too."""
    known = findings if isinstance(findings, Heard) else Heard(findings)
    if licence_url:
        known = Heard([_licence_finding(url, licence_url, "article", now)], on=known)
    return Receipt(
        verdicts=judge(known, url), robots=robots_word, licence_url=licence_url, checked_at=now
    )


def page_findings(
    signals: PageSignals, *, now: datetime, known: Iterable[Finding] = ()
) -> tuple[Finding, ...]:
    """What a page that was just read says of itself, as findings beside those of its publisher.

    RSL documents that the page names are taken from the `known` findings of a scout; one that is not among
    them counts as named and not read. Policies are heard from the scout's own finding.
    """
    facts: dict[str, object] = {}
    if signals.content_signal.values:
        facts["content_signal"] = HeaderFacts(pages=(signals.content_signal,))
    if signals.content_usage.values:
        facts["content_usage"] = HeaderFacts(pages=(signals.content_usage,))
    if signals.robots_tag.directives:
        facts["robots_tag"] = RobotsTagFacts(pages=(signals.robots_tag,))
    if signals.licence.notices or signals.licence.fields:
        facts["licence"] = LicenceFacts(pages=(signals.licence,))
    if signals.rsl:
        facts["rsl"] = RslFacts(notices=_with_documents(signals.rsl, known))
    facts["tdmrep"] = TdmFacts(pages=(signals.tdm,))
    return tuple(_finding(step, value, now) for step, value in facts.items())


def item_findings(item: Item, *, now: datetime) -> tuple[Finding, ...]:
    """What the feed says of the page in its item: terms by RSL, and a licence."""
    found: list[Finding] = []
    terms = item.extra.get("rsl")
    if isinstance(terms, list) and terms:
        notices = tuple(_item_notices(item, terms[:MAX_ITEM_NOTICES]))
        found.append(_finding("rsl", RslFacts(notices=notices), now))
    licence_url = item.extra.get("licence_url")
    if isinstance(licence_url, str) and licence_url:
        found.append(_licence_finding(item.url, licence_url, "feed", now))
    return tuple(found)


def _finding(step: str, facts: object, now: datetime) -> Finding:
    return Finding(step=step, verdict="yes", facts=to_facts(facts), found_at=now)


def _licence_finding(url: str, licence_url: str, place: LicencePlace, now: datetime) -> Finding:
    notice = LicenceNotice(url=licence_url, code=licence_code(licence_url), place=place)
    return _finding("licence", LicenceFacts(pages=(LicencePage(url=url, notices=(notice,)),)), now)


def _with_documents(
    notices: Iterable[RslNotice], known: Iterable[Finding]
) -> tuple[RslNotice, ...]:
    documents = dict(_documents(known))
    return tuple(
        notice
        if notice.document is not None
        else replace(notice, document=documents.get(notice.licence_url))
        for notice in notices
    )


def _documents(findings: Iterable[Finding]) -> Iterator[tuple[str, RslDocument]]:
    for finding in findings:
        facts = facts_of(finding, RslFacts) if finding.step == "rsl" else None
        for notice in facts.notices if facts is not None else ():
            if notice.document is not None and notice.licence_url:
                yield notice.licence_url, notice.document


def _item_notices(item: Item, terms: Iterable[Any]) -> Iterator[RslNotice]:
    for term in terms:
        if not isinstance(term, Mapping):
            continue
        notice = RslNotice(
            place="feed", licence_url=item.feed_url, page_url=item.url, excerpt="<rsl:content>"
        )
        try:
            document = read_rsl(str(term.get("xml", "")).encode("utf-8", "replace"))
            yield replace(notice, document=document)
        except ParseError as exc:
            yield replace(notice, problem=exc.message)
