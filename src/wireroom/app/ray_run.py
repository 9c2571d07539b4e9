"""A run on a Ray cluster: readers on its nodes, each a run of its own on the one database, and whoever looks after them.

A reader is an actor. It takes hosts by the store's leases, as each of several runs does, so manners hold over all of
them; pages are read by the parsers of the engine `ray`, which belong to the command. It holds no state that anybody would miss: one that is lost is begun
anew, and what it had in flight comes back with its leases. The process that was started by hand takes no work itself.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wireroom.app.engines import check_engine
from wireroom.app.run.counts import RunCounts
from wireroom.app.run.run_options import run_options
from wireroom.errors import WireroomError
from wireroom.version import __version__
from wireroom.workers.ray_cluster import alive_nodes, connected, load_ray, on_node
from wireroom.workers.ray_parsers import keep_parsers

if TYPE_CHECKING:
    from wireroom.app.run.loop import RunLoop
    from wireroom.settings import Settings

log = logging.getLogger(__name__)

LEASE: Final = timedelta(seconds=24)
"""Of a reader: its hosts go to others within half a minute, also where its whole machine is lost."""
RESTARTS: Final = 30
"""How often a reader that was lost before it did anything is begun anew within `RESTARTS_WITHIN`; then the run ends."""
RESTARTS_AT_WORK: Final = 300
"""The same of readers that had worked: one every two seconds is a fault of the machine, whatever is saved in between."""
RESTARTS_WITHIN: Final = 600.0  # seconds
FIRST_WAIT, LONGEST_WAIT = (
    0.5,
    10.0,
)  # seconds before a reader is begun anew; twice as long each time
LATELY: Final = (
    60.0  # seconds for which the loss of a reader that had done nothing makes the next wait longer
)
LOOK_EVERY: Final = 1.0  # seconds between two looks at the nodes and at the counts
ENDING: Final = 12.0  # seconds that a reader has to end after `stop`; it needs under 10
PATIENCE: Final = 5.0  # seconds for a reader to say its counts


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderReport:
    """What a reader has done so far, or in all."""

    counts: RunCounts
    next_at: datetime | None = None
    error: str = ""
    """What ended it, in words; empty where it ended in good order."""
    hint: str = ""


class Reader:
    """One reader, in a process of Ray: the actor."""

    def __init__(self, settings: Settings, version: str) -> None:
        self._settings = settings
        self._version = version
        self._run_loop: RunLoop | None = None
        self._stopped = False

    async def run(self, *, once: bool) -> ReaderReport:
        """Until nothing is due any more (`once`), or until `stop`."""
        try:
            return await self._run(once=once)
        except WireroomError as exc:  # as data: what is raised here would come as an error of Ray
            counts = self._run_loop.counts if self._run_loop is not None else RunCounts()
            return ReaderReport(
                counts=counts.without_ticks(), error=exc.message, hint=str(exc.hint)
            )

    async def report(self) -> ReaderReport:
        """How far it is."""
        if self._run_loop is None:
            return ReaderReport(counts=RunCounts())
        run_loop = self._run_loop
        return ReaderReport(counts=run_loop.counts.without_ticks(), next_at=run_loop.next_at)

    async def stop(self) -> None:
        """Asks it to end; what is in flight is finished or given back."""
        self._stopped = True
        if self._run_loop is not None:
            self._run_loop.stop()

    async def _run(self, *, once: bool) -> ReaderReport:
        from wireroom.app.application import open_app
        from wireroom.app.run.run_factory import open_run_loop

        if self._version != __version__:
            raise WireroomError(
                f"A node of the cluster has wireroom {__version__}, not {self._version}.",
                hint="Install the same version on all machines.",
            )
        options = replace(run_options(self._settings), lease=LEASE)
        with open_app(self._settings) as app:
            async with open_run_loop(app, self._settings, options) as run_loop:
                self._run_loop = run_loop
                if self._stopped:
                    return ReaderReport(counts=RunCounts())
                counts = await run_loop.run(once=once)
        return ReaderReport(counts=counts.without_ticks())


@asynccontextmanager
async def open_ray_run(settings: Settings) -> AsyncIterator[RayRun]:
    """A run on the cluster of the settings, which is joined, or started and ended."""
    check_engine(settings)
    with connected(settings.run.address):
        yield RayRun(settings)


class _Death(NamedTuple):
    """The loss of a reader."""

    at: float
    had_worked: bool


@dataclass(slots=True)
class _ReaderSlot:
    """Where a reader is to be: a node, and which of its readers."""

    node: str
    actor: Any = None
    report: ReaderReport | None = None
    """The last one of the reader that is there now."""
    had_worked: bool = False
    """Whether the reader that was here last had asked anybody for anything."""
    deaths: deque[_Death] = field(default_factory=deque)

    @property
    def is_given_up(self) -> bool:
        """Whether readers were lost here too often."""
        in_vain = sum(not death.had_worked for death in self.deaths)
        return in_vain > RESTARTS or len(self.deaths) > RESTARTS_AT_WORK

    def note_death(self) -> float:
        """A reader was lost: the seconds until the next one may begin.

        Only readers that are lost before they have done anything make the wait longer: one that worked shows that its place is sound.
        """
        now = monotonic()
        self.deaths.append(_Death(now, self.had_worked))
        while self.deaths[0].at < now - RESTARTS_WITHIN:
            self.deaths.popleft()
        in_vain = sum(death.at > now - LATELY and not death.had_worked for death in self.deaths)
        return min(FIRST_WAIT * 2.0 ** max(0, in_vain - 1), LONGEST_WAIT)


class RayRun:
    """Keeps readers on the nodes of a cluster: begun, begun anew, stopped; and adds up what they have done."""

    def __init__(self, settings: Settings) -> None:
        self.counts = RunCounts()
        self.next_at: datetime | None = None
        self._settings = settings
        self._places: dict[tuple[str, int], asyncio.Task[None]] = {}
        self._at: dict[tuple[str, int], _ReaderSlot] = {}
        self._ended: list[RunCounts] = []
        self._stop = asyncio.Event()
        self._failure: WireroomError | None = None
        self._lost_at: float | None = None

    def pace(self, host: str) -> str:  # noqa: ARG002 - a reader knows it, and nobody asks it
        """Why a host is asked more slowly: that is not known here."""
        return ""

    def stop(self) -> None:
        """Asks every reader to end."""
        self._stop.set()

    async def run(self, *, once: bool = False) -> RunCounts:
        """Until no reader has anything to do any more (`once`), or until `stop`."""
        try:
            while True:
                await self._until_ended(once=once)
                if self._stop.is_set() or not await self._is_something_left():
                    break
        finally:
            await self._close()
        if self._failure is not None:
            raise self._failure
        return self.counts

    async def _until_ended(self, *, once: bool) -> None:
        """Looks after the readers until each has ended; there is one more where a node was added."""
        self._begin_readers(once=once)
        if not self._places:
            raise WireroomError(
                "The Ray cluster has no node with a processor to work on.",
                hint="Add one with the command of Ray: ray start",
            )
        while any(not task.done() for task in self._places.values()):
            await asyncio.wait(self._places.values(), timeout=LOOK_EVERY)
            await self._count()
            if not self._stop.is_set():
                self._begin_readers(once=once)
        await asyncio.gather(*self._places.values())  # a fault of ours is raised

    def _begin_readers(self, *, once: bool) -> None:
        keep_parsers()  # before readers: they only look for them
        for node in alive_nodes():
            for number in range(self._settings.run.readers):
                key = (node, number)
                if key not in self._places:
                    place = self._at[key] = _ReaderSlot(node)
                    self._places[key] = asyncio.create_task(self._keep(place, once=once))

    async def _is_something_left(self) -> bool:
        """Whether to look again: what a lost reader had in flight comes back when its leases are over."""
        if self._lost_at is None or self._failure is not None:
            return False
        left = self._lost_at + LEASE.total_seconds() - monotonic()
        self._lost_at = None
        self._places.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, left)):
                await self._stop.wait()
        return not self._stop.is_set()

    # --- one place --------------------------------------------------------------------------------

    async def _keep(self, place: _ReaderSlot, *, once: bool) -> None:
        """Has a reader at this place until it ends in good order, its node is gone, or it was lost too often."""
        while not self._stop.is_set() and self._failure is None:
            report = await self._read(place, once=once)
            if report is not None:
                self._ended.append(report.counts)
                if report.error:
                    self._fail(WireroomError(f"A reader: {report.error}", hint=report.hint))
                return
            self._lost_at = monotonic()
            wait = place.note_death()
            log.warning("a reader was lost", extra={"node": place.node, "times": len(place.deaths)})
            if place.is_given_up:
                self._fail(
                    WireroomError(
                        f"A reader was lost {len(place.deaths)} times within 10 minutes.",
                        hint="Look at the logs of Ray on its node: ray list actors",
                    )
                )
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._stop.wait()
            if place.node not in alive_nodes():
                return

    async def _read(self, place: _ReaderSlot, *, once: bool) -> ReaderReport | None:
        """What one reader came to; None for one that was lost."""
        ray = load_ray()
        actor = place.actor = self._actor(place.node)
        reading = asyncio.ensure_future(_result(actor.run.remote(once=once)))
        stopped = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait({reading, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                actor.stop.remote()
                await asyncio.wait({reading}, timeout=ENDING)
            return reading.result() if reading.done() else None
        except ray.exceptions.RayError as exc:
            log.info("lost reader", extra={"why": str(exc).partition("\n")[0]})
            return None
        finally:
            if not reading.done() or reading.exception() is not None:
                self._take_over_counts(place)
            reading.cancel()
            stopped.cancel()
            place.had_worked = place.report is not None and place.report.counts.requests > 0
            place.actor = place.report = None
            ray.kill(actor)

    def _actor(self, node: str) -> Any:
        options = {
            "num_cpus": 0,  # it waits for servers most of the time; parsers take the processors
            "max_restarts": 0,  # that is done here, where it is bounded by time
            "scheduling_strategy": on_node(node),
        }
        return load_ray().remote(**options)(Reader).remote(self._settings, __version__)

    def _take_over_counts(self, place: _ReaderSlot) -> None:
        """What a lost reader had said of itself last is what is known of it."""
        if place.report is not None:
            counts = place.report.counts
            counts.waiting.clear()
            counts.hosts.clear()
            self._ended.append(counts)

    def _fail(self, error: WireroomError) -> None:
        if self._failure is None:
            self._failure = error
        self._stop.set()

    # --- what is seen of it -----------------------------------------------------------------------

    async def _count(self) -> None:
        """Asks the readers how far they are, and adds it up."""
        places = [place for place in self._at.values() if place.actor is not None]
        await asyncio.gather(*map(self._ask, places))
        now = [place.report for place in self._at.values() if place.report is not None]
        self.counts.become_sum([*self._ended, *(report.counts for report in now)])
        self.next_at = min((each.next_at for each in now if each.next_at), default=None)

    async def _ask(self, place: _ReaderSlot) -> None:
        actor = place.actor
        with suppress(TimeoutError, load_ray().exceptions.RayError):
            async with asyncio.timeout(PATIENCE):
                report = await _result(actor.report.remote())
            if place.actor is actor:
                place.report = report

    async def _close(self) -> None:
        """No reader outlives the run."""
        for task in self._places.values():
            task.cancel()
        await asyncio.gather(*self._places.values(), return_exceptions=True)
        self.counts.become_sum(self._ended)


async def _result(ref: Any) -> ReaderReport:
    """What a call of an actor gives, for whoever wants a coroutine."""
    report: ReaderReport = await ref
    return report
