"""Really Simple Licensing: documents that say what may be used, by whom, for what price.

`rsl_document` reads one, `rsl_notices` finds where it is named, `rsl_offers` and `rsl_verdict` say what it comes
to for a page, `rsl_step` scouts for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice
from typing import Any

from wireroom.display_text import counted
from wireroom.errors import FetchError, GoneError, ParseError
from wireroom.model import Evidence, Facts, Finding, Item, Priority, TypedFacts
from wireroom.parse.page_tags import PageTags
from wireroom.parse.robots import Extension
from wireroom.ports import (
    CostlyDocumentError,
    SignalPlug,
    Step,
    StepContext,
    Summary,
    Vocabulary,
)
from wireroom.rights.finding_index import MEASURED, UNSEEN, facts_of, lapsed_facts, why_unseen
from wireroom.signals.documents import ask, feed_at, read_answer
from wireroom.signals.freshness import (
    DOCUMENTS_AT,
    DOCUMENTS_UNTIL,
    answer_times,
    is_answer,
    is_believed,
    is_fresh,
    time_of_answer,
)
from wireroom.signals.licence import licence_code
from wireroom.signals.rsl.rsl_document import (
    MAX_BYTES,
    PAYMENTS,
    USAGES,
    USERS,
    RslDocument,
    RslFacts,
    RslNotice,
    read_rsl,
)
from wireroom.signals.rsl.rsl_verdict import (
    named_documents,
    page_notices,
    read_item,
    read_named,
    read_page,
    signals_for,
    unseen,
    with_known,
)
from wireroom.signals.shared import (
    about_this_page,
    extension_lines,
    finding,
    kept_robots,
    known_before,
    nothing,
    outcome_of,
    scouted_pages,
)
from wireroom.urls import resolve, same_page
from wireroom.version import TOKEN

# The scouting step: Really Simple Licensing, wherever it is named, and the documents that are named.
#
# Fetching those documents is part of the scout: they were put there to be read by whoever comes. A
# `License:` line that names a licence for everybody (Creative Commons …) is no RSL; see the signal `licence`.

MAX_DOCUMENTS = 3  # asked for; a publisher has one, or one for each kind of reader
MAX_AGENTS = (
    200  # of the group of robots.txt that a notice stands in; the longest real ones have some 150
)
MAX_OWN = 20  # items of one feed about one page; real ones have one
MAX_NOTICES = 100  # kept; more pages name the same document again


@dataclass(frozen=True, slots=True)
class _NamedDocument:
    """A document that is named, or why there is none, and when the server answered for it."""

    document: RslDocument | None
    answered_at: datetime | None
    problem: str = ""
    gone: bool = False
    """Whether the server says that there is none (any more)."""


async def run(context: StepContext) -> Finding:
    """Every notice with its document; what robots.txt names survives a homepage that fails."""
    scouted, failure, failed = await scouted_pages(context)
    known = known_before(context, RslFacts, failed)
    ours, others = _in_robots(context)
    found = [*ours, *await _on_pages(context, scouted), *await _in_feeds(context)]
    if failure is not None and not (scouted or found or others or known):
        raise failure
    known_elsewhere = _of_other_pages(context, known, {tags.url for tags in scouted}, failed)
    named = {(notice.place, notice.licence_url, notice.page_url) for notice in found}
    found += (
        notice
        for notice in known_elsewhere
        if (notice.place, notice.licence_url, notice.page_url) not in named
    )
    found, cut = found[:MAX_NOTICES], found[MAX_NOTICES:]
    documents = await _documents(context, [*found, *others])
    read = [*(_with(notice, documents) for notice in found), *_past_limit(cut)]
    rest = others[: max(0, MAX_NOTICES - len(read))]
    notices = (*read, *(_with(notice, documents) for notice in rest))
    indicators = [_indicator(notice) for notice in notices]
    detected = any(indicator["confidence"] == "confirmed" for indicator in indicators)
    notes = about_this_page(context, scouted, failure, failed) | {
        "rsl_detected": detected,
        "indicators": indicators,
        "count": len(indicators),
    }
    if why := _why_unseen(context, read, documents):
        notes[UNSEEN] = why
    times = answer_times({url: read.answered_at for url, read in documents.items()})
    notes[MEASURED] |= {DOCUMENTS_AT: times, DOCUMENTS_UNTIL: answer_times(_until(documents))}
    outcome = outcome_of(detected, failure)
    # A line that may name anything is not a no.
    outcome = "unknown" if outcome == "no" and indicators else outcome
    facts = TypedFacts(RslFacts(notices=notices), notes)
    return finding(context, "rsl", outcome, facts, *_evidence(context, notices))


async def _on_pages(context: StepContext, scouted: Iterable[PageTags]) -> list[RslNotice]:
    """What the pages name; a document that stands in a page is read where documents are."""
    found: list[RslNotice] = []
    for tags in scouted:
        if not any(tag.tag == "script" for tag in tags.licences):
            found += page_notices(tags)
            continue
        try:
            found += await context.read(page_notices, tags)
        except CostlyDocumentError:
            # That there is one is known, and makes nothing allowed: an empty document is one that cannot be read.
            empty = tuple(tag._replace(text="") for tag in tags.licences)
            found += page_notices(replace(tags, licences=empty))
    return found


async def _in_feeds(context: StepContext) -> list[RslNotice]:
    """What items of the feeds state, as far as this scout has read them.

    That of the page in question, or of one item as an example: which one is the newest is no news.
    """
    feeds = context.findings.get("feeds")
    if feeds is None or feeds.found_at != context.now:
        return [notice for notice in _before(context) if notice.place == "feed"]
    found: list[RslNotice] = []
    answered = set[str]()
    for offer in feeds.facts.get("feeds", ()):
        try:
            document = await feed_at(context, str(offer["url"]))
        except (FetchError, ParseError):
            continue
        own = [item for item in document.items if same_page(item.url, context.url)]
        answered |= {item.feed_url for item in own}
        stating = [item for item in document.items if item.extra.get("rsl")]
        for item in own[:MAX_OWN] or stating[:1]:
            notices = await _stated(context, item)
            found += notices if own else (replace(notice, page_url="") for notice in notices)
        cut = document.truncated and not own
        if (cut or len(own) > MAX_OWN) and context.url != context.publisher.home_url:
            found.append(_behind_end(context, str(offer["url"])))
    return [*found, *_earlier_in_feeds(context, answered)]


def _behind_end(context: StepContext, feed_url: str) -> RslNotice:
    """The page may stand in the part of a feed that was not read, with terms."""
    problem = f"not looked at: {feed_url} is longer than what was read of it"
    return RslNotice(place="feed", licence_url=feed_url, page_url=context.url, problem=problem)


def _earlier_in_feeds(context: StepContext, answered: Collection[str]) -> Iterator[RslNotice]:
    """What feeds stated for the page before and none states anew: it refuses until its item says otherwise."""
    if context.before is None:
        return
    for facts in (facts_of(context.before, RslFacts), lapsed_facts(context.before, RslFacts)):
        for notice in facts.notices if facts is not None else ():
            stated = notice.place == "feed" and notice.licence_url not in answered
            if stated and same_page(notice.page_url, context.url):
                yield replace(notice, part=True)


async def _stated(context: StepContext, item: Item) -> tuple[RslNotice, ...]:
    """The terms of one item, read where documents are."""
    try:
        facts = await context.read(read_item, item)
    except CostlyDocumentError as exc:
        unread = RslNotice(
            place="feed", licence_url=item.feed_url, page_url=item.url, problem=exc.message
        )
        return (unread,)
    return facts.notices if facts is not None else ()


def _in_robots(context: StepContext) -> tuple[list[RslNotice], list[RslNotice]]:
    """What robots.txt names for us, all of it, and what it names for others, as far as that is looked at."""
    base, robots = kept_robots(context)
    ours = robots.licences(TOKEN)
    lines = {line.line for line in ours}
    others = (line for line in extension_lines(robots, "license") if line.line not in lines)
    return list(_of_lines(base, ours)), list(islice(_of_lines(base, others), MAX_NOTICES))


def _of_lines(base: str, lines: Iterable[Extension]) -> Iterator[RslNotice]:
    for line in lines:
        if licence_code(line.value):
            continue
        url, problem = "", ""
        try:
            url = resolve(base, line.value)
        except ValueError as exc:
            problem = f"no address: {exc}"
        yield RslNotice(
            place="robots",
            licence_url=url,
            line=line.line,
            agents=_named(line.agents),
            excerpt=f"License: {line.value}",
            problem=problem,
        )


def _past_limit(cut: Iterable[RslNotice]) -> tuple[RslNotice, ...]:
    """One notice for each place of which some are not kept: they may refuse."""
    first: dict[str, RslNotice] = {}
    for notice in cut:
        why = f"not looked at: more than {MAX_NOTICES} notices"
        kept = replace(notice, document=None, problem=why)
        first.setdefault(notice.page_url if notice.place != "robots" else "", kept)
    return tuple(first.values())


@lru_cache(maxsize=8)  # the lines of a group share its agents
def _named(agents: tuple[str, ...]) -> tuple[str, ...]:
    """The agents of a line's group as they are kept; of too many those that may mean us, and the first."""
    if len(agents) <= MAX_AGENTS:
        return agents
    ours = [name for name in agents if name.lower() in {"*", TOKEN}]
    return (*ours, *agents[:MAX_AGENTS])


