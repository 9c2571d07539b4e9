"""What signals, and scouting steps, share: how they write down what they found, on pages and in well-known files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from wireroom.errors import (
    FetchError,
    GoneError,
    ParseError,
    StatusError,
    UnknownFormatError,
)
from wireroom.model import (
    Evidence,
    Facts,
    Finding,
    FindingOutcome,
    Priority,
)
from wireroom.parse.page_tags import PageTags
from wireroom.parse.robots import Extension, Robots
from wireroom.parse.robots.robots_scan import ExtensionName
from wireroom.ports import StepContext, Summary
from wireroom.rights.finding_index import (
    MEASURED,
    PAGES_AT,
    RobotsFacts,
    facts_of,
    last_findings,
    same_publisher,
)
from wireroom.signals.documents import (
    NO_ROBOTS,
    UnreadError,
    ask,
    origin_of,
    page_at,
    read_answer,
)
from wireroom.signals.freshness import (
    MAX_PAGES,
    believed_pages,
    is_believed,
    is_fresh,
    page_times,
)
from wireroom.signals.page_reading import (
    read_header_tags,
)

T = TypeVar("T")

# How a step writes down what it found.


def finding(
    context: StepContext,
    step: str,
    outcome: FindingOutcome,
    facts: Facts,
    *evidence: Evidence,
) -> Finding:
    """A finding of this scout."""
    return Finding(step=step, outcome=outcome, facts=facts, evidence=evidence, found_at=context.now)


# The robots.txt that the step `robots` fetched, for the steps that need it: parsed once a scout.

MAX_LINES = 1_000  # of one name; real files have a dozen
_WRITTEN = {
    "license": "License",
    "content-signal": "Content-Signal",
    "content-usage": "Content-Usage",
}


def kept_robots(context: StepContext) -> tuple[str, Robots]:
    """Where the robots.txt was read, and its rules; without one, rules that allow everything."""
    facts = facts_of(context.findings["robots"], RobotsFacts)
    return ("", NO_ROBOTS) if facts is None else (facts.url, facts.rules)


def kept_robots_origin(context: StepContext) -> str:
    """The origin for which that robots.txt holds."""
    facts = facts_of(context.findings["robots"], RobotsFacts)
    return "" if facts is None else origin_of(facts.speaks_for)


def robots_lines(context: StepContext, name: ExtensionName) -> tuple[Evidence, ...]:
    """Every line of this name, whomever it speaks to."""
    url, robots = kept_robots(context)
    return tuple(
        Evidence(
            url=url,
            line=extension.line,
            excerpt=" ".join(
                filter(None, (f"{_WRITTEN[name]}:", extension.pattern, extension.value))
            ),
        )
        for extension in extension_lines(robots, name)
    )


def extension_lines(robots: Robots, name: ExtensionName) -> tuple[Extension, ...]:
    """The lines of this name that steps look at; what they say of a page is asked of the rules, all of them."""
    named = (extension for extension in robots.extensions if extension.name == name)
    return tuple(islice(named, MAX_LINES))


# What pages hold that signals read: the homepage and the page in question.
#
# A page is walked once for all signals. What was read on other pages before is kept beside it, so that a
# publisher's dossier grows with every page that is read.


class _Page(Protocol):
    @property
    def url(self) -> str: ...


P = TypeVar("P", bound=_Page)


async def page_tags_at(context: StepContext, url: str) -> tuple[PageTags, FetchError | None]:
    """What the page at the address holds; a refusal is read as well: its headers may name terms.

    A page of which a limit left out a part counts as one that could not be read: the part may refuse.
    """

    async def make() -> tuple[PageTags, FetchError | None]:
        try:
            page = await page_at(context, url)
        except StatusError as error:
            if not error.headers:
                raise
            # Headers are few and short: they are read right here.
            return read_header_tags(url, error.headers), error
        tags = page.reading.tags
        unread = ParseError(f"not looked at: {tags.cut}") if tags.cut else None
        return tags, UnreadError(page.response, unread) if unread else None

    return await context.once(f"page tags {url}", make)


class ScoutedPages(NamedTuple):
    """The homepage and the page in question, as far as they were asked for."""

    pages: tuple[PageTags, ...]
    """What they hold; of one that was refused its headers."""
    failure: FetchError | None
    """Why one of them could not be read."""
    failed: frozenset[str]
    """Those that could not be read: what they said before still refuses."""


async def scouted_pages(context: StepContext) -> ScoutedPages:
    """The homepage and the page in question, and why one of them could not be read."""
    pages: list[PageTags] = []
    failure: FetchError | None = None
    failed: set[str] = set()
    for url in dict.fromkeys((context.publisher.home_url, context.url)):
        if url != context.url and is_fresh(context, PAGES_AT, url):
            continue
        try:
            tags, refused = await page_tags_at(context, url)
        except FetchError as error:
            failure = error
            failed.add(url)
            continue
        pages.append(tags)
        failure = refused or failure
        failed |= {url} if refused else set()
    return ScoutedPages(tuple(pages), failure, frozenset(failed))


def outcome_of(found: object, failure: FetchError | None) -> FindingOutcome:
    """Yes for whatever was found; no only when every page could be read."""
    if found:
        return "yes"
    return "no" if failure is None else "unknown"


def known_before(context: StepContext, kind: type[T], failed: Collection[str] = ()) -> T | None:
    """What this step knew already of pages that still count, or have `failed` now; None when there are none."""
    if context.before is None or not (believed_pages(context) or failed):
        return None
    facts: Any = facts_of(context.before, kind)
    if hasattr(facts, "pages"):
        believed = tuple(
            page for page in facts.pages if page.url in failed or is_believed(context, page.url)
        )
        facts = replace(facts, pages=believed)
    return facts  # type: ignore[no-any-return]  # a value of the same kind


def laid_over(
    before: Iterable[P],
    now: Iterable[P],
    is_empty: Callable[[P], bool],
    failed: Collection[str] = (),
) -> tuple[P, ...]:
    """Pages read before and now, the latest word of each; who says nothing is left out.

    Pages that `failed` keep their last word beside what their headers say now.
    """
    latest = tuple(now)
    answered = {page.url for page in latest} - set(failed)
    kept = [page for page in before if page.url not in answered]
    kept += [page for page in latest if page not in kept]
    return tuple(page for page in kept if not is_empty(page))[-MAX_PAGES:]


def about_this_page(
    context: StepContext,
    pages: Iterable[PageTags],
    failure: FetchError | None,
    failed: Collection[str],
) -> dict[str, Any]:
    """The notes every such step keeps: which page it was about, which it read, why one was not read."""
    urls = [page.url for page in pages]
    times = page_times(context, urls, failed)
    return {
        "page_url": context.url,
        "heard": [url for url, at in times.items() if at is not None][-MAX_PAGES:],
        "error": failure.reason if failure else _elsewhere(context, urls),
        MEASURED: {PAGES_AT: times},
    }


def _elsewhere(context: StepContext, urls: Iterable[str]) -> str | None:
    """That the front page in question leads to another host: what is said there, nobody has said of this one."""
    if any(same_publisher(url, context.url) for url in urls):
        return None
    return next((f"{context.url} leads to {url}, on another host" for url in urls), None)


# Files at well-known addresses: there, not there, or a page in their place.

MAX_FILE = 1_000_000  # bytes of a file that a person wrote; larger ones are traps or mistakes

Reader = Callable[[bytes, str, str], T]
"""Bytes, the address they came from, the media type the server claims; a function of a module (`StepContext.read`)."""


@dataclass(frozen=True, slots=True)
class Answered(Generic[T]):
    """What a well-known address gave: the file, or why there is none."""

    url: str
    """Where it was read, or asked for in vain."""
    file: T | None
    status: int
    why: str = ""
    truncated: bool = False
    asked_url: str = ""
    """Where it was asked for: it speaks for this host."""

    def evidence(self, excerpt: str = "", *, line: int | None = None) -> Evidence:
        """Something read in it, or that it was looked for."""
        return Evidence(url=self.url, line=line, excerpt=excerpt or self.why, status=self.status)


async def well_known(
    context: StepContext,
    path: str,
    read: Reader[T],
    *,
    known_at: Collection[str] = (),
    priority: Priority = Priority.RIGHTS_FILE,
) -> Answered[T]:
    """The file at this path of the publisher's origin; raises FetchError when nobody could look.

    A page or another text in its place is no file, and an answer. Not so at an address where a scout has found the file
    before (`known_at`), and for a file that cannot be read: that is an UnreadError, for it may say anything.
    """
    url = f"{origin_of(context.publisher.home_url)}{path}"
    try:
        response = await ask(context, url, max_bytes=MAX_FILE, take_start=True, priority=priority)
    except StatusError as error:
        no_such_file = error.status in {400, 405, 406} and url not in known_at
        if isinstance(error, GoneError) or no_such_file:
            return Answered(url, None, error.status, "no such file", asked_url=url)
        raise
    try:
        file = await read_answer(context, response, read)
    except UnknownFormatError as exc:
        if url in known_at:
            raise UnreadError(response, exc) from exc
        return Answered(response.final_url, None, response.status, str(exc), asked_url=url)
    except ParseError as exc:
        raise UnreadError(response, exc) from exc
    return Answered(
        response.final_url, file, response.status, truncated=response.truncated, asked_url=url
    )


def earlier(context: StepContext) -> tuple[Finding, ...]:
    """What this step found before, as far as it still counts, the oldest first."""
    before = context.before
    return () if before is None else (*last_findings(before), before)


def earlier_facts(context: StepContext, kind: type[T]) -> tuple[T, ...]:
    """The facts of those findings."""
    read = (facts_of(found, kind) for found in earlier(context))
    return tuple(facts for facts in read if facts is not None)


# What steps say of what they found, for the line of the card.


def nothing(text: str) -> Summary:
    """The summary of a step that found nothing, as far as it could fetch."""
    return Summary(text=text, nothing=True)


def has_file(facts: Facts) -> bool:
    """Whether a well-known file is there: a finding without one says why."""
    return not facts.get("reason")


def found(count: int, noun: str) -> Summary:
    """`Found 3 feed(s)`, or `no feed found`."""
    return Summary(text=f"Found {count} {noun}(s)") if count else nothing(f"no {noun} found")
