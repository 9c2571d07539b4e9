"""Fetch: the only room with outgoing traffic: rate limiter (manners), guard (addresses), strategies.

    async for outcome in fetch_all(requests, settings):      # Response | Problem
    for outcome in fetch_each(requests, settings):           # the same, without an event loop
    async with Fetcher(options) as fetch: await fetch(request)

One strategy per file, each of which sets PLUG to a `wireroom.ports.StrategyPlug`. Importing the
room loads no HTTP library; the names above are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wireroom.fetch.client import Fetcher
    from wireroom.fetch.fetch_options import FetchOptions
    from wireroom.fetch.many import fetch_all, fetch_each

__all__ = ["FetchOptions", "Fetcher", "fetch_all", "fetch_each"]

_HOMES = {
    "FetchOptions": "wireroom.fetch.fetch_options",
    "Fetcher": "wireroom.fetch.client",
    "fetch_all": "wireroom.fetch.many",
    "fetch_each": "wireroom.fetch.many",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
