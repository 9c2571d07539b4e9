"""Step: the terms of service: where they are, and what they say of eight activities, with quotes.

Rules read them; a language model, where the operator named one, may only tighten what the rules found.
Terms that cannot be read (a PDF, a language without a table) are found and stay unknown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from wireroom.errors import FetchError
from wireroom.languages import language_of, name_of
from wireroom.model import Evidence, Finding, FindingVerdict, Response
from wireroom.parse.html import open_page
from wireroom.parse.kind import kind_of
from wireroom.parse.terms.advice import MAX_SHOWN, prompt_for, read_advice, tightened
from wireroom.parse.terms.nouns import Activity, Passage, TermsReading
from wireroom.parse.terms.phrases import DATE
from wireroom.parse.terms.read import document_type, read_terms
from wireroom.parse.terms.text import MAX_TEXT, text_of_page
from wireroom.ports import Step, StepContext
from wireroom.rights.facts import StatedCondition, TermsFacts, TermsWord, to_facts
from wireroom.scout.documents import ask, content_type
from wireroom.scout.findings import MEASURED, finding
from wireroom.scout.terms_found import TermsPlace, guessed_places, named_places

MAX_PAGE = 3_000_000  # bytes; terms are text, and the longest have a tenth of that
MAX_TRIES = 2  # places that are asked: the likeliest, and the next where that was none
MAX_PLACES = 5  # kept in the finding, for whoever wants to look
_NOT_ALLOWED = frozenset({"robots", "rights"})


@dataclass(frozen=True, slots=True)
class _Document:
    """What was found at a place."""

    place: TermsPlace
    url: str
    status: int
    text: str = ""
    reading: TermsReading | None = None
    """None where there is nothing that could be read."""
    problem: str = ""


async def look(case: StepContext) -> Finding:
    """The terms and their words; "no" only when nobody names any and none are where they often are."""
    places, failure = await named_places(case)
    tried = places
    if failure is not None and not places:
        raise failure
    if not places:
        tried = await guessed_places(case)
        asked = (_ask(case, place) for place in tried)
        await asyncio.gather(*asked, return_exceptions=True)  # side by side; the errors come again
    document, error = await _first_document(case, tried)
    if document is None and error is not None and (places or error.kind != "gone"):
        return _unreadable(case, tried[0], error)
    if document is None:
        return _none(case, tried, places)
    if document.reading is None:
        return _unread(case, document, places)
    reading, advice = await _with_advice(case, document.reading, document.text)
    return _judged(case, document, reading, places, advice)


# --- getting the document ----------------------------------------------------------------------


async def _first_document(
    case: StepContext, places: tuple[TermsPlace, ...]
) -> tuple[_Document | None, FetchError | None]:
    """The first place that holds terms, and why the likeliest could not be had."""
    error: FetchError | None = None
    for place in places[:MAX_TRIES]:
        try:
            document = await _document(case, place)
        except FetchError as caught:
            error = error or caught
            continue
        if document is not None:
            return document, None
    return None, error


async def _ask(case: StepContext, place: TermsPlace) -> Response:
    return await ask(case, place.url, max_bytes=MAX_PAGE, take_start=True)


async def _document(case: StepContext, place: TermsPlace) -> _Document | None:
    """What is at the place; None when that is no page of terms.

    The longest texts take a second or two to read: in a thread, so that other visits go on.
    """
    return await asyncio.to_thread(_read, place, await _ask(case, place))


def _read(place: TermsPlace, response: Response) -> _Document | None:
    claimed = content_type(response)
    url, status = response.final_url, response.status
    kind = kind_of(response.body, content_type=claimed).name
    if kind == "pdf" or "pdf" in claimed.lower():
        return _Document(place, url, status, problem="terms are a PDF, not read")
    if kind not in {"html", "text", "xml"}:
        return _Document(place, url, status, problem=f"terms are {kind}, not read")
    page = open_page(response.body, url=url, content_type=claimed)
    found = text_of_page(page)
    calls_itself = document_type(found.title)
    if calls_itself == "privacy_policy" or (place.source == "probe" and calls_itself == "unknown"):
        return None
    root = page.tree.css_first("html")
    said = language_of((root.attributes.get("lang") or "") if root is not None else "")
    cut = found.truncated or response.truncated
    reading = read_terms(found.text, title=found.title, language=said, truncated=cut)
    if reading.state == "empty":
        return _Document(place, url, status, problem="the page of terms holds no text")
    return _Document(place, url, status, found.text, reading)


async def _with_advice(
    case: StepContext, reading: TermsReading, text: str
) -> tuple[TermsReading, str]:
    """The reading, tightened by a model where there is one, and what became of asking it."""
    if case.advise is None or case.offline:
        return reading, ""
    try:
        answer = await case.advise(prompt_for(text))
    except FetchError as error:
        return reading, f"the model could not be asked: {error.reason}"
    after = tightened(reading.activities, read_advice(answer, text))
    changed = sum(passage.method == "model" for passage in after.values())
    cut = f" of the first {MAX_SHOWN} characters" if len(text) > MAX_SHOWN else ""
    return replace(reading, activities=after), f"a model's opinion{cut} tightened {changed} words"


# --- writing down ------------------------------------------------------------------------------


def _judged(
    case: StepContext,
    document: _Document,
    reading: TermsReading,
    places: tuple[TermsPlace, ...],
    advice: str,
) -> Finding:
    notes = [_source_note(document.place)]
    verdict: FindingVerdict = "yes"
    if reading.state == "language":
        verdict = "unknown"
        spoken = name_of(reading.language) or reading.language or "unknown"
        notes.append(f"not judged: language ({spoken})")
    if reading.truncated:
        notes.append(
            f"only the beginning was read (limits: {MAX_PAGE} bytes, {MAX_TEXT} characters)"
        )
    notes += [advice] if advice else []
    facts = _located(document, places, notes) | {
        "language": reading.language,
        "document_type": reading.document_type,
        "territorial_exceptions": list(reading.territorial_exceptions),
        "arbitration_clauses": list(reading.arbitration_clauses),
        "confidence_score": reading.confidence,
        "conflicts": list(reading.conflicts),
        "truncated": reading.truncated,
        "judged_by": "rules and model" if advice.startswith("a model") else "rules",
        "tables": DATE,
        MEASURED: {"words": reading.words},
    }
    return finding(
        case,
        "terms",
        verdict,
        facts | {"activities": _activities(reading.activities, document.url)},
        *_evidence(document, reading.activities),
    )


def _activities(activities: Mapping[Activity, Passage], url: str) -> dict[str, dict[str, Any]]:
    """What rights are judged from, and beside it where each sentence stands and who found it."""
    words: dict[str, TermsWord] = {
        activity: TermsWord(
            word=one.word,
            quote=one.quote,
            url=url if one.word != "silent" else "",
            conditions=tuple(
                StatedCondition(kind=kind, detail=detail) for kind, detail in one.conditions.items()
            ),
        )
        for activity, one in activities.items()
    }
    told: dict[str, dict[str, Any]] = to_facts(TermsFacts(activities=words))["activities"]
    for activity, one in activities.items():
        told[activity] |= {
            "offset": one.offset,
            "by_permission": one.by_permission,
            "because": one.because,
            "method": one.method,
        }
    return told


def _located(
    document: _Document, places: tuple[TermsPlace, ...], notes: list[str]
) -> dict[str, Any]:
    return {
        "tos_url": document.url,
        "confidence": document.place.score,
        "notes": "; ".join(notes),
        "source": document.place.source,
        "candidates": _candidates(places),
    }


def _unread(case: StepContext, document: _Document, places: tuple[TermsPlace, ...]) -> Finding:
    facts = _located(document, places, [_source_note(document.place), document.problem])
    note = Evidence(url=document.url, excerpt=document.problem, status=document.status)
    return finding(case, "terms", "unknown", facts | {"reason": document.problem}, note)


def _unreadable(case: StepContext, place: TermsPlace, error: FetchError) -> Finding:
    """Terms are named, and could not be had: that is no "no"."""
    verdict: FindingVerdict = "skipped" if error.kind in _NOT_ALLOWED else "failed"
    facts = {
        "tos_url": place.url,
        "confidence": place.score,
        "notes": f"{_source_note(place)}; could not be read: {error.reason}",
        "error": error.reason,
        "reason": error.kind,
    }
    return finding(case, "terms", verdict, facts, Evidence(url=place.url, excerpt=error.reason))


def _none(
    case: StepContext, tried: tuple[TermsPlace, ...], named: tuple[TermsPlace, ...]
) -> Finding:
    reason = "no terms found: " + (
        "what is linked as terms is none" if named else "no link names any, none at the usual paths"
    )
    facts = {
        "tos_url": None,
        "confidence": 0.0,
        "notes": reason,
        "skipped": True,
        "reason": reason,
        "candidates": _candidates(named),
    }
    looked = (Evidence(url=place.url, excerpt="no terms") for place in tried[:MAX_TRIES])
    return finding(case, "terms", "no", facts, *looked)


def _candidates(places: tuple[TermsPlace, ...]) -> list[dict[str, Any]]:
    return [
        {"url": place.url, "score": place.score, "source": place.source}
        for place in places[:MAX_PLACES]
    ]


def _source_note(place: TermsPlace) -> str:
    named = f" as {place.title!r}" if place.title else ""
    return f"found by {place.source}{named}"


def _evidence(document: _Document, activities: Mapping[Activity, Passage]) -> Iterator[Evidence]:
    yield Evidence(url=document.url, excerpt=document.place.title, status=document.status)
    for activity, one in activities.items():
        if one.word != "silent":
            excerpt = f"{activity}: {one.word}: {one.quote}"
            yield Evidence(url=document.url, excerpt=excerpt, status=document.status)


PLUG = Step("terms", "Terms of service", look, ("rsl",))
