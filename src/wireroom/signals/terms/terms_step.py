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
from wireroom.languages import name_of
from wireroom.model import (
    USES,
    Condition,
    ConditionKind,
    Evidence,
    Facts,
    Finding,
    FindingOutcome,
    Response,
    Signal,
    TypedFacts,
    Use,
    Word,
)
from wireroom.parse.html import open_page
from wireroom.parse.kind import kind_of
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
from wireroom.signals.freshness import DOCUMENTS_AT
from wireroom.signals.page_reading import declared_language
from wireroom.signals.shared import ask, earlier, finding, nothing, read_answer
from wireroom.signals.terms.model_advice import MAX_SHOWN, prompt_for, read_advice, tightened
from wireroom.signals.terms.phrases import DATE
from wireroom.signals.terms.terms_places import (
    BY_GUESS,
    TermsPlace,
    guessed_places,
    named_places,
)
from wireroom.signals.terms.terms_reading import MAX_TEXT, document_type, read_terms, text_of_page
from wireroom.signals.terms.types import (
    ACTIVITIES,
    Activity,
    ActivityWord,
    Method,
    Passage,
    TermsReading,
)

MAX_PAGE = 3_000_000  # bytes; terms are text, and the longest have a tenth of that
MAX_TRIES = 2  # places that are asked: the likeliest, and the next where that was none
MAX_PLACES = 5  # kept in the finding, for whoever wants to look
_NOT_ALLOWED = frozenset({"robots", "rights"})
_CUT = f"only the beginning was read (limits: {MAX_PAGE} bytes, {MAX_TEXT} characters)"


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


async def run(context: StepContext) -> Finding:
    """The terms and their words; "no" only when nobody names any and none are where they often are."""
    places, failure = await named_places(context)
    tried = places
    if failure is not None and not places:
        raise failure
    if not places:
        tried = await _unnamed_places(context)
        asked = (_ask(context, place) for place in tried)
        await asyncio.gather(*asked, return_exceptions=True)  # side by side; the errors come again
    search = await _first_document(context, tried)
    document, error = search.document, search.error
    if document is None and error is not None and (places or error.kind != "gone"):
        return _unreadable(context, tried[0], error)
    unread = _unread_places(context, search, failure)
    if document is None:
        return _none(context, tried, places, unread)
    if document.reading is None:
        return _unread(context, document, places, unread)
    advised = await _with_advice(context, document.reading, document.text)
    return _judged(context, document, advised, places, unread)


# --- getting the document ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Search:
    """The first place that holds terms, and what became of those that were asked before it."""

    document: _Document | None
    failed: Mapping[str, FetchError] = field(default_factory=dict)
    no_terms: tuple[str, ...] = ()
    """Places that answered with something else."""
    unasked: int = 0
    """Places that were named and not asked for, where none before them held terms."""

    @property
    def error(self) -> FetchError | None:
        """Why terms could not be had; that they are gone only where nothing else went wrong."""
        errors = sorted(self.failed.values(), key=lambda error: error.kind == "gone")
        return errors[0] if errors else None


async def _unnamed_places(context: StepContext) -> tuple[TermsPlace, ...]:
    """Where terms were the last time, and where they often are: a homepage that names none repeals none."""
    guessed = await guessed_places(context)
    known = [
        TermsPlace(str(found.facts["tos_url"]), BY_GUESS, "earlier scout")
        for found in earlier(context)
        if found.facts.get("tos_url")
    ]
    urls = {place.url for place in guessed}
    return (*(place for place in known[-1:] if place.url not in urls), *guessed)


async def _first_document(context: StepContext, places: tuple[TermsPlace, ...]) -> _Search:
    """The places in their order, until one holds terms."""
    failed, no_terms = dict[str, FetchError](), list[str]()
    for place in places[:MAX_TRIES]:
        try:
            document = await _document(context, place)
        except FetchError as caught:
            failed[place.url] = caught
            continue
        if document is not None:
            return _Search(document, failed, tuple(no_terms))
        no_terms.append(place.url)
    return _Search(None, failed, tuple(no_terms), len(places[MAX_TRIES:]))


def _unread_places(
    context: StepContext, search: _Search, failure: FetchError | None
) -> dict[str, str]:
    """Address and reason of whatever may hold terms and could not be read."""
    unread = {url: error.reason for url, error in search.failed.items() if error.kind != "gone"}
    if failure is not None:
        unread[context.publisher.home_url] = f"the homepage may name others: {failure.reason}"
    known = {str(found.facts.get("tos_url")) for found in earlier(context)}
    unread |= {
        url: "there were terms, and now there is something else"
        for url in search.no_terms
        if url in known
    }
    if search.unasked:
        unread[context.publisher.home_url] = (
            f"{search.unasked} more places are named, of which {MAX_TRIES} are asked for"
        )
    document = search.document
    if document is not None and (problem := _problem(context, document)):
        unread[document.url] = problem
    return unread


