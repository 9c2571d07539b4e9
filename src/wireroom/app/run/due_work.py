"""The way of one feed and of one lead, from being due to being saved.

Each is a straight story: may we, fetch, read, save. What an answer or an error means for the feed or the
lead is decided in the poll room; one errand that fails stops no other.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from random import Random

from wireroom.app.run.batches import OutcomeBatches
from wireroom.app.run.contexts import KnownPublisher, PublisherContexts
from wireroom.app.run.counts import RunCounts
from wireroom.app.run.leases import Leases
from wireroom.app.run.readers import LostWorkError, Readers
from wireroom.app.run.run_options import RunOptions
from wireroom.errors import FetchError, StoreError, WireroomError
from wireroom.model import (
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
from wireroom.poll.leads import after_error, after_unread, refuse_bad_url, wants_fetch
from wireroom.ports import Fetch
from wireroom.rights import decide_fetch
from wireroom.signals import judge
from wireroom.workers.follow_jobs import (
    FeedAnswer,
    ItemText,
    PageAnswer,
    rights_problem,
    with_page,
)

log = logging.getLogger(__name__)


class Errands:
    """Runs errands with what they all share."""

    def __init__(
        self,
        fetch: Fetch,
        readers: Readers,
        saver: OutcomeBatches,
        known: PublisherContexts,
        leases: Leases,
        tally: RunCounts,
        options: RunOptions,
        *,
        clock: Callable[[], datetime],
        chance: Random,
        our_side: Callable[[FetchError], bool],
    ) -> None:
        self._our_side = our_side
        self._fetch = fetch
        self._readers = readers
        self._saver = saver
        self._known = known
        self._leases = leases
        self._tally = tally
        self._options = options
        self._clock = clock
        self._chance = chance

    # --- a feed -----------------------------------------------------------------------------------

    async def poll(self, feed: Feed) -> None:
        """Asks a feed for news, and saves what it said; one in reserve only if it is needed."""
        with self._known.asking(feed):
            polled = await self._spared(feed) or await self._answer(feed)
            await self._saver.polled(feed, polled)
            if polled.result in {"failed", "gone"}:
                self._known.failed(feed)

    async def _spared(self, feed: Feed) -> Polled | None:
        """That a feed in reserve is not needed; None when it is to be asked, as others are."""
        answering = await self._known.relief(feed)
        if answering is None:
            return None
        who = answering.name or answering.url
        return Polled(feed_url=feed.url, result="spared", spared_by=who)

    async def _answer(self, feed: Feed) -> Polled:
        """What the feed says; a failure of any kind is an answer too."""
        try:
            publisher = await self._known.asker(feed.publisher)
            return await self._ask(feed, publisher)
        except StoreError:
            raise
        except LostWorkError as exc:
            return self._failed(feed, f"its document cannot be read: {exc.lost.message}")
        except Exception as exc:
            log.exception("a poll failed in an unforeseen way", extra={"feed": feed.url})
            return self._failed(feed, f"{type(exc).__name__}: {exc}", kind="internal")

    async def _ask(self, feed: Feed, publisher: Publisher | None) -> Polled:
        """The answer of the feed, or of the first of its mirrors that has a good one."""
        own: Polled | None = None
        for request in requests_for(feed):
            polled = await self._ask_one(feed, self._with_strategy(request, publisher))
            own = own or polled
            if not wants_next(polled):
                return polled
        assert own is not None  # noqa: S101 - there is at least the feed's own request
        return own

    async def _ask_one(self, feed: Feed, request: Request) -> Polled:
        """What one address says, with the sitemaps that an index names."""
        mirror = mirror_of(feed, request)
        polled = await self._ask_part(feed, request, mirror)
        parts = [
            await self._ask_part(feed, child_request, mirror)
            for child_request in child_requests(feed, polled)
        ]
        return with_children(polled, tuple(parts)) if parts else polled

    async def _ask_part(self, feed: Feed, request: Request, mirror: str) -> Polled:
        try:
            response = await self._get(request, "" if mirror else feed.publisher)
        except FetchError as error:
            return answer_to_error(feed, error, self._clock(), our_side=self._our_side(error))
        if not response.body:  # "not modified" is worth no worker
            return read_answer(feed, response, mirror=mirror)
        polled = await self._readers.read(FeedAnswer(feed=feed, response=response, mirror=mirror))
        assert isinstance(polled, Polled)  # noqa: S101 - that is what a FeedAnswer gives
        return polled

    def _failed(self, feed: Feed, message: str, *, kind: ProblemKind = "too_complex") -> Polled:
        problem = Problem(kind=kind, message=message, subject_url=feed.url, at=self._clock())
        return Polled(feed_url=feed.url, result="failed", problem=problem)

    # --- a lead -----------------------------------------------------------------------------------

    async def read(self, lead: Lead) -> None:
        """Reads the page of a lead, and saves what came of it."""
        try:
            reading = await self._reading(lead)
        except StoreError:
            raise
        except LostWorkError as exc:
            problem = self._lost(lead, exc)
            reading = after_unread(lead, problem, self._clock(), self._jitter())
        except Exception as exc:
            log.exception("a reading failed in an unforeseen way", extra={"url": lead.url})
            problem = self._problem(lead, f"{type(exc).__name__}: {exc}", kind="internal")
            reading = after_unread(lead, problem, self._clock(), self._jitter())
        await self._saver.reading(reading)

    async def _reading(self, lead: Lead) -> Reading:
        bad = refuse_bad_url(lead, self._clock())
        if bad is not None:
            return bad
        known = await self._known.publisher(lead.publisher)
        refused = self._refusal(lead, known)
        if refused is not None:
            return refused
        feed = await self._known.feed(lead.item.feed_url) if lead.item is not None else None
        hints = feed.hints if feed is not None else Hints()
        if not wants_fetch(lead, hints):
            return await self._read(
                ItemText(
                    lead=lead,
                    hints=hints,
                    brief=known.brief,
                    at=self._clock(),
                    jitter=self._jitter(),
                )
            )
        request = Request(url=lead.url, purpose="read", proxy=feed.proxy if feed else "")
        try:
            response = await self._get(
                self._with_strategy(request, known.publisher), lead.publisher
            )
        except FetchError as error:
            return after_error(
                lead, error, self._clock(), self._jitter(), our_side=self._our_side(error)
            )
        reading = await self._read(
            PageAnswer(
                lead=lead,
                response=response,
                hints=hints,
                brief=known.brief,
                keep_raw=self._options.keep_raw,
                jitter=self._jitter(),
            )
        )
        return with_page(reading, response)

    async def _read(self, work: PageAnswer | ItemText) -> Reading:
        reading = await self._readers.read(work)
        assert isinstance(reading, Reading)  # noqa: S101 - that is what a page gives
        return reading

    def _refusal(self, lead: Lead, known: KnownPublisher) -> Reading | None:
        """What the policy says before anything is fetched; robots.txt is asked by the gate."""
        policy, now = self._options.policy, self._clock()
        if not policy.uses:
            return None
        answer = decide_fetch(policy, judge(known.heard, lead.url, uses=policy.uses))
        if answer.ok:
            return None
        return after_error(lead, rights_problem(lead, answer.reason, now), now, self._jitter())

    def _jitter(self) -> float:
        return self._chance.random()

    def _lost(self, lead: Lead, exc: LostWorkError) -> Problem:
        """Its worker died: perhaps of the page, perhaps of something else, so it is tried again like others."""
        if exc.lost.cause == "error":
            return self._problem(lead, exc.lost.message, kind="internal")
        message = f"the page costs too much: {exc.lost.message}"
        return self._problem(lead, message, kind="too_complex")

    def _problem(self, lead: Lead, message: str, *, kind: ProblemKind) -> Problem:
        return Problem(kind=kind, message=message, subject_url=lead.url, at=self._clock())

    # --- both -------------------------------------------------------------------------------------

    def _with_strategy(self, request: Request, publisher: Publisher | None) -> Request:
        """The request with the way first that worked for the publisher before."""
        strategies = self._options.strategies
        worked = publisher.strategy if publisher is not None else ""
        if request.strategies or worked not in strategies or worked == strategies[0]:
            return request
        rest = tuple(name for name in strategies if name != worked)
        return replace(request, strategies=(worked, *rest))

    async def _get(self, request: Request, publisher: str) -> Response:
        self._tally.waiting["fetch"] += 1
        try:
            with self._leases.asking():
                await self._leases.sure()
                response = await self._fetch(request)
        except FetchError:
            raise
        except (WireroomError, ValueError) as exc:
            raise FetchError(request.url, str(exc), kind="bad_response") from exc
        finally:
            self._tally.waiting["fetch"] -= 1
            self._tally.requests += 1
        self._tally.received += len(response.body)
        if publisher:
            await self._known.worked(publisher, response.strategy)
        return response
