"""The scouting step: where the terms of service are, and what they say of eight activities, with quotes.

Rules read them; a language model, where the operator named one, may only tighten what the rules found.
Terms that cannot be read (a PDF, a language without a table) are found and stay unknown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from wireroom.errors import FetchError, ParseError
from wireroom.model import (
    NOT_REACHED,
    USES,
    Condition,
    ConditionKind,
    Evidence,
    Facts,
    Finding,
    FindingOutcome,
    Signal,
    TypedFacts,
    Use,
    Word,
)
from wireroom.ports import CardDetails, StepContext, Summary, TermsStatement
from wireroom.rights.finding_index import (
    AI_USES,
    MEASURED,
    MINING_USES,
    UNSEEN,
    FindingIndex,
    make_signals,
    within_reach,
)
from wireroom.signals.documents import UnreadError
from wireroom.signals.freshness import DOCUMENTS_AT
from wireroom.signals.shared import finding, nothing
from wireroom.signals.terms.model_advice import MAX_SHOWN, prompt_for, read_advice, tightened
from wireroom.signals.terms.phrases import DATE
from wireroom.signals.terms.terms_places import TermsPlace, named_places
from wireroom.signals.terms.terms_search import (
    CUT,
    MAX_TRIES,
    TermsDocument,
    TermsSearch,
    ask_for,
    first_document,
    spoken,
    unnamed_places,
    unread_places,
    with_others,
)
from wireroom.signals.terms.types import (
    ACTIVITIES,
    STRICTNESS,
    Activity,
    ActivityWord,
    Method,
    Passage,
    TermsReading,
)

MAX_PLACES = 5  # kept in the finding, for whoever wants to look
_NOT_ALLOWED = frozenset({"robots", "rights"}) | NOT_REACHED


async def run(context: StepContext) -> Finding:
    """The terms and their words; "no" only when nobody names any and none are where they often are."""
    places, failure = await named_places(context)
    tried = places
    if failure is not None and not places and not isinstance(failure, UnreadError):
        raise failure
    if not places:
        tried = await unnamed_places(context)
        asked = (ask_for(context, place) for place in tried)
        await asyncio.gather(*asked, return_exceptions=True)  # side by side; the errors come again
    search = await with_others(context, await first_document(context, tried), places)
    document, error = search.document, search.error
    if document is None and error is not None and (places or error.kind != "gone"):
        return _unreadable(context, tried[0], error)
    unread = unread_places(context, search, failure)
    if document is None:
        return _none(context, search, tried, places, unread)
    if document.reading is None:
        return _unread(context, search, places, unread)
    advised = await _with_advice(context, document.reading, document.text)
    return _judged(context, search, advised, places, unread)


# --- what a model says ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Advised:
    """A reading after a model was asked, or was not."""

    reading: TermsReading
    by_model: bool = False
    """Whether a model's answer was read, even where it tightened nothing."""
    note: str = ""
    """What became of asking; empty where nobody was asked."""


async def _with_advice(context: StepContext, reading: TermsReading, text: str) -> _Advised:
    """The reading, tightened by a model where there is one, and what became of asking it."""
    if context.advise is None or context.offline:
        return _Advised(reading)
    try:
        answer = await context.advise(prompt_for(text))
    except FetchError as error:
        return _Advised(reading, note=f"the model could not be asked: {error.reason}")
    try:
        opinion = await context.read(read_advice, answer, text)
    except ParseError as exc:
        return _Advised(reading, note=f"the model's answer could not be read: {exc}")
    after = tightened(reading.activities, opinion)
    changed = sum(passage.method == "model" for passage in after.values())
    cut = f" of the first {MAX_SHOWN} characters" if len(text) > MAX_SHOWN else ""
    note = f"a model's opinion{cut} tightened {changed} words"
    return _Advised(replace(reading, activities=after), by_model=True, note=note)


# --- writing down ------------------------------------------------------------------------------


