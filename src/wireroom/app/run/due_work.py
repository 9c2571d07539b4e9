"""Due work, from due to saved: one publisher, one feed, one lead.

Each is a straight story: may we, fetch, read, save. What an answer or an error means for the feed or the
lead is decided in the poll room; work that fails stops no other. Polling and reading never scout: a publisher is
due work of its own, and its leads are not taken before it was scouted.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from wireroom.app.cluster_round import cluster_round, forget_old
from wireroom.app.factories import Network
from wireroom.app.host_leases import HostLeases, LeaseGuard
from wireroom.app.page_rights import rights_domain
from wireroom.app.readers import LostWorkError, Readers
from wireroom.app.run.batches import OutcomeBatches
from wireroom.app.run.contexts import KnownPublisher, PublisherContexts
from wireroom.app.run.counts import RunCounts
from wireroom.app.run.run_options import RunOptions
from wireroom.app.scout_log import NEVER
from wireroom.app.store_thread import StoreThread
from wireroom.errors import (
    ExhaustedError,
    FetchError,
    SettingsError,
    StatusError,
    StoreError,
    WireroomError,
)
from wireroom.identity import owner_of
from wireroom.model import (
    Dossier,
    Event,
    Feed,
    Hints,
    Lead,
    Polled,
    Problem,
    ProblemKind,
    Publisher,
    Reading,
    Request,
    Response,
    Signal,
)
from wireroom.poll.ask_feed import (
    answer_to_error,
    child_requests,
    feed_headers,
    mirror_of,
    read_answer,
    requests_for,
    wants_next,
    with_children,
)
from wireroom.poll.leads import (
    after_error,
    after_unread,
    feed_text_serves,
    refuse_bad_url,
    wants_fetch,
)
from wireroom.rights import decide_fetch
from wireroom.rights.policy import keeps_everything
from wireroom.scout.address import home_address
from wireroom.scout.dossier import TRY_AGAIN
from wireroom.signals import feed_refusals, item_findings, judge, make_receipt
from wireroom.urls import article_id, host_of
from wireroom.workers.page_jobs import (
    FeedAnswer,
    ItemText,
    PageAnswer,
    PageHeaders,
    PolledItems,
    PublisherContext,
    rights_problem,
    with_page,
)

if TYPE_CHECKING:
    from wireroom.app.application import App
    from wireroom.app.scout import Scouting


log = logging.getLogger(__name__)

TRY_STRANGER_AGAIN = timedelta(days=1)  # until a publisher that nobody follows is tried again


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkContext:
    """What all due work of a run shares."""

    app: App
    options: RunOptions
    network: Network
    scouting: Scouting | None
    """As in `network`, with its calls to the store made in the thread."""
    counts: RunCounts
    thread: StoreThread
    leases: HostLeases
    guard: LeaseGuard
    readers: Readers
    batches: OutcomeBatches
    contexts: PublisherContexts
    chance: Random


# --- a feed -----------------------------------------------------------------------------------


async def poll_feed(work: WorkContext, feed: Feed) -> None:
    """Asks a feed for news, and saves what it said; one in reserve only if it is needed."""
    with work.contexts.asking(feed):
        polled = await _spared(work, feed) or await _answer(work, feed)
        await work.batches.polled(feed, await _reduced(work, feed, polled))
        if polled.result in {"failed", "gone"}:
            work.contexts.failed(feed)


async def _reduced(work: WorkContext, feed: Feed, polled: Polled) -> Polled:
    """The answer without texts of which the policy keeps no whole one.

    A worker judges: a robots.txt of thousands of lines makes each item cost a tenth of a second.
    """
    if keeps_everything(work.options.policy) or not polled.items:
        return polled
    places = dict[PublisherContext, int]()
    owners = []
    for item in polled.items:
        known = await work.contexts.owner(owner_of(feed.publisher, item.url), item.url)
        owners.append(places.setdefault(known.context, len(places)))
    judged = PolledItems(
        polled=polled, contexts=tuple(places), owners=tuple(owners), at=work.app.clock()
    )
    try:
        reduced = await work.readers.read(judged)
    except LostWorkError as exc:
        return _failed(work, feed, f"the rights of its items cannot be judged: {exc.lost.message}")
    assert isinstance(reduced, Polled)  # noqa: S101 - that is what PolledItems give
    return reduced


async def _spared(work: WorkContext, feed: Feed) -> Polled | None:
    """That a feed in reserve is not needed; None when it is to be asked, as others are."""
    answering = await work.contexts.relief(feed)
    if answering is None:
        return None
    who = answering.name or answering.url
    return Polled(feed_url=feed.url, result="spared", spared_by=who)


async def _answer(work: WorkContext, feed: Feed) -> Polled:
    """What the feed says; a failure of any kind is an answer too."""
    try:
        publisher = await work.contexts.asker(feed.publisher)
        return await _ask(work, feed, publisher)
    except StoreError:
        raise
    except LostWorkError as exc:
        return _failed(work, feed, f"its document cannot be read: {exc.lost.message}")
    except Exception as exc:
        log.exception("a poll failed in an unforeseen way", extra={"feed": feed.url})
        return _failed(work, feed, f"{type(exc).__name__}: {exc}", kind="internal")


async def _ask(work: WorkContext, feed: Feed, publisher: Publisher | None) -> Polled:
    """The answer of the feed, or of the first of its mirrors that has a good one."""
    own: Polled | None = None
    for request in requests_for(feed):
        polled = await _ask_address(work, feed, _with_strategy(work, request, publisher))
        own = own or polled
        if not wants_next(polled):
            return polled
    assert own is not None  # noqa: S101 - there is at least the feed's own request
    return own


async def _ask_address(work: WorkContext, feed: Feed, request: Request) -> Polled:
    """What one address says, with the sitemaps that an index names."""
    mirror = mirror_of(feed, request)
    polled = await _ask_part(work, feed, request, mirror)
    parts = [
        await _ask_part(work, feed, child_request, mirror)
        for child_request in child_requests(feed, polled)
    ]
    return with_children(polled, tuple(parts)) if parts else polled


async def _ask_part(work: WorkContext, feed: Feed, request: Request, mirror: str) -> Polled:
    try:
        response = await _get(work, request, "" if mirror else feed.publisher)
    except FetchError as error:
        return answer_to_error(
            feed, error, work.app.clock(), our_side=work.network.is_cut_off(error)
        )
    if not response.body:  # "not modified" is worth no worker
        return read_answer(feed, response, mirror=mirror)
    polled = await work.readers.read(FeedAnswer(feed=feed, response=response, mirror=mirror))
    assert isinstance(polled, Polled)  # noqa: S101 - that is what a FeedAnswer gives
    return polled


def _failed(
    work: WorkContext, feed: Feed, message: str, *, kind: ProblemKind = "too_complex"
) -> Polled:
    problem = Problem(kind=kind, message=message, subject_url=feed.url, at=work.app.clock())
    return Polled(feed_url=feed.url, result="failed", problem=problem)


# --- a lead -----------------------------------------------------------------------------------


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
    feed = await work.contexts.feed(lead.item.feed_url) if lead.item is not None else None
    hints = feed.hints if feed is not None else Hints()
    if not wants_fetch(lead, hints):
        asked = await _page_headers(work, lead, known, proxy=feed.proxy if feed else "")
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
        request = _with_strategy(work, request, known.publisher)
        response = await _get(work, request, lead.publisher)
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


def _unasked(lead: Lead, error: FetchError) -> PageHeaders:
    """A page that could not be asked; what a refusal says of rights in its headers holds all the same."""
    tried = error.reasons.values() if isinstance(error, ExhaustedError) else (error,)
    headers = [pair for each in tried if isinstance(each, StatusError) for pair in each.headers]
    return PageHeaders(
        headers=tuple(headers), unread=f"{lead.url} could not be asked: {error.reason}"
    )


async def _page_headers(
    work: WorkContext, lead: Lead, known: KnownPublisher, *, proxy: str
) -> PageHeaders | None:
    """What the page of a text that stands in its feed says in its headers; None where nobody needs to know.

    The page may refuse what its publisher allows. Where nothing is allowed, it need not be asked.
    """
    if not lead.url or not _may_be_allowed(work, lead, known):
        return None
    refused = _refused_by_feed(work, lead)
    if refused is not None:
        return PageHeaders(unread=f"{lead.url} was not asked: its feed refuses {refused.use}")
    request = Request(url=lead.url, purpose="read", method="HEAD", proxy=proxy)
    try:
        response = await _get(work, _with_strategy(work, request, known.publisher), lead.publisher)
    except FetchError as error:
        return _unasked(lead, error)
    led = response.final_url if host_of(response.final_url) != host_of(lead.url) else ""
    return PageHeaders(headers=response.headers, url=led)


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
    answer = decide_fetch(policy, judge(known.index, lead.url, uses=policy.uses, now=now))
    if answer.ok:
        return None
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


# --- a publisher ------------------------------------------------------------------------------


async def scout_due(work: WorkContext, publisher: Publisher) -> None:
    """Scouts a publisher; its dossier is saved with its next due time. A scout that fails puts itself off."""
    domain = publisher.domain
    held = await work.thread.call(lambda: work.app.store.dossier(domain))
    work.counts.waiting["scout"] += 1
    try:
        dossier = await _dossier(work, publisher, held)
    except StoreError:
        raise
    except (FetchError, SettingsError) as exc:
        log.info("not scouted", extra={"publisher": domain, "why": str(exc)})
        wait = exc.retry_after if isinstance(exc, FetchError) else None
        await work.thread.call(lambda: put_off_scout(work.app, domain, wait))
    except Exception:
        log.exception("a scout failed in an unforeseen way", extra={"publisher": domain})
        await work.thread.call(lambda: put_off_scout(work.app, domain, None))
    else:
        work.counts.scouted += 1
        if dossier.publisher.domain != domain:  # else it would be due for ever
            await work.thread.call(lambda: put_off_scout(work.app, domain, None))
        await save_robots_files(work)  # other processes are to obey what was read
        await _emit_rights_changes(work, held, dossier)
    finally:
        work.counts.waiting["scout"] -= 1
        work.contexts.forget(domain)


async def _dossier(work: WorkContext, publisher: Publisher, held: Dossier | None) -> Dossier:
    """What a scout found; what one that broke off has found is used, a whole dossier is made anew."""
    assert work.scouting is not None  # noqa: S101 - else nobody is taken to be scouted
    address = home_address(publisher)
    is_whole = held is not None and held.scouted_at > NEVER
    return await work.scouting.dossier(address, refresh=is_whole)


def front_host(publisher: Publisher) -> str:
    """The host that a scout of the publisher asks; empty where its address cannot be read."""
    try:
        return host_of(home_address(publisher).candidates[0])
    except SettingsError:
        return ""


def want_scout(app: App, domain: str) -> None:
    """A publisher that nobody knows is due to be scouted; calls the store here."""
    if app.store.publisher(domain) is None:
        now = app.clock()
        app.store.save_publisher(Publisher(domain=domain, added_at=now, scout_after=now))


def put_off_scout(app: App, domain: str, wait: timedelta | None) -> None:
    """A publisher that could not be scouted is due again after a wait, an hour at most; calls the store here.

    One that nobody follows, and whose pages others have named, waits for a day.
    """
    now = app.clock()
    publisher = app.store.publisher(domain) or Publisher(domain=domain, added_at=now)
    longest = TRY_AGAIN if app.store.feeds(publisher=domain) else TRY_STRANGER_AGAIN
    due = now + min(wait or longest, longest)
    app.store.save_publisher(replace(publisher, scout_after=due))


async def _emit_rights_changes(work: WorkContext, held: Dossier | None, dossier: Dossier) -> None:
    changes = rights_changes(held, dossier)
    if changes:
        subject, data = dossier.publisher.domain, {"uses": changes}
        at = work.app.clock()
        event = Event(kind="rights_changed", subject=subject, at=at, data=data)
        await work.thread.call(lambda: work.app.store.emit([event]))


def rights_changes(held: Dossier | None, dossier: Dossier) -> dict[str, list[str]]:
    """The uses about which a publisher says something else than before, with both words."""
    before = {verdict.use: verdict.value for verdict in (held.rights if held else ())}
    return {
        verdict.use: [before[verdict.use], verdict.value]
        for verdict in dossier.rights
        if verdict.use in before and before[verdict.use] != verdict.value
    }


# --- requests ----------------------------------------------------------------------------------


def _with_strategy(work: WorkContext, request: Request, publisher: Publisher | None) -> Request:
    """The request with the strategy first that worked for the publisher before."""
    strategies = work.options.strategies
    worked = publisher.strategy if publisher is not None else ""
    if request.strategies or worked not in strategies or worked == strategies[0]:
        return request
    rest = tuple(name for name in strategies if name != worked)
    return replace(request, strategies=(worked, *rest))


async def _get(work: WorkContext, request: Request, publisher: str) -> Response:
    work.counts.waiting["fetch"] += 1
    try:
        with work.guard.asking():
            await work.guard.sure()
            response = await work.network.fetch(request)
    except FetchError:
        raise
    except (WireroomError, ValueError) as exc:
        raise FetchError(request.url, str(exc), kind="bad_response") from exc
    finally:
        work.counts.waiting["fetch"] -= 1
        work.counts.requests += 1
    work.counts.received += len(response.body)
    if publisher:
        await work.contexts.worked(publisher, response.strategy)
    return response


# What is done beside due work, again and again: clustering, tidying, saving robots.txt files.
#
# None of it is urgent, and each is done through the store's thread, between two savings.

CLUSTER_EVERY = 1.0  # seconds between two rounds of clustering
TIDY_EVERY = 3600.0  # seconds between two looks for raw pages whose time is over


async def cluster_again(work: WorkContext) -> None:
    """Clusters what waits, every second."""
    while True:
        await asyncio.sleep(CLUSTER_EVERY)
        await cluster_all(work)


async def cluster_all(work: WorkContext) -> None:
    """Clusters the articles that wait for it."""
    options = work.options.cluster
    if options is None:
        return
    app, holder = work.app, work.leases.holder
    some = partial(cluster_round, app.store, options, holder=holder, clock=app.clock)
    while True:
        done, made, changed = await work.thread.call(some)
        work.counts.clusters.update(made=made, changed=changed)
        if not done:
            return


async def tidy_again(work: WorkContext) -> None:
    """Forgets raw pages and signatures whose time is over, now and every hour."""
    app, cluster = work.app, work.options.cluster
    while True:
        before = app.clock() - app.settings.store.raw_kept_for
        await work.thread.call(partial(app.store.drop_raw_pages, before=before))
        if cluster is not None:
            await forget_old(work.thread.call, app.store, cluster, clock=app.clock)
        await asyncio.sleep(TIDY_EVERY)


async def save_robots_files(work: WorkContext) -> None:
    """Saves the robots.txt files that were fetched since the last time."""
    if work.network.robots is not None:
        await work.thread.call(work.network.robots.flush)
