"""One due lead, from due to saved: may we, fetch its page or take what its feed holds, have it read, save.

What an answer or an error means for the lead is decided in `poll.leads`; rights in `rights` and `signals`. A lead is
not taken before its publisher was scouted (`due_work`).
"""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial

from wireroom.app.page_rights import rights_domain
from wireroom.app.readers import LostWorkError
from wireroom.app.run.contexts import KnownPublisher
from wireroom.app.run.due_work import WorkContext, fetch_for, want_scout, with_strategy
from wireroom.errors import (
    ExhaustedError,
    FetchError,
    StatusError,
    StoreError,
)
from wireroom.model import (
    Feed,
    Hints,
    Lead,
    Problem,
    ProblemKind,
    Reading,
    Request,
    Signal,
)
from wireroom.poll.ask_feed import (
    feed_headers,
)
from wireroom.poll.leads import (
    after_error,
    after_unread,
    feed_text_serves,
    refuse_bad_url,
    wants_fetch,
)
from wireroom.rights import decide_fetch
from wireroom.signals import feed_refusals, item_findings, judge, make_receipt, with_labels
from wireroom.urls import article_id, host_of
from wireroom.workers.page_jobs import (
    ItemText,
    PageAnswer,
    PageWords,
    rights_problem,
    with_page,
)

log = logging.getLogger(__name__)

MAX_WORDS = 1_000_000  # bytes of a page that is asked for what it says of rights; few are longer


async def read_lead(work: WorkContext, lead: Lead) -> None:
    """Reads the page of a lead, and saves what came of it."""
    try:
        reading = await _reading(work, lead)
    except StoreError:
        raise
    except LostWorkError as exc:
        problem = _lost(work, lead, exc)
        reading = after_unread(lead, problem, work.app.clock(), _jitter(work))
    except Exception as exc:
        log.exception("a reading failed in an unforeseen way", extra={"url": lead.url})
        problem = _problem(work, lead, f"{type(exc).__name__}: {exc}", kind="internal")
        reading = after_unread(lead, problem, work.app.clock(), _jitter(work))
    await work.batches.reading(reading)


async def _reading(work: WorkContext, lead: Lead) -> Reading:
    bad = refuse_bad_url(lead, work.app.clock())
    if bad is not None:
        return bad
    known = await _rights_at(work, lead, lead.url)
    refused = _refusal(work, lead, known)
    if refused is not None:
        return refused
    lead, feed = await _with_whole_text(work, lead)
    hints = feed.hints if feed is not None else Hints()
    if not wants_fetch(lead, hints):
        asked = await _page_words(work, lead, known, proxy=feed.proxy if feed else "")
        if asked is not None and asked.url:
            known = await _rights_at(work, lead, asked.url)
        text = ItemText(
            lead=lead,
            hints=hints,
            context=known.context,
            at=work.app.clock(),
            jitter=_jitter(work),
            page=asked,
        )
        return await _read(work, text)
    request = Request(url=lead.url, purpose="read", proxy=feed.proxy if feed else "")
    try:
        request = with_strategy(work, request, known.publisher)
        response = await fetch_for(work, request, lead.publisher)
    except FetchError as error:
        return await _without_page(work, lead, hints, known, error)
    if host_of(response.final_url) != host_of(lead.url):
        known = await _rights_at(work, lead, response.final_url)
    page = PageAnswer(
        lead=lead,
        response=response,
        hints=hints,
        context=known.context,
        keep_raw=work.options.keep_raw,
        jitter=_jitter(work),
    )
    return with_page(await _read(work, page), response)


async def _with_whole_text(work: WorkContext, lead: Lead) -> tuple[Lead, Feed | None]:
    """The lead with what its publisher's other feed says of the page, where that is the whole text; and the feed.

    A news sitemap names a page and says no more; where it was asked first, the lead is the sitemap's. So feeds that are
    asked in the same round are waited for.
    """
    if lead.item is None:
        return lead, None
    feed = await work.contexts.feed(lead.item.feed_url)
    if not wants_fetch(lead, feed.hints if feed is not None else None):
        return lead, feed
    others = {
        other.url: other
        for other in await work.contexts.feeds_that_answered(lead.publisher)
        if other.url != lead.item.feed_url and other.state != "paused"
    }
    if not others:
        return lead, feed
    page = await work.thread.call(lambda: work.app.store.queue.page(lead.url))
    for item in page.items:
        other, named = others.get(item.feed_url), replace(lead, item=item)
        if other is not None and not wants_fetch(named, other.hints):
            return named, other
    return lead, feed


