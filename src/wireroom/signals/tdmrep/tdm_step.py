"""The scouting step: the reservation of text and data mining: its file, its headers, its policies."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator

from wireroom.errors import FetchError, ParseError
from wireroom.model import Evidence, Facts, Finding, TypedFacts
from wireroom.ports import StepContext
from wireroom.signals.shared.documents import ask
from wireroom.signals.shared.findings import finding
from wireroom.signals.shared.visited_pages import (
    about_this_page,
    fresh_before,
    laid_over,
    outcome_of,
    visited_pages,
)
from wireroom.signals.shared.well_known import Answered, well_known
from wireroom.signals.shared.wording import counted
from wireroom.signals.tdmrep.tdm_documents import (
    TdmFacts,
    TdmFile,
    TdmPage,
    TdmPolicy,
    TdmRule,
    TdmWord,
    page_of,
    read_tdm_file,
    read_tdm_policy,
)

PATH = "/.well-known/tdmrep.json"
MAX_POLICIES = 2  # documents asked for; a publisher has one, or one for each kind of content
MAX_POLICY = 200_000  # bytes of an offer in JSON


async def run(context: StepContext) -> Finding:
    """What the file and the pages reserve, and what the policies they name would take for it."""
    known = fresh_before(context, TdmFacts)
    (visited, unvisited), (answered, unread) = await asyncio.gather(
        visited_pages(context), _file(context, known)
    )
    failure = unread or unvisited
    if unread is not None and not visited and known is None:
        raise unread
    pages = laid_over(known.pages if known else (), map(page_of, visited), _is_empty)
    policies = await _policies(context, _policy_urls(answered.file, pages), known)
    tdm = TdmFacts(file_url=answered.url, file=answered.file, pages=pages, policies=policies)
    notes = about_this_page(context, visited, failure) | {"reason": answered.why}
    places = tuple(_evidence(answered, pages))
    return finding(
        context,
        "tdmrep",
        outcome_of(places, failure),
        TypedFacts(tdm, notes),
        *(places or (answered.evidence(),)),
    )


async def _file(
    context: StepContext, known: TdmFacts | None
) -> tuple[Answered[TdmFile], FetchError | None]:
    """The file, and why nobody could look for it; what the pages say counts without it, too."""
    if known is not None and known.file_url:
        return Answered(known.file_url, known.file, 200), None
    try:
        return await well_known(context, PATH, _read), None
    except FetchError as error:
        return Answered("", None, 0, error.reason), error


def _read(body: bytes, url: str, media_type: str) -> TdmFile:
    return read_tdm_file(body, base_url=url, content_type=media_type)


def _policy_urls(file: TdmFile | None, pages: Iterable[TdmPage]) -> list[str]:
    words: list[TdmWord | TdmRule] = [word for page in pages for word in (page.meta, page.header)]
    words += file.rules if file else ()
    urls = [word.policy_url for word in words]
    return list(dict.fromkeys(url for url in urls if url))[:MAX_POLICIES]


async def _policies(
    context: StepContext, urls: Iterable[str], known: TdmFacts | None
) -> tuple[TdmPolicy, ...]:
    """The offers that could be read; one that cannot be had offers nothing."""
    kept = {policy.url: policy for policy in known.policies} if known else {}
    asked = await asyncio.gather(*(_policy(context, url) for url in urls if url not in kept))
    return (*kept.values(), *(policy for policy in asked if policy is not None))


async def _policy(context: StepContext, url: str) -> TdmPolicy | None:
    try:
        response = await ask(
            context, url, max_bytes=MAX_POLICY, accept="application/ld+json, application/json"
        )
        return read_tdm_policy(response.body, url=url, content_type=response.content_type)
    except (FetchError, ParseError):
        return None


def _is_empty(page: TdmPage) -> bool:
    return page.header == page.meta == TdmWord()


def _evidence(answered: Answered[TdmFile], pages: Iterable[TdmPage]) -> Iterator[Evidence]:
    for rule in answered.file.rules if answered.file else ():
        yield answered.evidence(f"{rule.location}: tdm-reservation {rule.reservation}")
    for page in pages:
        for place, word in (("header", page.header), ("meta", page.meta)):
            if word != TdmWord():
                yield Evidence(url=page.url, excerpt=f"{place} tdm-reservation: {word.reservation}")


def summary(facts: Facts) -> str:
    """How many rules, pages and policies speak of mining."""
    file = facts.get("file")
    rules = len(file["rules"]) if file else 0
    pages = len(facts.get("pages", ()))
    if not rules and not pages:
        return "no TDMRep"
    offers = counted(len(facts.get("policies", ())), "policy", "policies")
    return f"{counted(rules, 'rule')}, {counted(pages, 'page')}, {offers}"
