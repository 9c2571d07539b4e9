"""The publisher that misbehaves, one path for each way: for tests, never for the demo.

Every path stands in `TROUBLES` with a sentence of what it does; the home page of trouble.test and
docs/town.md list the same table. Queries tune a misbehaviour (`/slow?ms=100`); those that change
with the number of requests count by path and query, so `?key=` keeps two tests apart.
"""

from __future__ import annotations

from collections import Counter
from html import escape

from aiohttp import web

from wireroom.town.trouble import bad_documents as documents
from wireroom.town.trouble import (
    bodies,
    charsets,
    codings,
    headers,
    redirects,
    statuses,
    timing,
    validators,
)
from wireroom.town.trouble.exchange import Trouble, TroubleRequest
from wireroom.town.world import Town

__all__ = ["TROUBLES", "Trouble", "TroubleMaker"]

MAX_COUNTED = 10_000  # targets whose requests are counted; then counting starts anew

TROUBLES: dict[str, Trouble] = {
    path: trouble
    for module in (
        timing,
        statuses,
        redirects,
        bodies,
        codings,
        headers,
        charsets,
        documents,
        validators,
    )
    for path, trouble in module.TABLE.items()
}


class TroubleMaker:
    """Answers requests to trouble.test, counting how often each target was asked for."""

    def __init__(self, town: Town) -> None:
        self._town = town
        self._counts: Counter[str] = Counter()

    def forget(self) -> None:
        """Starts counting anew."""
        self._counts.clear()

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Whatever the path stands for; the table itself at `/`."""
        path, target = request.path, request.raw_path
        if path == "/":
            return web.Response(text=_index(), content_type="text/html")
        trouble = TROUBLES.get(path)
        if trouble is None:
            return web.Response(status=404, text="No such trouble.\n")
        times_before = self._counts[target]
        if len(self._counts) >= MAX_COUNTED:
            self._counts.clear()
        self._counts[target] += 1
        exchange = TroubleRequest(
            request=request, times_before=times_before, now=self._town.clock.now()
        )
        return await trouble.run(exchange)


def _index() -> str:
    rows = "".join(
        f'<tr><td><a href="{trouble.path}">{trouble.path}</a></td><td>{escape(trouble.does)}</td></tr>\n'
        for trouble in TROUBLES.values()
    )
    return f"<!DOCTYPE html>\n<title>Trouble</title>\n<table>\n{rows}</table>\n"
