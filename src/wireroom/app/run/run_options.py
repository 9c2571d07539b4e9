"""How a run is made: the part of the settings it needs, as one frozen value."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from wireroom.duplicates.cluster_options import ClusterOptions, cluster_options
from wireroom.rights.policy import Policy

if TYPE_CHECKING:
    from wireroom.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How much is in flight at once, for how long, and what is done with it."""

    in_flight: int = 512
    """Feeds and leads in flight at once; each is a coroutine, and a page while it waits for a reader."""
    per_host: int = 10
    """Leads of one host taken at once: the others wait in the store, where another process sees them."""
    lease: timedelta = timedelta(seconds=60)
    """What a process had in flight that died comes back after so long."""
    gap: timedelta = timedelta(seconds=1)
    """A host that is given back cools down for so long, so that manners hold from one process to the next."""
    patience: timedelta = timedelta(seconds=15)
    """A run that is to end when nothing is due waits for what comes up within it, such as a host that cools down."""
    policy: Policy = field(default_factory=Policy)
    cluster: ClusterOptions | None = field(default_factory=ClusterOptions)
    keep_raw: bool = False
    learn: bool = True
    """Whether blocks that repeat across a publisher's articles are learnt and left out."""
    scout: bool = True
    """Whether publishers are scouted before their pages are read, and again when it is time."""
    scout_every: timedelta = timedelta(days=7)
    scout_time: timedelta = timedelta(minutes=5)
    strategies: tuple[str, ...] = ("plain",)


def run_options(settings: Settings) -> RunOptions:
    """As the settings want it."""
    run = settings.run
    return RunOptions(
        in_flight=run.in_flight,
        gap=settings.fetch.delay,
        patience=settings.rest_after_scout() + timedelta(seconds=5),
        policy=settings.rights.policy(),
        cluster=cluster_options(settings),
        keep_raw=settings.store.raw_kept_for > timedelta(),
        learn=run.learn,
        scout=run.scout,
        scout_every=run.scout_every,
        scout_time=run.scout_time,
        strategies=settings.fetch.strategies,
    )
