"""How things stand: what is held, whether the store can be worked with, what happened last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from wireroom.app.event_log import COUNTS_SAVED, events_after, number_before_last
from wireroom.app.feeds import feed_health
from wireroom.app.scout_signs import ScoutWarning, scout_warnings
from wireroom.app.waiting import KnownRun, known_runs
from wireroom.model import Event, Feed, Problem
from wireroom.ports import Store, StoreHealth

if TYPE_CHECKING:
    from wireroom.app.application import App

LAST_EVENTS = 10  # what a person reads at a glance
LAST_PROBLEMS = 10
RUN_ENDED = "run_ended"
_LOOKED_AT_FIRST = 1_000  # newest events, most of them steps of scouts
_LOOKED_THROUGH = 10_000  # newest events among which the end of the last run is looked for
STEP = "step_"  # so begin the events of a scout's single steps, some fifty of them; its end tells enough
_NOT_SHOWN = (
    STEP,
    COUNTS_SAVED,
)  # what comes every few seconds, and tells nobody anything afterwards


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What is held, whether it can be worked with, and what happened last."""

    health: StoreHealth
    counts: Mapping[str, int]
    feeds: Mapping[str, int]
    """Feeds by their state."""
    events: tuple[Event, ...]
    """The last ones, newest first."""
    problems: tuple[Problem, ...]
    last_run: Event | None = None
    """How the last run ended, as far as the newest events tell."""
    runs: tuple[KnownRun, ...] = ()
    """Runs that have not ended, dead or alive."""
    feed_health: Mapping[str, int] = field(default_factory=dict)
    """Feeds by their state, those apart that are live and of whose pages none gives an article."""
    warnings: tuple[ScoutWarning, ...] = ()
    """Publishers whose scouting shows that something went wrong."""
    last_poll_at: datetime | None = None
    """When a feed was last polled."""
    at: datetime


@dataclass(frozen=True, slots=True)
class HeldCounts:
    """How much is held."""

    counts: Mapping[str, int]
    """By kind, such as `articles`."""
    feeds: Mapping[str, int]
    """Feeds by their state."""


def held_counts(app: App) -> HeldCounts:
    """How much is held, without what happened last."""
    return HeldCounts(app.store.counts(), app.store.feed_counts())


def read_status(app: App) -> Status:
    """What is held, and how things stand."""
    held, feeds = held_counts(app), app.store.feeds()
    newest = _newest_events(app.store, held.counts.get("events", 0))
    return Status(
        health=app.store.health(),
        counts=held.counts,
        feeds=held.feeds,
        events=tuple(newest[:LAST_EVENTS]),
        last_run=next((event for event in newest if event.kind == RUN_ENDED), None),
        problems=app.store.problems(limit=LAST_PROBLEMS),
        runs=known_runs(app),
        feed_health=_feed_health(app.store, feeds),
        warnings=scout_warnings(app),
        last_poll_at=max(filter(None, (feed.standing.polled_at for feed in feeds)), default=None),
        at=app.clock(),
    )


def _feed_health(store: Store, feeds: Sequence[Feed]) -> Mapping[str, int]:
    counts = store.feed_tallies([feed.url for feed in feeds])
    return Counter(feed_health(feed, counts[feed.url]) for feed in feeds)


def _newest_events(store: Store, count: int) -> list[Event]:
    """The newest events but for steps and counts, newest first, back to the last end of a run or so many of them."""
    last = number_before_last(store, count)
    found = list(_events_after(store, max(0, last - _LOOKED_AT_FIRST)))
    if not any(event.kind == RUN_ENDED for event in found):
        found = list(_events_after(store, max(0, last - _LOOKED_THROUGH)))
    return found[::-1]


def _events_after(store: Store, after: int) -> Iterator[Event]:
    return (event for event in events_after(store, after) if not event.kind.startswith(_NOT_SHOWN))
