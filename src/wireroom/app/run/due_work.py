"""Due work, from due to saved: one publisher, one feed; one lead is in `due_lead`.

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
from wireroom.app.readers import LostWorkError, Readers
from wireroom.app.run.batches import OutcomeBatches
from wireroom.app.run.contexts import PublisherContexts
from wireroom.app.run.counts import RunCounts
from wireroom.app.run.run_options import RunOptions
from wireroom.app.scout_log import NEVER
from wireroom.app.store_thread import StoreThread
from wireroom.errors import (
    FetchError,
    SettingsError,
    StoreError,
    WireroomError,
)
from wireroom.identity import owner_of
from wireroom.model import (
    Dossier,
    Event,
    Feed,
    Polled,
    Problem,
    ProblemKind,
    Publisher,
    Request,
    Response,
)
from wireroom.poll.ask_feed import (
    answer_to_error,
    child_requests,
    mirror_of,
    read_answer,
    requests_for,
    wants_next,
    with_children,
)
from wireroom.rights.policy import keeps_everything
from wireroom.scout.address import home_address
from wireroom.scout.dossier import TRY_AGAIN
from wireroom.signals.freshness import lacked_time
from wireroom.urls import host_of
from wireroom.workers.page_jobs import (
    FeedAnswer,
    PolledItems,
    PublisherContext,
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
        polled = await _ask_address(work, feed, with_strategy(work, request, publisher))
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
        response = await fetch_for(work, request, "" if mirror else feed.publisher)
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
    if held is not None and any(
        lacked_time(found, work.options.scout_time) for found in held.findings
    ):
        is_whole = False  # what an impatient scout did not get to is missing
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


def with_strategy(work: WorkContext, request: Request, publisher: Publisher | None) -> Request:
    """The request with the strategy first that worked for the publisher before."""
    strategies = work.options.strategies
    worked = publisher.strategy if publisher is not None else ""
    if request.strategies or worked not in strategies or worked == strategies[0]:
        return request
    rest = tuple(name for name in strategies if name != worked)
    return replace(request, strategies=(worked, *rest))


async def fetch_for(work: WorkContext, request: Request, publisher: str) -> Response:
    """The answer, under the lease of its host and counted; FetchError for whatever cannot be had."""
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
