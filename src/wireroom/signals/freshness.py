"""How old what a step knows is: counted from the last answer of the server for each page and document.

Not from our last look: who looks every twenty hours would never ask again. A time that is still to come is that of a
clock that was set back since, and counts as never. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from wireroom.errors import FetchError, StatusError
from wireroom.model import Finding, ProblemKind, TypedFacts
from wireroom.ports import StepContext
from wireroom.rights.finding_index import MEASURED, PAGES_AT

FRESH_FOR = timedelta(hours=24)  # for callers without settings: `scout.fresh_for` decides
DOCUMENTS_AT = "documents_at"
"""A measured fact: when the server last answered for each document that was named."""
DOCUMENTS_UNTIL = "documents_until"
"""A measured fact: until when each document may be used, where it says so itself."""
MAX_PAGES = 20  # remembered per publisher; more would say the same again


def is_fresh(context: StepContext, kept: str, url: str) -> bool:
    """Whether the server answered for it lately enough not to be asked again."""
    at = _answered(context.before, kept).get(url)
    since = context.fresh_since
    return at is not None and since is not None and since < at <= context.now


def is_believed(context: StepContext, url: str) -> bool:
    """Whether what the page said before still counts without asking."""
    return url in believed_pages(context)


def answer_times(answered: Mapping[str, datetime | None]) -> dict[str, str | None]:
    """When the server answered for each document, as facts; None where it did not."""
    return {url: None if at is None else at.isoformat() for url, at in answered.items()}


def time_of_answer(context: StepContext, url: str) -> datetime | None:
    """When the server last answered for a document before this scout."""
    return _answered(context.before, DOCUMENTS_AT).get(url)


def oldest_answer(finding: Finding, home_url: str) -> datetime | None:
    """When what the finding rests on was last answered for; None when something of it was not."""
    pages, documents = _answered(finding, PAGES_AT), _answered(finding, DOCUMENTS_AT)
    own = {home_url, str(finding.facts.get("page_url"))}
    times = [finding.found_at, *documents.values()]
    times += [at for url, at in pages.items() if url in own]
    return None if None in times else min(at for at in times if at is not None)


def is_ahead(finding: Finding, now: datetime) -> bool:
    """Whether it rests on a time that is still to come: the clock was set back since, and nobody knows its age."""
    times = [*_answered(finding, PAGES_AT).values(), *_answered(finding, DOCUMENTS_AT).values()]
    return any(at is not None and at > now for at in (finding.found_at, *times))


def valid_until(finding: Finding) -> dict[str, datetime]:
    """Until when the documents of a finding may be used without asking again, of those that say so."""
    times = _answered(finding, DOCUMENTS_UNTIL)
    return {url: at for url, at in times.items() if at is not None}


def is_over(finding: Finding, now: datetime) -> bool:
    """Whether a document that it rests on was to be used no longer than until now."""
    return any(until <= now for until in valid_until(finding).values())


def is_answer(error: FetchError) -> bool:
    """Whether a failure is the server's last word for now: no such file, no entry; not that it broke down."""
    return isinstance(error, StatusError) and 400 <= error.status < 500 and error.status != 429


def page_times(
    context: StepContext, scouted: Iterable[str], failed: Collection[str]
) -> dict[str, str | None]:
    """When each page was last answered for, the latest last."""
    seen = set(scouted) - set(failed)
    now = context.now.isoformat()
    times: dict[str, str | None] = answer_times(believed_pages(context))
    for url in dict.fromkeys((context.publisher.home_url, context.url)):
        if url != context.url and is_fresh(context, PAGES_AT, url):
            continue
        times.pop(url, None)
        times[url] = None if url in failed else now
    times |= dict.fromkeys(seen, now)
    return dict(list(times.items())[-2 * MAX_PAGES :])


def believed_pages(context: StepContext) -> dict[str, datetime | None]:
    """Pages whose last word still counts, with the time of the answer; None for those that were asked in vain since."""
    since = context.believed_since
    if since is None:
        return {}
    times = _answered(context.before, PAGES_AT)
    return {url: at for url, at in times.items() if at is None or since < at <= context.now}


def _answered(finding: Finding | None, kept: str) -> dict[str, datetime | None]:
    """The times of a finding, as it keeps them."""
    measured = finding.facts.get(MEASURED) if finding is not None else None
    times = measured.get(kept) if isinstance(measured, Mapping) else None
    if not isinstance(times, Mapping):
        return {}
    return {str(url): _time(at) for url, at in times.items()}


def _time(written: object) -> datetime | None:
    with suppress(ValueError):
        return datetime.fromisoformat(written) if isinstance(written, str) else None
    return None


# What a scout did not get to: its requests or its time were wanted for something else.

UNREACHED: Final = "not_reached"
"""A measured fact: each document that was not asked for, with the kind of the reason (`NOT_REACHED`)."""
TIME_GIVEN: Final = "scout_time"
"""A measured fact beside it: the seconds that the scout had."""


def with_unreached(
    finding: Finding, documents: Mapping[str, ProblemKind], *, time: timedelta
) -> Finding:
    """The finding, with what its step did not get to."""
    if not documents:
        return finding
    known = finding.facts.get(MEASURED)
    measured = dict(known) if isinstance(known, Mapping) else {}
    measured |= {UNREACHED: dict(documents), TIME_GIVEN: time.total_seconds()}
    facts = finding.facts
    if isinstance(facts, TypedFacts):
        return replace(finding, facts=facts.with_notes({MEASURED: measured}))
    return replace(finding, facts={**facts, MEASURED: measured})


def unreached_of(finding: Finding) -> dict[str, str]:
    """The documents that its step did not get to, each with the kind of the reason."""
    measured = finding.facts.get(MEASURED)
    documents = measured.get(UNREACHED) if isinstance(measured, Mapping) else None
    return dict(documents) if isinstance(documents, Mapping) else {}


def lacked_time(finding: Finding, time: timedelta) -> bool:
    """Whether its step did not get to something for lack of time, in a scout that had less than this."""
    measured = finding.facts.get(MEASURED)
    given = measured.get(TIME_GIVEN) if isinstance(measured, Mapping) else None
    if not isinstance(given, (int, float)) or given >= time.total_seconds():
        return False
    return "scout_time" in unreached_of(finding).values()