async def _documents(context: StepContext, found: Iterable[RslNotice]) -> dict[str, _NamedDocument]:
    """The documents that are named: those whose server answered lately are not asked for again."""
    documents = {
        notice.licence_url: _NamedDocument(
            notice.document, time_of_answer(context, notice.licence_url)
        )
        for notice in _before(context)
        if notice.document is not None
        and is_fresh(context, DOCUMENTS_AT, notice.licence_url)
        and _is_valid(context, notice.licence_url, notice.document)
    }
    named_at = (notice.licence_url for notice in found if notice.place != "feed")
    wanted = list(dict.fromkeys(filter(None, named_at)))
    asked = [url for url in wanted if url not in documents][:MAX_DOCUMENTS]
    read = await asyncio.gather(*(_read(context, url) for url in asked))
    named: dict[str, _NamedDocument] = {url: documents[url] for url in wanted if url in documents}
    return named | dict(zip(asked, read, strict=True))


def _until(documents: Mapping[str, _NamedDocument]) -> dict[str, datetime | None]:
    """Until when each document may be used (`max-age`)."""
    return {
        url: read.answered_at + timedelta(days=read.document.max_age_days)
        for url, read in documents.items()
        if read.document is not None and read.answered_at is not None
    }


def _is_valid(context: StepContext, url: str, document: RslDocument) -> bool:
    """Whether the document is younger than it says it may be used for (`max-age`)."""
    answered = time_of_answer(context, url)
    return answered is not None and context.now < answered + timedelta(days=document.max_age_days)


