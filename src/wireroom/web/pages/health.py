"""`/healthz`, `/readyz` and `/metrics`: for whoever looks after the server."""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from wireroom.app.run_overview import run_overview
from wireroom.errors import StoreError
from wireroom.ports import WebPage
from wireroom.web.web_context import Web, WebContext

router = APIRouter()


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


@router.get("/metrics")
def metrics(web: Web) -> Response:
    """Counts for Prometheus."""
    registry = CollectorRegistry()
    registry.register(_Measures(web))
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


PLUG = WebPage(name="health", router=router)
