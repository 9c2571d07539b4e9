"""Runs steps by their needs: side by side where they can, each with a deadline, each ending in a finding.

A step that fails leaves the others whole: whatever it raises becomes a finding that says why. Knows
neither what the steps ask nor where findings are kept.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from graphlib import CycleError, TopologicalSorter
from time import monotonic
from typing import Literal

from wireroom.errors import FetchError, WireroomError
from wireroom.model import Evidence, Finding
from wireroom.ports import Step, StepContext
from wireroom.rights.finding_index import with_last

log = logging.getLogger(__name__)

StepStatus = Literal["started", "completed", "failed", "skipped", "reused"]

# Our own manners kept us from looking: that is no failure of anybody.
_NOT_ALLOWED = frozenset({"robots", "rights"})


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
) -> AsyncGenerator[Progress, None]:
    """Each step's progress, as it happens; leaving early cancels what is under way.

    `kept` holds findings that are still fresh: their steps are not run. `before` are the findings of
    the last time, fresh or not, for steps that add to what they knew.
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
                running[asyncio.create_task(_run_step(step, own))] = name
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


async def _run_step(step: Step, context: StepContext) -> Finding:
    """The step's finding, whatever happens."""
    started = monotonic()
    try:
        async with asyncio.timeout(step.deadline.total_seconds()):
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
    known = with_last(finding, context.before)
    return replace(known, took=timedelta(seconds=monotonic() - started))


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
