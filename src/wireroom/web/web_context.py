"""What every page is handed: the app, the reader's clock, templates, sessions, and what is under way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request

from wireroom.app import App
from wireroom.dates.reader_clock import ReaderClock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wireroom.ports import WebPage
    from wireroom.web.background_jobs import BackgroundJobs
    from wireroom.web.count_cache import CountCache
    from wireroom.web.live_events import EventTailer
    from wireroom.web.login import Sessions
    from wireroom.web.rendering import Renderer
    from wireroom.web.run_control import RunControl


@dataclass(frozen=True, slots=True, kw_only=True)
class WebContext:
    """One server and what its pages share."""

    app: App
    clock: ReaderClock
    pages: Mapping[str, WebPage]
    renderer: Renderer
    sessions: Sessions
    jobs: BackgroundJobs
    tailer: EventTailer
    run: RunControl
    counts: CountCache


def _web_of(request: Request) -> WebContext:
    context = request.app.state.web
    if not isinstance(context, WebContext):
        raise TypeError("the server has no context")
    return context


Web = Annotated[WebContext, Depends(_web_of)]
"""The parameter of a route that needs it."""


def client_of(request: Request) -> str:
    """The address of whoever asks, for limits; behind a proxy that is set, the one that it names."""
    return request.client.host if request.client else ""
