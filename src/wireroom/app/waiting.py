"""What work waits for: a run, a time, a host that somebody holds or that rests, a scout, a feed that is paused.

The store tells who holds what; what that means for one feed or lead is decided here, by pure functions. Whoever
promises that something will be read, or says why nothing was done, asks here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from wireroom.app.holders import dead_holders, is_here, is_local, read_holder
from wireroom.dates.durations import duration_words
from wireroom.identity import OPEN_STATES
from wireroom.model import Feed
from wireroom.ports import HostRecord, LeadRecord, RunRecord
from wireroom.urls import host_of

if TYPE_CHECKING:
    from wireroom.app.application import App

MAX_SCOUTS = 10_000  # publishers to scout that are looked at; more are followed by nobody


class WaitsFor(StrEnum):
    """What something waits for."""

    RUN = "run"
    """It is due: the next run takes it."""
    TIME = "time"
    """It was put off: by its rhythm, by a failure, by a server."""
    IN_FLIGHT = "in_flight"
    """Somebody has it."""
    HOST = "host"
    """It is due, and another process has its host."""
    REST = "rest"
    """It is due, and its host is left alone for a while."""
    SCOUT = "scout"
    """It is due, and its publisher is scouted first."""
    FEED = "feed"
    """Its feed is paused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """What one feed or lead waits for, and until when."""

    on: WaitsFor
    until: datetime | None = None
    """None where nobody knows: until a person or a run does something."""
    who: str = ""
    """The process, the publisher or the feed it waits for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueState:
    """Who holds what, at one moment."""

    now: datetime
    hosts: Mapping[str, HostRecord]
    dead: frozenset[str] = frozenset()
    """Holders that were killed: the next run takes over at once what they had."""
    to_scout: frozenset[str] = frozenset()
    """Publishers that are scouted before their pages are read."""

    def host(self, url: str) -> HostRecord:
        """The host of an address; one that is free where nothing is known of it."""
        name = host_of(url)
        held = self.hosts.get(name, HostRecord(name=name))
        if held.holder not in self.dead:
            return held
        return HostRecord(name=name, feed_after=held.feed_after, lead_after=held.lead_after)


def wait_words(wait: Wait, now: datetime) -> str:
    """What something waits for: `its host, held by a run on desk (process 7), for 40 s`."""
    left = f" for {duration_words(wait.until - now)}" if wait.until and wait.until > now else ""
    words = {
        "run": "a run: it is due",
        "time": f"its time{left.replace(' for ', ': in ')}",
        "in_flight": f"{wait.who}, which has it now",
        "host": f"its host, held by {wait.who}",
        "rest": f"its host, which is left alone{left}",
        "scout": f"a scout of {wait.who}, which comes first",
        "feed": f"its feed, which is paused: {wait.who}",
    }
    return words[wait.on]


def queue_state(app: App) -> QueueState:
    """Who holds what now."""
    now, store = app.clock(), app.store
    hosts = {host.name: host for host in store.queue.hosts(now=now)}
    due = store.due_publishers(now=now, limit=MAX_SCOUTS) if app.settings.run.scout else ()
    return QueueState(
        now=now,
        hosts=hosts,
        dead=frozenset(dead_holders({host.holder for host in hosts.values() if host.holder})),
        to_scout=frozenset(publisher.domain for publisher in due),
    )


def hosts_state(app: App, urls: Iterable[str]) -> QueueState:
    """Who holds the hosts of these addresses now; enough to say what feeds wait for, whoever is to be scouted."""
    now = app.clock()
    names = sorted({host_of(url) for url in urls})
    hosts = {host.name: host for host in app.store.queue.hosts(now=now, names=names)}
    held = {host.holder for host in hosts.values() if host.holder}
    return QueueState(now=now, hosts=hosts, dead=frozenset(dead_holders(held)))


def is_asleep(record: LeadRecord) -> bool:
    """Whether the lead is open and waits for its feed to be resumed."""
    return record.due_after is None and record.lead.state in OPEN_STATES


def lead_wait(record: LeadRecord, state: QueueState) -> Wait | None:
    """What a lead waits for; None for one that is done with."""
    lead, now = record.lead, state.now
    if lead.state not in OPEN_STATES:
        return None
    if is_asleep(record):
        return Wait(on=WaitsFor.FEED, who=record.feed_url)
    is_held = record.due_after is not None and record.due_after > now
    if record.holder and record.holder not in state.dead and is_held:
        return Wait(on=WaitsFor.IN_FLIGHT, until=record.due_after, who=holder_words(record.holder))
    if lead.read_after is not None and lead.read_after > now:
        return Wait(on=WaitsFor.TIME, until=lead.read_after)
    blocked = _host_wait(state.host(lead.url))
    if blocked is not None:
        return blocked
    if lead.publisher in state.to_scout:
        return Wait(on=WaitsFor.SCOUT, who=lead.publisher)
    return Wait(on=WaitsFor.RUN)


def feed_wait(feed: Feed, state: QueueState) -> Wait | None:
    """What a feed waits for; None for one that is never asked again by itself."""
    if feed.state == "paused":
        return Wait(on=WaitsFor.FEED, who=feed.url)
    if feed.poll_after is None and feed.state not in {"live", "silent"}:
        return None
    if feed.poll_after is not None and feed.poll_after > state.now:
        return Wait(on=WaitsFor.TIME, until=feed.poll_after)
    return _host_wait(state.host(feed.url)) or Wait(on=WaitsFor.RUN)


def _host_wait(host: HostRecord) -> Wait | None:
    if host.leased_until is None:
        return None
    if host.holder:
        return Wait(on=WaitsFor.HOST, until=host.leased_until, who=holder_words(host.holder))
    return Wait(on=WaitsFor.REST, until=host.leased_until, who=host.name)


def holder_words(holder: str) -> str:
    """Who holds something, for people."""
    known = read_holder(holder)
    return str(known) if known is not None else holder


# Runs that are under way, and whether they live.

LATE = timedelta(seconds=90)
"""A run says every 20 s that it lives; one that has missed four of these cannot save, hangs or is gone."""


class RunLife(StrEnum):
    """How a run does that has not said that it ended."""

    AT_WORK = "at_work"
    STALLED = "stalled"
    """Its process lives and has saved nothing for a while: it waits for the database, or hangs."""
    SILENT = "silent"
    """It is on another machine, and has not been heard of for a while."""
    KILLED = "killed"
    """Its process is no more; the next run takes over at once what it had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRun:
    """A run that has begun and not ended."""

    holder: str
    who: str
    """The same for people."""
    began_at: datetime
    seen_at: datetime
    life: RunLife
    counts: Mapping[str, int] = field(default_factory=dict)
    """What it had done when it was seen, by name."""


