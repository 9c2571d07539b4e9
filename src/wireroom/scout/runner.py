"""Runs steps by their needs: side by side where they can, each with a deadline, each ending in a finding.

A step that fails leaves the others whole: whatever it raises becomes a finding that says why. Knows
neither what the steps ask nor where findings are kept.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from graphlib import CycleError, TopologicalSorter
from time import monotonic
from typing import Literal, TypeVar

from wireroom.errors import FetchError, WireroomError
from wireroom.model import NOT_REACHED, Evidence, Finding, ProblemKind, Request, Response
from wireroom.ports import Step, StepContext
from wireroom.rights.finding_index import with_lapsed, with_last
from wireroom.signals.freshness import with_unreached

log = logging.getLogger(__name__)

Made = TypeVar("Made")
StepStatus = Literal["started", "completed", "failed", "skipped", "reused"]

# Our own manners kept us from looking: that is no failure of anybody.
_NOT_ALLOWED = frozenset({"robots", "rights"}) | NOT_REACHED


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What happened to one step; all but `started` carry its finding."""

    step: str
    status: StepStatus
    finding: Finding | None = None


async def run_steps(
    steps: Mapping[str, Step],
    context: StepContext,
    *,
    kept: Mapping[str, Finding] | None = None,
    before: Mapping[str, Finding] | None = None,
    time: timedelta = timedelta(),
) -> AsyncGenerator[Progress, None]:
    """Each step's progress, as it happens; leaving early cancels what is under way.

    `kept` holds findings that are still fresh: their steps are not run. `before` are the findings of
    the last time, fresh or not, for steps that add to what they knew. `time` is what the scout was given: findings
    that could not get to everything say so.
    """
    order = _sorted(steps)
    found: dict[str, Finding] = {}
    running: dict[asyncio.Task[Finding], str] = {}
    try:
        while order.is_active():
            for name in order.get_ready():
                if kept and name in kept:
                    found[name] = kept[name]
                    order.done(name)
                    yield Progress(step=name, status="reused", finding=kept[name])
                    continue
                yield Progress(step=name, status="started")
                step = steps[name]
                known = {need: found[need] for need in step.needs}
                own = replace(context, findings=known, before=(before or {}).get(name))
                running[asyncio.create_task(_run_step(step, own, time))] = name
            if not running:
                continue
            done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                name = running.pop(task)
                found[name] = task.result()
                order.done(name)
                yield Progress(step=name, status=_status(found[name]), finding=found[name])
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def _sorted(steps: Mapping[str, Step]) -> TopologicalSorter[str]:
    for step in steps.values():
        if missing := sorted(set(step.needs) - set(steps)):
            raise WireroomError(f"Step {step.name!r} needs steps that there are not: {missing}.")
    sorter = TopologicalSorter({name: step.needs for name, step in steps.items()})
    try:
        sorter.prepare()
    except CycleError as exc:
        ring = " → ".join(exc.args[1])
        raise WireroomError(f"Steps need one another in a ring: {ring}.") from exc
    return sorter


class _StepWatch:
    """What a step fetches, watched: its deadline stands still meanwhile, and what it did not get to is noted."""

    def __init__(self, context: StepContext) -> None:
        self._fetch = context.fetch
        self._once = context.once
        self._waits = 0
        self._left = 0.0
        self._waits_from = 0.0
        self._waited = 0.0
        """Seconds with something asked for: for a turn, for an answer, or for what another step asked for."""
        self._in_flight = 0.0
        """Seconds of these in which the host owed an answer to this step."""
        self.unreached: dict[str, ProblemKind] = {}
        self.deadline: asyncio.Timeout | None = None

    async def fetch(self, request: Request) -> Response:
        """The `Fetch` of the step."""
        with self._waiting():
            try:
                response = await self._fetch(request)
            except FetchError as error:
                self._in_flight += error.in_flight.total_seconds()
                raise
        self._in_flight += response.elapsed.total_seconds()
        self.unreached.pop(request.url, None)  # it was more important the second time
        return response

    async def once(self, name: str, make: Callable[[], Awaitable[Made]], /) -> Made:
        """The `Once` of the step."""
        with self._waiting():
            return await self._once(name, make)

    def took(self, seconds: float) -> timedelta:
        """What of these seconds was work or an answer in flight: not the wait for a permit, or for another step."""
        return timedelta(seconds=min(seconds, seconds - self._waited + self._in_flight))

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        self._stop()
        try:
            yield
        except FetchError as error:
            if error.kind in NOT_REACHED:
                self.unreached[error.url] = error.kind
            raise
        finally:
            self._go_on()

    def _stop(self) -> None:
        self._waits += 1
        if self._waits == 1:
            self._waits_from = monotonic()
        until = self.deadline.when() if self.deadline is not None else None
        if self._waits == 1 and self.deadline is not None and until is not None:
            self._left = until - asyncio.get_running_loop().time()
            if self._left > 0 and not self.deadline.expired():
                self.deadline.reschedule(None)

    def _go_on(self) -> None:
        self._waits -= 1
        if not self._waits:
            self._waited += monotonic() - self._waits_from
        deadline = self.deadline
        if not self._waits and deadline is not None and deadline.when() is None:
            deadline.reschedule(asyncio.get_running_loop().time() + self._left)


async def _run_step(step: Step, context: StepContext, time: timedelta) -> Finding:
    """The step's finding, whatever happens."""
    started = monotonic()
    watch = _StepWatch(context)
    context = replace(context, fetch=watch.fetch, once=watch.once)
    try:
        async with asyncio.timeout(step.deadline.total_seconds()) as watch.deadline:
            finding = await step.run(context)
    except TimeoutError:
        seconds = step.deadline.total_seconds()
        finding = _failed(step, context, "timeout", f"not done within {seconds:.0f} s")
    except FetchError as error:
        finding = _unfetched(step, context, error)
    except WireroomError as error:
        finding = _failed(step, context, "bad_response", str(error))
    except Exception as exc:
        log.exception("step failed", extra={"step": step.name, "url": context.url})
        finding = _failed(step, context, "internal", f"{type(exc).__name__}: {exc}")
    finally:
        watch.deadline = None
    finding = with_unreached(finding, watch.unreached, time=time)
    known = with_last(finding, context.before)
    if step.about == "page":
        known = with_lapsed(known, context.before)
    return replace(known, took=watch.took(monotonic() - started))


def _unfetched(step: Step, context: StepContext, error: FetchError) -> Finding:
    finding = _failed(step, context, error.kind, error.reason, url=error.url)
    return replace(finding, outcome="skipped") if error.kind in _NOT_ALLOWED else finding


def _failed(step: Step, context: StepContext, reason: str, error: str, *, url: str = "") -> Finding:
    return Finding(
        step=step.name,
        outcome="failed",
        facts={"error": error, "reason": reason},
        evidence=(Evidence(url=url or context.url, excerpt=error),),
        found_at=context.now,
    )


def _status(finding: Finding) -> StepStatus:
    if finding.outcome == "failed":
        return "failed"
    return "skipped" if finding.outcome == "skipped" else "completed"
