"""What needs somebody's attention: feeds that do not do well, rights that changed, scouts to be doubted, problems, the run.

Every part costs the same few queries however much is followed; what is long is counted, and a few of it are named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from wireroom.app.feeds import FeedHealth, giving_nothing, pages_words
from wireroom.app.publisher_list import LATELY, PublisherRow, changed_publishers
from wireroom.app.scout_signs import ScoutWarning as ScoutWarning
from wireroom.app.scout_signs import scout_warnings
from wireroom.app.waiting import KnownRun as KnownRun
from wireroom.app.waiting import RunLife, known_runs
from wireroom.model import Feed, FeedState, Problem, ProblemKind
from wireroom.ports import FeedCount, FeedFilter, StoreHealth

if TYPE_CHECKING:
    from wireroom.app.application import App

FEW: Final = 5  # of each that are named
PROBLEMS_OF: Final = timedelta(days=1)
_STATES: Final[tuple[FeedState, ...]] = ("silent", "resting", "gone")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnwellFeed:
    """A feed that does not do well."""

    url: str
    name: str
    publisher: str
    health: FeedHealth
    reason: str
    """Why, in words."""
    new_at: datetime | None = None
    """When it last brought something new."""
    failures: int = 0
    """In a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnwellFeeds:
    """All feeds that are unwell in one way, and the few that were well last."""

    health: FeedHealth
    count: int
    feeds: tuple[UnwellFeed, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedRights:
    """Publishers whose rights changed lately, the last to change first."""

    count: int = 0
    publishers: tuple[PublisherRow, ...] = ()
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class LateProblems:
    """Problems of the last day."""

    count: int = 0
    kinds: Mapping[ProblemKind, int] = field(default_factory=dict)
    """The most frequent first."""
    newest: tuple[Problem, ...] = ()
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """What somebody should look at."""

    store: StoreHealth
    runs: tuple[KnownRun, ...] = ()
    """Runs that have not ended, dead or alive."""
    run_alive: bool = False
    feeds: tuple[UnwellFeeds, ...] = ()
    """Each way in which feeds are unwell, if any are."""
    rights: ChangedRights
    warnings: tuple[ScoutWarning, ...] = ()
    problems: LateProblems
    at: datetime

    @property
    def doubtful(self) -> int:
        """How many publishers have a scout that may have gone wrong."""
        return len({publisher for each in self.warnings for publisher in each.publishers})

    @property
    def is_needed(self) -> bool:
        """Whether there is anything to look at."""
        return (
            self.store.state != "ok"
            or not self.run_alive
            or bool(self.feeds or self.warnings or self.rights.count or self.problems.count)
        )


def attention(app: App, *, few: int = FEW, changed_within: timedelta = LATELY) -> Attention:
    """What needs attention now."""
    now, runs = app.clock(), known_runs(app)
    return Attention(
        store=app.store.health(),
        runs=runs,
        run_alive=any(run.life is RunLife.AT_WORK for run in runs),
        feeds=unwell_feeds(app, few=few),
        rights=_changed_rights(app, now - changed_within, few),
        warnings=scout_warnings(app),
        problems=_late_problems(app, now - PROBLEMS_OF, few),
        at=now,
    )


def unwell_feeds(app: App, *, few: int = FEW) -> tuple[UnwellFeeds, ...]:
    """The feeds that are silent, rest or are gone, and the live ones of whose pages nothing comes."""
    states = app.store.feed_counts()
    groups = [
        UnwellFeeds(health=state, count=states[state], feeds=_in_state(app, state, few))
        for state in _STATES
        if states.get(state)
    ]
    return (*_giving_nothing(app, few), *groups)


def _in_state(app: App, state: FeedState, few: int) -> tuple[UnwellFeed, ...]:
    page = app.store.overview.feeds(FeedFilter(states=(state,)), order="new", limit=few)
    return tuple(_unwell(feed, state, feed.standing.reason) for feed in page.feeds)


def _giving_nothing(app: App, few: int) -> list[UnwellFeeds]:
    found, counts = giving_nothing(app)
    return [
        UnwellFeeds(health=health, count=len(urls), feeds=_named(app, health, urls[:few], counts))
        for health, urls in found.items()
    ]


def _named(
    app: App, health: FeedHealth, urls: Sequence[str], counts: Mapping[str, FeedCount]
) -> tuple[UnwellFeed, ...]:
    page = app.store.overview.feeds(FeedFilter(urls=tuple(urls)), order="new", limit=len(urls))
    return tuple(_unwell(feed, health, pages_words(counts[feed.url])) for feed in page.feeds)


def _unwell(feed: Feed, health: FeedHealth, reason: str) -> UnwellFeed:
    return UnwellFeed(
        url=feed.url,
        name=feed.name or feed.title or feed.url,
        publisher=feed.publisher,
        health=health,
        reason=reason,
        new_at=feed.standing.new_at,
        failures=feed.failures,
    )


def _changed_rights(app: App, since: datetime, few: int) -> ChangedRights:
    count, rows = changed_publishers(app, since, limit=max(1, few))
    return ChangedRights(count=count, publishers=rows, since=since)


def _late_problems(app: App, since: datetime, few: int) -> LateProblems:
    kinds = app.store.overview.problem_counts(since=since)
    newest = app.store.problems(limit=few) if kinds else ()
    return LateProblems(
        count=sum(kinds.values()),
        kinds=dict(sorted(kinds.items(), key=lambda pair: (-pair[1], pair[0]))),
        newest=tuple(problem for problem in newest if problem.at >= since),
        since=since,
    )