def known_runs(app: App) -> tuple[KnownRun, ...]:
    """Runs that have not ended, the first to begin first."""
    records, now = app.store.queue.runs(), app.clock()
    dead = frozenset(dead_holders(record.holder for record in records))
    return tuple(
        KnownRun(
            holder=record.holder,
            who=holder_words(record.holder),
            began_at=record.began_at,
            seen_at=record.seen_at,
            counts=record.counts,
            life=run_life(
                record, now, is_dead=record.holder in dead, is_here=is_local(record.holder)
            ),
        )
        for record in records
    )


def run_life(record: RunRecord, now: datetime, *, is_dead: bool, is_here: bool) -> RunLife:
    """How a run does, by when it was seen and whether its process is there."""
    if is_dead:
        return RunLife.KILLED
    if now - record.seen_at <= LATE:
        return RunLife.AT_WORK
    return RunLife.STALLED if is_here else RunLife.SILENT


def is_run_alive(app: App) -> bool:
    """Whether a run is at work that takes what is due."""
    return any(run.life is RunLife.AT_WORK for run in known_runs(app))


def local_runs(app: App) -> tuple[KnownRun, ...]:
    """Runs of this machine, or of this container, that have not ended."""
    return tuple(run for run in known_runs(app) if is_here(run.holder))


