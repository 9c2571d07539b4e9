"""`/run`: how many pages came through each stage, what each host does, problems, rates and the store; start and stop."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from markupsafe import Markup
from starlette.exceptions import HTTPException

from wireroom.app.run_overview import COUNTS_SAVED, PageFunnel, RunOverview, run_overview
from wireroom.app.waiting import wait_words
from wireroom.dates.reader_clock import ReaderClock
from wireroom.model import Event
from wireroom.ports import Fragment, WebPage
from wireroom.web.charts import Bar, bar_chart
from wireroom.web.web_context import Web, WebContext
from wireroom.web.web_lists import api_router

router = APIRouter()
api = api_router("run")

MINUTES = 60  # of the chart
WHOLE_PAGE = frozenset({"run_started", "run_ended"})  # buttons, hosts and counts change with them


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of the funnel, with what was left behind there."""

    name: str
    count: int
    lost: str = ""


def stages(funnel: PageFunnel) -> tuple[Stage, ...]:
    """Found, allowed, fetched, read, new: each with what did not come further, and why."""
    return (
        Stage("found", funnel.found, "items that name a page"),
        Stage("allowed", funnel.allowed, _lost(refused=funnel.refused) or _open_words(funnel)),
        Stage("fetched", funnel.fetched, _lost(failed=funnel.failed)),
        Stage("read", funnel.read, _lost(unreadable=funnel.unreadable)),
        Stage(
            "new",
            funnel.new,
            _lost(changed=funnel.changed, same=funnel.same, duplicate=funnel.duplicate),
        ),
    )


def _open_words(funnel: PageFunnel) -> str:
    """Of the pages that were found: those on which nothing was decided."""
    left = funnel.found - funnel.allowed - funnel.refused
    return f"{left:,} known before, or waiting" if left > 0 else ""


def _lost(**counts: int) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)


def minute_chart(found: RunOverview, clock: ReaderClock) -> Markup:
    """New articles in each minute of the last hour."""
    words = f"New articles a minute over the last hour: {found.rate}"
    return bar_chart(minute_bars(found, clock), words)


def minute_bars(found: RunOverview, clock: ReaderClock) -> list[Bar]:
    """The minutes of the last hour, the oldest first, by the reader's clock."""
    last = found.at.replace(second=0, microsecond=0)
    minutes = [last - timedelta(minutes=MINUTES - 1 - place) for place in range(MINUTES)]
    return [Bar(clock.hour(minute), found.per_minute.get(minute, 0)) for minute in minutes]


@router.get("/run", response_class=HTMLResponse)
def run(request: Request, web: Web) -> Response:
    """The page."""
    after = web.app.last_event_number()
    found = run_overview(web.app)
    return web.renderer.page(
        request,
        "run.html",
        found=found,
        today=stages(found.today),
        current=[(outcome, stages(outcome.funnel)) for outcome in found.current],
        last=(found.last, stages(found.last.funnel)) if found.last is not None else None,
        chart=minute_chart(found, web.clock),
        minutes=minute_bars(found, web.clock),
        control=web.run,
        wait_words=wait_words,
        after=after,
        now=found.at,
    )


@router.post("/run")
def act(web: Web, action: Annotated[Literal["start", "stop"], Form()]) -> Response:
    """Starts or stops the run of this server."""
    _require_run(web)
    if action == "start":
        web.run.start()
    else:
        web.run.stop()
    return RedirectResponse("/run", status_code=303)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """The run of this server."""

    allowed: bool
    """Whether it may run: it was started with `serve --run`."""
    running: bool
    stopping: bool
    """Whether it was told to end and has not yet."""
    problem: str = ""
    """Why the last one ended by itself."""


def _state(web: WebContext) -> RunState:
    run = web.run
    return RunState(
        allowed=run.allowed,
        running=run.is_running,
        stopping=run.is_stopping,
        problem=run.problem,
    )


def _require_run(web: WebContext) -> None:
    if not web.run.allowed:
        raise HTTPException(409, "This server does not run: start it with `wireroom serve --run`.")


@api.get("/run/control", operation_id="get_run_control", summary="Whether this server runs")
def run_state(web: Web) -> RunState:
    """Others on the same database are under `/run`."""
    return _state(web)


@api.post("/run/start", operation_id="start_run", status_code=202, summary="Start the run")
def start_run(web: Web) -> RunState:
    """Of this server, unless it is under way. 409 without `serve --run`."""
    _require_run(web)
    web.run.start()
    return _state(web)


@api.post("/run/stop", operation_id="stop_run", status_code=202, summary="Stop the run")
def stop_run(web: Web) -> RunState:
    """What is in flight is finished or given back within 10 seconds. 409 without `serve --run`."""
    _require_run(web)
    web.run.stop()
    return _state(web)


@api.get("/run", operation_id="get_run", summary="The run by stages, hosts and rates")
def run_data(web: Web) -> RunOverview:
    """Pages by stage today and in the last run, what each host does, problems, rates, the size of the database."""
    return run_overview(web.app)


def live(web: WebContext, _subject: str, event: Event) -> Fragment | None:
    """Stages, hosts, rate and problems, whenever a run saved its counts; when one began or ended, the page is loaded anew."""
    if event.kind in WHOLE_PAGE:
        return Fragment(html="", is_last=True)
    if event.kind != COUNTS_SAVED:
        return None
    found = run_overview(web.app, counts=False)
    macro = partial(web.renderer.macro, "run_parts.html")
    parts = [macro("funnel", "today", stages(found.today))]
    for place, outcome in enumerate(found.current, start=1):
        parts.append(macro("funnel", f"current-{place}", stages(outcome.funnel)))
    parts.append(macro("hosts", found, wait_words))
    parts.append(
        macro("rate", found, minute_chart(found, web.clock), minute_bars(found, web.clock))
    )
    parts.append(macro("problems", found))
    return Fragment(html="".join(parts))


PLUG = WebPage(
    name="run",
    router=router,
    api=api,
    title="Run",
    path="/run",
    order=50,
    live=live,
    live_whole=frozenset({COUNTS_SAVED}),
)
