"""The run as a page shows it: how many pages came through each stage, which host does what, problems, rates, the store.

What runs did is what they noted: each adds its counts to those of the day every two seconds in which it did something, and
when it ends. A killed run takes its last seconds with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, Final

from wireroom.app.event_log import COUNTS_SAVED as COUNTS_SAVED
from wireroom.app.holders import dead_holders
from wireroom.app.status import RUN_ENDED
from wireroom.app.waiting import KnownRun as KnownRun
from wireroom.app.waiting import RunLife, Wait, WaitsFor, holder_words, known_runs
from wireroom.model import ProblemKind
from wireroom.ports import LaneCounts as LaneCounts
from wireroom.ports import LaneRecord, StoreHealth

if TYPE_CHECKING:
    from wireroom.app.application import App

LANES: Final = 50
RATE_OVER: Final = timedelta(hours=1)
MANY_DUE: Final = 1_000  # leads of a host above which they are not counted


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFunnel:
    """How many pages came through each stage. A page that is tried again counts when that is decided."""

    found: int = 0
    """New or changed items that name a page."""
    refused: int = 0
    """By robots.txt, by rights, by the publisher's own tags."""
    allowed: int = 0
    """Of those that are decided: the ones that could be asked for."""
    fetched: int = 0
    """Those that a server answered with a page."""
    read: int = 0
    """Those that gave an article, also one that was held before."""
    new: int = 0
    changed: int = 0
    same: int = 0
    duplicate: int = 0
    """Other addresses of an article that was held."""
    unreadable: int = 0
    """Fetched, and no article."""
    failed: int = 0
    """Given up without an answer that could be used."""
    retried: int = 0
    """Tries that failed and are repeated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """What one run did: one that is over, or one under way as it last said."""

    holder: str
    began_at: datetime | None
    ended_at: datetime | None
    """None for one that has not ended."""
    took: timedelta | None = None
    funnel: PageFunnel
    polls: int = 0
    scouted: int = 0
    requests: int = 0
    received: int = 0
    """Bytes, decoded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One host: who has it, how much is in flight, what it waits for."""

    host: str
    wait: Wait | None
    """What its next piece of work waits for, and until when; None for a host without work."""
    in_flight: int = 0
    due: int = 0
    """Pages that could be read now, counted up to a thousand."""
    more_due: bool = False
    """Whether there are more than were counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOverview:
    """The run, and what it works on."""

    runs: tuple[KnownRun, ...]
    run_alive: bool
    today: PageFunnel
    """What all runs did since midnight, in UTC."""
    current: tuple[RunOutcome, ...] = ()
    """Runs that have not ended, as they last said."""
    last: RunOutcome | None = None
    """The last one that ended."""
    lanes: tuple[Lane, ...] = ()
    """Held hosts first, those on which something is due later last; at most as many as were asked for."""
    lane_counts: LaneCounts = field(default_factory=LaneCounts)
    lanes_left_out: int = 0
    """Hosts that have work and are not among the lanes."""
    problems: Mapping[ProblemKind, int] = field(default_factory=dict)
    """Since midnight, the most frequent first."""
    per_minute: Mapping[datetime, int] = field(default_factory=dict)
    """New articles in each minute of the last hour, by its beginning; minutes without are left out."""
    rate: float = 0.0
    """New articles a minute over that hour."""
    health: StoreHealth
    size: int = 0
    """Bytes of the database."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """How many of each kind are held; empty where they were not asked for."""
    at: datetime


def run_overview(app: App, *, lanes: int = LANES, counts: bool = True) -> RunOverview:
    """How the run stands. Counting all that is held takes longest; with `counts` off it is left out."""
    now, store = app.clock(), app.store
    midnight = datetime.combine(now.astimezone(UTC).date(), time(), tzinfo=UTC)
    runs, since = known_runs(app), now - RATE_OVER
    shown, all_lanes = _lanes(app, now, lanes), app.store.overview.lane_counts(now=now)
    arrived = app.store.overview.arrivals(since=since)
    problems = app.store.overview.problem_counts(since=midnight)
    return RunOverview(
        runs=runs,
        run_alive=any(run.life is RunLife.AT_WORK for run in runs),
        today=read_funnel(app.store.overview.day_counts(now)),
        current=tuple(_current(run) for run in runs),
        last=last_run(app),
        lanes=shown,
        lane_counts=all_lanes,
        lanes_left_out=max(0, all_lanes.total - len(shown)),
        problems=dict(sorted(problems.items(), key=lambda pair: (-pair[1], pair[0]))),
        per_minute=arrived,
        rate=round(sum(arrived.values()) / (RATE_OVER / timedelta(minutes=1)), 2),
        health=store.health(),
        size=app.store.overview.size_on_disk(),
        counts=store.counts() if counts else {},
        at=now,
    )


def last_run(app: App) -> RunOutcome | None:
    """What the last run did that has ended; None where none is known."""
    ended = app.store.overview.newest_events(RUN_ENDED, limit=1)
    if not ended:
        return None
    (event,) = ended
    took = timedelta(seconds=float(event.data.get("took") or 0.0))
    return RunOutcome(
        holder=event.subject,
        began_at=event.at - took,
        ended_at=event.at,
        took=took,
        funnel=read_funnel(event.data.get("tallies") or {}),
        **_numbers(event.data.get("tallies") or {}),
    )


def read_funnel(tallies: Mapping[str, Any]) -> PageFunnel:
    """The stages from the numbers that a run keeps. Pure."""

    def of(name: str) -> int:
        return int(tallies.get(name, 0))

    read = of("lead_read") + of("lead_duplicate")
    unreadable = of("unreadable")
    failed = max(0, of("lead_failed") - unreadable)
    fetched = read + unreadable
    return PageFunnel(
        found=of("found"),
        refused=of("lead_refused"),
        allowed=fetched + failed,
        fetched=fetched,
        read=read,
        new=of("article_new"),
        changed=of("article_changed"),
        same=of("article_same"),
        duplicate=of("lead_duplicate"),
        unreadable=unreadable,
        failed=failed,
        retried=of("lead_retry"),
    )


def _numbers(tallies: Mapping[str, Any]) -> dict[str, Any]:
    names = ("polls", "scouted", "requests", "received")
    return {name: int(tallies.get(name, 0)) for name in names}


def _current(run: KnownRun) -> RunOutcome:
    return RunOutcome(
        holder=run.holder,
        began_at=run.began_at,
        ended_at=None,
        took=run.seen_at - run.began_at,
        funnel=read_funnel(run.counts),
        **_numbers(run.counts),
    )


def _lanes(app: App, now: datetime, limit: int) -> tuple[Lane, ...]:
    records = app.store.overview.lanes(now=now, limit=limit)
    dead = frozenset(dead_holders({each.host.holder for each in records if each.host.holder}))
    return tuple(
        Lane(
            host=record.host.name,
            wait=_lane_wait(record, now, dead),
            in_flight=record.in_flight,
            due=min(record.due, MANY_DUE),
            more_due=record.due > MANY_DUE,
        )
        for record in records
    )


def _lane_wait(record: LaneRecord, now: datetime, dead: frozenset[str]) -> Wait | None:
    """What the host's next piece of work waits for."""
    host = record.host
    if host.leased_until is not None and host.holder not in dead:
        if not host.holder:
            return Wait(on=WaitsFor.REST, until=host.leased_until, who=host.name)
        on = WaitsFor.IN_FLIGHT if record.in_flight else WaitsFor.HOST
        return Wait(on=on, until=host.leased_until, who=holder_words(host.holder))
    times = [at for at in (host.feed_after, host.lead_after) if at is not None]
    if not times:
        return None
    first = min(times)
    return Wait(on=WaitsFor.RUN) if first <= now else Wait(on=WaitsFor.TIME, until=first)