def _before(context: StepContext) -> tuple[RslNotice, ...]:
    facts = facts_of(context.before, RslFacts) if context.before is not None else None
    return () if facts is None else facts.notices


def _of_other_pages(
    context: StepContext, known: RslFacts | None, scouted: set[str], failed: Collection[str]
) -> Iterator[RslNotice]:
    """What pages named that were not asked for now; robots.txt, feeds and the others have just been read."""
    for notice in known.notices if known is not None else ():
        url = notice.page_url
        kept = url in failed or (url not in scouted and is_believed(context, url))
        if notice.place not in {"robots", "feed"} and kept:
            yield notice


def _why_unseen(
    context: StepContext, notices: Iterable[RslNotice], documents: Mapping[str, _NamedDocument]
) -> str:
    """Why something that may refuse is not known; a document that is gone is known not to be there."""
    in_robots = why_unseen(context.findings["robots"])
    gone = {url for url, read in documents.items() if read.gone}
    unread = (
        f"{notice.licence_url or notice.page_url or notice.excerpt}: {notice.problem}"
        for notice in notices
        if notice.document is None
        and notice.licence_url not in gone
        and notice.place != "feed"  # it speaks of its page alone
    )
    return next(unread, f"robots.txt: {in_robots}" if in_robots else "")