async def _without_page(
    work: WorkContext, lead: Lead, hints: Hints, known: KnownPublisher, error: FetchError
) -> Reading:
    """What becomes of a lead whose page could not be fetched: the article that its feed holds, where that will do."""
    now, jitter = work.app.clock(), _jitter(work)
    failed = after_error(lead, error, now, jitter, our_side=work.network.is_cut_off(error))
    if not feed_text_serves(failed):
        return failed
    name = article_id(lead.publisher, lead.url)
    if await work.thread.call(lambda: work.app.store.article(name)) is not None:
        return failed  # what was read off the page before says more than its feed
    text = ItemText(
        lead=lead,
        hints=hints,
        context=known.context,
        at=now,
        jitter=jitter,
        page=_unasked(lead, error),
        problem=failed.problem,
    )
    return await _read(work, text)


def _unasked(lead: Lead, error: FetchError) -> PageWords:
    """A page that could not be asked; what a refusal says of rights in its headers holds all the same."""
    tried = error.reasons.values() if isinstance(error, ExhaustedError) else (error,)
    headers = [pair for each in tried if isinstance(each, StatusError) for pair in each.headers]
    return PageWords(
        headers=tuple(headers), unread=f"{lead.url} could not be asked: {error.reason}"
    )


async def _page_words(
    work: WorkContext, lead: Lead, known: KnownPublisher, *, proxy: str
) -> PageWords | None:
    """What the page of a text that stands in its feed says of rights; None where nobody needs to know.

    The page may refuse what its publisher allows, in its headers or its tags. Where nothing is allowed, it need not be
    asked.
    """
    if not lead.url or not _may_be_allowed(work, lead, known):
        return None
    refused = _refused_by_feed(work, lead)
    if refused is not None:
        return PageWords(unread=f"{lead.url} was not asked: its feed refuses {refused.use}")
    request = Request(
        url=lead.url, purpose="read", proxy=proxy, max_bytes=MAX_WORDS, take_start=True
    )
    try:
        response = await fetch_for(
            work, with_strategy(work, request, known.publisher), lead.publisher
        )
    except FetchError as error:
        return _unasked(lead, error)
    led = response.final_url if host_of(response.final_url) != host_of(lead.url) else ""
    cut = f"{lead.url} is longer than our limit" if response.truncated else ""
    return PageWords(
        headers=response.headers,
        body=response.body,
        content_type=response.content_type,
        unread=cut,
        url=led,
    )


def _may_be_allowed(work: WorkContext, lead: Lead, known: KnownPublisher) -> bool:
    """Whether some use is allowed unless the page refuses it, or its feed says something of rights that might."""
    now = work.app.clock()
    receipt = make_receipt(known.index, lead.url, robots_word="unknown", now=now, page_read=True)
    if any(verdict.value == "allow" for verdict in receipt.verdicts):
        return True
    # At the feed's own address: a feed licenses pages of its site, and where this one leads is not known yet.
    return lead.item is not None and bool(item_findings(lead.item, lead.item.feed_url, now=now))


def _refused_by_feed(work: WorkContext, lead: Lead) -> Signal | None:
    """What the feed refused in its headers for which the policy fetches no page."""
    if lead.item is None:
        return None
    policy, now = work.options.policy, work.app.clock()
    refusals = feed_refusals(feed_headers(lead.item), lead.item.feed_url, now=now)
    asked = (signal for signal in refusals if signal.use in policy.uses)
    return next((signal for signal in asked if signal.value not in policy.fetch_on), None)


async def _rights_at(work: WorkContext, lead: Lead, url: str) -> KnownPublisher:
    """The rights of the host on which the page of a lead stands; one that nobody knows is to be scouted."""
    known = await work.contexts.owner(lead.publisher, url)
    if work.options.scout and not known.is_scouted:
        domain = rights_domain(url, lead.publisher)
        await work.thread.call(partial(want_scout, work.app, domain))
    return known


async def _read(work: WorkContext, answer: PageAnswer | ItemText) -> Reading:
    reading = await work.readers.read(answer)
    assert isinstance(reading, Reading)  # noqa: S101 - that is what a page gives
    return reading


def _refusal(work: WorkContext, lead: Lead, known: KnownPublisher) -> Reading | None:
    """What the policy says before anything is fetched; the fetcher asks robots.txt."""
    policy, now = work.options.policy, work.app.clock()
    if not policy.uses:
        return None
    verdicts = judge(known.index, lead.url, uses=policy.uses, now=now)
    if decide_fetch(policy, verdicts).ok:
        return None
    answer = decide_fetch(policy, with_labels(verdicts))
    return after_error(lead, rights_problem(lead, answer.reason, now), now, _jitter(work))


def _jitter(work: WorkContext) -> float:
    return work.chance.random()


def _lost(work: WorkContext, lead: Lead, exc: LostWorkError) -> Problem:
    """Its worker died: perhaps of the page, perhaps of something else, so it is tried again like others."""
    if exc.lost.cause == "error":
        return _problem(work, lead, exc.lost.message, kind="internal")
    message = f"the page costs too much: {exc.lost.message}"
    return _problem(work, lead, message, kind="too_complex")


def _problem(work: WorkContext, lead: Lead, message: str, *, kind: ProblemKind) -> Problem:
    return Problem(kind=kind, message=message, subject_url=lead.url, at=work.app.clock())
