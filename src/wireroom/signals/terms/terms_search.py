"""The documents of a publisher's terms: the first place that holds some, and others that are named as such."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from wireroom.display_text import counted
from wireroom.errors import FetchError
from wireroom.languages import name_of
from wireroom.model import Priority, Response
from wireroom.parse.html import open_page
from wireroom.parse.kind import kind_of
from wireroom.parse.links.terms_links import LIKELY
from wireroom.ports import StepContext
from wireroom.signals.documents import ask, read_answer
from wireroom.signals.page_reading import declared_language
from wireroom.signals.shared import earlier
from wireroom.signals.terms.terms_places import BY_GUESS, TermsPlace, guessed_places
from wireroom.signals.terms.terms_reading import MAX_TEXT, document_type, read_terms, text_of_page
from wireroom.signals.terms.types import TermsReading

MAX_PAGE = 3_000_000  # bytes; terms are text, and the longest have a tenth of that
MAX_TRIES = 2  # places that are asked for terms: the likeliest, and the next where that was none
MAX_READ = 3  # places that are asked in all: who names several terms means all of them
CUT = f"only the beginning was read (limits: {MAX_PAGE} bytes, {MAX_TEXT} characters)"


@dataclass(frozen=True, slots=True)
class TermsDocument:
    """What was found at a place."""

    place: TermsPlace
    url: str
    status: int
    text: str = ""
    reading: TermsReading | None = None
    """None where there is nothing that could be read."""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class TermsSearch:
    """The first place that holds terms, others that are named as such, and what became of those that hold none."""

    document: TermsDocument | None
    failed: Mapping[str, FetchError] = field(default_factory=dict)
    no_terms: tuple[str, ...] = ()
    """Places that answered with something else."""
    others: tuple[TermsDocument, ...] = ()
    """Terms at further places."""
    unasked: int = 0
    """Places that may hold terms and were not asked for."""

    @property
    def error(self) -> FetchError | None:
        """Why terms could not be had; that they are gone only where nothing else went wrong."""
        errors = sorted(self.failed.values(), key=lambda error: error.kind == "gone")
        return errors[0] if errors else None

    @property
    def found(self) -> TermsDocument:
        """The document, where there is one."""
        if self.document is None:
            raise AssertionError("no place holds terms")
        return self.document


async def unnamed_places(context: StepContext) -> tuple[TermsPlace, ...]:
    """Where terms were the last time, and where they often are: a homepage that names none repeals none."""
    guessed = await guessed_places(context)
    known = [
        TermsPlace(str(found.facts["tos_url"]), BY_GUESS, "earlier scout")
        for found in earlier(context)
        if found.facts.get("tos_url")
    ]
    urls = {place.url for place in guessed}
    return (*(place for place in known[-1:] if place.url not in urls), *guessed)


async def first_document(context: StepContext, places: tuple[TermsPlace, ...]) -> TermsSearch:
    """The places in their order, until one holds terms."""
    failed, no_terms = dict[str, FetchError](), list[str]()
    for number, place in enumerate(places[:MAX_TRIES]):
        try:
            document = await _document(context, place, is_first=not number)
        except FetchError as caught:
            failed[place.url] = caught
            continue
        if document is not None:
            return TermsSearch(document, failed, tuple(no_terms))
        no_terms.append(place.url)
    return TermsSearch(None, failed, tuple(no_terms), unasked=len(places[MAX_TRIES:]))


async def with_others(
    context: StepContext, search: TermsSearch, places: tuple[TermsPlace, ...]
) -> TermsSearch:
    """The search, gone on with for what the publisher names as terms beside the first that were found."""
    if search.document is None:
        return search
    asked = {search.document.place.url, *search.failed, *search.no_terms}
    named = [place for place in places if place.score >= LIKELY and place.url not in asked]
    left = named[: MAX_READ - len(asked)]
    found = await asyncio.gather(
        *(_document(context, place) for place in left), return_exceptions=True
    )
    others, failed = list[TermsDocument](), dict(search.failed)
    for place, outcome in zip(left, found, strict=True):
        if isinstance(outcome, FetchError):
            failed[place.url] = outcome
        elif isinstance(outcome, BaseException):
            raise outcome
        elif outcome is not None and outcome.url != search.document.url:
            others.append(outcome)
    documents = [search.document, *others]
    documents.sort(key=lambda document: document.reading is None)  # what can be read is judged
    return replace(
        search,
        document=documents[0],
        others=tuple(documents[1:]),
        failed=failed,
        unasked=len(named) - len(left),
    )


def unread_places(
    context: StepContext, search: TermsSearch, failure: FetchError | None
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
            f"it names {counted(search.unasked, 'more place', 'more places')} of terms than are asked for"
        )
    for document in (search.document, *search.others):
        if document is not None and (problem := _problem(context, document)):
            unread[document.url] = problem
    return unread


def _problem(context: StepContext, document: TermsDocument) -> str:
    """Why what was found does not count as read."""
    reading = document.reading
    if reading is None:
        return document.problem
    if reading.state == "language":
        return f"terms are in a language that is not read: {spoken(reading)}"
    if reading.truncated:
        return CUT
    if reading.document_type == "unknown" and (_is_silent(reading) or _was_terms(context)):
        return "the page does not call itself terms"
    return ""


def _is_silent(reading: TermsReading) -> bool:
    return all(passage.word == "silent" for passage in reading.activities.values())


def _was_terms(context: StepContext) -> bool:
    """Whether the terms called themselves so when they were read before."""
    kinds = (found.facts.get("document_type") for found in earlier(context))
    return any(kind not in {None, "unknown"} for kind in kinds)


def spoken(reading: TermsReading) -> str:
    """The language of terms, for people."""
    return name_of(reading.language) or reading.language or "unknown"


async def ask_for(context: StepContext, place: TermsPlace, *, is_first: bool = False) -> Response:
    """What the server says to a place; the first that is named is asked for before others."""
    priority = Priority.TERMS if is_first else Priority.MORE
    if place.source == "probe":
        priority = Priority.GUESS
    return await ask(context, place.url, max_bytes=MAX_PAGE, take_start=True, priority=priority)


async def _document(
    context: StepContext, place: TermsPlace, *, is_first: bool = False
) -> TermsDocument | None:
    """What is at the place; None when that is no page of terms."""
    response = await ask_for(context, place, is_first=is_first)
    read = await read_answer(
        context, response, read_terms_page, response.truncated, place.source == "probe"
    )
    if read is None:
        return None
    return TermsDocument(
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