def _with(notice: RslNotice, documents: Mapping[str, _NamedDocument]) -> RslNotice:
    if not notice.licence_url or notice.place == "feed":
        return notice  # its document stands in its place
    limit = f"not asked for: more than {MAX_DOCUMENTS} documents are named"
    read = documents.get(notice.licence_url) or _NamedDocument(None, None, limit)
    return replace(notice, document=read.document, problem=read.problem)


async def _read(context: StepContext, url: str) -> _NamedDocument:
    try:
        response = await ask(
            context,
            url,
            max_bytes=MAX_BYTES,
            accept="application/rsl+xml, application/xml",
            priority=Priority.TERMS,
        )
        return _NamedDocument(await read_answer(context, response, read_document), context.now)
    except FetchError as error:
        at = context.now if is_answer(error) else None
        return _NamedDocument(None, at, error.reason, gone=isinstance(error, GoneError))
    except ParseError as exc:
        return _NamedDocument(None, context.now, str(exc))


def read_document(body: bytes, _url: str, content_type: str) -> RslDocument:
    """A document that a notice names."""
    return read_rsl(body, content_type=content_type)


def _indicator(notice: RslNotice) -> dict[str, Any]:
    """A `License:` line alone may name anything; a type or a readable document makes it RSL."""
    typed = notice.place in {"header", "html_link", "html_script"} or notice.document is not None
    return {
        "source": {"robots": "robots.txt", "header": "http_header"}.get(notice.place, notice.place),
        "url": notice.licence_url,
        "confidence": "confirmed" if typed else "potential",
        "problem": notice.problem,
    }


def _evidence(context: StepContext, notices: Iterable[RslNotice]) -> Iterator[Evidence]:
    robots_url, _ = kept_robots(context)
    for notice in notices:
        page = notice.licence_url if notice.place == "feed" else notice.page_url
        place = robots_url if notice.place == "robots" else page or notice.licence_url
        yield Evidence(url=place, line=notice.line, excerpt=notice.excerpt or notice.licence_url)


def summary(facts: Facts) -> str | Summary:
    """In how many places it is named."""
    if facts.get("rsl_detected"):
        places = [row.get("source") for row in facts.get("indicators", ())]
        by_item = ", item by item in a feed" if "feed" in places else ""
        return f"RSL, named in {counted(facts.get('count', 0), 'place')}{by_item}"
    if not facts.get("count"):
        return nothing("no RSL")
    problems = [row["problem"] for row in facts.get("indicators", ()) if row.get("problem")]
    why = f": {problems[0]}" if problems else ""
    return f"potential licence lines, no RSL document{why}"


__all__ = ["PLUG"]

_SOURCE = "RSL 1.0, Recommendation of November 2025 with its errata"

PLUG = SignalPlug(
    name="rsl",
    title="RSL",
    order=20,
    signals_for=signals_for,
    steps=("rsl", "robots"),
    unseen=unseen,
    step=Step(
        "rsl",
        "RSL",
        run,
        ("robots", "feeds"),
        about="page",
        section="rights",
        order=10,
        summary=summary,
        compared=("rsl_detected", "count"),
    ),
    read_page=read_page,
    with_known=with_known,
    named_documents=named_documents,
    read_named=read_named,
    read_item=read_item,
    vocabularies=tuple(
        Vocabulary(name=name, source=_SOURCE, date="2026-06", words=words)
        for name, words in (
            ("RSL usages", USAGES),
            ("RSL users", USERS),
            ("RSL payments", PAYMENTS),
        )
    ),
)
