"""Trouble with status codes: throttled, failing, recovering, gone."""

from __future__ import annotations

from datetime import timedelta
from email.utils import format_datetime
from functools import partial

from aiohttp import web

from wireroom.town.trouble.exchange import Trouble, TroubleRequest, register

TABLE: dict[str, Trouble] = {}
trouble = partial(register, TABLE)

VALID_STATUSES = range(200, 600)


def _ok(text: str = "<p>Well again.</p>") -> web.Response:
    return web.Response(text=text, content_type="text/html")


@trouble("/status", "answers with status ?code= (500)")
async def _status(exchange: TroubleRequest) -> web.StreamResponse:
    code = exchange.number("code", 500)
    if code not in VALID_STATUSES:
        return web.Response(status=400, text="codes are from 200 to 599\n")
    return web.Response(status=code, text=f"This is status {code}.\n")


@trouble("/throttled", "429 with Retry-After: ?seconds= (3) for the first ?times= (1), then 200")
async def _throttled(exchange: TroubleRequest) -> web.StreamResponse:
    if exchange.times_before >= exchange.number("times", 1):
        return _ok()
    wait = str(exchange.number("seconds", 3))
    return web.Response(status=429, headers={"Retry-After": wait}, text="Slow down.\n")


@trouble("/throttled-date", "429 with Retry-After as a date ?seconds= (3) from the town's now")
async def _throttled_date(exchange: TroubleRequest) -> web.StreamResponse:
    when = exchange.now + timedelta(seconds=exchange.number("seconds", 3))
    headers = {"Retry-After": format_datetime(when, usegmt=True)}
    return web.Response(status=429, headers=headers, text="Slow down.\n")


@trouble("/throttled-silly", "429 with the Retry-After of ?value= (soon)")
async def _throttled_silly(exchange: TroubleRequest) -> web.StreamResponse:
    value = exchange.word("value", "soon").replace("\r", "").replace("\n", "")
    return web.Response(status=429, headers={"Retry-After": value}, text="Slow down.\n")


@trouble("/recovers", "fails with ?code= (503) for the first ?times= (2) requests, then 200")
async def _recovers(exchange: TroubleRequest) -> web.StreamResponse:
    if exchange.times_before < exchange.number("times", 2):
        return web.Response(status=exchange.number("code", 503), text="Not now.\n")
    return _ok()


@trouble("/breaks", "200 for the first ?times= (2) requests, then 500 for ever")
async def _breaks(exchange: TroubleRequest) -> web.StreamResponse:
    if exchange.times_before < exchange.number("times", 2):
        return _ok("<p>Still well.</p>")
    return web.Response(status=500, text="Broken.\n")


@trouble("/gone", "410")
async def _gone(_: TroubleRequest) -> web.StreamResponse:
    return web.Response(status=410, text="Gone.\n")


@trouble("/soft-404", "says that the page was not found, with status 200")
async def _soft_404(_: TroubleRequest) -> web.StreamResponse:
    return _ok("<html><title>404</title><h1>Sorry, this page could not be found</h1></html>")


@trouble("/no-head", "405 to HEAD, 200 to GET")
async def _no_head(exchange: TroubleRequest) -> web.StreamResponse:
    if exchange.request.method == "HEAD":
        return web.Response(status=405, headers={"Allow": "GET"})
    return web.Response(text="<urlset/>", content_type="application/xml")


@trouble("/reset-head", "drops the connection on HEAD, 200 to GET")
async def _reset_head(exchange: TroubleRequest) -> web.StreamResponse:
    if exchange.request.method == "HEAD":
        return exchange.reset()
    return web.Response(text="<urlset/>", content_type="application/xml")