def _problem(context: StepContext, document: _Document) -> str:
    """Why what was found does not count as read."""
    reading = document.reading
    if reading is None:
        return document.problem
    if reading.state == "language":
        return f"terms are in a language that is not read: {_spoken(reading)}"
    if reading.truncated:
        return _CUT
    if reading.document_type == "unknown" and (_is_silent(reading) or _was_terms(context)):
        return "the page does not call itself terms"
    return ""


def _is_silent(reading: TermsReading) -> bool:
    return all(passage.word == "silent" for passage in reading.activities.values())


def _was_terms(context: StepContext) -> bool:
    """Whether the terms called themselves so when they were read before."""
    kinds = (found.facts.get("document_type") for found in earlier(context))
    return any(kind not in {None, "unknown"} for kind in kinds)


def _spoken(reading: TermsReading) -> str:
    return name_of(reading.language) or reading.language or "unknown"


async def _ask(context: StepContext, place: TermsPlace) -> Response:
    return await ask(context, place.url, max_bytes=MAX_PAGE, take_start=True)


async def _document(context: StepContext, place: TermsPlace) -> _Document | None:
    """What is at the place; None when that is no page of terms."""
    response = await _ask(context, place)
    read = await read_answer(
        context, response, read_terms_page, response.truncated, place.source == "probe"
    )
    if read is None:
        return None
    return _Document(
        place, response.final_url, response.status, read.text, read.reading, read.problem
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TermsPage:
    """A page of terms as data, or why it cannot be read."""

    text: str = ""
    reading: TermsReading | None = None
    problem: str = ""


def read_terms_page(
    body: bytes, url: str, content_type: str, truncated: bool, guessed: bool
) -> TermsPage | None:
    """The terms on a page; None when it holds none. What was guessed has to call itself terms."""
    kind = kind_of(body, content_type=content_type).name
    if kind == "pdf" or "pdf" in content_type.lower():
        return TermsPage(problem="terms are a PDF, not read")
    if kind not in {"html", "text", "xml"}:
        return TermsPage(problem=f"terms are {kind}, not read")
    page = open_page(body, url=url, content_type=content_type)
    found = text_of_page(page)
    calls_itself = document_type(found.title)
    if calls_itself == "privacy_policy" or (guessed and calls_itself == "unknown"):
        return None
    language = declared_language(page)
    cut = found.truncated or truncated
    reading = read_terms(found.text, title=found.title, language=language, truncated=cut)
    if reading.state == "empty":
        return TermsPage(problem="the page of terms holds no text")
    return TermsPage(text=found.text, reading=reading)


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
    document: _Document,
    advised: _Advised,
    places: tuple[TermsPlace, ...],
    unread: Mapping[str, str],
) -> Finding:
    reading = advised.reading
    notes = [_source_note(document.place)]
    outcome: FindingOutcome = "yes"
    if reading.state == "language":
        outcome = "unknown"
        notes.append(f"not judged: language ({_spoken(reading)})")
    if reading.truncated:
        notes.append(_CUT)
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
        MEASURED: {"words": reading.words, **_asked_in_vain(unread, document)},
        **_unseen(unread),
    }
    return finding(
        context,
        "terms",
        outcome,
        TypedFacts(
            _facts_of(reading.activities, document.url, context.publisher.home_url), located
        ),
        *_evidence(document, reading.activities),
    )


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
    document: _Document, places: tuple[TermsPlace, ...], notes: list[str]
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


def _asked_in_vain(unread: Mapping[str, str], document: _Document | None) -> dict[str, Any]:
    """The addresses that are to be asked again soon; what came and cannot be read has time."""
    came = document.url if document is not None else ""
    return {DOCUMENTS_AT: {url: None for url in unread if url != came}}


def _unread(
    context: StepContext,
    document: _Document,
    places: tuple[TermsPlace, ...],
    unread: Mapping[str, str],
) -> Finding:
    facts = _located(document, places, [_source_note(document.place), document.problem]) | {
        "reason": document.problem,
        MEASURED: _asked_in_vain(unread, document),
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
        MEASURED: _asked_in_vain(unread, None),
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


def _evidence(document: _Document, activities: Mapping[Activity, Passage]) -> Iterator[Evidence]:
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
