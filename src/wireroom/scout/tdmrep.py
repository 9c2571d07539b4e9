"""Step: TDMRep, the reservation of text and data mining: its file, its headers, its policies."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator

from wireroom.errors import FetchError, ParseError
from wireroom.model import Evidence, Finding
from wireroom.parse.signals.tdmrep import (
    TdmFile,
    TdmPage,
    TdmPolicy,
    TdmRule,
    TdmWord,
    read_tdm_file,
    read_tdm_policy,
)
from wireroom.ports import Step, StepContext
from wireroom.rights.facts import TdmFacts, to_facts
from wireroom.scout.documents import ask, content_type
from wireroom.scout.findings import finding
from wireroom.scout.said import about_this_page, fresh_before, heard, laid_over, verdict
from wireroom.scout.wellknown import Answered, well_known

PATH = "/.well-known/tdmrep.json"
MAX_POLICIES = 2  # documents asked for; a publisher has one, or one for each kind of content
MAX_POLICY = 200_000  # bytes of an offer in JSON


async def look(case: StepContext) -> Finding:
    """What the file and the pages reserve, and what the policies they name would take for it."""
    known = fresh_before(case, TdmFacts)
    (said, unheard), (answered, unread) = await asyncio.gather(heard(case), _file(case, known))
    failure = unread or unheard
    if unread is not None and not said and known is None:
        raise unread
    now = [page_signals.tdm for page_signals in said]
    pages = laid_over(known.pages if known else (), now, _is_empty)
    policies = await _policies(case, _policy_urls(answered.file, pages), known)
    tdm = TdmFacts(file_url=answered.url, file=answered.file, pages=pages, policies=policies)
    facts = to_facts(tdm) | about_this_page(case, said, failure) | {"reason": answered.why}
    notes = tuple(_evidence(answered, pages))
    told = verdict(notes, failure)
    return finding(case, "tdmrep", told, facts, *(notes or (answered.evidence(),)))


async def _file(
    case: StepContext, known: TdmFacts | None
) -> tuple[Answered[TdmFile], FetchError | None]:
    """The file, and why nobody could look for it; what the pages say counts without it, too."""
    if known is not None and known.file_url:
        return Answered(known.file_url, known.file, 200), None
    try:
        return await well_known(case, PATH, _read), None
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
    case: StepContext, urls: Iterable[str], known: TdmFacts | None
) -> tuple[TdmPolicy, ...]:
    """The offers that could be read; one that cannot be had offers nothing."""
    kept = {policy.url: policy for policy in known.policies} if known else {}
    asked = await asyncio.gather(*(_policy(case, url) for url in urls if url not in kept))
    return (*kept.values(), *(policy for policy in asked if policy is not None))


async def _policy(case: StepContext, url: str) -> TdmPolicy | None:
    try:
        response = await ask(
            case, url, max_bytes=MAX_POLICY, accept="application/ld+json, application/json"
        )
        return read_tdm_policy(response.body, url=url, content_type=content_type(response))
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


PLUG = Step("tdmrep", "TDMRep", look, about="page")