# Why a run has nothing to do.


class IdleCause(StrEnum):
    """Why work that is known is not done now."""

    HOSTS_HELD = "hosts_held"
    """Other processes have the hosts."""
    HOSTS_REST = "hosts_rest"
    """Servers want to be left alone, or were asked a moment ago."""
    FEEDS_LATER = "feeds_later"
    PAGES_LATER = "pages_later"
    """It was put off."""
    FEEDS_PAUSED = "feeds_paused"
    FEEDS_GONE = "feeds_gone"
    """They are not asked again by themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleReason:
    """One reason, and how much it holds up."""

    cause: IdleCause
    count: int
    """Of hosts, or of feeds; 0 for pages, which are not counted."""
    until: datetime | None = None
    """When the first of it comes up."""
    who: str = ""
    """The processes that have the hosts."""
    names: tuple[str, ...] = ()
    """The hosts, or the feeds."""


def blocked_work(state: QueueState) -> Iterator[IdleReason]:
    """What is due and cannot be taken: its host is held, or rests."""
    busy = [host for host in state.hosts.values() if _is_due(host, state)]
    held = [host for host in busy if host.holder and host.holder not in state.dead]
    if held:
        who = " and ".join(dict.fromkeys(holder_words(host.holder) for host in held))
        yield _of_hosts(IdleCause.HOSTS_HELD, held, who)
    resting = [host for host in busy if not host.holder and host.leased_until is not None]
    if resting:
        yield _of_hosts(IdleCause.HOSTS_REST, resting)


def _is_due(host: HostRecord, state: QueueState) -> bool:
    """Whether something comes up on the host by the time when it is free; that in flight comes up then."""
    latest = max(state.now, host.leased_until or state.now)
    return any(at is not None and at <= latest for at in (host.feed_after, host.lead_after))


def _of_hosts(cause: IdleCause, hosts: Sequence[HostRecord], who: str = "") -> IdleReason:
    ends = [host.leased_until for host in hosts if host.leased_until is not None]
    names = tuple(host.name for host in hosts)
    return IdleReason(cause=cause, count=len(hosts), until=min(ends), who=who, names=names)


def idle_reasons(app: App) -> tuple[IdleReason, ...]:
    """Why nothing is done now: what cannot be taken, what comes up later, and what never does."""
    state, feeds = queue_state(app), app.store.feeds()
    return (*blocked_work(state), *later_work(state, feeds))


def later_work(state: QueueState, feeds: Sequence[Feed]) -> Iterator[IdleReason]:
    """What comes up later, and what waits for a person."""
    waits = [(feed, feed_wait(feed, state)) for feed in feeds]
    later = [(wait.until, feed) for feed, wait in waits if wait and wait.on is WaitsFor.TIME]
    times = [at for at, _ in later if at is not None]
    if times:
        yield IdleReason(
            cause=IdleCause.FEEDS_LATER,
            count=len(later),
            until=min(times),
            names=tuple(_called(feed) for _, feed in later),
        )
    pages = [host.lead_after for host in state.hosts.values() if host.lead_after]
    if (coming := [at for at in pages if at > state.now]) and len(coming) == len(pages):
        yield IdleReason(cause=IdleCause.PAGES_LATER, count=0, until=min(coming))
    for cause, which in (
        (IdleCause.FEEDS_PAUSED, [feed for feed in feeds if feed.state == "paused"]),
        (IdleCause.FEEDS_GONE, [feed for feed, wait in waits if wait is None]),
    ):
        if which:
            yield IdleReason(cause=cause, count=len(which), names=tuple(map(_called, which)))


def _called(feed: Feed) -> str:
    return feed.name or feed.url