def _judged(
    context: StepContext,
    search: TermsSearch,
    advised: _Advised,
    places: tuple[TermsPlace, ...],
    unread: Mapping[str, str],
) -> Finding:
    reading, document = advised.reading, search.found
    others = [other for other in search.others if other.reading is not None]
    notes = [_source_note(document.place), *(f"terms at {other.url}, too" for other in others)]
    outcome: FindingOutcome = "yes"
    if reading.state == "language":
        outcome = "unknown"
        notes.append(f"not judged: language ({spoken(reading)})")
    if reading.truncated:
        notes.append(CUT)
    notes += [advised.note] if advised.note else []
    located = _located(document, places, notes) | {
        "language": reading.language,
        "document_type": reading.document_type,
        "territorial_exceptions": list(reading.territorial_exceptions),
        "arbitration_clauses": list(reading.arbitration_clauses),
        "confidence_score": reading.confidence,
        "conflicts": list(reading.conflicts),
        "truncated": reading.truncated,
        "judged_by": "rules and model" if advised.by_model else "rules",
        "tables": DATE,
        MEASURED: {"words": reading.words, **_asked_in_vain(unread, search)},
        **_unseen(unread),
    }
    home_url = context.publisher.home_url
    facts = _facts_of(reading.activities, document.url, home_url)
    for other in others:
        if other.reading is not None:
            facts = _strictest(facts, _facts_of(other.reading.activities, other.url, home_url))
    return finding(
        context,
        "terms",
        outcome,
        TypedFacts(facts, located),
        *_evidence(document, reading.activities),
        *(
            place
            for other in others
            if other.reading
            for place in _evidence(other, other.reading.activities)
        ),
    )


def _strictest(facts: TermsFacts, others: TermsFacts) -> TermsFacts:
    """Of each activity the stricter word of the two, with its place; of two alike the first."""
    words = {
        activity: max(
            (terms.activities.get(activity, TermsWord()) for terms in (facts, others)),
            key=lambda terms_word: STRICTNESS[terms_word.word],
        )
        for activity in dict.fromkeys((*facts.activities, *others.activities))
    }
    return replace(facts, activities=words)


def _facts_of(activities: Mapping[Activity, Passage], url: str, home_url: str) -> TermsFacts:
    """What rights are judged from, and beside it where each sentence stands and who found it."""
    return TermsFacts(
        home_url=home_url,
        activities={
            activity: TermsWord(
                word=passage.word,
                quote=passage.quote,
                url=url if passage.word != "silent" else "",
                conditions=tuple(
                    StatedCondition(kind=kind, detail=detail)
                    for kind, detail in passage.conditions.items()
                ),
                offset=passage.offset,
                by_permission=passage.by_permission,
                because=passage.because,
                method=passage.method,
            )
            for activity, passage in activities.items()
        },
    )


def _located(
    document: TermsDocument, places: tuple[TermsPlace, ...], notes: list[str]
) -> dict[str, Any]:
    return {
        "tos_url": document.url,
        "confidence": document.place.score,
        "notes": "; ".join(notes),
        "source": document.place.source,
        "candidates": _candidates(places),
    }


def _unseen(unread: Mapping[str, str]) -> dict[str, str]:
    """The first reason for which not everything was read, as every step tells it."""
    reasons = [f"{url}: {why}" for url, why in unread.items()]
    return {UNSEEN: reasons[0]} if reasons else {}


def _asked_in_vain(unread: Mapping[str, str], search: TermsSearch) -> dict[str, Any]:
    """The addresses that are to be asked again soon; what came and cannot be read has time."""
    came = {document.url for document in (search.document, *search.others) if document is not None}
    return {DOCUMENTS_AT: {url: None for url in unread if url not in came}}


def _unread(
    context: StepContext,
    search: TermsSearch,
    places: tuple[TermsPlace, ...],
    unread: Mapping[str, str],
) -> Finding:
    document = search.found
    facts = _located(document, places, [_source_note(document.place), document.problem]) | {
        "reason": document.problem,
        MEASURED: _asked_in_vain(unread, search),
        **_unseen(unread),
    }
    note = Evidence(url=document.url, excerpt=document.problem, status=document.status)
    return finding(context, "terms", "unknown", facts, note)


def _unreadable(context: StepContext, place: TermsPlace, error: FetchError) -> Finding:
    """Terms are named, and could not be had: that is no "no"."""
    outcome: FindingOutcome = "skipped" if error.kind in _NOT_ALLOWED else "failed"
    facts = {
        "tos_url": place.url,
        "confidence": place.score,
        "notes": f"{_source_note(place)}; could not be read: {error.reason}",
        "error": error.reason,
        "reason": error.kind,
    }
    return finding(context, "terms", outcome, facts, Evidence(url=place.url, excerpt=error.reason))


def _none(
    context: StepContext,
    search: TermsSearch,
    tried: tuple[TermsPlace, ...],
    named: tuple[TermsPlace, ...],
    unread: Mapping[str, str],
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
        MEASURED: _asked_in_vain(unread, search),
        **_unseen(unread),
    }
    asked = (Evidence(url=place.url, excerpt="no terms") for place in tried[:MAX_TRIES])
    return finding(context, "terms", "unknown" if unread else "no", facts, *asked)


def _candidates(places: tuple[TermsPlace, ...]) -> list[dict[str, Any]]:
    return [
        {"url": place.url, "score": place.score, "source": place.source}
        for place in places[:MAX_PLACES]
    ]


