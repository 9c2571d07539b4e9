"""What TDMRep says of one page; later places supersede earlier ones.

The file's first rule that fits, then the page's header, then its meta tag; what a place does not say, it
leaves as it was. A reservation whose policy offers mining for consent or money is an offer: paid.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from wireroom.model import Condition, Signal
from wireroom.parse.robots.rule_matching import matches
from wireroom.rights.finding_index import FindingIndex
from wireroom.rights.statements import (
    MINING_USES,
    make_signals,
    page_scope,
    path_in,
    rooted,
    same_publisher,
    wire_path,
)
from wireroom.signals.tdmrep.tdm_documents import (
    TdmFacts,
    TdmFile,
    TdmPage,
    TdmPolicy,
    TdmRule,
    TdmWord,
)
from wireroom.urls import same_page

NAME: Final = "tdmrep"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """One place that speaks of the address."""

    word: TdmWord
    url: str
    excerpt: str
    scope: str


def signals_for(findings: FindingIndex, url: str) -> tuple[Signal, ...]:
    """Whether mining of the page is reserved, and what would lift that."""
    known = findings.of(NAME, TdmFacts)
    by: _Place | None = None
    policy_url = ""
    for places in (_files(known, url), _headers(known, url), _metas(known, url)):
        found = sorted(places, key=_strictest_first)
        by = next((place for place in found if place.word.reservation is not None), by)
        policy_url = next(
            (place.word.policy_url for place in found if place.word.policy_url), policy_url
        )
    if by is None:
        return ()
    if by.word.reservation == 0:
        return make_signals(
            NAME, MINING_USES, "allow", url=by.url, excerpt=by.excerpt, scope=by.scope
        )
    return _reserved(by, policy_url, (policy for facts in known for policy in facts.policies))


def _strictest_first(place: _Place) -> tuple[int, str, str]:
    """Places of one kind rarely differ: two scouts, or two files. Then the reservation stands."""
    return (-(place.word.reservation or 0), place.word.policy_url, place.url)


def _reserved(by: _Place, policy_url: str, policies: Iterable[TdmPolicy]) -> tuple[Signal, ...]:
    named = (policy for policy in policies if policy.url == policy_url and policy.duties)
    policy = next(named, None) if policy_url else None
    return make_signals(
        NAME,
        MINING_USES,
        "deny" if policy is None else "paid",
        url=by.url,
        excerpt=f"{by.excerpt}; policy {policy_url}" if policy_url else by.excerpt,
        scope=by.scope,
        conditions=() if policy is None else (_price(policy),),
    )


def _files(known: Iterable[TdmFacts], url: str) -> Iterator[_Place]:
    for facts in known:
        rule = _first_rule(facts, url)
        if rule is not None:
            tdm_word = TdmWord(reservation=rule.reservation, policy_url=rule.policy_url)
            shown = f'"location": "{rule.location}", "tdm-reservation": {rule.reservation}'
            yield _Place(word=tdm_word, url=facts.file_url, excerpt=shown, scope=rule.location)


def _headers(known: Iterable[TdmFacts], url: str) -> Iterator[_Place]:
    for page in _pages(known, url):
        shown = f"tdm-reservation: {page.header.reservation}"
        yield _Place(word=page.header, url=page.url, excerpt=shown, scope=page_scope(page.url))


def _metas(known: Iterable[TdmFacts], url: str) -> Iterator[_Place]:
    for page in _pages(known, url):
        shown = f'<meta name="tdm-reservation" content="{page.meta.reservation}">'
        yield _Place(word=page.meta, url=page.url, excerpt=shown, scope=page_scope(page.url))


def _pages(known: Iterable[TdmFacts], url: str) -> Iterator[TdmPage]:
    return (page for facts in known for page in facts.pages if same_page(page.url, url))


def _first_rule(facts: TdmFacts, url: str) -> TdmRule | None:
    if facts.file is None or not same_publisher(facts.file_url, url):
        return None
    return _fitting(facts.file, wire_path(url))


def _fitting(file: TdmFile, path: bytes) -> TdmRule | None:
    return next((rule for rule in file.rules if matches(path, _pattern(rule.location))), None)


def _pattern(location: str) -> bytes:
    """A path pattern; some write a whole address."""
    return rooted(path_in(location) if "://" in location else location)


def _price(policy: TdmPolicy) -> Condition:
    contact = policy.email or policy.contact_url or policy.assigner
    asked = " and ".join(policy.duties)
    return Condition(kind="payment", detail=f"{asked}: {contact}" if contact else asked)
