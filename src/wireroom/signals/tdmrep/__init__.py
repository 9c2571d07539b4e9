"""TDMRep of the W3C: text and data mining reserved or not, and on what terms it is offered.

`tdm_documents` reads the file, pages and policies, `tdm_verdict` says what they come to for a page, `tdm_step`
scouts for them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from wireroom.display_text import counted
from wireroom.errors import FetchError, ParseError
from wireroom.model import Condition, Evidence, Facts, Finding, Priority, Signal, TypedFacts
from wireroom.parse.robots.rule_matching import matches
from wireroom.ports import SignalPlug, Step, StepContext, Summary, Vocabulary
from wireroom.rights.finding_index import (
    MEASURED,
    MINING_USES,
    UNSEEN,
    FindingIndex,
    facts_of,
    make_signals,
    page_scope,
    path_in,
    rooted,
    same_publisher,
    why_unseen,
    wire_path,
)
from wireroom.signals.documents import (
    UnreadError,
    ask,
    origin_of,
    read_answer,
)
from wireroom.signals.freshness import (
    DOCUMENTS_AT,
    answer_times,
    is_answer,
    is_fresh,
    time_of_answer,
)
from wireroom.signals.shared import (
    Answered,
    about_this_page,
    earlier_facts,
    finding,
    known_before,
    laid_over,
    nothing,
    outcome_of,
    scouted_pages,
    well_known,
)
from wireroom.signals.tdmrep.tdm_documents import (
    TdmFacts,
    TdmFile,
    TdmPage,
    TdmPolicy,
    TdmRule,
    TdmWord,
    page_of,
    read_page,
    read_tdm_file,
    read_tdm_policy,
)
from wireroom.urls import same_page

# The scouting step: the reservation of text and data mining: its file, its headers, its policies.

PATH = "/.well-known/tdmrep.json"
MAX_POLICIES = 2  # documents asked for; a publisher has one, or one for each kind of content
MAX_POLICY = 200_000  # bytes of an offer in JSON


async def run(context: StepContext) -> Finding:
    """What the file and the pages reserve, and what the policies they name would take for it."""
    before = facts_of(context.before, TdmFacts) if context.before is not None else None
    (scouted, page_failure, failed), (answered, unread, file_at) = await asyncio.gather(
        scouted_pages(context), _file(context, before)
    )
    known = known_before(context, TdmFacts, failed)
    failure = unread or page_failure
    if unread is not None and not scouted and known is None:
        raise unread
    pages = laid_over(known.pages if known else (), map(page_of, scouted), _is_empty, failed)
    asked = await _policies(context, _policy_urls(answered.file, pages), before)
    tdm = TdmFacts(
        file_url=answered.url,
        file_asked_url=answered.asked_url,
        file=answered.file,
        pages=pages,
        policies=tuple(policy for policy, _ in asked.values() if policy is not None),
    )
    notes = about_this_page(context, scouted, failure, failed) | {"reason": answered.why}
    times = {_file_url(context): file_at} | {url: at for url, (_, at) in asked.items()}
    notes[MEASURED] |= {DOCUMENTS_AT: answer_times(times)}
    if why := _why_unread(answered, unread):
        notes[UNSEEN] = why
    places = tuple(_evidence(answered, pages))
    return finding(
        context,
        "tdmrep",
        outcome_of(places, failure),
        TypedFacts(tdm, notes),
        *(places or (answered.evidence(),)),
    )


async def _file(
    context: StepContext, before: TdmFacts | None
) -> tuple[Answered[TdmFile], FetchError | None, datetime | None]:
    """The file, why nobody could look for it, and when the server answered for it.

    What the pages say counts without it, too.
    """
    url, now = _file_url(context), context.now
    known = context.before if before is not None else None
    if known and before and not why_unseen(known) and is_fresh(context, DOCUMENTS_AT, url):
        why = str(known.facts.get("reason") or "")
        at = time_of_answer(context, url)
        return (
            Answered(before.file_url, before.file, 200, why, asked_url=before.file_asked_url),
            None,
            at,
        )
    try:
        return await well_known(context, PATH, read_file, known_at=_known_at(context)), None, now
    except FetchError as error:
        answered = is_answer(error) or isinstance(error, UnreadError)
        return Answered("", None, 0, error.reason), error, now if answered else None


def _known_at(context: StepContext) -> set[str]:
    """Where the file was found before."""
    known = (facts for facts in earlier_facts(context, TdmFacts) if facts.file is not None)
    return {facts.file_asked_url or facts.file_url for facts in known}


def _why_unread(answered: Answered[TdmFile], error: FetchError | None) -> str:
    """Why the file, or a part of it, is not known; empty when all of it is."""
    if isinstance(error, UnreadError):
        return f"{PATH} could not be read: {error.reason}"
    if error is not None:
        return f"{PATH} could not be fetched: {error.reason}"
    file = answered.file
    if file is not None and (skipped := file.skipped + file.unclear):
        return f"{PATH}: {counted(skipped, 'entry', 'entries')} could not be read"
    return f"{PATH} is longer than our limit" if answered.truncated else ""


def _file_url(context: StepContext) -> str:
    return f"{origin_of(context.publisher.home_url)}{PATH}"


def read_file(body: bytes, url: str, media_type: str) -> TdmFile:
    """The file at its well-known address."""
    return read_tdm_file(body, base_url=url, content_type=media_type)


def _policy_urls(file: TdmFile | None, pages: Iterable[TdmPage]) -> list[str]:
    words: list[TdmWord | TdmRule] = [word for page in pages for word in (page.meta, page.header)]
    words += file.rules if file else ()
    urls = [word.policy_url for word in words]
    return list(dict.fromkeys(url for url in urls if url))[:MAX_POLICIES]


async def _policies(
    context: StepContext, urls: Iterable[str], before: TdmFacts | None
) -> dict[str, tuple[TdmPolicy | None, datetime | None]]:
    """The offers that are named, and when the server answered; one that cannot be had offers nothing."""
    kept = {
        policy.url: (policy, time_of_answer(context, policy.url))
        for policy in (before.policies if before is not None else ())
        if is_fresh(context, DOCUMENTS_AT, policy.url)
    }
    named = list(urls)
    asked = [url for url in named if url not in kept]
    read = await asyncio.gather(*(_policy(context, url) for url in asked))
    return {url: kept[url] for url in named if url in kept} | dict(zip(asked, read, strict=True))


async def _policy(context: StepContext, url: str) -> tuple[TdmPolicy | None, datetime | None]:
    try:
        response = await ask(
            context, url, max_bytes=MAX_POLICY, accept="application/ld+json, application/json"
        )
        policy = await read_answer(context, response, read_policy)
    except FetchError as error:
        return None, context.now if is_answer(error) else None
    except ParseError:
        return None, context.now
    return replace(policy, url=url), context.now  # as it is named, wherever that led


def read_policy(body: bytes, url: str, media_type: str) -> TdmPolicy:
    """A policy that the file or a page names."""
    return read_tdm_policy(body, url=url, content_type=media_type)


def _is_empty(page: TdmPage) -> bool:
    return page.header == page.meta == TdmWord()


def _evidence(answered: Answered[TdmFile], pages: Iterable[TdmPage]) -> Iterator[Evidence]:
    for rule in answered.file.rules if answered.file else ():
        yield answered.evidence(f"{rule.location}: tdm-reservation {rule.reservation}")
    for page in pages:
        for place, word in (("header", page.header), ("meta", page.meta)):
            if word != TdmWord():
                yield Evidence(url=page.url, excerpt=f"{place} tdm-reservation: {word.reservation}")


def summary(facts: Facts) -> str | Summary:
    """How many rules, pages and policies speak of mining."""
    rules, pages, policies = _counts(facts)
    if not rules and not pages:
        return nothing("no TDMRep")
    parts = [
        f"{counted(rules, 'rule')} in tdmrep.json" if rules else "",
        f"headers or tags of {counted(pages, 'page')}" if pages else "",
        f"{counted(policies, 'policy', 'policies')} with an offer" if policies else "",
    ]
    return ", ".join(filter(None, parts))


def _compared(facts: Facts) -> object:
    """How many pages speak depends on how many were looked at."""
    rules, pages, policies = _counts(facts)
    return rules, pages > 0, policies


def _counts(facts: Facts) -> tuple[int, int, int]:
    """Rules of the file, pages and policies."""
    file = facts.get("file")
    rules = len(file["rules"]) if file else 0
    return rules, len(facts.get("pages", ())), len(facts.get("policies", ()))


# What TDMRep says of one page; later places supersede earlier ones.
#
# The file's first rule that fits, then the page's header, then its meta tag; what a place does not say, it
# leaves as it was. A reservation whose policy offers mining for consent or money is an offer: paid.

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


def unseen(findings: FindingIndex, url: str) -> tuple[Signal, ...]:
    """What the page says of mining in words that are neither 0 nor 1."""
    return tuple(
        signal
        for page in _pages(findings.of(NAME, TdmFacts), url)
        for word in (page.header, page.meta)
        if word.unclear
        for signal in make_signals(
            NAME,
            MINING_USES,
            "unknown",
            url=page.url,
            excerpt=f"tdm-reservation is neither 0 nor 1: {word.unclear}",
        )
    )


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
    if facts.file is None or not same_publisher(facts.file_asked_url or facts.file_url, url):
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


__all__ = ["PLUG"]

PLUG = SignalPlug(
    name=NAME,
    title="TDMRep",
    order=50,
    signals_for=signals_for,
    unseen=unseen,
    steps=(NAME,),
    refuses=MINING_USES,
    step=Step(
        NAME,
        "TDMRep",
        run,
        about="page",
        asks=(Priority.RIGHTS_FILE,),
        section="rights",
        order=40,
        summary=summary,
        compared=_compared,
    ),
    read_page=read_page,
    vocabularies=(
        Vocabulary(
            name="TDMRep",
            source="W3C community group, final report",
            date="2024-05-10",
            words=("tdm-reservation", "tdm-policy"),
        ),
    ),
)
