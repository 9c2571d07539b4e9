"""Step: Really Simple Licensing, wherever it is named, and the documents that are named.

Fetching those documents is part of the visit: they were put there to be read by whoever comes. A
`License:` line that names a licence for everybody (Creative Commons …) is no RSL; see the step `licence`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from wireroom.errors import FetchError, ParseError
from wireroom.model import Evidence, Finding
from wireroom.parse.signals.licences import licence_code
from wireroom.parse.signals.rsl import MAX_BYTES, read_rsl
from wireroom.parse.signals.rsl_nouns import RslDocument, RslNotice
from wireroom.ports import Step, StepContext
from wireroom.rights.facts import RslFacts, to_facts
from wireroom.scout.documents import ask, content_type
from wireroom.scout.extensions import kept_robots
from wireroom.scout.findings import finding
from wireroom.scout.said import about_this_page, fresh_before, heard, verdict
from wireroom.urls import resolve

MAX_DOCUMENTS = 3  # asked for; a publisher has one, or one for each kind of reader
MAX_NOTICES = 100  # kept; more pages name the same document again

Read = tuple[RslDocument | None, str]
"""A document, or why there is none."""


async def look(case: StepContext) -> Finding:
    """Every notice with its document; what robots.txt names survives a homepage that fails."""
    said, failure = await heard(case)
    known = fresh_before(case, RslFacts)
    found = [*_in_robots(case), *(notice for page_signals in said for notice in page_signals.rsl)]
    if failure is not None and not (said or found or known):
        raise failure
    notices = await _with_documents(case, found, known)
    facts = to_facts(RslFacts(notices=notices)) | about_this_page(case, said, failure)
    indicators = [_indicator(notice) for notice in notices]
    facts |= {
        "rsl_detected": any(indicator["confidence"] == "confirmed" for indicator in indicators),
        "indicators": indicators,
        "count": len(indicators),
    }
    told = verdict(facts["rsl_detected"], failure)
    # A line that may name anything is not a no.
    told = "unknown" if told == "no" and indicators else told
    return finding(case, "rsl", told, facts, *_evidence(case, notices))


def _in_robots(case: StepContext) -> Iterator[RslNotice]:
    base, robots = kept_robots(case)
    for line in robots.extensions:
        if line.name != "license" or licence_code(line.value):
            continue
        try:
            url = resolve(base, line.value)
        except ValueError:
            continue
        yield RslNotice(
            place="robots",
            licence_url=url,
            line=line.line,
            agents=line.agents,
            excerpt=f"License: {line.value}",
        )


async def _with_documents(
    case: StepContext, found: Iterable[RslNotice], known: RslFacts | None
) -> tuple[RslNotice, ...]:
    """The notices with their documents: known ones are not asked for again within the day."""
    found = list(found)
    before = known.notices if known else ()
    documents: dict[str, Read] = {
        rsl_notice.licence_url: (rsl_notice.document, rsl_notice.problem)
        for rsl_notice in before
        if rsl_notice.document is not None
    }
    wanted = list(
        dict.fromkeys(rsl_notice.licence_url for rsl_notice in found if rsl_notice.licence_url)
    )
    asked = [url for url in wanted if url not in documents]
    read = await asyncio.gather(*(_read(case, url) for url in asked[:MAX_DOCUMENTS]))
    documents |= dict(zip(asked, read, strict=False))
    whole = [_with(notice, documents) for notice in found]
    again = {
        (rsl_notice.place, rsl_notice.licence_url, rsl_notice.page_url) for rsl_notice in whole
    }
    kept = [
        rsl_notice
        for rsl_notice in before
        if (rsl_notice.place, rsl_notice.licence_url, rsl_notice.page_url) not in again
    ]
    return (*whole, *kept)[:MAX_NOTICES]


def _with(notice: RslNotice, documents: dict[str, Read]) -> RslNotice:
    if not notice.licence_url:
        return notice
    limit = f"not asked for: more than {MAX_DOCUMENTS} documents are named"
    document, problem = documents.get(notice.licence_url, (None, limit))
    return replace(notice, document=document, problem=problem)


async def _read(case: StepContext, url: str) -> Read:
    try:
        response = await ask(
            case, url, max_bytes=MAX_BYTES, accept="application/rsl+xml, application/xml"
        )
        return read_rsl(response.body, content_type=content_type(response)), ""
    except FetchError as error:
        return None, error.reason
    except ParseError as exc:
        return None, str(exc)


def _indicator(notice: RslNotice) -> dict[str, Any]:
    """A `License:` line alone may name anything; a type or a readable document makes it RSL."""
    typed = notice.place != "robots" or notice.document is not None
    return {
        "source": {"robots": "robots.txt", "header": "http_header"}.get(notice.place, notice.place),
        "url": notice.licence_url,
        "confidence": "confirmed" if typed else "potential",
        "problem": notice.problem,
    }


def _evidence(case: StepContext, notices: Iterable[RslNotice]) -> Iterator[Evidence]:
    robots_url, _ = kept_robots(case)
    for notice in notices:
        place = robots_url if notice.place == "robots" else notice.page_url or notice.licence_url
        yield Evidence(url=place, line=notice.line, excerpt=notice.excerpt or notice.licence_url)


PLUG = Step("rsl", "RSL", look, ("robots",), about="page")
