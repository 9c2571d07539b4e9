"""`/healthz`, `/readyz` and `/metrics`: for whoever looks after the server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from wireroom.app.run_overview import run_overview
from wireroom.errors import StoreError
from wireroom.ports import WebPage
from wireroom.version import __version__
from wireroom.web.web_context import Web, WebContext
from wireroom.web.web_lists import api_router

router = APIRouter()
api = api_router("status")


@router.get("/healthz")
def healthz() -> Response:
    """The server answers."""
    return PlainTextResponse("ok\n")


@router.get("/readyz")
def readyz(web: Web) -> Response:
    """The store can be worked with; 503 when it cannot."""
    try:
        state = web.app.status_of_store()
    except StoreError:
        state = "away"
    return PlainTextResponse(f"{state}\n", status_code=200 if state == "ok" else 503)


class _Measures(Collector):
    """What is held and under way, read when it is asked for."""

    def __init__(self, web: WebContext) -> None:
        self._web = web

    def collect(self) -> Iterator[Metric]:
        """The measures of this moment."""
        found = run_overview(self._web.app)
        held = GaugeMetricFamily(
            "wireroom_held", "How many of each kind are held.", labels=["kind"]
        )
        for kind, count in found.counts.items():
            held.add_metric([kind], count)
        problems = GaugeMetricFamily(
            "wireroom_problems_today", "Problems since midnight (UTC).", labels=["kind"]
        )
        for problem, count in found.problems.items():
            problems.add_metric([problem], count)
        yield held
        yield problems
        yield GaugeMetricFamily(
            "wireroom_articles_per_minute", "New articles, over an hour.", found.rate
        )
        yield GaugeMetricFamily("wireroom_store_bytes", "Size of the database.", found.size)
        yield GaugeMetricFamily("wireroom_runs", "Runs that have not ended.", len(found.runs))
        yield GaugeMetricFamily(
            "wireroom_live_streams", "Live pages that are open.", self._web.tailer.streams
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSeen:
    """A run that has begun and not ended."""

    who: str
    life: str
    began_at: datetime
    seen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemStatus:
    """How things stand."""

    version: str
    state: str
    """Of the database: ok, paused, read_only or damaged."""
    message: str
    counts: Mapping[str, int]
    """How many of each kind are held."""
    feed_health: Mapping[str, int]
    """Feeds by their state, those apart that are live and of whose pages none gives an article."""
    problems: Mapping[str, int]
    """The last problems by kind, at most ten of them."""
    last_poll_at: datetime | None = None
    """When a feed was last polled."""
    last_run_at: datetime | None = None
    """When a run last ended, as far as the newest events tell."""
    runs: Sequence[RunSeen] = ()
    jobs: int = 0
    """Jobs of this server that wait or are under way."""
    at: datetime


@api.get("/status", operation_id="get_status", summary="What is held, and how things stand")
def status(web: Web) -> SystemStatus:
    """As `wireroom status` says it."""
    found = web.app.status()
    return SystemStatus(
        version=__version__,
        state=found.health.state,
        message=found.health.message,
        counts=found.counts,
        feed_health=found.feed_health,
        problems=Counter(problem.kind for problem in found.problems),
        last_poll_at=found.last_poll_at,
        last_run_at=found.last_run.at if found.last_run else None,
        runs=[
            RunSeen(who=run.who, life=run.life, began_at=run.began_at, seen_at=run.seen_at)
            for run in found.runs
        ],
        jobs=len(web.jobs.open_jobs()),
        at=found.at,
    )


@router.get("/metrics")
def metrics(web: Web) -> Response:
    """Counts for Prometheus."""
    registry = CollectorRegistry()
    registry.register(_Measures(web))
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


PLUG = WebPage(name="health", router=router, api=api)
