"""Outcomes on their way into the store: those that come within a moment of each other share a commit.

Whoever did the work waits until its outcome is saved; what is saved, and in how many rows, is the store's business,
what becomes of a feed the poll room's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any, Generic, TypeVar

from wireroom.app.concurrency import wait_for_event
from wireroom.app.run.counts import RunCounts
from wireroom.app.store_thread import StoreThread
from wireroom.model import Event, Feed, LeadCause, Polled, Reading
from wireroom.poll.leads import withdraw
from wireroom.poll.reliability import OBSERVATIONS_COUNTED
from wireroom.poll.state import PollDecision, next_state
from wireroom.ports import PollCount, Saved, Store
from wireroom.urls import article_id

Kept = TypeVar("Kept")
Given = TypeVar("Given")

SHARED = 0.5  # seconds for which an outcome may wait for others to share its commit
LULL = (
    0.05  # seconds in which no other came: where no page is being read either, nobody is waited for
)
BATCH = 200  # outcomes of one commit: what a killed process has to do again at most
NAMED = 20  # articles that one event names


@dataclass(slots=True)
class _Waiting(Generic[Given, Kept]):
    """An outcome, and whoever waits for it to be saved."""

    given: Given
    kept: asyncio.Future[Kept]


class OutcomeBatches:
    """Saves polls and readings in batches."""

    def __init__(
        self,
        thread: StoreThread,
        counts: RunCounts,
        *,
        clock: Callable[[], datetime],
        chance: Random,
        more_to_come: Callable[[], bool] = lambda: False,
    ) -> None:
        self._thread = thread
        self._counts = counts
        self._more_to_come = more_to_come
        self._clock = clock
        self._chance = chance
        self._readings: list[_Waiting[Reading, Saved]] = []
        self._polls: list[_Waiting[tuple[Feed, Polled], PollCount]] = []
        self._some = asyncio.Event()
        self._full = asyncio.Event()
        self._ending = False

    async def reading(self, reading: Reading) -> Saved:
        """Saves what came of a lead."""
        return await self._wait(self._readings, reading)

    async def polled(self, feed: Feed, polled: Polled) -> PollCount:
        """Saves what came of a feed, and when it is asked next."""
        return await self._wait(self._polls, (feed, polled))

    async def run(self) -> None:
        """Until `end`, and until nothing waits any more."""
        while not self._ending or self._readings or self._polls:
            await self._some.wait()
            await self._share()
            await self._save()

    def end(self) -> None:
        """Nothing more comes."""
        self._ending = True
        self._some.set()
        self._full.set()

    async def _wait(self, waiting: list[_Waiting[Given, Kept]], given: Given) -> Kept:
        kept: asyncio.Future[Kept] = asyncio.get_running_loop().create_future()
        waiting.append(_Waiting(given, kept))
        self._some.set()
        if len(self._readings) + len(self._polls) >= BATCH:
            self._full.set()
        return await kept

    async def _share(self) -> None:
        """Gives others a moment to come along, for as long as they do or are being read.

        A commit of many costs each of them less: its statements and its piece of the full text index are shared.
        """
        before = 0
        for _ in range(round(SHARED / LULL)):
            waiting = len(self._readings) + len(self._polls)
            is_last = waiting == before and not self._more_to_come()
            if self._ending or waiting >= BATCH or is_last:
                return
            before = waiting
            await wait_for_event(self._full, LULL)

    async def _save(self) -> None:
        readings, self._readings[:] = self._readings[:BATCH], self._readings[BATCH:]
        polls, self._polls[:] = self._polls[:BATCH], self._polls[BATCH:]
        if not (self._readings or self._polls or self._ending):
            self._some.clear()
            self._full.clear()
        try:
            if readings:
                await self._save_readings(readings)
            if polls:
                await self._save_polls(polls)
        except BaseException as exc:
            for reading in readings:
                _give_up(reading.kept, exc)
            for poll in polls:
                _give_up(poll.kept, exc)
            raise

    async def _save_readings(self, waiting: Sequence[_Waiting[Reading, Saved]]) -> None:
        readings = [outcome.given for outcome in waiting]
        saved = await self._thread.call(
            lambda: _save_readings(self._thread.store, readings, self._clock())
        )
        for outcome, kept in zip(waiting, saved, strict=True):
            self._counts.read(outcome.given, kept)
            if not outcome.kept.done():
                outcome.kept.set_result(kept)

    async def _save_polls(
        self, waiting: Sequence[_Waiting[tuple[Feed, Polled], PollCount]]
    ) -> None:
        polls = [(*outcome.given, self._chance.random()) for outcome in waiting]
        counts = await self._thread.call(
            lambda: _save_polls(self._thread.store, polls, self._clock())
        )
        for outcome, count in zip(waiting, counts, strict=True):
            self._counts.polled(outcome.given[1], count)
            if not outcome.kept.done():
                outcome.kept.set_result(count)


def _give_up(kept: asyncio.Future[Any], exc: BaseException) -> None:
    if not kept.done():
        kept.set_exception(exc)
        kept.exception()  # seen: whoever waited may be gone


def _save_readings(store: Store, readings: Sequence[Reading], now: datetime) -> Sequence[Saved]:
    saved = store.save_readings([_with_withdrawn(store, reading) for reading in readings], now=now)
    ids = [outcome.article_id for outcome in saved if outcome.outcome in {"new", "changed"}]
    if ids:
        data = {"count": len(ids), "articles": ids[:NAMED]}
        store.emit([Event(kind="articles_saved", subject="", at=now, data=data)])
    return saved


def _with_withdrawn(store: Store, reading: Reading) -> Reading:
    """A reading that says its page was taken back, with the article that was read from it before."""
    if reading.lead.cause is not LeadCause.WITHDRAWN:
        return reading
    lead = reading.lead
    return withdraw(reading, store.article(article_id(lead.publisher, lead.url)))


def _save_polls(
    store: Store, polls: Sequence[tuple[Feed, Polled, float]], now: datetime
) -> list[PollCount]:
    """Compares, decides, saves: the store is asked only what the decisions need."""
    asked = [(feed.url, polled.items) for feed, polled, _ in polls]
    known = store.compare_polls(asked, observations=OBSERVATIONS_COUNTED)
    decision = [
        next_state(feed, polled, compared, now=now, jitter=jitter, observations=observations)
        for (feed, polled, jitter), (compared, observations) in zip(polls, known, strict=True)
    ]
    counts: list[PollCount] = []
    while len(counts) < len(decision):
        sweep = _different(decision[len(counts) :])
        events = [event for decision in sweep for event in decision.events]
        outcomes = [(decision.feed, decision.polled) for decision in sweep]
        counts += store.save_polls(outcomes, events=events, now=now)
    return counts


def _different(decision: Sequence[PollDecision]) -> Sequence[PollDecision]:
    """The first of them, up to one of a feed that is there already: two may have moved to one address."""
    seen: set[str] = set()
    for count, each in enumerate(decision):
        if each.feed.url in seen:
            return decision[:count]
        seen.add(each.feed.url)
    return decision