def _source_note(place: TermsPlace) -> str:
    named = f" as {place.title!r}" if place.title else ""
    return f"found by {place.source}{named}"


def _evidence(
    document: TermsDocument, activities: Mapping[Activity, Passage]
) -> Iterator[Evidence]:
    yield Evidence(url=document.url, excerpt=document.place.title, status=document.status)
    for activity, passage in activities.items():
        if passage.word != "silent":
            excerpt = f"{activity}: {passage.word}: {passage.quote}"
            yield Evidence(url=document.url, excerpt=excerpt, status=document.status)


def summary(facts: Facts) -> str | Summary:
    """How many activities are prohibited, conditional, permitted."""
    if not facts.get("tos_url"):
        return nothing("no terms of service found")
    words = _words(facts)
    counts = [
        f"{words.count(word)} {word}"
        for word in ("prohibited", "conditional", "permitted")
        if word in words
    ]
    if not words:
        return f"found, not judged{f': {reason}' if (reason := facts.get('reason')) else ''}"
    return f"found: {', '.join(counts)}" if counts else "found: silent about every activity"


def compared(facts: Facts) -> object:
    """What the summary counts: which activities they are, the history of rights says line by line."""
    return bool(facts.get("tos_url")), sorted(_words(facts))


def _words(facts: Facts) -> list[str]:
    return [str(row.get("word")) for row in facts.get("activities", {}).values()]


def details(facts: Facts) -> CardDetails:
    """The activities, where terms were found and read; others than ours are passed over."""
    activities = facts.get("activities") or {}
    return CardDetails(
        terms=tuple(
            TermsStatement(
                activity=name,
                word=activities[name].get("word", "silent"),
                quote=str(activities[name].get("quote", "")),
                url=str(activities[name].get("url", "")),
            )
            for name in ACTIVITIES
            if name in activities
        )
    )


# From sentences about activities to words about uses.
#
# A prohibition is a deny, a permission an allow, silence is nothing, and a sentence that depends on more is
# unknown, with its conditions. Scraping is about access and has no use of its own; redistribution ties a
# condition to every use. Terms hold for everything the publisher has.

NAME: Final = "terms"
_USES: Final[dict[Activity, tuple[Use, ...]]] = {
    "ai_ml": AI_USES,
    "tdm": MINING_USES,
    "archiving": ("archive",),
}
REFUSED_USES: Final[tuple[Use, ...]] = (*AI_USES, "archive")
_VALUES: Final[dict[str, Word]] = {
    "permitted": "allow",
    "prohibited": "deny",
    "conditional": "unknown",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedCondition:
    """A condition that a sentence of the terms states."""

    kind: ConditionKind
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TermsWord:
    """What the terms of service say of one activity, with the sentence that says it."""

    word: ActivityWord = "silent"
    quote: str = ""
    url: str = ""
    conditions: tuple[StatedCondition, ...] = ()
    offset: int = 0
    """Where the sentence stands in the text."""
    by_permission: bool = False
    """Whether permission can lift a prohibition."""
    because: str = ""
    """Why, where the sentence does not name the activity itself."""
    method: Method = "rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class TermsFacts:
    """The terms of service, activity by activity; others than ours are passed over."""

    home_url: str = ""
    """The homepage of the publisher whose terms they are, wherever they stand."""
    activities: Mapping[str, TermsWord] = field(default_factory=dict)


def signals_for(findings: FindingIndex, url: str) -> tuple[Signal, ...]:
    """What the terms say of every use; they speak for their own publisher alone."""
    return tuple(
        signal
        for facts in findings.of(NAME, TermsFacts)
        for signal in within_reach(_of_terms(facts), of=facts.home_url, url=url)
    )


def _of_terms(facts: TermsFacts) -> Iterator[Signal]:
    for activity, uses in _USES.items():
        terms_word = facts.activities.get(activity)
        if terms_word is not None and terms_word.word in _VALUES:
            yield from _signals(terms_word, uses, _VALUES[terms_word.word], _conditions(terms_word))
    spread = facts.activities.get("redistribution")
    if spread is not None and spread.word in {"prohibited", "conditional"}:
        own = Condition(kind="redistribution", detail=spread.word)
        yield from _signals(spread, USES, "unknown", (own, *_conditions(spread)))


def _signals(
    terms_word: TermsWord, uses: tuple[Use, ...], value: Word, conditions: tuple[Condition, ...]
) -> tuple[Signal, ...]:
    return make_signals(
        NAME, uses, value, url=terms_word.url, excerpt=terms_word.quote, conditions=conditions
    )


def _conditions(terms_word: TermsWord) -> tuple[Condition, ...]:
    return tuple(
        Condition(kind=condition.kind, detail=condition.detail)
        for condition in terms_word.conditions
    )
